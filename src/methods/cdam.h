// Class-Discriminative Attention Maps: how far each token, as it enters the last attention block, moves the class score.
//
//   S_i = sum_d T_id dY/dT_id      T [N][d]: those tokens; Y: the logit of the class
//
// Source: Brocki, Binda & Chung 2023, arXiv 2312.02364. Signed: a token may speak against the class. It takes the class's gradient,
// not a product of attention maps, so no layer below the last enters.
#pragma once

#include <span>

#include "base/matrix_view.h"

namespace rollscope {

// tokens [N][d], gradients [N][d], scores [N], overwritten. A term that is not finite counts as 0; returns how many
// were. Cost: N d.
long long cdam_scores(ConstMatrixView tokens, ConstMatrixView gradients, std::span<double> scores);

}  // namespace rollscope
