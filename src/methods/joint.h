// Joint rollout of an encoder-decoder: what each target token reads of the source AND of the target, in one row.
//
//   D = [0 | I], [Nt][Ns + Nt]: columns are source tokens, then target tokens. Per decoder layer:
//   D <- a_s D + (1 - a_s) S D                 S [Nt][Nt]: fused self-attention
//   D <- a_c D + (1 - a_c) [C R_enc | 0]       C [Nt][Ns]: fused cross-attention, R_enc [Ns][Ns]: the encoder's rollout
//
// Ours (contracts: mark O): the product of the block matrices that Abnar & Zuidema's rollout gives for both sides taken
// as one graph. Rows sum to 1. An empty row of S or C leaves the row of D as it is, or, where its residual weight is 0,
// empties it (ruling 1).
//
// The share of the source is no finding: with constant a_c every row gives it exactly 1 - a_c^L, by construction. Show
// source and target parts each divided by their own sums (normalise_parts). A teacher-forced row t predicts token t + 1.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/matrix_view.h"
#include "methods/buffer.h"
#include "methods/product_queue.h"

namespace rollscope {

struct JointResiduals {
  double self = 0.5;   // a_s, in [0, 1]
  double cross = 0.5;  // a_c, in [0, 1]
};

// All rows in steps of a few milliseconds.
class JointWork {
 public:
  //   all fused (methods/fusion.h: no NaN); encoder [Ns][Ns] R_enc, finished; self [L][Nt][Nt]; cross [L][Nt][Ns]; d [Nt][Ns + Nt], the caller's, holds D after
  //   every completed layer. All stay where they are until the work is done.
  // Memory: Nt (Ns + Nt) Real. Cost: L Nt^2 (Ns + Nt) + L Nt Ns^2 multiply-adds. Errors: out_of_memory.
  [[nodiscard]] static Result<JointWork> start(ConstMatrixView encoder, StackView self, StackView cross,
                                               JointResiduals residuals, MatrixView d);
  // A block of work. True: finished.
  bool step();
  // The decoder layer whose D the last step completed; -1: none.
  [[nodiscard]] int completed() const { return completed_; }
  [[nodiscard]] double fraction() const;

 private:
  explicit JointWork(ProductQueue queue) : queue_(std::move(queue)) {}
  void queue_layer();
  ConstMatrixView encoder_;
  std::vector<ConstMatrixView> self_, cross_;
  JointResiduals residuals_;
  MatrixView d_;
  RealBuffer scratch_;  // S D, then C R_enc
  ProductQueue queue_;
  int layer_ = 0, completed_ = -1;
};

// One row of D with the masses on its way down, for a picture of the paths. L decoder layers, M encoder layers.
//   target    [(L + 1)][Nt]  mass of the target tokens at each level; target[L] = e_query, target[0]: the row's target part
//   between   [L][Nt]        of layer l: what its cross-attention left at the target tokens, before its self-attention
//   crossing  [L][Ns]        of layer l: what its cross-attention carried to the encoder's output
//   source    [(M + 1)][Ns]  mass of the source tokens at each level; source[M] = the sum of crossing, source[0]: the
//                            row's source part
// crossing of layer l weighs target[l + 1][i] (1 - a_c) C_l[i][j], edge by edge; self-attention of layer l starts at
// between[l] (methods/paths.h takes both).
struct JointStates {
  std::vector<double> target, between, crossing, source;
};
// encoder [M][Ns][Ns], fused, with its residual weight r; M = 0: the source ends at the encoder's output.
// Cost: (L Nt + L Ns) Nt + M Ns^2 multiply-adds: no product of matrices.
[[nodiscard]] JointStates joint_states(StackView encoder, double encoder_residual, StackView self, StackView cross,
                                       JointResiduals residuals, int query);
// The row of D: row [Ns + Nt], overwritten.
void joint_row(const JointStates& states, std::span<double> row);

// Source part and target part of a row, each divided by its own sum, in place; an empty part stays zeros.
void normalise_parts(std::span<double> row, int sources);
void normalise_parts(MatrixView d, int sources);
// Sum of the source part over the sum of the row, in [0, 1]; 0 for an empty row.
[[nodiscard]] double source_share(std::span<const double> row, int sources);

// Quick looks from target to source, out [Nt][Ns]. They leave out how layers follow each other:
//   last_layer      C_L R_enc                  what the last cross-attention reads
//   mean_layers     mean over l of C_l R_enc
//   decoder_path    R_dec C_L R_enc            R_dec [Nt][Nt]: the decoder's own rollout
//   chefer_baseline R_dec^T C_L R_enc          the rollout baseline of Chefer et al.'s DETR code; rows do not sum to 1, and
//                                              later targets reach earlier rows
enum class CrossLook : std::uint8_t { last_layer, mean_layers, decoder_path, chefer_baseline };
class CrossLookWork {
 public:
  // decoder: only for the last two; else an empty view. All views stay where they are until the work is done.
  // Memory: Nt Ns Real. Cost: Nt Ns (Ns + Nt) multiply-adds. Errors: out_of_memory.
  [[nodiscard]] static Result<CrossLookWork> start(CrossLook look, StackView cross, ConstMatrixView encoder,
                                                   ConstMatrixView decoder, MatrixView out);
  bool step() { return queue_.step(); }
  [[nodiscard]] double fraction() const { return queue_.fraction(); }

 private:
  explicit CrossLookWork(ProductQueue queue) : queue_(std::move(queue)) {}
  RealBuffer scratch_;
  ProductQueue queue_;
};

}  // namespace rollscope
