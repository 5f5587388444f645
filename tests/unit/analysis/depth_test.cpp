#include "analysis/depth.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "analysis/measures.h"
#include "methods/rollout.h"
#include "support/vectors.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

// Diagnostics of every R_l.
std::vector<DepthDiagnostics> by_layer(StackView fused, double residual, const DepthOptions& options = {}) {
  const int n = fused[0].rows;
  std::vector<Real> r(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  std::vector<DepthDiagnostics> out;
  NoProgress progress;
  REQUIRE(rollout(fused, residual, false, {r.data(), n, n}, progress,
                  [&](int, ConstMatrixView m) { out.push_back(depth_diagnostics(m, options)); }));
  return out;
}

// Relative to the value: the reference reaches 1e-9 at depth 24, and is itself rounded in float64 at 1e-16.
void check(const DepthDiagnostics& d, const Vector& v, const std::string& where) {
  const std::pair<std::string, double> found[] = {
      {"row_entropy_mean", d.row_entropy_mean}, {"perplexity_mean", d.perplexity_mean}, {"effective_rank", d.effective_rank},
      {"stable_rank", d.stable_rank}, {"rank1_energy", d.rank1_energy}, {"dong_residual_1inf", d.dong_residual_1inf},
      {"residual_fro_rel", d.residual_fro_rel}, {"dobrushin_tv", d.dobrushin_tv}, {"gini_mean", d.gini_mean}};
  const auto& expected = v.at(where);
  CAPTURE(where);
  std::size_t held = 0;
  for (const auto& [key, value] : found) {
    const std::string name = key;
    CAPTURE(name);
    const double want = expected[name.c_str()].GetDouble();
    CHECK(std::abs(value - want) <= kTolerance * std::max(std::abs(want), sizeof(Real) == 8 ? 1e-3 : 1.0));
    ++held;
  }
  if (expected.HasMember("singular_values")) {
    const auto values = numbers(expected["singular_values"]).values;
    REQUIRE(values.size() == d.singular_values.size());
    for (std::size_t k = 0; k < values.size(); ++k) CHECK(std::abs(d.singular_values[k] / values[k] - 1) <= kTolerance);
    ++held;
  }
  CHECK(held == expected.MemberCount());
}

std::vector<Real> filled(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> weight(0, 1);
  std::vector<Real> m;
  for (int i = 0; i < n * n; ++i) m.push_back(static_cast<Real>(weight(random) / n));
  return m;
}

}  // namespace

TEST_CASE("diagnostics by depth are those of the reference, down to 24 layers") {
  const Vector causal("causal_6x4x3"), encoder("encoder_10x3x2"), degenerate("degenerate"), depth("depth_24");
  const auto layers = by_layer(fuse(causal.get("inputs/attn")).view(), 0.5);
  REQUIRE(layers.size() == 4);
  for (std::size_t l = 0; l < 4; ++l) check(layers[l], causal, "expected/rollout_diagnostics_per_layer/" + std::to_string(l));
  check(by_layer(fuse(encoder.get("inputs/attn")).view(), 0.5).back(), encoder, "expected/rollout_diagnostics");
  const Numbers uniform{{3, 1, 4, 4}, std::vector<double>(48, 0.25)};
  check(by_layer(fuse(uniform).view(), 0.5).back(), degenerate, "expected/uniform/diag");
  for (const std::string side : {"bidirectional", "causal"}) {
    const auto stack = fuse(depth.get("inputs/" + side + "_attn"));
    const auto half = by_layer(stack.view(), 0.5), none = by_layer(stack.view(), 0);
    for (const std::size_t l : {1u, 2u, 4u, 8u, 16u, 24u}) {
      check(half[l - 1], depth, "expected/" + side + "/" + std::to_string(l) + "/diag");
      check(none[l - 1], depth, "expected/" + side + "/no_residual/" + std::to_string(l) + "/diag");
    }
  }
}

TEST_CASE("the verdict names the first layer from which on the tokens no longer differ") {
  CHECK(depth_verdict(std::vector{0.9, 0.2, 0.15, 0.04}).collapsed_from == 3);
  CHECK(depth_verdict(std::vector{0.9, 0.2, 0.15, 0.04}).similar_from == 2);
  CHECK(depth_verdict(std::vector{0.01, 0.2, 0.05}).collapsed_from == 2);  // the first layer's likeness did not last
  CHECK(depth_verdict(std::vector{0.01, 0.2, 0.16}).similar_from == -1);
  CHECK(depth_verdict(std::vector{0.01, 0.02}).collapsed_from == 0);
  CHECK(depth_verdict(std::vector{0.01, std::nan("")}).collapsed_from == -1);
  CHECK(depth_verdict({}).collapsed_from == -1);
  // Bidirectional, residual 1/2 and none; under the causal mask the rows' second half decides.
  const Vector v("depth_24");
  for (const bool causal : {false, true}) {
    const auto stack = fuse(v.get(causal ? "inputs/causal_attn" : "inputs/bidirectional_attn"));
    std::vector<double> distances;
    for (const auto& d : by_layer(stack.view(), 0.5, {.causal = causal})) {
      CHECK((causal ? d.rows_distance < d.dobrushin_tv : d.rows_distance == d.dobrushin_tv));
      distances.push_back(d.rows_distance);
    }
    const auto [collapsed, similar] = depth_verdict(distances);
    CAPTURE(causal);
    REQUIRE(collapsed > 0);
    CHECK(distances[static_cast<std::size_t>(collapsed)] <= 0.05);
    CHECK(distances[static_cast<std::size_t>(collapsed - 1)] > 0.05);
    CHECK(similar <= collapsed);
  }
}

TEST_CASE("the Dobrushin coefficient of a product is at most the product of the coefficients") {
  const auto stack = fuse(Vector("depth_24").get("inputs/bidirectional_attn"));
  const auto layers = by_layer(stack.view(), 0);
  double bound = 1;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    bound *= depth_diagnostics(stack.views[l], {.singular_values = false}).dobrushin_tv;
    CHECK(layers[l].dobrushin_tv <= bound * (1 + 1e-9) + 1e-7 * (sizeof(Real) == 4));
  }
}

TEST_CASE("identity, one token and a copied row take the closed forms") {
  const std::vector<Real> identity{1, 0, 0, 0, 1, 0, 0, 0, 1}, one{1}, copied{0, 1, 0, 0, 1, 0, 0, 1, 0};
  const auto i = depth_diagnostics({identity.data(), 3, 3}, {});
  CHECK(i.row_entropy_mean == 0);
  CHECK(i.effective_rank == doctest::Approx(3));
  CHECK(i.dobrushin_tv == 1);
  CHECK(i.gini_mean == doctest::Approx(2.0 / 3));
  const auto o = depth_diagnostics({one.data(), 1, 1}, {.causal = true});
  CHECK(o.effective_rank == doctest::Approx(1));
  CHECK(o.dobrushin_tv == 0);
  CHECK(o.top_key == 0);
  CHECK(std::isnan(o.row_entropy_normalised_mean));
  const auto c = depth_diagnostics({copied.data(), 3, 3}, {});
  CHECK(c.dobrushin_tv == 0);
  CHECK(c.dong_residual_1inf == 0);
  CHECK(c.stable_rank == doctest::Approx(1));
  const std::vector<Real> causal{1, 0, Real(0.5), Real(0.5)};  // row 1 is uniform over the keys that it can see, row 0 has no choice
  CHECK(depth_diagnostics({causal.data(), 2, 2}, {.causal = true}).row_entropy_normalised_mean == doctest::Approx(1));
  CHECK(depth_diagnostics({causal.data(), 2, 2}, {}).row_entropy_normalised_mean == doctest::Approx(0.5));
}

TEST_CASE("top share is the most read key's, sink mass that of the keys given, and a virtual sink's row does not count") {
  const std::vector<Real> m{Real(0.5), Real(0.25), Real(0.25), Real(0.25), Real(0.25), Real(0.5), 0, 0, 1};
  const std::vector sinks{2};
  const auto d = depth_diagnostics({m.data(), 3, 3}, {.rows = 2, .sinks = sinks});
  CHECK(d.top_key == 0);  // columns .375, .25, .375: the first of equals
  CHECK(d.top_share == doctest::Approx(0.375));
  CHECK(d.sink_mass == doctest::Approx(0.375));
  CHECK(depth_diagnostics({m.data(), 3, 3}, {.sinks = sinks}).sink_mass == doctest::Approx(1.75 / 3));
  CHECK(d.singular_values.size() == 2);
  CHECK(depth_diagnostics({m.data(), 3, 3}, {}).sink_mass == 0);
}

TEST_CASE("empty rows leave the means, values that are not finite leave nothing") {
  std::vector<Real> m{0, 0, Real(0.5), Real(0.5)};
  auto d = depth_diagnostics({m.data(), 2, 2}, {});
  CHECK(d.row_entropy_mean == doctest::Approx(std::log(2.0)));
  CHECK(d.dobrushin_tv == doctest::Approx(0.5));
  m.assign(4, 0);
  d = depth_diagnostics({m.data(), 2, 2}, {});
  CHECK(std::isnan(d.row_entropy_mean));
  CHECK(std::isnan(d.effective_rank));
  CHECK(d.dobrushin_tv == 0);
  m[1] = std::numeric_limits<Real>::infinity();
  d = depth_diagnostics({m.data(), 2, 2}, {});
  CHECK(std::isnan(d.dobrushin_tv));
  CHECK(d.singular_values.empty());
}

TEST_CASE("singular values agree with the norms of the matrix at every size, and stop above 512") {
  for (const int n : {2, 17, 48, 49, 130}) {
    const auto m = filled(n, static_cast<unsigned>(n));
    const auto d = depth_diagnostics({m.data(), n, n}, {});
    double squares = 0, norm = 0;
    for (const double s : d.singular_values) squares += s * s;
    for (const Real x : m) norm += static_cast<double>(x) * static_cast<double>(x);
    CHECK(squares == doctest::Approx(norm).epsilon(1e-12));
    CHECK(std::is_sorted(d.singular_values.rbegin(), d.singular_values.rend()));
  }
  const auto m = filled(513, 3);
  const auto d = depth_diagnostics({m.data(), 513, 513}, {});
  CHECK(d.singular_values.empty());
  CHECK(std::isnan(d.effective_rank));
  CHECK(d.dobrushin_tv > 0);
}
