// From the values of a pickle to a container: arrays, texts and metadata under the paths that lead to them
// ("attentions.0.3"), as for JSON. Objects of any class are walked by what they hold, never by what they are.
#pragma once

#include <string>

#include "io/pickle_arrays.h"

namespace rollscope {

// Limits; past one of them: too_big.
inline constexpr std::size_t kWalkDepth = 64;             // containers within containers; what lies deeper is left out
inline constexpr std::uint64_t kWalkValues = 20'000'000;  // values looked at, those that are shared each time again
inline constexpr std::size_t kWalkArrays = 300'000;

//   root    what the pickle gives
//   format  "torch" or "pickle"
// Nested torch files are opened first. Errors: those of open_nested_files and read_pickle_array, too_big; model_weights
// or not_attention where the file holds nothing but a model, a tokenizer, or other objects without arrays.
[[nodiscard]] Result<Container> collect_pickle(PickleFile& file, const PickleValue& root, std::string_view format);

}  // namespace rollscope
