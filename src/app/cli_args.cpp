#include "app/cli_args.h"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "app/cli_commands.h"
#include "app/verbs_args.h"
#include "base/narration.h"

namespace rollscope {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void write(Writer& json, const Options& options) {
  json.StartObject();
  for (const auto& [name, value] : options) {
    json.Key(name.c_str());
    json.String(value.c_str());
  }
  json.EndObject();
}

bool is_recipe_option(std::string_view name) { return std::find(kRecipeOptions.begin(), kRecipeOptions.end(), name) != kRecipeOptions.end(); }

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Whether the command takes an option of this name, given without its dashes.
bool takes(const Command& command, std::string_view name) {
  if (name == "language") return command.name != "info";
  if (name == "assume" || name == "item" || name == "tokens") return command.dumps;
  const std::string key = with_underscores(std::string(name));
  if (name.find('_') != name.npos) return false;
  return (command.recipe && is_recipe_option(key)) || std::find(command.options.begin(), command.options.end(), key) != command.options.end();
}

std::string command_names() {
  std::string out;
  const auto all = commands();
  for (std::size_t i = 0; i < all.size(); ++i) out += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + std::string(all[i].name);
  return out;
}

Result<void> read_option(CommandLine& out, const std::string& name, const std::string& value) {
  if (name == "--assume") {
    const auto split = value.find('=');
    if (split == value.npos || split == 0 || split + 1 == value.size())
      return fail(ErrorCode::bad_value, {{"option", "--assume"}, {"value", value}, {"allowed", "NAME=VALUE, for instance layout=heads"}});
    out.assume[value.substr(0, split)] = value.substr(split + 1);
  } else if (name == "--tokens") {
    out.tokens.push_back(value);
  } else if (name == "--language") {
    if (std::none_of(std::begin(kLanguages), std::end(kLanguages), [&](Language l) { return language_name(l) == value; }))
      return fail(ErrorCode::bad_value, {{"option", "--language"}, {"value", value}, {"allowed", "en, fr or ja"}});
    out.language = value;
  } else if (name == "--item") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out.item);
    if (error != std::errc() || end != value.data() + value.size())
      return fail(ErrorCode::bad_value, {{"option", "--item"}, {"value", value}, {"allowed", "a whole number, counted from 0"}});
    if (out.item < 0) return fail(ErrorCode::bad_value, {{"option", "--item"}, {"value", value}, {"allowed", "a number from 0 on"}});
  } else {
    out.options[with_underscores(name.substr(2))] = value;
  }
  return {};
}

}  // namespace

tl::unexpected<Error> wrong_usage(std::string detail) { return fail(ErrorCode::usage, {{"detail", std::move(detail)}}); }

std::string CommandLine::option(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() ? std::string() : found->second;
}

Result<CommandLine> parse_command_line(const std::vector<std::string>& words) {
  CommandLine out{.verb = "help", .files = {}, .tokens = {}, .assume = {}, .options = {}};
  if (words.empty()) return wrong_usage("Say what to do: rollscope info FILE, or rollscope explain FILE");
  for (const auto& word : words) {
    if (word == "--help" || word == "-h") return out;
    if (word == "--version") {
      out.verb = "version";
      return out;
    }
  }
  out.verb = words[0];
  const Command* const command = find_command(out.verb);
  if (!command && out.verb.rfind('-', 0) == 0) return fail(ErrorCode::unknown_option, {{"option", out.verb}, {"verb", "rollscope"}});
  if (!command) return wrong_usage("There is no command \"" + out.verb + "\"; there are " + command_names());

  bool only_files = false;  // after a lone --
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" && !only_files) {
      only_files = true;
      continue;
    }
    if (only_files || word.rfind('-', 0) != 0 || word == "-") {
      if (command->most == 1 && !out.files.empty()) return wrong_usage("One file at a time: \"" + out.files.front() + "\" and \"" + word + "\" were given");
      if (static_cast<int>(out.files.size()) == command->most) return wrong_usage("At most " + std::to_string(command->most) + " files: \"" + word + "\" is one more");
      if (word.empty()) return wrong_usage("The file's name is empty");
      out.files.push_back(word);
      continue;
    }
    if (word == "--json") {
      out.json = true;
      continue;
    }
    if (const auto& switches = command->switches; word.starts_with("--") && std::find(switches.begin(), switches.end(), with_underscores(word.substr(2))) != switches.end()) {
      out.options[with_underscores(word.substr(2))] = "yes";
      continue;
    }
    const auto equals = word.find('=');
    const std::string name = word == "-o" ? "--output" : word.substr(0, equals);
    if (name.size() < 3 || name.rfind("--", 0) != 0 || !takes(*command, name.substr(2))) return fail(ErrorCode::unknown_option, {{"option", name}, {"verb", out.verb}});
    std::string value;
    if (equals != word.npos) {
      value = word.substr(equals + 1);
    } else {
      if (++i == words.size()) return wrong_usage(name + " needs a value");
      value = words[i];
      if (value.rfind("--", 0) == 0) return wrong_usage(name + " needs a value, and " + value + " is an option");
    }
    if (value.empty()) return wrong_usage(name + " needs a value");
    if (auto read = read_option(out, name, value); !read) return tl::unexpected(std::move(read.error()));
  }
  if (static_cast<int>(out.files.size()) < command->fewest) return wrong_usage("Which file? rollscope " + out.verb + " FILE");
  return out;
}

std::string without_folders(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

std::string open_json(const CommandLine& command, const std::string& file, bool describe) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  json.Key("name");
  json.String(without_folders(file).c_str());
  json.Key("assume");
  write(json, command.assume);
  json.Key("item");
  json.Int(command.item);
  json.Key("describe");
  json.Bool(describe);
  json.EndObject();
  return buffer.GetString();
}

std::string with_beside(const std::string& open_args, const std::string& name, const std::string& text) {
  rapidjson::Document args;
  args.Parse(open_args.c_str());
  auto& memory = args.GetAllocator();
  if (!args.HasMember("beside")) args.AddMember("beside", rapidjson::Value(rapidjson::kArrayType), memory);
  rapidjson::Value one(rapidjson::kObjectType);
  one.AddMember("name", rapidjson::Value(name.data(), static_cast<rapidjson::SizeType>(name.size()), memory), memory);
  one.AddMember("text", rapidjson::Value(text.data(), static_cast<rapidjson::SizeType>(text.size()), memory), memory);
  args["beside"].PushBack(one, memory);
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  args.Accept(json);
  return {buffer.GetString(), buffer.GetSize()};
}

std::string options_json(const Options& options) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  write(json, options);
  return {buffer.GetString(), buffer.GetSize()};
}

Options recipe_options(const Options& options) {
  Options out;
  for (const auto& [name, value] : options)
    if (is_recipe_option(name)) out[name] = value;
  return out;
}

Result<Options> recipe_words(std::string_view option, const std::string& text) {
  Options out;
  std::string* last = nullptr;
  for (std::size_t at = 0; at <= text.size();) {
    const auto comma = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, comma - at);
    const auto equals = part.find('=');
    const std::string name = with_underscores(part.substr(0, equals));
    if (equals != part.npos && is_recipe_option(name) && equals + 1 < part.size()) {
      last = &out[name];
      *last = part.substr(equals + 1);
    } else if (equals == part.npos && last && !part.empty()) {
      *last += "," + part;
    } else {
      return fail(ErrorCode::bad_value, {{"option", std::string(option)}, {"value", text}, {"allowed", "options of a recipe, for instance method=rollout,residual=0.5"}});
    }
    at = comma + 1;
  }
  return out;
}

Error with_dashes(Error error) {
  const auto option = error.params.find("option");
  if (option != error.params.end() && option->second.rfind('-', 0) != 0) {
    std::replace(option->second.begin(), option->second.end(), '_', '-');
    option->second = "--" + option->second;
  }
  return error;
}

}  // namespace rollscope
