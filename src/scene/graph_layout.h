// The token graph: tokens across, states (levels) up, one gap per layer, ribbons for the paths of one output.
// Geometry in CSS pixels inside a given rectangle; no drawing, no GPU.
//
// Ribbon width = path weight x U, U = min(64, column - 4) px; both ends are packed along the node in token order, so
// widths at a node add up to its mass; the floor of 1 px is the drawing's. Where columns would be under 16 px, tokens
// are bundled: neighbours share one of at most 12 wider columns, their ribbons are summed. Sinks and the neighbourhood
// of the chosen token keep columns of their own.
//
// A row that is no share of 100 % (flow, relevance, scores) may hold more than its node: then its ribbons are drawn
// together at the node, and at the inputs so that the widest column has U. Flows do not add up: of a bundle the largest
// is drawn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/view_data.h"
#include "scene/colormap.h"
#include "scene/state.h"

namespace rollscope {

struct GraphRect {
  float x = 0, y = 0, w = 0, h = 0;
};

enum class RibbonKind : std::uint8_t { attention, residual, own, sink };

// One ribbon from (x0, y0), at the state above, to (x1, y1), at the state below: the cubic whose control points lie at
// half height under and over its ends. Widths in pixels, across the ribbon.
// A bundle's ribbon names the first token of its columns and the strongest edge in it.
struct Ribbon {
  float x0, y0, x1, y1;
  float width0, width1;
  float weight;
  RibbonKind kind;
  std::int16_t gap;       // gaps[gap] of the view
  std::int32_t edge;      // index into gaps[gap].edges; -1 for residual and own (a sink's own attention: sink, -1)
  std::int32_t from, to;  // tokens
};

struct GraphNode {
  float x, y;      // centre
  float width;     // mass x U, at least 3 px
  float mass;
  std::int16_t level;
  std::int32_t token;  // the first of its column
};

struct GraphLayout {
  GraphRect area;            // of nodes and ribbons
  float column = 0;          // px between tokens
  float unit = 0;            // U
  int bundle = 1;            // tokens per column, but for those that stand alone
  std::vector<float> column_x;   // [columns] centres of the keys' columns; of every level, but see query_x
  std::vector<int> column_first; // [columns + 1] first token of each column, and the number of tokens
  std::vector<float> query_x;    // [queries] centres at the upper level where rows and columns name other tokens; else empty
  std::vector<float> level_y;    // [level + 1]; [0] is the input, at the bottom
  std::vector<Ribbon> ribbons;   // in drawing order: sink, residual, own, attention; weak ones first
  std::vector<GraphNode> nodes;
  std::vector<float> shown;      // [gaps] part of the gap's attention to other tokens that is drawn, in [0, 1]
  int edges_drawn = 0, edges_hidden = 0;
};

// What of a layout no camera moves: the columns, the mass in them, and what is drawn between them, in drawing order.
// Belongs to one view; empty, or of other columns, keep and most, it is made anew.
struct GraphPlan {
  struct Strand {
    int from, to;  // columns
    double weight;
    RibbonKind kind;
    std::int16_t gap;
    std::int32_t edge;
    double from_offset, to_offset;  // weight to the left of it, at either node
  };
  int room = -1;                         // columns that fit into the width; 0: every token has its own
  int bundle = 1;
  std::vector<int> column_first;         // as in GraphLayout
  std::vector<std::vector<float>> mass;  // [level][column]
  float widest = 1;                      // mass that has U at the inputs
  double keep = 0;
  int most = -1;
  std::vector<Strand> strands;
  std::vector<double> narrowed;          // [gaps] what U is multiplied by at the upper end
  std::vector<float> shown;              // [gaps]
  int edges_hidden = 0;
};

// keep: part of each gap's attention to other tokens that shall be drawn, the strongest first, in (0, 1]. Less is drawn
// where the view carries fewer edges, or where 2000 ribbons do not reach it: `shown` says how much is.
// most: besides, at most so many edges leave a column in a gap; 0: no such limit.
// Cost: the edges of the view; with a plan that fits, the strands in it.
[[nodiscard]] GraphLayout layout_graph(const ViewData& view, GraphRect area, double keep, const Camera& camera, int most, GraphPlan& plan);
[[nodiscard]] inline GraphLayout layout_graph(const ViewData& view, GraphRect area, double keep, const Camera& camera, int most = 0) {
  GraphPlan plan;
  return layout_graph(view, area, keep, camera, most, plan);
}

// The column that holds a token. Cost: log(columns).
[[nodiscard]] int column_of(const GraphLayout& layout, int token);

// Point of a ribbon's centre line at t in [0, 1], from above to below; the shader and figures draw the same curve.
struct GraphPoint {
  float x, y;
};
[[nodiscard]] GraphPoint ribbon_point(const Ribbon& ribbon, float t);

// The heaviest ribbon of attention to another token: its colour is the end of the scale.
[[nodiscard]] double largest_ribbon(const GraphLayout& layout);
// Colour of a ribbon of weight `w` (look.md, Graph). What has a sign is drawn where it is above 0, in that side's colours.
struct RibbonTone {
  Rgb colour;
  float alpha = 1;
};
[[nodiscard]] RibbonTone ribbon_tone(double w, double largest, bool dark, bool has_sign);

// What lies under (x, y): a node within 6 px, else the nearest ribbon within 4 px of its curve in that gap.
struct GraphHit {
  int node = -1;    // index into nodes
  int ribbon = -1;  // index into ribbons
};
[[nodiscard]] GraphHit pick_graph(const GraphLayout& layout, float x, float y);

// Paths from the output to input `key`: for every gap, the part of each ribbon's weight that ends at `key`
// (weight x r_l[to] where r is the backward share of the node's mass that reaches `key`), same order as
// layout.ribbons; 0 where no path goes. Needs the states and edges of the view; hidden edges carry their part too.
// What no camera moves is kept from call to call; belongs to one view.
class PathTrace {
 public:
  [[nodiscard]] std::vector<float> parts(const ViewData& view, const GraphLayout& layout, int key);

 private:
  void follow(const ViewData& view, const GraphLayout& layout, int key);
  int key_ = -1;
  std::vector<int> column_first_;
  std::vector<std::vector<double>> reach_;  // [level][token] the part of its mass that ends at `key`
  struct Part {
    std::uint64_t pair;  // of columns, the upper one in front
    double weight;
  };
  std::vector<std::vector<Part>> parts_;    // [gaps] in the order of the pairs
};
[[nodiscard]] inline std::vector<float> trace_paths(const ViewData& view, const GraphLayout& layout, int key) { return PathTrace().parts(view, layout, key); }

}  // namespace rollscope
