// What the user sees and can undo: plain values, no numbers of the dump. Everything that a link or setState() may
// carry stands here and nowhere else; each field is validated on its own (scene/state_codec.h).
#pragma once

#include <string>
#include <vector>

#include "analysis/view_data.h"
#include "methods/recipe.h"

namespace rollscope {

enum class ViewKind : std::uint8_t { graph, matrix };
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
  Camera camera;
  bool operator==(const GraphState&) const = default;
};

struct AppState {
  Recipe recipe;
  Selection selection;
  ViewKind view = ViewKind::graph;
  MatrixState matrix;
  GraphState graph;
  bool maximised = false;  // the main view alone
  bool drawer = false;     // phone: inspector drawn up
  bool operator==(const AppState&) const = default;
};

}  // namespace rollscope
