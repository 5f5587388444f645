// What the user sees and can undo: plain values, no numbers of the dump. Everything that a link or setState() may
// carry stands here and nowhere else; each field is validated on its own (scene/state_codec.h).
#pragma once

#include <string>
#include <vector>

#include "analysis/view_data.h"
#include "methods/recipe.h"

namespace rollscope {

enum class ViewKind : std::uint8_t { graph, matrix, heads, image, depth, lines, compare };
inline constexpr int kViewKinds = 7;
enum class ScaleCurve : std::uint8_t { linear, log, per_row };

// One selection that every view reads and writes. Indices count from 0; -1: none.
struct Selection {
  int query = 0;   // the chosen output
  int key = -1;    // the chosen input: its paths are lit, its column is framed
  int level = -1;  // state asked about; -1: the output (ViewRequest::level)
  bool operator==(const Selection&) const = default;
};

// Where a 2-D view looks: content coordinates of its centre, and zoom (1: fit).
struct Camera {
  double x = 0.5, y = 0.5;  // in [0, 1] of the content
  double zoom = 1;          // >= 1
  bool operator==(const Camera&) const = default;
};

struct MatrixState {
  MatrixKind kind = MatrixKind::result;
  int layer = -1;  // stored layer; -1: the last
  int head = 0;
  ScaleCurve scale = ScaleCurve::linear;
  bool values = true;          // numbers in cells, where there is room
  double low = -1, high = -1;  // range handles, as weights; -1: the data's own
  Camera camera;
  bool operator==(const MatrixState&) const = default;
};

struct GraphState {
  double keep = 0.75;  // of each layer's attention to other tokens
  int top = 0;         // strongest edges that leave a token in a layer; 0: all that are kept
  // The edge whose heads are listed: stored layer, query and key; layer -1: none.
  int edge_layer = -1, edge_query = -1, edge_key = -1;
  Camera camera;
  bool operator==(const GraphState&) const = default;
};

enum class HeadOrder : std::uint8_t { layer, role, spread, distance };
struct HeadsState {
  int layer = -1, head = -1;  // the chosen head; -1: none
  HeadOrder order = HeadOrder::layer;
  int role = -1;              // HeadRole that is shown; -1: all
  bool operator==(const HeadsState&) const = default;
};

// A rectangle of patches, both corners in it; none: row0 -1.
struct PatchRegion {
  int row0 = -1, column0 = -1, row1 = -1, column1 = -1;
  [[nodiscard]] bool none() const { return row0 < 0; }
  bool operator==(const PatchRegion&) const = default;
};

struct ImageState {
  bool smooth = false;   // bilinear for looks; patches for truth
  double opacity = 0.7;  // of the map over the picture
  bool outline = true;   // around the patches that hold half of the weight
  PatchRegion region;    // asked about as one output, the mean of its rows; selection.query is its first patch
  bool operator==(const ImageState&) const = default;
};

struct DepthState {
  int measure = 0;  // of kDepthMeasures
  bool operator==(const DepthState&) const = default;
};
inline constexpr int kMostTop = 32;
inline constexpr int kDepthMeasures = 6;  // entropy, distance, top_share, sink_mass, effective_rank, weight of the chosen key

// Two columns of tokens joined by lines, one colour a head.
struct LinesState {
  int layer = -1;          // stored layer; -1: the last
  std::vector<int> heads;  // that are shown; empty: all
  int top = 3;             // strongest keys of a row, of kLineKeys
  double keep = 1;         // of a row's weight: fewer lines where few hold it
  int block = -1;          // segments asked and read, 2 * query segment + key segment; -1: all
  bool operator==(const LinesState&) const = default;
};

struct CompareState {
  bool chosen = false;  // else B is the usual other recipe
  Recipe recipe;        // B; A is the recipe itself
  int query = -1;       // B's output where it is held; -1: A's
  bool operator==(const CompareState&) const = default;
};

struct AppState {
  Recipe recipe;
  Selection selection;
  ViewKind view = ViewKind::graph;
  MatrixState matrix;
  GraphState graph;
  HeadsState heads;
  ImageState image;
  DepthState depth;
  LinesState lines;
  CompareState compare;
  int second = -1;         // ViewKind beside the main view; -1: none. Never the same
  double split = 0.5;      // the main view's part of the width, in [0.25, 0.75]
  bool maximised = false;  // the main view alone
  bool drawer = false;     // phone: inspector drawn up
  bool operator==(const AppState&) const = default;
};

// Whether a view is on the screen, as the main one or beside it.
[[nodiscard]] inline bool shows(const AppState& s, ViewKind view) { return s.view == view || (!s.maximised && s.second == static_cast<int>(view)); }

}  // namespace rollscope
