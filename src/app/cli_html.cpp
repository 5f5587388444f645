// rollscope html: an explanation as one HTML file, made of the page that the web build has packed (web/single.html).
#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "app/cli_commands.h"
#include "app/cli_dump.h"
#include "io/bytes.h"
#include "io/gzip.h"

namespace rollscope {
namespace {

namespace fs = std::filesystem;
using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

constexpr std::uint64_t kMostDump = 100'000'000;  // bytes; browsers open a file of more than that slowly or not at all
constexpr std::uint64_t kMostPage = 8'000'000, kTokensBytes = 16'000'000;

// The packed page beside the program that was built with it: build/native/rollscope, build/site/a/HASH/single.html.
Result<std::string> page_file(const CommandLine& command) {
  if (std::string named = command.option("page"); !named.empty()) return named;
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  std::string newest;
  fs::file_time_type since{};
  if (!failed)
    for (const auto& entry : fs::directory_iterator(program.parent_path() / "../site/a", failed)) {
      const fs::path page = entry.path() / "single.html";
      std::error_code missing;
      const auto written = fs::last_write_time(page, missing);
      if (!missing && (newest.empty() || written > since)) {
        newest = page.string();
        since = written;
      }
    }
  if (newest.empty()) return wrong_usage("The page is not built beside this program: run web/run --build-only, or name its single.html by --page");
  return newest;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes.size() * 4 / 3 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t held = 0;
    for (std::size_t k = 0; k < 3; ++k) held = (held << 8) | (k < here ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= here ? kDigits[(held >> (18 - 6 * k)) & 63] : '=';
  }
  return out;
}

// JSON inside a script element: no sign of it can end the element.
std::string for_script(std::string_view json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') out += "\\u003c";
    else out += c;
  }
  return out;
}

// What the page opens: the file's name, what was assumed of it, and the view.
Result<std::string> inside(const CommandLine& command, const std::string& state) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  json.Key("name");
  json.String(without_folders(command.files.front()).c_str());
  json.Key("assume");
  json.StartObject();
  for (const auto& [name, value] : command.assume) {
    json.Key(name.c_str());
    json.String(value.c_str());
  }
  json.EndObject();
  json.Key("item");
  json.Int(command.item);
  json.Key("beside");
  json.StartArray();
  for (const auto& file : command.tokens) {
    auto text = read_text(file, kTokensBytes, "a list of tokens is short");
    if (!text) return tl::unexpected(std::move(text.error()));
    json.StartObject();
    json.Key("name");
    json.String(without_folders(file).c_str());
    json.Key("text");
    json.String(text->data(), static_cast<rapidjson::SizeType>(text->size()));
    json.EndObject();
  }
  json.EndArray();
  json.Key("packed");
  json.String("gzip");
  if (const std::string site = command.option("base"); !site.empty()) {
    json.Key("site");
    json.String(site.c_str());
  }
  json.Key("state");
  json.RawValue(state.data(), state.size(), rapidjson::kObjectType);
  json.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize());
}

// The view as setState takes it. Errors: those of the recipe and the row.
Result<std::string> view_state(const CommandLine& command, const CliDump& dump) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  json.Key("recipe");
  const std::string recipe = options_json(recipe_options(command.options));
  json.RawValue(recipe.data(), recipe.size(), rapidjson::kObjectType);
  if (const std::string row = command.option("row"); !row.empty()) {
    json.Key("query");
    json.String(row.c_str());
  }
  json.EndObject();
  auto answer = dump.ask("state", {buffer.GetString(), buffer.GetSize()});
  if (!answer) return tl::unexpected(std::move(answer.error()));
  return std::move(answer->json);
}

}  // namespace

Result<std::string> answer_html(const CommandLine& command) {
  const std::string to = command.option("output");
  if (to.empty()) return wrong_usage("Where to? rollscope html FILE -o OUT.html");
  auto dump = open_dump(command, command.files.front());
  if (!dump) return tl::unexpected(std::move(dump.error()));
  auto state = view_state(command, *dump);
  if (!state) return tl::unexpected(std::move(state.error()));
  auto words = inside(command, *state);
  if (!words) return tl::unexpected(std::move(words.error()));
  auto file = page_file(command);
  if (!file) return tl::unexpected(std::move(file.error()));
  auto page = read_text(*file, kMostPage, "the page");
  if (!page) return tl::unexpected(std::move(page.error()));
  constexpr std::string_view kInside = "{{inside}}", kDump = "{{dump}}";
  const auto first = page->rfind(kInside), second = page->rfind(kDump);
  if (first == page->npos || second == page->npos || second < first) return wrong_usage(*file + " is not the single.html of a web build");
  auto bytes = read_text(command.files.front(), kMostDump, "a dump in one HTML file");
  if (!bytes) return tl::unexpected(std::move(bytes.error()));
  auto packed = gzipped(*bytes);
  if (!packed) return tl::unexpected(std::move(packed.error()));
  std::string out = page->substr(0, first) + for_script(*words) + page->substr(first + kInside.size(), second - first - kInside.size());
  out += base64(*packed);
  out += page->substr(second + kDump.size());
  if (auto done = write_file(to, out); !done) return tl::unexpected(std::move(done.error()));

  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  json.Key("file");
  json.String(to.c_str());
  json.Key("bytes");
  json.Uint64(out.size());
  json.Key("machine");
  json.Uint64(page->size());
  json.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize());
}

std::string html_text(const rapidjson::Value& html, const CommandLine&) {
  const auto bytes = html["bytes"].GetDouble(), machine = html["machine"].GetDouble();
  return fmt::format("{}: {}, of which the page is {}; it opens by double click, without a network\n", text_of(html["file"]), human_bytes(bytes), human_bytes(machine));
}

}  // namespace rollscope
