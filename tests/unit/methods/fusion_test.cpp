#include "methods/fusion.h"

#include <cmath>

#include <doctest/doctest.h>

#include "support/vectors.h"

using namespace rollscope;
using namespace rollscope::test;

TEST_CASE("heads are divided by their row sums before they are fused, whatever their scale") {
  const Numbers attn{{1, 2, 1, 2}, {10, 30, 0.2, 0.2}};
  CHECK(largest_difference(fuse(attn).data[0], {0.375, 0.625}) <= 1e-7);
  CHECK(largest_difference(fuse(attn, Fusion::max).data[0], {0.5 / 1.25, 0.75 / 1.25}) <= 1e-7);
  CHECK(largest_difference(fuse(attn, Fusion::min).data[0], {0.25 / 0.75, 0.5 / 0.75}) <= 1e-7);
}

TEST_CASE("values below zero are counted, even where a row sums to 1") {
  const Numbers attn{{1, 1, 2, 3}, {-0.5, 1.5, 0, 0.2, 0.3, 0.5}};
  StackStats stats;
  fuse(attn, Fusion::mean, {}, &stats);
  CHECK(stats.negative_rows == 1);
  CHECK(stats.off_rows == 0);
}

TEST_CASE("min over heads that disagree leaves an empty row") {
  const Numbers attn{{1, 2, 1, 2}, {1, 0, 0, 1}};
  CHECK(largest_difference(fuse(attn, Fusion::min).data[0], {0, 0}) == 0);
}

TEST_CASE("the statistics count bad rows apart and remember which heads were empty") {
  const double nan = std::nan("");
  const Numbers attn{{1, 2, 3, 3}, {1, 0, 0, nan, 0.5, 0.5, 0, 0, 0, 0.5, 0.25, 0, 0, 1, 0, 0.3, 0.3, 0.4}};
  StackStats stats;
  const auto stack = fuse(attn, Fusion::mean, {}, &stats);
  CHECK(stats.rows == 6);
  CHECK(stats.nan_rows == 1);
  CHECK(stats.zero_rows == 1);
  CHECK(stats.off_rows == 1);
  CHECK(stats.lowest_sum == doctest::Approx(0.75));
  CHECK(stats.highest_sum == doctest::Approx(0.75));
  CHECK(stats.empty == std::vector<std::uint8_t>{0, 1, 1, 0, 0, 0});
  CHECK(stats.upper_weight);
  CHECK(largest_difference(std::vector<Real>(stack.data[0].begin() + 3, stack.data[0].begin() + 6), {0, 1, 0}) == 0);
}

TEST_CASE("attention received is a mean over the other rows that can see the key, beside chance") {
  const Numbers attn{{1, 1, 3, 3}, {1, 0, 0, 0.75, 0.25, 0, 0.5, 0.25, 0.25}};
  StackStats stats;
  fuse(attn, Fusion::mean, {}, &stats);
  CHECK_FALSE(stats.upper_weight);
  const std::vector<int> seen{0};
  const auto causal = received_attention(stats, 3, 3, true, true, seen);
  CHECK(causal.share[0] == doctest::Approx(0.625));
  CHECK(causal.chance[0] == doctest::Approx((1.0 / 2 + 1.0 / 3) / 2));
  CHECK(causal.share[1] == doctest::Approx(0.25));
  CHECK(causal.chance[1] == doctest::Approx(1.0 / 3));
  CHECK(causal.share[2] == 0);  // nobody below can see the last key
  const auto both = received_attention(stats, 3, 3, true, false, seen);
  CHECK(both.share[0] == doctest::Approx(0.625));
  CHECK(both.share[2] == 0);
  CHECK(both.chance[2] == doctest::Approx(1.0 / 3));
  const auto cross = received_attention(stats, 3, 3, false, false, seen);
  CHECK(cross.share[0] == doctest::Approx(0.75));
}
