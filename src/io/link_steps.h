// Weights to whole steps and back, for links (io/link.h).
#pragma once

#include <cstdint>
#include <span>

namespace rollscope {

// Shares `steps` units among the weights, by largest remainder: [K] each. The sum of `out` is `steps`, or 0 for a row
// without weight; of equal remainders the earlier gets the unit. Precondition: weights >= 0, steps in [1, 255].
void share_out(std::span<const double> weights, int steps, std::span<std::uint8_t> out);
// Each weight's square root in bytes: fine where weights are small, half a step of 1/255 at 1. Weights in [0, 1].
void square_roots(std::span<const double> weights, std::span<std::uint8_t> out);
// The weights again; a row that has any is divided by its sum. steps 0: of square roots.
void weights_of_steps(std::span<const std::uint8_t> in, int steps, std::span<double> weights);

}  // namespace rollscope
