// Numbers and words into one string.
//
// printf's patterns rather than {fmt}: in the page the C library's formatter is there already, and {fmt} with its
// floating point tables would add 30 kB (brotli) to what a first visit downloads.
#pragma once

#include <string>

namespace rollscope {

[[nodiscard]] std::string formatted(const char* pattern, ...) __attribute__((format(printf, 1, 2)));

}  // namespace rollscope
