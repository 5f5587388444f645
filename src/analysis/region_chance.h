// Whether a map lies on a region by more than its values would by chance: "on the stroke 28 %, no better than chance".
//
//   share   weight on the region's places / weight on all places; of a signed map the magnitudes count
//   chance  the same of the same values shuffled over the same places: what a map as peaked as this one, which knows
//           nothing of the region, gives. Its interval holds `level` of the shuffles.
//
// Tokens beside the map (a class token, delimiters) are left out of the places by the caller. A permutation test (Fisher
// 1935); the verdict is about this one map, not about the model. Values that are not finite are no places.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace rollscope {

struct RegionOptions {
  int shuffles = 20000;  // > 0
  double level = 0.95;   // of the interval, in (0, 1)
  std::uint64_t seed = 1;
};

enum class ChanceVerdict : std::uint8_t { undefined, no_better_than_chance, above, below };
[[nodiscard]] std::string_view chance_verdict_name(ChanceVerdict verdict);  // "no_better_than_chance"

struct RegionChance {
  double share = std::numeric_limits<double>::quiet_NaN();  // in [0, 1]
  double expected = share;         // region / places: the mean over all shuffles
  double low = share, high = share;  // the interval of the shuffles
  int places = 0, region = 0;
  ChanceVerdict verdict = ChanceVerdict::undefined;  // where no place has weight, or the region is none or all of them
};

// values, places and region [n]: places and region are 0 or 1, and the region lies inside the places.
// Deterministic. Cost: shuffles times the size of the region.
[[nodiscard]] RegionChance region_chance(std::span<const double> values, std::span<const std::uint8_t> places, std::span<const std::uint8_t> region,
                                         const RegionOptions& options = {});

}  // namespace rollscope
