// Figures of an explanation: the picture of one view as an SVG file, for papers and slides, without GPU or window.
//
// Colours, order and scale are those of the screen (scene/colormap.h, scene/graph_layout.h, scene/heatmap.h,
// scene/shown_row.h); sizes are a page's: text is never smaller than 6 pt, and a narrow figure is laid out anew instead
// of being made smaller. Each carries its recipe: as caption, unless that is left to the paper, and always as
// <metadata>.
//
// Cost: the tokens, edges or cells that are drawn; matrices past 4096 cells become one embedded picture.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/view_data.h"
#include "base/narration.h"
#include "scene/state.h"

namespace rollscope::figure {

enum class View : std::uint8_t { row, matrix, graph, heads, depth, compare };
inline constexpr std::string_view kViewNames[] = {"row", "matrix", "graph", "heads", "depth", "compare"};

// The engine's answers, about one output under one recipe. Only what the view shows is needed.
struct Inputs {
  const DumpInfo* dump = nullptr;
  const Stream* stored = nullptr;  // of the recipe
  const Stream* shown = nullptr;   // rows and columns of the answer (analysis/shown_stream.h)
  const ViewData* view = nullptr;  // always
  const MatrixData* matrix = nullptr;
  const WallData* wall = nullptr;
  const DepthData* layers = nullptr;
  const BesideData* beside = nullptr;
  bool one_output = false;         // stored scores that explain one output, whichever row is chosen
};

struct Width {
  double px = 0;
  std::string text;  // of the root element: "85mm", "640px"
};
// "85mm" (a column), "170mm" (a page), "640px", "640", "12cm", "6in"; 200 to 4000 px. nullopt: none of these.
[[nodiscard]] std::optional<Width> read_width(std::string_view text);

struct Style {
  bool dark = false;
  bool ground = true;        // painted behind; false: transparent
  Width width{642.52, "170mm"};
  Language language = Language::en;
  // Instead of the recipe's sentence, which is English; nullopt: the sentence; "": no caption at all.
  std::optional<std::string> caption;
  std::vector<std::string> limits;  // what this picture cannot say, in sentences; under the caption
  std::string metadata;      // JSON text
  double keep = 0.75;        // graph: part of each layer's attention to other tokens that is drawn at least
  MatrixState matrix;        // matrix: scale
};

struct Figure {
  std::string svg;
  double width = 0, height = 0;  // px
};

[[nodiscard]] Figure draw(View view, const Inputs& inputs, const Style& style);

}  // namespace rollscope::figure
