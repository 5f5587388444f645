// Head fusion: H matrices of a layer to one, F.
//
// Ruling 1: each head's row with a positive sum is divided by it; a zero or NaN row of one head counts as zeros;
// heads are fused (mean, max or min over the chosen heads); the fused row is divided by its sum. So a dead head
// leaves the mean of the live ones, and the residual weight added later is the share that is stated.
//   mean   sum of the normalised rows / their number, then divided by its sum
//   min    can be all zero where heads disagree: the row stays zero
// A row that is zero in every head stays zero. Rows of a stream with a virtual sink sum to 1 already.
// Negative values count as they are for the sum; a row whose sum is not positive counts as zeros.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix_view.h"
#include "methods/recipe.h"

namespace rollscope {

// What was seen while the heads of one stream went by; feeds the import report and the sink rule.
struct StackStats {
  long long rows = 0;           // rows seen, over all heads and layers
  long long nan_rows = 0;       // rows with a value that is not finite
  long long zero_rows = 0;      // rows whose values are all zero
  long long negative_rows = 0;  // rows with a value below zero
  long long off_rows = 0;       // rows whose sum is farther from 1 than the tolerance of the number type
  double lowest_sum = 1, highest_sum = 1;  // over off_rows
  bool upper_weight = false;    // some weight above the diagonal (Q = K), the virtual sink's column apart
  bool virtual_sink = false;    // set by the caller: the last key is one
  double tolerance = 1e-4;      // set by the caller: f64, f32 1e-4; f16 5e-3; bf16 3e-2; integers 5e-2
  // Per head, in the order in which they came, for the sink rule and for "no value here":
  std::vector<float> received;      // [heads seen][K] normalised attention to key j, summed over all rows
  std::vector<float> own;           // [heads seen][K] the part of it that comes from row j (0 where Q < K has no such row)
  std::vector<std::uint8_t> empty;  // [heads seen][Q] 1: this head's row held no value (zero, NaN, sum not positive)
};

// Attention that each key draws, s_j of the sink rule, and the same for uniform attention, c_j: the mean over the
// chosen heads of the mean over the other rows that can see the key.
struct ReceivedAttention {
  std::vector<double> share, chance;  // [K]
};
// `seen` lists positions in the order of StackStats (layer x heads + head, where every head was added once).
// `same_tokens`: row j and key j are one token; where they are not (cross attention) every row counts for every key.
// Cost: heads x (Q + K).
[[nodiscard]] ReceivedAttention received_attention(const StackStats& stats, int queries, int keys, bool same_tokens,
                                                   bool causal, std::span<const int> seen);

// Divides each row of one head by its sum, in place; rows without a value become zeros. `stats` may be null.
void normalise_head(MatrixView head, StackStats* stats);

// Fuses one layer, head by head: begin, add each head in any order, finish.
//   out  [Q][K], the caller's; holds F after finish()
// Cost: Q K per head, no scratch.
class LayerFuser {
 public:
  // stats may be null.
  LayerFuser(MatrixView out, Fusion fusion, StackStats* stats);
  // `head` [Q][K] is normalised in place, row by row.
  void add(MatrixView head);
  // The same for a head that went through normalise_head() before.
  void add_normalised(ConstMatrixView head);
  void finish();

 private:
  MatrixView out_;
  Fusion fusion_;
  StackStats* stats_;
  int count_ = 0;
};

}  // namespace rollscope
