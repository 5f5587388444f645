// Attention Rollout: how much weight all attention paths carry from each output token down to each input token.
//
//   A~_l = r I + (1 - r) F_l      F_l: fused heads of layer l (methods/fusion.h); r: residual weight
//   R    = A~_L ... A~_2 A~_1     the layer applied first stands on the right
//
// Source: Abnar & Zuidema, ACL 2020, arXiv 2005.00928, eq. 1. Some papers print the reverse: wrong for
// row = query, and row sums cannot show it (rollout_test.cpp does).
//
// R[i][j] is the total weight of all paths from output i to input j in this linear model: a backward random walk
// from i ends at j with that probability. It is not a share of the state, of the information, or of the decision.
// Row i explains output i; a column mean answers another question, "who is read most".
// Where F has an empty row, the token keeps itself (A~ row = e_i) when r > 0, and the row stays empty when r = 0.
// Whoever draws R also draws the limits of analysis/limits.h.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/matrix_view.h"
#include "base/progress.h"
#include "methods/buffer.h"

namespace rollscope {

// One step down: next = v A~, with A~ = r I + (1 - r) F.
//   v     [Q] weights of the states above; next [K], overwritten; F [Q][K] with Q = K
// Cost: Q K multiply-adds; rows of F whose v is zero are skipped.
void rollout_step(std::span<const double> v, ConstMatrixView fused, double residual, std::span<double> next);

// One row of R, the explanation of output `query`.
//   fused  [L][N][N], the layers of the range; row [N], overwritten
// Cost: L N^2 multiply-adds, 2 N doubles of scratch. Reads the layers top down, each once.
void rollout_row(StackView fused, int query, double residual, std::span<double> row);

// The same question under several residual weights at once, which reads each layer once for all of them; layer by
// layer, for callers that have other things to do in between.
class RolloutSweep {
 public:
  RolloutSweep(StackView fused, int query, std::vector<double> residuals);
  // Goes down one layer. True: finished.
  bool step();
  [[nodiscard]] const std::vector<double>& residuals() const { return residuals_; }  // [M]
  [[nodiscard]] const std::vector<double>& rows() const { return v_; }               // [M][N], after the last step

 private:
  std::vector<ConstMatrixView> layers_;
  std::vector<double> residuals_, v_, next_;
};

// All states of one explanation: states [(L + 1)][N]; states[L] = e_query, states[0] = the row of R.
void rollout_states(StackView fused, int query, double residual, std::span<double> states);

// All rows in steps of a few milliseconds, for callers that have other things to do in between.
class RolloutWork {
 public:
  // r [N][N], the caller's memory, holds R after the last step. The layers must stay where they are.
  // Errors: out_of_memory (one N x N scratch).
  [[nodiscard]] static Result<RolloutWork> start(StackView fused, double residual, bool causal, MatrixView r);
  // Computes a block of rows. True: finished.
  bool step();
  // The layer that the last step completed, and R_l; -1: none.
  [[nodiscard]] int completed() const { return completed_; }
  [[nodiscard]] ConstMatrixView completed_matrix() const;
  [[nodiscard]] double fraction() const;

 private:
  RolloutWork() = default;
  [[nodiscard]] MatrixView target(int layer) const;  // where R_layer is written: r last, r and scratch in turns
  std::vector<ConstMatrixView> layers_;
  double residual_ = 0;
  bool causal_ = false;
  MatrixView r_;
  RealBuffer scratch_, panel_;
  int layer_ = 0, row_ = 0, completed_ = -1;
};

// All rows: r [N][N], overwritten. Calls `after_layer(l, R_l)` after each layer, so that every intermediate
// rollout can be shown; R_l = A~_l ... A~_1. Every element is summed in the same order however the rows are cut
// into blocks, so the bits are the same.
// Cost: L N^3 multiply-adds (causal: about a third), one N x N scratch.
// Errors: cancelled, out_of_memory. On either, `r` holds nothing of use.
[[nodiscard]] Result<void> rollout(StackView fused, double residual, bool causal, MatrixView r, Progress& progress,
                                   const std::function<void(int, ConstMatrixView)>& after_layer = {});

}  // namespace rollscope
