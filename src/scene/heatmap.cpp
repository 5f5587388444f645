#include "scene/heatmap.h"

#include <algorithm>
#include <cmath>

namespace rollscope {
namespace {

constexpr double kLargestCell = 96;  // px
constexpr double kValueCell = 29;    // px: "68.7" in 12 px type, and a little air
constexpr double kLabelLine = 16;    // px between two lines of labels
constexpr double kLabelAir = 8;      // px between two labels side by side

double fit_cell(int rows, int columns, const GraphRect& room) {
  return std::min({kLargestCell, static_cast<double>(room.w) / std::max(1, columns), static_cast<double>(room.h) / std::max(1, rows)});
}

// 1, 2, 5, 10, 20, 50 ...: the first that keeps labels `apart` px apart.
int label_step(double cell, double apart) {
  int step = 1;
  for (int i = 0; step * cell < apart && step < 1000000; ++i) step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  return step;
}

// The part of `count` cells that is seen, and the first cell of it when `centre` (in [0, 1]) shall lie in the middle.
double seen(int count, double room, double cell) { return std::min(static_cast<double>(count), room / cell); }
double first_seen(int count, double room, double cell, double centre) {
  const double n = seen(count, room, cell);
  return std::clamp(centre * count - n / 2, 0.0, count - n);
}

Camera camera_at(const MatrixLayout& layout, int rows, int columns, double cell, double left, double top) {
  const double fit = fit_cell(rows, columns, layout.room);
  if (cell <= fit) return {};
  const auto centre = [&](int count, double room, double first) {
    const double n = seen(count, room, cell);
    return (std::clamp(first, 0.0, count - n) + n / 2) / std::max(1, count);
  };
  return {centre(columns, layout.room.w, left), centre(rows, layout.room.h, top), cell / fit};
}

// Every finite value that the scale is about: not a sink's, not above a causal diagonal.
template <class F>
void each_value(const MatrixData& m, std::span<const int> sinks, F visit) {
  std::vector<bool> out(static_cast<std::size_t>(std::max(0, m.columns)), false);
  for (int s : sinks)
    if (s >= 0 && s < m.columns) out[static_cast<std::size_t>(s)] = true;
  for (int i = 0; i < m.rows; ++i) {
    const int end = m.causal ? std::min(m.columns, i + 1) : m.columns;
    const float* row = m.values.data() + static_cast<std::size_t>(i) * m.columns;
    for (int j = 0; j < end; ++j)
      if (!out[static_cast<std::size_t>(j)] && std::isfinite(row[j])) visit(i, static_cast<double>(row[j]));
  }
}

}  // namespace

std::vector<PyramidLevel> make_pyramid(std::span<const float> values, int rows, int columns, bool by_size) {
  // fmax takes the number where the other is none.
  const auto larger = [by_size](float a, float b) {
    if (!by_size || std::isnan(a) || std::isnan(b)) return std::fmax(a, b);
    return std::abs(a) >= std::abs(b) ? a : b;
  };
  std::vector<PyramidLevel> levels;
  if (rows <= 0 || columns <= 0) return levels;
  levels.push_back({rows, columns, {values.begin(), values.end()}});
  while (levels.back().rows > 1 || levels.back().columns > 1) {
    const PyramidLevel& below = levels.back();
    PyramidLevel up{(below.rows + 1) / 2, (below.columns + 1) / 2, {}};
    up.cells.resize(static_cast<std::size_t>(up.rows) * up.columns);
    for (int i = 0; i < up.rows; ++i) {
      const float* a = below.cells.data() + static_cast<std::size_t>(2 * i) * below.columns;
      const float* b = 2 * i + 1 < below.rows ? a + below.columns : a;
      float* out = up.cells.data() + static_cast<std::size_t>(i) * up.columns;
      for (int j = 0; j < up.columns; ++j) {
        const int k = 2 * j, last = std::min(k + 1, below.columns - 1);
        out[j] = larger(larger(a[k], a[last]), larger(b[k], b[last]));
      }
    }
    levels.push_back(std::move(up));
  }
  return levels;
}

MatrixLayout layout_matrix(int rows, int columns, GraphRect area, const Camera& camera, float longest_label) {
  MatrixLayout m;
  m.room = area;
  m.area = {area.x, area.y, 0, 0};
  if (rows <= 0 || columns <= 0 || !(area.w > 0) || !(area.h > 0)) return m;
  m.cell = std::min(kLargestCell, fit_cell(rows, columns, area) * std::max(1.0, camera.zoom));
  m.left = first_seen(columns, area.w, m.cell, camera.x);
  m.top = first_seen(rows, area.h, m.cell, camera.y);
  m.area.w = static_cast<float>(seen(columns, area.w, m.cell) * m.cell);
  m.area.h = static_cast<float>(seen(rows, area.h, m.cell) * m.cell);
  m.rotate_columns = longest_label + kLabelAir > m.cell;
  m.label_step_rows = label_step(m.cell, kLabelLine);
  m.label_step_columns = label_step(m.cell, m.rotate_columns ? kLabelLine : longest_label + kLabelAir);
  m.values = m.cell >= kValueCell;
  return m;
}

TokenLines token_lines(std::span<const Token> tokens, int count, Merge merge) {
  TokenLines out;
  const int n = std::min(count, static_cast<int>(tokens.size()));
  if (merge == Merge::segments) return out;
  const auto joins = [&](int i) {  // token i and the one before it are one word
    if (merge != Merge::pieces || i <= 0 || i >= n) return false;
    const Token &a = tokens[static_cast<std::size_t>(i) - 1], &b = tokens[static_cast<std::size_t>(i)];
    return b.word >= 0 && a.word == b.word;
  };
  int segment = -1;  // the last that was said: what stands between two, as [SEP] may, belongs to the first
  for (int i = 0; i < n; ++i) {
    const int own = tokens[static_cast<std::size_t>(i)].segment;
    const bool begins = own >= 0 && segment >= 0 && own != segment;
    if (own >= 0) segment = own;
    if (begins) out.segments.push_back(i);
    else if (i > 0 && !joins(i) && (joins(i - 1) || joins(i + 1))) out.words.push_back(i);
  }
  return out;
}

void pick_cell(const MatrixLayout& m, int rows, int columns, float x, float y, int& row, int& column) {
  row = column = -1;
  if (!(m.cell > 0) || x < m.area.x || y < m.area.y || x >= m.area.x + m.area.w || y >= m.area.y + m.area.h) return;
  const int i = static_cast<int>(std::floor(m.top + (y - m.area.y) / m.cell));
  const int j = static_cast<int>(std::floor(m.left + (x - m.area.x) / m.cell));
  row = std::clamp(i, 0, rows - 1);
  column = std::clamp(j, 0, columns - 1);
}

Camera zoom_matrix(const MatrixLayout& m, int rows, int columns, const Camera& camera, double factor, float x, float y) {
  if (!(m.cell > 0) || !(factor > 0)) return camera;
  const double fit = fit_cell(rows, columns, m.room);
  const double cell = std::clamp(m.cell * factor, fit, kLargestCell);
  const double left = m.left + (x - m.area.x) / m.cell - (x - m.area.x) / cell;
  const double top = m.top + (y - m.area.y) / m.cell - (y - m.area.y) / cell;
  return camera_at(m, rows, columns, cell, left, top);
}

Camera pan_matrix(const MatrixLayout& m, int rows, int columns, const Camera& camera, float dx, float dy) {
  if (!(m.cell > 0)) return camera;
  return camera_at(m, rows, columns, m.cell, m.left - dx / m.cell, m.top - dy / m.cell);
}

MatrixExtremes matrix_extremes(const MatrixData& matrix, std::span<const int> sinks) {
  MatrixExtremes e;
  each_value(matrix, sinks, [&](int, double v) {
    e.largest = std::max(e.largest, v);
    e.largest_absolute = std::max(e.largest_absolute, std::abs(v));
    if (v > 0 && (e.smallest == 0 || v < e.smallest)) e.smallest = v;
  });
  return e;
}

ColourScale matrix_scale(const MatrixExtremes& extremes, const MatrixState& state, bool is_signed) {
  ColourScale scale{.low = 0, .high = 0, .curve = state.scale, .two_sided = is_signed};
  if (is_signed) {
    if (state.scale == ScaleCurve::log) scale.curve = ScaleCurve::linear;
    scale.high = extremes.largest_absolute;
    if (state.high > 0) scale.high = state.high;
    if (!(scale.high > 0) || scale.curve == ScaleCurve::per_row) scale.high = 1;
    scale.low = -scale.high;
    return scale;
  }
  if (state.scale == ScaleCurve::per_row) {
    scale.high = 1;  // parts of the row's own largest value
    return scale;
  }
  scale.high = extremes.largest;
  const double smallest = extremes.smallest;
  if (!(scale.high > 0)) scale.high = 1;
  // Six decades are more than a colour can tell; what lies lower is as pale as the floor.
  if (state.scale == ScaleCurve::log) scale.low = std::max(smallest > 0 ? smallest : scale.high / 1000, scale.high * 1e-6);
  if (state.low >= 0 && (state.scale != ScaleCurve::log || state.low > 0)) scale.low = state.low;
  if (state.high > scale.low) scale.high = state.high;
  if (scale.low >= scale.high) scale.low = state.scale == ScaleCurve::log ? scale.high / 1000 : 0;
  return scale;
}

std::vector<float> row_maxima(const MatrixData& matrix, std::span<const int> sinks) {
  std::vector<float> most(static_cast<std::size_t>(std::max(0, matrix.rows)), 0);
  each_value(matrix, sinks, [&](int i, double v) {
    float& m = most[static_cast<std::size_t>(i)];
    m = std::max(m, std::abs(static_cast<float>(v)));
  });
  return most;
}

std::vector<int> histogram(const MatrixData& matrix, std::span<const int> sinks, const ColourScale& scale, int bins) {
  std::vector<int> counts(static_cast<std::size_t>(std::max(1, bins)), 0);
  std::vector<float> most;
  if (scale.curve == ScaleCurve::per_row) most = row_maxima(matrix, sinks);
  each_value(matrix, sinks, [&](int i, double v) {
    if (!most.empty()) v = most[static_cast<std::size_t>(i)] > 0 ? v / most[static_cast<std::size_t>(i)] : 0;
    if (v < scale.low || v > scale.high) return;
    const double t = scale.position(v) * static_cast<double>(counts.size());
    ++counts[std::min(counts.size() - 1, static_cast<std::size_t>(t))];
  });
  return counts;
}

}  // namespace rollscope
