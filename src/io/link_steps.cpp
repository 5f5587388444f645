#include "io/link_steps.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

namespace rollscope {

void share_out(std::span<const double> weights, int steps, std::span<std::uint8_t> out) {
  assert(weights.size() == out.size() && steps >= 1 && steps <= 255);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::fill(out.begin(), out.end(), std::uint8_t{0});
  if (!(sum > 0)) return;
  std::vector<double> rest(weights.size());
  int left = steps;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double units = weights[j] / sum * steps, whole = std::floor(units);
    out[j] = static_cast<std::uint8_t>(std::clamp(whole, 0.0, static_cast<double>(left)));
    rest[j] = units - whole;
    left -= out[j];
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rest[a] > rest[b]; });
  for (std::size_t k = 0; left > 0; k = (k + 1) % order.size(), --left) ++out[order[k]];
}

void square_roots(std::span<const double> weights, std::span<std::uint8_t> out) {
  assert(weights.size() == out.size());
  for (std::size_t j = 0; j < weights.size(); ++j) out[j] = static_cast<std::uint8_t>(std::lround(255 * std::sqrt(std::clamp(weights[j], 0.0, 1.0))));
}

void weights_of_steps(std::span<const std::uint8_t> in, int steps, std::span<double> weights) {
  assert(weights.size() == in.size());
  double sum = 0;
  for (std::size_t j = 0; j < in.size(); ++j) {
    const double units = in[j];
    weights[j] = steps > 0 ? units : units * units;
    sum += weights[j];
  }
  if (sum > 0)
    for (double& w : weights) w /= sum;
}

}  // namespace rollscope
