// Where the graph view's parts lie, and the token labels at its top and bottom.
#pragma once

#include <string>

#include "ui/ui.h"

namespace rollscope::ui {

struct GraphFrame {
  Box whole;
  Box area;      // nodes and ribbons
  Box outputs;   // labels above
  Box inputs;    // heat boxes below; numbers and slanted labels follow
  Box shares;    // per-layer bars at the right; w 0: no room
  Box caption;   // h 0: no room
  float left = 0;  // x of the names of levels
  bool slant_top = false, slant_bottom = false;
  bool narrow = false;  // levels by number alone
  float column = 0;
  float longest = 0;
};
[[nodiscard]] GraphFrame frame_graph(Ui& ui, const Box& box);
// Returns the box of the input label under the pointer, or an empty box.
Box draw_graph_labels(Ui& ui, const GraphFrame& frame);
// "the lighthouse …", the name of tokens [first, end).
[[nodiscard]] std::string bundle_name(const Ui& ui, int first, int end);

}  // namespace rollscope::ui
