// Sorts the arrays of a container: which together are a stack of attention, which belong to it, which are something
// else.
#pragma once

#include <string>
#include <vector>

#include "io/axes.h"
#include "io/container.h"

namespace rollscope {

struct SortedArrays {
  std::vector<StackGroup> groups;       // candidates, the likeliest names first
  std::vector<std::string> companions;  // gradients, norms, attributions, masks, images ...
  std::vector<std::string> others;      // last_hidden_state, logits, ... and what nothing is known about
  std::size_t parameters = 0;           // weights and biases of a model
  std::string parameter;                // one of them
  std::string heads_differ;             // layers of one name whose shapes agree but for the heads: which have how many
  std::string layers_differ;            // layers of one attention that differ in size, none of them the usual one: which have what
  std::string differ_at;                // the first layer of another size, for both
  std::string windows;                  // layers of attention inside windows (Swin): their shapes
};

[[nodiscard]] SortedArrays sort_arrays(const Container& container);

// "attentions (6, 12, 13, 13) f32, logits (1, 13, 30522) f32": what a file holds, for a message; after `most` of them a
// dot dot dot.
[[nodiscard]] std::string describe_arrays(const Container& container, std::size_t most = 6);

}  // namespace rollscope
