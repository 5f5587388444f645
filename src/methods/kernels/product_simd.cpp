// Register-blocked product: 4 rows x 3 vectors of C stay in registers while k runs through a packed panel of B.
// The vector type is the compilers' own (gcc and clang): SSE2 natively, simd128 in the page (-msimd128).
#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "methods/kernels/product.h"

namespace rollscope {
namespace {

constexpr int kLanes = static_cast<int>(16 / sizeof(Real));
constexpr int kVectors = 3;
constexpr int kColumns = kLanes * kVectors;
constexpr int kRows = 4;

// Whatever the optimisation level: a call inside the inner loop would cost twenty times its work.
#define ROLLSCOPE_INLINE __attribute__((always_inline))

typedef Real Vector __attribute__((vector_size(16)));

// Calls f with 0, 1, ... N - 1 as constants: written out rather than looped, so that the sums stay in registers at
// every optimisation level.
template <int N, class F>
inline ROLLSCOPE_INLINE void each(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) ROLLSCOPE_INLINE { (f(std::integral_constant<int, I>()), ...); }(std::make_integer_sequence<int, N>());
}

inline ROLLSCOPE_INLINE Vector load(const Real* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// c[R][kColumns] = a[R][k0..k1) x panel[k0..k1)[kColumns]; `width` columns are stored.
template <int R>
void block(const Real* a, std::size_t stride, const Real* panel, int k0, int k1, Real* c, int width) {
  Vector sum[R][kVectors] = {};
  const Real* b = panel + static_cast<std::size_t>(k0) * kColumns;
  for (int k = k0; k < k1; ++k, b += kColumns) {
    Vector column[kVectors];
    each<kVectors>([&](auto v) ROLLSCOPE_INLINE { column[v] = load(b + v * kLanes); });
    each<R>([&](auto r) ROLLSCOPE_INLINE {
      const Vector factor = Vector{} + a[static_cast<std::size_t>(r) * stride + static_cast<std::size_t>(k)];
      each<kVectors>([&](auto v) ROLLSCOPE_INLINE { sum[r][v] += factor * column[v]; });
    });
  }
  Real out[kColumns];
  each<R>([&](auto r) ROLLSCOPE_INLINE {
    each<kVectors>([&](auto v) ROLLSCOPE_INLINE { std::memcpy(out + v * kLanes, &sum[r][v], sizeof(Vector)); });
    std::memcpy(c + static_cast<std::size_t>(r) * stride, out, static_cast<std::size_t>(width) * sizeof(Real));
  });
}

}  // namespace

std::size_t product_scratch(int rows) { return static_cast<std::size_t>(rows) * kColumns; }

void product_rows(ConstMatrixView a, ConstMatrixView b, MatrixView c, int first, int end, bool lower, Real* scratch) {
  const int n = b.rows;
  assert(a.rows == n && a.columns == n && b.columns == n && c.columns == n);
  assert(first >= 0 && first <= end && end <= n);
  const auto stride = static_cast<std::size_t>(n);
  for (int column = 0; column < n; column += kColumns) {
    const int width = std::min(kColumns, n - column);
    const int top = lower ? column : 0;  // b is zero above it in this panel
    if (lower && column >= end) {
      for (int i = first; i < end; ++i) std::fill_n(c.row(i).begin() + column, width, Real{0});
      continue;
    }
    const int bottom = lower ? end : n;  // a is zero to the right of it in these rows
    for (int k = top; k < bottom; ++k) {
      Real* to = scratch + static_cast<std::size_t>(k) * kColumns;
      std::memcpy(to, b.data + static_cast<std::size_t>(k) * stride + column, static_cast<std::size_t>(width) * sizeof(Real));
      std::fill(to + width, to + kColumns, Real{0});
    }
    int i = first;
    for (; i + kRows <= end; i += kRows) {
      const int stop = lower ? std::max(top, i + kRows) : n;
      block<kRows>(&a.data[static_cast<std::size_t>(i) * stride], stride, scratch, top, stop,
                   &c.data[static_cast<std::size_t>(i) * stride + column], width);
    }
    for (; i < end; ++i) {
      const int stop = lower ? std::max(top, i + 1) : n;
      block<1>(&a.data[static_cast<std::size_t>(i) * stride], stride, scratch, top, stop,
               &c.data[static_cast<std::size_t>(i) * stride + column], width);
    }
  }
}

}  // namespace rollscope
