// What all heads of one stream do, on one text or on several: scores of each (head_scores.h) and how alike they are
// (head_similarity.h). Sent as an archive (base/archive.h), so that tables of several dumps can be pooled by whoever
// opened them one after the other.
#pragma once

#include <string>
#include <vector>

#include "analysis/head_scores.h"
#include "analysis/head_similarity.h"
#include "base/error.h"

namespace rollscope {

struct HeadTable {
  std::vector<std::string> files;  // one per text
  std::string stream;
  std::vector<int> layers, numbers;  // stored layers and their true numbers, ascending
  std::vector<int> heads;            // ascending
  bool ids = false;                  // which tokens repeat is known: duplicate and induction have values
  std::vector<HeadScores> scores;    // [layers][heads]
  int rows = 0;                      // rows by which heads were compared, of the text with the fewest; 0: they were not
  std::vector<double> js;            // [M][M] mean over texts; empty: not compared
};
template <class A> void fields(A& a, PooledMean& m) { a(m.sum, m.weight); }
template <class A> void fields(A& a, HeadScores& s) {
  for (const auto& field : head_score_fields()) a(s.*field.mean);
  for (auto& chance : s.chance) a(chance);
}
template <class A> void fields(A& a, HeadTable& t) { a(t.files, t.stream, t.layers, t.numbers, t.heads, t.ids, t.scores, t.rows, t.js); }

// Adds the same heads on other texts: means are then over the rows of all, divergences over texts.
// Errors: usage, where the heads are not the same: other layers, or other heads.
[[nodiscard]] Result<void> pool(HeadTable& into, const HeadTable& more);

// Heads that are alike: clusters of the tree below a height, a mean distance sqrt(JS) in [0, .83].
struct SimilarHeads {
  std::vector<ClusterMerge> merges;        // [M - 1]
  std::vector<int> order;                  // [M] no branch of the tree crosses another
  std::vector<std::vector<int>> clusters;  // of two heads and more, as positions in HeadTable::scores, ascending
  PlaneMap map;                            // empty above kExactMap heads
};
inline constexpr double kSimilarHeight = 0.25;
// Cost: M^2, and 9 M^3 for the map.
[[nodiscard]] SimilarHeads similar_heads(const HeadTable& table, double height);

// Rows of each head that comparing `heads` of them takes within kSimilarBytes: 32, 16 or 8, at most all; 0: too many
// heads, or too long a text. Counts numbers as 8 bytes, so that page and command line answer alike.
inline constexpr double kSimilarBytes = 64 << 20;
[[nodiscard]] int similarity_rows(int heads, int queries, int keys);

}  // namespace rollscope
