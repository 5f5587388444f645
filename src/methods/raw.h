// Raw attention: one fused layer, or the mean over a range of layers. No residual, no path: what a layer's rows say.
#pragma once

#include <span>

#include "base/matrix_view.h"

namespace rollscope {

// Row `query` of the mean over the layers: fused [L][Q][K], row [K], overwritten. Cost: L K.
void raw_row(StackView fused, int query, std::span<double> row);
// All rows: out [Q][K], overwritten. Cost: L Q K.
void raw_matrix(StackView fused, MatrixView out);

}  // namespace rollscope
