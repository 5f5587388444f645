#include "analysis/faithfulness.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/measures.h"
#include "base/text.h"

namespace rollscope {
namespace {

constexpr double kNone = FaithfulnessScores::kNone;
constexpr double kClosest = 1e-12;  // of a probability to 0 and 1 before its logarithm is taken

constexpr std::array<FaithfulnessField, kFaithfulnessFields> kFields{{
    {"deletion_auc", &FaithfulnessScores::deletion_auc, false},
    {"insertion_auc", &FaithfulnessScores::insertion_auc, true},
    {"comprehensiveness_aopc", &FaithfulnessScores::comprehensiveness_aopc, true},
    {"sufficiency_aopc", &FaithfulnessScores::sufficiency_aopc, false},
    {"log_odds_aopc", &FaithfulnessScores::log_odds_aopc, false},
    {"log_probability_aopc", &FaithfulnessScores::log_probability_aopc, false},
}};

tl::unexpected<Error> wrong(const std::string& detail) {
  return fail(ErrorCode::bad_plan, {{"detail", detail}});
}

// The model's answers by mask.
using Outputs = std::map<TokenMask, double>;

Result<Outputs> outputs_of(const RemovalPlan& plan) {
  Outputs outputs;
  for (const auto& step : plan.steps) {
    if (!step.p) return wrong("step " + step.id + " has no p");
    const double p = *step.p;
    if (!std::isfinite(p)) return wrong("p of step " + step.id + " is not a number");
    if (p < 0 || p > 1) return wrong("p of step " + step.id + " is " + formatted("%.6g", p) + ", and a probability lies in 0 to 1");
    const auto [at, fresh] = outputs.try_emplace(step.keep, p);
    if (!fresh && at->second != p) return wrong("step " + step.id + " repeats a mask with another p");
  }
  return outputs;
}

double mean(const std::vector<double>& values) {
  return values.empty() ? kNone : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double area(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 1; i < x.size(); ++i) sum += 0.5 * (x[i] - x[i - 1]) * (y[i] + y[i - 1]);
  return sum;
}

double inside(double p) { return std::clamp(p, kClosest, 1 - kClosest); }
double logit(double p) { return std::log(inside(p)) - std::log1p(-inside(p)); }

// Asks for outputs by mask and remembers the first that is missing.
class Answers {
 public:
  explicit Answers(Outputs outputs) : outputs_(std::move(outputs)) {}
  double operator()(const TokenMask& mask, const char* what, int k) {
    const auto at = outputs_.find(mask);
    if (at != outputs_.end()) return at->second;
    if (missing.empty()) missing = std::string("no step has the mask for ") + what + " of " + std::to_string(k) + " tokens";
    return kNone;
  }
  std::string missing;

 private:
  Outputs outputs_;
};

RemovalCurves curves_of(const RemovalPlan& plan, std::span<const int> order, Answers& answer) {
  const auto n = plan.tokens.size();
  const auto m = static_cast<int>(order.size());
  const auto deleted = [&](int k) { return answer(deletion_mask(order, k, n), "the removal", k); };
  const auto kept = [&](int k) { return answer(insertion_mask(order, k, n), "keeping", k); };
  RemovalCurves out;
  for (const int k : plan.curve) {
    out.x.push_back(static_cast<double>(k) / m);
    out.deletion.push_back(deleted(k));
    out.insertion.push_back(kept(k));
  }
  const double full = deleted(0);
  for (const double fraction : plan.fractions) {
    const int k = tokens_of_fraction(fraction, m);
    const double without = deleted(k);
    out.k.push_back(k);
    out.comprehensiveness.push_back(full - without);
    out.sufficiency.push_back(full - kept(k));
    out.log_odds.push_back(logit(without) - logit(full));
    out.log_probability.push_back(std::log(inside(without)) - std::log(inside(full)));
  }
  out.scores = {area(out.x, out.deletion), area(out.x, out.insertion), mean(out.comprehensiveness),
                mean(out.sufficiency), mean(out.log_odds), mean(out.log_probability)};
  return out;
}

}  // namespace

const std::array<FaithfulnessField, kFaithfulnessFields>& faithfulness_fields() { return kFields; }

Result<Faithfulness> evaluate(const RemovalPlan& plan) {
  if (plan.order.empty()) return wrong("it removes no token");
  auto outputs = outputs_of(plan);
  if (!outputs) return tl::unexpected(outputs.error());
  Answers answer(std::move(*outputs));

  Faithfulness out;
  out.curves = curves_of(plan, plan.order, answer);
  out.p_full = out.curves.deletion.front();
  out.p_empty = out.curves.deletion.back();
  for (const auto& order : plan.random_orders) out.random.push_back(curves_of(plan, order, answer));
  out.occluded = plan.order;
  std::sort(out.occluded.begin(), out.occluded.end());
  std::vector<double> weights;
  for (const int j : out.occluded) {
    const double difference = out.p_full - answer(deletion_mask(std::span(&j, 1), 1, plan.tokens.size()), "the occlusion", 1);
    out.signed_occlusion.push_back(difference);
    out.occlusion.push_back(std::abs(difference));
    weights.push_back(plan.weights[static_cast<std::size_t>(j)]);
  }
  if (!answer.missing.empty()) return wrong(answer.missing);
  // A weight that is NaN has no rank.
  std::vector<int> unknown;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (std::isnan(weights[i])) unknown.push_back(static_cast<int>(i));
  out.spearman_with_occlusion = spearman(weights, out.occlusion, unknown);
  out.spearman_with_signed_occlusion = spearman(weights, out.signed_occlusion, unknown);
  return out;
}

std::array<AgainstRandom, kFaithfulnessFields> against_random(std::span<const Faithfulness> dumps, const ResamplingOptions& options) {
  assert(!dumps.empty());
  std::array<AgainstRandom, kFaithfulnessFields> out;
  for (std::size_t f = 0; f < kFields.size(); ++f) {
    const auto& field = kFields[f];
    std::vector<double> own, random;
    for (const auto& dump : dumps) {
      own.push_back(dump.curves.scores.*field.score);
      std::vector<double> each;
      for (const auto& curves : dump.random) each.push_back(curves.scores.*field.score);
      random.push_back(mean(each));
      if (dumps.size() > 1) continue;
      out[f].random = bootstrap_mean(each, options);
      const auto as_good = std::count_if(each.begin(), each.end(), [&](double x) { return field.high_is_good ? x >= own[0] : x <= own[0]; });
      if (!each.empty() && std::isfinite(own[0])) out[f].p_value = static_cast<double>(1 + as_good) / static_cast<double>(1 + each.size());
    }
    out[f].own = bootstrap_mean(own, options);
    out[f].gain = paired_difference(own, random, options);
    if (dumps.size() == 1) continue;
    out[f].random = bootstrap_mean(random, options);
    out[f].p_value = out[f].gain.test.p_value;
  }
  return out;
}

}  // namespace rollscope
