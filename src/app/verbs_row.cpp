#include "app/verbs_row.h"

#include <cmath>

#include "analysis/explain_view.h"
#include "analysis/measures.h"
#include "analysis/narration.h"

namespace rollscope {

bool stored_for_one(const Question& q) { return !traits(q.recipe.method).attention && q.result->view.rows == 1; }

std::string query_label(const Question& q, int row) {
  if (!stored_for_one(q)) return token_label(q.shown.query_tokens, static_cast<std::size_t>(row));
  const auto target = q.open->dump.info.meta.find("target");
  return target != q.open->dump.info.meta.end() ? target->second : "output";
}

Report recipe_report(const Question& q, const StrongKeys& strong) {
  Report report = q.open->dump.info.report;
  if (traits(q.recipe.method).attention)
    for (auto& item : recipe_limits(q.info(), q.recipe, strong, q.result && !q.minus ? q.result->distance : -1)) report.push_back(std::move(item));
  if (q.stack)
    for (auto& item : gradient_limits(q.info(), q.stack->gradients)) report.push_back(std::move(item));
  if (q.minus && q.minus->stack)
    for (auto& item : gradient_limits(q.info(), q.minus->stack->gradients)) {
      item.where = q.recipe.minus;
      report.push_back(std::move(item));
    }
  return report;
}

RowAnswer row_answer(const Question& q, int row, bool ranged) {
  RowAnswer out;
  out.weights = q.row(row);
  out.uniform = q.chance(row);
  out.spread = has_sign(q.recipe) ? NAN : spread(out.weights);
  for (const double x : out.weights)
    if (std::isfinite(x)) out.sum += x;
  if (ranged && has_residual_range(q.recipe)) {
    const auto layers = q.chain();
    out.range = residual_range({layers}, row, largest(out.weights));
  }
  FlowFacts flow;
  if (q.is_flow()) flow = q.flow_row ? q.flow_row->facts : q.merged_after() ? FlowFacts{} : q.result->flow[static_cast<std::size_t>(row)];
  out.limits = row_limits({&q.shown, &q.recipe, row, out.weights, out.uniform, out.spread, q.visible(row), out.range ? &*out.range : nullptr, q.is_flow() ? &flow : nullptr});
  return out;
}

std::vector<Fact> row_facts(const Question& q, int row, const RowAnswer& answer) {
  const ResidualRange* range = answer.range ? &*answer.range : nullptr;
  const auto sinks = q.sinks();
  std::vector<OtherRecipe> others;
  if (q.stack) {
    // The plain recipe is compared with where its layers are in memory: a second opinion must not delay the first.
    Recipe plain;
    if (q.recipe.method == Method::rollout || q.recipe.method == Method::raw) {
      plain.fusion = q.recipe.fusion;
      plain.heads = q.recipe.heads;
    }
    const auto fused = StackWork(q.open, q.stream, plain, false).stack();
    ViewInputs in;
    in.stream = &q.info();
    in.shown = &q.shown;
    in.recipe = q.recipe;
    in.query = row;
    in.depth = q.depth;
    in.row = answer.weights;
    in.visible = q.visible(row);
    if (fused) in.fused = fused->view();
    others = other_recipes(in, sinks, range);
  }
  return narrate({&q.info(), &q.shown, &q.recipe, query_label(q, row), answer.weights, answer.uniform, q.seen(row), sinks, q.result && !q.minus ? q.result->distance : -1, range, others});
}

void write_key_tokens(JsonWriter17& json, const Question& q, const std::vector<double>& weights, int count) {
  const auto top = key_tokens(weights, count);
  json.StartObject();
  json.name("tokens");
  json.StartArray();
  for (const auto& token : top.tokens) {
    const auto k = static_cast<std::size_t>(token.key);
    json.StartObject();
    json.field("key", token.key);
    json.field("label", token_label(q.shown.key_tokens, k));
    json.field("weight", weights[k]);
    json.field("share", token.share);
    json.field("cumulative", token.cumulative);
    json.field("rank", token.rank);
    json.field("tied", token.tied);
    json.EndObject();
  }
  json.EndArray();
  json.field("tied_with_last", top.tied_with_last);
  json.EndObject();
}

void write_residual_range(JsonWriter17& json, const ResidualRange& range) {
  json.StartObject();
  json.field("from", kResidualLow);
  json.field("to", kResidualHigh);
  json.name("low");
  write_row(json, range.low);
  json.name("high");
  write_row(json, range.high);
  json.field("itself_from", range.itself_from < 0 ? NAN : range.itself_from);
  json.index("first_other", range.first_other);
  json.EndObject();
}

}  // namespace rollscope
