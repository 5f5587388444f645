// The wall: every head of a stream as a small picture, the last layer on top as in the graph; with a grid of patches the
// chosen row over them. Under each what the head does, where there is room.
#include <algorithm>
#include <cmath>

#include "analysis/head_scores.h"
#include "figure/png.h"
#include "figure/sheet.h"
#include "figure/text_width.h"

namespace rollscope::figure {
namespace {

constexpr int kManyPictures = 200;  // from here on each is made smaller, so that the file does not grow

struct Pixels {
  int rows = 0, columns = 0;
  std::vector<int> t;  // position on the colormap, 0 to 255; -1: no row can see it
};

bool over_patches(const Sheet& s) { return !s.in.wall->row.empty() && s.in.dump->grid.rows > 0; }

Pixels pixels_of(const Sheet& s, int index) {
  const WallData& w = *s.in.wall;
  Pixels p;
  if (over_patches(s)) {
    const PatchGrid& grid = s.in.dump->grid;
    p.rows = grid.rows, p.columns = grid.columns;
    const float* row = w.row.data() + static_cast<std::ptrdiff_t>(index) * w.keys + grid.prefix;
    const float most = *std::max_element(row, row + static_cast<std::ptrdiff_t>(grid.rows) * grid.columns);
    for (int i = 0; i < grid.rows * grid.columns; ++i) p.t.push_back(most > 0 ? std::clamp(static_cast<int>(255 * row[i] / most), 0, 255) : 0);
    return p;
  }
  const int pool = w.layers * w.heads > kManyPictures && std::max(w.rows, w.columns) > 32 ? 2 : 1;
  p.rows = (w.rows + pool - 1) / pool, p.columns = (w.columns + pool - 1) / pool;
  p.t.assign(static_cast<std::size_t>(p.rows) * static_cast<std::size_t>(p.columns), -1);
  const std::uint8_t* cells = w.cells.data() + static_cast<std::size_t>(index) * static_cast<std::size_t>(w.rows) * static_cast<std::size_t>(w.columns);
  for (int r = 0; r < w.rows; ++r)
    for (int c = 0; c < w.columns; ++c) {
      const bool unseen = s.in.stored->causal && static_cast<double>(c) / w.columns >= static_cast<double>(r + 1) / w.rows;
      int& t = p.t[static_cast<std::size_t>(r / pool) * static_cast<std::size_t>(p.columns) + static_cast<std::size_t>(c / pool)];
      if (!unseen) t = std::max(t, static_cast<int>(cells[static_cast<std::size_t>(r) * static_cast<std::size_t>(w.columns) + static_cast<std::size_t>(c)]));
    }
  return p;
}

std::vector<std::uint8_t> picture(const Pixels& p, const std::vector<std::uint8_t>& lut) {
  // Readers that smooth pictures anyhow blur the seam of two pixels, not whole cells.
  const int times = std::clamp(96 / std::max(p.rows, p.columns), 1, 8);
  std::vector<std::uint8_t> rgba;
  rgba.reserve(p.t.size() * static_cast<std::size_t>(times * times) * 4);
  for (int y = 0; y < p.rows * times; ++y)
    for (int x = 0; x < p.columns * times; ++x) {
      const int t = p.t[static_cast<std::size_t>(y / times) * static_cast<std::size_t>(p.columns) + static_cast<std::size_t>(x / times)];
      const std::uint8_t* colour = &lut[static_cast<std::size_t>(std::max(0, t)) * 4];
      rgba.insert(rgba.end(), colour, colour + 3);
      rgba.push_back(t < 0 ? 0 : 255);
    }
  return png_file(rgba, p.columns * times, p.rows * times);
}

constexpr Word kRoles[kHeadRoles] = {Word::role_mixed, Word::role_previous, Word::role_next, Word::role_first, Word::role_self, Word::role_duplicate, Word::role_induction, Word::role_delimiter};

std::string role_words(const Sheet& s, const HeadNote& note) {
  const auto role = static_cast<HeadRole>(std::min<int>(note.role, kHeadRoles - 1));
  const bool to_key = role == HeadRole::first || role == HeadRole::delimiter || (role == HeadRole::mixed && note.share >= 0.4f);
  if (to_key && note.key >= 0) return s.words.fill(Word::to, {{"token", isolated(token_name(*s.in.stored, s.in.dump->grid, note.key, true, s.words(Word::patch_short)))}});
  if (role == HeadRole::mixed && note.spread >= 0.9f) return std::string(s.words(Word::role_diffuse));
  return std::string(s.words(kRoles[static_cast<std::size_t>(role)]));
}

// A coloured mark and the role; its score in percent, where that fits too.
void caption(Sheet& s, const Box& t, double room, const HeadNote& note) {
  const double px = s.type.small;
  const bool named = note.role != 0 || note.share >= 0.4f;
  double x = t.x;
  if (named) {
    const auto k = static_cast<std::size_t>(note.role == 0 ? 4 : note.role) % 8;
    s.svg.rect({x, t.bottom() + px * 0.35, 2, px * 0.85}, {s.style.dark ? theme::kHeadsDark[k] : theme::kHeadsLight[k]});
    x += 4;
  }
  room -= x - t.x;
  std::string words = role_words(s, note);
  const std::string score = " " + s.words.number(100 * static_cast<double>(note.score), 0);
  if (named && text_width(words + score, px) * kFaceSlack <= room) words += score;
  s.svg.text(x, t.bottom() + px * 1.15, cut_text(words, px, false, room), {.px = px, .colour = named ? s.ink() : s.ink3()});
}

}  // namespace

Figure draw_heads(Sheet& s) {
  const WallData& w = *s.in.wall;
  const bool patches = over_patches(s);
  s.title(s.words(Word::wall_title), patches ? s.query_name(s.view.query) : std::string_view(), {}, s.ink());
  const double px = s.type.label;
  double names = 0;
  for (int l = 0; l < w.layers; ++l) names = std::max(names, text_width(s.words.fill(Word::layer, {{"layer", std::to_string(s.layer_number(l))}}), px) * kFaceSlack);
  const bool full = (s.width - names) / w.heads >= 16;  // else the number alone
  if (!full) names = px * 1.6;
  names += px * 0.8;
  const double room = (s.width - names) / w.heads;
  const double gap = std::clamp(room * 0.14, 1.0, px * 0.9);
  double side_w = std::min(room - gap, px * 9);
  double ratio = 1;
  if (patches) ratio = static_cast<double>(s.in.dump->grid.rows) / s.in.dump->grid.columns;
  const double side_h = side_w * std::clamp(ratio, 0.25, 2.0);
  const bool captions = side_w + gap >= s.type.small * 3.2;
  const double pitch_y = side_h + (captions ? s.type.small * 2.3 : gap);
  const double pitch_x = side_w + gap;

  std::vector<std::uint8_t> lut(256 * 4);
  weight_lut(s.style.dark || patches, lut);
  {
    const auto group = s.svg.group("heads");
    const int step = pitch_x < px * 1.5 ? 10 : 1;
    for (int h = 0; h < w.heads; h += step)
      s.line_text(s.left + names + h * pitch_x + side_w / 2, s.y, px * 1.5, std::to_string(h + 1), {.px = px, .colour = s.ink3(), .anchor = Anchor::middle});
    s.y += px * 1.6;
    for (int row = 0; row < w.layers; ++row) {
      const int l = w.layers - 1 - row;
      const double top = s.y + row * pitch_y;
      const std::string number = std::to_string(s.layer_number(l));
      if (pitch_y >= px || row % 2 == 0) s.line_text(s.left, top, side_h, full ? s.words.fill(Word::layer, {{"layer", number}}) : number, {.px = px, .colour = s.ink3()});
      for (int h = 0; h < w.heads; ++h) {
        const int index = l * w.heads + h;
        const Box t{s.left + names + h * pitch_x, top, side_w, side_h};
        s.svg.image(t, picture(pixels_of(s, index), lut));
        if (side_w >= 10) s.svg.rect(t, kNone, 0, {s.palette.line}, 0.5);
        if (captions) caption(s, t, pitch_x - px * 0.4, w.notes[static_cast<std::size_t>(index)]);
      }
    }
    s.y += w.layers * pitch_y + px * 0.3;
  }
  const std::vector<std::string> notes{std::string(s.words(patches ? Word::heads_patches : Word::heads_scale))};
  return s.finish(s.words(Word::wall_title), notes, false);
}

}  // namespace rollscope::figure
