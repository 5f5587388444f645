// rollscope faithfulness: plans that came back with the model's outputs, over one dump or a folder.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/faithfulness.h"
#include "app/cli_commands.h"
#include "app/cli_dump.h"
#include "app/cli_files.h"
#include "app/verbs.h"

namespace rollscope {
namespace {

constexpr std::uint64_t kPlanBytes = 256'000'000;

struct Evaluated {
  std::string file;
  RemovalPlan plan;
  Faithfulness result;
};

void write_list(JsonWriter17& json, std::string_view name, const std::vector<double>& numbers) {
  json.name(name);
  write_row(json, numbers);
}

void write_scores(JsonWriter17& json, std::string_view name, const FaithfulnessScores& scores) {
  json.name(name);
  json.StartObject();
  for (const auto& field : faithfulness_fields()) json.field(field.name, scores.*field.score);
  json.EndObject();
}

void write_plan(JsonWriter17& json, const Evaluated& e) {
  const RemovalCurves& c = e.result.curves;
  json.StartObject();
  json.field("file", e.file);
  json.field("dump", e.plan.dump);
  json.field("query", e.plan.query);
  json.field("method", e.plan.method);
  if (!e.plan.recipe.empty()) json.field("recipe", e.plan.recipe);
  json.field("p_full", e.result.p_full);
  json.field("p_empty", e.result.p_empty);
  write_list(json, "x", c.x);
  write_list(json, "deletion", c.deletion);
  write_list(json, "insertion", c.insertion);
  write_list(json, "fractions", e.plan.fractions);
  json.name("k");
  write_ints(json, c.k);
  write_list(json, "comprehensiveness", c.comprehensiveness);
  write_list(json, "sufficiency", c.sufficiency);
  write_list(json, "log_odds", c.log_odds);
  write_list(json, "log_probability", c.log_probability);
  write_scores(json, "scores", c.scores);
  json.name("random");
  json.StartArray();
  for (const auto& random : e.result.random) {
    json.StartObject();
    write_list(json, "deletion", random.deletion);
    write_list(json, "insertion", random.insertion);
    write_scores(json, "scores", random.scores);
    json.EndObject();
  }
  json.EndArray();
  json.name("occluded");
  write_ints(json, e.result.occluded);
  write_list(json, "occlusion", e.result.occlusion);
  json.field("spearman_with_occlusion", e.result.spearman_with_occlusion);
  json.field("spearman_with_signed_occlusion", e.result.spearman_with_signed_occlusion);
  json.EndObject();
}

void write_interval(JsonWriter17& json, std::string_view name, const MeanInterval& m) {
  json.name(name);
  json.StartObject();
  json.field("mean", m.mean);
  json.field("low", m.low);
  json.field("high", m.high);
  json.field("count", m.count);
  json.EndObject();
}

// One method over all its plans.
void write_summary(JsonWriter17& json, const std::string& recipe, const std::vector<Faithfulness>& dumps) {
  const ResamplingOptions options;
  const auto against = against_random(dumps, options);
  json.StartObject();
  json.field("recipe", recipe);
  json.field("plans", static_cast<int>(dumps.size()));
  json.field("test", dumps.size() == 1 ? "rank among the random orders, one-sided" : "paired sign-flip over dumps, two-sided");
  json.field("level", options.level);
  json.name("scores");
  json.StartArray();
  for (std::size_t f = 0; f < against.size(); ++f) {
    const auto& field = faithfulness_fields()[f];
    json.StartObject();
    json.field("name", field.name);
    json.field("high_is_good", field.high_is_good);
    write_interval(json, "own", against[f].own);
    write_interval(json, "random", against[f].random);
    write_interval(json, "gain", against[f].gain.difference);
    json.field("p_value", against[f].p_value);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace

Result<std::string> answer_faithfulness(const CommandLine& command) {
  auto files = files_with(command.files, {".json"});
  if (!files) return tl::unexpected(std::move(files.error()));
  std::vector<Evaluated> all;
  for (const auto& file : *files) {
    const auto about = [&](Error error) {
      error.params.emplace("file", file);
      return tl::unexpected(std::move(error));
    };
    auto text = read_text(file, kPlanBytes, "a removal plan is a list of masks");
    if (!text) return tl::unexpected(std::move(text.error()));
    auto plan = read_removal_plan(*text);
    if (!plan) return about(std::move(plan.error()));
    auto result = evaluate(*plan);
    if (!result) return about(std::move(result.error()));
    all.push_back({without_folders(file), std::move(*plan), std::move(*result)});
  }
  // Plans of one recipe belong together, in the order in which recipes appear.
  std::vector<std::pair<std::string, std::vector<Faithfulness>>> recipes;
  for (const auto& e : all) {
    const std::string& name = e.plan.recipe.empty() ? e.plan.method : e.plan.recipe;
    auto found = std::find_if(recipes.begin(), recipes.end(), [&](const auto& r) { return r.first == name; });
    if (found == recipes.end()) found = recipes.insert(recipes.end(), {name, {}});
    found->second.push_back(e.result);
  }
  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  json.name("plans");
  json.StartArray();
  for (const auto& e : all) write_plan(json, e);
  json.EndArray();
  json.name("summary");
  json.StartArray();
  for (const auto& [name, dumps] : recipes) write_summary(json, name, dumps);
  json.EndArray();
  json.name("narration");
  write_narration(json, std::vector<Fact>{{NarrationId::removal_caveat, {}}});
  json.field("engine", ROLLSCOPE_VERSION);
  json.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize());
}

std::string faithfulness_text(const rapidjson::Value& f, const CommandLine& command) {
  std::string out;
  for (const auto& summary : f["summary"].GetArray()) {
    const int plans = summary["plans"].GetInt();
    out += fmt::format("{} ({} {})\n", text_of(summary["recipe"]), plans, plans == 1 ? "plan" : "plans");
    for (const auto& score : summary["scores"].GetArray()) {
      const auto& gain = score["gain"];
      out += fmt::format("  {}: {}, random {}, gain {}", text_of(score["name"]), shown_number(score["own"]["mean"], 3), shown_number(score["random"]["mean"], 3), shown_number(gain["mean"], 3));
      if (gain["low"].IsNumber()) out += fmt::format(" ({} to {})", shown_number(gain["low"], 3), shown_number(gain["high"], 3));
      out += fmt::format(", p {}; {} is good\n", shown_number(score["p_value"], 3), score["high_is_good"].GetBool() ? "high" : "low");
    }
  }
  for (const auto& plan : f["plans"].GetArray())
    out += fmt::format("{}: p {} with all tokens, {} without; Spearman with occlusion {}\n", text_of(plan["file"]), shown_number(plan["p_full"], 3),
                       shown_number(plan["p_empty"], 3), shown_number(plan["spearman_with_occlusion"]));
  return out + narration_lines(f, command);
}

}  // namespace rollscope
