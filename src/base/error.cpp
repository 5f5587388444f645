#include "base/error.h"

#include <array>

namespace rollscope {
namespace {

struct Row {
  std::string_view name, what, fix;
};

constexpr std::array kRows = {
#define ROLLSCOPE_ERROR(code, what, fix) Row{#code, what, fix},
#include "base/error_codes.inc"
#undef ROLLSCOPE_ERROR
};

const Row& row(ErrorCode code) { return kRows[static_cast<std::size_t>(code)]; }

}  // namespace

std::string fill(std::string_view text, const Params& params) {
  std::string out;
  out.reserve(text.size() + 64);
  while (!text.empty()) {
    const auto open = text.find('{');
    const auto close = open == text.npos ? text.npos : text.find('}', open);
    if (close == text.npos) {
      out += text;
      break;
    }
    const auto name = text.substr(open + 1, close - open - 1);
    const bool is_name = !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == name.npos;
    if (!is_name) {  // a brace of a code sample, not a placeholder
      out += text.substr(0, open + 1);
      text.remove_prefix(open + 1);
      continue;
    }
    out += text.substr(0, open);
    if (const auto it = params.find(name); it != params.end()) out += it->second;
    text.remove_prefix(close + 1);
  }
  return out;
}

std::string_view error_name(ErrorCode code) { return row(code).name; }
std::string error_text(const Error& error) { return fill(row(error.code).what, error.params); }
std::string error_fix(const Error& error) { return fill(row(error.code).fix, error.params); }
int error_exit_status(ErrorCode code) { return code >= ErrorCode::usage ? 2 : 1; }

}  // namespace rollscope
