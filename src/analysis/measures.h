// Numbers about one row, or about two: spread, rank agreement, distance.
#pragma once

#include <span>
#include <vector>

#include "base/matrix_view.h"

namespace rollscope {

// A row without the keys in `without`.
[[nodiscard]] std::vector<double> kept(std::span<const double> row, std::span<const int> without);

// Entropy -sum p ln p of a row of weights, divided by their sum first, in nats: from 0 to ln K. Weights that are not above
// 0 count as 0. NaN for a row without any.
[[nodiscard]] double entropy(std::span<const double> row, std::span<const int> without = {});

// Perplexity exp(-sum p ln p) of a row of weights >= 0, divided by their sum first: over how many tokens the weight
// is spread. From 1 (one token has all) to K (uniform); 0 for an empty row. Keys in `without` are left out.
[[nodiscard]] double spread(std::span<const double> row, std::span<const int> without = {});

// Spearman's rank correlation with average ranks for ties, in [-1, 1]; keys in `without` are left out.
// NaN where either side is constant or fewer than two keys remain. Cost: K log K.
[[nodiscard]] double spearman(std::span<const double> a, std::span<const double> b, std::span<const int> without = {});

// Key with the largest weight, the first of equals; keys in `without` are left out. -1: none.
[[nodiscard]] int largest(std::span<const double> row, std::span<const int> without = {});

// Largest total variation, sum |a - b| / 2, between row `a` in [first, end) and a later row below `rows`.
// Cost: (end - first) rows K.
[[nodiscard]] double rows_distance(ConstMatrixView matrix, int first, int end, int rows);
// First row that counts for it: under a causal mask the early rows differ by force, so the second half is compared.
[[nodiscard]] inline int rows_distance_first(int rows, bool causal) { return causal ? rows / 2 : 0; }
// At or below the first, rows no longer differ: rollout_collapsed. At or below the second they are alike: rows_similar.
inline constexpr double kRowsCollapsed = 0.05, kRowsSimilar = 0.15;

}  // namespace rollscope
