// Layers x heads: every head as a small picture of its weights, or of the chosen row over the patches of an image.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/head_scores.h"
#include "ui/draw.h"
#include "ui/heads_panel.h"
#include "ui/names.h"
#include "ui/panels.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

constexpr int kAtlasSide = 2048;
constexpr float kLabelled = 34;  // px from which a picture carries its words

const HeadNote& note_of(const WallData& w, int index) { return w.notes[static_cast<std::size_t>(index)]; }

bool over_patches(const Ui& ui) {
  const WallData& w = *ui.app.wall();
  return !w.row.empty() && ui.app.dump().grid.rows > 0;
}

// Sizes of one picture in the atlas.
void measure(Ui& ui) {
  HeadsPanel& p = *ui.heads;
  const WallData& w = *ui.app.wall();
  const PatchGrid& grid = ui.app.dump().grid;
  const int columns = over_patches(ui) ? grid.columns : w.columns, rows = over_patches(ui) ? grid.rows : w.rows;
  const int count = w.layers * w.heads;
  // ImGui filters: a cell of several texels keeps its edges.
  p.cell = 1;
  while (p.cell < 6 && static_cast<double>(columns) * rows * (p.cell + 1) * (p.cell + 1) * count < 0.8 * kAtlasSide * kAtlasSide) ++p.cell;
  p.side_w = columns * p.cell;
  p.side_h = rows * p.cell;
  p.across = std::clamp(kAtlasSide / std::max(1, p.side_w), 1, std::max(1, count));
  p.width = p.across * p.side_w;
  p.height = (count + p.across - 1) / p.across * p.side_h;
}

// One picture into the atlas, colours of the weight map; what no row can see stays clear.
void paint(Ui& ui, int index, const std::vector<std::uint8_t>& lut, std::vector<std::uint8_t>& rgba) {
  const HeadsPanel& p = *ui.heads;
  const WallData& w = *ui.app.wall();
  const auto width = static_cast<std::size_t>(p.width);
  const std::size_t left = static_cast<std::size_t>(index % p.across) * static_cast<std::size_t>(p.side_w);
  const std::size_t top = static_cast<std::size_t>(index / p.across) * static_cast<std::size_t>(p.side_h);
  const bool patches = over_patches(ui);
  const PatchGrid& grid = ui.app.dump().grid;
  const float* row = patches ? w.row.data() + static_cast<std::ptrdiff_t>(index) * w.keys + grid.prefix : nullptr;
  float most = 0;
  if (patches) most = *std::max_element(row, row + static_cast<std::ptrdiff_t>(grid.rows) * grid.columns);
  for (int y = 0; y < p.side_h; ++y)
    for (int x = 0; x < p.side_w; ++x) {
      std::uint8_t* to = &rgba[4 * ((top + static_cast<std::size_t>(y)) * width + left + static_cast<std::size_t>(x))];
      int t = 0;
      const int r = y / p.cell, c = x / p.cell;
      if (patches) t = most > 0 ? static_cast<int>(255 * row[r * grid.columns + c] / most) : 0;
      else t = w.cells[(static_cast<std::size_t>(index) * static_cast<std::size_t>(w.rows) + static_cast<std::size_t>(r)) * static_cast<std::size_t>(w.columns) + static_cast<std::size_t>(c)];
      const std::uint8_t* from = &lut[static_cast<std::size_t>(std::clamp(t, 0, 255)) * 4];
      std::copy(from, from + 4, to);
      const bool unseen = !patches && ui.app.stored_stream().causal && static_cast<double>(c) / w.columns >= static_cast<double>(r + 1) / w.rows;
      if (unseen) to[3] = 0;
    }
}

void update(Ui& ui) {
  HeadsPanel& p = *ui.heads;
  if (p.atlas && p.version == ui.app.wall_version() && p.dark == ui.theme.dark) return;
  if (p.atlas) ui.gpu.destroy_texture(p.atlas);
  measure(ui);
  std::vector<std::uint8_t> lut(256 * 4), rgba(static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.height) * 4, 0);
  weight_lut(ui.theme.dark || over_patches(ui), lut);
  for (int i = 0; i < ui.app.wall()->layers * ui.app.wall()->heads; ++i) paint(ui, i, lut, rgba);
  p.atlas = ui.gpu.create_texture(p.width, p.height, false, false);
  ui.gpu.update_texture(p.atlas, 0, 0, p.width, p.height, rgba);
  p.version = ui.app.wall_version();
  p.dark = ui.theme.dark;
}

bool passes(const Ui& ui, const HeadNote& note) { return ui.state().heads.role < 0 || note.role == ui.state().heads.role; }

void sort(Ui& ui) {
  HeadsPanel& p = *ui.heads;
  const WallData& w = *ui.app.wall();
  p.order.resize(w.notes.size());
  std::iota(p.order.begin(), p.order.end(), 0);
  const auto by = [&](auto key) { std::stable_sort(p.order.begin(), p.order.end(), [&](int a, int b) { return key(note_of(w, a)) < key(note_of(w, b)); }); };
  switch (ui.state().heads.order) {
    case HeadOrder::layer: break;
    case HeadOrder::role: by([](const HeadNote& n) { return std::pair(n.role == 0 ? 99 : static_cast<int>(n.role), -n.score); }); break;
    case HeadOrder::spread: by([](const HeadNote& n) { return std::isnan(n.spread) ? 2.0f : n.spread; }); break;
    case HeadOrder::distance: by([](const HeadNote& n) { return std::isnan(n.distance) ? 1e9f : n.distance; }); break;
  }
}

// Where the pictures lie: layers from the top down, heads across; or in order, as many across as fit.
struct Places {
  Box area;
  int across = 1, rows = 1;
  float side = 0, gap = 6, label = 0, left = 0, pitch_y = 0;
  bool by_layer = true;

  [[nodiscard]] Box tile(int place, float scroll) const {
    const float x = area.x + left + static_cast<float>(place % across) * (side + gap);
    return {std::round(x), std::round(area.y + static_cast<float>(place / across) * pitch_y - scroll), side, side};
  }
};

Places place(Ui& ui, const Box& b) {
  const WallData& w = *ui.app.wall();
  Places out;
  out.area = b;
  out.by_layer = ui.state().heads.order == HeadOrder::layer;
  out.left = out.by_layer ? (b.w > 500 ? 58.0f : 30.0f) : 0;
  const int count = w.layers * w.heads;
  const float room = b.w - out.left;
  const auto pitch = [&](float side) { return side >= kLabelled ? side + 28 : side >= 14 ? side + 6 : side + 2; };
  if (out.by_layer) {
    out.across = w.heads;
    out.gap = room / static_cast<float>(w.heads) >= 48 ? 18.0f : room / static_cast<float>(w.heads) >= 16 ? 5.0f : 1.0f;
    const float widest = std::floor(room / static_cast<float>(w.heads) - out.gap);
    // As large as the height allows, but no larger than keeps all heads of a layer in one row.
    out.side = std::clamp(b.h / static_cast<float>(w.layers) - 28, std::min(widest, 12.0f), std::min(widest, 96.0f));
    out.side = std::max(3.0f, std::floor(out.side));
    out.gap = std::min(out.gap + 14, room / static_cast<float>(w.heads) - out.side);
    out.rows = w.layers;
  } else {
    out.gap = 18;
    out.side = 64;
    while (out.side > 14 && std::ceil(static_cast<float>(count) / std::floor((room + out.gap) / (out.side + out.gap))) * pitch(out.side) > b.h) {
      out.side -= 2;
      if (out.side < kLabelled) out.gap = 6;
    }
    out.across = std::max(1, static_cast<int>((room + out.gap) / (out.side + out.gap)));
    out.rows = (count + out.across - 1) / out.across;
  }
  out.pitch_y = std::floor(pitch(out.side));
  out.label = out.side >= kLabelled ? 18.0f : 0.0f;
  return out;
}

// The head at a place; by layer the last layer stands on top, as the output does in the graph.
int head_at(const Ui& ui, const Places& p, int at) {
  const WallData& w = *ui.app.wall();
  if (!p.by_layer) return at < static_cast<int>(ui.heads->order.size()) ? ui.heads->order[static_cast<std::size_t>(at)] : -1;
  const int layer = w.layers - 1 - at / w.heads;
  return layer >= 0 ? layer * w.heads + at % w.heads : -1;
}

std::string arguments(const Ui& ui, int index) {
  const int heads = ui.app.wall()->heads;
  return "{\"layer\":" + std::to_string(index / heads) + ",\"head\":" + std::to_string(index % heads) + "}";
}

void choose(Ui& ui, int index) { ui.app.run("heads.choose", arguments(ui, index)); }

std::string head_name(const Ui& ui, int index) {
  const int heads = ui.app.wall()->heads;
  return ui.words.fill("ui.heads.name", {{"layer", std::to_string(ui.layer_number(index / heads))}, {"head", std::to_string(index % heads + 1)}});
}

void draw_tile(Ui& ui, const Box& t, int index) {
  const HeadsPanel& p = *ui.heads;
  const WallData& w = *ui.app.wall();
  const float u0 = static_cast<float>(index % p.across * p.side_w) / static_cast<float>(p.width), v0 = static_cast<float>(index / p.across * p.side_h) / static_cast<float>(p.height);
  const float u1 = u0 + static_cast<float>(p.side_w) / static_cast<float>(p.width), v1 = v0 + static_cast<float>(p.side_h) / static_cast<float>(p.height);
  const bool dim = !passes(ui, note_of(w, index));
  fill(ui, t, ui.theme.panel);
  ui.dl->AddImage(static_cast<ImTextureID>(p.atlas), {t.x, t.y}, {t.right(), t.bottom()}, {u0, v0}, {u1, v1}, IM_COL32(255, 255, 255, dim ? 45 : 255));
  if (t.w >= 14) frame(ui, t, ui.theme.line, 1);
}

void tile_words(Ui& ui, const Box& t, float gap, int index) {
  const WallData& w = *ui.app.wall();
  const HeadNote& note = note_of(w, index);
  const bool dim = !passes(ui, note);
  const bool named = note.role != 0 || note.share >= 0.4f;
  std::string words = role_words(ui, note);
  const float width = t.w + std::max(0.0f, gap - 4);
  const Ink ink{12, named && !dim ? Weight::medium : Weight::regular, dim ? ui.theme.ink3 : named ? ui.theme.ink : ui.theme.ink3};
  float x = t.x;
  if (named) {
    fill(ui, {x, t.bottom() + 5, 3, 11}, dim ? ui.theme.line2 : role_colour(ui, note.role));
    x += 6;
  }
  if (const std::string number = " " + ui.words.number(100 * static_cast<double>(note.score), 0); named && label_width(ui, words + number, 12, true) <= width - (x - t.x)) words += number;
  const float used = label_width(ui, words, 12, named);
  if (used <= width - (x - t.x)) label(ui, x, baseline(t.bottom() + 3, 16, 12), words, 12, named, ink.colour);
  else label(ui, x, baseline(t.bottom() + 3, 16, 12), label_cut(ui, words, 12, named, width - (x - t.x)), 12, named, ink.colour);
}

void tip(Ui& ui, const Box& t, int index) {
  const HeadNote& n = note_of(*ui.app.wall(), index);
  std::vector<Rich> lines;
  lines.push_back(Rich().add(head_name(ui, index), tip_ink(ui, true)));
  lines.push_back(Rich().token(role_words(ui, n) + " · " + ui.words.percent_sign(static_cast<double>(n.score)), tip_ink(ui)));
  if (!std::isnan(n.spread)) lines.push_back(Rich().add(ui.words.fill("ui.heads.tip_spread", {{"share", ui.words.number(100 * static_cast<double>(n.spread), 0)}}), tip_quiet(ui)));
  tooltip(ui, t, std::move(lines));
}

void toolbar(Ui& ui, const Box& bar) {
  const WallData& w = *ui.app.wall();
  int counts[kHeadRoles] = {};
  for (const HeadNote& n : w.notes) ++counts[std::min<int>(n.role, kHeadRoles - 1)];
  const float middle = bar.middle_y();
  const std::vector<Segment> orders{{"heads.order/layer", ui.words("ui.heads.order.layer")}, {"heads.order/role", ui.words("ui.heads.order.role")},
                                    {"heads.order/spread", ui.words("ui.heads.order.spread")}, {"heads.order/distance", ui.words("ui.heads.order.distance")}};
  constexpr const char* kNames[] = {"layer", "role", "spread", "distance"};
  const float ow = segments_width(ui, orders);
  float right = bar.right() - 16;
  const int now = static_cast<int>(ui.app.state().heads.order);
  if (bar.w > ow + 160) {
    const int picked = segments(ui, right - ow, middle, orders, now);
    if (picked >= 0 && picked != now) ui.app.run("heads.order", std::string("{\"order\":\"") + kNames[picked] + "\"}");
    right -= ow + 12;
  }
  float x = bar.x + 16;
  const auto chip = [&](int role, const std::string& words) {
    const float width = text_width(ui, words, {13, Weight::medium, 0}) + (role >= 0 ? 34 : 22);
    if (x + width > right) return;
    const Box b{x, middle - 12, width, 24};
    const std::string id = "heads.role/" + std::to_string(role);
    const Press p = press(ui, id.c_str(), b, true, 12);
    const bool on = ui.app.state().heads.role == role;
    fill(ui, b, on ? ui.theme.accentbg : p.hovered ? ui.theme.raised : ui.theme.panel, 12);
    if (!on) frame(ui, b, ui.theme.line, 1, 12);
    if (role >= 0) fill(ui, {b.x + 11, middle - 4, 8, 8}, role_colour(ui, role), 2);
    text(ui, b.x + (role >= 0 ? 24 : 11), baseline(b.y, b.h, 13), words, {13, Weight::medium, on ? ui.theme.accent : ui.theme.ink2});
    if (p.clicked) ui.app.run("heads.role", "{\"role\":" + std::to_string(on ? -1 : role) + "}");
    x += width + 8;
  };
  chip(-1, ui.words.fill("ui.heads.every", {{"n", ui.words.count(static_cast<long long>(w.notes.size()))}}));
  std::vector<int> roles;
  for (int r = 1; r < kHeadRoles; ++r)
    if (counts[r] > 0) roles.push_back(r);
  std::stable_sort(roles.begin(), roles.end(), [&](int a, int b) { return counts[a] > counts[b]; });
  if (counts[0] > 0) roles.push_back(0);
  for (const int r : roles) chip(r, std::string(ui.words("ui.heads.role." + std::string(head_role_name(static_cast<HeadRole>(r))))) + " " + std::to_string(counts[r]));
}

}  // namespace

ImU32 role_colour(const Ui& ui, int role) {
  const auto k = static_cast<std::size_t>(role == 0 ? 4 : role) % 8;
  return packed(ui.theme.dark ? theme::kHeadsDark[k] : theme::kHeadsLight[k]);
}

std::string role_words(const Ui& ui, const HeadNote& note) {
  const auto role = static_cast<HeadRole>(std::min<int>(note.role, kHeadRoles - 1));
  const bool to_key = role == HeadRole::first || role == HeadRole::delimiter || (role == HeadRole::mixed && note.share >= 0.4f);
  if (to_key && note.key >= 0) return ui.words.fill("ui.heads.to", {{"token", ui.token_short(note.key, true)}});
  if (role == HeadRole::mixed && note.spread >= 0.9f) return std::string(ui.words("ui.heads.role.diffuse"));
  return std::string(ui.words("ui.heads.role." + std::string(head_role_name(role))));
}

void forget_heads(Ui& ui, bool lost) {
  HeadsPanel& p = *ui.heads;
  if (!lost && p.atlas) ui.gpu.destroy_texture(p.atlas);
  p.atlas = 0;
  p.version = 0;
}

void draw_heads_view(Ui& ui, const Box& box) {
  Box b = box;
  const WallData* w = ui.app.wall();
  const Box bar = b.cut_top(ui.phone ? 44 : 36);
  if (!w || w->notes.empty()) {
    text_centre(ui, b.middle_x(), b.middle_y(), ui.words("ui.heads.pending"), {13, Weight::regular, ui.theme.ink3});
    return;
  }
  update(ui);
  sort(ui);
  toolbar(ui, bar);
  HeadsPanel& panel = *ui.heads;
  b.cut_left(16);
  b.cut_right(ui.phone ? 8 : 16);
  if (ui.state().heads.order == HeadOrder::layer) b.cut_top(18);
  const Places p = place(ui, b);
  const float content = static_cast<float>(p.rows) * p.pitch_y;
  const float most = std::max(0.0f, content - b.h + 4);
  if (Wheel* wheel = ui.wheel_in(b)) {
    wheel->used = true;
    panel.scroll += wheel->dy;
    ui.wake();
  }
  panel.scroll = std::clamp(panel.scroll, 0.0f, most);
  const int count = w->layers * w->heads;

  // The whole wall is one control: arrows walk over it.
  const Press over = press(ui, "heads.wall", b, true, 2);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  int hovered = -1;
  const int chosen = ui.state().heads.head < 0 ? -1 : ui.state().heads.layer * w->heads + ui.state().heads.head;
  if (p.by_layer && w->heads > 1) {
    const Ink quiet{12, Weight::regular, ui.theme.ink3};
    const int step = p.side + p.gap < 22 ? 10 : 1;
    for (int h = 0; h < w->heads; h += step) {
      const Box t = p.tile(h, 0);
      text_centre(ui, t.middle_x(), baseline(b.y - 18, 16, 12), std::to_string(h + 1), quiet);
    }
  }
  ImGui::PushClipRect({b.x - 16, b.y - 2}, {b.right() + 8, b.bottom()}, true);
  for (int at = 0; at < (p.by_layer ? count : static_cast<int>(panel.order.size())); ++at) {
    const int index = head_at(ui, p, at);
    const Box t = p.tile(at, panel.scroll);
    if (index < 0 || t.bottom() + p.label < b.y || t.y > b.bottom()) continue;
    draw_tile(ui, t, index);
    if (p.label > 0) tile_words(ui, t, p.gap, index);
    ui.record.nodes.push_back({t, index % w->heads, index / w->heads});
    if (p.by_layer && at % w->heads == 0 && p.pitch_y >= 14)
      text(ui, b.x, baseline(t.middle_y() - 8, 16, 12), b.w > 500 ? ui.words.fill("ui.graph.layer", {{"layer", std::to_string(ui.layer_number(index / w->heads))}}) : std::to_string(ui.layer_number(index / w->heads)),
           {12, Weight::regular, ui.theme.ink3});
    const Box reach{t.x - 1, t.y - 1, t.w + std::max(1.0f, p.gap - 2), p.pitch_y - 1};
    if (over.hovered && reach.contains(mouse.x, mouse.y)) hovered = index;
    if (index == chosen) ring(ui, t, ui.theme.accent, 2, 2, 3);
    else if (index == hovered) ring(ui, t, ui.theme.ink, 1, 2, 2);
    if (index == hovered) tip(ui, t, index);
  }
  ImGui::PopClipRect();
  if (hovered >= 0) ui.cursor("pointer");
  if (over.clicked && hovered >= 0) choose(ui, hovered);
  if (over.twice && hovered >= 0) ui.app.run("heads.open", arguments(ui, hovered));
  if (over.focused) {
    ui.takes_arrows = true;
    if (ui.arrows != 0) choose(ui, std::clamp((chosen < 0 ? 0 : chosen) + ui.arrows, 0, count - 1));
  }
  ui.showed_picture = true;
}

}  // namespace rollscope::ui
