#include "methods/residual.h"

#include <algorithm>
#include <cassert>

namespace rollscope {
namespace {

void mix_row(std::span<Real> row, std::size_t self, double r) {
  assert(r >= 0 && r <= 1);
  if (std::all_of(row.begin(), row.end(), [](Real x) { return x == 0; })) {
    if (r > 0) row[self] = 1;
    return;
  }
  for (Real& x : row) x = static_cast<Real>((1 - r) * static_cast<double>(x));
  row[self] = static_cast<Real>(static_cast<double>(row[self]) + r);
}

}  // namespace

void mix_residual(MatrixView fused, double r) {
  assert(fused.rows == fused.columns);
  for (int i = 0; i < fused.rows; ++i) mix_row(fused.row(i), static_cast<std::size_t>(i), r);
}

void mix_residual(MatrixView fused, std::span<const double> r) {
  assert(fused.rows == fused.columns && static_cast<int>(r.size()) == fused.rows);
  for (int i = 0; i < fused.rows; ++i) mix_row(fused.row(i), static_cast<std::size_t>(i), r[static_cast<std::size_t>(i)]);
}

void scale_head(MatrixView head, double weight) {
  assert(weight >= 0);
  for (std::size_t k = 0; k < head.size(); ++k) head.data[k] = static_cast<Real>(weight * static_cast<double>(head.data[k]));
}

}  // namespace rollscope
