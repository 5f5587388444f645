// Relevance by the generic rules for attention, over two token sequences that read each other.
//
//   t: text, or the target tokens of a decoder;  i: image regions, or the source tokens of an encoder
//   A = E_h (grad . attention)+, one matrix per layer (methods/gradients.h, `positive`); rows: who reads
//   start:  R_tt = I, R_ii = I, R_ti = 0, R_it = 0
//   self    (t reads t)  R_tt += A R_tt,                    R_ti += A R_ti
//   cross   (t reads i)  R_ti += R~_tt^T A R~_ii,           R_tt += A R_it
//   R~ = rows of (R - I) divided by their sums, + I; a row of R - I without a positive sum counts as zeros
// and the same with t and i exchanged. Every update of a step is made from the matrices before it.
//
// Source: Chefer, Gur & Wolf, ICCV 2021, arXiv 2103.15679, and the authors' code for LXMERT and DETR.
// Where they divide 0 by 0, R~ keeps e_i here, as their DETR code does.
//   causal       R_ti += A R~_ii (ours): in a causal decoder the transposed factor lets later targets change the rows of
//                earlier ones
//   unnormalised R_ti += R_tt^T A R_ii (the authors' switch)
// Self-attention alone needs none of this: T = I + A (add_identity) and the product of methods/rollout.h.
//
// Encoder-decoder: self_i() per encoder layer; per decoder layer self_t(), then cross_t(); R_it stays 0.
// Co-attention: self_t(), self_i() per unimodal layer; cross_both() per layer, then its self rules; where the last
// layer updates the text only (LXMERT), cross_t(). Row 0 of R_tt and of R_ti explains the class token; R_tt[0][0] is
// the token itself and is set to 0 for display.
// R grows with depth and is no distribution: divide for display only. Precondition for finite results: A >= 0, finite,
// and R within the range of Real: it grows like the product of 1 + row sums of A (ResultWork refuses what left it).
#pragma once

#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/matrix_view.h"
#include "methods/buffer.h"
#include "methods/product_queue.h"

namespace rollscope {

enum class CrossRule : std::uint8_t { published, causal, unnormalised };

// R -> R~, in place: [N][N].
void normalise_relevance(MatrixView r);

// One layer at a time: call a rule, then step() until it says true, then the next rule. The layer's matrices must stay
// where they are until then.
class Relevance {
 public:
  // Tokens of the two sides, each >= 1. Memory: 2 (Nt + Ni)^2 + Nt Ni Real. Errors: out_of_memory.
  [[nodiscard]] static Result<Relevance> start(int t, int i, CrossRule rule);

  void self_t(ConstMatrixView tt);  // [Nt][Nt]
  void self_i(ConstMatrixView ii);  // [Ni][Ni]
  void cross_t(ConstMatrixView ti);                       // [Nt][Ni]: t reads i, and only t's matrices change
  void cross_both(ConstMatrixView ti, ConstMatrixView it);  // [Nt][Ni], [Ni][Nt]
  // A few milliseconds of work. True: the rule has been applied. Cost of a rule: products of the sides' sizes, at most
  // (Nt + Ni)^3 multiply-adds.
  bool step();
  [[nodiscard]] double fraction() const;  // of the rule under way

  [[nodiscard]] ConstMatrixView tt() const { return t_.own; }
  [[nodiscard]] ConstMatrixView ti() const { return t_.other; }
  [[nodiscard]] ConstMatrixView ii() const { return i_.own; }
  [[nodiscard]] ConstMatrixView it() const { return i_.other; }

 private:
  // The matrices of one side s against the other, q. They view memory_, which stays in place when this is moved.
  struct Side {
    MatrixView own, other;        // R_ss, R_sq
    MatrixView square, increase;  // scratch: R~_ss, then what R_ss grows by; what R_sq grows by
    bool other_is_zero = true;
  };
  explicit Relevance(ProductQueue queue) : queue_(std::move(queue)) {}
  void self(Side& s, ConstMatrixView a);
  void cross(Side& s, const Side& q, ConstMatrixView a);           // what R_sq grows by
  void grow_own(const Side& s, const Side& q, ConstMatrixView a);  // what R_ss grows by
  void apply(Side& s, bool own, bool other);
  void normalise();
  Side t_, i_;
  RealBuffer memory_;
  Real* between_ = nullptr;  // scratch of Nt Ni
  CrossRule rule_ = CrossRule::published;
  ProductQueue queue_;
};

}  // namespace rollscope
