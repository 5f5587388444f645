#include "gpu/label_atlas.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>

#include "platform/host.h"

namespace rollscope::gpu {
namespace {

constexpr int kPad = 2;          // CSS px around the text: glyphs lean out of their advance
constexpr int kPageSide = 1024;  // device px; a larger one where a label needs it
constexpr int kLargePage = 2048;
constexpr std::size_t kMostPages = 4;
constexpr std::size_t kFew = 6;      // labels that are uploaded one by one
constexpr std::size_t kMostWidths = 20000;

std::string key_of(std::string_view text, float px, bool bold) {
  std::string key;
  key.reserve(text.size() + 10);
  key += bold ? 'b' : 'r';
  key += std::to_string(std::lround(px * 100));
  key += '\n';
  key += text;
  return key;
}

// An image with slots in it, premultiplied as the text engine left it.
struct Image {
  int width, height;
  std::vector<std::uint8_t> rgba;
  Image(int w, int h) : width(w), height(h), rgba(static_cast<std::size_t>(w) * h * 4, 0) {}
  [[nodiscard]] std::uint8_t* pixel(int x, int y) { return &rgba[(static_cast<std::size_t>(y) * width + x) * 4]; }
};

// White text has each part equal to its alpha; a coloured glyph, a black one too, does not.
bool has_colour(Image& image, int x, int y, int w, int h) {
  for (int row = y; row < y + h; ++row)
    for (int column = x; column < x + w; ++column) {
      const std::uint8_t* p = image.pixel(column, row);
      for (int k = 0; k < 3; ++k)
        if (std::abs(p[k] - p[3]) > 8) return true;
    }
  return false;
}

// To the straight alpha that ImGui blends. White stays white under every alpha.
void make_straight(Image& image, int x, int y, int w, int h, bool coloured) {
  for (int row = y; row < y + h; ++row)
    for (int column = x; column < x + w; ++column) {
      std::uint8_t* p = image.pixel(column, row);
      const unsigned alpha = p[3];
      for (int k = 0; k < 3; ++k) p[k] = !coloured ? 255 : alpha ? static_cast<std::uint8_t>(std::min(255u, (p[k] * 255u + alpha / 2) / alpha)) : 0;
    }
}

}  // namespace

struct LabelAtlas::Entry {
  std::string text;
  float px = 0;
  bool bold = false;
  float advance = 0;
  int page = -1;  // -1: not drawn yet; -2: too large for any page
  int x = 0, y = 0, w = 0, h = 0;  // device px
  bool coloured = false;
  std::uint64_t used = 0;
};

// Shelves of slots from the top down; labels of one size fill a shelf.
struct LabelAtlas::Page {
  struct Shelf {
    int y, h, x;
  };
  Texture texture = 0;
  int side = 0;
  int filled = 0;  // height taken by shelves
  std::vector<Shelf> shelves;

  bool place(int w, int h, std::size_t first_shelf, int& x, int& y) {
    for (std::size_t i = first_shelf; i < shelves.size(); ++i)
      if (Shelf& s = shelves[i]; h <= s.h && s.h <= h + h / 4 + 2 && s.x + w <= side) {
        x = s.x, y = s.y;
        s.x += w;
        return true;
      }
    if (w > side || filled + h > side) return false;
    shelves.push_back({filled, h, w});
    x = 0, y = filled;
    filled += h;
    return true;
  }
};

LabelAtlas::LabelAtlas(Gpu& gpu) : gpu_(gpu) {}
LabelAtlas::~LabelAtlas() = default;

LabelAtlas::Glyphs LabelAtlas::label(std::string_view text, float px, bool bold) {
  if (text.empty()) return {};
  const std::string key = key_of(text, px, bold);
  auto it = entries_.find(key);
  if (it == entries_.end()) {
    Entry e;
    e.text = text;
    e.px = px;
    e.bold = bold;
    e.advance = width(text, px, bold);
    const float pad = std::ceil(kPad * scale_);
    e.w = static_cast<int>(std::ceil(e.advance * scale_) + 2 * pad);
    e.h = static_cast<int>(std::ceil(px * scale_ * 1.5f) + 2 * pad);
    it = entries_.emplace(key, std::move(e)).first;
    wanted_.push_back(key);
  }
  Entry& e = it->second;
  e.used = frame_;
  Glyphs g;
  g.advance = e.advance;
  g.width = static_cast<float>(e.w) / scale_;
  g.height = static_cast<float>(e.h) / scale_;
  if (e.page < 0) return g;
  const Page& page = pages_[static_cast<std::size_t>(e.page)];
  const auto side = static_cast<float>(page.side);
  g.texture = page.texture;
  g.u0 = static_cast<float>(e.x) / side;
  g.v0 = static_cast<float>(e.y) / side;
  g.u1 = static_cast<float>(e.x + e.w) / side;
  g.v1 = static_cast<float>(e.y + e.h) / side;
  g.coloured = e.coloured;
  return g;
}

float LabelAtlas::width(std::string_view text, float px, bool bold) {
  if (text.empty()) return 0;
  const std::string key = key_of(text, px, bold);
  if (const auto it = widths_.find(key); it != widths_.end()) return it->second;
  if (widths_.size() >= kMostWidths) widths_.clear();
  // Measured at the size at which it will be drawn: hinted advances do not grow in proportion.
  const float w = host::measure(text, px * scale_, bold) / scale_;
  widths_.emplace(key, w);
  return w;
}

void LabelAtlas::clear() {
  for (const Page& p : pages_) gpu_.destroy_texture(p.texture);
  pages_.clear();
  entries_.clear();
  wanted_.clear();
}

void LabelAtlas::begin_frame(float scale) {
  assert(scale > 0);
  if (scale != scale_) {
    clear();
    widths_.clear();
    scale_ = scale;
  } else if (pages_.size() > kMostPages) {
    reuse_pages();
  }
  ++frame_;
}

// Empties the pages of which the last frame showed nothing.
void LabelAtlas::reuse_pages() {
  std::vector<bool> seen(pages_.size(), false);
  for (const auto& [key, e] : entries_)
    if (e.page >= 0 && e.used == frame_) seen[static_cast<std::size_t>(e.page)] = true;
  std::erase_if(entries_, [&](const auto& entry) {
    const Entry& e = entry.second;
    return e.page >= 0 && !seen[static_cast<std::size_t>(e.page)];
  });
  for (std::size_t i = 0; i < pages_.size(); ++i)
    if (!seen[i]) pages_[i].shelves.clear(), pages_[i].filled = 0;
}

LabelAtlas::Page& LabelAtlas::page_for(Entry& e, const std::vector<std::size_t>& first_shelf) {
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    if (!pages_[i].place(e.w, e.h, i < first_shelf.size() ? first_shelf[i] : 0, e.x, e.y)) continue;
    e.page = static_cast<int>(i);
    return pages_[i];
  }
  Page page;
  page.side = e.w > kPageSide || e.h > kPageSide || scale_ > 1.5f ? kLargePage : kPageSide;
  page.texture = gpu_.create_texture(page.side, page.side, false, true);
  page.place(e.w, e.h, 0, e.x, e.y);
  e.page = static_cast<int>(pages_.size());
  return pages_.emplace_back(std::move(page));
}

bool LabelAtlas::end_frame() {
  std::vector<Entry*> batch;
  for (const std::string& key : wanted_)
    if (const auto it = entries_.find(key); it != entries_.end()) {
      if (it->second.w > kLargePage || it->second.h > kLargePage) it->second.page = -2;
      else batch.push_back(&it->second);
    }
  wanted_.clear();
  if (batch.empty()) return false;
  if (batch.size() <= kFew) rasterise_one_by_one(batch);
  else rasterise_together(batch);
  return true;
}

void LabelAtlas::rasterise_one_by_one(const std::vector<Entry*>& batch) {
  for (Entry* e : batch) {
    Image image(e->w, e->h);
    const host::LabelSlot slot{e->text, e->px * scale_, e->bold, 0, 0, e->w, e->h};
    host::rasterise({&slot, 1}, e->w, e->h, image.rgba);
    e->coloured = has_colour(image, 0, 0, e->w, e->h);
    make_straight(image, 0, 0, e->w, e->h, e->coloured);
    gpu_.update_texture(page_for(*e, {}).texture, e->x, e->y, e->w, e->h, image.rgba);
  }
}

// Many labels take shelves of their own, so that one band of each page is drawn and uploaded in one go: an upload for
// each of 300 labels costs 30 to 80 ms.
void LabelAtlas::rasterise_together(const std::vector<Entry*>& batch) {
  std::vector<Entry*> order = batch;
  std::stable_sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) { return a->h < b->h; });
  std::vector<std::size_t> first_shelf;
  std::vector<int> top;
  for (const Page& p : pages_) first_shelf.push_back(p.shelves.size()), top.push_back(p.filled);
  for (Entry* e : order) (void)page_for(*e, first_shelf);
  top.resize(pages_.size(), 0);

  for (std::size_t i = 0; i < pages_.size(); ++i) {
    const Page& page = pages_[i];
    const int height = page.filled - top[i];
    if (height == 0) continue;
    Image band(page.side, height);
    std::vector<host::LabelSlot> slots;
    for (const Entry* e : order)
      if (e->page == static_cast<int>(i)) slots.push_back({e->text, e->px * scale_, e->bold, e->x, e->y - top[i], e->w, e->h});
    host::rasterise(slots, band.width, band.height, band.rgba);
    for (Entry* e : order) {
      if (e->page != static_cast<int>(i)) continue;
      e->coloured = has_colour(band, e->x, e->y - top[i], e->w, e->h);
      make_straight(band, e->x, e->y - top[i], e->w, e->h, e->coloured);
    }
    gpu_.update_texture(page.texture, 0, top[i], band.width, band.height, band.rgba);
  }
}

void LabelAtlas::lost() {
  pages_.clear();  // their textures are void
  entries_.clear();
  wanted_.clear();
}

bool LabelAtlas::pending() const { return !wanted_.empty(); }

}  // namespace rollscope::gpu
