#include "analysis/depth.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "analysis/comparison.h"  // gini
#include "analysis/measures.h"

namespace rollscope {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// By Jacobi up to this size: slower, and accurate to the last digits of small singular values too.
constexpr Eigen::Index kJacobi = 48;

std::vector<double> singular_values(const Matrix& m) {
  const auto values = [](const auto& svd) { return std::vector<double>(svd.singularValues().begin(), svd.singularValues().end()); };
  // Not the eigenvalues of R^T R: squaring loses what lies below 1e-8 of the largest.
  if (std::max(m.rows(), m.cols()) <= kJacobi) return values(Eigen::JacobiSVD<Eigen::MatrixXd>(m));
  return values(Eigen::BDCSVD<Eigen::MatrixXd>(m));
}

void ranks(const Matrix& m, DepthDiagnostics& out) {
  out.singular_values = singular_values(m);
  const auto& s = out.singular_values;
  double sum = 0, squares = 0;
  for (const double x : s) {
    sum += x;
    squares += x * x;
  }
  if (!(sum > 0)) return;
  out.effective_rank = std::exp(entropy(s));
  out.stable_rank = squares / (s[0] * s[0]);
  out.rank1_energy = s[0] * s[0] / squares;
}

void row_means(const Matrix& m, const DepthOptions& options, DepthDiagnostics& out) {
  double h = 0, spread = 0, normalised = 0, unequal = 0, sunk = 0;
  int rows = 0, comparable = 0;
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    const std::span row(m.row(i).data(), static_cast<std::size_t>(m.cols()));
    const double e = entropy(row);
    if (std::isnan(e)) continue;
    ++rows;
    h += e;
    spread += std::exp(e);
    unequal += gini(row);
    for (const int key : options.sinks) sunk += row[static_cast<std::size_t>(key)];
    const auto visible = options.causal ? std::min(i + 1, m.cols()) : m.cols();
    if (visible < 2) continue;
    normalised += e / std::log(static_cast<double>(visible));
    ++comparable;
  }
  if (rows == 0) return;
  out.row_entropy_mean = h / rows;
  out.perplexity_mean = spread / rows;
  out.gini_mean = unequal / rows;
  out.sink_mass = sunk / rows;
  if (comparable > 0) out.row_entropy_normalised_mean = normalised / comparable;
}

}  // namespace

DepthDiagnostics depth_diagnostics(ConstMatrixView r, const DepthOptions& options) {
  DepthDiagnostics out;
  const int rows = options.rows < 0 ? r.rows : options.rows;
  assert(rows <= r.rows);
  if (rows == 0 || r.columns == 0) return out;
  Matrix m(rows, r.columns);
  for (int i = 0; i < rows; ++i) std::copy(r.row(i).begin(), r.row(i).end(), m.row(i).data());
  if (!m.allFinite()) return out;

  row_means(m, options, out);
  const Eigen::RowVectorXd mean = m.colwise().mean();
  Eigen::Index top = 0;
  out.top_share = mean.maxCoeff(&top);
  out.top_key = static_cast<int>(top);
  const Matrix rest = m.rowwise() - mean;
  out.dong_residual_1inf = std::sqrt(rest.cwiseAbs().colwise().sum().maxCoeff() * rest.cwiseAbs().rowwise().sum().maxCoeff());
  if (const double norm = m.norm(); norm > 0) out.residual_fro_rel = rest.norm() / norm;
  if (options.distances) {
    out.dobrushin_tv = rows_distance(r, 0, rows, rows);
    const int first = rows_distance_first(rows, options.causal);
    out.rows_distance = first == 0 ? out.dobrushin_tv : rows_distance(r, first, rows, rows);
  }
  if (options.singular_values && std::max(rows, r.columns) <= kMaxSingularValues) ranks(m, out);
  return out;
}

DepthVerdict depth_verdict(std::span<const double> distances) {
  const auto from = [&](double threshold) {
    auto l = static_cast<int>(distances.size());
    while (l > 0 && distances[static_cast<std::size_t>(l - 1)] <= threshold) --l;
    return l == static_cast<int>(distances.size()) ? -1 : l;
  };
  return {from(kRowsCollapsed), from(kRowsSimilar)};
}

}  // namespace rollscope
