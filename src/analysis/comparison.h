// Two rows about the same tokens: two methods, layers, recipes, dumps or models. How far they agree in order, in weight,
// and in what comes first.
//
// Rows of models that cut the text differently are merged first (analysis/token_alignment.h).
// Signed rows (attributions): rank, product-moment and cosine measures take the values as they are; divergences and the
// top k take absolute values, divided by their sum. For rows of weights >= 0 that makes no difference.
// Undefined is NaN, never 0: correlations with a constant side, divergences with a side that sums to 0.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "analysis/measures.h"

namespace rollscope {

// Pearson's r, in [-1, 1]. Cost: K.
[[nodiscard]] double pearson(std::span<const double> a, std::span<const double> b);

// Kendall's tau-b, (C - D) / sqrt((n0 - n1)(n0 - n2)): n1, n2 pairs tied in a, in b. In [-1, 1].
// By sorting and counting exchanges (Knight 1966): cost K log K.
[[nodiscard]] double kendall_tau_b(std::span<const double> a, std::span<const double> b);

// The formula of Abnar & Zuidema's scripts: 1 - 6 sum d^2 / (n (n^2 - 1)) over DENSE ranks (ties share a rank and leave no
// gap). Right only without ties; here to reproduce published numbers, spearman() is the correlation. NaN below two keys.
[[nodiscard]] double spearman_dense_ranks_published(std::span<const double> a, std::span<const double> b);

// sum a b / (|a| |b|), in [-1, 1]. NaN where a side is all zero.
[[nodiscard]] double cosine(std::span<const double> a, std::span<const double> b);

// Divergences between |a| / sum |a| and |b| / sum |b|.
[[nodiscard]] double kl_nats(std::span<const double> a, std::span<const double> b);  // [0, inf]: a has weight where b has none
[[nodiscard]] double js_nats(std::span<const double> a, std::span<const double> b);  // [0, ln 2]
[[nodiscard]] double js_bits(std::span<const double> a, std::span<const double> b);  // [0, 1]
[[nodiscard]] double js_distance(std::span<const double> a, std::span<const double> b);  // sqrt(JS in nats), a metric
[[nodiscard]] double total_variation(std::span<const double> a, std::span<const double> b);  // [0, 1]

// Gini coefficient of the absolute values, in [0, (K - 1) / K]: 0 all alike. NaN for an empty or all-zero row. Cost: K log K.
[[nodiscard]] double gini(std::span<const double> row);

// The k keys with the largest absolute values, the largest first, the lower of equals first; NaN never. At most K.
[[nodiscard]] std::vector<int> top_keys(std::span<const double> row, int k);

struct TopOverlap {
  double jaccard = 0;  // shared / (all that are in one of both)
  double overlap = 0;  // shared / k
};
// NaN where both are empty. Cost: k log k.
[[nodiscard]] TopOverlap top_overlap(std::span<const int> a, std::span<const int> b);

// Makes neighbours in the order of size equal where they differ by no more than kTie (analysis/key_tokens.h) of the
// largest, as flows do that end in one cut: what rounding leaves would be ranked otherwise. Values that are not finite stay.
// Cost: K log K.
void tie_equal(std::vector<double>& row);

struct Comparison {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  int keys = 0;        // that were compared
  int not_finite = 0;  // left out because a value of one side is NaN or infinite
  int tied_a = 0, tied_b = 0;  // keys whose value another key of the same side has too
  double spearman = kNone, spearman_absolute = kNone, kendall_tau_b = kNone, pearson = kNone, cosine = kNone;
  double js_nats = kNone, js_bits = kNone, js_distance = kNone, kl_nats = kNone, total_variation = kNone;
  int k = 0;                    // of the top k: at most `keys`
  std::vector<int> top_a, top_b;  // keys as numbered in the rows given
  bool cut_a = false, cut_b = false;  // the k-th and the next are equal: which of them is in the top k is their order's doing
  double top_jaccard = kNone, top_overlap = kNone;
};

// a, b [K]: one key, one token, in both. Keys in `without` are left out of everything: specials, sinks.
// Cost: K log K, and K times the number of keys left out.
[[nodiscard]] Comparison compare(std::span<const double> a, std::span<const double> b, std::span<const int> without, int k);

}  // namespace rollscope
