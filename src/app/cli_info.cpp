// rollscope info: what a dump holds.
#include <fmt/format.h>

#include "app/cli_commands.h"
#include "app/cli_dump.h"

namespace rollscope {

Result<std::string> answer_info(const CommandLine& command) {
  auto dump = open_dump(command, command.files.front(), true);
  if (!dump) return tl::unexpected(std::move(dump.error()));
  return std::move(dump->info_json);
}

std::string info_text(const rapidjson::Value& info, const CommandLine&) {
  auto out = fmt::format("{} ({}, {} bytes)\n", text_of(info["file"]), text_of(info["format"]), info["bytes"].GetUint64());
  for (const auto& s : info["streams"].GetArray()) {
    const int heads = s["heads"].GetInt();
    out += fmt::format("{}: {} layer{}, {}, {} x {} tokens, {}{}\n", text_of(s["name"]), s["layers"].GetInt(), s["layers"].GetInt() == 1 ? "" : "s",
                       heads ? fmt::format("{} heads", heads) : std::string("heads fused"), s["queries"].GetInt(), s["keys"].GetInt(),
                       text_of(s["dtype"]), s["causal"].GetBool() ? ", causal" : "");
    std::string words;
    for (const auto& token : info["tokens"][s["name"]]["keys"].GetArray()) words += (words.empty() ? "  " : " ") + text_of(token["label"]);
    out += words + "\n";
  }
  return out + report_lines(info["report"]);
}

}  // namespace rollscope
