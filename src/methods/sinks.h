// What to do about a key that draws attention without being read for its content: [CLS], the first token of a causal
// model, a virtual sink (ruling 2; the last key, and a key like any other here).
//
//   renormalise  the row without the sinks, divided by what is left: the product stays as it is
//   remove       no attention to the sinks in any layer, before the product
//   lift         R / R_uniform: how much more than uniform attention gives under the same mask and residual
//
// None is published; Abnar & Zuidema leave the causal model's bias towards its first tokens open. Keys may come in any
// order and more than once; each in [0, K).
#pragma once

#include <span>

#include "base/matrix_view.h"

namespace rollscope {

// A row of R (or of any weights >= 0), in place: [K]. A row with nothing else becomes zeros.
void renormalise_without(std::span<double> row, std::span<const int> keys);
// Every row of a matrix: [Q][K].
void renormalise_without(MatrixView matrix, std::span<const int> keys);

// The keys' columns of one HEAD set to 0, in place, and its rows divided by their sums; rows left empty stay zeros, so
// that ruling 1 applies: the fused row is the mean of the other heads, and where no head is left the token keeps itself.
// Heads, not the fused layer: a head that spends .9 on the sink then speaks as loudly as the others. (Removed after
// fusion it would keep a tenth of its say: another result, up to .04 on the test vector.) Where heads are fused in the
// dump, its one matrix is taken. For the statistics of what was read:
//   normalise_head(head, stats); remove_keys(head, keys); fuser.add_normalised(head);
void remove_keys(MatrixView head, std::span<const int> keys);

// row[j] / uniform[j], in place: [K]; 0 where `uniform` is 0, which under the same mask and residual means out of sight.
// From 0 up, 1: as uniform attention (methods/uniform.h). Not a share: rows do not sum to 1.
void lift(std::span<double> row, std::span<const double> uniform);

}  // namespace rollscope
