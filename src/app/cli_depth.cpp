// rollscope depth: what each further layer does to the rows.
#include <fmt/format.h>

#include "app/cli_commands.h"
#include "app/cli_dump.h"

namespace rollscope {

std::string depth_text(const rapidjson::Value& depth, const CommandLine& command) {
  auto out = text_of(depth["recipe"]["sentence"]) + "\n";
  out += "layer  entropy  rank    Dobrushin  top share  sinks\n";
  for (const auto& layer : depth["layers"].GetArray())
    out += fmt::format("{:>5}  {:>7}  {:>6}  {:>9}  {:>9}  {:>5}  {}\n", layer["number"].GetInt() + 1, shown_number(layer["row_entropy_normalised_mean"]),
                       shown_number(layer["effective_rank"]), shown_number(layer["dobrushin"], 3), shown_number(layer["top_share"], 3),
                       shown_number(layer["sink_mass"]), text_of(layer["top_label"]));
  return out + narration_lines(depth, command) + report_lines(depth["report"]);
}

}  // namespace rollscope
