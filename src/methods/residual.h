// Residual weights that are not one number: T_l = r_l I + (1 - r_l) F_l, in place, per layer or per layer and token.
// The rollout then multiplies the T_l with residual = 0.
//
//   F [N][N] fused (methods/fusion.h); an empty row becomes e_i where its r > 0 and stays empty where r = 0 (ruling 1)
//   r in [0, 1]
// One r for all layers needs none of this: the rollout takes it. Where r comes from norms: methods/norms.h.
#pragma once

#include <span>

#include "base/matrix_view.h"

namespace rollscope {

void mix_residual(MatrixView fused, double r);
// r [N]: token i keeps r[i].
void mix_residual(MatrixView fused, std::span<const double> r);

// One head among fused layers (Abnar & Zuidema, appendix A.1): give that layer its one head in place of the fusion; the
// layers below stay fused. Weighted heads: normalise_head(), scale_head(), LayerFuser::add_normalised() with mean:
// F = sum w_h A_h / sum w_h, for weights >= 0.
void scale_head(MatrixView head, double weight);

}  // namespace rollscope
