// The command line's words, sorted: what to do, on which files, with which options.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rollscope {

using Options = std::map<std::string, std::string, std::less<>>;  // "merge_queries": "last"

struct CommandLine {
  std::string verb;                // a name of commands() (cli_commands.h); "help", "version"
  std::vector<std::string> files;  // as many as the command takes
  std::vector<std::string> tokens;  // files with the tokens: one for all dumps, or one for each in their order
  std::string language = "en";     // of sentences for people
  bool json = false;
  int item = 0;
  Options assume, options;

  // The option, or "" where it was not given.
  [[nodiscard]] std::string option(std::string_view name) const;
};

// Errors, all with exit status 2: usage, unknown_option, bad_value.
[[nodiscard]] Result<CommandLine> parse_command_line(const std::vector<std::string>& words);
[[nodiscard]] tl::unexpected<Error> wrong_usage(std::string detail);
[[nodiscard]] std::string without_folders(const std::string& path);
// JSON for Session::open. `describe`: a refused dump is described.
[[nodiscard]] std::string open_json(const CommandLine& command, const std::string& file, bool describe);
// The same with one more text that lies beside the dump (ImportOptions::Beside).
[[nodiscard]] std::string with_beside(const std::string& open_args, const std::string& name, const std::string& text);
// Options as JSON for Session::ask.
[[nodiscard]] std::string options_json(const Options& options);
// Those of them that describe a recipe.
[[nodiscard]] Options recipe_options(const Options& options);
// "method=rollout,heads=0,3,residual=0.2" as options: what has no = goes on with the value before it.
// Errors: bad_value, naming `option`.
[[nodiscard]] Result<Options> recipe_words(std::string_view option, const std::string& text);
// The same error with its option spelt as on the command line.
[[nodiscard]] Error with_dashes(Error error);
[[nodiscard]] const char* help_text();

}  // namespace rollscope
