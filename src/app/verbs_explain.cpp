// The explanation as JSON (explain.schema.json): what the command line prints and window.rollscope.explain() returns.
#include <algorithm>
#include <cmath>

#include "analysis/explain_view.h"
#include "analysis/measures.h"
#include "app/verbs.h"
#include "methods/raw.h"
#include "base/text.h"

namespace rollscope {
namespace {

tl::unexpected<Error> refuse(std::string option, const Args& args, std::string allowed) {
  auto value = args.shown(option);
  return fail(ErrorCode::bad_value, {{"option", std::move(option)}, {"value", std::move(value)}, {"allowed", std::move(allowed)}});
}

// Options whose other values belong to later versions: refused, never silently ignored.
Result<void> check_fixed_options(const Args& args, const Stream& stream) {
  if (args.has("merge") && args.shown("merge") != "pieces") return refuse("merge", args, "pieces: rows and columns are the tokens of the file");
  if (args.has("sink") && args.shown("sink") != "keep") return refuse("sink", args, "keep: no number is changed for a sink's sake");
  if (args.has("class"))
    return fail(ErrorCode::usage, {{"detail", "class chooses a gradient, and neither rollout nor raw attention reads gradients"}});
  auto item = args.integer("item", stream.item);
  if (!item) return tl::unexpected(std::move(item.error()));
  if (*item != stream.item)
    return fail(ErrorCode::usage, {{"detail", formatted("Item %d is asked for and item %d of the batch is open: open the file again with that item", *item, stream.item)}});
  return {};
}

struct Explained {
  std::vector<int> queries;
  std::vector<std::vector<double>> rows, uniform;
  std::vector<double> spreads, sums;
};

void write_row(JsonWriter17& json, std::span<const double> row) {
  json.StartArray();
  for (const double x : row) json.number(x);
  json.EndArray();
}

void write_matrix(JsonWriter17& json, const std::vector<std::vector<double>>& rows) {
  json.StartArray();
  for (const auto& row : rows) write_row(json, row);
  json.EndArray();
}

void write_labels(JsonWriter17& json, const std::vector<Token>& tokens, const std::vector<int>& indices) {
  json.StartArray();
  for (const int i : indices) json.text(token_label(tokens, static_cast<std::size_t>(i)));
  json.EndArray();
}

void write_recipe(JsonWriter17& json, const Stream& stream, const Recipe& recipe, int row) {
  json.StartObject();
  json.name("method");
  json.text(method_name(recipe.method));
  json.name("stream");
  json.text(stream.name);
  json.name("fusion");
  json.text(fusion_name(recipe.fusion));
  json.name("heads");
  json.StartArray();
  if (stream.heads > 0)
    for (const int head : recipe_heads(stream, recipe)) json.Int(head);
  json.EndArray();
  if (recipe.method == Method::rollout) {
    json.name("residual");
    json.number(recipe.residual);
  }
  json.name("first_layer");
  json.Int(recipe.first_layer);
  json.name("end_layer");
  json.Int(recipe.end_layer);
  json.name("merge");
  json.text("pieces");
  json.name("sink");
  json.text("keep");
  json.name("row");
  if (row >= 0) json.Int(row);
  else json.text("all");
  json.name("precision");
  json.text(sizeof(Real) == sizeof(double) ? "float64" : "float32");
  json.name("sentence");
  json.text(recipe_sentence(stream, recipe));
  json.name("mark");
  json.text("published");
  json.name("leaves_out");
  json.StartArray();
  for (const auto& what : recipe_leaves_out(stream, recipe)) json.text(what);
  json.EndArray();
  json.name("unit");
  json.text(recipe_unit(recipe));
  json.EndObject();
}

void write_keys(JsonWriter17& json, const Stream& stream, const StrongKeys& strong, const std::vector<int>& keys) {
  json.StartArray();
  for (const int key : keys) {
    if (key >= real_keys(stream)) continue;
    const auto k = static_cast<std::size_t>(key);
    json.StartObject();
    json.name("key");
    json.Int(key);
    json.name("label");
    json.text(k < stream.key_tokens.size() ? std::string_view(stream.key_tokens[k].label) : std::string_view());
    json.name("share");
    json.number(strong.share[k]);
    json.name("chance");
    json.number(strong.chance[k]);
    json.EndObject();
  }
  json.EndArray();
}

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

std::string explanation(const Question& q, int row) {
  const Stream& stream = q.info();
  const int depth = q.recipe.end_layer - q.recipe.first_layer;
  const auto keys = static_cast<std::size_t>(stream.keys);
  Explained e;
  for (int i = 0; i < real_queries(stream); ++i)
    if (row < 0 || row == i) e.queries.push_back(i);
  const auto strong = strong_keys(stream, q.recipe, q.data().stats);
  const double distance = q.result ? q.result->distance : -1;

  Report report = q.open->dump.info.report;
  for (auto& item : recipe_limits(stream, q.recipe, strong, distance)) report.push_back(std::move(item));
  std::vector<std::pair<ReportCode, int>> counts;
  ResidualRange range;
  const bool ranged = row >= 0 && q.recipe.method == Method::rollout;
  for (const int i : e.queries) {
    std::vector<double> weights(keys), uniform(keys);
    if (row < 0) std::copy_n(q.result->view.row(i).begin(), keys, weights.begin());
    else if (q.recipe.method == Method::rollout) rollout_row(q.range(), i, q.recipe.residual, weights);
    else raw_row(q.range(), i, weights);
    chance_row(stream, q.recipe, depth, i, uniform);
    e.spreads.push_back(spread(weights));
    double sum = 0;
    for (const double x : weights) sum += x;
    e.sums.push_back(sum);
    if (ranged) range = residual_range(q.range(), i, largest(weights));
    add_once(report, counts, row_limits({&stream, &q.recipe, i, weights, uniform, e.spreads.back(), visible_keys(stream, i), ranged ? &range : nullptr}));
    e.rows.push_back(std::move(weights));
    e.uniform.push_back(std::move(uniform));
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
  write_labels(json, stream.query_tokens, e.queries);
  if (!stream.predicts.empty()) {
    json.name("predicts");
    json.StartArray();
    for (const int i : e.queries) {
      const auto k = static_cast<std::size_t>(i);
      json.text(k < stream.predicts.size() ? std::string_view(stream.predicts[k]) : std::string_view());
    }
    json.EndArray();
  }
  json.name("keys");
  std::vector<int> all(keys);
  for (std::size_t j = 0; j < keys; ++j) all[j] = static_cast<int>(j);
  write_labels(json, stream.key_tokens, all);
  json.name("matrix");
  write_matrix(json, e.rows);
  json.name("signed");
  json.Bool(false);
  json.name("uniform");
  write_matrix(json, e.uniform);
  json.name("diagnostics");
  json.StartObject();
  json.name("sum");
  write_row(json, e.sums);
  json.name("spread");
  write_row(json, e.spreads);
  json.name("visible");
  json.StartArray();
  for (const int i : e.queries) json.Int(visible_keys(stream, i));
  json.EndArray();
  json.name("rows_distance");
  json.number(distance < 0 ? NAN : distance);
  json.name("sinks");
  write_keys(json, stream, strong, strong.sinks);
  json.name("dominant");
  write_keys(json, stream, strong, strong.dominant);
  if (row >= 0) {
    const int first = largest(e.rows[0]);
    std::vector<int> aside = strong.sinks;
    if (aside.empty() && !strong.dominant.empty()) aside = {strong.dominant.front()};
    if (!aside.empty()) {
      json.name("spread_without");
      json.number(spread(e.rows[0], aside));
    }
    json.name("first");
    json.Int(first);
  }
  if (ranged) {
    json.name("residual_range");
    json.StartObject();
    const std::pair<std::string_view, double> ends[] = {{"from", kResidualLow}, {"to", kResidualHigh}};
    for (const auto& [name, value] : ends) {
      json.name(name);
      json.number(value);
    }
    json.name("low");
    write_row(json, range.low);
    json.name("high");
    write_row(json, range.high);
    json.name("itself_from");
    json.number(range.itself_from < 0 ? NAN : range.itself_from);
    json.name("first_other");
    if (range.first_other < 0) json.Null();
    else json.Int(range.first_other);
    json.EndObject();
  }
  json.EndObject();
  json.name("report");
  write_report(json, report);
  json.name("engine");
  json.text(ROLLSCOPE_VERSION);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

Result<std::unique_ptr<Job>> make_explain_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("explain", {"method", "stream", "fusion", "heads", "residual", "layers", "row", "item", "merge", "sink", "class"}); !known)
    return tl::unexpected(std::move(known.error()));
  auto question = make_question(std::move(open), args);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  if (auto fixed = check_fixed_options(args, q->info()); !fixed) return tl::unexpected(std::move(fixed.error()));
  int row = -1;
  if (args.has("row") && args.shown("row") != "all") {
    auto asked = args.integer("row", 0);
    if (!asked) return refuse("row", args, "a number counted from 0, or all");
    row = *asked;
    const int rows = real_queries(q->info());
    if (row < 0 || row >= rows)
      return fail(ErrorCode::out_of_range, {{"option", "row"}, {"value", std::to_string(row)},
                                            {"allowed", rows > 1 ? formatted("0 to %d", rows - 1) : std::string("0 alone")}});
  }
  const auto result = [q, row]() -> Result<std::unique_ptr<Work>> {
    if (row < 0 || std::max(q->info().queries, q->info().keys) <= kResultAtOnce) return result_stage(q, q->recipe)();
    q->result = ResultWork::find(*q->open, q->stream, q->recipe);
    return nullptr;
  };
  return std::unique_ptr<Job>(std::make_unique<VerbJob>(q->open->dump.info.file, std::vector<VerbJob::Stage>{stack_stage(q), result},
                                                        [q, row]() -> Result<JobResult> { return JobResult{explanation(*q, row), {}}; }));
}

}  // namespace rollscope
