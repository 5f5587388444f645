// The matrix view without a picture: pyramid, camera arithmetic, labels that thin out, what is under the pointer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/view_data.h"
#include "scene/colormap.h"
#include "scene/graph_layout.h"
#include "scene/state.h"

namespace rollscope {

// Level k holds the MAX of 2^k x 2^k cells: a mean would fade the one strong cell that people zoom out to find.
struct PyramidLevel {
  int rows = 0, columns = 0;
  std::vector<float> cells;  // NaN only where all four are NaN
};
// Levels 0 (a copy of the values) to the one of a single cell. Cost: 4/3 of the cells.
// `by_size`: the number farthest from 0, for numbers with a sign.
[[nodiscard]] std::vector<PyramidLevel> make_pyramid(std::span<const float> values, int rows, int columns, bool by_size = false);

// Where cells lie on screen: x = area.x + (column - left) * cell, y alike. CSS pixels.
struct MatrixLayout {
  GraphRect room;          // what was given
  GraphRect area;          // of the visible cells: the room, or less where the matrix is smaller
  double cell = 0;         // px per cell, square
  double left = 0, top = 0;  // cell coordinates at area.x, area.y; may be fractional
  int label_step_rows = 1, label_step_columns = 1;  // 1, 2, 5, 10, 20 ... : labels that fit without touching
  bool rotate_columns = false;
  bool values = false;     // cells are wide enough for numbers
};
// longest_label: px of the widest column label. Zoom 1 fits the whole matrix; cells never grow past 96 px.
[[nodiscard]] MatrixLayout layout_matrix(int rows, int columns, GraphRect area, const Camera& camera, float longest_label);
// Lines across the cells, each before the row or column that it names: where another segment begins (sentence A | B),
// and at both ends of a word of several tokens. A word of one token needs none: lines everywhere would say nothing.
struct TokenLines {
  std::vector<int> segments;
  std::vector<int> words;  // none where a segment's lies
};
// Of one side of the matrix; count: its rows or columns. Merged words have segments, merged segments have no lines.
[[nodiscard]] TokenLines token_lines(std::span<const Token> tokens, int count, Merge merge);
// Cell under (x, y): row and column, or -1.
void pick_cell(const MatrixLayout& layout, int rows, int columns, float x, float y, int& row, int& column);
// Zooms by `factor` so that the cell under (x, y) stays there; pans by pixels.
[[nodiscard]] Camera zoom_matrix(const MatrixLayout& layout, int rows, int columns, const Camera& camera, double factor, float x, float y);
[[nodiscard]] Camera pan_matrix(const MatrixLayout& layout, int rows, int columns, const Camera& camera, float dx, float dy);

// What a scale is made from: the largest value, the largest absolute one, the smallest above 0 (0: none); sinks left out.
// Cost: one pass over the matrix, so kept while the matrix stays.
struct MatrixExtremes {
  double largest = 0, largest_absolute = 0, smallest = 0;
};
[[nodiscard]] MatrixExtremes matrix_extremes(const MatrixData& matrix, std::span<const int> sinks);

// Range of the values for the scale: 0 to the largest finite value outside the sink columns (log: smallest positive),
// or the handles of `state`. Per row: 0 to 1, parts of row_maxima().
// With a sign: as far below 0 as above, and never logarithmic.
[[nodiscard]] ColourScale matrix_scale(const MatrixExtremes& extremes, const MatrixState& state, bool is_signed);
[[nodiscard]] inline ColourScale matrix_scale(const MatrixData& matrix, std::span<const int> sinks, const MatrixState& state, bool is_signed = false) {
  return matrix_scale(matrix_extremes(matrix, sinks), state, is_signed);
}
// Largest finite value, or size of a value, of each row outside the sink columns; 0 where there is none. For ScaleCurve::per_row.
[[nodiscard]] std::vector<float> row_maxima(const MatrixData& matrix, std::span<const int> sinks);
// Histogram of finite values over [low, high], for the legend.
[[nodiscard]] std::vector<int> histogram(const MatrixData& matrix, std::span<const int> sinks, const ColourScale& scale, int bins);

}  // namespace rollscope
