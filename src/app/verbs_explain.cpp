// The explanation as JSON (explain.schema.json): what the command line prints and window.rollscope.explain() returns.
#include <algorithm>
#include <cmath>

#include "analysis/measures.h"
#include "analysis/narration.h"
#include "app/verbs.h"
#include "app/verbs_explain_parts.h"
#include "app/verbs_row.h"

namespace rollscope {
namespace {

struct Explained {
  std::vector<int> queries;
  std::vector<std::vector<double>> rows, uniform;
  std::vector<double> spreads, sums;
};

// One item per code: that of the first row that it holds for, and for how many it does.
void add_once(Report& report, std::vector<std::pair<ReportCode, int>>& counts, Report items) {
  for (auto& item : items) {
    const auto seen = std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == item.code; });
    if (seen != counts.end()) {
      ++seen->second;
      continue;
    }
    counts.emplace_back(item.code, 1);
    report.push_back(std::move(item));
  }
}

std::string explanation(const Question& q, int row, const std::optional<std::vector<int>>& region) {
  const Stream& stream = q.info();
  const MethodTraits& t = traits(q.recipe.method);
  const bool one = stored_for_one(q);
  Explained e;
  if (one) e.queries = {std::max(0, row)};
  else
    for (int i = 0; i < real_queries(q.shown); ++i)
      if (row < 0 || row == i) e.queries.push_back(i);
  const auto strong = t.attention ? strong_keys(stream, q.recipe, q.data().stats) : StrongKeys{};
  const double distance = q.result && !q.minus ? q.result->distance : -1;

  Report report = recipe_report(q, strong);
  std::vector<std::pair<ReportCode, int>> counts;
  std::optional<ResidualRange> range;
  std::vector<Fact> facts;
  for (const int i : e.queries) {
    RowAnswer answer = row_answer(q, i, row >= 0);
    if (row >= 0) facts = row_facts(q, i, answer);
    e.spreads.push_back(answer.spread);
    e.sums.push_back(answer.sum);
    add_once(report, counts, std::move(answer.limits));
    e.rows.push_back(std::move(answer.weights));
    if (!answer.uniform.empty()) e.uniform.push_back(std::move(answer.uniform));
    range = std::move(answer.range);
  }
  if (row < 0)
    for (auto& item : report)
      for (const auto& [code, count] : counts)
        if (item.code == code) item.where += ", " + std::to_string(count) + " of " + std::to_string(e.queries.size()) + " rows";

  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  json.name("recipe");
  write_recipe(json, stream, q.recipe, row);
  json.name("queries");
  if (one) {
    json.StartArray();
    json.text(query_label(q, e.queries[0]));
    json.EndArray();
  } else {
    write_labels(json, q.shown.query_tokens, e.queries);
  }
  if (!q.shown.predicts.empty() && !one) {
    json.name("predicts");
    json.StartArray();
    for (const int i : e.queries) {
      const auto k = static_cast<std::size_t>(i);
      json.text(k < q.shown.predicts.size() ? std::string_view(q.shown.predicts[k]) : std::string_view());
    }
    json.EndArray();
  }
  json.name("keys");
  std::vector<int> all(static_cast<std::size_t>(q.shown.keys));
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = static_cast<int>(j);
  write_labels(json, q.shown.key_tokens, all);
  json.name("matrix");
  write_matrix(json, e.rows);
  json.name("signed");
  json.Bool(has_sign(q.recipe));
  if (q.minus) write_difference(json, q, e.queries, e.rows);
  if (!e.uniform.empty()) {
    json.name("uniform");
    write_matrix(json, e.uniform);
  }
  json.name("diagnostics");
  json.StartObject();
  json.name("sum");
  write_row(json, e.sums);
  json.name("spread");
  write_row(json, e.spreads);
  json.name("visible");
  json.StartArray();
  for (const int i : e.queries) json.Int(q.visible(i));
  json.EndArray();
  json.name("rows_distance");
  json.number(distance < 0 ? NAN : distance);
  json.name("sinks");
  write_keys(json, stream, strong, strong.sinks);
  json.name("dominant");
  write_keys(json, stream, strong, strong.dominant);
  if (q.recipe.sink != SinkMode::keep) {
    json.name("set_aside");
    json.StartArray();
    for (const int key : keys_set_aside(stream, q.recipe, q.data().stats)) json.Int(key);
    json.EndArray();
  }
  if (q.is_flow()) write_flow(json, q, facts_of(q, row), row, e.rows.empty() ? std::span<const double>{} : e.rows[0]);
  if (q.recipe.method == Method::joint) write_parts(json, q, e.rows);
  if (q.recipe.method == Method::attribution) write_attribution(json, q, e.rows[0]);
  if (q.recipe.method == Method::grad_sam && row < 0 && !q.minus) {
    std::vector<double> over_queries(static_cast<std::size_t>(q.result->view.columns)), over_keys(static_cast<std::size_t>(q.result->view.rows));
    key_means(q.result->view, over_queries);
    query_means(q.result->view, over_keys);
    json.name("mean_over_queries");
    write_row(json, over_queries);
    json.name("mean_over_keys");
    write_row(json, over_keys);
  }
  if (e.uniform.size() == e.rows.size()) write_chance(json, q, e.queries, e.rows, e.uniform);
  if (region) write_region(json, q, *region, e.queries, e.rows);
  if (row >= 0) {
    const int first = largest(e.rows[0]);
    std::vector<int> aside = q.recipe.merge == Merge::pieces ? strong.sinks : std::vector<int>{};
    if (aside.empty() && !strong.dominant.empty() && q.recipe.merge == Merge::pieces) aside = {strong.dominant.front()};
    if (!aside.empty()) {
      json.name("spread_without");
      json.number(spread(e.rows[0], aside));
    }
    json.name("first");
    json.Int(first);
  }
  if (range) {
    json.name("residual_range");
    write_residual_range(json, *range);
  }
  json.name("key_tokens");
  json.StartArray();
  for (const auto& weights : e.rows) write_key_tokens(json, q, weights, kNamedTokens);
  json.EndArray();
  json.EndObject();
  if (row >= 0) {
    json.name("narration");
    write_narration(json, facts);
  }
  json.name("report");
  write_report(json, report);
  json.name("engine");
  json.text(ROLLSCOPE_VERSION);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

Result<std::unique_ptr<Job>> make_explain_job(std::shared_ptr<OpenDump> open, const Args& args) {
  auto question = make_question(std::move(open), "explain", args, {"row", "pairs", "region"});
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  if (args.has("pairs")) return make_pairs_job(q, args);
  auto region = asked_region(args, *q);
  if (!region) return tl::unexpected(std::move(region.error()));
  auto asked = asked_row(args, *q, -1);
  if (!asked) return tl::unexpected(std::move(asked.error()));
  const int row = *asked;
  if (auto fits = check_flow(*q, row); !fits) return tl::unexpected(std::move(fits.error()));
  std::vector<VerbJob::Stage> stages = stack_stages(q);
  stages.push_back(row < 0 ? result_stage(q, q->recipe) : rows_stage(q, q->recipe, row));
  return verb_job(*q->open, std::move(stages), [q, row, region = *region]() -> Result<JobResult> { return JobResult{explanation(*q, row, region), {}}; });
}

}  // namespace rollscope
