#include "methods/rollout.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "methods/kernels/product.h"
#include "methods/kernels/rows.h"

namespace rollscope {
namespace {

bool is_empty(std::span<const Real> row) {
  return std::all_of(row.begin(), row.end(), [](Real x) { return x == 0; });
}

// next += weight (A~ row), for one row of F. Returns without reading past the row.
void add_row(double weight, std::span<const Real> fused, double residual, std::size_t self, double* next) {
  if (is_empty(fused)) {  // ruling 1: the token keeps itself, or, without a residual, loses everything
    if (residual > 0) next[self] += weight;
    return;
  }
  add_scaled_row(weight * (1 - residual), fused.data(), fused.size(), next);
  next[self] += weight * residual;
}

// About how many multiply-adds a step should do: a few milliseconds.
constexpr double kStepWork = 1e8;

}  // namespace

void rollout_step(std::span<const double> v, ConstMatrixView fused, double residual, std::span<double> next) {
  assert(fused.rows == fused.columns && v.size() == next.size() && static_cast<int>(v.size()) == fused.rows);
  std::fill(next.begin(), next.end(), 0.0);
  for (std::size_t i = 0; i < v.size(); ++i)
    if (v[i] != 0) add_row(v[i], fused.row(static_cast<int>(i)), residual, i, next.data());
}

void rollout_row(StackView fused, int query, double residual, std::span<double> row) {
  std::vector<double> v(row.size(), 0.0), next(row.size());
  v[static_cast<std::size_t>(query)] = 1;
  for (int l = fused.depth() - 1; l >= 0; --l) {
    rollout_step(v, fused[l], residual, next);
    v.swap(next);
  }
  std::copy(v.begin(), v.end(), row.begin());
}

void rollout_states(StackView fused, int query, double residual, std::span<double> states) {
  const auto depth = static_cast<std::size_t>(fused.depth());
  const std::size_t n = states.size() / (depth + 1);
  const auto state = [&](std::size_t level) { return states.subspan(level * n, n); };
  std::fill(state(depth).begin(), state(depth).end(), 0.0);
  state(depth)[static_cast<std::size_t>(query)] = 1;
  for (std::size_t l = depth; l-- > 0;) rollout_step(state(l + 1), fused[static_cast<int>(l)], residual, state(l));
}

RolloutSweep::RolloutSweep(StackView fused, int query, std::vector<double> residuals)
    : layers_(fused.layers.begin(), fused.layers.end()), residuals_(std::move(residuals)) {
  const auto n = layers_.empty() ? std::size_t{0} : static_cast<std::size_t>(layers_[0].rows);
  v_.assign(residuals_.size() * n, 0.0);
  next_.resize(v_.size());
  if (n > 0)
    for (std::size_t k = 0; k < residuals_.size(); ++k) v_[k * n + static_cast<std::size_t>(query)] = 1;
}

bool RolloutSweep::step() {
  if (layers_.empty()) return true;
  const ConstMatrixView fused = layers_.back();
  layers_.pop_back();
  const auto n = static_cast<std::size_t>(fused.rows);
  std::fill(next_.begin(), next_.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < residuals_.size(); ++k)
      if (v_[k * n + i] != 0) add_row(v_[k * n + i], fused.row(static_cast<int>(i)), residuals_[k], i, &next_[k * n]);
  v_.swap(next_);
  return layers_.empty();
}

Result<RolloutWork> RolloutWork::start(StackView fused, double residual, bool causal, MatrixView r) {
  RolloutWork work;
  work.layers_.assign(fused.layers.begin(), fused.layers.end());
  work.residual_ = residual;
  work.causal_ = causal;
  work.r_ = r;
  auto panel = RealBuffer::make(product_scratch(r.rows));
  if (!panel) return tl::unexpected(panel.error());
  work.panel_ = std::move(*panel);
  if (fused.depth() > 1) {
    auto scratch = RealBuffer::make(r.size());
    if (!scratch) return tl::unexpected(scratch.error());
    work.scratch_ = std::move(*scratch);
  }
  return work;
}

MatrixView RolloutWork::target(int layer) const {
  const bool in_r = (static_cast<int>(layers_.size()) - 1 - layer) % 2 == 0;
  return in_r ? r_ : scratch_.matrix(0, r_.rows, r_.columns);
}

ConstMatrixView RolloutWork::completed_matrix() const { return target(completed_); }

double RolloutWork::fraction() const {
  if (layers_.empty()) return 1;
  return (layer_ + static_cast<double>(row_) / std::max(1, r_.rows)) / static_cast<double>(layers_.size());
}

bool RolloutWork::step() {
  completed_ = -1;
  const int n = r_.rows;
  if (layers_.empty()) {
    std::fill(r_.data, r_.data + r_.size(), Real{0});
    for (int i = 0; i < n; ++i) r_(i, i) = 1;
    return true;
  }
  if (layer_ == static_cast<int>(layers_.size())) return true;
  const ConstMatrixView fused = layers_[static_cast<std::size_t>(layer_)];
  const MatrixView to = target(layer_);
  const double row_work = static_cast<double>(n) * n;
  const int rows = std::max(8, static_cast<int>(kStepWork / row_work) / 4 * 4);
  const int end = std::min(n, row_ + rows);
  const auto r = static_cast<Real>(residual_);
  const auto rest = static_cast<Real>(1 - residual_);
  if (layer_ > 0) product_rows(fused, target(layer_ - 1), to, row_, end, causal_, panel_.data());
  for (int i = row_; i < end; ++i) {
    const auto row = to.row(i);
    const bool empty = is_empty(fused.row(i));
    if (layer_ == 0) {
      const auto from = fused.row(i);
      for (std::size_t j = 0; j < row.size(); ++j) row[j] = rest * from[j];
      row[static_cast<std::size_t>(i)] += empty ? (residual_ > 0 ? Real{1} : Real{0}) : r;
      continue;
    }
    const auto below = target(layer_ - 1).row(i);
    if (empty) {
      if (residual_ > 0) std::copy(below.begin(), below.end(), row.begin());
      continue;  // without a residual the product has left zeros
    }
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = rest * row[j] + r * below[j];
  }
  row_ = end;
  if (row_ < n) return false;
  completed_ = layer_;
  row_ = 0;
  return ++layer_ == static_cast<int>(layers_.size());
}

Result<void> rollout(StackView fused, double residual, bool causal, MatrixView r, Progress& progress,
                     const std::function<void(int, ConstMatrixView)>& after_layer) {
  auto work = RolloutWork::start(fused, residual, causal, r);
  if (!work) return tl::unexpected(work.error());
  for (bool done = false; !done;) {
    if (!progress.advance(work->fraction())) return fail(ErrorCode::cancelled);
    done = work->step();
    if (work->completed() >= 0 && after_layer) after_layer(work->completed(), work->completed_matrix());
  }
  progress.advance(1);
  return {};
}

}  // namespace rollscope
