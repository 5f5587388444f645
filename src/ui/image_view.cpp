// The chosen row over the patches of an image: over the user's picture where there is one.
//
// Over a picture the dark map is used in both themes, the picture goes grey, alpha .25 + .55 sqrt(t) at full opacity
// (look.md). Patches for truth, bilinear for looks; a line around the strongest patches that hold half of the weight.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/draw.h"
#include "ui/image_panel.h"
#include "ui/names.h"
#include "ui/panels.h"
#include "ui/tooltip.h"
#include "ui/view_tools.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

constexpr double kDefaultOpacity = 0.7;

struct PatchMap {
  const PatchGrid* grid = nullptr;
  std::vector<double> weights;  // [rows * columns]; NaN: no value
  double low = 0, high = 0, sum = 0;
  bool is_signed = false;
  [[nodiscard]] std::size_t size() const { return weights.size(); }
};

PatchMap patch_map(const Ui& ui) {
  PatchMap out;
  out.grid = &ui.app.dump().grid;
  const ViewData& v = *ui.view();
  out.is_signed = v.is_signed;
  for (int k = 0; k < out.grid->rows * out.grid->columns; ++k) {
    const auto at = static_cast<std::size_t>(k + out.grid->prefix);
    const double w = at < v.row.size() ? static_cast<double>(v.row[at]) : NAN;
    out.weights.push_back(w);
    if (!std::isfinite(w)) continue;
    out.low = std::min(out.low, w);
    out.high = std::max(out.high, w);
    out.sum += std::max(0.0, w);
  }
  if (out.is_signed) out.high = std::max(out.high, -out.low), out.low = -out.high;
  return out;
}

// The strongest patches that together hold half of the weight.
std::vector<char> half(const PatchMap& m) {
  std::vector<char> in(m.size(), 0);
  std::vector<std::size_t> order(m.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto weight = [&](std::size_t k) { return std::isfinite(m.weights[k]) ? std::max(0.0, m.weights[k]) : 0.0; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  double sum = 0;
  for (const std::size_t k : order) {
    if (sum >= 0.5 * m.sum || weight(k) <= 0) break;
    in[k] = 1;
    sum += weight(k);
  }
  return in;
}

double position(const PatchMap& m, double w) { return m.high > 0 ? std::clamp((m.is_signed ? std::abs(w) : w) / m.high, 0.0, 1.0) : 0; }

void update_picture(Ui& ui) {
  ImagePanel& p = *ui.image;
  const Picture* picture = ui.app.picture();
  if (p.picture_version == ui.app.picture_version() && p.has_picture == (picture != nullptr) && (!picture || p.picture)) return;
  if (p.picture) ui.gpu.destroy_texture(p.picture);
  p.picture = 0;
  p.picture_version = ui.app.picture_version();
  p.has_picture = picture != nullptr;
  if (!picture) return;
  // A texture has a limit; a larger picture is thinned out, which the patches hide anyway.
  constexpr int kMost = 2048;
  const int step = std::max(1, (std::max(picture->width, picture->height) + kMost - 1) / kMost);
  // A picture of few pixels keeps them: each becomes a square of texels, since ImGui filters.
  const int grow = std::clamp(512 / std::max(picture->width, picture->height), 1, 16);
  const int w = picture->width / step * grow, h = picture->height / step * grow;
  std::vector<std::uint8_t> rgba(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) * 4, 255);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      const std::uint8_t* from = &picture->rgb[3 * (static_cast<std::size_t>(y / grow * step) * static_cast<std::size_t>(picture->width) + static_cast<std::size_t>(x / grow * step))];
      const auto grey = static_cast<std::uint8_t>((54 * from[0] + 183 * from[1] + 19 * from[2]) >> 8);
      std::fill_n(&rgba[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(w) + static_cast<std::size_t>(x))], 3, grey);
    }
  p.picture = ui.gpu.create_texture(w, h, false, true);
  ui.gpu.update_texture(p.picture, 0, 0, w, h, rgba);
}

ImU32 colour_of(const Ui& ui, const PatchMap& m, double w) {
  if (!std::isfinite(w)) return faded(ui.theme.well, 0.9f);
  const bool over = ui.image->has_picture;
  const double t = position(m, w);
  const double opacity = ui.state().image.opacity;
  const double alpha = over ? std::clamp((0.25 + 0.55 * std::sqrt(t)) * opacity / kDefaultOpacity, 0.0, 1.0) : 1.0;
  if (m.is_signed) {
    const auto& map = over || ui.theme.dark ? theme::kDifferenceDark : theme::kDifferenceLight;
    const double x = (w / m.high + 1) / 2 * 14;
    return packed(map[static_cast<std::size_t>(std::clamp(std::lround(x), 0L, 14L))], static_cast<float>(alpha));
  }
  return packed(weight_colour(t, over || ui.theme.dark), static_cast<float>(alpha));
}

void update_map(Ui& ui, const PatchMap& m) {
  ImagePanel& p = *ui.image;
  if (!ui.state().image.smooth) return;
  if (p.map && (p.columns != m.grid->columns || p.rows != m.grid->rows)) {
    ui.gpu.destroy_texture(p.map);
    p.map = 0;
  }
  if (!p.map) p.map = ui.gpu.create_texture(m.grid->columns, m.grid->rows, false, true);
  p.columns = m.grid->columns;
  p.rows = m.grid->rows;
  std::vector<std::uint8_t> rgba;
  for (const double w : m.weights) {
    const ImU32 c = colour_of(ui, m, w);
    for (const int shift : {0, 8, 16, 24}) rgba.push_back(static_cast<std::uint8_t>(c >> shift));
  }
  ui.gpu.update_texture(p.map, 0, 0, p.columns, p.rows, rgba);
}

void toolbar(Ui& ui, const Box& bar) {
  const AppState& s = ui.app.state();
  const float middle = bar.middle_y();
  const std::vector<Segment> modes{{"image.smooth/patches", ui.words("ui.image.patches")}, {"image.smooth/smooth", ui.words("ui.image.smooth")}};
  float x = bar.x + 16;
  const int picked = segments(ui, x, middle, modes, s.image.smooth ? 1 : 0);
  if (picked >= 0 && picked != (s.image.smooth ? 1 : 0)) ui.app.run("image.smooth");
  x += segments_width(ui, modes) + 16;
  if (ui.image->has_picture && x + 190 < bar.right()) {
    const std::string words(ui.words("ui.image.map"));
    text(ui, x, baseline(middle - 8, 16, 12), words, {12, Weight::regular, ui.theme.ink3});
    x += text_width(ui, words, {12, Weight::regular, 0}) + 10;
    double opacity = s.image.opacity;
    const Slide slide = slider(ui, "image.opacity", {x, middle - 9, 90, 18}, opacity, 0, 1, 0.05, {kDefaultOpacity});
    if (slide.changed || slide.done) {
      AppState next = s;
      next.image.opacity = opacity;
      ui.app.set(next, slide.done);
    }
    x += 100;
    text(ui, x, baseline(middle - 9, 18, 13), ui.words.number(100 * opacity, 0) + "\u00A0%", {13, Weight::medium, ui.theme.ink});
    x += 52;
  }
  const std::string outline(ui.words("ui.image.outline"));
  if (x + check_width(ui, outline) < bar.right() - 8) {
    float width = 0;
    if (check(ui, "image.outline", x, middle, outline, s.image.outline, &width)) ui.app.run("image.outline");
  }
}

// The border between patches in and out of the half, one line per edge.
void draw_outline(Ui& ui, const Box& area, const PatchMap& m, const std::vector<char>& in) {
  const float w = area.w / static_cast<float>(m.grid->columns), h = area.h / static_cast<float>(m.grid->rows);
  const auto inside = [&](int r, int c) { return r >= 0 && c >= 0 && r < m.grid->rows && c < m.grid->columns && in[static_cast<std::size_t>(r * m.grid->columns + c)]; };
  const ImU32 line = ui.image->has_picture || ui.theme.dark ? IM_COL32(255, 255, 255, 235) : ui.theme.ink;
  for (int pass = 0; pass < 2; ++pass)
    for (int r = 0; r < m.grid->rows; ++r)
      for (int c = 0; c < m.grid->columns; ++c) {
        if (!inside(r, c)) continue;
        const float x0 = area.x + static_cast<float>(c) * w, y0 = area.y + static_cast<float>(r) * h, x1 = x0 + w, y1 = y0 + h;
        const float thick = pass == 0 ? 3.5f : 1.5f;
        const ImU32 colour = pass == 0 ? IM_COL32(0, 0, 0, 90) : line;
        if (!inside(r - 1, c)) ui.dl->AddLine({x0, y0}, {x1, y0}, colour, thick);
        if (!inside(r + 1, c)) ui.dl->AddLine({x0, y1}, {x1, y1}, colour, thick);
        if (!inside(r, c - 1)) ui.dl->AddLine({x0, y0}, {x0, y1}, colour, thick);
        if (!inside(r, c + 1)) ui.dl->AddLine({x1, y0}, {x1, y1}, colour, thick);
      }
}

std::string weight_text(const Ui& ui, double w) {
  if (!std::isfinite(w)) return "–";
  return ui.view()->stochastic ? ui.words.percent_sign(w) : ui.words.number(w, std::abs(w) >= 100 ? 0 : 4);
}

void legend(Ui& ui, Box b, const PatchMap& m, int half_count) {
  const Ink quiet{12, Weight::regular, ui.theme.ink3}, ink{13, Weight::regular, ui.theme.ink};
  const Box line = b.cut_top(20);
  const std::string low = m.is_signed ? weight_text(ui, -m.high) : "0", high = weight_text(ui, m.high);
  const float lw = text_width(ui, low, quiet), hw = text_width(ui, high, quiet);
  text(ui, line.x, baseline(line.y, 16, 12), low, quiet);
  text_right(ui, line.right(), baseline(line.y, 16, 12), high, quiet);
  const Box ramp{line.x + lw + 8, line.y + 3, line.w - lw - hw - 16, 10};
  constexpr int kSteps = 32;
  for (int k = 0; k < kSteps; ++k) {
    const double t = (k + 0.5) / kSteps;
    const double w = m.is_signed ? (2 * t - 1) * m.high : t * m.high;
    ImU32 c = colour_of(ui, m, m.high > 0 ? w : 0);
    c |= 0xFF000000u;
    fill(ui, {ramp.x + ramp.w * static_cast<float>(k) / kSteps, ramp.y, ramp.w / kSteps + 0.6f, ramp.h}, c);
  }
  b.cut_top(4);
  const Box row = b.cut_top(20);
  const std::string patches = ui.words.fill("ui.image.half_of", {{"n", std::to_string(half_count)}, {"all", std::to_string(m.size())}});
  text_fit(ui, row.x, baseline(row.y, 18, 13), row.w - text_width(ui, patches, ink) - 8, ui.words("ui.image.half"), {13, Weight::regular, ui.theme.ink2});
  text_right(ui, row.right(), baseline(row.y, 18, 13), patches, ink);
  const double rest = ui.view()->sum - m.sum;
  if (b.h >= 20 && ui.view()->stochastic && rest > 0.0005) {
    const Box other = b.cut_top(20);
    const std::string share = ui.words.percent_sign(rest);
    text_fit(ui, other.x, baseline(other.y, 18, 13), other.w - text_width(ui, share, ink) - 8, ui.words("ui.image.other_tokens"), {13, Weight::regular, ui.theme.ink2});
    text_right(ui, other.right(), baseline(other.y, 18, 13), share, ink);
  }
}

}  // namespace

void forget_image(Ui& ui, bool lost) {
  ImagePanel& p = *ui.image;
  if (!lost && p.picture) ui.gpu.destroy_texture(p.picture);
  if (!lost && p.map) ui.gpu.destroy_texture(p.map);
  p = {};
}

void draw_image_view(Ui& ui, const Box& box) {
  Box b = box;
  update_picture(ui);
  toolbar(ui, b.cut_top(ui.phone ? 44 : 36));
  const PatchMap m = patch_map(ui);
  update_map(ui, m);
  const auto in = half(m);
  b.cut_left(24);
  b.cut_right(24);
  b.cut_top(4);
  const Box caption = b.cut_top(24);
  const std::string title = asked_name(ui);
  const float tw = label(ui, caption.x, baseline(caption.y, 18, 13), label_cut(ui, title, 13, true, caption.w * 0.5f), 13, true, ui.theme.accent);
  text_fit(ui, caption.x + tw + 8, baseline(caption.y, 18, 12), caption.right() - caption.x - tw - 8, weight_words(ui), {12, Weight::regular, ui.theme.ink3});
  // The picture's own shape, or that of the grid.
  const Picture* picture = ui.app.picture();
  const float ratio = picture ? static_cast<float>(picture->width) / static_cast<float>(picture->height) : static_cast<float>(m.grid->columns) / static_cast<float>(m.grid->rows);
  const bool beside = b.w > 620;  // the legend stands beside the picture
  const float side_room = beside ? 240.0f : 0.0f, foot = beside ? 0.0f : 70.0f;
  float h = std::max(40.0f, b.h - foot - 8), w = h * ratio;
  if (w > b.w - side_room) w = b.w - side_room, h = w / ratio;
  const Box area{std::round(b.x), std::round(b.y), std::round(w), std::round(h)};
  ui.record.matrix = area;
  if (ui.image->picture) ui.dl->AddImage(static_cast<ImTextureID>(ui.image->picture), {area.x, area.y}, {area.right(), area.bottom()});
  else fill(ui, area, ui.theme.well);
  const float cw = area.w / static_cast<float>(m.grid->columns), ch = area.h / static_cast<float>(m.grid->rows);
  const auto cell = [&](int k) {
    const int r = k / m.grid->columns, c = k % m.grid->columns;
    const float x0 = std::round(area.x + static_cast<float>(c) * cw), y0 = std::round(area.y + static_cast<float>(r) * ch);
    return Box{x0, y0, std::round(area.x + static_cast<float>(c + 1) * cw) - x0, std::round(area.y + static_cast<float>(r + 1) * ch) - y0};
  };
  if (ui.state().image.smooth && ui.image->map) {
    ui.dl->AddImage(static_cast<ImTextureID>(ui.image->map), {area.x, area.y}, {area.right(), area.bottom()});
  } else {
    for (int k = 0; k < static_cast<int>(m.size()); ++k) fill(ui, cell(k), colour_of(ui, m, m.weights[static_cast<std::size_t>(k)]));
  }
  if (ui.state().image.outline) draw_outline(ui, area, m, in);
  for (int k = 0; k < static_cast<int>(m.size()); ++k) {
    ui.record.inputs.push_back({cell(k), k + m.grid->prefix, 0});
  }

  // A patch is a token: it is read here, and a click asks what it reads itself; a drag asks about a rectangle of them.
  const Press over = press(ui, "image.picture", area, true, 2);
  const auto patch_at = [&](ImVec2 at) {
    const int c = std::clamp(static_cast<int>((at.x - area.x) / cw), 0, m.grid->columns - 1), r = std::clamp(static_cast<int>((at.y - area.y) / ch), 0, m.grid->rows - 1);
    return r * m.grid->columns + c;
  };
  const auto around = [&](int a, int b) {
    const Box x = cell(a), y = cell(b);
    return Box{x.x, x.y, y.right() - x.x, y.bottom() - x.y};
  };
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool same = !ui.two_sided() && m.grid->prefix + static_cast<int>(m.size()) <= ui.stream().queries && !ui.app.for_one_output();
  const int k = patch_at(mouse), from = patch_at(ImGui::GetIO().MouseClickedPos[0]);
  const bool dragged = same && k != from && area.contains(ImGui::GetIO().MouseClickedPos[0].x, ImGui::GetIO().MouseClickedPos[0].y);
  if ((over.held || over.released) && dragged) {
    const int columns = m.grid->columns, r0 = std::min(k / columns, from / columns), r1 = std::max(k / columns, from / columns), c0 = std::min(k % columns, from % columns), c1 = std::max(k % columns, from % columns);
    ring(ui, around(r0 * columns + c0, r1 * columns + c1), ui.theme.ink, 0, 2, 0);
    if (over.released) ui.app.run("image.region", "{\"region\":[" + std::to_string(r0) + "," + std::to_string(c0) + "," + std::to_string(r1) + "," + std::to_string(c1) + "]}");
  } else if (over.hovered && area.contains(mouse.x, mouse.y)) {
    const int key = k + m.grid->prefix;
    ring(ui, cell(k), ui.theme.ink, 0, 2, 0);
    ui.hover_next.key = key;
    std::vector<Rich> lines;
    lines.push_back(Rich().add(ui.token(key, true), tip_ink(ui, true)));
    lines.push_back(Rich().add(weight_text(ui, m.weights[static_cast<std::size_t>(k)]), tip_ink(ui)));
    tooltip(ui, cell(k), std::move(lines));
    ui.cursor("pointer");
    if (over.clicked && !ui.two_sided() && key < ui.stream().queries) ui.app.run("select.query", "{\"query\":" + std::to_string(key) + "}");
    else if (over.clicked) ui.app.run("select.key", "{\"key\":" + std::to_string(key) + "}");
  }
  const auto& rows = ui.view()->rows;
  const int chosen = ui.view()->query - m.grid->prefix, key = ui.state().selection.key - m.grid->prefix;
  if (!ui.two_sided() && chosen >= 0 && chosen < static_cast<int>(m.size())) ring(ui, around(chosen, rows.empty() ? chosen : rows.back() - m.grid->prefix), ui.theme.accent, 0, 3, 0);
  if (key >= 0 && key < static_cast<int>(m.size())) ring(ui, cell(key), ui.theme.accent, 0, 2, 0);
  const auto count = static_cast<int>(std::count(in.begin(), in.end(), char{1}));
  if (beside) legend(ui, {area.right() + 24, area.y, std::min(216.0f, b.right() - area.right() - 24), area.h}, m, count);
  else legend(ui, {area.x, area.bottom() + 8, std::max(area.w, std::min(b.w, 260.0f)), std::max(0.0f, box.bottom() - area.bottom() - 8)}, m, count);
  ui.showed_picture = true;
}

}  // namespace rollscope::ui
