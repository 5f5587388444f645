// What must hold for every flow, whatever the numbers; the reference vectors are in flow_test.cpp.
#include "methods/flow.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "methods/flow_fixture.h"
#include "methods/rollout.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

// The smallest of all cuts: every set of inner nodes on the output's side.
double smallest_cut(StackView fused, double residual, int output, int input) {
  const auto n = static_cast<std::size_t>(fused[0].rows), depth = static_cast<std::size_t>(fused.depth());
  std::vector<std::vector<double>> layers;
  for (int l = 0; l < fused.depth(); ++l) layers.push_back(transfer(fused[l], residual));
  const std::size_t inner = (depth - 1) * n;
  double best = INFINITY;
  for (std::size_t set = 0; set < std::size_t{1} << inner; ++set) {
    const auto above = [&](std::size_t level, std::size_t a) {
      if (level == depth) return a == static_cast<std::size_t>(output);
      return level > 0 && (set >> ((level - 1) * n + a) & 1) != 0;
    };
    double cut = 0;
    for (std::size_t l = 0; l < depth; ++l)
      for (std::size_t a = 0; a < n; ++a) {
        if (!above(l + 1, a)) continue;
        for (std::size_t b = 0; b < n; ++b)
          if (l == 0 ? b == static_cast<std::size_t>(input) : !above(l, b)) cut += layers[l][a * n + b];
      }
    best = std::min(best, cut);
  }
  return best;
}

}  // namespace

TEST_CASE("flow equals the smallest of all cuts on random small graphs") {
  std::mt19937 random(31);
  std::uniform_real_distribution<double> weight(0, 1);
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 2 + trial % 3, layers = n == 4 ? 3 : 1 + trial % 5;
    CAPTURE(trial);
    Numbers attn{{static_cast<std::size_t>(layers), static_cast<std::size_t>(n), static_cast<std::size_t>(n)}, {}};
    for (int k = 0; k < layers * n * n; ++k) attn.values.push_back(weight(random) < 0.4 ? 0 : weight(random));
    const auto stack = fuse(attn);
    for (const double residual : {0.0, 0.3}) {
      const auto solved = solve(stack.view(), residual);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          CHECK(solved.values[static_cast<std::size_t>(i * n + j)] == doctest::Approx(smallest_cut(stack.view(), residual, i, j)).epsilon(1e-9));
    }
  }
}

TEST_CASE("flow lies between the rollout and both end cuts, and after one layer it is the rollout") {
  for (const bool causal : {false, true})
    for (const int layers : {1, 2, 3, 6}) {
      const auto stack = fuse(random_attention(layers, 13, causal, 17));
      const auto solved = solve(stack.view(), 0.4);
      const auto first = transfer(stack.view()[0], 0.4), top = transfer(stack.view()[layers - 1], 0.4);
      std::vector<double> row(13);
      for (std::size_t i = 0; i < 13; ++i) {
        rollout_row(stack.view(), static_cast<int>(i), 0.4, row);
        const double above = std::accumulate(&top[i * 13], &top[i * 13] + 13, 0.0);
        for (std::size_t j = 0; j < 13; ++j) {
          const double f = solved.values[i * 13 + j];
          double below = 0;
          for (std::size_t m = 0; m < 13; ++m) below += first[m * 13 + j];
          CHECK(f >= row[j] - 1e-9);
          CHECK(f <= above + 1e-9);
          CHECK(f <= below + 1e-9);
          if (layers == 1) CHECK(f == doctest::Approx(row[j]).epsilon(1e-12));
          if (causal && j > i) CHECK(f == 0);
        }
      }
    }
}

TEST_CASE("a wider arc never makes a flow smaller, and some arc makes one larger") {
  // Residual inside, so capacities can be changed one by one.
  std::vector<Real> data;
  const auto attn = random_attention(4, 6, false, 5);
  const auto fused = fuse(attn);
  for (int l = 0; l < 4; ++l)
    for (const double x : transfer(fused.view()[l], 0.5)) data.push_back(static_cast<Real>(x));
  std::vector<ConstMatrixView> views;
  for (std::size_t l = 0; l < 4; ++l) views.push_back({data.data() + l * 36, 6, 6});
  const auto before = solve({views}, 0).values;
  int grown = 0;
  for (std::size_t arc = 0; arc < data.size(); arc += 5) {
    const Real kept = data[arc];
    data[arc] += Real(0.25);
    const auto after = solve({views}, 0).values;
    for (std::size_t k = 0; k < before.size(); ++k) {
      CHECK(after[k] >= before[k] - kFlowTolerance);
      CHECK(after[k] <= before[k] + 0.25 + kFlowTolerance);
      grown += after[k] > before[k] + 1e-6;
    }
    data[arc] = kept;
  }
  CHECK(grown > 0);
}

TEST_CASE("permuting the tokens permutes the flow") {
  const auto attn = random_attention(5, 9, false, 5);
  const std::vector<std::size_t> order{3, 8, 0, 5, 1, 7, 2, 6, 4};
  auto permuted = attn;
  for (std::size_t l = 0; l < 5; ++l)
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t j = 0; j < 9; ++j) permuted.values[(l * 9 + i) * 9 + j] = attn.values[(l * 9 + order[i]) * 9 + order[j]];
  const auto f = solve(fuse(attn).view(), 0.5).values, p = solve(fuse(permuted).view(), 0.5).values;
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 9; ++j) CHECK(p[i * 9 + j] == doctest::Approx(f[order[i] * 9 + order[j]]).epsilon(kFlowTolerance));
}

TEST_CASE("a residual inside the matrices, one residual for all layers and one for each are the same thing") {
  const auto stack = fuse(random_attention(4, 7, true, 9));
  std::vector<std::vector<Real>> inside;
  std::vector<ConstMatrixView> views;
  for (int l = 0; l < 4; ++l) {
    const auto t = transfer(stack.view()[l], 0.3);
    inside.emplace_back(t.begin(), t.end());
    views.push_back({inside.back().data(), 7, 7});
  }
  const auto f = solve(stack.view(), 0.3).values;
  CHECK(largest_difference(solve({views}, 0).values, f) <= kFlowTolerance);
  std::vector<double> row(7);
  auto work = FlowWork::start_row(stack.view(), std::vector<double>(4, 0.3), 6, row);
  REQUIRE(work);
  while (!work->step()) {}
  CHECK(largest_difference(row, {f.end() - 7, f.end()}) == 0);
  const auto mixed = flow_pair(stack.view(), std::vector{1.0, 1.0, 1.0, 0.3}, 6, 2);  // the top layer alone moves
  REQUIRE(mixed);
  CHECK(mixed->value == doctest::Approx(transfer(stack.view()[3], 0.3)[6 * 7 + 2]).epsilon(kFlowTolerance));
}

TEST_CASE("the cut separates the pair, adds up to the value, and names the narrow layer") {
  // Token 0 keeps .9 of itself in layer 2 of 0..3, everything else mixes evenly: the way of input 1 to output 0
  // narrows to .1 there.
  Numbers attn{{4, 3, 3}, {}};
  for (int l = 0; l < 4; ++l)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        if (l == 3 && i == 0) attn.values.push_back(j == 0 ? 1 : 0);
        else if (l == 2 && i == 0) attn.values.push_back(j == 0 ? 0.9 : 0.05);
        else if (l == 1 && i == 0) attn.values.push_back(j == 0 ? 1 : 0);
        else if (l == 0 && i == 0) attn.values.push_back(j == 0 ? 1 : 0);
        else attn.values.push_back(1.0 / 3);
      }
  const auto stack = fuse(attn);
  const auto pair = flow_pair(stack.view(), 0, 0, 1);
  REQUIRE(pair);
  CHECK(pair->value == doctest::Approx(0.1).epsilon(kTolerance));
  CHECK(pair->end == FlowEnd::none);
  CHECK(pair->cut_layer == 2);
  CHECK(pair->cut_share[2] == doctest::Approx(1));
  REQUIRE(pair->cut.size() == 2);
  CHECK((pair->cut[0].layer == 2 && pair->cut[0].from == 0 && pair->cut[0].to == 1));
  CHECK((pair->cut[1].layer == 2 && pair->cut[1].from == 0 && pair->cut[1].to == 2));
  CHECK(pair->cut[0].capacity == doctest::Approx(0.05).epsilon(kTolerance));

  for (const bool causal : {false, true})
    for (const int layers : {1, 2, 3, 7}) {
      const auto fused = fuse(random_attention(layers, 8, causal, 40, 0.2));
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
          const auto p = flow_pair(fused.view(), 0.5, i, j);
          REQUIRE(p);
          CHECK(p->certificate_error <= 1e-12);
          double sum = 0;
          std::vector<double> share(static_cast<std::size_t>(layers), 0);
          std::vector<std::vector<double>> open;
          for (int l = 0; l < layers; ++l) open.push_back(transfer(fused.view()[l], 0.5));
          for (const auto& arc : p->cut) {
            double& c = open[static_cast<std::size_t>(arc.layer)][static_cast<std::size_t>(arc.from * 8 + arc.to)];
            CHECK(c == doctest::Approx(arc.capacity).epsilon(1e-12));
            sum += c;
            share[static_cast<std::size_t>(arc.layer)] += c / p->value;
            c = 0;
          }
          CHECK(largest_difference(p->cut_share, share) <= 1e-9);
          CHECK(sum == doctest::Approx(p->value).epsilon(1e-9));
          CHECK(std::accumulate(p->cut_share.begin(), p->cut_share.end(), 0.0) == doctest::Approx(p->value > 0 ? 1 : 0));
          CHECK((p->cut_layer >= 0) == (p->value > 0));
          std::vector<double> reached(8, 0);  // without the cut's arcs no path is left
          reached[static_cast<std::size_t>(i)] = 1;
          for (int l = layers; l-- > 0;) {
            std::vector<double> next(8, 0);
            for (std::size_t a = 0; a < 8; ++a)
              for (std::size_t b = 0; b < 8; ++b) next[b] += reached[a] * open[static_cast<std::size_t>(l)][a * 8 + b];
            reached = next;
          }
          CHECK(reached[static_cast<std::size_t>(j)] == 0);
        }
    }
}

TEST_CASE("of several minimum cuts the one nearest to the output is shown") {
  Numbers chain{{5, 3, 3}, {}};  // every token reads itself: all layers are equally narrow
  for (int l = 0; l < 5; ++l)
    for (int k = 0; k < 9; ++k) chain.values.push_back(k % 4 == 0);
  const auto stack = fuse(chain);
  for (int depth = 1; depth <= 5; ++depth) {
    const auto pair = *flow_pair(stack.view().slice(0, depth), 0.5, 1, 1);
    CHECK(pair.value == 1);
    CHECK(pair.end == FlowEnd::output);  // both ends: the output's is named
    REQUIRE(pair.cut.size() == 1);
    CHECK(pair.cut[0].layer == depth - 1);
    CHECK(pair.cut_layer == depth - 1);
  }
}

TEST_CASE("a flow says at which end it sits") {
  // Layer 1 reads input 2 with .2 in all; output 0 reads .5 in all because its row does not sum to 1.
  std::vector<Real> first{Real(0.9), 0, Real(0.1), Real(0.9), 0, Real(0.1), 1, 0, 0};
  std::vector<Real> mix(9, Real(1) / 3), top{Real(0.25), Real(0.25), 0, 0, 1, 0, 0, 0, 1};
  const std::vector<ConstMatrixView> views{{first.data(), 3, 3}, {mix.data(), 3, 3}, {top.data(), 3, 3}};
  const auto at = [&](int i, int j) { return *flow_pair({views}, 0, i, j); };
  CHECK(at(0, 0).end == FlowEnd::output);
  CHECK(at(0, 0).cut_layer == 2);
  CHECK(at(1, 2).end == FlowEnd::input);
  CHECK(at(1, 2).cut_layer == 0);
  CHECK(at(1, 2).cut.size() == 2);
  CHECK(at(1, 1).value == 0);
  CHECK(at(1, 1).end == FlowEnd::input);  // nobody reads input 1: its cut is 0, and so is the flow
  CHECK(at(1, 1).cut_layer == -1);
}

TEST_CASE("facts of a row: range without the largest, connected inputs, layers of the cuts") {
  const auto stack = fuse(random_attention(5, 12, true, 8));
  const auto solved = solve(stack.view(), 0.5, {7});
  const auto& facts = solved.facts[0];
  CHECK(facts.pairs == 12);
  CHECK(facts.connected == 8);
  auto row = solved.values;
  std::sort(row.begin(), row.end());
  CHECK(facts.lowest == row[4]);    // four inputs lie in the future
  CHECK(facts.highest == row[10]);  // the largest stands apart
  CHECK(std::accumulate(facts.cut_layer_pairs.begin(), facts.cut_layer_pairs.end(), 0) == 8);
  CHECK(std::accumulate(facts.cut_share.begin(), facts.cut_share.end(), 0.0) == doctest::Approx(1));
  std::vector<int> layers(5, 0);
  std::vector<double> share(5, 0);
  int at_end = 0;
  for (int j = 0; j < 12; ++j) {
    const auto pair = *flow_pair(stack.view(), 0.5, 7, j);
    at_end += pair.end != FlowEnd::none;
    if (pair.cut_layer >= 0) ++layers[static_cast<std::size_t>(pair.cut_layer)];
    for (std::size_t l = 0; l < 5; ++l) share[l] += pair.cut_share[l] / 8;
  }
  CHECK(facts.cut_layer_pairs == layers);
  CHECK(facts.at_end_cut == at_end);
  CHECK(largest_difference(facts.cut_share, share) <= 1e-9);
  CHECK(facts.connected_saturation() == doctest::Approx(at_end / 8.0));
  const auto alone = solve(stack.view(), 0.5, {0}).facts[0];  // one visible input: no range
  CHECK(std::isnan(alone.lowest));
  CHECK(std::isnan(alone.highest));
  const auto both = flow_facts(std::vector{facts, alone});
  CHECK(both.pairs == 24);
  CHECK(both.connected == 9);
  CHECK(both.lowest == facts.lowest);
  CHECK(both.highest == facts.highest);
}

TEST_CASE("a flow from an intermediate state is the flow of the slice below it") {
  const auto stack = fuse(random_attention(6, 8, false, 12));
  std::vector<ConstMatrixView> middle{stack.views[1], stack.views[2], stack.views[3]};
  CHECK(solve(stack.view().slice(1, 4), 0.5).values == solve({middle}, 0.5).values);
}

TEST_CASE("numbers that are no weights carry nothing, and empty rows keep themselves only with a residual") {
  std::vector<Real> bad{Real(NAN), Real(0.5), Real(-1), 0, 0, 0, Real(INFINITY), Real(0.25), Real(0.25)};
  std::vector<Real> clean{0, Real(0.5), 0, 0, 0, 0, 0, Real(0.25), Real(0.25)};
  std::vector<Real> even(9, Real(1) / 3);
  for (const double residual : {0.0, 0.5}) {
    const std::vector<ConstMatrixView> b{{even.data(), 3, 3}, {bad.data(), 3, 3}, {even.data(), 3, 3}};
    const std::vector<ConstMatrixView> c{{even.data(), 3, 3}, {clean.data(), 3, 3}, {even.data(), 3, 3}};
    CHECK(solve({b}, residual).values == solve({c}, residual).values);
  }
  std::vector<Real> zero(9, 0);
  const std::vector<ConstMatrixView> z{{zero.data(), 3, 3}, {zero.data(), 3, 3}, {zero.data(), 3, 3}};
  CHECK(solve({z}, 0).values == std::vector<double>(9, 0.0));
  CHECK(solve({z}, 0).facts[0].connected == 0);
  CHECK(solve({z}, 0.5).values == std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  const auto stack = fuse(random_attention(3, 3, false, 2));
  CHECK(solve(stack.view(), 1).values == std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  std::vector<double> row{0, 0, 0};
  flow_normalise(row);
  CHECK(row == std::vector{0.0, 0.0, 0.0});
  row = {1, NAN, 2};
  flow_normalise(row);
  CHECK(row[2] == 2);
}

TEST_CASE("flow comes in steps, and how far it is never falls") {
  const auto stack = fuse(random_attention(6, 40, true, 3));
  std::vector<Real> all(1600);
  auto work = FlowWork::start(stack.view(), 0.5, {all.data(), 40, 40});
  REQUIRE(work);
  auto moved = std::move(*work);
  int steps = 1;
  double last = 0;
  for (; !moved.step(); ++steps) {
    CHECK(moved.fraction() >= last);
    CHECK(moved.fraction() < 1);
    last = moved.fraction();
  }
  CHECK(moved.fraction() == 1);
  CHECK(steps > 6);
  CHECK(moved.step());  // and stays finished
  CHECK(moved.facts().size() == 40);
}
