#include "app/cli_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/archive.h"
#include "platform/file_source_native.h"

namespace rollscope {

Result<std::string> read_text(const std::string& path, std::uint64_t limit, const std::string& what) {
  const auto about = [&](Error error) {
    error.params["file"] = path;
    return tl::unexpected(std::move(error));
  };
  auto source = FileSource::open(path);
  if (!source) return about(std::move(source.error()));
  const auto size = (*source)->size();
  if (size > limit)
    return about({ErrorCode::too_big, {{"needed", fmt::format("{} bytes", size)}, {"limit", fmt::format("{} bytes", limit)}, {"detail", what}}});
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  if (auto read = (*source)->read(0, bytes); !read) return about(std::move(read.error()));
  return std::string(bytes.begin(), bytes.end());
}

Result<void> write_file(const std::string& path, std::span<const char> bytes) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  const bool written = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int error = errno;
  const bool closed = file && std::fclose(file) == 0;
  if (written && closed) return {};
  return fail(ErrorCode::write_failed, {{"target", path}, {"detail", std::strerror(written ? errno : error)}});
}

Result<CliDump> open_dump(const CommandLine& command, const std::string& file, bool describe) {
  std::string args = open_json(command, file, describe);
  const auto at = static_cast<std::size_t>(std::find(command.files.begin(), command.files.end(), file) - command.files.begin());
  const std::string* beside = command.tokens.size() == 1 ? &command.tokens[0] : at < command.tokens.size() ? &command.tokens[at] : nullptr;
  if (beside) {
    auto tokens = read_text(*beside, 16'000'000, "a list of tokens is short");
    if (!tokens) return tl::unexpected(std::move(tokens.error()));
    args = with_beside(args, without_folders(*beside), *tokens);
  }
  const auto about = [&](Error error) {
    error.params.emplace("file", file);
    return tl::unexpected(std::move(error));
  };
  auto source = FileSource::open(file);
  if (!source) return about(std::move(source.error()));
  CliDump out{std::make_unique<Session>(), {}, {}};
  auto opening = out.session->open(std::move(*source), args);
  if (!opening) return about(std::move(opening.error()));
  auto opened = finish(**opening);
  if (!opened) return about(std::move(opened.error()));
  ArchiveReader archive(opened->blob);
  archive(out.info);
  out.info_json = std::move(opened->json);
  return out;
}

Result<JobResult> CliDump::ask(const std::string& verb, const std::string& args) const {
  const auto about = [&](Error error) {
    error.params.emplace("file", info.file);
    return tl::unexpected(std::move(error));
  };
  auto asking = session->ask(verb, args);
  if (!asking) return about(std::move(asking.error()));
  auto result = finish(**asking);
  if (!result) return about(std::move(result.error()));
  return result;
}

std::string text_of(const rapidjson::Value& v) { return {v.GetString(), v.GetStringLength()}; }
double number_of(const rapidjson::Value& v) { return v.IsNumber() ? v.GetDouble() : std::nan(""); }
std::string shown_number(const rapidjson::Value& v, int digits) { return v.IsNumber() ? fmt::format("{:.{}f}", v.GetDouble(), digits) : "–"; }

std::string report_lines(const rapidjson::Value& report) {
  std::string out;
  for (const auto& item : report.GetArray()) {
    out += fmt::format("{}[{}]: {}", text_of(item["severity"]), text_of(item["code"]), text_of(item["text"]));
    if (item.HasMember("where")) out += fmt::format(" ({})", text_of(item["where"]));
    if (item.HasMember("fix")) out += " " + text_of(item["fix"]);
    out += '\n';
  }
  return out;
}

Language language_of(const CommandLine& command) {
  for (const Language language : kLanguages)
    if (language_name(language) == command.language) return language;
  return Language::en;
}

std::string narration_lines(const rapidjson::Value& answer, const CommandLine& command) {
  std::string out;
  if (!answer.HasMember("narration")) return out;
  for (const auto& line : answer["narration"][command.language.c_str()].GetArray()) out += text_of(line) + "\n";
  return out;
}

}  // namespace rollscope
