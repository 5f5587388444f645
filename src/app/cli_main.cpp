// The command line (contracts, "Command line"). Standard output holds the answer alone; an error is one line on
// standard error: error[code]: what is wrong; what to do.
#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "app/cli_args.h"
#include "app/session.h"
#include "platform/file_source_native.h"

namespace {

using namespace rollscope;
using Json = rapidjson::Value;

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

std::string text_of(const Json& v) { return {v.GetString(), v.GetStringLength()}; }

std::string report_lines(const Json& report) {
  std::string out;
  for (const auto& item : report.GetArray()) {
    out += fmt::format("{}[{}]: {}", text_of(item["severity"]), text_of(item["code"]), text_of(item["text"]));
    if (item.HasMember("where")) out += fmt::format(" ({})", text_of(item["where"]));
    if (item.HasMember("fix")) out += " " + text_of(item["fix"]);
    out += '\n';
  }
  return out;
}

std::string info_text(const Json& info) {
  auto out = fmt::format("{} ({}, {} bytes)\n", text_of(info["file"]), text_of(info["format"]), info["bytes"].GetUint64());
  for (const auto& s : info["streams"].GetArray()) {
    const int heads = s["heads"].GetInt();
    out += fmt::format("{}: {} layer{}, {}, {} x {} tokens, {}{}\n", text_of(s["name"]), s["layers"].GetInt(), s["layers"].GetInt() == 1 ? "" : "s",
                       heads ? fmt::format("{} heads", heads) : std::string("heads fused"), s["queries"].GetInt(), s["keys"].GetInt(),
                       text_of(s["dtype"]), s["causal"].GetBool() ? ", causal" : "");
    std::string words;
    for (const auto& token : info["tokens"][s["name"]]["keys"].GetArray()) words += (words.empty() ? "  " : " ") + text_of(token["label"]);
    out += words + "\n";
  }
  return out + report_lines(info["report"]);
}

std::string explain_text(const Json& e) {
  auto out = text_of(e["recipe"]["sentence"]) + "\n";
  const auto& keys = e["keys"];
  for (rapidjson::SizeType r = 0; r < e["matrix"].Size(); ++r) {
    const auto& row = e["matrix"][r];
    std::vector<rapidjson::SizeType> order(row.Size());
    std::iota(order.begin(), order.end(), 0u);
    const bool has_sign = e["signed"].GetBool();
    const auto weight = [&](rapidjson::SizeType j) { return row[j].IsNull() ? -1 : has_sign ? std::abs(row[j].GetDouble()) : row[j].GetDouble(); };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return weight(a) > weight(b); });
    const bool shares = e["recipe"]["unit"] == "rollout weight" || e["recipe"]["unit"] == "attention weight";
    out += fmt::format("{}:", text_of(e["queries"][r]));
    const std::size_t shown = std::min<std::size_t>(order.size(), 5);
    double rest = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const double w = std::max(0.0, weight(order[k]));
      if (k < shown) {
        out += fmt::format("{} {}", k ? "," : "", text_of(keys[order[k]]));
        out += shares ? fmt::format(" {:.1f} %", 100 * w) : row[order[k]].IsNull() ? std::string(" no value") : fmt::format(" {:.4g}", row[order[k]].GetDouble());
      } else {
        rest += w;
      }
    }
    if (order.size() > shown && shares) out += fmt::format(", {} {} {:.1f} %", order.size() - shown, order.size() - shown == 1 ? "other" : "others", 100 * rest);
    const auto& spread = e["diagnostics"]["spread"][r];
    if (!spread.IsNull()) out += fmt::format("; spread {:.1f} of {}", spread.GetDouble(), e["diagnostics"]["visible"][r].GetInt());
    out += '\n';
  }
  return out + report_lines(e["report"]);
}

std::string readable(const CommandLine& command, const std::string& json) {
  rapidjson::Document document;
  document.Parse(json.c_str());
  return command.verb == CommandLine::Verb::info ? info_text(document) : explain_text(document);
}

// The arguments of opening, with the text of the file of tokens.
Result<std::string> open_args(const CommandLine& command) {
  constexpr std::uint64_t kLimit = 16'000'000;
  if (command.tokens.empty()) return command.open_args;
  const auto about = [&](Error error) {
    error.params["file"] = command.tokens;
    return tl::unexpected(std::move(error));
  };
  auto source = FileSource::open(command.tokens);
  if (!source) return about(std::move(source.error()));
  const auto size = (*source)->size();
  if (size > kLimit)
    return about({ErrorCode::too_big, {{"needed", fmt::format("{} bytes", size)}, {"limit", fmt::format("{} bytes", kLimit)}, {"detail", "a list of tokens is short"}}});
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  if (auto read = (*source)->read(0, bytes); !read) return about(std::move(read.error()));
  return with_beside(command.open_args, without_folders(command.tokens), std::string(bytes.begin(), bytes.end()));
}

Result<std::string> answer(const CommandLine& command) {
  const auto args = open_args(command);
  if (!args) return tl::unexpected(args.error());
  auto source = FileSource::open(command.file);
  if (!source) return tl::unexpected(std::move(source.error()));
  Session session;
  auto opening = session.open(std::move(*source), *args);
  if (!opening) return tl::unexpected(std::move(opening.error()));
  auto opened = finish(**opening);
  if (!opened) return tl::unexpected(std::move(opened.error()));
  if (command.verb == CommandLine::Verb::info) return std::move(opened->json);
  auto asking = session.ask("explain", command.ask_args);
  if (!asking) return tl::unexpected(std::move(asking.error()));
  auto explained = finish(**asking);
  if (!explained) return tl::unexpected(std::move(explained.error()));
  return std::move(explained->json);
}

}  // namespace

int main(int count, char** values) {
  auto command = parse_command_line({values + 1, values + count});
  if (!command) return complain(std::move(command.error()), "rollscope");
  if (command->verb == CommandLine::Verb::help) {
    put(help_text());
    return 0;
  }
  if (command->verb == CommandLine::Verb::version) {
    put("rollscope " ROLLSCOPE_VERSION "\n");
    return 0;
  }
  auto text = answer(*command);
  if (!text) return complain(std::move(text.error()), command->file);
  put(command->json ? *text + "\n" : readable(*command, *text));
  return std::fflush(stdout) == 0 ? 0 : 1;
}
