// Attention weighted by the gradient of an output: which connections the class score depends on.
//
//   A [Q][K] attention of one head as stored, G [Q][K] = dY / dA for the chosen output Y (a logit, not a loss: a loss
//   turns every sign, and the clamp then leaves nothing), ( )+ = max( , 0)
//
//   positive            F = mean_h (A.G)+             Chefer et al., ICCV 2021, arXiv 2103.15679
//   mean_first          F = (mean_h A.G)+             vit-explain's gradient rollout
//   grad_sam            F = mean_h A.(G)+             Barkan et al., CIKM 2021, arXiv 2204.11073
//   attention_gradient  F = mean_h (A mean_qk(G))+    Grad-CAM on attention: one factor per head
//
// From F, per layer and in place, comes a matrix T that the existing rollout multiplies with residual = 0:
//   gradient rollout  T = rows of F + I divided by their sums;  relevance  T = I + F, not divided: R grows with depth.
// Ruling 1: these variants take heads as they are stored and divide, if at all, after I was added, as published.
// GradSAM's scores are the mean over layers (methods/raw.h) and over one token axis: key_means() or query_means().
#pragma once

#include <cstdint>
#include <span>

#include "base/matrix_view.h"

namespace rollscope {

enum class GradientKind : std::uint8_t { positive, mean_first, grad_sam, attention_gradient };

// What was set aside while the heads went by.
struct GradientStats {
  long long values = 0;          // gradients seen
  long long bad_gradients = 0;   // gradients that are NaN or infinite, or whose product overflows: they count as 0
  long long bad_rows = 0;        // attention rows with a value that is not finite: they count as zeros
  long long positive = 0;        // products A.G above 0 ...
  long long negative = 0;        // ... and below: none above 0 suggests the gradient of a loss
};

// Fuses one layer, head by head: begin, add each head with its gradient in any order, finish.
//   out  [Q][K], the caller's; holds F >= 0, finite, after finish() (grad_sam: >= 0 where A is)
// Cost: Q K per head, no scratch.
class GradientFuser {
 public:
  // stats may be null.
  GradientFuser(MatrixView out, GradientKind kind, GradientStats* stats);
  void add(ConstMatrixView attention, ConstMatrixView gradient);
  void finish();

 private:
  MatrixView out_;
  GradientKind kind_;
  GradientStats* stats_;
  int count_ = 0;
};

// F -> T of the gradient rollouts, in place: [N][N] F + I, rows divided by their sums. A row without a positive
// gradient becomes e_i. Precondition: F >= 0, finite.
void add_identity_and_normalise(MatrixView fused);
// F -> T of the relevance rules, in place: [N][N] I + F.
void add_identity(MatrixView fused);

// Mean over the queries, one number per key (out [K]); mean over the keys, one number per query (out [Q]).
void key_means(ConstMatrixView matrix, std::span<double> out);
void query_means(ConstMatrixView matrix, std::span<double> out);

}  // namespace rollscope
