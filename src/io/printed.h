// Arrays as Python prints them, which people paste: numpy's [[0.1 0.9]\n [0.4 0.6]], tensor([[0.1, 0.9]]), array(...),
// repr of a list, with nan, inf, None, tuples and whatever stands behind the numbers (dtype, device, grad_fn).
#pragma once

#include <string_view>

#include "io/json.h"

namespace rollscope {

// `text` must be UTF-8 and end in '\0' behind its last character. Several arrays, each on a line of its own, are a list.
// Errors: bad_json where it is no such print; unknown_format, kind "elided", where the print leaves numbers out; too_big.
[[nodiscard]] Result<JsonDocument> read_printed(std::string_view text, std::uint64_t memory_limit);

}  // namespace rollscope
