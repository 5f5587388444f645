// What a picture cannot say: the limits that apply to a result, with the thresholds of the contracts.
//
//   sink                  s_j >= .15 and s_j >= 3 c_j, on a key that is special, first, punctuation or a delimiter
//   dominant_token        the same weight on any other key: content, never set aside by itself
//   absorbing_first_token causal, and uniform attention gives token 0 more than a third in the same recipe
//   rollout_collapsed     largest total variation between two rows <= .05 (causal: rows of the second half)
//   rows_similar          the same <= .15
//   nearly_uniform        perplexity of the row >= .9 of its visible keys
//   below_uniform         no token outside specials exceeds uniform attention
//   flow_saturated        >= 90 % of the row's connected pairs at an end cut, or the row without its maximum spans < .1
//   fixed_source_share    a joint rollout with constant residuals
//   residual_sensitive    the first token changes, or its weight halves, for a residual between .25 and .9
// s_j, c_j: methods/fusion.h, ReceivedAttention. Sinks are real tokens; a virtual sink is set aside without a remark.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/report.h"
#include "dump/dump.h"
#include "methods/flow.h"
#include "methods/fusion.h"
#include "methods/gradients.h"
#include "methods/recipe.h"
#include "methods/rollout.h"

namespace rollscope {

// Keys that draw attention far above chance.
struct StrongKeys {
  std::vector<int> sinks;     // the strongest first; a virtual sink stands last
  std::vector<int> dominant;  // content; the strongest first
  std::vector<double> share, chance;  // [K] s_j and c_j
};
[[nodiscard]] StrongKeys strong_keys(const Stream& stream, const Recipe& recipe, const StackStats& stats);

// True for text of nothing but punctuation, symbols and the signs that stand for white space.
[[nodiscard]] bool is_punctuation(std::string_view label);

// How the row's first token fares while the residual weight goes from .25 to .9.
struct ResidualRange {
  std::vector<double> residuals;  // ascending
  std::vector<double> rows;       // [residuals][K]
  std::vector<double> low, high;  // [K] over all of them
  double itself_from = -1;  // smallest hundredth from which on the token itself comes first; -1: never, or always
  int first_other = -1;     // a key other than the first and the token itself that comes first somewhere; -1: none
  bool first_changes = false;
};
inline constexpr double kResidualLow = 0.25, kResidualHigh = 0.9;
// The residual weights that are tried first: .25, .30 ... .90. Cost of the sweep: 14 L N^2.
[[nodiscard]] std::vector<double> residual_steps();
// fused [L][N][N], the layers of the range; sweep: a finished one over residual_steps(); `first`: the key that comes
// first in the recipe in force. Cost: at most 4 L N^2.
[[nodiscard]] ResidualRange residual_range(StackView fused, int query, int first, const RolloutSweep& sweep);
[[nodiscard]] ResidualRange residual_range(StackView fused, int query, int first);  // with a sweep of its own

// What the limits of one row are judged by.
struct RowFacts {
  const Stream* stream = nullptr;
  const Recipe* recipe = nullptr;
  int query = 0;
  std::span<const double> row, uniform;  // [K]; uniform empty: chance is not defined
  double spread = 0;
  int visible = 0;
  const ResidualRange* range = nullptr;  // null: not judged
  const FlowFacts* flow = nullptr;       // of a flow; null: it is none
};
// Limits of the recipe, whatever the row. rows_distance -1: not known.
[[nodiscard]] Report recipe_limits(const Stream& stream, const Recipe& recipe, const StrongKeys& keys, double rows_distance);
[[nodiscard]] Report row_limits(const RowFacts& facts);
// Tokens outside specials (a virtual sink apart), and how many of them have more weight than uniform attention gives: none,
// and the row is no better than chance. row, uniform [K].
struct WordsAboveChance {
  int above = 0, words = 0;
};
[[nodiscard]] WordsAboveChance words_above_chance(const Stream& stream, std::span<const double> row, std::span<const double> uniform);
// What a recipe's gradients lack.
[[nodiscard]] Report gradient_limits(const Stream& stream, const GradientStats& gradients);
// Whether the residual weight of the recipe can be varied to see what hangs on it.
[[nodiscard]] bool has_residual_range(const Recipe& recipe);

}  // namespace rollscope
