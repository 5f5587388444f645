#include "methods/norms.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "methods/residual.h"
#include "support/relatives.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

constexpr auto kInfinity = std::numeric_limits<double>::infinity();

std::string layer_path(int l) { return "expected/per_layer/" + std::to_string(l) + "/"; }

// The matrices `name` of both layers, each turned into a transfer matrix.
Stack stored(const Vector& v, const std::string& name, bool residual_inside) {
  return make_stack(2, 5, 5, [&](int l, MatrixView to) {
    const auto values = v.get(layer_path(l) + name).values;
    for (std::size_t k = 0; k < values.size(); ++k) to.data[k] = static_cast<Real>(values[k]);
    CHECK(norms_to_transfer(to, residual_inside, 0.5) == 0);
  });
}

// x_i of layer l, [d]; ||f^h(x_j)|| of head h, with the value weights of its value head.
std::vector<Real> value_norms(const Vector& v, std::size_t l, std::size_t h) {
  const auto x = v.get("inputs/x"), wv = v.get("inputs/Wv"), bv = v.get("inputs/bv"), wo = v.get("inputs/Wo");
  const auto group = static_cast<std::size_t>(value_head(static_cast<int>(h), 4, 2));
  std::vector<Real> out;
  for (std::size_t j = 0; j < 5; ++j) {
    double value[3], moved[6] = {}, square = 0;
    for (std::size_t e = 0; e < 3; ++e) {
      value[e] = bv.values[(l * 2 + group) * 3 + e];
      for (std::size_t d = 0; d < 6; ++d) value[e] += x.values[(l * 5 + j) * 6 + d] * wv.values[((l * 2 + group) * 6 + d) * 3 + e];
    }
    for (std::size_t d = 0; d < 6; ++d) {
      for (std::size_t e = 0; e < 3; ++e) moved[d] += value[e] * wo.values[((l * 4 + h) * 3 + e) * 6 + d];
      square += moved[d] * moved[d];
    }
    out.push_back(static_cast<Real>(std::sqrt(square)));
  }
  return out;
}

}  // namespace

TEST_CASE("value heads repeat for neighbouring attention heads") {
  CHECK(std::vector{value_head(0, 4, 2), value_head(1, 4, 2), value_head(2, 4, 2), value_head(3, 4, 2)} == std::vector{0, 0, 1, 1});
  CHECK(value_head(7, 8, 8) == 7);
  CHECK(value_head(7, 8, 1) == 0);
  CHECK(value_head(0, 4, 3) == -1);
  CHECK(value_head(0, 4, 0) == -1);
  CHECK(value_head(4, 4, 2) == -1);
}

TEST_CASE("attention times the norm of the transformed value agrees with the reference, head by head and summed") {
  const Vector v("norms_gqa_5");
  const auto attn = v.get("inputs/attn");
  for (std::size_t l = 0; l < 2; ++l) {
    const auto expected = v.get(layer_path(static_cast<int>(l)) + "per_head_norm");
    const auto published = v.get(layer_path(static_cast<int>(l)) + "attn_n");
    std::vector<Real> layer(25);
    ValueNormFuser all(view_of(layer, 5, 5));
    std::vector<double> sum(25, 0.0);
    for (std::size_t h = 0; h < 4; ++h) {
      auto head = matrix_at(attn, l * 4 + h);
      const auto norms = value_norms(v, l, h);
      std::vector<Real> one(25);
      CHECK(ValueNormFuser(view_of(one, 5, 5)).add(view_of(head, 5, 5), norms) == 0);
      const std::vector<double> wanted(expected.values.begin() + static_cast<std::ptrdiff_t>(h * 25), expected.values.begin() + static_cast<std::ptrdiff_t>(h * 25 + 25));
      CHECK(largest_difference(one, wanted) <= kTolerance);
      all.add(view_of(head, 5, 5), norms);
      for (std::size_t k = 0; k < 25; ++k) sum[k] += wanted[k];
    }
    CHECK(largest_difference(layer, sum) <= kTolerance);
    for (std::size_t k = 0; k < 25; ++k) CHECK(static_cast<double>(layer[k]) >= published.values[k] - 1e-5);
  }
}

TEST_CASE("rollouts over stored norm matrices agree with the reference, residual inside or added") {
  const Vector v("norms_gqa_5");
  check_product(stored(v, "attn_n", false).view(), v.get("expected/rollout_attn_n_plus_half_identity"));
  check_product(stored(v, "attnres_n", true).view(), v.get("expected/rollout_attnres_n"));
  check_product(stored(v, "attnresln_n", true).view(), v.get("expected/rollout_attnresln_n"));
  check_product(stored(v, "enc_n", true).view(), v.get("expected/rollout_enc_n_globenc"));
  check_product(stored(v, "alti", true).view(), v.get("expected/rollout_alti"));
}

TEST_CASE("attention with measured mixing ratios agrees with the reference, layer by layer and rolled out") {
  const Vector v("norms_gqa_5");
  auto stack = fuse(v.get("inputs/attn"));
  for (int l = 0; l < 2; ++l) {
    auto& layer = stack.data[static_cast<std::size_t>(l)];
    std::vector<double> ratios(5);
    mixing_ratios(view_of(layer, 5, 5), ratios);
    CHECK(largest_difference(ratios, v.get(layer_path(l) + "mixing_attn_w").values) <= kTolerance);
    auto half = layer;
    mix_residual(view_of(half, 5, 5), 0.5);
    mixing_ratios(view_of(half, 5, 5), ratios);
    CHECK(largest_difference(ratios, v.get(layer_path(l) + "mixing_attnres_w").values) <= kTolerance);
    mix_measured(view_of(layer, 5, 5), v.get(layer_path(l) + "mixing_enc_n").values);
    CHECK(largest_difference(layer, v.get(layer_path(l) + "w_res").values) <= kTolerance);
    mixing_ratios(view_of(layer, 5, 5), ratios);
    CHECK(largest_difference(ratios, v.get(layer_path(l) + "mixing_enc_n").values) <= kTolerance);
  }
  check_product(stack.view(), v.get("expected/rollout_w_res"));
}

TEST_CASE("residual weights from norms agree with the reference, per token and as the mean of the layer") {
  const Vector v("norms_gqa_5");
  const auto attn = v.get("inputs/attn"), x = v.get("inputs/x"), bo = v.get("inputs/bo");
  const auto wv = v.get("inputs/Wv"), bv = v.get("inputs/bv"), wo = v.get("inputs/Wo");
  auto per_token = fuse(attn), per_layer = fuse(attn);
  for (std::size_t l = 0; l < 2; ++l) {
    std::vector<double> kept(5), added(5), r(5);
    for (std::size_t i = 0; i < 5; ++i) {
      double out[6];
      for (std::size_t d = 0; d < 6; ++d) {
        out[d] = bo.values[l * 6 + d];
        kept[i] += x.values[(l * 5 + i) * 6 + d] * x.values[(l * 5 + i) * 6 + d];
        for (std::size_t h = 0; h < 4; ++h)
          for (std::size_t e = 0; e < 3; ++e)
            for (std::size_t j = 0; j < 5; ++j) {
              double value = bv.values[(l * 2 + h / 2) * 3 + e];
              for (std::size_t c = 0; c < 6; ++c) value += x.values[(l * 5 + j) * 6 + c] * wv.values[((l * 2 + h / 2) * 6 + c) * 3 + e];
              out[d] += attn.values[((l * 4 + h) * 5 + i) * 5 + j] * value * wo.values[((l * 4 + h) * 3 + e) * 6 + d];
            }
        added[i] += out[d] * out[d];
      }
      kept[i] = std::sqrt(kept[i]);
      added[i] = std::sqrt(added[i]);
    }
    residual_weights(kept, added, r);
    CHECK(largest_difference(r, v.get(layer_path(static_cast<int>(l)) + "residual_ratio_per_token").values) <= 1e-12);
    mix_residual(view_of(per_token.data[l], 5, 5), r);
    mix_residual(view_of(per_layer.data[l], 5, 5), mean_residual(r));
  }
  check_product(per_token.view(), v.get("expected/rollout_alpha_from_norms_per_token"));
  check_product(per_layer.view(), v.get("expected/rollout_alpha_from_norms_layer_mean"));
}

TEST_CASE("rows without a value keep themselves where there is a residual") {
  const std::vector<double> bad{0, 0, 0, 1, std::nan(""), 2, -1, 0.5, 0.25};
  const auto transfer = [&](bool inside, double r) {
    auto m = as_real(bad);
    CHECK(norms_to_transfer(view_of(m, 3, 3), inside, r) == 3);
    return m;
  };
  const auto identity = as_real(std::vector{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
  CHECK(transfer(true, 0) == identity);
  CHECK(transfer(false, 0.5) == identity);
  CHECK(transfer(false, 0) == std::vector<Real>(9));
  const double huge = static_cast<double>(std::numeric_limits<Real>::max());
  auto big = as_real(std::vector{huge, huge, 0.0, huge});
  CHECK(norms_to_transfer(view_of(big, 2, 2), true, 0) == 0);
  CHECK(largest_difference(big, {0.5, 0.5, 0, 1}) <= kTolerance);
}

TEST_CASE("norms that are missing, negative or infinite leave weights between 0 and 1") {
  const std::vector<double> kept{0, 0, 1, std::nan(""), kInfinity, -1, 1e308, 3}, added{0, 1, 0, 1, 1, 2, 1e308, 1};
  std::vector<double> r(8);
  residual_weights(kept, added, r);
  CHECK(largest_difference(r, {1, 0, 1, 0, 0, 0, 0.5, 0.75}) <= 1e-15);
  CHECK(mean_residual({}) == 0.5);

  auto head = as_real(std::vector{0.5, 0.5, std::nan(""), 0.5});
  std::vector<Real> out(4);
  ValueNormFuser fuser(view_of(out, 2, 2));
  CHECK(fuser.add(view_of(head, 2, 2), as_real(std::vector{2.0, std::nan("")})) == 1);
  CHECK(out == as_real(std::vector{1.0, 0.0, 0.0, 0.0}));

  auto f = as_real(std::vector{0.5, 0.25, 0.25, 0.0, 1.0, 0.0, 0.5, 0.5, 0.0});
  mix_measured(view_of(f, 3, 3), std::vector{2.0, 0.5, std::nan("")});
  CHECK(f == as_real(std::vector{0.0, 0.5, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}));
}
