#include "analysis/narration.h"

#include <algorithm>
#include <cmath>

#include "analysis/key_tokens.h"
#include "analysis/measures.h"
#include "analysis/recipe_text.h"

namespace rollscope {
namespace {

std::string label_of(const Stream& shown, int key) {
  const auto k = static_cast<std::size_t>(key);
  return k < shown.key_tokens.size() ? shown.key_tokens[k].label : std::to_string(key + 1);
}

// How weights of this row are written: as shares where it sums to 1, else as they are.
struct Weights {
  bool shares = false;
  [[nodiscard]] Slot slot(double x) const { return shares ? Slot::percent(x) : Slot::number(x, -3); }
  [[nodiscard]] Slot list(std::vector<NarratedToken> tokens) const {
    Slot out;
    out.kind = Slot::Kind::tokens;
    out.tokens = std::move(tokens);
    out.each = shares ? Slot::Kind::percent : Slot::Kind::number;
    out.digits = -3;
    return out;
  }
};

NarrationId top_sentence(Method method) {
  const auto unit = traits(method).unit;
  if (unit == "rollout weight") return NarrationId::top_rollout;
  if (unit == "attention weight") return NarrationId::top_attention;
  if (unit == "max-flow") return NarrationId::top_flow;
  return unit == "attribution" ? NarrationId::top_attribution : NarrationId::top_relevance;
}

void add_top(const NarrationInputs& in, const Weights& weights, std::vector<Fact>& facts) {
  const auto top = key_tokens(in.row, kNamedTokens);
  if (top.tokens.empty()) {
    facts.push_back({NarrationId::no_weight, {{"query", Slot::token(in.query)}}});
    return;
  }
  std::vector<NarratedToken> named;
  bool tied = false;
  for (const auto& token : top.tokens) {
    const double value = in.row[static_cast<std::size_t>(token.key)];
    if (value == 0) break;
    named.push_back({label_of(*in.shown, token.key), value, token.rank});
    tied = tied || (token.tied && (named.size() > 1 && named[named.size() - 2].rank == token.rank));
  }
  const auto count = static_cast<long long>(named.size());
  const bool all_named = named.size() == top.tokens.size();
  facts.push_back({top_sentence(in.recipe->method), {{"query", Slot::token(in.query)}, {"tokens", weights.list(std::move(named))}}});
  if (tied) facts.push_back({NarrationId::ties, {}});
  if (top.tied_with_last > 0 && all_named) facts.push_back({NarrationId::ties_beyond, {{"count", Slot::count(top.tied_with_last)}}});
  if (weights.shares && count > 1)
    facts.push_back({NarrationId::cumulative, {{"count", Slot::count(count)}, {"share", Slot::percent(top.tokens[static_cast<std::size_t>(count - 1)].cumulative)}}});
}

void add_spread(const NarrationInputs& in, std::vector<Fact>& facts) {
  if (in.uniform.empty() || has_sign(*in.recipe)) return;
  const double own = spread(in.row), chance = spread(in.uniform);
  if (!(own > 0) || !(chance > 1)) return;
  const NarrationId id = own <= kConcentrated * chance ? NarrationId::spread_concentrated
                         : own >= kDiffuse * chance    ? NarrationId::spread_diffuse
                                                       : NarrationId::spread_moderate;
  facts.push_back({id, {{"spread", Slot::number(own, 1)}, {"chance", Slot::number(chance, 1)}}});
}

void add_sinks(const NarrationInputs& in, const Weights& weights, std::vector<Fact>& facts) {
  if (!weights.shares) return;
  double sum = 0;
  std::vector<NarratedToken> named;
  for (const int key : in.sinks) {
    const double value = in.row[static_cast<std::size_t>(key)];
    if (key >= real_keys(*in.shown) || !(value > 0)) continue;
    sum += value;
    named.push_back({label_of(*in.shown, key), value, 0});
  }
  if (!named.empty()) facts.push_back({NarrationId::sinks, {{"share", Slot::percent(sum)}, {"tokens", weights.list(std::move(named))}}});
}

void add_agreement(const NarrationInputs& in, std::vector<Fact>& facts) {
  const auto number = [&](int stored) { return Slot::count(in.stream->layer_numbers[static_cast<std::size_t>(stored)] + 1); };
  const auto aside = std::count_if(in.sinks.begin(), in.sinks.end(), [&](int key) { return key < in.seen; });
  bool said = false;
  for (const auto& other : in.others) {
    if (!std::isfinite(other.rho)) continue;
    const Recipe& r = other.recipe;
    Fact fact{NarrationId::agreement_rollout, {{"rho", Slot::number(other.rho, 2)}, {"count", Slot::count(in.seen - aside)}}};
    if (r.fusion != in.recipe->fusion && r.method == in.recipe->method) {
      fact.id = NarrationId::agreement_max;
    } else if (r.method == Method::raw) {
      fact.id = r.end_layer - r.first_layer == 1 ? NarrationId::agreement_raw_layer : NarrationId::agreement_raw;
      fact.slots.emplace("first", number(r.first_layer));
      if (fact.id == NarrationId::agreement_raw) fact.slots.emplace("last", number(r.end_layer - 1));
    } else {
      fact.slots.emplace("residual", Slot::number(r.residual, 2));
      if (in.recipe->method == Method::rollout) {
        fact.id = NarrationId::agreement_residual;
      } else {
        fact.slots.emplace("first", number(r.first_layer));
        fact.slots.emplace("last", number(r.end_layer - 1));
      }
    }
    facts.push_back(std::move(fact));
    said = true;
  }
  if (said && aside > 0) facts.push_back({NarrationId::agreement_without_sinks, {}});
}

void add_limits(const NarrationInputs& in, const Weights& weights, std::vector<Fact>& facts) {
  if (in.rows_distance >= 0 && in.rows_distance <= kRowsSimilar) {
    const bool collapsed = in.rows_distance <= kRowsCollapsed;
    facts.push_back({collapsed ? NarrationId::rows_collapsed : NarrationId::rows_alike,
                     {{"distance", Slot::number(in.rows_distance, 3)}, {"limit", Slot::number(collapsed ? kRowsCollapsed : kRowsSimilar, 2)}}});
  }
  const int first = largest(in.row);
  if (!in.range || first < 0 || in.range->low.empty()) return;
  const auto k = static_cast<std::size_t>(first);
  facts.push_back({NarrationId::residual_range,
                   {{"from", Slot::number(kResidualLow, 2)}, {"to", Slot::number(kResidualHigh, 2)}, {"token", Slot::token(label_of(*in.shown, first))},
                    {"low", weights.slot(in.range->low[k])}, {"high", weights.slot(in.range->high[k])}}});
  if (in.range->first_other >= 0) facts.push_back({NarrationId::residual_other_first, {{"token", Slot::token(label_of(*in.shown, in.range->first_other))}}});
  if (in.range->itself_from >= 0) facts.push_back({NarrationId::residual_itself_first, {{"residual", Slot::number(in.range->itself_from, 2)}}});
}

}  // namespace

Fact method_caveat(const Recipe& recipe) {
  switch (recipe.method) {
    case Method::raw: return {NarrationId::caveat_raw, {}};
    case Method::rollout:
      if (recipe.residual_from != ResidualFrom::stated) return {NarrationId::caveat_rollout_measured, {}};
      if (!recipe.residuals.empty()) return {NarrationId::caveat_rollout_layers, {}};
      return {NarrationId::caveat_rollout, {{"residual", Slot::number(recipe.residual, 2)}}};
    case Method::rollout_reversed: return {NarrationId::caveat_rollout_reversed, {}};
    case Method::vit_explain:
    case Method::vit_explain_corrected: return {NarrationId::caveat_vit_explain, {}};
    case Method::gradient_rollout:
    case Method::gradient_rollout_mean_first:
    case Method::relevance:
    case Method::relevance_causal:
    case Method::grad_sam:
    case Method::attention_gradient: return {NarrationId::caveat_gradients, {}};
    case Method::norm_rollout: return {NarrationId::caveat_norms, {}};
    case Method::flow:
    case Method::flow_normalised: return {NarrationId::caveat_flow, {}};
    case Method::joint: return {NarrationId::caveat_joint, {}};
    case Method::cdam:
    case Method::attribution: break;
  }
  return {NarrationId::caveat_stored, {}};
}

std::vector<Fact> narrate(const NarrationInputs& in) {
  const MethodTraits& t = traits(in.recipe->method);
  double sum = 0;
  for (const double x : in.row) sum += std::isfinite(x) ? x : 0;
  const Weights weights{t.unit_rows && in.recipe->sink != SinkMode::lift && std::abs(sum - 1) <= 1e-3};
  std::vector<Fact> facts;
  add_top(in, weights, facts);
  add_spread(in, facts);
  add_sinks(in, weights, facts);
  add_agreement(in, facts);
  add_limits(in, weights, facts);
  facts.push_back(method_caveat(*in.recipe));
  return facts;
}

}  // namespace rollscope
