// What the command line can do: one row for each command, one file cli_NAME.cpp behind it.
#pragma once

#include <rapidjson/document.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli_args.h"

namespace rollscope {

struct Command {
  std::string_view name;
  int fewest = 1, most = 1;  // files
  bool dumps = true;         // they are dumps: --item, --assume and --tokens mean something
  bool recipe = false;       // takes the options of a recipe
  std::vector<std::string_view> options;  // besides
  std::vector<std::string_view> switches = {};  // of the options those without a value
  // The answer as JSON text.
  Result<std::string> (*answer)(const CommandLine&) = nullptr;
  // The same for people: lines of text.
  std::string (*readable)(const rapidjson::Value&, const CommandLine&) = nullptr;
};
[[nodiscard]] std::span<const Command> commands();
[[nodiscard]] const Command* find_command(std::string_view name);  // null: none

[[nodiscard]] Result<std::string> answer_info(const CommandLine& command);
[[nodiscard]] Result<std::string> answer_verb(const CommandLine& command);  // what the session answers under that name
[[nodiscard]] Result<std::string> answer_heads(const CommandLine& command);
[[nodiscard]] Result<std::string> answer_compare(const CommandLine& command);
[[nodiscard]] Result<std::string> answer_faithfulness(const CommandLine& command);
[[nodiscard]] Result<std::string> answer_bias(const CommandLine& command);
[[nodiscard]] Result<std::string> answer_link(const CommandLine& command);
[[nodiscard]] Result<std::string> answer_html(const CommandLine& command);
[[nodiscard]] Result<std::string> answer_unlink(const CommandLine& command);
[[nodiscard]] std::string link_text(const rapidjson::Value& link, const CommandLine& command);
[[nodiscard]] std::string html_text(const rapidjson::Value& html, const CommandLine& command);
[[nodiscard]] std::string unlink_text(const rapidjson::Value& link, const CommandLine& command);
[[nodiscard]] Result<std::string> answer_render(const CommandLine& command);
[[nodiscard]] std::string info_text(const rapidjson::Value& info, const CommandLine& command);
[[nodiscard]] std::string explain_text(const rapidjson::Value& explanation, const CommandLine& command);
[[nodiscard]] std::string heads_text(const rapidjson::Value& heads, const CommandLine& command);
[[nodiscard]] std::string depth_text(const rapidjson::Value& depth, const CommandLine& command);
[[nodiscard]] std::string compare_text(const rapidjson::Value& comparison, const CommandLine& command);
[[nodiscard]] std::string plan_text(const rapidjson::Value& plan, const CommandLine& command);
[[nodiscard]] std::string faithfulness_text(const rapidjson::Value& faithfulness, const CommandLine& command);
[[nodiscard]] std::string audit_text(const rapidjson::Value& sheet, const CommandLine& command);
[[nodiscard]] std::string render_text(const rapidjson::Value& rendered, const CommandLine& command);
[[nodiscard]] std::string bias_text(const rapidjson::Value& bias, const CommandLine& command);

}  // namespace rollscope
