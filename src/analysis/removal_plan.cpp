#include "analysis/removal_plan.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "analysis/resampling.h"

namespace rollscope {
namespace {

// Collects steps, one for each mask.
class StepList {
 public:
  StepList(std::size_t tokens, std::vector<RemovalStep>& steps) : tokens_(tokens), steps_(steps) {}
  void add(std::string id, const char* kind, int k, TokenMask keep) {
    if (seen_.insert(keep).second) steps_.push_back({std::move(id), kind, k, std::move(keep), std::nullopt});
  }
  // Both curves of one order.
  void curves(const std::string& before, const char* kind, std::span<const int> order, std::span<const int> curve) {
    for (const int k : curve) add(before + "deletion/" + std::to_string(k), kind ? kind : "deletion", k, deletion_mask(order, k, tokens_));
    for (const int k : curve) add(before + "insertion/" + std::to_string(k), kind ? kind : "insertion", k, insertion_mask(order, k, tokens_));
  }

 private:
  std::size_t tokens_;
  std::vector<RemovalStep>& steps_;
  std::set<TokenMask> seen_;
};

std::vector<int> curve_of(int m, const RemovalOptions& options) {
  std::set<int> ks{0, m};
  const int points = std::clamp(options.curve_points, 1, std::max(1, m));
  for (int i = 1; i < points; ++i) ks.insert(static_cast<int>(std::lround(static_cast<double>(i) * m / points)));
  for (const double fraction : options.fractions) ks.insert(tokens_of_fraction(fraction, m));
  return {ks.begin(), ks.end()};
}

}  // namespace

std::vector<int> removal_order(std::span<const double> row, std::span<const int> always_kept) {
  std::vector<int> order;
  for (std::size_t j = 0; j < row.size(); ++j)
    if (std::find(always_kept.begin(), always_kept.end(), static_cast<int>(j)) == always_kept.end()) order.push_back(static_cast<int>(j));
  const auto weight = [&](int j) {
    const double w = row[static_cast<std::size_t>(j)];
    return std::isnan(w) ? -std::numeric_limits<double>::infinity() : w;
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return weight(a) > weight(b); });
  return order;
}

int tokens_of_fraction(double fraction, int m) {
  assert(fraction > 0 && fraction <= 1);
  // 0.07 x 100 is 7.000000000000001: seven tokens, not eight.
  return std::min(m, std::max(1, static_cast<int>(std::ceil(fraction * m - 1e-9))));
}

TokenMask deletion_mask(std::span<const int> order, int k, std::size_t tokens) {
  TokenMask keep(tokens, 1);
  for (int i = 0; i < k; ++i) keep[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = 0;
  return keep;
}

TokenMask insertion_mask(std::span<const int> order, int k, std::size_t tokens) {
  TokenMask keep(tokens, 1);
  for (std::size_t i = static_cast<std::size_t>(k); i < order.size(); ++i) keep[static_cast<std::size_t>(order[i])] = 0;
  return keep;
}

RemovalPlan removal_plan(std::span<const double> row, std::span<const std::string> tokens, const RemovalOptions& options) {
  assert(row.size() == tokens.size() && options.seed <= std::uint64_t{1} << 53);
  RemovalPlan plan;
  plan.tokens.assign(tokens.begin(), tokens.end());
  plan.weights.assign(row.begin(), row.end());
  plan.order = removal_order(row, options.always_kept);
  plan.seed = options.seed;
  plan.fractions = options.fractions;
  const auto m = static_cast<int>(plan.order.size());
  plan.curve = curve_of(m, options);
  SplitMix64 random(options.seed);
  auto shuffled = plan.order;
  std::sort(shuffled.begin(), shuffled.end());  // so that the random orders do not depend on the row
  for (int o = 0; o < options.random_orders; ++o) {
    for (std::size_t i = shuffled.size(); i > 1; --i) std::swap(shuffled[i - 1], shuffled[static_cast<std::size_t>(random.below(i))]);
    plan.random_orders.push_back(shuffled);
  }

  StepList steps(row.size(), plan.steps);
  steps.curves("", nullptr, plan.order, plan.curve);
  for (const int j : plan.order) steps.add("occlusion/" + std::to_string(j), "occlusion", 1, deletion_mask(std::span(&j, 1), 1, row.size()));
  for (std::size_t o = 0; o < plan.random_orders.size(); ++o)
    steps.curves("random/" + std::to_string(o) + "/", "random", plan.random_orders[o], plan.curve);
  return plan;
}

}  // namespace rollscope
