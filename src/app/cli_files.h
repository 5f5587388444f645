// Files and folders named on the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rollscope {

// The files named, each folder replaced by those of its files that end in one of `endings`, in the order of their names;
// folders inside are not entered. Errors: read_failed (a folder cannot be read); empty (no such file in it).
[[nodiscard]] Result<std::vector<std::string>> files_with(const std::vector<std::string>& names, const std::vector<std::string_view>& endings);

}  // namespace rollscope
