#include "analysis/resampling.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

using namespace rollscope;

TEST_CASE("the generator is the published one and favours no number") {
  SplitMix64 random(1234567);  // first outputs of the reference implementation
  CHECK(random.next() == 6457827717110365317u);
  CHECK(random.next() == 3203168211198807973u);
  std::array<int, 3> seen{};
  for (int k = 0; k < 30000; ++k) ++seen[static_cast<std::size_t>(random.below(3))];
  for (const int count : seen) CHECK(std::abs(count - 10000) < 400);
}

TEST_CASE("the bootstrap interval holds the mean, narrows with the number of values, and is the same every time") {
  std::vector<double> few, many;
  for (int k = 0; k < 10; ++k) few.push_back(k % 5);
  for (int k = 0; k < 1000; ++k) many.push_back(k % 5);
  const auto a = bootstrap_mean(few), b = bootstrap_mean(many);
  CHECK(a.mean == 2);
  CHECK(a.count == 10);
  CHECK(a.low < 2);
  CHECK(a.high > 2);
  // Normal theory: 2 +- 1.96 sqrt(2 / n)
  CHECK(a.high - a.low == doctest::Approx(2 * 1.96 * std::sqrt(0.2)).epsilon(0.05));
  CHECK(b.high - b.low == doctest::Approx(2 * 1.96 * std::sqrt(0.002)).epsilon(0.05));
  CHECK(bootstrap_mean(few).low == a.low);
  CHECK(bootstrap_mean(few, {.level = 0.5}).low > a.low);
  CHECK(bootstrap_mean(std::vector{3.0, 3.0, 3.0}).low == 3);
}

TEST_CASE("without values there is no mean, and one value has no interval") {
  CHECK(std::isnan(bootstrap_mean({}).mean));
  const auto one = bootstrap_mean(std::vector<double>{4, std::nan(""), INFINITY});
  CHECK(one.mean == 4);
  CHECK(std::isnan(one.low));
  CHECK(one.not_finite == 2);
  CHECK(std::isnan(sign_flip_test({}).p_value));
}

TEST_CASE("sign flips are counted exactly where they can be") {
  // Three equal differences: 2 of 8 assignments reach the sum. Zeros change nothing.
  CHECK(sign_flip_test(std::vector{1.0, 1.0, 1.0}).p_value == 0.25);
  CHECK(sign_flip_test(std::vector{1.0, 1.0, 1.0, 0.0}).p_value == 0.25);
  CHECK(sign_flip_test(std::vector{0.1, 0.2, -0.3}).p_value == 1);  // a mean of 0 is as extreme as any
  CHECK(sign_flip_test(std::vector{0.0, 0.0}).p_value == 1);
  // 1 2 3 4: |sum| >= 10 by all or none flipped; a sign of 4's neighbours 1: sum 8.
  CHECK(sign_flip_test(std::vector{1.0, 2.0, 3.0, 4.0}).p_value == 2.0 / 16);
  CHECK(sign_flip_test(std::vector{-1.0, 2.0, 3.0, 4.0}).p_value == 4.0 / 16);
  CHECK(sign_flip_test(std::vector{-1.0, 2.0, 3.0, 4.0}).exact);
}

TEST_CASE("sampled sign flips agree with the exact count") {
  // 17 ones, 4 of them negative: P(|S| >= 9) = 2 (C(17,0) + ... + C(17,4)) / 2^17
  std::vector<double> d(17, 1.0);
  for (std::size_t k = 0; k < 4; ++k) d[k] = -1;
  const auto test = sign_flip_test(d, {.resamples = 200000});
  CHECK(!test.exact);
  CHECK(test.p_value == doctest::Approx(2.0 * (1 + 17 + 136 + 680 + 2380) / 131072).epsilon(0.05));
  CHECK(sign_flip_test(std::vector<double>(100, 1.0)).p_value == doctest::Approx(1.0 / 10001));
}

TEST_CASE("a paired difference leaves out broken pairs and keeps the sign of a - b") {
  const std::vector<double> he{0.30, 0.25, 0.40, std::nan(""), 0.35}, she{0.20, 0.20, 0.25, 0.5, 0.20};
  const auto audit = paired_difference(he, she);
  CHECK(audit.difference.mean == doctest::Approx(0.1125));
  CHECK(audit.difference.count == 4);
  CHECK(audit.difference.not_finite == 1);
  CHECK(audit.difference.low > 0);
  CHECK(audit.test.p_value == 2.0 / 16);
}

TEST_CASE("groups come in the order of their first value") {
  const auto means = group_means(std::vector{1.0, 10.0, 3.0, 20.0}, std::vector<std::string>{"she", "he", "she", "he"});
  REQUIRE(means.size() == 2);
  CHECK(means[0].group == "she");
  CHECK(means[0].mean.mean == 2);
  CHECK(means[1].mean.mean == 15);
  CHECK(means[1].mean.low >= 10);
}
