// The hot product of the full rollout, C = A B for N x N matrices of non-negative numbers, and its plain twin.
#pragma once

#include "base/matrix_view.h"

namespace rollscope {

// Rows [first, end) of c = a b; the other rows of c stay as they are. The sum over k runs upwards from 0 for every
// element, so the bits do not depend on how the rows are cut into blocks.
//   lower: a and b are zero above the diagonal; blocks that are zero by that are skipped, the bits stay the same
//   scratch: at least product_scratch(b.rows) Real
// Cost: (end - first) N^2 multiply-adds, lower: about a third; and one pass over b to pack it.
void product_rows(ConstMatrixView a, ConstMatrixView b, MatrixView c, int first, int end, bool lower, Real* scratch);
[[nodiscard]] std::size_t product_scratch(int rows);

// The reference that product_rows() is tested against: Eigen, one thread, no blocks of ours.
void product_plain(ConstMatrixView a, ConstMatrixView b, MatrixView c);

}  // namespace rollscope
