// The same recipe on uniform attention with the same mask: what chance alone gives. Every row attends equally to
// the keys that it can see (all, or j <= i under a causal mask); residual as in the recipe.
#pragma once

#include <span>

namespace rollscope {

// Rollout of uniform attention, row `query`: row [N], overwritten. Closed form, O(N) (causal: O(L N)).
void uniform_rollout_row(int tokens, int layers, double residual, bool causal, int query, std::span<double> row);
// One layer of uniform attention: row [K], overwritten.
void uniform_row(int keys, bool causal, int query, std::span<double> row);

}  // namespace rollscope
