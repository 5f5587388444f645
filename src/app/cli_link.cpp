// rollscope link: an explanation as a link, with what fits where and what it costs. rollscope unlink: what a link holds.
#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdio>

#include "app/cli_commands.h"
#include "app/cli_dump.h"

namespace rollscope {
namespace {

constexpr std::size_t kInput = 1'000'000;  // bytes of standard input; longer is no link

// Options of the command as the verb's arguments.
std::string link_args(const CommandLine& command) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  const auto text = [&](const char* name, const std::string& value) {
    json.Key(name);
    json.String(value.c_str());
  };
  json.Key("recipe");
  const std::string recipe = options_json(recipe_options(command.options));
  json.RawValue(recipe.data(), recipe.size(), rapidjson::kObjectType);
  for (const auto& [option, name] : {std::pair{"row", "query"}, {"budget", "budget"}, {"base", "base"}, {"src", "src"}, {"payload", "payload"}, {"what", "payload"}})
    if (const std::string value = command.option(option); !value.empty()) text(name, value);
  json.Key("text");
  json.Bool(command.option("no_text").empty());
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string standard_input() {
  std::string out;
  char piece[4096];
  while (out.size() < kInput) {
    const auto got = std::fread(piece, 1, sizeof piece, stdin);
    if (got == 0) break;
    out.append(piece, got);
  }
  return out;
}

std::string words(const rapidjson::Value& list) {
  std::string out;
  for (const auto& one : list.GetArray()) out += (out.empty() ? "" : ", ") + text_of(one);
  return out.empty() ? "nothing" : out;
}

std::string table(const rapidjson::Value& link) {
  std::string out = "payload  steps   characters  largest error  top 3 kept  new ties  left out\n";
  for (const auto& rung : link["ladder"].GetArray()) {
    const bool measured = rung.HasMember("max_error");
    out += fmt::format("{:<8} {:<7} {:>10}  {:>13}  {:>10}  {:>8}  {}\n", text_of(rung["payload"]), text_of(rung["quantisation"]), rung["characters"].GetInt(),
                       measured ? fmt::format("{:.4f}", rung["max_error"].GetDouble()) : "-", measured ? text_of(rung["top3_kept"]) : "-",
                       measured ? std::to_string(rung["new_ties"].GetInt()) : "-", words(rung["left_out"]));
  }
  return out;
}

}  // namespace

Result<std::string> answer_link(const CommandLine& command) {
  if (!command.option("decode").empty()) return answer_unlink(command);
  if (!command.option("what").empty() && !command.option("payload").empty()) return wrong_usage("--what and --payload say the same: give one of them");
  auto dump = open_dump(command, command.files.front());
  if (!dump) return tl::unexpected(std::move(dump.error()));
  auto result = dump->ask("link", link_args(command));
  if (!result) return tl::unexpected(std::move(result.error()));
  return std::move(result->json);
}

std::string link_text(const rapidjson::Value& link, const CommandLine& command) {
  if (!command.option("decode").empty()) return unlink_text(link, command);
  // The link alone on standard output, so that it can be piped; what it costs stands beside it.
  const std::string note = table(link);
  std::fwrite(note.data(), 1, note.size(), stderr);
  return text_of(link["link"]) + "\n";
}

Result<std::string> answer_unlink(const CommandLine& command) {
  const std::string& given = command.files.front();
  Session session;
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  json.Key("link");
  const std::string link = given == "-" ? standard_input() : given;
  json.String(link.data(), static_cast<rapidjson::SizeType>(link.size()));
  json.EndObject();
  auto asking = session.ask("unlink", {buffer.GetString(), buffer.GetSize()});
  if (!asking) return tl::unexpected(std::move(asking.error()));
  auto result = finish(**asking);
  if (!result) return tl::unexpected(std::move(result.error()));
  return std::move(result->json);
}

std::string unlink_text(const rapidjson::Value& link, const CommandLine&) {
  std::string out;
  const bool whole = link.HasMember("data");
  if (whole || link.HasMember("saved")) {
    const auto& data = link[whole ? "data" : "saved"];
    rapidjson::StringBuffer buffer;
    rapidjson::Writer recipe(buffer);
    data["recipe"].Accept(recipe);
    out += fmt::format("{}{} of {}, {} layers, {} tokens, {}\n", whole ? "" : "the text alone of: ", text_of(data["payload"]), text_of(data["stream"]), data["layers"].Size(),
                       data["keys"].Size(), text_of(data["quantisation"]));
    out += fmt::format("recipe, where it is not the standard one: {}\n", buffer.GetString());
    if (data["max_error"].IsNumber()) out += fmt::format("largest error, as its writer measured it: {:.4f}\n", data["max_error"].GetDouble());
    if (data["text"].GetBool()) {
      std::string text;
      for (const auto& token : data["keys"].GetArray()) text += (text.empty() ? "" : " ") + text_of(token);
      out += text + "\n";
    } else {
      out += "its text was left out\n";
    }
  }
  for (const char* name : {"sha", "src"})
    if (link.HasMember(name)) out += fmt::format("{}: {}\n", name, text_of(link[name]));
  for (const auto& problem : link["problems"].GetArray())
    out += fmt::format("error[{}]: {} {}\n", text_of(problem["error"]["code"]), text_of(problem["error"]["text"]), text_of(problem["error"]["fix"]));
  return out;
}

}  // namespace rollscope
