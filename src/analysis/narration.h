// What can be said in words about one row, from numbers that were computed and nothing else (base/narration.inc holds the
// sentences): what carries it, how widely it is spread, what sinks take, how other recipes agree, how much depth and the
// residual weight decide, and what the method cannot show.
//
// A sentence states a number; none says why, and each narration closes with what the method is not. A fact whose number
// was not computed, or is not defined for the recipe, is left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/limits.h"
#include "analysis/view_data.h"
#include "base/narration.h"
#include "dump/dump.h"

namespace rollscope {

struct NarrationInputs {
  const Stream* stream = nullptr;  // of the layers
  const Stream* shown = nullptr;   // rows and columns of the answer
  const Recipe* recipe = nullptr;  // resolved
  std::string query;               // the output's label
  std::span<const double> row, uniform;  // [K shown]; uniform empty: chance is not defined
  int seen = 0;                    // keys that the row can see, the first so many; a virtual sink does not count
  std::span<const int> sinks;      // keys of the answer
  double rows_distance = -1;       // -1: not known
  const ResidualRange* range = nullptr;      // null: not judged
  std::span<const OtherRecipe> others = {};  // on the same row
};

// Tokens that are named.
inline constexpr int kNamedTokens = 5;
// Spread over that of uniform attention: up to the first the row is concentrated, from the second on diffuse.
inline constexpr double kConcentrated = 1.0 / 3, kDiffuse = 0.9;

// Cost: K log K.
[[nodiscard]] std::vector<Fact> narrate(const NarrationInputs& inputs);
// What this method is not.
[[nodiscard]] Fact method_caveat(const Recipe& recipe);

}  // namespace rollscope
