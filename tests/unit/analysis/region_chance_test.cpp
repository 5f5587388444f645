#include "analysis/region_chance.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace rollscope {
namespace {

using Marks = std::vector<std::uint8_t>;

// Marks on the first `region` of so many places.
Marks first(std::size_t region, std::size_t places) {
  Marks out(places, 0);
  for (std::size_t k = 0; k < region; ++k) out[k] = 1;
  return out;
}

}  // namespace

TEST_CASE("a map that lies on its region is above chance, one that avoids it below, a flat one neither") {
  const Marks places(20, 1), region = first(5, 20);
  std::vector<double> map(20, 0.1);
  CHECK(region_chance(map, places, region).verdict == ChanceVerdict::no_better_than_chance);
  CHECK(region_chance(map, places, region).share == doctest::Approx(0.25));
  for (std::size_t k = 0; k < 5; ++k) map[k] = 1;
  const auto on = region_chance(map, places, region);
  CHECK(on.verdict == ChanceVerdict::above);
  CHECK(on.share == doctest::Approx(5 / 6.5));
  CHECK(on.expected == 0.25);
  CHECK(on.low < 0.25);
  CHECK(on.high > 0.25);
  CHECK(region_chance(map, places, first(20, 20)).verdict == ChanceVerdict::undefined);  // all of it: nothing to compare
  std::vector<double> off(20, 1);
  for (std::size_t k = 0; k < 5; ++k) off[k] = 0.01;
  CHECK(region_chance(off, places, region).verdict == ChanceVerdict::below);
}

TEST_CASE("one bright place on the region is no evidence: a quarter of all shuffles put it there") {
  std::vector<double> map(20, 0.01);
  map[2] = 1;
  const auto found = region_chance(map, Marks(20, 1), first(5, 20));
  CHECK(found.share > 0.8);
  CHECK(found.verdict == ChanceVerdict::no_better_than_chance);
}

TEST_CASE("the interval is that of the shuffles: two places, of which one is the region, give either all or nothing") {
  const std::vector<double> map{3, 1};
  const auto found = region_chance(map, Marks{1, 1}, Marks{1, 0});
  CHECK(found.low == doctest::Approx(0.25));
  CHECK(found.high == doctest::Approx(0.75));
  CHECK(found.verdict == ChanceVerdict::no_better_than_chance);
  CHECK(region_chance(map, Marks{1, 1}, Marks{1, 0}).low == found.low);  // the same seed, the same interval
}

TEST_CASE("signs, broken values, empty and huge maps have defined answers") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), huge = std::numeric_limits<double>::max();
  const std::vector<double> map{-1, nan, 1, 2};
  const auto found = region_chance(map, Marks{1, 1, 1, 1}, Marks{1, 1, 0, 0});
  CHECK(found.places == 3);
  CHECK(found.region == 1);
  CHECK(found.share == doctest::Approx(0.25));  // magnitudes
  CHECK(region_chance(std::vector<double>{nan, nan}, Marks{1, 1}, Marks{1, 0}).verdict == ChanceVerdict::undefined);
  CHECK(region_chance(std::vector<double>{0, 0}, Marks{1, 1}, Marks{1, 0}).verdict == ChanceVerdict::undefined);
  CHECK(region_chance(std::vector<double>{1, 2}, Marks{1, 1}, Marks{0, 0}).verdict == ChanceVerdict::undefined);
  CHECK(region_chance({}, {}, {}).verdict == ChanceVerdict::undefined);
  CHECK(region_chance(std::vector<double>{huge, huge, huge, huge}, Marks{1, 1, 1, 1}, Marks{1, 0, 0, 0}).share == doctest::Approx(0.25));
}

}  // namespace rollscope
