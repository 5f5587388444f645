#include "io/link_error.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace rollscope {

void compare_row(std::span<const double> before, std::span<const double> after, std::span<const int> sinks, LinkError& error) {
  assert(before.size() == after.size());
  std::vector<std::size_t> order;
  double sum = 0;
  for (std::size_t j = 0; j < before.size(); ++j) {
    const double off = std::abs(before[j] - after[j]);
    sum += off;
    error.largest = std::max(error.largest, off);
    if (std::binary_search(sinks.begin(), sinks.end(), static_cast<int>(j))) continue;
    error.largest_without_sink = std::max(error.largest_without_sink, off);
    order.push_back(j);
  }
  error.total_variation = std::max(error.total_variation, sum / 2);
  ++error.rows;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return before[a] > before[b]; });
  // A tie keeps the order: whoever reads the numbers sees that they are equal, and the ties are counted.
  const std::size_t shown = std::min<std::size_t>(3, order.size());
  bool kept = true;
  for (std::size_t k = 0; k < shown; ++k)
    for (std::size_t other = k + 1; other < order.size(); ++other) {
      if (after[order[k]] >= after[order[other]] || before[order[k]] == before[order[other]]) continue;
      kept = false;
      if (k == 0) error.first_kept = false;
    }
  error.top3_kept += kept;
  for (std::size_t k = 0; k + 1 < order.size(); ++k)
    error.new_ties += before[order[k]] != before[order[k + 1]] && after[order[k]] == after[order[k + 1]];
}

}  // namespace rollscope
