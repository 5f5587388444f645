#include "methods/kernels/product_wide.h"

#include <doctest/doctest.h>

#include <random>

#include "methods/kernels/product.h"
#include "methods/product_queue.h"
#include "support/relatives.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

std::vector<Real> random_matrix(int rows, int columns, std::mt19937& random) {
  std::uniform_real_distribution<double> weight(-1, 1);
  std::vector<Real> out(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (Real& x : out) x = static_cast<Real>(random() % 4 == 0 ? 0 : weight(random));
  return out;
}

std::vector<Real> transpose(const std::vector<Real>& a, int rows, int columns) {
  std::vector<Real> out(a.size());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) out[static_cast<std::size_t>(j * rows + i)] = a[static_cast<std::size_t>(i * columns + j)];
  return out;
}

}  // namespace

TEST_CASE("the product of any shapes agrees with the plain one, transposed or not, and row blocks do not change a bit") {
  std::mt19937 random(5);
  const int shapes[][3] = {{1, 1, 1}, {1, 7, 3}, {5, 1, 9}, {4, 4, 4}, {6, 13, 2}, {9, 3, 31}, {3, 5, 1030}, {17, 40, 513}};
  for (const auto& shape : shapes) {
    const int m = shape[0], k = shape[1], p = shape[2];
    CAPTURE(m);
    CAPTURE(k);
    CAPTURE(p);
    auto a = random_matrix(m, k, random), b = random_matrix(k, p, random);
    std::vector<Real> plain(static_cast<std::size_t>(m * p)), c(plain.size(), 7), cut(plain.size(), -7);
    product_plain(view_of(a, m, k), view_of(b, k, p), view_of(plain, m, p));
    const std::vector<double> expected(plain.begin(), plain.end());
    product_wide_rows(view_of(a, m, k), false, view_of(b, k, p), view_of(c, m, p), 0, m);
    CHECK(largest_difference(c, expected) <= kTolerance);
    for (int first = 0; first < m; first += 3)
      product_wide_rows(view_of(a, m, k), false, view_of(b, k, p), view_of(cut, m, p), first, std::min(m, first + 3));
    CHECK(cut == c);
    auto turned = transpose(a, m, k);
    std::fill(c.begin(), c.end(), Real{7});
    product_wide_rows(view_of(turned, k, m), true, view_of(b, k, p), view_of(c, m, p), 0, m);
    CHECK(largest_difference(c, expected) <= kTolerance);
  }
}

TEST_CASE("queued products come one after the other, in blocks, with short work in between") {
  std::mt19937 random(6);
  const int n = 900;  // more than one block of rows
  auto a = random_matrix(n, n, random), b = random_matrix(n, 2, random), square = random_matrix(n, n, random);
  std::vector<Real> c(a.size()), d(b.size()), expected_c(a.size()), expected_d(b.size());
  product_plain(view_of(a, n, n), view_of(square, n, n), view_of(expected_c, n, n));
  for (Real& x : expected_c) x *= 2;
  product_plain(view_of(expected_c, n, n), view_of(b, n, 2), view_of(expected_d, n, 2));
  auto queue = ProductQueue::start(n);
  REQUIRE(queue);
  CHECK(queue->step());
  queue->product(view_of(a, n, n), view_of(square, n, n), view_of(c, n, n));
  queue->then([&] { for (Real& x : c) x *= 2; });
  queue->product(view_of(c, n, n), view_of(b, n, 2), view_of(d, n, 2));
  int steps = 0;
  for (double last = -1; !queue->step(); last = queue->fraction()) {
    CHECK(queue->fraction() >= last);
    ++steps;
  }
  CHECK(steps > 10);
  CHECK(queue->empty());
  CHECK(largest_difference(c, {expected_c.begin(), expected_c.end()}) <= 100 * kTolerance);
  CHECK(largest_difference(d, {expected_d.begin(), expected_d.end()}) <= 10000 * kTolerance);
}
