#include "methods/paths.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "methods/rollout.h"
#include "methods/uniform.h"
#include "support/vectors.h"

using namespace rollscope;
using namespace rollscope::test;

TEST_CASE("what passes each layer gap sums to 1, and each node's ribbons add up to its mass") {
  const Vector v("encoder_10x3x2");
  const auto stack = fuse(v.get("inputs/attn"));
  const auto depth = static_cast<std::size_t>(stack.depth());
  std::vector<double> states((depth + 1) * 10);
  rollout_states(stack.view(), 3, 0.4, states);
  std::vector<double> row(10);
  rollout_row(stack.view(), 3, 0.4, row);
  CHECK(std::vector<double>(states.begin(), states.begin() + 10) == row);
  for (std::size_t l = 0; l < depth; ++l) {
    const std::span<const double> above{states.data() + (l + 1) * 10, 10};
    const std::vector<int> sinks{0};
    const auto gap = path_gap(above, stack.view()[static_cast<int>(l)], 0.4, true, sinks);
    CHECK(gap.residual + gap.own + gap.others == doctest::Approx(1));
    CHECK(gap.residual == doctest::Approx(0.4));
    std::vector<double> leaves(10), arrives(10);
    for (std::size_t t = 0; t < 10; ++t) leaves[t] = arrives[t] = gap.residual_at[t] + gap.own_at[t];
    double sunk = gap.own_at[0];
    for (const auto& e : gap.edges) {
      CHECK(e.from != e.to);
      leaves[static_cast<std::size_t>(e.from)] += e.weight;
      arrives[static_cast<std::size_t>(e.to)] += e.weight;
      if (e.to == 0) sunk += e.weight;
    }
    for (std::size_t t = 0; t < 10; ++t) {
      CHECK(leaves[t] == doctest::Approx(above[t]).epsilon(2e-3));
      CHECK(arrives[t] == doctest::Approx(states[l * 10 + t]).epsilon(2e-3));
    }
    CHECK(sunk == doctest::Approx(gap.sink).epsilon(2e-3));
    CHECK(std::is_sorted(gap.edges.begin(), gap.edges.end(), [](auto& a, auto& b) { return a.weight > b.weight; }));
  }
}

TEST_CASE("ribbons of a node lie side by side in token order and never overlap") {
  // Few enough edges that none is left out: offsets must then tile [0, mass] exactly.
  const Vector v("hand_fractions_3x2");
  const auto stack = fuse(v.get("inputs/attn"));
  std::vector<double> states(9);
  rollout_states(stack.view(), 1, 0.5, states);
  const auto gap = path_gap(std::span<const double>(states).subspan(3, 3), stack.view()[0], 0.5, true, {});
  struct Ribbon { int other; float offset, width; };
  std::map<int, std::vector<Ribbon>> below, above;
  for (const auto& e : gap.edges) {
    above[e.from].push_back({e.to, e.from_offset, e.weight});
    below[e.to].push_back({e.from, e.to_offset, e.weight});
  }
  for (int t = 0; t < 3; ++t) {
    const auto i = static_cast<std::size_t>(t);
    above[t].push_back({t, gap.residual_from_offset[i], gap.residual_at[i] + gap.own_at[i]});
    below[t].push_back({t, gap.residual_to_offset[i], gap.residual_at[i] + gap.own_at[i]});
  }
  for (auto* side : {&above, &below})
    for (auto& [token, ribbons] : *side) {
      std::sort(ribbons.begin(), ribbons.end(), [](auto& a, auto& b) { return a.other < b.other; });
      float at = 0;
      for (const auto& r : ribbons) {
        CHECK(r.offset == doctest::Approx(at));
        at += r.width;
      }
      CHECK(at == doctest::Approx(states[static_cast<std::size_t>(token) + (side == &above ? 3 : 0)]));
    }
}

TEST_CASE("of very many edges the strongest are kept, and the totals still count all") {
  const int n = 150;
  std::vector<Real> f(static_cast<std::size_t>(n * n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) f[static_cast<std::size_t>(i * n + j)] = static_cast<Real>(1 + (i * 7919 + j * 104729) % 1000);
  const MatrixView view{f.data(), n, n};
  LayerFuser fuser(view, Fusion::mean, nullptr);
  std::vector<Real> head = f;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) head[static_cast<std::size_t>(i * n + j)] = static_cast<Real>(1 + (i * 7919 + j * 104729) % 1000);
  fuser.add({head.data(), n, n});
  fuser.finish();
  const std::vector<double> above(static_cast<std::size_t>(n), 1.0 / n);
  const auto gap = path_gap(above, view, 0.5, true, {});
  CHECK(gap.edges.size() == kMaxEdges);
  CHECK(gap.residual + gap.own + gap.others == doctest::Approx(1));
  std::vector<float> all;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) if (i != j) all.push_back(static_cast<float>(0.5 / n * static_cast<double>(view(i, j))));
  std::sort(all.rbegin(), all.rend());
  for (std::size_t k = 0; k < kMaxEdges; k += 97) CHECK(gap.edges[k].weight == doctest::Approx(all[k]));
}

TEST_CASE("an empty row keeps its mass by the residual and loses it without one") {
  std::vector<Real> f{0, 0, Real(0.5), Real(0.5)};
  const std::vector<double> above{0.75, 0.25};
  const auto kept = path_gap(above, {f.data(), 2, 2}, 0.5, true, {});
  CHECK(kept.residual_at[0] == 0.75f);
  CHECK(kept.residual + kept.own + kept.others == doctest::Approx(1));
  const auto lost = path_gap(above, {f.data(), 2, 2}, 0.0, true, {});
  CHECK(lost.residual + lost.own + lost.others == doctest::Approx(0.25));
}

TEST_CASE("cross attention has no own attention: every weight is an edge") {
  std::vector<Real> f{Real(0.25), Real(0.25), Real(0.5)};
  const std::vector<double> above{1.0};
  const auto gap = path_gap(above, {f.data(), 1, 3}, 0.0, false, {});
  CHECK(gap.own == 0);
  CHECK(gap.others == doctest::Approx(1));
  REQUIRE(gap.edges.size() == 3);
  CHECK(gap.edges[0].to == 2);
  CHECK(gap.edges[0].from_offset == doctest::Approx(0.5));
}

TEST_CASE("chance in closed form is the rollout of actually uniform attention") {
  for (const bool causal : {false, true})
    for (const int layers : {0, 1, 3, 6})
      for (const double residual : {0.0, 0.25, 0.5, 1.0}) {
        const std::size_t n = 7;
        Stack stack;
        for (int l = 0; l < layers; ++l) {
          stack.data.emplace_back();
          for (std::size_t i = 0; i < n; ++i) {
            std::vector<double> row(n);
            uniform_row(static_cast<int>(n), causal, static_cast<int>(i), row);
            stack.data.back().insert(stack.data.back().end(), row.begin(), row.end());
          }
        }
        for (auto& m : stack.data) stack.views.push_back({m.data(), static_cast<int>(n), static_cast<int>(n)});
        for (int query : {0, 3, 6}) {
          std::vector<double> row(n), chance(n);
          rollout_row(stack.view(), query, residual, row);
          uniform_rollout_row(static_cast<int>(n), layers, residual, causal, query, chance);
          CHECK(largest_difference(chance, row) <= kTolerance);
        }
      }
  const Vector v("causal_6x4x3");
  const auto expected = v.get("expected/uniform_causal_baseline");
  std::vector<double> all, row(6);
  for (int i = 0; i < 6; ++i) {
    uniform_rollout_row(6, 4, 0.5, true, i, row);
    all.insert(all.end(), row.begin(), row.end());
  }
  CHECK(largest_difference(all, expected.values) <= kTolerance);
}
