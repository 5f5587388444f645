// What the tests of rollout's relatives share: heads of a vector one by one, and the product of transfer matrices.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include "methods/rollout.h"
#include "support/vectors.h"

namespace rollscope::test {

// Matrix number `index` of the last two axes of `all`, in memory of its own.
inline std::vector<Real> matrix_at(const Numbers& all, std::size_t index) {
  const auto size = all.shape[all.shape.size() - 2] * all.shape.back();
  const auto first = all.values.begin() + static_cast<std::ptrdiff_t>(index * size);
  return {first, first + static_cast<std::ptrdiff_t>(size)};
}

inline MatrixView view_of(std::vector<Real>& data, int rows, int columns) {
  REQUIRE(data.size() == static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  return {data.data(), rows, columns};
}

// A stack of `layers` matrices [rows][columns] of zeros, each then filled by `make`(layer, matrix).
inline Stack make_stack(int layers, int rows, int columns, const std::function<void(int, MatrixView)>& make) {
  Stack out;
  out.data.assign(static_cast<std::size_t>(layers), std::vector<Real>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)));
  for (int l = 0; l < layers; ++l) make(l, view_of(out.data[static_cast<std::size_t>(l)], rows, columns));
  for (auto& layer : out.data) out.views.push_back({layer.data(), rows, columns});
  return out;
}

inline std::vector<Real> product_of(StackView transfers, double residual = 0) {
  const int n = transfers[0].rows;
  std::vector<Real> r(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  NoProgress progress;
  REQUIRE(rollout(transfers, residual, false, {r.data(), n, n}, progress));
  return r;
}

// T_L ... T_1 by the full product, and every row of it by the chain of one row.
inline void check_product(StackView transfers, const Numbers& expected, double residual = 0, double tolerance = kTolerance) {
  const auto r = product_of(transfers, residual);
  const auto n = expected.shape.back();
  const auto rows = expected.values.size() / n;  // a vector may hold row 0 alone
  CHECK(largest_difference(std::vector<Real>(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(rows * n)), expected.values) <= tolerance);
  std::vector<double> row(n), all;
  for (std::size_t i = 0; i < rows; ++i) {
    rollout_row(transfers, static_cast<int>(i), residual, row);
    all.insert(all.end(), row.begin(), row.end());
  }
  CHECK(largest_difference(all, expected.values) <= tolerance);
}

template <class Range>
std::vector<Real> as_real(const Range& values) {
  return {values.begin(), values.end()};
}

}  // namespace rollscope::test
