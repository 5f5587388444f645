#include "methods/words.h"

#include <algorithm>
#include <cassert>

#include "methods/row_share.h"

namespace rollscope {
namespace {

template <class T>
void sum_keys(std::span<const T> row, const TokenGroups& keys, std::span<double> out) {
  assert(row.size() == keys.of.size() && static_cast<int>(out.size()) == keys.count);
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t j = 0; j < row.size(); ++j) out[static_cast<std::size_t>(keys.of[j])] += static_cast<double>(row[j]);
}

}  // namespace

TokenGroups group_tokens(std::span<const int> numbers) {
  TokenGroups out;
  out.of.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool joins = i > 0 && numbers[i] >= 0 && numbers[i] == numbers[i - 1];
    out.of.push_back(joins ? out.count - 1 : out.count++);
  }
  return out;
}

void merge_keys(std::span<const double> row, const TokenGroups& keys, std::span<double> out) { sum_keys(row, keys, out); }

void merge_tokens(ConstMatrixView matrix, const TokenGroups& queries, const TokenGroups& keys, QueryMerge how, MatrixView out) {
  assert(static_cast<int>(queries.of.size()) == matrix.rows && static_cast<int>(keys.of.size()) == matrix.columns);
  assert(out.rows == queries.count && out.columns == keys.count);
  std::vector<double> group(static_cast<std::size_t>(keys.count)), row(group.size());
  int first = 0;
  for (int g = 0; g < queries.count; ++g) {
    int end = first;  // a group is a run of neighbours
    while (end < matrix.rows && queries.of[static_cast<std::size_t>(end)] == g) ++end;
    const int from = how == QueryMerge::last ? end - 1 : first;
    const int to = how == QueryMerge::first ? first + 1 : end;
    for (int i = from; i < to; ++i) {
      sum_keys(matrix.row(i), keys, row);
      for (std::size_t j = 0; j < row.size(); ++j)
        group[j] = i == from ? row[j] : how == QueryMerge::max ? std::max(group[j], row[j]) : group[j] + row[j];
    }
    if (how == QueryMerge::mean)
      for (double& x : group) x /= end - first;
    if (how == QueryMerge::max) divide_by_total(std::span(group));
    std::transform(group.begin(), group.end(), out.row(g).begin(), [](double x) { return static_cast<Real>(x); });
    first = end;
  }
}

}  // namespace rollscope
