// rollscope explain: the weights of one output token, or of all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "app/cli_commands.h"
#include "app/cli_dump.h"

namespace rollscope {

Result<std::string> answer_verb(const CommandLine& command) {
  auto dump = open_dump(command, command.files.front());
  if (!dump) return tl::unexpected(std::move(dump.error()));
  auto result = dump->ask(command.verb, options_json(command.options));
  if (!result) return tl::unexpected(std::move(result.error()));
  return std::move(result->json);
}

std::string explain_text(const rapidjson::Value& e, const CommandLine& command) {
  auto out = text_of(e["recipe"]["sentence"]) + "\n";
  const auto& keys = e["keys"];
  if (e["diagnostics"].HasMember("pairs")) {
    for (const auto& pair : e["diagnostics"]["pairs"].GetArray()) {
      const std::string where = text_of(pair["end"]);
      out += fmt::format("{} {}, {} {}: {}", pair["row"].GetInt(), text_of(pair["query_label"]), pair["key"].GetInt(), text_of(pair["key_label"]), shown_number(pair["flow"], 4));
      if (!pair["layer"].IsNull()) out += fmt::format("; narrowest {} in layer {}, {} arcs", where == "inside" ? where : "at the " + where, pair["layer"].GetInt(), pair["arcs"].Size());
      out += '\n';
    }
    return out + report_lines(e["report"]);
  }
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
  if (e.HasMember("difference")) {
    const auto& d = e["difference"];
    out += fmt::format("Above 0: more for {}, below: more for {}. One scale for both and their difference: -{} to {}\n", text_of(d["of"]), text_of(d["minus"]), shown_number(d["scale"], 3),
                       shown_number(d["scale"], 3));
  }
  if (e["diagnostics"].HasMember("region")) {
    const auto& rows = e["diagnostics"]["region"]["rows"];
    for (rapidjson::SizeType r = 0; r < rows.Size(); ++r) {
      std::string verdict = text_of(rows[r]["verdict"]);
      std::replace(verdict.begin(), verdict.end(), '_', ' ');
      out += fmt::format("{}, on the region: {}, shuffled {} to {}: {}\n", text_of(e["queries"][r]), shown_number(rows[r]["share"], 3), shown_number(rows[r]["low"], 3),
                         shown_number(rows[r]["high"], 3), verdict);
    }
  }
  return out + narration_lines(e, command) + report_lines(e["report"]);
}

}  // namespace rollscope
