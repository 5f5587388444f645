#include <Eigen/Core>

#include "methods/kernels/product.h"

namespace rollscope {

void product_plain(ConstMatrixView a, ConstMatrixView b, MatrixView c) {
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Matrix>(c.data, c.rows, c.columns).noalias() =
      Eigen::Map<const Matrix>(a.data, a.rows, a.columns) * Eigen::Map<const Matrix>(b.data, b.rows, b.columns);
}

}  // namespace rollscope
