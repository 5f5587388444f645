// What the matrix view keeps between frames: pyramids on the GPU, the scale, and where its parts lie.
#pragma once

#include <vector>

#include "scene/heatmap.h"
#include "ui/ui.h"

namespace rollscope::ui {

struct MatrixPanel {
  std::uint64_t version = 0;   // app.matrix_version() of what is on the GPU
  gpu::Heatmap heatmap = 0;
  std::vector<gpu::Heatmap> thumbs;
  const ThumbData* thumbs_of = nullptr;  // and its size below, against a new one at the old address
  std::size_t thumbs_size = 0;
  float thumbs_mark = 0;
  double thumbs_high = 1;
  gpu::Texture colormap = 0;
  bool colormap_dark = false;
  bool colormap_signed = false;
  double upload_low = 0, upload_span = 1;  // the GPU keeps (value - low) / span, from 0 to about 1
  bool by_row = false;             // two-sided, and each row by its own largest
  std::vector<int> sinks;          // alive until the frame is rendered
  std::vector<float> row_most;
  std::uint64_t histogram_of = 0;
  ColourScale histogram_scale;
  std::vector<int> bins;
  int above = 0, below = 0;        // cells past the ends of the scale

  MatrixLayout layout;
  ColourScale scale;
  float longest_row = 0, longest_column = 0;
  std::uint64_t measured = 0;
};

struct MatrixFrame {
  Box whole;
  Box area;                 // of the visible cells
  Box row_labels, column_labels;
  Box spread, legend, thumbs, means;  // w or h 0: no room
};

void update_matrix(Ui& ui);                 // uploads what changed
void forget_matrix(Ui& ui, bool lost);
[[nodiscard]] MatrixFrame frame_matrix(Ui& ui, const Box& box);
void queue_heatmap(Ui& ui, const gpu::HeatmapDraw& draw);

void matrix_toolbar(Ui& ui, const Box& box);
void matrix_labels(Ui& ui, const MatrixFrame& f);
void matrix_margins(Ui& ui, const MatrixFrame& f);  // spread of rows, mean of columns
void matrix_legend(Ui& ui, const MatrixFrame& f);
void matrix_thumbs(Ui& ui, const MatrixFrame& f);

// Whether the numbers shown are parts of 100 %, and the one as it is written in a cell.
[[nodiscard]] bool matrix_percents(const Ui& ui);
[[nodiscard]] bool matrix_signed(const Ui& ui);
[[nodiscard]] int matrix_row(const Ui& ui);  // of the chosen output; 0 where there is one for all
[[nodiscard]] std::string matrix_number(const Ui& ui, double value);
// Position of a cell on the colormap, and its value.
[[nodiscard]] double cell_position(const Ui& ui, int row, int column);
[[nodiscard]] float cell_value(const MatrixData& m, int row, int column);
[[nodiscard]] bool cell_exists(const MatrixData& m, int row, int column);

}  // namespace rollscope::ui
