// The tokens that carry most of one row, with their shares, and with ties said: between equal weights a rank is only the
// order of the text.
#pragma once

#include <span>
#include <vector>

#include "base/real.h"

namespace rollscope {

struct KeyToken {
  int key = 0;
  double share = 0;       // weight / sum of the row's absolute weights, keys left out included: a share of the whole row
  double cumulative = 0;  // |share| of this key and those before it
  int rank = 1;           // from 1; equal weights have the same rank (1, 2, 2, 4)
  bool tied = false;      // some other key, listed or not, has the same weight
};
struct KeyTokens {
  std::vector<KeyToken> tokens;  // by absolute weight, the largest first, the lower key of equals first; at most k
  int tied_with_last = 0;        // keys that were not listed though they weigh as much as the last one listed
};

// Weights count as equal within this part of the row's largest: what rounding leaves is no difference.
inline constexpr double kTie = sizeof(Real) == 8 ? 1e-9 : 1e-5;

// row [K]: values that are not finite, and keys in `without`, are not listed. Empty for a row of zeros.
// Cost: K log K.
[[nodiscard]] KeyTokens key_tokens(std::span<const double> row, int k, std::span<const int> without = {});

}  // namespace rollscope
