// rollscope audit: a sheet about one row that can be checked later.
#include <fmt/format.h>

#include "app/cli_commands.h"
#include "app/cli_dump.h"

namespace rollscope {

std::string audit_text(const rapidjson::Value& sheet, const CommandLine& command) {
  const auto& dump = sheet["dump"];
  const auto& numbers = sheet["numbers"];
  auto out = fmt::format("{}, {} bytes, sha256 {}\n", text_of(dump["file"]), dump["bytes"].GetUint64(), text_of(dump["sha256"]));
  out += fmt::format("rollscope {}, {}\n{} ({}) Row {}, {}.\n", text_of(sheet["engine"]), text_of(sheet["recipe"]["precision"]), text_of(sheet["recipe"]["sentence"]),
                     text_of(sheet["recipe"]["mark"]), sheet["recipe"]["row"].GetInt(), text_of(sheet["query"]));
  for (const auto& token : numbers["key_tokens"]["tokens"].GetArray())
    out += fmt::format("{:>4}  {:<16} {:>12.6g}{}\n", token["rank"].GetInt(), text_of(token["label"]), number_of(token["weight"]), token["tied"].GetBool() ? "  tied" : "");
  out += fmt::format("sum {}, spread {} of {}\n", shown_number(numbers["sum"], 4), shown_number(numbers["spread"], 1), numbers["visible"].GetInt());
  return out + narration_lines(sheet, command) + report_lines(sheet["limits"]);
}

}  // namespace rollscope
