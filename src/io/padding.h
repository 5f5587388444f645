// Which positions of a stream are text and which padding, and how an image's patches lie among them.
#pragma once

#include <vector>

#include "io/lookup.h"
#include "io/sample.h"
#include "io/token_sources.h"

namespace rollscope {

// Positions that a mask keeps, ascending. Empty: no mask, it does not fit, or it keeps all or none.
// `grown`: rows were added by generate(), so a mask may cover the prompt alone. `mask_names` as find_numbers takes them; padding masks (1: padding) have "padding" or "pad" in their name.
[[nodiscard]] Result<std::vector<int>> kept_by_mask(const Container& container, Names mask_names, int total, int item, bool grown = false);

// Without a mask: padding at either end that the numbers show, as keys that nobody reads beyond the last token that
// is named, or under tokens that say so ([PAD], <pad>).
[[nodiscard]] Result<std::vector<int>> kept_by_sample(const TokenContext& context, TokenSide side, int total, const Sample& sample);

// Without a mask and without tokens: positions at either end that nobody reads, not even they themselves. Softmax gives
// no zeros, so a mask has put them there; believed only of dense matrices and of at least four heads.
[[nodiscard]] std::vector<int> kept_by_numbers(const StackPlan& plan, const Sample& sample);

// The grid that the metadata name, or else (no tokens, square, not causal) the one that the number of positions
// suggests: 50 = 1 + 7 x 7, 197 = 1 + 14 x 14, 201 = 5 + 14 x 14.
[[nodiscard]] Result<PatchGrid> find_grid(const Container& container, int positions, bool may_guess, Report& report);

}  // namespace rollscope
