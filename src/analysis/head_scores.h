// What one attention head does, in numbers: how spread its rows are, how far they look, which simple pattern they
// follow (previous token, first token, duplicate, induction ...), and the pattern's name where chance cannot explain it.
//
// Sources: Clark et al. 2019, arXiv 1906.04341 (entropy, positions); Voita et al. 2019, arXiv 1905.09418 (confidence);
// Dosovitskiy et al. 2021, arXiv 2010.11929 (distance in an image); TransformerLens' head detector, mode "mul" (_tl_mul).
//
// A head is [Q][K], row = query, column = key, rows divided by their sums (methods/fusion.h, normalise_head). A row with
// a value that is not finite, or without a positive sum, is left out of every mean. Negative weights count in sums and
// not in entropies. The scores that compare positions need row i and key i to be one token (Q = K, same_tokens); they
// have no rows, so no value, elsewhere.
//
// One head at a time, so a dump of any size can be scored while it is read. A single text is no evidence for a role:
// pool() the scores of several before suggested_role() is asked. Induction shows only on text that repeats itself.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "base/matrix_view.h"
#include "dump/dump.h"

namespace rollscope {

// A mean that can be pooled: over rows, or, for the _tl_mul scores, over attention weight.
struct PooledMean {
  double sum = 0, weight = 0;
  void add(double x) { sum += x, weight += 1; }
  [[nodiscard]] double value() const { return weight > 0 ? sum / weight : std::numeric_limits<double>::quiet_NaN(); }
};

enum class HeadRole : std::uint8_t { mixed, previous, next, first, self, duplicate, induction, delimiter };
inline constexpr int kHeadRoles = 8;
[[nodiscard]] std::string_view head_role_name(HeadRole role);

// The mean weight on a role's keys, over the rows that have such a key, and the same for uniform attention there.
struct RoleScore {
  PooledMean score, chance;
};

struct HeadScores {
  std::vector<double> entropy_rows;  // [Q] nats; NaN: the row was left out. Of one text: empty once pooled
  PooledMean entropy_mean;             // nats, >= 0
  PooledMean entropy_normalised_mean;  // divided by ln(visible keys), in [0, 1]; rows that see one key are skipped
  PooledMean confidence_mean_max;      // largest weight of a row
  PooledMean mean_distance;            // sum_j A |i - j|, tokens
  PooledMean signed_offset;            // sum_j A (j - i), tokens; below 0: looks back
  PooledMean patch_distance;           // Euclidean, in patches; rows and keys of patches only, divided by their weight
  PooledMean first_token;              // A[i,0]
  PooledMean first_token_excl_row0;    // the same without row 0, where a causal mask leaves nothing else
  PooledMean previous_token;           // A[i,i-1], rows from 1
  PooledMean previous_token_tl_mul;    // sum A D / sum A over all rows, D[i,i-1] = 1
  PooledMean next_token;               // A[i,i+1], rows but the last; 0 under a causal mask
  PooledMean diagonal;                 // A[i,i]
  PooledMean duplicate_tl_mul;         // D: earlier keys with the same token
  PooledMean duplicate_rows_mean;      // weight on them, mean over the rows that have one: comparable across texts
  PooledMean induction_tl_mul;         // D: keys right of an earlier equal token, the diagonal included (as there)
  PooledMean induction_rows_mean;      // without the diagonal, over the rows that have such a key
  PooledMean delimiter;                // weight on the keys of `delimiters`, over the rows that see one
  std::array<PooledMean, kHeadRoles> chance;  // by role: its score under uniform attention, over the same rows
};

// Every mean with its name, for tables and JSON.
struct HeadScoreField {
  std::string_view name;
  PooledMean HeadScores::*mean;
};
[[nodiscard]] std::span<const HeadScoreField> head_score_fields();

struct HeadScoresOptions {
  bool causal = false;        // row i sees keys 0 ... i
  bool same_tokens = true;    // row i and key i are one token; counts only where Q = K
  bool virtual_sink = false;  // the last key (Q = K: and row) is no token: the row is left out, the key counts as a
                              // visible one for entropy and confidence alone
  PatchGrid grid = {};        // rows 0, or more patches than keys: none
  std::span<const std::uint8_t> delimiters = {};  // [K] 1: special, punctuation; key 0 never counts, it has its own score
};

// Scores of one head.
//   head [Q][K]; ids [K]: equal numbers are equal tokens; empty: not known, duplicate and induction have no value
// Cost: Q K, of which Q K logarithms, and the pairs of equal tokens.
[[nodiscard]] HeadScores head_scores(ConstMatrixView head, std::span<const int> ids, const HeadScoresOptions& options);

// Adds the scores of the same head on another text: every mean is then over the rows of both.
void pool(HeadScores& into, const HeadScores& more);

// Score and chance behind a role; mixed has none.
[[nodiscard]] RoleScore role_score(const HeadScores& scores, HeadRole role);

// The role with the largest score among those with
//   score > .4  and  score > 5 x chance  and  4 rows behind it;  mixed where there is none.
// A score cannot pass 1, so a text whose chance is above .2 (six causal tokens: previous .29) names no role.
inline constexpr double kRoleScore = 0.4, kRoleTimesChance = 5, kRoleRows = 4;
[[nodiscard]] HeadRole suggested_role(const HeadScores& scores);

}  // namespace rollscope
