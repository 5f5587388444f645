// The explanation as JSON (explain.schema.json): what the command line prints and window.rollscope.explain() returns.
#include <algorithm>
#include <cmath>

#include "analysis/explain_view.h"
#include "analysis/measures.h"
#include "app/verbs.h"
#include "base/text.h"

namespace rollscope {
namespace {

tl::unexpected<Error> refuse(std::string option, const Args& args, std::string allowed) {
  auto value = args.shown(option);
  return fail(ErrorCode::bad_value, {{"option", std::move(option)}, {"value", std::move(value)}, {"allowed", std::move(allowed)}});
}

Result<void> check_item(const Args& args, const Stream& stream) {
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

void write_recipe(JsonWriter17& json, const Question& q, int row) {
  const Recipe& recipe = q.recipe;
  const Stream& stream = q.info();
  const MethodTraits& t = traits(recipe.method);
  json.StartObject();
  json.name("method");
  json.text(recipe.method == Method::attribution ? "attribution:" + recipe.source : std::string(t.name));
  json.name("stream");
  json.text(stream.name);
  if (t.attention) {
    if (t.heads_fused) {
      json.name("fusion");
      json.text(fusion_name(recipe.fusion));
    }
    json.name("heads");
    json.StartArray();
    if (stream.heads > 0 && (recipe.method != Method::norm_rollout || recipe.source == "value_norms"))
      for (const int head : recipe_heads(stream, recipe)) json.Int(head);
    json.EndArray();
    json.name("first_layer");
    json.Int(recipe.first_layer);
    json.name("end_layer");
    json.Int(recipe.end_layer);
  }
  if (t.residual) {
    json.name("residual");
    if (recipe.residual_from != ResidualFrom::stated) json.text(residual_from_name(recipe.residual_from));
    else if (recipe.residuals.empty()) json.number(recipe.residual);
    else write_row(json, recipe.residuals);
  }
  if (t.gradients) {
    json.name("class");
    json.text(recipe.class_name);
  }
  if (recipe.method == Method::norm_rollout) {
    json.name("norms");
    json.text(recipe.source);
  }
  if (recipe.method == Method::vit_explain || recipe.method == Method::vit_explain_corrected) {
    json.name("discard");
    json.number(recipe.discard);
  }
  json.name("merge");
  json.text(merge_name(recipe.merge));
  if (recipe.merge != Merge::pieces) {
    json.name("merge_queries");
    json.text(recipe.merge_queries == MergeQueries::last ? "last" : "mean");
    json.name("merge_time");
    json.text(recipe.merge_time == MergeTime::before ? "before" : "after");
  }
  json.name("sink");
  json.text(sink_mode_name(recipe.sink));
  json.name("row");
  if (row >= 0) json.Int(row);
  else json.text("all");
  json.name("precision");
  json.text(sizeof(Real) == sizeof(double) ? "float64" : "float32");
  json.name("sentence");
  json.text(recipe_sentence(stream, recipe));
  json.name("mark");
  json.text(mark_name(t.mark));
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
  const bool one = !t.attention && q.result->view.rows == 1;  // stored for one output, whichever it is
  Explained e;
  if (one) e.queries = {std::max(0, row)};
  else
    for (int i = 0; i < real_queries(q.shown); ++i)
      if (row < 0 || row == i) e.queries.push_back(i);
  const auto strong = t.attention ? strong_keys(stream, q.recipe, q.data().stats) : StrongKeys{};
  const double distance = q.result ? q.result->distance : -1;

  Report report = q.open->dump.info.report;
  if (t.attention)
    for (auto& item : recipe_limits(stream, q.recipe, strong, distance)) report.push_back(std::move(item));
  if (q.stack)
    for (auto& item : gradient_limits(stream, q.stack->gradients)) report.push_back(std::move(item));
  std::vector<std::pair<ReportCode, int>> counts;
  ResidualRange range;
  const bool ranged = row >= 0 && has_residual_range(q.recipe);
  const auto layers = ranged ? q.chain() : std::vector<ConstMatrixView>{};
  for (const int i : e.queries) {
    std::vector<double> weights = q.row(i), uniform = q.chance(i);
    e.spreads.push_back(t.is_signed ? NAN : spread(weights));
    double sum = 0;
    for (const double x : weights)
      if (std::isfinite(x)) sum += x;
    e.sums.push_back(sum);
    if (ranged) range = residual_range({layers}, i, largest(weights));
    FlowFacts flow;
    if (q.is_flow()) flow = q.flow_row ? q.flow_row->facts : q.merged_after() ? FlowFacts{} : q.result->flow[static_cast<std::size_t>(i)];
    add_once(report, counts, row_limits({&q.shown, &q.recipe, i, weights, uniform, e.spreads.back(), q.visible(i), ranged ? &range : nullptr, q.is_flow() ? &flow : nullptr}));
    e.rows.push_back(std::move(weights));
    if (!uniform.empty()) e.uniform.push_back(std::move(uniform));
  }
  if (row < 0)
    for (auto& item : report)
      for (const auto& [code, count] : counts)
        if (item.code == code) item.where += ", " + std::to_string(count) + " of " + std::to_string(e.queries.size()) + " rows";

  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  json.name("recipe");
  write_recipe(json, q, row);
  json.name("queries");
  if (one) {
    const auto target = q.open->dump.info.meta.find("target");
    json.StartArray();
    json.text(target != q.open->dump.info.meta.end() ? std::string_view(target->second) : std::string_view("output"));
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
  std::vector<std::string_view> options(kRecipeOptions.begin(), kRecipeOptions.end());
  options.insert(options.end(), {"row", "item"});
  if (auto known = args.only("explain", options); !known) return tl::unexpected(std::move(known.error()));
  auto question = make_question(std::move(open), args);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  if (auto item = check_item(args, q->info()); !item) return tl::unexpected(std::move(item.error()));
  int row = -1;
  const int rows = real_queries(q->shown);
  if (args.has("row") && args.shown("row") != "all") {
    auto asked = args.integer("row", 0);
    if (!asked) return refuse("row", args, "a number counted from 0, or all");
    row = *asked;
    if (row < 0 || row >= rows)
      return fail(ErrorCode::out_of_range, {{"option", "row"}, {"value", std::to_string(row)},
                                            {"allowed", rows > 1 ? formatted("0 to %d", rows - 1) : std::string("0 alone")}});
  }
  const int pieces = std::max(q->info().queries, q->info().keys);
  if (q->is_flow() && pieces > kFlowAtOnce && (row < 0 || q->merged_after()))
    return fail(ErrorCode::usage, {{"detail", formatted("The flow of all pairs is computed for at most %d tokens, and there are %d: ask for one output with --row", kFlowAtOnce, pieces)}});
  std::vector<VerbJob::Stage> stages = stack_stages(q);
  stages.push_back(row < 0 ? result_stage(q, q->recipe) : rows_stage(q, q->recipe, row));
  return std::unique_ptr<Job>(std::make_unique<VerbJob>(q->open->dump.info.file, std::move(stages),
                                                        [q, row]() -> Result<JobResult> { return JobResult{explanation(*q, row), {}}; }));
}

}  // namespace rollscope
