// Packs bytes for a browser's DecompressionStream("gzip").
#pragma once

#include <span>
#include <string>

#include "base/error.h"

namespace rollscope {

// One gzip stream. Errors: out_of_memory. Cost: 300 kB of memory beside the result, about 30 MB a second.
[[nodiscard]] Result<std::string> gzipped(std::span<const char> bytes);

}  // namespace rollscope
