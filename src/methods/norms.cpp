#include "methods/norms.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "methods/residual.h"
#include "methods/row_share.h"

namespace rollscope {
namespace {

double norm_or_zero(double x) { return std::isfinite(x) && x > 0 ? x : 0; }

}  // namespace

int value_head(int head, int heads, int value_heads) {
  if (head < 0 || head >= heads || value_heads < 1 || heads % value_heads != 0) return -1;
  return head / (heads / value_heads);
}

ValueNormFuser::ValueNormFuser(MatrixView out) : out_(out) { std::fill(out.data, out.data + out.size(), Real{0}); }

int ValueNormFuser::add(ConstMatrixView attention, std::span<const Real> norms) {
  assert(attention.rows == out_.rows && attention.columns == out_.columns && static_cast<int>(norms.size()) == out_.columns);
  for (int i = 0; i < out_.rows; ++i) {
    const auto from = attention.row(i);
    const auto to = out_.row(i);
    if (!std::all_of(from.begin(), from.end(), [](Real x) { return std::isfinite(x); })) continue;
    for (std::size_t j = 0; j < to.size(); ++j)
      to[j] += static_cast<Real>(static_cast<double>(from[j]) * norm_or_zero(static_cast<double>(norms[j])));
  }
  return static_cast<int>(std::count_if(norms.begin(), norms.end(), [](Real x) { return !std::isfinite(x) || x < 0; }));
}

int norms_to_transfer(MatrixView norms, bool residual_inside, double r) {
  assert(norms.rows == norms.columns);
  int empty = 0;
  for (int i = 0; i < norms.rows; ++i) {
    if (divide_by_total(norms.row(i))) continue;
    ++empty;
    if (residual_inside) norms(i, i) = 1;
  }
  if (!residual_inside) mix_residual(norms, r);
  return empty;
}

void residual_weights(std::span<const double> residual_norms, std::span<const double> attention_norms, std::span<double> r) {
  assert(residual_norms.size() == r.size() && attention_norms.size() == r.size());
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double kept = norm_or_zero(residual_norms[i]), added = norm_or_zero(attention_norms[i]);
    r[i] = added == 0 ? 1 : kept == 0 ? 0 : 1 / (1 + added / kept);  // kept / (kept + added), whose sum may overflow
  }
}

double mean_residual(std::span<const double> r) {
  return r.empty() ? 0.5 : row_total(r) / static_cast<double>(r.size());
}

void mix_measured(MatrixView fused, std::span<const double> mixing) {
  assert(fused.rows == fused.columns && static_cast<int>(mixing.size()) == fused.rows);
  for (int i = 0; i < fused.rows; ++i) {
    const double given = mixing[static_cast<std::size_t>(i)];
    const double m = given > 0 ? std::min(given, 1.0) : 0;
    const auto row = fused.row(i);
    Real& self = row[static_cast<std::size_t>(i)];
    self = 0;
    if (!divide_by_total(row)) {
      self = 1;
      continue;
    }
    for (Real& x : row) x = static_cast<Real>(m * static_cast<double>(x));
    self = static_cast<Real>(1 - m);
  }
}

void mixing_ratios(ConstMatrixView weights, std::span<double> out) {
  assert(weights.rows == weights.columns && static_cast<int>(out.size()) == weights.rows);
  for (int i = 0; i < weights.rows; ++i) {
    const double total = row_total(weights.row(i));
    out[static_cast<std::size_t>(i)] = total > 0 ? (total - static_cast<double>(weights(i, i))) / total : 0;
  }
}

}  // namespace rollscope
