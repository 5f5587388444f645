// generate() of transformers keeps one array for each step and layer: the prompt's square first, then a row for each
// new token, each longer by one key (or as wide as a static cache, or as a sliding window). Here such arrays are found
// by their numbers and shapes, and their rows placed in one matrix for each layer.
#pragma once

#include <string>
#include <vector>

#include "io/axes.h"

namespace rollscope {

struct StepSet {
  std::string prefix;  // the name without its numbers: "attentions", ""
  std::vector<StackGroup::Member> members;  // by step, then layer; layer -1: an array holds all layers
  std::vector<std::string> names;           // of the arrays it takes
};

// Arrays "X.S.L", "X.L.S" or "X.S" whose shapes say that S counts steps: at least two, and from the second on one new
// row each (a cache), or a whole square that grows by one (no cache; then only the last step is kept).
[[nodiscard]] std::vector<StepSet> find_steps(const std::vector<StoredArray>& arrays);

// Places the rows of all steps. `group.stepped()`. Errors: those of place_axes.
[[nodiscard]] Result<PlacedStack> place_steps(const StackGroup& group, const AxesRequest& request);

// "attentions.3.0" -> {3, 0}: the numbers at the end of a name, at most two; `prefix` gets the rest.
[[nodiscard]] std::vector<int> trailing_numbers(const std::string& name, std::string& prefix);

}  // namespace rollscope
