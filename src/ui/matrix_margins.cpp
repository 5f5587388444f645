// Beside the matrix: names, spread of rows, means of columns, small pictures of the layers (matrix_panel.h).
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "imgui_internal.h"
#include "ui/matrix_panel.h"
#include "ui/names.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

constexpr float kSlant = 47;

void two_lines(Ui& ui, float x, float top, std::string_view id, float width, bool right = false) {
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  std::string_view rest = ui.words(id);
  for (float y = top; !rest.empty(); y += 14) {
    const auto end = std::min(rest.find('\n'), rest.size());
    if (right) text_right(ui, x + width, baseline(y, 14, 12), rest.substr(0, end), quiet);
    else text_fit(ui, x, baseline(y, 14, 12), width, rest.substr(0, end), quiet);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

bool clicked_in(const Ui& ui, const Box& hit) {
  return ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !ui.dragged && hit.contains(ImGui::GetIO().MouseClickedPos[0].x, ImGui::GetIO().MouseClickedPos[0].y);
}

void row_name(Ui& ui, int row, const Box& b, bool strong, ImU32 ink) {
  if (ui.app.for_one_output() && ui.app.matrix()->rows == 1) {
    label_right(ui, b.right() - 8, baseline(b.y, b.h - 1, 12), label_cut(ui, query_name(ui, row), 12, strong, b.w - 8), 12, strong, ink);
    return;
  }
  if (ui.stream().kind == StreamKind::cross && !predicts_known(ui, row)) {
    label(ui, b.h >= 34 ? b.x : b.right() - 8 - std::min(b.w - 8, label_width(ui, query_name(ui, row), 12, strong)), baseline(b.y, b.h, 12), label_cut(ui, query_name(ui, row), 12, strong, b.w - 8), 12, strong, ink);
    return;
  }
  if (ui.stream().kind == StreamKind::cross) {
    // A row belongs to the step that predicts the next word: both are named.
    const std::string after = ui.words.fill("ui.row.after", {{"token", ui.token(row, false)}});
    const std::string predicts = ui.words.fill("ui.row.predicts", {{"token", query_name(ui, row)}});
    if (b.h >= 34) {
      label(ui, b.x, baseline(b.middle_y() - 16, 16, 12), label_cut(ui, after, 12, false, b.w - 8), 12, false, ui.theme.ink3);
      label(ui, b.x, baseline(b.middle_y(), 16, 12), label_cut(ui, predicts, 12, true, b.w - 8), 12, true, ink);
    } else {
      label_right(ui, b.right() - 8, baseline(b.y, b.h, 12), label_cut(ui, query_name(ui, row), 12, strong, b.w - 8), 12, strong, ink);
    }
    return;
  }
  label_right(ui, b.right() - 8, baseline(b.y, b.h - 1, 12), label_cut(ui, ui.token_short(row, false), 12, strong, b.w - 8), 12, strong, ink);
}

void draw_row_names(Ui& ui, const MatrixFrame& f, const MatrixData& m) {
  const MatrixLayout& l = ui.matrix->layout;
  const int chosen = matrix_row(ui);
  const auto cell = static_cast<float>(l.cell);
  auto y_of = [&](int r) { return f.area.y + static_cast<float>((r - l.top) * l.cell); };
  const int r0 = static_cast<int>(l.top), r1 = std::min(m.rows, static_cast<int>(std::ceil(l.top + f.area.h / l.cell)));
  ImGui::PushClipRect({f.row_labels.x, f.area.y - 8}, {f.area.x, f.area.bottom() + 8}, true);
  for (int r = r0; r < r1; ++r) {
    const bool mine = r == chosen, hovered = ui.app.hover.query == r;
    const float y = y_of(r) + cell / 2;
    const bool near_mine = !mine && std::fabs(y - (y_of(chosen) + cell / 2)) < 14 && l.label_step_rows > 1;
    const float h = std::max(cell, 16.0f);
    const Box b{f.row_labels.x, y - h / 2, f.row_labels.w, h};
    if (mine || hovered || (r % l.label_step_rows == 0 && !near_mine)) {
      if (hovered && !mine && l.label_step_rows > 1) fill(ui, {b.x, y - 8, b.w - 2, 16}, ui.theme.panel);
      row_name(ui, r, b, mine, mine ? ui.theme.accent : hovered ? ui.theme.ink : ui.theme.ink2);
    }
    const Box hit{f.row_labels.x, y_of(r), f.row_labels.w, cell};
    if (cell >= 4) ui.record.outputs.push_back({hit, r, 0});
    if (ui.mouse_in(hit) && y_of(r) >= f.area.y - cell) {
      ui.hover_next.query = r;
      ui.cursor("pointer");
      if (clicked_in(ui, hit)) {
        char json[40];
        std::snprintf(json, sizeof json, R"({"query":%d})", r);
        ui.app.run("select.query", json);
      }
    }
  }
  ImGui::PopClipRect();
}

void draw_column_names(Ui& ui, const MatrixFrame& f, const MatrixData& m) {
  const MatrixLayout& l = ui.matrix->layout;
  const auto cell = static_cast<float>(l.cell);
  const int pinned = ui.state().selection.key;
  const int c0 = static_cast<int>(l.left), c1 = std::min(m.columns, static_cast<int>(std::ceil(l.left + f.area.w / l.cell)));
  const float base = f.area.y - 8;
  ImGui::PushClipRect({f.area.x - 4, f.column_labels.y}, {f.area.right() + (l.rotate_columns ? 60.0f : 4.0f), f.area.y}, true);
  for (int c = c0; c < c1; ++c) {
    const float x = f.area.x + static_cast<float>((c - l.left) * l.cell) + cell / 2;
    if (x > f.area.right()) break;
    const bool mine = c == pinned, hovered = ui.app.hover.key == c;
    const ImU32 ink = mine || hovered ? ui.theme.accent : ui.theme.ink2;
    const std::string name = ui.token_short(c, true);
    // A thinned name gives way to the one under the pointer.
    const bool covered = !mine && !hovered && l.label_step_columns > 1 &&
                         ((ui.app.hover.key >= 0 && std::abs(c - ui.app.hover.key) * cell < 15) || (pinned >= 0 && std::abs(c - pinned) * cell < 15));
    if (mine || hovered || (c % l.label_step_columns == 0 && !covered)) {
      if (l.rotate_columns) label_rotated(ui, x + 2, base + 2, -kSlant, false, label_cut(ui, name, 12, mine || hovered, (f.column_labels.h - 12) / 0.73f), 12, mine || hovered, ink);
      else label_centre(ui, x, base, name, 12, mine || hovered, ink);
    }
    const Box hit{x - cell / 2, f.column_labels.y, cell, f.column_labels.h};
    if (cell >= 4) ui.record.inputs.push_back({hit, c, 0});
    if (ui.mouse_in({hit.x, f.area.y - 26, hit.w, 26})) {
      ui.hover_next.key = c;
      ui.cursor("pointer");
      if (clicked_in(ui, hit)) {
        char json[40];
        std::snprintf(json, sizeof json, R"({"key":%d})", pinned == c ? -1 : c);
        ui.app.run("select.key", json);
      }
    }
  }
  ImGui::PopClipRect();
}

}  // namespace

void matrix_labels(Ui& ui, const MatrixFrame& f) {
  const MatrixData& m = *ui.app.matrix();
  draw_row_names(ui, f, m);
  draw_column_names(ui, f, m);
  if (f.row_labels.w > 60 && !ui.phone && m.rows > 1) two_lines(ui, f.row_labels.x, f.area.y - 34, "ui.matrix.axes", f.row_labels.w - 2, false);
}

void matrix_margins(Ui& ui, const MatrixFrame& f) {
  const MatrixData& m = *ui.app.matrix();
  const MatrixLayout& l = ui.matrix->layout;
  const auto cell = static_cast<float>(l.cell);
  const Ink quiet{12, Weight::regular, ui.theme.ink2};
  if (f.spread.w > 0 && m.row_spread.size() == static_cast<std::size_t>(m.rows) && cell >= 3) {
    // A slanted name of the last column leans over where the heading would begin.
    two_lines(ui, f.spread.x + (ui.matrix->layout.rotate_columns ? 14 : 0), f.area.y - 34, "ui.matrix.spread", f.spread.w + 10);
    const float track = f.spread.w - 38;
    const int step = cell >= 15 ? 1 : l.label_step_rows;
    ImGui::PushClipRect({f.spread.x - 4, f.area.y}, {f.spread.right() + 4, f.area.bottom()}, true);
    for (int r = static_cast<int>(l.top); r < m.rows; ++r) {
      const float y = std::round(f.area.y + static_cast<float>((r - l.top) * l.cell) + cell / 2);
      if (y > f.area.bottom()) break;
      const float s = m.row_spread[static_cast<std::size_t>(r)];
      const bool mine = r == ui.state().selection.query;
      const float x = f.spread.x + track * std::clamp(s / static_cast<float>(m.columns), 0.0f, 1.0f);
      const ImU32 c = mine ? ui.theme.accent : ui.theme.node;
      rule_h(ui, f.spread.x, y - 0.5f, x - f.spread.x, c);
      ui.dl->AddCircleFilled({x, y}, std::clamp(cell / 6, 1.5f, 3.5f), c);
      if (mine || (r % step == 0 && (cell >= 15 || std::fabs(y - (f.area.y + static_cast<float>((ui.state().selection.query - l.top) * l.cell))) > 14)))
        text_right(ui, f.spread.right() - 4, baseline(y - 8, 16, 12), ui.words.number(s, 1), {12, mine ? Weight::semibold : Weight::regular, mine ? ui.theme.accent : ui.theme.ink2});
    }
    ImGui::PopClipRect();
  }
  if (f.means.h > 0 && m.column_mean.size() == static_cast<std::size_t>(m.columns) && cell >= 2) {
    two_lines(ui, f.row_labels.x, f.means.y + 2, "ui.matrix.means", f.row_labels.w - 8, true);
    float most = 1e-9f;
    for (int c = 0; c < m.columns; ++c)
      if (!ui.is_sink(c)) most = std::max(most, m.column_mean[static_cast<std::size_t>(c)]);
    for (int c = static_cast<int>(l.left); c < m.columns; ++c) {
      const float x = f.area.x + static_cast<float>((c - l.left) * l.cell);
      if (x + cell > f.area.right() + 1) break;
      if (x < f.area.x - 1) continue;
      const float air = std::min(4.0f, cell * 0.15f);
      const float mean = m.column_mean[static_cast<std::size_t>(c)];
      Box b{x + air, f.means.y, cell - 2 * air - 1, std::min(1.0f, mean / most) * 28};
      if (ui.is_sink(c)) {
        b.h = 28;
        hatch(ui, b, ui.theme.sink, 4);
        frame(ui, b, ui.theme.sink, 1);
      } else {
        fill(ui, b, ui.theme.node);
      }
      const Box hit{x, f.means.y, cell, 34};
      if (ui.mouse_in(hit)) {
        ui.hover_next.key = c;
        const Ink strong = tip_ink(ui, true);
        tooltip(ui, b, {Rich().words(ui, "ui.tip.mean", tip_ink(ui), strong, {{"token", {ui.token(c, true), strong, true}}, {"weight", {matrix_percents(ui) ? ui.words.percent_fine(mean) : ui.words.plain(mean), strong}}})});
      }
    }
  }
  (void)quiet;
}

void matrix_thumbs(Ui& ui, const MatrixFrame& f) {
  const ThumbData* t = ui.app.thumbs();
  MatrixPanel& p = *ui.matrix;
  if (f.thumbs.w <= 0 || !t || p.thumbs.empty()) return;
  const AppState& s = ui.state();
  const int depth = static_cast<int>(p.thumbs.size());
  two_lines(ui, f.thumbs.x, f.area.y - 34, "ui.matrix.thumbs", f.thumbs.w);
  const float bottom = f.whole.bottom() - 12, gap = 12;
  // As many as fit, the last always; each with the number of its layer.
  int step = 1;
  float side = 0;
  for (;; ++step) {
    const int n = (depth - 1) / step + 1;
    side = std::min(60.0f, (bottom - f.area.y + gap) / static_cast<float>(n) - gap);
    if (side >= 26 || n <= 2) break;
  }
  const float ratio = static_cast<float>(t->columns) / static_cast<float>(std::max(1, t->rows));
  const float cell = side / static_cast<float>(std::max(t->rows, t->columns));
  (void)ratio;
  float y = f.area.y;
  for (int k = depth - 1; k >= 0; k -= step) {
    const Box b{f.thumbs.x + 20, std::round(y), std::round(cell * static_cast<float>(t->columns)), std::round(cell * static_cast<float>(t->rows))};
    const int layer = s.recipe.first_layer + k;
    const bool result = k == depth - 1;
    const bool on = (s.matrix.kind == MatrixKind::result && result) || (s.matrix.kind == MatrixKind::after_layer && s.matrix.layer == layer);
    char id[32];
    std::snprintf(id, sizeof id, "matrix.after/%d", layer);
    const Press press_result = press(ui, id, b, true, 2);
    gpu::HeatmapDraw d;
    d.heatmap = p.thumbs[static_cast<std::size_t>(k)];
    d.area = {b.x, b.y, b.w, b.h};
    d.cell = cell;
    d.low = 0, d.high = static_cast<float>(std::max(1e-9, p.thumbs_high));
    d.colormap = p.colormap;
    d.masked = ui.theme.raw.well;
    d.causal = ui.app.matrix()->causal && t->rows == ui.app.matrix()->rows;
    d.gap = 0;
    queue_heatmap(ui, d);
    if (on) ring(ui, b, ui.theme.accent, 0, 2, 2);
    else frame(ui, {b.x - 1, b.y - 1, b.w + 2, b.h + 2}, press_result.hovered ? ui.theme.line2 : ui.theme.line, 1, 1);
    text_right(ui, b.x - 8, baseline(b.middle_y() - 8, 16, 12), std::to_string(ui.layer_number(layer)), {12, on ? Weight::semibold : Weight::regular, on ? ui.theme.accent : ui.theme.ink3});
    if (press_result.clicked) {
      char json[64];
      std::snprintf(json, sizeof json, result ? R"({"kind":"result","layer":%d})" : R"({"kind":"after_layer","layer":%d})", layer);
      ui.app.run("matrix.show", json);
    }
    y += side + gap;
  }
}

}  // namespace rollscope::ui
