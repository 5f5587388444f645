// Uploads of the matrix view (matrix_panel.h): pyramid, small pictures, colormap; and its measures.
#include <algorithm>
#include <cmath>

#include "ui/draw.h"
#include "ui/matrix_panel.h"
#include "scene/recipe_fit.h"
#include "ui/names.h"

namespace rollscope::ui {
namespace {

gpu::Heatmap upload(Ui& ui, std::span<const float> values, int rows, int columns, std::span<const float> row_most, bool by_size = false, double low = 0, double span = 1) {
  auto levels = make_pyramid(values, rows, columns, by_size);
  // Half floats and the mark of "no value" leave the room from 0 to 1.
  if (low != 0 || span != 1)
    for (PyramidLevel& l : levels)
      for (float& x : l.cells) x = static_cast<float>((x - low) / span);
  std::vector<gpu::Gpu::Level> views;
  for (const PyramidLevel& l : levels) views.push_back({l.rows, l.columns, l.cells});
  return ui.gpu.create_heatmap(views, row_most);
}

void drop_thumbs(Ui& ui, bool lost) {
  MatrixPanel& p = *ui.matrix;
  if (!lost)
    for (auto h : p.thumbs) ui.gpu.destroy_heatmap(h);
  p.thumbs.clear();
  p.thumbs_of = nullptr;
}

void update_thumbs(Ui& ui) {
  MatrixPanel& p = *ui.matrix;
  const ThumbData* t = ui.app.thumbs();
  float mark = 0;  // differs when the numbers do
  if (t)
    for (const auto& l : t->layers)
      for (std::size_t i = 0; i < l.size(); ++i) mark += l[i] * static_cast<float>((i * 2654435761u) % 1009);
  const std::size_t size = t ? t->layers.size() : 0;
  if (p.thumbs_of == t && p.thumbs_size == size && p.thumbs_mark == mark && (size == 0 || !p.thumbs.empty())) return;
  drop_thumbs(ui, false);
  p.thumbs_of = t;
  p.thumbs_size = size;
  p.thumbs_mark = mark;
  if (!t) return;
  // A square root keeps the pale cells of a small picture apart; one scale for all layers.
  p.thumbs_high = 0;
  for (const auto& layer : t->layers) {
    std::vector<float> roots(layer.size());
    for (std::size_t i = 0; i < layer.size(); ++i) {
      roots[i] = std::sqrt(std::max(0.0f, layer[i]));
      const auto column = static_cast<int>(i % static_cast<std::size_t>(std::max(1, t->columns)));
      if (!std::isnan(roots[i]) && !(t->columns == ui.stream().keys && ui.is_sink(column))) p.thumbs_high = std::max(p.thumbs_high, static_cast<double>(roots[i]));
    }
    p.thumbs.push_back(upload(ui, roots, t->rows, t->columns, {}));
  }
}

}  // namespace

void forget_matrix(Ui& ui, bool lost) {
  MatrixPanel& p = *ui.matrix;
  if (!lost && p.heatmap) ui.gpu.destroy_heatmap(p.heatmap);
  if (!lost && p.colormap) ui.gpu.destroy_texture(p.colormap);
  drop_thumbs(ui, lost);
  p.heatmap = 0;
  p.colormap = 0;
  p.version = 0;
}

bool matrix_percents(const Ui& ui) {
  const MatrixKind kind = ui.state().matrix.kind;
  return kind == MatrixKind::fused_layer || kind == MatrixKind::head || in_percent(ui.state().recipe);
}
bool matrix_signed(const Ui& ui) {
  const MatrixKind kind = ui.state().matrix.kind;
  return kind == MatrixKind::result && traits(ui.state().recipe.method).is_signed;
}
int matrix_row(const Ui& ui) { return ui.app.for_one_output() && ui.app.matrix() && ui.app.matrix()->rows == 1 ? 0 : ui.state().selection.query; }
std::string matrix_number(const Ui& ui, double value) { return matrix_percents(ui) ? ui.words.percent(value) : ui.words.plain(value); }

void update_matrix(Ui& ui) {
  MatrixPanel& p = *ui.matrix;
  const MatrixData& m = *ui.app.matrix();
  const bool is_signed = matrix_signed(ui);
  if (!p.colormap || p.colormap_dark != ui.theme.dark || p.colormap_signed != is_signed) {
    if (!p.colormap) p.colormap = ui.gpu.create_texture(256, 1, false, true);
    std::vector<std::uint8_t> lut(256 * 4);
    weight_lut(ui.theme.dark, lut, is_signed);
    ui.gpu.update_texture(p.colormap, 0, 0, 256, 1, lut);
    p.colormap_dark = ui.theme.dark;
    p.colormap_signed = is_signed;
  }
  const std::vector<int> sinks = ui.view() ? ui.view()->sinks : std::vector<int>();
  const bool by_row = is_signed && ui.app.state().matrix.scale == ScaleCurve::per_row;
  if (p.version != ui.app.matrix_version() || !p.heatmap || p.sinks != sinks || p.by_row != by_row) {
    if (p.heatmap) ui.gpu.destroy_heatmap(p.heatmap);
    p.sinks = sinks;
    p.row_most = row_maxima(m, p.sinks);
    p.by_row = by_row;
    double most = 0;
    for (const float x : m.values)
      if (std::isfinite(x)) most = std::max(most, std::abs(static_cast<double>(x)));
    if (!(most > 0)) most = 1;
    p.upload_low = by_row ? -1 : is_signed ? -most : 0;
    p.upload_span = by_row ? 2 : is_signed ? 2 * most : matrix_percents(ui) ? 1 : most;
    std::vector<float> row_most = p.row_most, values;
    for (float& x : row_most) x /= static_cast<float>(p.upload_span);
    if (by_row) {
      values = m.values;
      for (std::size_t i = 0; i < values.size(); ++i)
        if (const float r = p.row_most[i / static_cast<std::size_t>(m.columns)]; r > 0) values[i] /= r;
    }
    p.heatmap = upload(ui, by_row ? std::span<const float>(values) : m.values, m.rows, m.columns, row_most, is_signed, p.upload_low, p.upload_span);
    p.version = ui.app.matrix_version();
    p.histogram_of = 0;
    p.longest_row = p.longest_column = 0;
    for (int i = 0; i < m.rows && i < 2000; ++i) {
      float w = label_width(ui, m.rows == 1 && ui.app.for_one_output() ? query_name(ui, 0) : ui.token_short(i, false), 12, true);
      if (ui.stream().kind == StreamKind::cross) w = std::max(w, label_width(ui, query_name(ui, i), 12, true) + 56);
      p.longest_row = std::max(p.longest_row, w);
    }
    for (int i = 0; i < m.columns && i < 2000; ++i) p.longest_column = std::max(p.longest_column, label_width(ui, ui.token_short(i, true), 12, true));
  }
  p.scale = matrix_scale(ui.extremes(), ui.app.state().matrix, is_signed);
  const bool same = p.histogram_scale.low == p.scale.low && p.histogram_scale.high == p.scale.high && p.histogram_scale.curve == p.scale.curve;
  if (p.histogram_of != p.version || !same) {
    p.histogram_of = p.version;
    p.histogram_scale = p.scale;
    p.bins = histogram(m, p.sinks, p.scale, 32);
    p.above = p.below = 0;
    if (p.scale.curve != ScaleCurve::per_row)
      for (int r = 0; r < m.rows; ++r)
        for (int c = 0; c < m.columns; ++c) {
          if (!cell_exists(m, r, c) || ui.is_sink(c)) continue;
          const float v = cell_value(m, r, c);
          p.above += v > p.scale.high + 1e-6 * p.scale.high;
          p.below += v < p.scale.low - 1e-6 * std::abs(p.scale.low);
        }
  }
  update_thumbs(ui);
}

void queue_heatmap(Ui& ui, const gpu::HeatmapDraw& draw) {
  if (!draw.heatmap) return;
  struct Call {
    gpu::Gpu* gpu;
    gpu::HeatmapDraw draw;
  };
  Call call{&ui.gpu, draw};
  ui.dl->AddCallback(
      [](const ImDrawList*, const ImDrawCmd* cmd) {
        const auto* c = static_cast<const Call*>(cmd->UserCallbackData);
        c->gpu->draw_heatmap(c->draw);
      },
      &call, sizeof call);
  if (ImDrawCallback reset = ImGui::GetPlatformIO().DrawCallback_ResetRenderState) ui.dl->AddCallback(reset);
}

}  // namespace rollscope::ui
