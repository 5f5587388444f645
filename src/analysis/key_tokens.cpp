#include "analysis/key_tokens.h"

#include <algorithm>
#include <cmath>

#include "analysis/comparison.h"

namespace rollscope {

KeyTokens key_tokens(std::span<const double> row, int k, std::span<const int> without) {
  KeyTokens out;
  // What is not to be listed has no place in the order.
  std::vector<double> listed(row.begin(), row.end());
  double whole = 0;
  for (double& x : listed) {
    if (std::isfinite(x)) whole += std::abs(x);
    else x = std::nan("");
  }
  for (const int key : without) listed[static_cast<std::size_t>(key)] = std::nan("");
  const auto order = top_keys(listed, static_cast<int>(row.size()));
  if (order.empty() || !(whole > 0)) return out;
  const auto weight = [&](std::size_t at) { return std::abs(listed[static_cast<std::size_t>(order[at])]); };
  // Equal to the neighbour in the order: ties are runs. A long run of tiny steps is one tie, which errs on the safe side.
  const auto as_next = [&](std::size_t at) { return at + 1 < order.size() && weight(at) - weight(at + 1) <= kTie * weight(0); };
  const std::size_t count = std::min(order.size(), static_cast<std::size_t>(std::max(0, k)));
  double cumulative = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const bool as_before = at > 0 && as_next(at - 1);
    cumulative += weight(at) / whole;
    out.tokens.push_back({order[at], listed[static_cast<std::size_t>(order[at])] / whole, cumulative,
                          as_before ? out.tokens.back().rank : static_cast<int>(at) + 1, as_before || as_next(at)});
  }
  if (count > 0)
    for (std::size_t at = count - 1; as_next(at); ++at) ++out.tied_with_last;
  return out;
}

}  // namespace rollscope
