// The matrix view (panels.h): heatmap, cells, crosshair and pointer. Margins, legend and toolbar: matrix_*.cpp.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "imgui_internal.h"
#include "ui/matrix_panel.h"
#include "ui/names.h"
#include "ui/panels.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

constexpr float kRotatedRoom = 66;

Box cell_box(const Ui& ui, int row, int column) {
  const MatrixLayout& l = ui.matrix->layout;
  const auto c = static_cast<float>(l.cell);
  return {l.area.x + static_cast<float>((column - l.left) * l.cell), l.area.y + static_cast<float>((row - l.top) * l.cell), c, c};
}

void draw_values(Ui& ui, const MatrixData& m) {
  const MatrixLayout& l = ui.matrix->layout;
  const int r0 = static_cast<int>(l.top), c0 = static_cast<int>(l.left);
  const int r1 = std::min(m.rows, static_cast<int>(std::ceil(l.top + l.area.h / l.cell)));
  const int c1 = std::min(m.columns, static_cast<int>(std::ceil(l.left + l.area.w / l.cell)));
  const float px = ui.phone ? 10.5f : 12;
  const bool percent = matrix_percents(ui);
  for (int r = r0; r < r1; ++r)
    for (int c = c0; c < c1; ++c) {
      if (!cell_exists(m, r, c)) continue;
      const float v = cell_value(m, r, c);
      const Box b = cell_box(ui, r, c);
      if (std::isnan(v)) continue;  // crossed by the shader
      const bool sink = ui.is_sink(c);
      std::string n = matrix_number(ui, v);
      if (!percent && text_width(ui, n, {px, Weight::regular, 0}) > b.w - 5) n = ui.words.plain(v, 2);
      if (text_width(ui, n, {px, Weight::regular, 0}) > b.w - 1) continue;
      const ImU32 ink = sink ? ui.theme.ink2 : ink_on(ui.matrix->scale.colour(cell_position(ui, r, c), ui.theme.dark));
      if (sink) {
        const float w = text_width(ui, n, {px, Weight::regular, 0}) + 4;
        fill(ui, {b.middle_x() - w / 2, b.middle_y() - 7, w, 14}, faded(ui.theme.panel, 0.85f), 2);
      }
      text_centre(ui, b.middle_x(), baseline(b.y, b.h - 1, px), n, {px, Weight::regular, ink});
    }
}

// Where segments and words of several tokens begin and end. Of a causal matrix a line ends at the stair.
void draw_token_lines(Ui& ui, const MatrixData& m, const Box& area) {
  constexpr float kRoom = 14, kApart = 6;  // px of a cell from which words are told apart; between segments
  const float cell = static_cast<float>(ui.matrix->layout.cell), seam = cell > 8 ? 1 : 0;
  const Merge merge = ui.view() ? ui.view()->recipe.merge : ui.state().recipe.merge;
  const auto side = [&](const std::vector<Token>& tokens, int count, bool rows) {
    const TokenLines lines = token_lines(tokens, count, merge);
    const auto draw = [&](int at, ImU32 ink) {
      const Box b = cell_box(ui, at, at);
      const float left = std::round(area.x), top = std::round(area.y), right = std::round(area.right()), bottom = std::round(area.bottom());
      const float x = std::round(b.x - seam), y = std::round(b.y - seam);  // of whole pixels, else they are soft
      if (rows && y >= top && y < bottom) fill(ui, {left, y, (m.causal ? std::clamp(x, left, right) : right) - left, 1}, ink);
      if (!rows && x >= left && x < right) {
        const float from = m.causal ? std::clamp(y, top, bottom) : top;
        fill(ui, {x, from, 1, bottom - from}, ink);
      }
    };
    if (cell >= kRoom)
      for (const int at : lines.words) draw(at, faded(ui.theme.ink2, 0.5f));
    int last = -1;
    for (const int at : lines.segments)
      if (last < 0 || static_cast<float>(at - last) * cell >= kApart) draw(at, ui.theme.ink), last = at;
  };
  const Stream& s = ui.stream();
  if (m.rows > 1) side(s.query_tokens, m.rows, true);
  side(s.key_tokens, m.columns, false);
}

void draw_crosshair(Ui& ui, const MatrixData& m, const Box& area) {
  const AppState& s = ui.state();
  const int column = ui.app.hover.key >= 0 ? ui.app.hover.key : s.selection.key;
  const float seam = ui.matrix->layout.cell > 8 ? 1 : 0;
  const int query = matrix_row(ui);
  // The chosen row, or those that are averaged, neighbours in one frame.
  const std::vector<int> rows = ui.view() ? ui.view()->rows : std::vector<int>{};
  const auto frame_rows = [&](int first, int last) {
    const Box row = cell_box(ui, first, 0);
    frame(ui, {area.x - 2, row.y - 2, area.w - seam + 4, row.h * static_cast<float>(last - first + 1) - seam + 4}, ui.theme.accent, 2, 2);
  };
  if (rows.empty() && query < m.rows) frame_rows(query, query);
  for (std::size_t i = 0, first = 0; i < rows.size() && rows[i] < m.rows; ++i)
    if (i + 1 == rows.size() || rows[i + 1] != rows[i] + 1) frame_rows(rows[first], rows[i]), first = i + 1;
  if (column >= 0 && column < m.columns) {
    Box b = cell_box(ui, 0, column);
    b.y = area.y, b.h = area.h - seam, b.w -= seam;
    frame(ui, {b.x - 1, b.y - 1, b.w + 2, b.h + 2}, ui.theme.accent, 1, 1);
    const int row = ui.app.hover.key >= 0 && ui.app.hover.query >= 0 ? ui.app.hover.query : query;
    if (row >= 0 && row < m.rows) {
      Box cell = cell_box(ui, row, column);
      cell.w -= seam, cell.h -= seam;
      frame(ui, {cell.x - 2, cell.y - 2, cell.w + 4, cell.h + 4}, ui.theme.ink, 2, 1);
    }
  }
}

void cell_tooltip(Ui& ui, const MatrixData& m, int row, int column) {
  const Box at = cell_box(ui, row, column);
  if (!cell_exists(m, row, column)) {
    tooltip(ui, at, {Rich().token(ui.token(column, true), tip_ink(ui, true)), Rich().add(ui.words("ui.tip.later"), tip_quiet(ui))});
    return;
  }
  const float v = cell_value(m, row, column);
  if (std::isnan(v)) {
    tooltip(ui, at, {Rich().add(ui.words("ui.tip.nan"), tip_ink(ui))});
    return;
  }
  int rank = 1, visible = 0;
  const auto size = [is_signed = matrix_signed(ui)](float x) { return is_signed ? std::abs(x) : x; };
  for (int c = 0; c < m.columns; ++c) {
    if (!cell_exists(m, row, c) || std::isnan(cell_value(m, row, c))) continue;
    ++visible;
    rank += size(cell_value(m, row, c)) > size(v);
  }
  tooltip_weight(ui, at, row, column, v, rank, visible, matrix_percents(ui));
}

void point(Ui& ui, const MatrixData& m, const Box& area) {
  AppState next = ui.app.state();
  const MatrixLayout& l = ui.matrix->layout;
  if (Wheel* w = ui.wheel_in({area.x - 80, area.y - 60, area.w + 80, area.h + 60})) {
    if (!w->zoom && w->dx != 0) {
      next.matrix.camera = pan_matrix(l, m.rows, m.columns, next.matrix.camera, -w->dx, -w->dy);
    } else {
      const double factor = w->zoom ? w->factor : std::exp(-w->dy / 300);
      next.matrix.camera = zoom_matrix(l, m.rows, m.columns, next.matrix.camera, factor, std::clamp(w->x, area.x, area.right()), std::clamp(w->y, area.y, area.bottom()));
      if (w->zoom && (w->dx != 0 || w->dy != 0)) {
        const MatrixLayout moved = layout_matrix(m.rows, m.columns, l.room, next.matrix.camera, ui.matrix->longest_column);
        next.matrix.camera = pan_matrix(moved, m.rows, m.columns, next.matrix.camera, w->dx, w->dy);
      }
    }
    ui.app.set(next);
    ui.wake();
  }
  if (!ui.mouse_in(area) && ui.drag_id != "matrix.pan") return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && ui.mouse_in(area)) ui.drag_id = "matrix.pan", ui.dragged = false;
  if (ui.drag_id == "matrix.pan" && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4) && next.matrix.camera.zoom > 1) {
    const ImVec2 d = ImGui::GetIO().MouseDelta;
    next.matrix.camera = pan_matrix(l, m.rows, m.columns, next.matrix.camera, d.x, d.y);
    ui.dragged = true;
    ui.cursor("grabbing");
    ui.app.set(next, false);
  }
  int row = -1, column = -1;
  pick_cell(l, m.rows, m.columns, mouse.x, mouse.y, row, column);
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && ui.drag_id == "matrix.pan") {
    ui.drag_id.clear();
    if (ui.dragged) ui.app.set(ui.app.state(), true);
    else if (row >= 0) {
      AppState chosen = ui.app.state();
      if (matrix_row(ui) != row) {
        chosen.selection.level = -1;
        chosen.selection.query = row;
      }
      chosen.selection.key = cell_exists(m, row, column) ? column : -1;
      ui.app.set(chosen);
    }
  }
  if (row < 0 || (ui.dragged && ImGui::IsMouseDown(ImGuiMouseButton_Left))) return;
  ui.hover_next.query = row;
  ui.hover_next.key = column;
  cell_tooltip(ui, m, row, column);
  if (ui.want_cursor.empty()) ui.cursor(next.matrix.camera.zoom > 1 ? "grab" : "pointer");
}

}  // namespace

float cell_value(const MatrixData& m, int row, int column) { return m.values[static_cast<std::size_t>(row) * static_cast<std::size_t>(m.columns) + static_cast<std::size_t>(column)]; }
bool cell_exists(const MatrixData& m, int row, int column) { return !(m.causal && column > row); }

double cell_position(const Ui& ui, int row, int column) {
  const MatrixPanel& p = *ui.matrix;
  double v = cell_value(*ui.app.matrix(), row, column);
  if (p.scale.curve == ScaleCurve::per_row) {
    const double most = p.row_most[static_cast<std::size_t>(row)];
    if (!std::isnan(v)) v = most > 0 ? v / most : 0;
  }
  return p.scale.position(v);
}

MatrixFrame frame_matrix(Ui& ui, const Box& box) {
  MatrixFrame f;
  f.whole = box;
  const MatrixData& m = *ui.app.matrix();
  MatrixPanel& p = *ui.matrix;
  Box b = box;
  b.cut_left(ui.phone ? 8 : 16);
  b.cut_right(ui.phone ? 8 : 16);
  b.cut_bottom(8);
  const bool wide = !ui.phone && b.w > 560;
  if (!ui.phone && b.w > 860 && ui.app.thumbs() && ui.app.chain()) f.thumbs = b.cut_right(100);
  if (wide) f.legend = b.cut_right(f.thumbs.w > 0 ? 170 : 160);
  const bool adds = !matrix_signed(ui) && (matrix_percents(ui) || adds_up(ui.state().recipe));
  if (wide && b.w > 420 && adds && m.rows > 1) f.spread = b.cut_right(112);
  else if (wide) b.cut_right(16);
  if (!ui.phone && box.h > 330 && !matrix_signed(ui) && m.rows > 1) f.means = b.cut_bottom(46);

  float label = std::min(p.longest_row, ui.phone ? 64.0f : 140.0f);
  if (f.means.h > 0) {  // its name stands under the rows' names
    std::string_view rest = ui.words("ui.matrix.means");
    while (!rest.empty()) {
      const auto end = std::min(rest.find('\n'), rest.size());
      label = std::max(label, text_width(ui, rest.substr(0, end), {12, Weight::regular, 0}));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  Box rows = b.cut_left(label + 10);
  // Names above are slanted when one is wider than a cell.
  const float fit = std::min({b.w / static_cast<float>(m.columns), (b.h - 30) / static_cast<float>(m.rows), 96.0f});
  const bool rotate = p.longest_column + 8 > fit * static_cast<float>(std::max(1.0, ui.state().matrix.camera.zoom));
  const float head = rotate ? std::clamp(std::min(p.longest_column, 84.0f) * 0.75f + 16, f.legend.w > 0 ? 54.0f : 30.0f, ui.phone ? 56.0f : kRotatedRoom + 14) : f.legend.w > 0 ? 52.0f : 32.0f;
  Box columns = b.cut_top(head);
  // Slanted names of the last columns lean to the right.
  if (rotate && f.spread.w <= 0) b.cut_right(ui.phone ? 24 : 20);
  p.layout = layout_matrix(m.rows, m.columns, {std::round(b.x), std::round(b.y), b.w, b.h}, ui.state().matrix.camera, rotate ? 1e4f : p.longest_column);
  const GraphRect& a = p.layout.area;
  f.area = {a.x, a.y, a.w, a.h};
  f.row_labels = {rows.x, a.y, rows.w, a.h};
  f.column_labels = {a.x, columns.y, a.w, columns.h};
  if (p.layout.cell < 3) f.spread = {};  // lines that thin say nothing
  // What stands beside the matrix moves up to it.
  if (f.spread.w > 0) {
    f.spread = {a.x + a.w + 14, a.y, 98, a.h};
    f.legend.x = std::max(f.spread.right() + 14, std::min(f.legend.x, f.spread.right() + 60));
  } else if (f.legend.w > 0) {
    f.legend.x = std::min(f.legend.x, a.x + a.w + 50);
  }
  if (f.means.h > 0) f.means = {a.x, a.y + a.h + 8, a.w, 34};
  return f;
}

namespace {

// A flow of all pairs is not computed for many tokens: what there is stands elsewhere, and here is said where.
void draw_row_alone(Ui& ui, const Box& b) {
  const float w = std::min(b.w - 40, 440.0f), x = std::round(b.middle_x() - w / 2);
  const std::string n = ui.words.count(ui.app.stored_stream().keys);
  const Rich title = Rich().add(ui.words("ui.matrix.row_alone.title"), {18, Weight::semibold, ui.theme.ink});
  const Rich body = Rich().add(ui.words.fill("ui.matrix.row_alone.text", {{"n", n}, {"most", ui.words.count(kFlowAtOnce)}}), {14, Weight::regular, ui.theme.ink2});
  const std::string words(ui.words("ui.matrix.row_alone.graph"));
  const float th = title.wrap(ui, 0, 0, w, 26, false), bh = body.wrap(ui, 0, 0, w, 21, false), button_height = ui.touch ? 44.0f : 32.0f;
  float y = std::round(b.y + std::max(12.0f, (b.h - th - bh - button_height - 24) / 2));
  y += title.wrap(ui, x, y, w, 26) + 8;
  y += body.wrap(ui, x, y, w, 21) + 16;
  const float bw = text_width(ui, words, {13, Weight::medium, 0}) + 28;
  if (y + button_height < b.bottom() && button(ui, "matrix.row_alone", {x, y, bw, button_height}, words)) ui.app.run("view.graph");
}

}  // namespace

void draw_matrix_view(Ui& ui, const Box& box) {
  Box b = box;
  if (!ui.phone) matrix_toolbar(ui, b.cut_top(36));
  else matrix_toolbar(ui, b.cut_top(44));
  ui.record.matrix = b;
  const MatrixData* m = ui.app.matrix();
  if (ui.app.row_alone()) return draw_row_alone(ui, b);
  if (!m || m->rows <= 0 || m->columns <= 0) {
    text_centre(ui, b.middle_x(), b.middle_y(), ui.words("ui.matrix.pending"), {13, Weight::regular, ui.theme.ink3});
    return;
  }
  update_matrix(ui);
  const MatrixFrame f = frame_matrix(ui, b);
  MatrixPanel& p = *ui.matrix;
  if (f.area.w < 10 || f.area.h < 10) return;
  ui.record.matrix = f.area;
  ui.record.cell = static_cast<float>(p.layout.cell);
  ui.record.left = p.layout.left, ui.record.top = p.layout.top;

  matrix_labels(ui, f);
  gpu::HeatmapDraw draw;
  draw.heatmap = p.heatmap;
  draw.area = {f.area.x, f.area.y, f.area.w, f.area.h};
  draw.left = p.layout.left, draw.top = p.layout.top, draw.cell = p.layout.cell;
  const auto uploaded = [&](double v) { return static_cast<float>((v - p.upload_low) / p.upload_span); };
  draw.low = uploaded(p.scale.low), draw.high = uploaded(p.scale.high);
  if (p.by_row) draw.low = 0, draw.high = 1;
  draw.curve = p.by_row ? 0 : p.scale.curve == ScaleCurve::log ? 1 : p.scale.curve == ScaleCurve::per_row ? 2 : 0;
  draw.colormap = p.colormap;
  draw.masked = ui.theme.raw.well;
  draw.causal = m->causal;
  draw.hatched = std::span<const int>(p.sinks).first(std::min(p.sinks.size(), gpu::kMaxHatched));
  draw.hatch = ui.theme.raw.sink;
  draw.ground = ui.theme.raw.panel;
  queue_heatmap(ui, draw);

  ImGui::PushClipRect({f.area.x - 3, f.area.y - 3}, {f.area.right() + 3, f.area.bottom() + 3}, true);
  if (ui.state().matrix.values && (p.layout.values || (ui.phone && p.layout.cell >= 25))) draw_values(ui, *m);
  draw_token_lines(ui, *m, f.area);
  draw_crosshair(ui, *m, f.area);
  if (const int border = ui.app.border(); border > 0 && border < m->columns) {  // the source's tokens, then the target's
    const float x = std::round(cell_box(ui, 0, border).x - 1);
    ui.dl->AddRectFilled({x - 0.5f, f.area.y - 3}, {x + 1.5f, f.area.bottom() + 3}, ui.theme.ink2);
  }
  ImGui::PopClipRect();
  point(ui, *m, f.area);
  matrix_margins(ui, f);
  matrix_legend(ui, f);
  matrix_thumbs(ui, f);
}

}  // namespace rollscope::ui
