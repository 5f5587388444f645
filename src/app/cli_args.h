// The command line's words, sorted: what to do, on which file, with which options.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace rollscope {

struct CommandLine {
  enum class Verb { help, version, info, explain } verb = Verb::help;
  std::string file;
  std::string tokens;  // file with the tokens; "": none
  bool json = false;
  std::string open_args = "{}";  // JSON for Session::open
  std::string ask_args = "{}";   // JSON for Session::ask
};

// Errors, all with exit status 2: usage, unknown_option, bad_value.
[[nodiscard]] Result<CommandLine> parse_command_line(const std::vector<std::string>& words);
[[nodiscard]] std::string without_folders(const std::string& path);
// `open_args` with one more text that lies beside the dump (ImportOptions::Beside).
[[nodiscard]] std::string with_beside(const std::string& open_args, const std::string& name, const std::string& text);
// The same error with its option spelt as on the command line.
[[nodiscard]] Error with_dashes(Error error);
[[nodiscard]] const char* help_text();

}  // namespace rollscope
