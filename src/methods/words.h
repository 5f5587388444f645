// Tokens to words, or to any groups of neighbours (segments): what a word reads, and is read.
//
//   keys of a group     are summed: shares of a row stay shares
//   queries of a group  mean | first | last | max, whose row is divided by its sum afterwards
//
// Source: Clark et al., BlackboxNLP 2019, arXiv 1906.04341 (sum of keys, mean of queries; first and max in
// their code). In a causal model only the last piece has seen the whole word: `last`.
// Merge R, after the product. Merging every F_l before it (then rollout over [L][G][G]) is another result: it forgets
// which piece of a word was read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix_view.h"

namespace rollscope {

// Groups of one token axis: of[i] is token i's group, 0 ... count - 1 from left to right.
struct TokenGroups {
  std::vector<int> of;  // [N]
  int count = 0;
};

// Neighbours with the same number >= 0 form a group; -1 (Token::word of [SEP], say) stands alone, each by itself.
// Neighbours only: tokenizers number the words of each text from 0, so that the first word of a question and that of its
// passage share a number, and turns of a dialogue alternate between two segments.
[[nodiscard]] TokenGroups group_tokens(std::span<const int> numbers);

enum class QueryMerge : std::uint8_t { mean, first, last, max };

// One row's keys: row [K], out [G], overwritten with the sums.
void merge_keys(std::span<const double> row, const TokenGroups& keys, std::span<double> out);

// matrix [Q][K], out [Gq][Gk], overwritten, not the same memory; the axes may have different groups (cross-attention).
// Values are taken as they are: NaN stays NaN in its groups. A row of max without a value becomes zeros.
// Cost: Q K, 2 Gk doubles of scratch.
void merge_tokens(ConstMatrixView matrix, const TokenGroups& queries, const TokenGroups& keys, QueryMerge how, MatrixView out);

}  // namespace rollscope
