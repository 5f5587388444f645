#include "methods/vit_explain.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "methods/row_share.h"

namespace rollscope {
namespace {

bool is_kept(std::size_t at, std::size_t n, KeptEntries keep) {
  if (keep == KeptEntries::class_entry) return at == 0;
  return keep == KeptEntries::class_row_and_column && (at < n || at % n == 0);
}

// Sets the `count` smallest entries to 0. They are those below the count-th smallest value, and of those equal to it
// the first ones: the set that a stable sort gives, without sorting.
void discard_smallest(MatrixView f, std::size_t count, KeptEntries keep, std::span<Real> scratch) {
  if (count == 0) return;
  assert(scratch.size() >= f.size());
  const auto values = scratch.first(f.size());
  std::copy(f.data, f.data + f.size(), values.begin());
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(values.begin(), nth, values.end());
  const Real threshold = *nth;
  // nth_element leaves nothing above the threshold in front of it.
  auto equal = static_cast<std::size_t>(std::count(values.begin(), nth + 1, threshold));
  const auto n = static_cast<std::size_t>(f.columns);
  for (std::size_t at = 0; at < f.size(); ++at) {
    bool chosen = f.data[at] < threshold;
    if (f.data[at] == threshold && equal > 0) {
      chosen = true;
      --equal;
    }
    // A kept entry uses up its place among the smallest: the published code takes it out of the list afterwards.
    if (chosen && !is_kept(at, n, keep)) f.data[at] = 0;
  }
}

}  // namespace

void StoredFuser::add(MatrixView head) {
  for (int i = 0; i < head.rows; ++i) {
    const auto row = head.row(i);
    if (!std::all_of(row.begin(), row.end(), [](Real x) { return std::isfinite(x); })) std::fill(row.begin(), row.end(), Real{0});
  }
  fuser_.add_normalised(head);
  ++count_;
}

void StoredFuser::finish() {
  if (fusion_ != Fusion::mean || count_ < 2) return;
  for (std::size_t k = 0; k < out_.size(); ++k) out_.data[k] /= static_cast<Real>(count_);
}

void vit_explain_layer(MatrixView fused, const VitExplainOptions& options, std::span<Real> scratch) {
  assert(fused.rows == fused.columns);
  assert(options.discard >= 0 && options.discard <= 1);
  for (std::size_t k = 0; k < fused.size(); ++k)
    if (!std::isfinite(fused.data[k])) fused.data[k] = 0;
  const auto count = static_cast<std::size_t>(static_cast<double>(fused.size()) * options.discard);
  discard_smallest(fused, count, options.keep, scratch);
  std::vector<double> sums(static_cast<std::size_t>(fused.rows));
  for (int i = 0; i < fused.rows; ++i) {
    const auto row = fused.row(i);
    row[static_cast<std::size_t>(i)] += 1;
    for (Real& x : row) x /= 2;
    const double sum = row_total(std::span<const Real>(row));
    sums[static_cast<std::size_t>(i)] = sum > 0 && std::isfinite(sum) ? sum : 1;
  }
  for (int i = 0; i < fused.rows; ++i) {
    const auto row = fused.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double sum = sums[options.division == RowDivision::by_row ? static_cast<std::size_t>(i) : j];
      row[j] = static_cast<Real>(static_cast<double>(row[j]) / sum);
    }
  }
}

}  // namespace rollscope
