#include "methods/paths.h"

#include <algorithm>

namespace rollscope {
namespace {

// The strongest kMaxEdges of all that are offered, without keeping or sorting them all.
class Strongest {
 public:
  void offer(const Edge& edge) {
    if (edge.weight <= floor_) return;
    kept_.push_back(edge);
    if (kept_.size() == 2 * kMaxEdges) cut();
  }
  // Strongest first, as many as carry 99.9 % of `total`.
  std::vector<Edge> take(double total) {
    if (kept_.size() > kMaxEdges) cut();
    std::sort(kept_.begin(), kept_.end(), stronger);
    double sum = 0;
    std::size_t count = 0;
    while (count < kept_.size() && sum < 0.999 * total) sum += static_cast<double>(kept_[count++].weight);
    kept_.resize(count);
    kept_.shrink_to_fit();
    return std::move(kept_);
  }

 private:
  static bool stronger(const Edge& a, const Edge& b) {
    if (a.weight != b.weight) return a.weight > b.weight;
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  }
  void cut() {
    std::nth_element(kept_.begin(), kept_.begin() + kMaxEdges - 1, kept_.end(), stronger);
    kept_.resize(kMaxEdges);
    floor_ = kept_.back().weight;
  }
  std::vector<Edge> kept_;
  float floor_ = 0;
};

}  // namespace

Gap path_gap(std::span<const double> above, ConstMatrixView fused, double residual, bool same_tokens,
             std::span<const int> sinks) {
  const auto queries = static_cast<std::size_t>(fused.rows);
  const auto keys = static_cast<std::size_t>(fused.columns);
  const std::size_t n = std::max(queries, keys);
  Gap gap;
  for (auto* per_token : {&gap.residual_at, &gap.own_at, &gap.residual_from_offset, &gap.residual_to_offset})
    per_token->assign(n, 0.0f);
  std::vector<std::uint8_t> is_sink(keys, 0);
  for (const int key : sinks) is_sink[static_cast<std::size_t>(key)] = 1;
  std::vector<double> arrived(keys, 0.0);  // weight that lies left of the next ribbon at each lower token
  double kept = 0, own = 0, others = 0, sunk = 0;
  Strongest strongest;

  for (std::size_t a = 0; a < queries; ++a) {
    const double mass = above[a];
    if (mass == 0) {
      if (same_tokens) gap.residual_to_offset[a] = static_cast<float>(arrived[a]);
      continue;
    }
    const auto row = fused.row(static_cast<int>(a));
    const bool empty = std::all_of(row.begin(), row.end(), [](Real x) { return x == 0; });
    double left = 0;  // weight that has left this token so far
    for (std::size_t b = 0; b < keys; ++b) {
      const double attention = empty ? 0.0 : mass * (1 - residual) * static_cast<double>(row[b]);
      if (is_sink[b]) sunk += attention;
      double ribbon = attention;
      if (same_tokens && a == b) {
        const double stays = empty ? (residual > 0 ? mass : 0.0) : mass * residual;
        gap.residual_at[a] = static_cast<float>(stays);
        gap.own_at[a] = static_cast<float>(attention);
        gap.residual_from_offset[a] = static_cast<float>(left);
        gap.residual_to_offset[a] = static_cast<float>(arrived[b]);
        kept += stays;
        own += attention;
        ribbon += stays;
      } else if (attention > 0) {
        others += attention;
        strongest.offer({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), static_cast<float>(attention),
                         static_cast<float>(left), static_cast<float>(arrived[b])});
      }
      left += ribbon;
      arrived[b] += ribbon;
    }
  }
  gap.residual = static_cast<float>(kept);
  gap.own = static_cast<float>(own);
  gap.others = static_cast<float>(others);
  gap.sink = static_cast<float>(sunk);
  gap.edges = strongest.take(others);
  return gap;
}

}  // namespace rollscope
