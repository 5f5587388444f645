#include "methods/fusion.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace rollscope {
namespace {

// Four sums side by side, which the processor adds at once.
double row_sum(std::span<const Real> row) {
  double sum[4] = {0, 0, 0, 0};
  const std::size_t whole = row.size() / 4 * 4;
  for (std::size_t j = 0; j < whole; j += 4)
    for (std::size_t k = 0; k < 4; ++k) sum[k] += static_cast<double>(row[j + k]);
  for (std::size_t j = whole; j < row.size(); ++j) sum[0] += static_cast<double>(row[j]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Division, not a factor: x / x is 1 to the last bit.
void scale(std::span<Real> row, Real sum) {
  for (Real& x : row) x /= sum;
}

// The same, and adds the row to `received`, in one pass.
void scale_and_count(Real* row, std::size_t n, Real sum, float* received) {
  for (std::size_t j = 0; j < n; ++j) {
    row[j] /= sum;
    received[j] += static_cast<float>(row[j]);
  }
}

bool any_negative(std::span<const Real> row) {
  Real low[4] = {0, 0, 0, 0};
  const std::size_t whole = row.size() / 4 * 4;
  for (std::size_t j = 0; j < whole; j += 4)
    for (std::size_t k = 0; k < 4; ++k) low[k] = row[j + k] < low[k] ? row[j + k] : low[k];
  for (std::size_t j = whole; j < row.size(); ++j) low[0] = std::min(low[0], row[j]);
  return low[0] < 0 || low[1] < 0 || low[2] < 0 || low[3] < 0;
}

void count_sum(StackStats& stats, double sum) {
  if (std::abs(sum - 1) <= stats.tolerance) return;
  stats.lowest_sum = stats.off_rows ? std::min(stats.lowest_sum, sum) : sum;
  stats.highest_sum = stats.off_rows ? std::max(stats.highest_sum, sum) : sum;
  ++stats.off_rows;
}

}  // namespace

void normalise_head(MatrixView head, StackStats* stats) {
  const bool square = head.rows == head.columns;
  const int last = head.columns - (stats && stats->virtual_sink ? 1 : 0);
  float* received = nullptr;
  float* own = nullptr;
  std::uint8_t* empty = nullptr;
  if (stats) {
    stats->received.resize(stats->received.size() + static_cast<std::size_t>(head.columns), 0.0f);
    stats->own.resize(stats->received.size(), 0.0f);
    stats->empty.resize(stats->empty.size() + static_cast<std::size_t>(head.rows), 0);
    received = stats->received.data() + stats->received.size() - head.columns;
    own = stats->own.data() + stats->own.size() - head.columns;
    empty = stats->empty.data() + stats->empty.size() - head.rows;
    stats->rows += head.rows;
  }
  for (int i = 0; i < head.rows; ++i) {
    const auto row = head.row(i);
    const double sum = row_sum(row);
    const bool finite = std::isfinite(sum) || std::all_of(row.begin(), row.end(), [](Real x) { return std::isfinite(x); });
    const bool zero = finite && std::all_of(row.begin(), row.end(), [](Real x) { return x == 0; });
    if (stats) {
      if (!finite) ++stats->nan_rows;
      else if (zero) ++stats->zero_rows;
      else count_sum(*stats, sum);
      if (finite && any_negative(row)) ++stats->negative_rows;
    }
    if (!finite || !(sum > 0) || !std::isfinite(sum)) {
      std::fill(row.begin(), row.end(), Real{0});
      if (stats) empty[i] = 1;
      continue;
    }
    if (!stats) {
      scale(row, static_cast<Real>(sum));
      continue;
    }
    scale_and_count(row.data(), row.size(), static_cast<Real>(sum), received);
    if (square && !stats->upper_weight)
      stats->upper_weight = std::any_of(row.begin() + std::min(i + 1, last), row.begin() + last, [](Real x) { return x != 0; });
    if (i < head.columns) own[i] = static_cast<float>(row[static_cast<std::size_t>(i)]);
  }
}

ReceivedAttention received_attention(const StackStats& stats, int queries, int keys, bool same_tokens, bool causal,
                                     std::span<const int> seen) {
  const auto k = static_cast<std::size_t>(keys);
  const auto q = static_cast<std::size_t>(queries);
  ReceivedAttention out;
  out.share.assign(k, 0.0);
  out.chance.assign(k, 0.0);
  std::vector<int> heads(k, 0);
  for (const int position : seen) {
    const auto at = static_cast<std::size_t>(position);
    assert((at + 1) * k <= stats.received.size());
    const float* received = stats.received.data() + at * k;
    const float* own = stats.own.data() + at * k;
    const std::uint8_t* empty = stats.empty.data() + at * q;
    if (causal) {  // rows below j, from the last up
      int rows = 0;
      double uniform = 0;
      for (int j = keys - 1; j >= 0; --j) {
        const auto key = static_cast<std::size_t>(j);
        if (rows > 0) {
          out.share[key] += (static_cast<double>(received[j]) - static_cast<double>(own[j])) / rows;
          out.chance[key] += uniform / rows;
          ++heads[key];
        }
        if (!empty[j]) {
          ++rows;
          uniform += 1.0 / (j + 1);
        }
      }
      continue;
    }
    const auto live = static_cast<int>(std::count(empty, empty + q, std::uint8_t{0}));
    for (std::size_t j = 0; j < k; ++j) {
      const bool apart = same_tokens && j < q;
      const int rows = live - (apart && !empty[j] ? 1 : 0);
      if (rows <= 0) continue;
      out.share[j] += (static_cast<double>(received[j]) - (apart ? static_cast<double>(own[j]) : 0.0)) / rows;
      out.chance[j] += 1.0 / keys;
      ++heads[j];
    }
  }
  for (std::size_t j = 0; j < k; ++j) {
    if (!heads[j]) continue;
    out.share[j] /= heads[j];
    out.chance[j] /= heads[j];
  }
  return out;
}

LayerFuser::LayerFuser(MatrixView out, Fusion fusion, StackStats* stats) : out_(out), fusion_(fusion), stats_(stats) {
  std::fill(out.data, out.data + out.size(), Real{0});
}

void LayerFuser::add(MatrixView head) {
  assert(head.rows == out_.rows && head.columns == out_.columns);
  normalise_head(head, stats_);
  add_normalised(head);
}

void LayerFuser::add_normalised(ConstMatrixView head) {
  const Real* from = head.data;
  Real* to = out_.data;
  const std::size_t n = out_.size();
  if (count_ == 0) std::copy(from, from + n, to);
  else if (fusion_ == Fusion::mean) for (std::size_t i = 0; i < n; ++i) to[i] += from[i];
  else if (fusion_ == Fusion::max) for (std::size_t i = 0; i < n; ++i) to[i] = std::max(to[i], from[i]);
  else for (std::size_t i = 0; i < n; ++i) to[i] = std::min(to[i], from[i]);
  ++count_;
}

void LayerFuser::finish() {
  for (int i = 0; i < out_.rows; ++i) {
    const auto row = out_.row(i);
    const double sum = row_sum(row);
    if (sum > 0) scale(row, static_cast<Real>(sum));  // the number of heads cancels out
    else std::fill(row.begin(), row.end(), Real{0});
  }
}

}  // namespace rollscope
