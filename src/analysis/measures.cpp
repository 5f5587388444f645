#include "analysis/measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "methods/kernels/rows.h"

namespace rollscope {
namespace {

bool holds(std::span<const int> keys, std::size_t key) {
  return std::find(keys.begin(), keys.end(), static_cast<int>(key)) != keys.end();
}

std::vector<double> average_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) ranks[order[k]] = 0.5 * static_cast<double>(i + end - 1);
    i = end;
  }
  return ranks;
}

}  // namespace

std::vector<double> kept(std::span<const double> row, std::span<const int> without) {
  std::vector<double> out;
  out.reserve(row.size());
  for (std::size_t j = 0; j < row.size(); ++j)
    if (!holds(without, j)) out.push_back(row[j]);
  return out;
}

double entropy(std::span<const double> row, std::span<const int> without) {
  double sum = 0;
  for (std::size_t j = 0; j < row.size(); ++j)
    if (row[j] > 0 && !holds(without, j)) sum += row[j];
  if (!(sum > 0)) return std::numeric_limits<double>::quiet_NaN();
  double entropy = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!(row[j] > 0) || holds(without, j)) continue;
    const double p = row[j] / sum;
    entropy -= p * std::log(p);
  }
  return entropy;
}

double spread(std::span<const double> row, std::span<const int> without) {
  const double nats = entropy(row, without);
  return std::isnan(nats) ? 0 : std::exp(nats);
}

double spearman(std::span<const double> a, std::span<const double> b, std::span<const int> without) {
  const auto x = average_ranks(kept(a, without)), y = average_ranks(kept(b, without));
  const double mean = 0.5 * (static_cast<double>(x.size()) - 1);
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (!(xx > 0) || !(yy > 0)) return std::numeric_limits<double>::quiet_NaN();
  return xy / std::sqrt(xx * yy);
}

int largest(std::span<const double> row, std::span<const int> without) {
  int best = -1;
  for (std::size_t j = 0; j < row.size(); ++j)
    if (!holds(without, j) && !std::isnan(row[j]) && (best < 0 || row[j] > row[static_cast<std::size_t>(best)])) best = static_cast<int>(j);
  return best;
}

double rows_distance(ConstMatrixView matrix, int first, int end, int rows) {
  double worst = 0;
  for (int a = first; a < end; ++a)
    for (int b = a + 1; b < rows; ++b)
      worst = std::max(worst, row_difference(matrix.row(a).data(), matrix.row(b).data(), static_cast<std::size_t>(matrix.columns)) / 2);
  return worst;
}

}  // namespace rollscope
