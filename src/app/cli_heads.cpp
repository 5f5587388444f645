// rollscope heads: what each head does, averaged over the dumps given.
#include <fmt/format.h>

#include "app/cli_commands.h"
#include "app/cli_dump.h"
#include "app/verbs_heads.h"
#include "base/archive.h"

namespace rollscope {

Result<std::string> answer_heads(const CommandLine& command) {
  HeadTable all;
  Report report;
  std::string one;
  double height = kSimilarHeight;
  for (const auto& file : command.files) {
    auto dump = open_dump(command, file);
    if (!dump) return tl::unexpected(std::move(dump.error()));
    auto result = dump->ask("heads", options_json(command.options));
    if (!result) return tl::unexpected(std::move(result.error()));
    HeadTable table;
    ArchiveReader archive(result->blob);
    archive(table);
    if (all.files.empty()) {
      all = std::move(table);
      one = std::move(result->json);
      height = std::strtod(command.option("height").empty() ? "nan" : command.option("height").c_str(), nullptr);
      if (!(height >= 0)) height = kSimilarHeight;
    } else if (auto pooled = pool(all, table); !pooled) {
      return tl::unexpected(std::move(pooled.error()));
    }
    for (auto item : dump->info.report) {
      item.where = item.where.empty() ? dump->info.file : dump->info.file + ", " + item.where;
      report.push_back(std::move(item));
    }
  }
  return command.files.size() == 1 ? one : heads_json(all, height, report);
}

std::string heads_text(const rapidjson::Value& heads, const CommandLine& command) {
  std::string out;
  for (const auto& head : heads["scores"].GetArray()) {
    if (head["role"] == "mixed") continue;
    out += fmt::format("layer {}, head {}: {} {}, chance {}\n", head["layer"].GetInt() + 1, head["head"].GetInt() + 1, text_of(head["role"]),
                       shown_number(head["role_score"]), shown_number(head["role_chance"]));
  }
  if (heads["similar"].IsObject()) {
    for (const auto& cluster : heads["similar"]["clusters"].GetArray()) {
      std::string names;
      for (const auto& head : cluster.GetArray()) names += fmt::format("{}{}.{}", names.empty() ? "" : " ", head[0].GetInt() + 1, head[1].GetInt() + 1);
      out += "alike (layer.head): " + names + "\n";
    }
  }
  return out + narration_lines(heads, command) + report_lines(heads["report"]);
}

}  // namespace rollscope
