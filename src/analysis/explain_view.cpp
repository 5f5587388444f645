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

// The recipes beside this one that people compare it with.
void add_others(const ViewInputs& in, StackView range, std::span<const double> row, const ResidualRange* residuals, ViewData& view) {
  std::vector<double> other(row.size());
  const int first = largest(row, view.sinks);
  const auto add = [&](Recipe recipe, bool only_if_it_differs) {
    OtherRecipe o{std::move(recipe), largest(other, view.sinks), spearman(row, other, view.sinks)};
    if (only_if_it_differs && o.first == first && o.rho >= kTellsNothingNew) return;
    view.others.push_back(std::move(o));
  };
  Recipe recipe = view.recipe;
  const int depth = range.depth();
  recipe.end_layer = recipe.first_layer + depth;
  const bool by_max = in.by_max.depth() > 0;
  if (recipe.method == Method::rollout) {
    Recipe residual = recipe;
    residual.residual = std::abs(recipe.residual - kOtherResidual) < 1e-9 ? kPublishedResidual : kOtherResidual;
    if (residuals && residual.residual == kOtherResidual) std::copy_n(residuals->rows.begin(), other.size(), other.begin());
    else rollout_row(range, in.query, residual.residual, other);
    add(residual, false);
    if (by_max) {
      Recipe heads = recipe;
      heads.fusion = Fusion::max;
      rollout_row(in.by_max.slice(recipe.first_layer, recipe.end_layer), in.query, recipe.residual, other);
      add(heads, true);
    }
    Recipe raw = recipe;
    raw.method = Method::raw;
    raw.first_layer = recipe.end_layer - 1;
    raw_row(in.fused.slice(raw.first_layer, raw.end_layer), in.query, other);
    add(raw, false);
    return;
  }
  if (same_tokens(*in.stream)) {
    Recipe rollout = recipe;
    rollout.method = Method::rollout;
    rollout.first_layer = 0;
    rollout_row(in.fused.slice(0, rollout.end_layer), in.query, rollout.residual, other);
    add(rollout, false);
  }
  if (by_max) {
    Recipe heads = recipe;
    heads.fusion = Fusion::max;
    raw_row(in.by_max.slice(recipe.first_layer, recipe.end_layer), in.query, other);
    add(heads, true);
  }
  if (depth == 1 && in.fused.depth() > 1) {
    Recipe mean = recipe;
    mean.first_layer = 0;
    mean.end_layer = in.fused.depth();
    raw_row(in.fused, in.query, other);
    add(mean, false);
  }
}

// Mass of every node, level by level, and what passes between them. Returns the row.
std::vector<double> add_paths(const ViewInputs& in, StackView range, ViewData& view) {
  const auto keys = static_cast<std::size_t>(in.stream->keys);
  const auto queries = static_cast<std::size_t>(in.stream->queries);
  if (view.recipe.method == Method::raw) {
    std::vector<double> above(queries, 0.0), row(keys);
    above[static_cast<std::size_t>(in.query)] = 1;
    raw_row(range, in.query, row);
    view.states = {floats(row), floats(above)};
    // One matrix stands for the range: only the chosen row of it is read.
    std::vector<Real> only(queries * keys, Real{0});
    std::transform(row.begin(), row.end(), only.begin() + in.query * static_cast<std::ptrdiff_t>(keys),
                   [](double x) { return static_cast<Real>(x); });
    view.gaps.push_back(path_gap(above, {only.data(), in.stream->queries, in.stream->keys}, 0, same_tokens(*in.stream), view.sinks));
    return row;
  }
  const auto depth = static_cast<std::size_t>(range.depth());
  std::vector<double> states((depth + 1) * keys);
  rollout_states(range, in.query, view.recipe.residual, states);
  for (std::size_t l = 0; l <= depth; ++l) view.states.push_back(floats(std::span(states).subspan(l * keys, keys)));
  for (std::size_t l = 0; l < depth; ++l)
    view.gaps.push_back(path_gap(std::span(states).subspan((l + 1) * keys, keys), range[static_cast<int>(l)],
                                 view.recipe.residual, true, view.sinks));
  return {states.begin(), states.begin() + static_cast<std::ptrdiff_t>(keys)};
}

}  // namespace

int question_depth(const Recipe& recipe, int level) {
  const int depth = recipe.end_layer - recipe.first_layer;
  return recipe.method == Method::rollout && level >= 0 ? std::min(level, depth) : depth;
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
  if (recipe.method == Method::rollout) uniform_rollout_row(keys, depth, recipe.residual, stream.causal, query, real);
  else uniform_row(keys, stream.causal, query, real);
}

ViewData explain_view(const ViewInputs& in) {
  const Stream& stream = *in.stream;
  ViewData view;
  view.recipe = in.recipe;
  view.query = in.query;
  const int depth = question_depth(in.recipe, in.level);
  view.level = in.recipe.method == Method::rollout ? depth : 1;
  view.sinks = in.keys->sinks;
  view.rows_distance = in.rows_distance;
  const StackView range = question_range(in.fused, in.recipe, in.level);
  const auto row = add_paths(in, range, view);
  view.row = floats(row);
  for (const double x : row) view.sum += x;
  view.stochastic = std::abs(view.sum - 1) <= 1e-3;
  std::vector<double> uniform(row.size());
  chance_row(stream, in.recipe, depth, in.query, uniform);
  view.uniform = floats(uniform);

  view.visible = visible_keys(stream, in.query);
  view.spread = spread(row);
  std::vector<int> aside = view.sinks;
  if (aside.empty() && !in.keys->dominant.empty()) aside = {in.keys->dominant.front()};
  if (!aside.empty()) {
    view.left_out = aside.front();
    view.spread_without = spread(row, aside);
  }
  view.first = largest(row);

  ResidualRange residuals;
  const bool ranged = in.recipe.method == Method::rollout && depth > 0;
  if (ranged) {
    residuals = in.sweep ? residual_range(range, in.query, view.first, *in.sweep) : residual_range(range, in.query, view.first);
    view.low = floats(residuals.low);
    view.high = floats(residuals.high);
    view.itself_from = residuals.itself_from;
    view.first_other = residuals.first_other;
  }
  if (depth > 0) add_others(in, range, row, ranged ? &residuals : nullptr, view);

  view.limits = recipe_limits(stream, in.recipe, *in.keys, in.rows_distance);
  if (depth > 0) {
    const RowFacts facts{&stream, &in.recipe, in.query, row, uniform, view.spread, view.visible, ranged ? &residuals : nullptr};
    for (auto& item : row_limits(facts)) view.limits.push_back(std::move(item));
  }
  return view;
}

}  // namespace rollscope
