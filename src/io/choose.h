// Chooses the arrays that are attention: by their names, and where names say nothing by their numbers.
#pragma once

#include <string>
#include <vector>

#include "io/axes.h"
#include "io/container.h"
#include "io/groups.h"
#include "io/sample.h"

namespace rollscope {

// A stack that will be opened as a stream.
struct Candidate {
  StackGroup group;
  PlacedStack placed;
  Sample sample;
  int file_keys = 0;  // columns of the file, where a static cache was cut off; else 0

  [[nodiscard]] bool surely_weights() const { return sample.rows_are_one() || sample.columns_are_one(); }
};

struct Choice {
  std::vector<Candidate> streams;       // at least one
  std::vector<std::string> companions;
  std::vector<std::string> ignored;     // named in the report
};

// Errors: all_none, empty, model_weights, not_attention (naming what was found); those of place_axes and of reading,
// for the array that should have been attention; object_array, unsupported_dtype, ragged ... of the same.
[[nodiscard]] Result<Choice> choose_streams(const Container& container, const AxesRequest& request);

}  // namespace rollscope
