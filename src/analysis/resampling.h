// How sure a mean over a few dumps is: bootstrap intervals, a paired permutation test, means of groups.
//
// For a bias audit: two dumps of one sentence with one word swapped make a pair; the number that is compared (say, the
// weight on "nurse") is taken from both, and the differences of all pairs go here. Pairs are the unit: rows or heads of
// one dump are not independent of each other.
//
// Deterministic: the same numbers and seed give the same interval everywhere (own generator, own shuffling). Values that
// are not finite are left out, and counted.
#pragma once

#include <cassert>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace rollscope {

// SplitMix64 (Steele, Lea & Flood 2014): 64 random bits a call, any seed.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // 0 ... n-1, each equally likely.
  std::uint64_t below(std::uint64_t n) {
    assert(n > 0);
    const std::uint64_t uneven = (0 - n) % n;  // 2^64 mod n: the values that would favour the low ones
    for (;;)
      if (const std::uint64_t x = next(); x >= uneven) return x % n;
  }

 private:
  std::uint64_t state_;
};

// Linear between order statistics, as numpy.quantile has it. sorted [n], ascending, n > 0; q in [0, 1].
[[nodiscard]] double quantile(std::span<const double> sorted, double q);

struct ResamplingOptions {
  int resamples = 10000;  // bootstrap samples, and sign assignments where they are sampled; > 0
  double level = 0.95;    // of the interval, in (0, 1)
  std::uint64_t seed = 1;
};

struct MeanInterval {
  double mean = std::numeric_limits<double>::quiet_NaN();  // NaN: no value
  double low = mean, high = mean;  // NaN below two values: one says nothing about spread
  int count = 0;      // values behind it
  int not_finite = 0; // left out
};
// The mean with its percentile bootstrap interval (Efron 1979). With fewer than about ten values it is too narrow.
// Cost: resamples times count.
[[nodiscard]] MeanInterval bootstrap_mean(std::span<const double> values, const ResamplingOptions& options = {});

struct SignFlipTest {
  double p_value = std::numeric_limits<double>::quiet_NaN();  // two-sided, in (0, 1]; NaN: no difference given
  bool exact = false;  // all 2^n assignments were counted; else (1 + as extreme) / (1 + resamples)
};
// Whether differences of pairs are symmetric around 0 (Fisher's randomisation test): how often random signs give a mean as
// far from 0. Exact up to 16 differences. With n of them p cannot fall below 2^(1 - n): five pairs prove nothing.
// Cost: 2^n, or resamples times n.
inline constexpr int kExactSigns = 16;
[[nodiscard]] SignFlipTest sign_flip_test(std::span<const double> differences, const ResamplingOptions& options = {});

struct PairedDifference {
  MeanInterval difference;  // mean of a - b
  SignFlipTest test;
};
// a, b [pairs]. A pair with a value that is not finite is left out.
[[nodiscard]] PairedDifference paired_difference(std::span<const double> a, std::span<const double> b, const ResamplingOptions& options = {});

struct GroupMean {
  std::string group;
  MeanInterval mean;
};
// Mean and interval of each group, in the order in which groups appear. values, groups [n].
[[nodiscard]] std::vector<GroupMean> group_means(std::span<const double> values, std::span<const std::string> groups,
                                                 const ResamplingOptions& options = {});

}  // namespace rollscope
