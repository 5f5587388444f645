// rollscope plan, for people; the plan itself is the JSON.
#include <fmt/format.h>

#include "app/cli_commands.h"
#include "app/cli_dump.h"

namespace rollscope {

std::string plan_text(const rapidjson::Value& plan, const CommandLine& command) {
  std::string out = text_of(plan["recipe"]) + "\n", order;
  for (const auto& k : plan["order"].GetArray()) order += (order.empty() ? "" : ", ") + text_of(plan["tokens"][k.GetUint()]);
  out += fmt::format("Removed in this order: {}\n", order);
  out += fmt::format("{} runs of the model, {} random orders. rollscope plan --json > plan.json writes the masks; fill in every \"p\", then rollscope faithfulness plan.json.\n",
                     plan["steps"].Size(), plan["random_orders"].Size());
  return out + sentence({NarrationId::removal_caveat, {}}, language_of(command)) + "\n";
}

}  // namespace rollscope
