// An error and a progress as JSON, the same for the command line's tests and the page.
#pragma once

#include <string>

#include "app/session.h"
#include "base/error.h"

namespace rollscope {

[[nodiscard]] std::string error_json(const Error& error);           // {"code", "text", "fix", "params", "exit"}
[[nodiscard]] std::string progress_json(const JobProgress& progress);  // {"fraction", "bytes", "total", "layer", "layers"}

}  // namespace rollscope
