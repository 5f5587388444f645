#include "analysis/key_tokens.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace rollscope;

TEST_CASE("key tokens come with their share of the whole row, and equal weights share a rank") {
  const auto keys = key_tokens(std::vector{0.1, 0.2, 0.4, 0.2, 0.1}, 4);
  REQUIRE(keys.tokens.size() == 4);
  const int order[] = {2, 1, 3, 0}, ranks[] = {1, 2, 2, 4};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(keys.tokens[i].key == order[i]);
    CHECK(keys.tokens[i].rank == ranks[i]);
    CHECK(keys.tokens[i].tied == (i > 0));
  }
  CHECK(keys.tokens[2].share == doctest::Approx(0.2));
  CHECK(keys.tokens[3].cumulative == doctest::Approx(0.9));
  CHECK(keys.tied_with_last == 1);  // key 4 weighs as much as key 0
}

TEST_CASE("a uniform row has no first token, and rounding makes none") {
  std::vector<double> row(6, 1.0 / 6);
  row[4] += 1e-16;
  const auto keys = key_tokens(row, 2);
  CHECK(keys.tokens[1].rank == 1);
  CHECK(keys.tokens[0].tied);
  CHECK(keys.tied_with_last == 4);
}

TEST_CASE("keys left out keep their share of the whole, and are no tie") {
  const auto keys = key_tokens(std::vector{0.5, 0.25, 0.25}, 9, std::vector{0, 1});
  REQUIRE(keys.tokens.size() == 1);
  CHECK(keys.tokens[0].share == doctest::Approx(0.25));
  CHECK(!keys.tokens[0].tied);
}

TEST_CASE("signed rows go by size; broken values are not listed; empty rows have no key") {
  const auto keys = key_tokens(std::vector{1.0, -3.0, std::nan("")}, 3);
  REQUIRE(keys.tokens.size() == 2);
  CHECK(keys.tokens[0].key == 1);
  CHECK(keys.tokens[0].share == doctest::Approx(-0.75));
  CHECK(keys.tokens[1].cumulative == doctest::Approx(1));
  CHECK(key_tokens(std::vector{0.0, 0.0}, 2).tokens.empty());
  CHECK(key_tokens({}, 2).tokens.empty());
  CHECK(key_tokens(std::vector{1.0}, 0).tied_with_last == 0);
}
