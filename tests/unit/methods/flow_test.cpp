#include "methods/flow.h"

#include <doctest/doctest.h>

#include "methods/flow_fixture.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

// All ways to the numbers of one entry: row by row, all rows, pair by pair; then its row shares and its saturation.
void check_flow(StackView fused, double residual, const Vector& v, const std::string& where) {
  CAPTURE(where);
  std::vector<int> outputs;
  for (const double i : v.get(where + "/rows").values) outputs.push_back(static_cast<int>(i));
  const auto expected = v.get(where + "/value");
  const int n = fused[0].rows;
  const auto solved = solve(fused, residual, outputs);
  CHECK(largest_difference(solved.values, expected.values) <= kFlowTolerance);
  for (std::size_t at = 0; at < expected.values.size(); ++at) {
    const auto pair = flow_pair(fused, residual, outputs[at / static_cast<std::size_t>(n)], static_cast<int>(at % static_cast<std::size_t>(n)));
    REQUIRE(pair);
    CHECK(pair->value == doctest::Approx(expected.values[at]).epsilon(kFlowTolerance));
  }
  if (static_cast<int>(outputs.size()) == n) {
    std::vector<Real> all(expected.values.size());
    auto work = FlowWork::start(fused, residual, {all.data(), n, n});
    REQUIRE(work);
    while (!work->step()) {}
    CHECK(largest_difference(all, expected.values) <= kFlowTolerance);
    CHECK(work->facts().size() == outputs.size());
  }
  auto shares = solved.values;
  for (std::size_t k = 0; k < outputs.size(); ++k) flow_normalise(std::span(shares).subspan(k * static_cast<std::size_t>(n), static_cast<std::size_t>(n)));
  CHECK(largest_difference(shares, v.get(where + "/normalised").values) <= kFlowTolerance);
  const auto facts = flow_facts(solved.facts);
  CHECK(facts.pairs == static_cast<int>(expected.values.size()));
  CHECK(facts.certificate_error <= 1e-12);
  // Equality to 1e-9 is a property of the exact weights, which float does not keep.
  if (sizeof(Real) == 8) CHECK(facts.saturation() == doctest::Approx(v.at(where + "/fraction_at_trivial_bound").GetDouble()).epsilon(1e-12));
}

}  // namespace

TEST_CASE("flow agrees with the reference on the hand-made stacks") {
  const Vector tiny("tiny_3x2_counterexample");
  check_flow(fuse(tiny.get("inputs/attn")).view(), 0.5, tiny, "expected/flow");
  const Vector hand("hand_fractions_3x2");
  auto three = hand.get("inputs/attn");
  const auto third = hand.get("inputs/attn_third_layer");
  three.shape[0] = 3;
  three.values.insert(three.values.end(), third.values.begin(), third.values.end());
  for (const std::string r : {"0.5", "0"}) {
    check_flow(fuse(hand.get("inputs/attn")).view(), std::stod(r), hand, "expected/flow_residual_" + r);
    check_flow(fuse(three).view(), std::stod(r), hand, "expected/flow_3_layers_residual_" + r);
  }
}

TEST_CASE("flow equals the smallest of all cuts that the reference enumerated") {
  const Vector v("flow_bruteforce");
  const auto graphs = v.at("inputs/graphs").Size();
  REQUIRE(graphs == 5);
  for (unsigned g = 0; g < graphs; ++g) {
    const auto stack = fuse(v.get("inputs/graphs/" + std::to_string(g) + "/attn"));
    for (const std::string r : {"0.5", "0"}) {
      const auto where = "expected/graphs/" + std::to_string(g) + "/residual_" + r;
      const auto expected = v.get(where + "/value");
      CHECK(largest_difference(solve(stack.view(), std::stod(r)).values, expected.values) <= kFlowTolerance);
      auto shares = solve(stack.view(), std::stod(r)).values;
      const auto n = expected.size(1);
      for (std::size_t i = 0; i < n; ++i) flow_normalise(std::span(shares).subspan(i * n, n));
      CHECK(largest_difference(shares, v.get(where + "/normalised").values) <= kFlowTolerance);
    }
  }
}

TEST_CASE("flow of a causal decoder agrees with the reference, and after each layer") {
  const Vector v("causal_6x4x3");
  const auto stack = fuse(v.get("inputs/attn"));
  check_flow(stack.view(), 0.5, v, "expected/flow");
  const auto layers = v.get("expected/flow_per_layer_row5");
  for (int l = 0; l < 4; ++l) {
    const std::vector<double> expected(layers.values.begin() + l * 6, layers.values.begin() + (l + 1) * 6);
    CHECK(largest_difference(solve(stack.view().slice(0, l + 1), 0.5, {5}).values, expected) <= kFlowTolerance);
  }
}

TEST_CASE("flow of an encoder, a sliding window and a vision model agrees with the reference") {
  for (const std::string name : {"encoder_10x3x2", "sliding_window_8"}) {
    const Vector v(name);
    check_flow(fuse(v.get("inputs/attn")).view(), 0.5, v, "expected/flow");
  }
  const Vector vit("vit_1p24");
  check_flow(fuse(vit.get("inputs/attn")).view(), 0.5, vit, "expected/flow_cls_row");
}

TEST_CASE("flow of identity, uniform attention and rows that read nothing agrees with the reference") {
  const Vector v("degenerate");
  Numbers identity{{3, 2, 4, 4}, {}}, uniform{{3, 2, 4, 4}, {}}, causal{{3, 2, 4, 4}, {}};
  for (int m = 0; m < 6; ++m)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        identity.values.push_back(i == j);
        uniform.values.push_back(0.25);
        causal.values.push_back(j <= i ? 1.0 / (i + 1) : 0);
      }
  check_flow(fuse(identity).view(), 0.5, v, "expected/identity/flow");
  check_flow(fuse(uniform).view(), 0.5, v, "expected/uniform/flow");
  check_flow(fuse(causal).view(), 0.5, v, "expected/uniform_causal/flow");
  auto dead = v.get("inputs/attn");
  for (std::size_t h = 0; h < 2; ++h)
    for (std::size_t j = 0; j < 4; ++j) dead.values[((1 * 2 + h) * 4 + 2) * 4 + j] = 0;
  check_flow(fuse(dead).view(), 0.5, v, "expected/zero_row_all_heads/flow");
}

TEST_CASE("the share of pairs at an end cut grows with depth as in the reference") {
  if (sizeof(Real) != 8) return;  // equality to 1e-9 is a property of the exact weights
  const Vector v("depth_24");
  for (const std::string side : {"bidirectional", "causal"}) {
    const auto stack = fuse(v.get("inputs/" + side + "_attn"));
    for (const int depth : {1, 2, 4, 8, 16, 24}) {
      CAPTURE(side);
      CAPTURE(depth);
      const auto facts = flow_facts(solve(stack.view().slice(0, depth), 0.5).facts);
      CHECK(facts.saturation() == doctest::Approx(v.at("expected/" + side + "/" + std::to_string(depth) + "/fraction_flow_at_trivial_bound").GetDouble()).epsilon(1e-12));
      CHECK(facts.connected == (side == "causal" ? 36 : 64));
    }
  }
}
