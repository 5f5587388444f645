#include "io/assume.h"

#include <algorithm>

namespace rollscope {

Result<Assumptions> read_assumptions(const ImportOptions& options) {
  struct Row {
    std::string_view name;
    std::string Assumptions::*field;
    std::string_view first, second;  // empty: any value
  };
  constexpr Row kRows[] = {{"axes", &Assumptions::axes, "", ""},
                           {"orientation", &Assumptions::orientation, "rows", "columns"},
                           {"values", &Assumptions::values, "probs", "logits"},
                           {"layout", &Assumptions::layout, "layers", "heads"},
                           {"sums", &Assumptions::sums, "renormalise", "sink"},
                           {"tokens", &Assumptions::tokens, "add_specials", "ignore"}};
  Assumptions out;
  for (const auto& switched : options.assume) {
    const std::string& name = switched.first;
    const std::string& value = switched.second;
    const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.name == name; });
    if (row == std::end(kRows))
      return fail(ErrorCode::bad_value, {{"option", "--assume"}, {"value", printable(name) + "=" + printable(value)},
                                         {"allowed", "axes=, orientation=, values=, layout=, sums= or tokens="}});
    if (!row->first.empty() && value != row->first && value != row->second)
      return fail(ErrorCode::bad_value, {{"option", "--assume " + name}, {"value", printable(value)},
                                         {"allowed", std::string(row->first) + " or " + std::string(row->second)}});
    out.*(row->field) = value;
  }
  return out;
}

}  // namespace rollscope
