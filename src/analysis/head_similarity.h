// Which heads do the same: Jensen-Shannon distances between heads, a tree of them, and a map in the plane.
//
//   JS(a, b) = mean over rows i of  H((a_i + b_i) / 2) - (H(a_i) + H(b_i)) / 2     nats, in [0, ln 2]
//
// Source: Clark et al. 2019, arXiv 1906.04341, section 6, who sum over rows and smooth; here it is the mean over rows, so
// that texts of different length compare, and nothing is smoothed. sqrt(JS) is a metric (Endres & Schindelin 2003), and
// averaged squares of metrics that embed in a Hilbert space embed there too, so the map below loses no sign.
//
// Heads are [Q][K], row = query, all of one shape, rows divided by their sums. A row without a value (not finite, no
// positive sum) in one of two heads is left out for that pair; a pair without any row left is NaN.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/matrix_view.h"
#include "base/progress.h"
#include "methods/buffer.h"

namespace rollscope {

// JS of two rows of weights >= 0 that sum to 1, in nats. Cost: K logarithms.
[[nodiscard]] double row_js(std::span<const Real> a, std::span<const Real> b);

// Rows that stand for all Q of them: `count` of them, evenly spread and the last one included; all where count <= 0 or
// count >= Q. For long texts: the mean over 32 rows costs Q / 32 times less.
[[nodiscard]] std::vector<int> sampled_rows(int queries, int count);

// JS between all pairs, for heads that go by once, one by one, and callers that have other things to do in between.
class HeadJs {
 public:
  // `rows`: of each head [Q][K], those that count (sampled_rows). Memory: heads x rows x keys numbers, and [M][M].
  // Errors: out_of_memory.
  [[nodiscard]] static Result<HeadJs> start(int heads, int keys, std::vector<int> rows);
  // Keeps the rows of one head; each head once, before the first step.
  void add(int head, ConstMatrixView weights);
  // Compares one head with all after it: M rows K logarithms. True: finished.
  bool step();
  [[nodiscard]] double fraction() const;
  // [M][M], symmetric, 0 on the diagonal; after the last step.
  [[nodiscard]] std::vector<double> take() { return std::move(js_); }

 private:
  [[nodiscard]] std::span<Real> row(std::size_t head, std::size_t r) const;
  std::size_t heads_ = 0, keys_ = 0, at_ = 0;
  std::vector<int> rows_;
  RealBuffer kept_;
  std::vector<double> entropy_, js_;
};

// The same in one go, for heads in memory.
// Cost: M^2 / 2 times Q K logarithms (72 heads of 64 tokens: 0.1 s; 1152 heads: give sampled_rows), and Q K per head.
// Errors: cancelled, out_of_memory.
[[nodiscard]] Result<std::vector<double>> head_js(std::span<const ConstMatrixView> heads, std::span<const int> rows, Progress& progress);

// sqrt of each entry: distances. NaN becomes sqrt(ln 2), the largest there is: a head without rows is like no other.
[[nodiscard]] std::vector<double> js_distances(std::span<const double> js);

// Two clusters that join at `height`, the mean distance between their members. Clusters 0 ... M-1 are the heads; merge k
// makes cluster M + k; a < b. In the order of their heights, as scipy's linkage() has them.
struct ClusterMerge {
  int a = 0, b = 0;
  double height = 0;
  int size = 0;  // heads in the new cluster
};
// Average linkage (UPGMA) by chains of nearest neighbours (Murtagh 1983), which for average linkage gives the same tree
// as joining the closest pair each time. Of equally near clusters the one with the lower head comes first.
//   distances [M][M], symmetric, finite
// Cost: M^2 time (1152 heads: 30 ms), one copy of the distances. M - 1 merges.
[[nodiscard]] std::vector<ClusterMerge> average_linkage(std::span<const double> distances, int count);

// The order of the heads in which no branch of the tree crosses another, [M].
[[nodiscard]] std::vector<int> leaf_order(std::span<const ClusterMerge> merges, int count);

// Cluster of each head, [M], when all merges up to `height` are made; numbered from 0 by their first head.
[[nodiscard]] std::vector<int> clusters_below(std::span<const ClusterMerge> merges, int count, double height);

// Classical scaling (Torgerson 1952) to the plane: B = -1/2 C D^2 C, its two largest eigenvalues and their vectors.
struct PlaneMap {
  std::vector<double> x, y;  // [M] around 0; the entry of largest size in x, and in y, is positive
  double share = 0;          // (l1 + l2) / trace of B. 1: the map is exact; 0: all heads alike
};
// distances [M][M], symmetric, finite, 0 on the diagonal.
// Cost: up to kExactMap heads a full eigendecomposition, 9 M^3; above, subspace iteration over 12 vectors, 24 M^2 a step
// and at most 300 steps (1152 heads: about 1 s), to 1e-9 of the larger eigenvalue.
inline constexpr int kExactMap = 200;
[[nodiscard]] PlaneMap plane_map(std::span<const double> distances, int count, int exact_up_to = kExactMap);

}  // namespace rollscope
