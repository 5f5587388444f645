// The inner loops over single rows.
#pragma once

#include <cstddef>

#include "base/matrix_view.h"

namespace rollscope {

// to[j] += factor row[j], in double.
void add_scaled_row(double factor, const Real* row, std::size_t n, double* to);
// Sum over j of |a[j] - b[j]|, in independent partial sums of Real.
[[nodiscard]] double row_difference(const Real* a, const Real* b, std::size_t n);

}  // namespace rollscope
