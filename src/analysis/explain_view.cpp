#include "analysis/explain_view.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/measures.h"
#include "analysis/recipe_text.h"
#include "methods/raw.h"
#include "methods/rollout.h"
#include "methods/uniform.h"

namespace rollscope {
namespace {

constexpr double kOtherResidual = 0.25, kPublishedResidual = 0.5;
constexpr double kTellsNothingNew = 0.9;  // rank agreement from which heads by max only repeat the row

std::vector<float> floats(std::span<const double> row) { return {row.begin(), row.end()}; }

// Sums over the members of each group; without groups the numbers as they are.
std::vector<double> merged(std::span<const double> values, const std::vector<int>& groups, int count) {
  if (groups.empty()) return {values.begin(), values.end()};
  std::vector<double> out(static_cast<std::size_t>(count), 0.0);
  for (std::size_t j = 0; j < values.size(); ++j) out[static_cast<std::size_t>(groups[j])] += values[j];
  return out;
}

// A layer as words read words, for tokens of these masses: row A holds what the tokens of A read, weighted by mass.
std::vector<Real> merged_layer(std::span<const double> above, ConstMatrixView layer, const MergeGroups& groups, const Stream& shown) {
  const auto columns = static_cast<std::size_t>(shown.keys);
  std::vector<double> sum(static_cast<std::size_t>(shown.queries) * columns, 0.0), mass(static_cast<std::size_t>(shown.queries), 0.0);
  for (std::size_t i = 0; i < above.size(); ++i) {
    if (above[i] == 0) continue;
    const auto a = static_cast<std::size_t>(groups.queries[i]);
    mass[a] += above[i];
    const auto row = layer.row(static_cast<int>(i));
    for (std::size_t j = 0; j < row.size(); ++j) sum[a * columns + static_cast<std::size_t>(groups.keys[j])] += above[i] * static_cast<double>(row[j]);
  }
  std::vector<Real> out(sum.size(), Real{0});
  for (std::size_t k = 0; k < sum.size(); ++k)
    if (mass[k / columns] > 0) out[k] = static_cast<Real>(sum[k] / mass[k / columns]);
  return out;
}

// Mass of every node, level by level, and what passes between them.
void add_paths(const ViewInputs& in, ViewData& view) {
  const Stream& shown = *in.shown;
  const std::vector<int> sinks = in.groups.keys.empty() ? view.sinks : std::vector<int>{};
  if (in.chain.depth() == 0 && !is_chain(*in.stream, in.recipe)) {
    const auto keys = static_cast<std::size_t>(shown.keys);
    std::vector<double> above(static_cast<std::size_t>(shown.queries), 0.0), row(keys, 0.0);
    std::vector<Real> only(above.size() * keys, Real{0});
    // One matrix stands for the range: only the chosen row of it, or rows, are read. What draws less than nothing draws nothing.
    const std::vector<int> rows = in.rows.empty() ? std::vector{in.query} : in.rows;
    for (const int i : rows) {
      const double mass = 1.0 / static_cast<double>(rows.size());
      const std::vector<double> own = in.rows.empty() ? in.row : in.row_of(i);
      above[static_cast<std::size_t>(i)] = mass;
      for (std::size_t j = 0; j < keys; ++j) {
        const double x = own[j] > 0 ? own[j] : 0;
        only[static_cast<std::size_t>(i) * keys + j] = static_cast<Real>(x);
        row[j] += mass * x;
      }
    }
    const double top = *std::max_element(row.begin(), row.end());
    const bool shares = has_unit_rows(in.recipe) && in.recipe.sink != SinkMode::lift;
    if (!shares && top > 0) {
      for (double& x : row) x /= top;
      for (Real& x : only) x = static_cast<Real>(static_cast<double>(x) / top);
    }
    view.states = {floats(row), floats(above)};
    const bool own = same_tokens(shown) && in.recipe.method != Method::joint;
    view.gaps.push_back(path_gap(above, {only.data(), shown.queries, shown.keys}, 0, own, sinks));
    return;
  }
  const auto depth = static_cast<std::size_t>(in.chain.depth());
  std::vector<std::vector<double>> states(depth + 1);
  states[depth] = in.start;
  for (std::size_t l = depth; l-- > 0;) {
    states[l].resize(in.start.size());
    rollout_step(states[l + 1], in.chain[static_cast<int>(l)], in.residual, states[l]);
  }
  for (const auto& state : states) view.states.push_back(floats(merged(state, in.groups.keys, shown.keys)));
  for (std::size_t l = 0; l < depth; ++l) {
    const ConstMatrixView layer = in.chain[static_cast<int>(l)];
    if (in.groups.keys.empty()) {
      view.gaps.push_back(path_gap(states[l + 1], layer, in.residual, true, sinks));
      continue;
    }
    const auto words = merged_layer(states[l + 1], layer, in.groups, shown);
    view.gaps.push_back(path_gap(merged(states[l + 1], in.groups.queries, shown.queries), {words.data(), shown.queries, shown.keys}, in.residual, true, sinks));
  }
}

}  // namespace

std::vector<OtherRecipe> other_recipes(const ViewInputs& in, std::span<const int> sinks, const ResidualRange* residuals) {
  std::vector<OtherRecipe> others;
  const std::span<const double> row = in.row;
  const bool same_keys = in.shown->keys == in.stream->keys && in.shown->queries == in.stream->queries && in.recipe.method != Method::joint;
  if (!same_keys || !in.rows.empty() || in.fused.depth() == 0 || in.depth == 0) return others;
  std::vector<double> other(row.size());
  const int first = largest(row, sinks);
  // What the row cannot see is 0 on both sides, and no agreement.
  const auto seen = static_cast<std::size_t>(in.visible - (in.shown->virtual_sink ? 1 : 0));
  std::vector<int> aside(sinks.begin(), sinks.end());
  std::erase_if(aside, [&](int key) { return static_cast<std::size_t>(key) >= seen; });
  for (std::size_t j = 0; j < seen; ++j)
    if (std::isnan(row[j])) aside.push_back(static_cast<int>(j));  // a key without a value has no rank
  const auto add = [&](Recipe recipe, bool only_if_it_differs) {
    OtherRecipe o{std::move(recipe), largest(other, sinks), spearman(row.first(seen), std::span<const double>(other).first(seen), aside)};
    if (only_if_it_differs && o.first == first && o.rho >= kTellsNothingNew) return;
    others.push_back(std::move(o));
  };
  // The plain recipe over the same layers: what is compared with.
  Recipe plain;
  plain.stream = in.recipe.stream;
  plain.first_layer = in.recipe.first_layer;
  plain.end_layer = plain.first_layer + in.depth;
  const Recipe& asked = in.recipe;
  const bool rollout = asked.method == Method::rollout, raw = asked.method == Method::raw;
  if (rollout || raw) {
    plain.heads = asked.heads;
    plain.fusion = asked.fusion;
    plain.residual = asked.residual;
  }
  const StackView range = in.fused.slice(plain.first_layer, plain.end_layer);
  const bool by_max = in.by_max.depth() > 0;
  if (rollout && asked.head >= 0) {  // one head in the top layer: all of them
    rollout_row(range, in.query, plain.residual, other);
    add(plain, false);
  } else if (rollout) {
    Recipe residual = plain;
    residual.residual = std::abs(plain.residual - kOtherResidual) < 1e-9 ? kPublishedResidual : kOtherResidual;
    if (residuals && residual.residual == kOtherResidual) std::copy_n(residuals->rows.begin(), other.size(), other.begin());
    else rollout_row(range, in.query, residual.residual, other);
    add(residual, false);
    if (by_max) {
      Recipe heads = plain;
      heads.fusion = Fusion::max;
      rollout_row(in.by_max.slice(plain.first_layer, plain.end_layer), in.query, plain.residual, other);
      add(heads, true);
    }
  } else if (same_tokens(*in.stream)) {
    Recipe recipe = plain;
    if (raw) recipe.first_layer = 0;
    rollout_row(in.fused.slice(recipe.first_layer, recipe.end_layer), in.query, recipe.residual, other);
    add(recipe, false);
  }
  if (raw && by_max) {
    Recipe heads = plain;
    heads.method = Method::raw;
    heads.fusion = Fusion::max;
    raw_row(in.by_max.slice(plain.first_layer, plain.end_layer), in.query, other);
    add(heads, true);
  }
  Recipe layer = plain;
  layer.method = Method::raw;
  if (!raw) {
    layer.first_layer = layer.end_layer - 1;
    raw_row(in.fused.slice(layer.first_layer, layer.end_layer), in.query, other);
    add(layer, false);
  } else if (in.depth == 1 && in.fused.depth() > 1) {
    layer.first_layer = 0;
    layer.end_layer = in.fused.depth();
    raw_row(in.fused, in.query, other);
    add(layer, false);
  }
  return others;
}

int question_depth(const Stream& stream, const Recipe& recipe, int level) {
  const int depth = recipe.end_layer - recipe.first_layer;
  return is_chain(stream, recipe) && level >= 0 ? std::min(level, depth) : depth;
}

int visible_keys(const Stream& stream, int query) {
  if (stream.causal) return std::min(query, real_queries(stream) - 1) + 1 + (stream.virtual_sink ? 1 : 0);
  return stream.keys;
}

void chance_row(const Stream& stream, const Recipe& recipe, int depth, int query, std::span<double> row) {
  std::fill(row.begin(), row.end(), 0.0);
  const int keys = real_keys(stream);
  if (query >= real_queries(stream)) {  // the virtual sink keeps all it has
    row.back() = 1;
    return;
  }
  const auto real = row.first(static_cast<std::size_t>(keys));
  if (recipe.method != Method::raw) uniform_rollout_row(keys, depth, recipe.residual, stream.causal, query, real);
  else uniform_row(keys, stream.causal, query, real);
}

ViewData explain_view(const ViewInputs& in) {
  const Stream& stream = *in.stream;
  ViewData view;
  view.recipe = in.recipe;
  view.query = in.query;
  view.rows = in.rows;
  view.level = is_chain(stream, in.recipe) ? in.depth : 1;
  view.is_signed = has_sign(in.recipe);
  const bool by_token = in.shown->keys == stream.keys || in.recipe.method == Method::joint;  // a sink is a key of the answer
  if (in.keys && by_token) view.sinks = in.keys->sinks;
  view.rows_distance = in.rows_distance;
  view.row = floats(in.row);
  for (const double x : in.row)
    if (std::isfinite(x)) view.sum += x;
  view.stochastic = has_unit_rows(in.recipe) && in.recipe.sink != SinkMode::lift && std::abs(view.sum - 1) <= 1e-3;
  view.uniform = floats(in.uniform);
  add_paths(in, view);

  view.visible = in.visible;
  view.first = largest(in.row);
  if (!view.is_signed) {
    view.spread = spread(in.row);
    std::vector<int> aside = view.sinks;
    if (aside.empty() && in.keys && by_token && !in.keys->dominant.empty()) aside = {in.keys->dominant.front()};
    if (!aside.empty()) {
      view.left_out = aside.front();
      view.spread_without = spread(in.row, aside);
    }
  }

  ResidualRange residuals;
  const bool ranged = has_residual_range(in.recipe) && in.depth > 0 && in.rows.empty();
  if (ranged) {
    residuals = in.sweep ? residual_range(in.chain, in.query, view.first, *in.sweep) : residual_range(in.chain, in.query, view.first);
    view.low = floats(residuals.low);
    view.high = floats(residuals.high);
    view.itself_from = residuals.itself_from;
    view.first_other = residuals.first_other;
  }
  view.others = other_recipes(in, view.sinks, ranged ? &residuals : nullptr);

  if (in.keys) view.limits = recipe_limits(stream, in.recipe, *in.keys, in.rows_distance);
  if (in.gradients)
    for (auto& item : gradient_limits(stream, *in.gradients)) view.limits.push_back(std::move(item));
  if (in.depth > 0) {
    const RowFacts facts{in.shown, &in.recipe, in.query, in.row, in.uniform, view.spread, view.visible, ranged ? &residuals : nullptr, in.flow};
    for (auto& item : row_limits(facts)) view.limits.push_back(std::move(item));
  }
  return view;
}

}  // namespace rollscope
