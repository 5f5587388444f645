// A dump that the command line opens, and what is asked of it.
#pragma once

#include <rapidjson/document.h>

#include <memory>
#include <span>
#include <string>

#include "app/cli_args.h"
#include "app/session.h"
#include "base/narration.h"
#include "dump/dump.h"

namespace rollscope {

struct CliDump {
  std::unique_ptr<Session> session;
  DumpInfo info;
  std::string info_json;
  // Errors name the file.
  [[nodiscard]] Result<JobResult> ask(const std::string& verb, const std::string& args) const;
};
// Errors: every input error, naming the file.
[[nodiscard]] Result<CliDump> open_dump(const CommandLine& command, const std::string& file, bool describe = false);

// A text file of at most `limit` bytes. Errors: read_failed, too_big with `what`.
[[nodiscard]] Result<std::string> read_text(const std::string& path, std::uint64_t limit, const std::string& what);
// Errors: write_failed.
[[nodiscard]] Result<void> write_file(const std::string& path, std::span<const char> bytes);

// Pieces of answers as lines for people.
[[nodiscard]] std::string text_of(const rapidjson::Value& text);
[[nodiscard]] double number_of(const rapidjson::Value& number);  // null is NaN
[[nodiscard]] std::string shown_number(const rapidjson::Value& number, int digits = 2);  // "–" for null
[[nodiscard]] std::string report_lines(const rapidjson::Value& report);
[[nodiscard]] Language language_of(const CommandLine& command);
// The sentences of an answer, one a line.
[[nodiscard]] std::string narration_lines(const rapidjson::Value& answer, const CommandLine& command);

}  // namespace rollscope
