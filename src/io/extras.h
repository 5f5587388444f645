// What stands beside the attention: gradients, norms, mixing ratios, attributions, scores (contracts, "Arrays of a good
// dump"), under their names or those that people give them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/axes.h"
#include "io/container.h"

namespace rollscope {

struct ExtraName {
  ExtraKind kind = ExtraKind::attribution;
  std::string stream;  // "encoder", "decoder", "cross", or ""
  std::string name;    // class, norm, attribution
  int layer = -1;      // -1: the array holds all layers
};
// "attention_grads/positive", "cross_attention_grads.0", "norms/alti", "attr/occlusion"; nothing for other names.
[[nodiscard]] std::optional<ExtraName> extra_name(std::string_view name);

// A stream as it was placed, which the arrays beside it must fit.
struct ExtraTarget {
  const Stream* stream = nullptr;    // with its final sides
  const StackPlan* plan = nullptr;   // with the rows and columns that stay
  int file_queries = 0, file_keys = 0;  // before anything was cut off
  std::string axes;      // of the attention's first array
  bool only = false;     // names without a stream mean this one
  bool first = false;    // ... and so do attributions that fit several
  bool exchanged = false;  // rows and columns were, so they are here
};

// Adds to `dump` what fits the stream; says in `report` what is there and does not fit (extra_unusable).
// Errors: those of reading the small ones. Cost: their numbers; headers of gradients and norms.
[[nodiscard]] Result<void> add_extras(const Container& container, const AxesRequest& request, const ExtraTarget& target, Dump& dump);

// The array `image` of a dump as a picture: [rows][columns], [rows][columns][1|3|4] or [3][rows][columns], bytes or numbers
// in [0, 1] (others are spread between their ends), one item of a batch. Nothing fitting: width 0. Errors: those of reading.
[[nodiscard]] Result<Picture> find_picture(const Container& container, int item);

}  // namespace rollscope
