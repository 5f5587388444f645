#include "analysis/resampling.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace rollscope {
namespace {

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> out;
  for (const double x : values)
    if (std::isfinite(x)) out.push_back(x);
  return out;
}

double sum_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

double quantile(std::span<const double> sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

MeanInterval bootstrap_mean(std::span<const double> values, const ResamplingOptions& options) {
  assert(options.resamples > 0 && options.level > 0 && options.level < 1);
  const auto x = finite(values);
  MeanInterval out;
  out.count = static_cast<int>(x.size());
  out.not_finite = static_cast<int>(values.size() - x.size());
  if (x.empty()) return out;
  const auto n = static_cast<double>(x.size());
  out.mean = sum_of(x) / n;
  if (x.size() < 2) return out;
  SplitMix64 random(options.seed);
  std::vector<double> means(static_cast<std::size_t>(options.resamples));
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += x[static_cast<std::size_t>(random.below(x.size()))];
    mean = sum / n;
  }
  std::sort(means.begin(), means.end());
  out.low = quantile(means, 0.5 * (1 - options.level));
  out.high = quantile(means, 0.5 * (1 + options.level));
  return out;
}

SignFlipTest sign_flip_test(std::span<const double> differences, const ResamplingOptions& options) {
  assert(options.resamples > 0);
  const auto d = finite(differences);
  if (d.empty()) return {};
  double size = 0;
  for (const double x : d) size += std::abs(x);
  // Sums that are equal but for rounding count as equally extreme.
  const double extreme = std::abs(sum_of(d)) - 1e-12 * size;
  const std::size_t n = d.size();
  if (n <= static_cast<std::size_t>(kExactSigns)) {
    const std::size_t assignments = std::size_t{1} << n;
    std::size_t count = 0;
    for (std::size_t signs = 0; signs < assignments; ++signs) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += (signs >> k & 1) != 0 ? -d[k] : d[k];
      count += std::abs(sum) >= extreme;
    }
    return {static_cast<double>(count) / static_cast<double>(assignments), true};
  }
  SplitMix64 random(options.seed);
  int count = 0;
  for (int sample = 0; sample < options.resamples; ++sample) {
    double sum = 0;
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < n; ++k, bits >>= 1) {
      if (k % 64 == 0) bits = random.next();
      sum += (bits & 1) != 0 ? -d[k] : d[k];
    }
    count += std::abs(sum) >= extreme;
  }
  return {(1.0 + count) / (1.0 + options.resamples), false};
}

PairedDifference paired_difference(std::span<const double> a, std::span<const double> b, const ResamplingOptions& options) {
  assert(a.size() == b.size());
  std::vector<double> differences;
  differences.reserve(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) differences.push_back(a[k] - b[k]);
  return {bootstrap_mean(differences, options), sign_flip_test(differences, options)};
}

std::vector<GroupMean> group_means(std::span<const double> values, std::span<const std::string> groups, const ResamplingOptions& options) {
  assert(values.size() == groups.size());
  std::vector<std::string> names;
  std::map<std::string, std::vector<double>> members;
  for (std::size_t k = 0; k < values.size(); ++k) {
    auto& list = members[groups[k]];
    if (list.empty()) names.push_back(groups[k]);
    list.push_back(values[k]);
  }
  std::vector<GroupMean> out;
  for (const auto& name : names) out.push_back({name, bootstrap_mean(members[name], options)});
  return out;
}

}  // namespace rollscope
