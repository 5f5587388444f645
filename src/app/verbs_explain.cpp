// The explanation as JSON (explain.schema.json): what the command line prints and window.rollscope.explain() returns.
#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>

#include "analysis/measures.h"
#include "analysis/narration.h"
#include "app/verbs.h"
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

// What a flow of this row is held up by: the narrowest cut to each of the inputs that come first.
void write_bottleneck(JsonWriter17& json, const Question& q, int row, std::span<const double> weights) {
  constexpr std::size_t kInputs = 3, kArcs = 64;
  std::vector<int> order(weights.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<int>(j);
  const std::size_t count = std::min(kInputs, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), [&](int a, int b) {
    const double x = weights[static_cast<std::size_t>(a)], y = weights[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  });
  const auto layers = q.chain();
  json.StartArray();
  for (std::size_t k = 0; k < count; ++k) {
    const auto pair = flow_pair({layers}, q.residual(), row, order[k]);
    if (!pair || pair->cut_layer < 0) continue;
    json.StartObject();
    json.name("key");
    json.Int(order[k]);
    json.name("flow");
    json.number(pair->value);
    json.name("end");
    json.text(pair->end == FlowEnd::none ? "inside" : pair->end == FlowEnd::output ? "output" : "input");
    json.name("layer");
    json.Int(q.recipe.first_layer + pair->cut_layer);
    json.name("arcs");
    json.StartArray();
    for (std::size_t a = 0; a < std::min(kArcs, pair->cut.size()); ++a) {
      const FlowArc& arc = pair->cut[a];
      json.StartObject();
      json.name("layer");
      json.Int(q.recipe.first_layer + arc.layer);
      json.name("from");
      json.Int(arc.from);
      json.name("to");
      json.Int(arc.to);
      json.name("capacity");
      json.number(arc.capacity);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

// Facts about the flow of the rows that were asked for.
void write_flow(JsonWriter17& json, const Question& q, const FlowFacts& facts, int row, std::span<const double> weights) {
  json.name("saturation");
  json.number(facts.saturation());
  json.name("saturation_connected");
  json.number(facts.connected_saturation());
  json.name("certificate_error");
  json.number(facts.certificate_error);
  json.name("range_without_largest");
  write_row(json, std::vector<double>{facts.lowest, facts.highest});
  json.name("cut_share");
  write_row(json, facts.cut_share);
  if (row >= 0 && !q.merged_after()) {
    json.name("bottleneck");
    write_bottleneck(json, q, row, weights);
  }
}

// What the file says about a stored attribution (metadata `attr`, by name or for all), and how far its numbers are from
// what they should sum to: the gap of its completeness, value - value at the baseline - sum.
void write_attribution(JsonWriter17& json, const Question& q, std::span<const double> row) {
  double sum = 0;
  for (const double x : row)
    if (std::isfinite(x)) sum += x;
  rapidjson::Document said;
  const auto meta = q.open->dump.info.meta.find("attr");
  if (meta != q.open->dump.info.meta.end()) said.Parse(meta->second.c_str());
  const auto find = [&](const char* name) -> const rapidjson::Value* {
    if (said.HasParseError() || !said.IsObject()) return nullptr;
    const rapidjson::Value& all = said;
    const auto own = all.FindMember(q.recipe.source.c_str());
    const rapidjson::Value* places[] = {own != all.MemberEnd() && own->value.IsObject() ? &own->value : nullptr, &all};
    for (const rapidjson::Value* of : places) {
      if (!of) continue;
      if (const auto it = of->FindMember(name); it != of->MemberEnd() && !it->value.IsObject()) return &it->value;
    }
    return nullptr;
  };
  const auto number = [&](std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (const auto* v = find(name); v && v->IsNumber()) return v->GetDouble();
    return static_cast<double>(NAN);
  };
  json.name("attribution");
  json.StartObject();
  for (const char* name : {"method", "target", "baseline"})
    if (const auto* v = find(name); v && v->IsString()) {
      json.name(name);
      json.text({v->GetString(), v->GetStringLength()});
    }
  const double value = number({"value", "value_at_input"}), baseline = number({"value_at_baseline", "baseline_value"});
  const std::pair<std::string_view, double> facts[] = {{"sum", sum}, {"value", value}, {"value_at_baseline", baseline}, {"completeness_gap", value - baseline - sum}};
  for (const auto& [name, x] : facts) {
    json.name(name);
    json.number(x);
  }
  json.EndObject();
}

// Source and target apart: what the residual weight alone decides, and the parts each divided by their sums.
void write_parts(JsonWriter17& json, const Question& q, const std::vector<std::vector<double>>& rows) {
  const int sources = q.info().keys;
  std::vector<double> share;
  std::vector<std::vector<double>> source, target;
  for (auto row : rows) {
    share.push_back(source_share(row, sources));
    normalise_parts(row, sources);
    source.emplace_back(row.begin(), row.begin() + sources);
    target.emplace_back(row.begin() + sources, row.end());
  }
  json.name("source_share");
  write_row(json, share);
  json.name("source_normalised");
  write_matrix(json, source);
  json.name("target_normalised");
  write_matrix(json, target);
}

FlowFacts facts_of(const Question& q, int row) {
  if (q.flow_row) return q.flow_row->facts;
  if (!q.result || q.result->flow.empty()) return {};
  return row >= 0 && !q.merged_after() ? q.result->flow[static_cast<std::size_t>(row)] : flow_facts(q.result->flow);
}

std::string explanation(const Question& q, int row) {
  const Stream& stream = q.info();
  const MethodTraits& t = traits(q.recipe.method);
  const bool one = stored_for_one(q);
  Explained e;
  if (one) e.queries = {std::max(0, row)};
  else
    for (int i = 0; i < real_queries(q.shown); ++i)
      if (row < 0 || row == i) e.queries.push_back(i);
  const auto strong = t.attention ? strong_keys(stream, q.recipe, q.data().stats) : StrongKeys{};
  const double distance = q.result ? q.result->distance : -1;

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
  json.Bool(t.is_signed);
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
  if (q.recipe.method == Method::grad_sam && row < 0) {
    std::vector<double> over_queries(static_cast<std::size_t>(q.result->view.columns)), over_keys(static_cast<std::size_t>(q.result->view.rows));
    key_means(q.result->view, over_queries);
    query_means(q.result->view, over_keys);
    json.name("mean_over_queries");
    write_row(json, over_queries);
    json.name("mean_over_keys");
    write_row(json, over_keys);
  }
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
  auto question = make_question(std::move(open), "explain", args, {"row"});
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  auto asked = asked_row(args, *q, -1);
  if (!asked) return tl::unexpected(std::move(asked.error()));
  const int row = *asked;
  if (auto fits = check_flow(*q, row); !fits) return tl::unexpected(std::move(fits.error()));
  std::vector<VerbJob::Stage> stages = stack_stages(q);
  stages.push_back(row < 0 ? result_stage(q, q->recipe) : rows_stage(q, q->recipe, row));
  return verb_job(*q->open, std::move(stages), [q, row]() -> Result<JobResult> { return JobResult{explanation(*q, row), {}}; });
}

}  // namespace rollscope
