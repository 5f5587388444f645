#include "methods/uniform.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace rollscope {

void uniform_rollout_row(int tokens, int layers, double residual, bool causal, int query, std::span<double> row) {
  assert(static_cast<int>(row.size()) == tokens && query >= 0 && query < tokens);
  if (!causal) {  // (r I + (1 - r) J / N)^L = r^L I + (1 - r^L) J / N, since J J = N J
    const double kept = std::pow(residual, layers);
    std::fill(row.begin(), row.end(), (1 - kept) / tokens);
    row[static_cast<std::size_t>(query)] += kept;
    return;
  }
  std::fill(row.begin(), row.end(), 0.0);
  row[static_cast<std::size_t>(query)] = 1;
  for (int l = 0; l < layers; ++l) {
    double from_here = 0;  // sum over i >= j of v_i / (i + 1)
    for (int j = query; j >= 0; --j) {
      double& v = row[static_cast<std::size_t>(j)];
      from_here += v / (j + 1);
      v = residual * v + (1 - residual) * from_here;
    }
  }
}

void uniform_row(int keys, bool causal, int query, std::span<double> row) {
  assert(static_cast<int>(row.size()) == keys);
  const int visible = causal ? query + 1 : keys;
  std::fill(row.begin(), row.end(), 0.0);
  std::fill(row.begin(), row.begin() + visible, 1.0 / visible);
}

}  // namespace rollscope
