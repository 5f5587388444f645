// How long the value of each key is: ||f^h(x_j)||, stored as value_norms [L][H][K] (any leading axes will do). A key
// that draws attention and hands on a short value is a sink, whatever its word (analysis/limits.h).
#pragma once

#include <vector>

#include "dump/dump.h"
#include "io/lookup.h"

namespace rollscope {

// Mean over layers and heads for each key that is kept: [kept], or empty where the file says nothing of this stream.
//   only_stream  an array without a stream's name is this stream's
//   keys         of the file; kept: those that remain (empty: all)
// Errors: those of reading.
[[nodiscard]] Result<std::vector<float>> value_norms(const Container& container, StreamKind kind, bool only_stream, int keys,
                                                     const std::vector<int>& kept);

}  // namespace rollscope
