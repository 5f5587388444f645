// Whether a model's output follows what a row calls important: numbers from a filled-in removal plan (removal_plan.h).
//
//   deletion, insertion AUC  area under p over the share of tokens removed (kept), trapezoid, x from 0 to 1. A good order
//                            has a low deletion and a high insertion area (Petsiuk et al. 2018, arXiv 1806.07421)
//   comprehensiveness        p(full) - p(without the top k): high is good   } ERASER, DeYoung et al. 2020,
//   sufficiency              p(full) - p(top k alone): low is good          } arXiv 1911.03429; AOPC: mean over fractions
//   log-odds                 logit p(without the top k) - logit p(full): low is good (Shrikumar et al. 2017)
//   log-probability          ln p(without) - ln p(full), as Chen & Ji 2020 print under the name log-odds
//   occlusion                |p(full) - p(without this token)| (Abnar & Zuidema's blank-out), compared with the row by
//                            Spearman; a row that is right about signs is compared with the signed difference too
//
// No number means anything by itself: a model may break on any removal. So each stands beside the same number for
// random orders. Removed inputs are texts the model never saw; that caveat belongs under every picture made of this.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/removal_plan.h"
#include "analysis/resampling.h"

namespace rollscope {

// One number for a whole order. p of 0 or 1 counts as 1e-12 from there in logarithms.
struct FaithfulnessScores {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double deletion_auc = kNone, insertion_auc = kNone;
  double comprehensiveness_aopc = kNone, sufficiency_aopc = kNone;  // NaN without fractions
  double log_odds_aopc = kNone, log_probability_aopc = kNone;
};
struct FaithfulnessField {
  std::string_view name;
  double FaithfulnessScores::*score;
  bool high_is_good;
};
inline constexpr int kFaithfulnessFields = 6;
[[nodiscard]] const std::array<FaithfulnessField, kFaithfulnessFields>& faithfulness_fields();

// The curves of one order.
struct RemovalCurves {
  std::vector<double> x;                     // k / m, [points]
  std::vector<double> deletion, insertion;   // p, [points]
  std::vector<int> k;                        // tokens behind each fraction, [fractions]
  std::vector<double> comprehensiveness, sufficiency, log_odds, log_probability;  // [fractions]
  FaithfulnessScores scores;
};

struct Faithfulness {
  double p_full = 0, p_empty = 0;  // nothing removed; all that can be removed removed
  RemovalCurves curves;            // of the row's order
  std::vector<RemovalCurves> random;  // of each random order
  std::vector<int> occluded;          // [m] positions, ascending
  std::vector<double> occlusion, signed_occlusion;  // [m] |p_full - p|, p_full - p
  double spearman_with_occlusion = 0, spearman_with_signed_occlusion = 0;  // NaN: constant, or one token
};

// Errors: bad_plan. A step whose p is missing, no number, or outside [0, 1] is named (logits and losses are no
// probabilities); a mask that the plan's own orders need and no step has; one mask with two different p.
// A plan in which nothing can be removed (m = 0) is an error too.
// Cost: the number of steps times n.
[[nodiscard]] Result<Faithfulness> evaluate(const RemovalPlan& plan);

// One score against random orders, over one dump or several.
struct AgainstRandom {
  MeanInterval own;       // over dumps; of one dump: no interval
  MeanInterval random;    // of one dump: over its random orders; of several: over the dumps' means
  PairedDifference gain;  // own - random, dump by dump; of one dump: no interval
  // One dump: (1 + random orders that do at least as well) / (1 + orders), one-sided. Several: the sign-flip test of `gain`,
  // two-sided. NaN: no random order.
  double p_value = std::numeric_limits<double>::quiet_NaN();
};
// Scores in the order of faithfulness_fields(). dumps: one or more. Random orders of one dump share its model and text:
// they count as one value there, so that a folder of 20 dumps is 20 values and not 200.
[[nodiscard]] std::array<AgainstRandom, kFaithfulnessFields> against_random(std::span<const Faithfulness> dumps,
                                                                            const ResamplingOptions& options = {});

}  // namespace rollscope
