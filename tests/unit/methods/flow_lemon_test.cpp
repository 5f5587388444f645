// Flow against another program's push-relabel: LEMON (Boost licence), where its headers are installed.
#if __has_include(<lemon/preflow.h>)

#define LEMON_ONLY_TEMPLATES
#include <doctest/doctest.h>
#include <lemon/preflow.h>
#include <lemon/smart_graph.h>
#include <lemon/tolerance.h>

#include <random>

#include "methods/flow.h"
#include "support/vectors.h"

namespace lemon {
// What the library would define if it were linked.
double Tolerance<double>::def_epsilon = 1e-12;
}  // namespace lemon

using namespace rollscope;
using namespace rollscope::test;

namespace {

double lemon_flow(StackView fused, double residual, int output, int input) {
  using Graph = lemon::SmartDigraph;
  const int n = fused[0].rows;
  Graph graph;
  graph.reserveNode((fused.depth() + 1) * n);
  for (int v = 0; v < (fused.depth() + 1) * n; ++v) graph.addNode();
  Graph::ArcMap<double> capacity(graph);
  for (int l = 0; l < fused.depth(); ++l)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const double c = (1 - residual) * static_cast<double>(fused[l](i, j)) + (i == j ? residual : 0);
        if (c > 0) capacity[graph.addArc(graph.nodeFromId((l + 1) * n + i), graph.nodeFromId(l * n + j))] = c;
      }
  lemon::Preflow<Graph, Graph::ArcMap<double>> flow(graph, capacity, graph.nodeFromId(fused.depth() * n + output), graph.nodeFromId(input));
  flow.runMinCut();
  return flow.flowValue();
}

}  // namespace

TEST_CASE("flow agrees with LEMON's push-relabel on 200 random graphs") {
  std::mt19937 random(2020);
  std::uniform_int_distribution<int> tokens(2, 24), depth(1, 12), coin(0, 1);
  std::uniform_real_distribution<double> unit(0, 1);
  double worst = 0;
  int inside = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int n = tokens(random), layers = depth(random);
    const bool causal = coin(random) == 1, sink = coin(random) == 1, sparse = coin(random) == 1;
    const double sharp = 1 + 4 * unit(random), residual = trial % 4 == 0 ? 0 : unit(random);
    std::normal_distribution<double> score(0, sharp);
    Numbers attn{{static_cast<std::size_t>(layers), static_cast<std::size_t>(n), static_cast<std::size_t>(n)}, {}};
    for (int l = 0; l < layers; ++l)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const bool seen = i == j || ((!causal || j < i) && (!sparse || unit(random) < 0.3));
          attn.values.push_back(seen ? std::exp(score(random) + (sink && j == 0 ? 3 : 0)) : 0.0);
        }
    const auto stack = fuse(attn);
    std::vector<double> row(static_cast<std::size_t>(n));
    for (const int output : {0, n / 2, n - 1}) {
      auto work = FlowWork::start_row(stack.view(), residual, output, row);
      REQUIRE(work);
      while (!work->step()) {}
      CHECK(work->facts()[0].certificate_error <= 1e-10);
      inside += work->facts()[0].connected - work->facts()[0].at_end_cut;
      for (int j = 0; j < n; ++j)
        worst = std::max(worst, std::abs(row[static_cast<std::size_t>(j)] - lemon_flow(stack.view(), residual, output, j)));
    }
  }
  CHECK(worst <= 1e-9);
  CHECK(inside > 1000);  // the graphs are not all of the easy kind
}

#endif
