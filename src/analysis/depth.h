// What depth does to a rollout: how many directions are left in R_l, how far apart its rows still are, where the weight
// gathers, and from which layer on the tokens no longer differ.
//
//   row entropy, perplexity  mean over rows of H = -sum p ln p (nats) and of exp H
//   effective rank           exp H(s / sum s), s: singular values (Roy & Vetterli 2007)
//   stable rank, rank-1 energy   sum s^2 / s_1^2, and its inverse
//   Dong residual            sqrt(||D||_1 ||D||_inf) of D = R - 1 x^T, x: column means (Dong et al. 2021, arXiv 2103.03404,
//                            where x minimises the norm: theirs is at most ours); and ||D||_F / ||R||_F
//   Dobrushin coefficient    max over rows a, b of sum |R_a - R_b| / 2: delta(A B) <= delta(A) delta(B), so with every
//                            layer it can only shrink, and the product of the layers' coefficients proves collapse
//   Gini                     mean over rows: 0 all keys alike, (N - 1) / N one key has all
//
// R is [Q][K], row = query, column = key. A row without a positive sum is left out of the means over rows; in the norms
// and distances it counts as the zeros it is. A value that is not finite makes every number NaN.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "base/matrix_view.h"

namespace rollscope {

struct DepthOptions {
  bool causal = false;
  int rows = -1;   // the first so many rows count (a virtual sink's row does not); -1: all
  std::span<const int> sinks = {};  // keys whose weight is sink_mass
  bool singular_values = true;      // the costly part
  bool distances = true;            // dobrushin_tv and rows_distance; false: the caller measures them block by block
};

// Above this many rows or columns the singular values are skipped: 512 take about a second, and the time grows as N^3.
// They and the three numbers made of them are then NaN, singular_values empty.
inline constexpr int kMaxSingularValues = 512;

struct DepthDiagnostics {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double row_entropy_mean = kNone, perplexity_mean = kNone;
  double row_entropy_normalised_mean = kNone;  // H / ln(visible keys), in [0, 1]; rows that see one key are skipped
  double effective_rank = kNone, stable_rank = kNone, rank1_energy = kNone;
  double dong_residual_1inf = kNone, residual_fro_rel = kNone;
  double dobrushin_tv = kNone;    // all rows
  double rows_distance = kNone;   // the same over the rows that the verdict compares: causal, the second half
  double gini_mean = kNone;
  int top_key = -1;               // the key with the largest column mean, the first of equals
  double top_share = kNone;       // that mean: the share of the weight, over all rows, on the most read key
  double sink_mass = kNone;       // mean over rows of the weight on `sinks`; 0 without any
  std::vector<double> singular_values;  // descending, [min(Q, K)]
};

// Diagnostics of one matrix, usually R after layer l (methods/rollout.h, after_layer).
// Cost: Q^2 K / 2 for the distances, Q K logarithms, and the singular values, about 4 N^3; a copy of R in double.
[[nodiscard]] DepthDiagnostics depth_diagnostics(ConstMatrixView r, const DepthOptions& options);

// From which layer on rows stay within a distance.
struct DepthVerdict {
  int collapsed_from = -1;  // first layer, counted from 0, from which on every distance is <= kRowsCollapsed (.05):
                            // "from layer l on the tokens no longer differ"; -1: they differ at the top
  int similar_from = -1;    // the same for kRowsSimilar (.15); never later than collapsed_from
};
// distances: rows_distance of R_0 ... R_{L-1}. NaN holds no verdict: it counts as far apart.
// Under a causal mask the second half's distance may grow again from layer to layer, hence "from which on".
[[nodiscard]] DepthVerdict depth_verdict(std::span<const double> distances);

}  // namespace rollscope
