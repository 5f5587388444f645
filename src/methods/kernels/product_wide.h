// Products of matrices that are not square, for the relatives that follow two token sequences at once.
#pragma once

#include "base/matrix_view.h"

namespace rollscope {

// Rows [first, end) of c = op(a) b, op(a) [M][K], b [K][P], c [M][P]; the other rows of c stay as they are.
//   transposed: op(a) is the transpose of a, which is then stored as [K][M]
// The sum over k runs upwards for every element, whatever the blocks. Four zeros side by side in a column of op(a)
// are skipped, so 0 times infinity may pass as 0.
// Cost: (end - first) K P multiply-adds, no scratch. Vectorised by the compiler (-O3) as fast as
// product_rows() (800^3: 80 ms both), else a third of its speed: use that where all is square.
void product_wide_rows(ConstMatrixView a, bool transposed, ConstMatrixView b, MatrixView c, int first, int end);

}  // namespace rollscope
