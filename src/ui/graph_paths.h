// The strongest single paths from the output to one input, for the tooltip of lit paths.
#pragma once

#include <vector>

#include "analysis/view_data.h"

namespace rollscope::ui {

struct PathStep {
  int from = 0, to = 0, gap = 0;  // attention of `from` to `to` in gaps[gap]
};
struct GraphPath {
  double weight = 0;            // probability of the whole path
  std::vector<PathStep> steps;  // attention to another token, from the output down; between them the residual
};
// At most `count`, the strongest first. Paths that pass through a token's attention to itself are not among them.
// Cost: edges x count x depth.
[[nodiscard]] std::vector<GraphPath> strongest_paths(const ViewData& view, int key, int count);

}  // namespace rollscope::ui
