// One chosen output under one recipe, complete: the row, its chance, its doubt, the paths behind it (view_data.h).
#pragma once

#include "analysis/limits.h"
#include "analysis/view_data.h"
#include "base/matrix_view.h"
#include "methods/fusion.h"

namespace rollscope {

struct ViewInputs {
  const Stream* stream = nullptr;
  Recipe recipe;     // resolved (analysis/recipe_text.h)
  int query = 0;     // a row of the stream
  int level = -1;    // ViewRequest::level
  StackView fused;   // all stored layers, fused as the recipe says
  StackView by_max;  // all stored layers, the recipe's heads fused by max; no layers: not to be had cheaply
  const StrongKeys* keys = nullptr;
  double rows_distance = -1;
  const RolloutSweep* sweep = nullptr;  // finished, over residual_steps() and question_range(); null: made here
};

// Layers of the range that the question looks through: all of them, or those below the node that was asked.
[[nodiscard]] int question_depth(const Recipe& recipe, int level);

[[nodiscard]] inline StackView question_range(StackView fused, const Recipe& recipe, int level) {
  return fused.slice(recipe.first_layer, recipe.first_layer + question_depth(recipe, level));
}

// Cost for a rollout: about 6 L N^2, 14 more without a sweep, and one pass over each layer for its edges.
[[nodiscard]] ViewData explain_view(const ViewInputs& inputs);

// Chance for row `query`: uniform attention with the same mask and residual; row [K]. A virtual sink has none.
void chance_row(const Stream& stream, const Recipe& recipe, int depth, int query, std::span<double> row);
// Keys that row `query` can see.
[[nodiscard]] int visible_keys(const Stream& stream, int query);

}  // namespace rollscope
