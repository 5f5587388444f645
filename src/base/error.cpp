#include "base/error.h"

#include <algorithm>
#include <array>
#include <cassert>

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

struct ForeignRow {
  ErrorCode code;
  std::string_view kind, what, fix;
};

constexpr std::array kForeign = {
#define ROLLSCOPE_FOREIGN(code, kind, what, fix) ForeignRow{ErrorCode::code, #kind, what, fix},
#include "base/foreign_kinds.inc"
#undef ROLLSCOPE_FOREIGN
};

const ForeignRow* foreign(std::string_view kind) {
  const auto found = std::find_if(kForeign.begin(), kForeign.end(), [&](const ForeignRow& r) { return r.kind == kind; });
  return found == kForeign.end() ? nullptr : &*found;
}

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
std::string error_fix(const Error& error) {
  if (const auto kind = error.params.find("kind"); kind != error.params.end())
    if (const ForeignRow* own = foreign(kind->second); own && own->code == error.code) return fill(own->fix, error.params);
  return fill(row(error.code).fix, error.params);
}
Error foreign_file(std::string_view kind, std::string_view format) {
  const ForeignRow* own = foreign(kind);
  assert(own);
  Params params{{"kind", std::string(kind)}};
  if (!format.empty()) params.emplace("format", format);
  params.emplace("detail", fill(own->what, params));
  return {own->code, std::move(params)};
}
int error_exit_status(ErrorCode code) { return code >= ErrorCode::usage ? 2 : 1; }

}  // namespace rollscope
