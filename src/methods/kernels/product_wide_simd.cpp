// Plain loops, in a file of their own for the compiler flags: -O3 with simd128 in the page.
#include "methods/kernels/product_wide.h"

#include <algorithm>
#include <cassert>

namespace rollscope {
namespace {

// Four rows of c take one pass over b; 512 columns of them stay in the first cache.
constexpr int kRows = 4;
constexpr int kColumns = 512;

// to[r][j] += factor[r] row[j]
void add_rows(const Real* factor, const Real* __restrict row, std::size_t n, Real* __restrict to0, Real* __restrict to1,
              Real* __restrict to2, Real* __restrict to3) {
  for (std::size_t j = 0; j < n; ++j) {
    to0[j] += factor[0] * row[j];
    to1[j] += factor[1] * row[j];
    to2[j] += factor[2] * row[j];
    to3[j] += factor[3] * row[j];
  }
}

void add_row(Real factor, const Real* __restrict row, std::size_t n, Real* __restrict to) {
  for (std::size_t j = 0; j < n; ++j) to[j] += factor * row[j];
}

}  // namespace

void product_wide_rows(ConstMatrixView a, bool transposed, ConstMatrixView b, MatrixView c, int first, int end) {
  [[maybe_unused]] const int m = transposed ? a.columns : a.rows;
  assert((transposed ? a.rows : a.columns) == b.rows && c.rows == m && c.columns == b.columns);
  assert(first >= 0 && first <= end && end <= m);
  const auto entry = [&](int i, int k) { return transposed ? a(k, i) : a(i, k); };
  for (int column = 0; column < c.columns; column += kColumns) {
    const auto n = static_cast<std::size_t>(std::min(kColumns, c.columns - column));
    const auto to = [&](int i) { return c.row(i).data() + column; };
    for (int i = first; i < end; ++i) std::fill_n(to(i), n, Real{0});
    int i = first;
    for (; i + kRows <= end; i += kRows) {
      for (int k = 0; k < b.rows; ++k) {
        const Real factor[kRows] = {entry(i, k), entry(i + 1, k), entry(i + 2, k), entry(i + 3, k)};
        if (std::any_of(factor, factor + kRows, [](Real x) { return x != 0; }))
          add_rows(factor, b.row(k).data() + column, n, to(i), to(i + 1), to(i + 2), to(i + 3));
      }
    }
    for (; i < end; ++i) {
      for (int k = 0; k < b.rows; ++k)
        if (const Real factor = entry(i, k); factor != 0) add_row(factor, b.row(k).data() + column, n, to(i));
    }
  }
}

}  // namespace rollscope
