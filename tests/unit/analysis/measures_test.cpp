#include "analysis/measures.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "analysis/limits.h"
#include "methods/rollout.h"
#include "support/vectors.h"

using namespace rollscope;
using namespace rollscope::test;

TEST_CASE("spread counts over how many tokens the weight is spread") {
  CHECK(spread(std::vector{0.25, 0.25, 0.25, 0.25}) == doctest::Approx(4));
  CHECK(spread(std::vector{0.0, 1.0, 0.0}) == doctest::Approx(1));
  CHECK(spread(std::vector{2.0, 2.0}) == doctest::Approx(2));
  CHECK(spread(std::vector{0.0, 0.0}) == 0);
  CHECK(spread(std::vector{0.8, 0.1, 0.1}, std::vector{0}) == doctest::Approx(2));
}

TEST_CASE("the largest weight is a number, the first of equals") {
  const double row[] = {NAN, 0.2, 0.5, 0.5}, none[] = {NAN, NAN};
  const int aside[] = {2};
  CHECK(largest(row) == 2);
  CHECK(largest(row, aside) == 3);
  CHECK(largest(none) == -1);
}

TEST_CASE("Spearman's rho uses average ranks for ties and is undefined for constants") {
  CHECK(spearman(std::vector{1.0, 2.0, 3.0}, std::vector{10.0, 20.0, 30.0}) == doctest::Approx(1));
  CHECK(spearman(std::vector{1.0, 2.0, 3.0}, std::vector{3.0, 2.0, 1.0}) == doctest::Approx(-1));
  // ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4
  CHECK(spearman(std::vector{1.0, 2.0, 2.0, 3.0}, std::vector{1.0, 2.0, 3.0, 4.0}) == doctest::Approx(4.5 / std::sqrt(4.5 * 5)));
  CHECK(std::isnan(spearman(std::vector{1.0, 1.0}, std::vector{1.0, 2.0})));
  CHECK(spearman(std::vector{9.0, 1.0, 2.0, 3.0}, std::vector{0.0, 1.0, 2.0, 3.0}, std::vector{0}) == doctest::Approx(1));
}

TEST_CASE("the distance between rows is the largest total variation, found in parts as in one go") {
  std::vector<Real> m;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 11; ++j) m.push_back(static_cast<Real>((i * 7 + j * 3) % 5) / Real{20});
  const ConstMatrixView view{m.data(), 5, 11};
  double worst = 0;
  for (int a = 0; a < 5; ++a)
    for (int b = 0; b < 5; ++b) {
      double sum = 0;
      for (int j = 0; j < 11; ++j) sum += std::abs(static_cast<double>(view(a, j) - view(b, j))) / 2;
      worst = std::max(worst, sum);
    }
  CHECK(rows_distance(view, 0, 5, 5) == doctest::Approx(worst));
  CHECK(std::max(rows_distance(view, 0, 2, 5), rows_distance(view, 2, 5, 5)) == doctest::Approx(worst));
  CHECK(rows_distance_first(13, false) == 0);
  CHECK(rows_distance_first(13, true) == 6);
}

TEST_CASE("rollout of the reference collapses with depth as the Dobrushin coefficient says") {
  const Vector v("depth_24");
  const auto stack = fuse(v.get("inputs/bidirectional_attn"));
  for (const int depth : {1, 4, 16}) {
    std::vector<Real> r(64);
    NoProgress progress;
    REQUIRE(rollout(stack.view().slice(0, depth), 0.5, false, {r.data(), 8, 8}, progress));
    const auto expected = v.get("expected/bidirectional/" + std::to_string(depth) + "/diag/dobrushin_tv").values[0];
    CHECK(rows_distance({r.data(), 8, 8}, 0, 8, 8) == doctest::Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE("punctuation and the signs of white space are told from words in any script") {
  for (const char* text : {".", ",", "...", "\"", "=>", "。", "、", "¿", "،", "⏎", "␣", "«", "—"}) CHECK_MESSAGE(is_punctuation(text), text);
  for (const char* text : {"", "a", "it's", "7", "é", "猫", "‹E9›s", "[CLS]", "ア", "º"}) CHECK_FALSE_MESSAGE(is_punctuation(text), text);
}
