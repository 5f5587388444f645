// One chosen output under one recipe, complete: the row, its chance, its doubt, the paths behind it (view_data.h).
#pragma once

#include <functional>

#include "analysis/limits.h"
#include "analysis/shown_stream.h"
#include "analysis/view_data.h"
#include "base/matrix_view.h"
#include "methods/fusion.h"

namespace rollscope {

struct ViewInputs {
  const Stream* stream = nullptr;  // of the layers
  const Stream* shown = nullptr;   // rows and columns of the answer (analysis/shown_stream.h)
  Recipe recipe;     // resolved (analysis/recipe_text.h)
  int query = 0;     // a row of the answer
  // Several rows, ascending, of which `row`, `uniform` and `start` are the means; `query` is the first. Then no other
  // recipes are compared, and the residual weight is not varied. Empty: `query` alone.
  std::vector<int> rows;
  std::function<std::vector<double>(int)> row_of;  // each of them, where there is no mass per layer
  int depth = 0;     // layers that the question looks through
  std::vector<double> row, uniform;  // the answer [K shown], and chance; `uniform` empty: not defined
  int visible = 0;   // keys of the answer that the row can see
  StackView chain;   // [depth] what is multiplied; none where there is no mass per layer
  double residual = 0;               // of the chain; 0 where it is inside
  std::vector<double> start;         // [Q of the chain] where the walk begins
  MergeGroups groups;                // of the chain's tokens; empty: they are the answer's
  StackView fused;   // attention of all stored layers, to compare with, fused as the recipe says; may be missing
  StackView by_max;  // the same by max; no layers: not to be had cheaply
  const StrongKeys* keys = nullptr;  // of the stream; null: the method reads no attention
  double rows_distance = -1;
  const RolloutSweep* sweep = nullptr;  // finished, over residual_steps() and the chain; null: made here
  const FlowFacts* flow = nullptr;
  const GradientStats* gradients = nullptr;
};

// Layers of the range that a question looks through: all of them, or those below the node that was asked.
[[nodiscard]] int question_depth(const Stream& stream, const Recipe& recipe, int level);

// Cost for a rollout: about 6 L N^2, 14 more without a sweep, and one pass over each layer for its edges.
[[nodiscard]] ViewData explain_view(const ViewInputs& inputs);

// The recipes beside this one that people compare it with, where `fused` and `by_max` have their layers; `sinks` are left
// out of the rank correlations. residuals: of the row; null: not judged. Cost: L N^2 for each.
[[nodiscard]] std::vector<OtherRecipe> other_recipes(const ViewInputs& inputs, std::span<const int> sinks, const ResidualRange* residuals);

// Chance for row `query`: uniform attention with the same mask and residual; row [K]. A virtual sink has none.
void chance_row(const Stream& stream, const Recipe& recipe, int depth, int query, std::span<double> row);
// Keys that row `query` can see.
[[nodiscard]] int visible_keys(const Stream& stream, int query);

}  // namespace rollscope
