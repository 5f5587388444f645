// Rows to shares: the same division wherever a row of weights is made to sum to 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace rollscope {

// Sum of a row, in double.
template <class T>
[[nodiscard]] double row_total(std::span<const T> row) {
  double total = 0;
  for (const T x : row) total += static_cast<double>(x);
  return total;
}

// Divides a row by its sum, in place; false: a row that holds no value (a number that is not finite, a sum that is
// not positive) becomes zeros. Finite rows whose sum overflows keep their proportions too.
template <class T>
bool divide_by_total(std::span<T> row) {
  double total = row_total(std::span<const T>(row));
  if (!std::isfinite(total) && std::all_of(row.begin(), row.end(), [](T x) { return std::isfinite(x); })) {
    const auto n = static_cast<T>(row.size());
    for (T& x : row) x /= n;  // a mean cannot overflow
    total = row_total(std::span<const T>(row));
  }
  if (!(total > 0) || !std::isfinite(total)) {
    std::fill(row.begin(), row.end(), T{0});
    return false;
  }
  for (T& x : row) x = static_cast<T>(static_cast<double>(x) / total);
  return true;
}

}  // namespace rollscope
