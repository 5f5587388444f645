// What the tests of the flow share: rows of it, and stacks to try it on.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "methods/flow.h"
#include "support/vectors.h"

namespace rollscope::test {

// The vectors print 15 digits; the float build computes exact flows of rounded weights.
inline constexpr double kFlowTolerance = sizeof(Real) == 8 ? 1e-9 : 1e-5;

struct Solved {
  std::vector<double> values;    // row by row
  std::vector<FlowFacts> facts;  // one an output
};

inline Solved solve(StackView fused, double residual, const std::vector<int>& outputs) {
  Solved out;
  std::vector<double> row(static_cast<std::size_t>(fused[0].rows));
  for (const int i : outputs) {
    auto work = FlowWork::start_row(fused, residual, i, row);
    REQUIRE(work);
    while (!work->step()) {}
    out.values.insert(out.values.end(), row.begin(), row.end());
    REQUIRE(work->facts().size() == 1);
    out.facts.push_back(work->facts()[0]);
  }
  return out;
}

inline Solved solve(StackView fused, double residual) {
  std::vector<int> all(static_cast<std::size_t>(fused[0].rows));
  std::iota(all.begin(), all.end(), 0);
  return solve(fused, residual, all);
}

inline Numbers random_attention(int layers, int n, bool causal, unsigned seed, double shape = 0.5) {
  std::mt19937 random(seed);
  std::gamma_distribution<double> weight(shape);
  Numbers out;
  out.shape = {static_cast<std::size_t>(layers), 1, static_cast<std::size_t>(n), static_cast<std::size_t>(n)};
  for (int l = 0; l < layers; ++l)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) out.values.push_back(causal && j > i ? 0.0 : weight(random) + 1e-6);
  return out;
}

// A~ as numbers [N][N], written down again from the definition.
inline std::vector<double> transfer(ConstMatrixView fused, double residual) {
  std::vector<double> out;
  for (int i = 0; i < fused.rows; ++i) {
    const auto row = fused.row(i);
    const bool empty = std::all_of(row.begin(), row.end(), [](Real x) { return x == 0; });
    for (int j = 0; j < fused.columns; ++j)
      out.push_back(empty ? (i == j && residual > 0) : (1 - residual) * static_cast<double>(fused(i, j)) + (i == j ? residual : 0));
  }
  return out;
}

}  // namespace rollscope::test
