// The command line (contracts, "Command line"). Standard output holds the answer alone; an error is one line on
// standard error: error[code]: what is wrong; what to do.
#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "app/cli_args.h"
#include "app/cli_commands.h"

namespace {

using namespace rollscope;

void put(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int complain(Error error, const std::string& file) {
  error = with_dashes(std::move(error));
  error.params.emplace("file", file);
  auto what = error_text(error), fix = error_fix(error);
  if (what.ends_with('.')) what.pop_back();  // one sentence with what to do
  auto line = fix.empty() ? fmt::format("error[{}]: {}", error_name(error.code), what)
                          : fmt::format("error[{}]: {}; {}", error_name(error.code), what, fix);
  // One line, whatever a file name or a member's name holds.
  std::replace_if(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
  return error_exit_status(error.code);
}

}  // namespace

int main(int count, char** values) {
  auto command = parse_command_line({values + 1, values + count});
  if (!command) return complain(std::move(command.error()), "rollscope");
  if (command->verb == "help") {
    put(help_text());
    return 0;
  }
  if (command->verb == "version") {
    put("rollscope " ROLLSCOPE_VERSION "\n");
    return 0;
  }
  const Command& what = *find_command(command->verb);
  auto text = what.answer(*command);
  if (!text) return complain(std::move(text.error()), command->files.empty() ? "rollscope" : command->files.front());
  if (command->json) {
    put(*text + "\n");
  } else {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseFullPrecisionFlag>(text->c_str());
    put(what.readable(document, *command));
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
