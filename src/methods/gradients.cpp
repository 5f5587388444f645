#include "methods/gradients.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "methods/row_share.h"

namespace rollscope {
namespace {

bool is_finite(std::span<const Real> row) {
  return std::all_of(row.begin(), row.end(), [](Real x) { return std::isfinite(x); });
}

double mean_gradient(ConstMatrixView gradient) {
  double sum = 0;
  for (int i = 0; i < gradient.rows; ++i)
    for (const Real g : gradient.row(i))
      if (std::isfinite(g)) sum += static_cast<double>(g) / static_cast<double>(gradient.size());
  return sum;
}

// The largest number of Real rather than infinity: later quotients stay defined.
Real bounded(double x) {
  constexpr double kLargest = std::numeric_limits<Real>::max();
  return static_cast<Real>(std::clamp(x, -kLargest, kLargest));
}

}  // namespace

GradientFuser::GradientFuser(MatrixView out, GradientKind kind, GradientStats* stats)
    : out_(out), kind_(kind), stats_(stats) {
  std::fill(out.data, out.data + out.size(), Real{0});
}

void GradientFuser::add(ConstMatrixView attention, ConstMatrixView gradient) {
  assert(attention.rows == out_.rows && attention.columns == out_.columns);
  assert(gradient.rows == out_.rows && gradient.columns == out_.columns);
  ++count_;
  GradientStats seen;
  const double mean = kind_ == GradientKind::attention_gradient ? mean_gradient(gradient) : 0;
  for (int i = 0; i < out_.rows; ++i) {
    const auto a = attention.row(i);
    const auto g = gradient.row(i);
    const auto to = out_.row(i);
    const bool usable = is_finite(a);
    if (!usable) ++seen.bad_rows;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const double weight = usable ? static_cast<double>(a[j]) : 0;
      double product = weight * static_cast<double>(g[j]);
      if (!std::isfinite(g[j]) || std::abs(product) > std::numeric_limits<Real>::max()) {
        ++seen.bad_gradients;
        product = 0;
      }
      if (product > 0) ++seen.positive;
      if (product < 0) ++seen.negative;
      double value = product;
      if (kind_ == GradientKind::positive) value = std::max(product, 0.0);
      if (kind_ == GradientKind::grad_sam) value = g[j] > 0 ? product : 0;
      if (kind_ == GradientKind::attention_gradient) value = std::max(weight * mean, 0.0);
      to[j] = bounded(static_cast<double>(to[j]) + value);
    }
  }
  if (!stats_) return;
  stats_->values += static_cast<long long>(gradient.size());
  stats_->bad_gradients += seen.bad_gradients;
  stats_->bad_rows += seen.bad_rows;
  stats_->positive += seen.positive;
  stats_->negative += seen.negative;
}

void GradientFuser::finish() {
  const auto count = static_cast<Real>(std::max(1, count_));
  Real* const end = out_.data + out_.size();
  for (Real* x = out_.data; x != end; ++x) {
    *x /= count;
    if (kind_ == GradientKind::mean_first) *x = std::max(*x, Real{0});
  }
}

void add_identity_and_normalise(MatrixView fused) {
  add_identity(fused);
  for (int i = 0; i < fused.rows; ++i) divide_by_total(fused.row(i));
}

void add_identity(MatrixView fused) {
  assert(fused.rows == fused.columns);
  for (int i = 0; i < fused.rows; ++i) fused(i, i) += 1;
}

void key_means(ConstMatrixView matrix, std::span<double> out) {
  assert(static_cast<int>(out.size()) == matrix.columns);
  std::fill(out.begin(), out.end(), 0.0);
  for (int i = 0; i < matrix.rows; ++i) {
    const auto row = matrix.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) out[j] += static_cast<double>(row[j]) / matrix.rows;
  }
}

void query_means(ConstMatrixView matrix, std::span<double> out) {
  assert(static_cast<int>(out.size()) == matrix.rows);
  for (int i = 0; i < matrix.rows; ++i) out[static_cast<std::size_t>(i)] = row_total(matrix.row(i)) / matrix.columns;
}

}  // namespace rollscope
