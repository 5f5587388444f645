#include "analysis/region_chance.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "analysis/resampling.h"

namespace rollscope {

std::string_view chance_verdict_name(ChanceVerdict verdict) {
  constexpr std::string_view names[] = {"undefined", "no_better_than_chance", "above", "below"};
  return names[static_cast<std::size_t>(verdict)];
}

RegionChance region_chance(std::span<const double> values, std::span<const std::uint8_t> places, std::span<const std::uint8_t> region,
                           const RegionOptions& options) {
  assert(values.size() == places.size() && values.size() == region.size());
  assert(options.shuffles > 0 && options.level > 0 && options.level < 1);
  RegionChance out;
  std::vector<double> map;
  double most = 0;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (places[k] && std::isfinite(values[k])) most = std::max(most, std::abs(values[k]));
  double all = 0, on = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!places[k] || !std::isfinite(values[k])) continue;
    const double x = most > 0 ? std::abs(values[k]) / most : 0;  // so that no sum overflows
    map.push_back(x);
    all += x;
    if (!region[k]) continue;
    on += x;
    ++out.region;
  }
  out.places = static_cast<int>(map.size());
  if (!(all > 0) || out.region == 0 || out.region == out.places) return out;
  out.share = on / all;
  out.expected = static_cast<double>(out.region) / out.places;

  // The first `region` places of a partial shuffle are the region.
  SplitMix64 random(options.seed);
  const auto size = static_cast<std::size_t>(out.region);
  std::vector<double> shares(static_cast<std::size_t>(options.shuffles));
  for (double& share : shares) {
    double sum = 0;
    for (std::size_t k = 0; k < size; ++k) {
      std::swap(map[k], map[k + static_cast<std::size_t>(random.below(map.size() - k))]);
      sum += map[k];
    }
    share = sum / all;
  }
  std::sort(shares.begin(), shares.end());
  out.low = quantile(shares, 0.5 * (1 - options.level));
  out.high = quantile(shares, 0.5 * (1 + options.level));
  // Shuffles that differ by rounding alone are the same map.
  constexpr double kRounding = 1e-12;
  out.verdict = out.share > out.high + kRounding ? ChanceVerdict::above : out.share < out.low - kRounding ? ChanceVerdict::below : ChanceVerdict::no_better_than_chance;
  return out;
}

}  // namespace rollscope
