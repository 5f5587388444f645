// Attention weighted by what it moves: norms of transformed values, and residual weights that were measured.
//
//   value norms   N_ij = sum_h alpha^h_ij ||f^h(x_j)||, f^h(x) = (x W_V^h + b_V^h) W_O^h
//                 Kobayashi et al., EMNLP 2020, arXiv 2004.10102, per head; the published layer matrix is the norm of the
//                 SUM over heads, which norms per head cannot give (this one is never smaller): it comes as stored
//   stored        attn_n, AttnRes-N, AttnResLn-N (Kobayashi et al., EMNLP 2021, arXiv 2109.07152), GlobEnc (Modarressi et
//                 al., NAACL 2022, arXiv 2205.03286), ALTI (Ferrando et al., EMNLP 2022, arXiv 2203.04212): [L][N][N] >= 0,
//                 all but the first with the residual on the diagonal already
//   W_RES         GlobEnc's attention with measured mixing: m_i offdiag(F)_i + (1 - m_i) e_i
//   r_i           ||x_i|| / (||x_i|| + ||attn_i||): residual weight per layer and token
//
// All give transfer matrices, in place, that the rollout multiplies with residual = 0. The residual around the MLP is
// in none but GlobEnc's second layer norm.
#pragma once

#include <span>

#include "base/matrix_view.h"

namespace rollscope {

// Grouped-query attention: the value head of attention head `head`, floor(head / (heads / value_heads)), as
// repeat_interleave does. -1 where `heads` is no multiple of `value_heads` (a dump that does not fit) or either is < 1.
[[nodiscard]] int value_head(int head, int heads, int value_heads);

// Sums alpha^h ||f^h|| over the heads of one layer: begin, add each head in any order; no finish.
//   out  [Q][K], the caller's; sums as they are, not divided
class ValueNormFuser {
 public:
  explicit ValueNormFuser(MatrixView out);
  // attention [Q][K] of one head, rows already divided (normalise_head); a row that is not finite counts as zeros.
  // norms [K] of its value head (value_head()); NaN, infinite and negative norms count as 0. Returns how many did.
  int add(ConstMatrixView attention, std::span<const Real> norms);

 private:
  MatrixView out_;
};

// N -> T, in place: [N][N], rows divided by their sums; residual_inside: that is T; else T = r I + (1 - r) of it.
// A row without a value (not finite, sum not positive) becomes e_i where residual_inside or r > 0, else stays empty.
// Negative numbers count as they are for the sum. Returns the number of rows without a value. r in [0, 1].
int norms_to_transfer(MatrixView norms, bool residual_inside, double r);

// r [N] from the norms of the residual stream and of the attention output (bias included) of one layer, each [N].
// Norms that are not finite or negative count as 0; where both are 0, r = 1: nothing was added. r in [0, 1].
void residual_weights(std::span<const double> residual_norms, std::span<const double> attention_norms, std::span<double> r);
// Mean over the tokens: the residual weight of the layer. 0.5 for no tokens.
[[nodiscard]] double mean_residual(std::span<const double> r);

// W_RES: F -> T, in place: [N][N]. mixing [N], clamped to [0, 1]; NaN counts as 0. A row with nothing off the diagonal
// becomes e_i: its m has nowhere to go.
void mix_measured(MatrixView fused, std::span<const double> mixing);

// Mixing ratio of each row of a matrix of weights >= 0: sum off the diagonal / sum. out [N]; 0 for an empty row. For
// norms of vectors it is not the published one (norm of the off-diagonal SUM), which comes as stored.
void mixing_ratios(ConstMatrixView weights, std::span<double> out);

}  // namespace rollscope
