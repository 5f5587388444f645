// The scale of the matrix (matrix_panel.h): colours from low to high, how many cells have which, and a handle at each
// end. What lies past a handle keeps its number and takes the end's colour; how many do is said.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "imgui_internal.h"
#include "ui/draw.h"
#include "ui/matrix_panel.h"
#include "ui/names.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

constexpr float kFlagWidth = 38, kFlagHeight = 20;

// 1, 2 or 5 times a power of ten, about `n` of them in `span`.
double nice_step(double span, int n) {
  const double raw = span / std::max(1, n);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (double m : {1.0, 2.0, 5.0})
    if (power * m >= raw) return power * m;
  return power * 10;
}

double weight_at(const ColourScale& s, double t) {
  if (s.curve == ScaleCurve::log && s.low > 0) return s.low * std::pow(s.high / s.low, t);
  return s.low + t * (s.high - s.low);
}

// One handle; returns true while it is dragged, with the weight under the pointer.
bool flag(Ui& ui, const char* id, const Box& bar, float y, std::string_view words, double& weight, const ColourScale& full) {
  const float w = std::max(kFlagWidth, text_width(ui, words, {12, Weight::semibold, 0}) + 14);
  const Box b{bar.right() + 6, y - kFlagHeight / 2, w, kFlagHeight};
  const Press p = press(ui, id, {bar.x - 2, b.y, bar.w + 8 + w, b.h}, true, 4);
  rule_h(ui, bar.x - 3, y - 0.5f, bar.w + 8, ui.theme.accent);
  ui.dl->AddTriangleFilled({bar.right() + 1, y}, {b.x + 1, y - 5}, {b.x + 1, y + 5}, ui.theme.accent);
  fill(ui, b, ui.theme.accent, 4);
  text_centre(ui, b.middle_x(), baseline(b.y, b.h, 12), words, {12, Weight::semibold, ui.theme.onaccent});
  if (p.hovered || p.held) ui.cursor("ns-resize");
  if (p.held) {
    // A drag goes over the whole range of the data, wherever the handles stand.
    const double at = std::clamp(1.0 - (ImGui::GetIO().MousePos.y - bar.y) / bar.h, 0.0, 1.0);
    weight = weight_at(full, at);
    ui.drag_id = id;
  }
  if (p.focused) ui.takes_arrows = true;
  return p.held;
}

}  // namespace

void matrix_legend(Ui& ui, const MatrixFrame& f) {
  if (f.legend.w <= 0) return;
  MatrixPanel& p = *ui.matrix;
  const MatrixData& m = *ui.app.matrix();
  const AppState& s = ui.app.state();
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  const float head = f.area.y - 46;
  const bool attention = m.kind == MatrixKind::fused_layer || m.kind == MatrixKind::head, percent = matrix_percents(ui);
  text_fit(ui, f.legend.x, baseline(head, 14, 12), f.legend.w, unit_words(ui, attention ? "attention" : unit_name(ui.state().recipe), percent), quiet);
  text_fit(ui, f.legend.x, baseline(head + 14, 14, 12), f.legend.w,
           ui.words(p.scale.curve == ScaleCurve::log ? "ui.matrix.scale.log" : p.scale.curve == ScaleCurve::per_row ? "ui.matrix.scale.per_row" : "ui.matrix.scale.linear"), quiet);

  const float histogram_room = 40;
  const float tall = std::clamp(std::max(f.area.h, 180.0f), 60.0f, std::max(60.0f, f.whole.bottom() - f.area.y - 26));
  const Box bar{std::round(f.legend.x + histogram_room), f.area.y, 14, tall};
  heat_bar(ui, bar, true, p.scale.two_sided);
  frame(ui, bar, ui.theme.line2, 1);

  int most = 1;
  for (int n : p.bins) most = std::max(most, n);
  const float h = bar.h / static_cast<float>(std::max<std::size_t>(1, p.bins.size()));
  for (std::size_t i = 0; i < p.bins.size(); ++i) {
    if (!p.bins[i]) continue;
    const float w = std::max(1.0f, 34 * static_cast<float>(p.bins[i]) / static_cast<float>(most));
    fill(ui, {bar.x - 4 - w, bar.bottom() - h * static_cast<float>(i + 1), w, h - 1}, ui.theme.kept);
  }

  if (p.scale.curve == ScaleCurve::per_row) {
    text(ui, bar.right() + 8, baseline(bar.y - 2, 16, 12), ui.words("ui.matrix.row_max"), quiet);
    if (p.scale.two_sided) text(ui, bar.right() + 8, baseline(bar.middle_y() - 8, 16, 12), "0", quiet);
    text(ui, bar.right() + 8, baseline(bar.bottom() - 14, 16, 12), p.scale.two_sided ? ui.words("ui.matrix.row_min") : std::string_view("0"), quiet);
    return;
  }
  auto place = [&](double v) { return bar.bottom() - bar.h * static_cast<float>(p.scale.position(v)); };
  const float y_high = bar.y, y_low = bar.bottom();
  if (p.scale.curve == ScaleCurve::linear) {
    const double times = percent ? 100 : 1;
    const double step = nice_step((p.scale.high - p.scale.low) * times, 5) / times;
    for (double v = std::ceil(p.scale.low / step) * step; v < p.scale.high; v += step) {
      const float y = place(v);
      if (std::fabs(y - y_high) < 16 || std::fabs(y - y_low) < 16) continue;
      rule_h(ui, bar.right() + 2, y - 0.5f, 4, ui.theme.line2);
      text(ui, bar.right() + 10, baseline(y - 8, 16, 12), percent ? ui.words.number(v * 100, step < 0.01 ? 1 : 0) : std::abs(v) < step / 2 ? "0" : ui.words.plain(v, 2), {12, Weight::regular, ui.theme.ink2});
    }
  } else {
    for (double v = std::pow(10.0, std::ceil(std::log10(std::max(1e-30, p.scale.low)))); v < p.scale.high; v *= 10) {
      const float y = place(v);
      if (std::fabs(y - y_high) < 16 || std::fabs(y - y_low) < 16) continue;
      rule_h(ui, bar.right() + 2, y - 0.5f, 4, ui.theme.line2);
      const int decimals = v >= 0.01 ? 0 : v >= 0.001 ? 1 : v >= 0.0001 ? 2 : 3;
      text(ui, bar.right() + 10, baseline(y - 8, 16, 12), percent ? ui.words.number(v * 100, decimals) : ui.words.plain(v, 1), {12, Weight::regular, ui.theme.ink2});
    }
  }
  // The cell under the pointer, or the chosen one, on the scale.
  const int row = ui.app.hover.query >= 0 && ui.app.hover.key >= 0 ? ui.app.hover.query : matrix_row(ui);
  const int column = ui.app.hover.key >= 0 ? ui.app.hover.key : ui.state().selection.key;
  if (row >= 0 && row < m.rows && column >= 0 && column < m.columns && cell_exists(m, row, column) && !ui.is_sink(column) && !std::isnan(cell_value(m, row, column))) {
    const float y = place(cell_value(m, row, column));
    ui.dl->AddTriangleFilled({bar.x - 1, y}, {bar.x - 9, y - 5}, {bar.x - 9, y + 5}, ui.theme.ink);
  }

  MatrixState whole = s.matrix;
  whole.low = whole.high = -1;
  const ColourScale full = matrix_scale(ui.extremes(), whole, p.scale.two_sided);
  AppState next = s;
  double high = p.scale.high, low = p.scale.low;
  // While one is dragged, both show where they are on the range of the data; at rest the bar is the scale itself.
  const bool drag_high = flag(ui, "matrix.range.high", bar, y_high, matrix_number(ui, p.scale.high), high, full);
  const bool drag_low = flag(ui, "matrix.range.low", bar, y_low, matrix_number(ui, p.scale.low), low, full);
  if (drag_high || drag_low) {
    const double least = (full.high - full.low) * 0.01;
    if (p.scale.two_sided) {  // both ends move together
      const double end = std::max(drag_high ? high : -low, least);
      next.matrix.high = end >= full.high * 0.999 ? -1 : end;
      next.matrix.low = -1;
      if (!(next == s)) ui.app.set(next, false);
      return;
    }
    next.matrix.high = drag_high ? std::max(high, std::max(p.scale.low, 0.0) + least) : p.scale.high;
    next.matrix.low = drag_low ? std::min(low, p.scale.high - least) : p.scale.low;
    if (next.matrix.high >= full.high * 0.999) next.matrix.high = -1;
    if (next.matrix.low <= full.low * 1.001 + least * 0.5) next.matrix.low = -1;
    if (!(next == s)) ui.app.set(next, false);
  } else if (ui.drag_id == "matrix.range.high" || ui.drag_id == "matrix.range.low") {
    ui.drag_id.clear();
    ui.app.set(s, true);
  }
  if (s.matrix.low >= 0 || s.matrix.high >= 0) {
    const std::string all(ui.words("ui.matrix.range_all"));
    const float w = text_width(ui, all, {12, Weight::medium, 0}) + 16;
    const Box b{bar.right() + 8, bar.middle_y() - 12, w, 24};
    if (button(ui, "matrix.range.reset", b, all)) {
      next = s;
      next.matrix.low = next.matrix.high = -1;
      ui.app.set(next);
    }
  }
  if (p.above + p.below > 0)
    text_fit(ui, f.legend.x, baseline(bar.bottom() + 10, 16, 12), f.legend.w, ui.words.plural("ui.matrix.clamped", p.above + p.below), {12, Weight::regular, ui.theme.warn});
}

}  // namespace rollscope::ui
