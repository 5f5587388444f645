#include "methods/raw.h"

#include <algorithm>
#include <cassert>

namespace rollscope {

void raw_row(StackView fused, int query, std::span<double> row) {
  std::fill(row.begin(), row.end(), 0.0);
  for (int l = 0; l < fused.depth(); ++l) {
    const auto from = fused[l].row(query);
    assert(from.size() == row.size());
    for (std::size_t j = 0; j < row.size(); ++j) row[j] += static_cast<double>(from[j]);
  }
  for (double& x : row) x /= fused.depth();
}

void raw_matrix(StackView fused, MatrixView out) {
  std::fill(out.data, out.data + out.size(), Real{0});
  for (int l = 0; l < fused.depth(); ++l) {
    const Real* from = fused[l].data;
    for (std::size_t i = 0; i < out.size(); ++i) out.data[i] += from[i];
  }
  const auto depth = static_cast<Real>(fused.depth());
  for (std::size_t i = 0; i < out.size(); ++i) out.data[i] /= depth;
}

}  // namespace rollscope
