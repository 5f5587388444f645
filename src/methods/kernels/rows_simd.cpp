// Plain loops, in a file of their own for the compiler flags: -O3 with simd128 in the page.
#include "methods/kernels/rows.h"

#include <cmath>

namespace rollscope {

void add_scaled_row(double factor, const Real* __restrict row, std::size_t n, double* __restrict to) {
  for (std::size_t j = 0; j < n; ++j) to[j] += factor * static_cast<double>(row[j]);
}

double row_difference(const Real* a, const Real* b, std::size_t n) {
  constexpr std::size_t kLanes = 8;  // independent sums, so that the compiler can use vectors
  Real lanes[kLanes] = {};
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += std::abs(a[j + k] - b[j + k]);
  double sum = 0;
  for (; j < n; ++j) sum += std::abs(static_cast<double>(a[j] - b[j]));
  for (const Real lane : lanes) sum += static_cast<double>(lane);
  return sum;
}

}  // namespace rollscope
