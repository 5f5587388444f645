#include "methods/rollout.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "methods/kernels/product.h"
#include "methods/raw.h"
#include "support/vectors.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

std::vector<Real> full(StackView fused, double residual, bool causal = false) {
  const int n = fused[0].rows;
  std::vector<Real> r(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  NoProgress progress;
  REQUIRE(rollout(fused, residual, causal, {r.data(), n, n}, progress));
  return r;
}

// Every way to the same numbers: the full product with and without the causal short cut, and row by row.
void check_rollout(StackView fused, double residual, const Numbers& expected, bool causal = false) {
  CHECK(largest_difference(full(fused, residual), expected.values) <= kTolerance);
  if (causal) CHECK(full(fused, residual, true) == full(fused, residual, false));
  const auto n = expected.size(1);
  std::vector<double> rows, row(n);
  for (std::size_t i = 0; i < n; ++i) {
    rollout_row(fused, static_cast<int>(i), residual, row);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  CHECK(largest_difference(rows, expected.values) <= kTolerance);
}

Numbers random_attention(int layers, int heads, int n, bool causal, unsigned seed) {
  std::mt19937 random(seed);
  std::gamma_distribution<double> weight(0.5);
  Numbers out;
  out.shape = {static_cast<std::size_t>(layers), static_cast<std::size_t>(heads), static_cast<std::size_t>(n), static_cast<std::size_t>(n)};
  for (int m = 0; m < layers * heads; ++m)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) out.values.push_back(causal && j > i ? 0.0 : weight(random) + 1e-6);
  return out;
}

}  // namespace

TEST_CASE("rollout names the token that a copying network really copied") {
  const Vector v("tiny_3x2_counterexample");
  const auto stack = fuse(v.get("inputs/attn"));
  std::vector<double> row(3);
  rollout_row(stack.view(), 0, 0.0, row);
  CHECK(row == std::vector{0.0, 1.0, 0.0});  // the reversed product says 0 0 1
  check_rollout(stack.view(), 0, v.get("expected/no_residual/right_order_A2A1"));
  check_rollout(stack.view(), 0.5, v.get("expected/residual_half/right_order"));
}

TEST_CASE("R x is what a linear attention network computes, with and without residual") {
  const auto attn = random_attention(5, 1, 7, false, 3);
  const auto stack = fuse(attn);
  std::vector<double> x(7);
  std::iota(x.begin(), x.end(), 1.0);
  for (const double residual : {0.0, 0.5, 0.3}) {
    auto h = x;  // h <- r h + (1 - r) F h, layer by layer from the input up
    for (int l = 0; l < stack.depth(); ++l) {
      auto next = h;
      for (int i = 0; i < 7; ++i) {
        double read = 0;
        for (int j = 0; j < 7; ++j) read += static_cast<double>(stack.view()[l](i, j)) * h[static_cast<std::size_t>(j)];
        next[static_cast<std::size_t>(i)] = residual * h[static_cast<std::size_t>(i)] + (1 - residual) * read;
      }
      h = next;
    }
    const auto r = full(stack.view(), residual);
    for (std::size_t i = 0; i < 7; ++i) {
      double y = 0;
      for (std::size_t j = 0; j < 7; ++j) y += static_cast<double>(r[i * 7 + j]) * x[j];
      CHECK(y == doctest::Approx(h[i]).epsilon(kTolerance));
    }
  }
}

TEST_CASE("rollout gives the hand-computed fractions for every residual weight") {
  const Vector v("hand_fractions_3x2");
  const auto stack = fuse(v.get("inputs/attn"));
  for (const std::string r : {"0", "0.25", "0.5", "0.75", "1"}) {
    CAPTURE(r);
    const auto where = "expected/residual_" + r + "/";
    check_rollout(stack.view(), std::stod(r), v.get(where + "rollout"));
    std::vector<double> layers;
    std::vector<Real> out(9);
    NoProgress progress;
    REQUIRE(rollout(stack.view(), std::stod(r), false, {out.data(), 3, 3}, progress, [&](int l, ConstMatrixView m) {
      CHECK(l * 9 == static_cast<int>(layers.size()));
      layers.insert(layers.end(), m.data, m.data + m.size());
    }));
    CHECK(largest_difference(layers, v.get(where + "per_layer").values) <= kTolerance);
  }
}

TEST_CASE("rollout of a causal decoder agrees with the reference in every setting") {
  const Vector v("causal_6x4x3");
  const auto attn = v.get("inputs/attn");
  const auto stack = fuse(attn);
  check_rollout(stack.view(), 0.5, v.get("expected/rollout"), true);
  for (const std::string r : {"0", "0.1", "0.3", "0.7", "0.9", "1"})
    check_rollout(stack.view(), std::stod(r), v.get("expected/alpha/" + r), true);
  check_rollout(fuse(attn, Fusion::max).view(), 0.5, v.get("expected/fusion/max"), true);
  check_rollout(fuse(attn, Fusion::min).view(), 0.5, v.get("expected/fusion/min"), true);
  check_rollout(fuse(attn, Fusion::mean, {0, 2}).view(), 0.5, v.get("expected/fusion/select_0_2"), true);
  check_rollout(stack.view().slice(2, 4), 0.5, v.get("expected/start_layer_2"), true);
  const auto layers = v.get("expected/rollout_per_layer");
  for (int l = 0; l < 4; ++l) {
    Numbers one{{6, 6}, {layers.values.begin() + l * 36, layers.values.begin() + (l + 1) * 36}};
    check_rollout(stack.view().slice(0, l + 1), 0.5, one, true);
  }
}

TEST_CASE("rollout and raw attention of an encoder agree with the reference") {
  const Vector v("encoder_10x3x2");
  const auto stack = fuse(v.get("inputs/attn"));
  check_rollout(stack.view(), 0.5, v.get("expected/rollout"));
  std::vector<Real> m(100);
  raw_matrix(stack.view().slice(stack.depth() - 1, stack.depth()), {m.data(), 10, 10});
  CHECK(largest_difference(m, v.get("expected/raw_last_layer_mean").values) <= kTolerance);
  raw_matrix(stack.view(), {m.data(), 10, 10});
  CHECK(largest_difference(m, v.get("expected/raw_mean_all_layers").values) <= kTolerance);
  std::vector<double> row(10);
  raw_row(stack.view(), 4, row);
  for (std::size_t j = 0; j < 10; ++j) CHECK(row[j] == doctest::Approx(static_cast<double>(m[40 + j])).epsilon(1e-6));
}

TEST_CASE("rollout of identity and uniform attention takes the closed forms") {
  const Vector v("degenerate");
  Numbers identity{{3, 2, 4, 4}, {}}, uniform{{3, 2, 4, 4}, {}}, causal{{3, 2, 4, 4}, {}};
  for (int m = 0; m < 6; ++m)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        identity.values.push_back(i == j);
        uniform.values.push_back(0.25);
        causal.values.push_back(j <= i ? 1.0 / (i + 1) : 0);
      }
  check_rollout(fuse(identity).view(), 0.5, v.get("expected/identity/rollout"));
  check_rollout(fuse(uniform).view(), 0.5, v.get("expected/uniform/rollout"));
  check_rollout(fuse(uniform).view(), 0, v.get("expected/uniform/rollout_no_residual"));
  check_rollout(fuse(causal).view(), 0.5, v.get("expected/uniform_causal/rollout"), true);
  Numbers one{{1, 1, 1, 1}, {1}};
  check_rollout(fuse(one).view(), 0.5, v.get("expected/single_token/rollout"));
}

TEST_CASE("a row without attention keeps itself, and a dead head leaves the mean of the live ones") {
  const Vector v("degenerate");
  auto dead = v.get("inputs/attn");
  for (std::size_t h = 0; h < 2; ++h)
    for (std::size_t j = 0; j < 4; ++j) dead.values[((1 * 2 + h) * 4 + 2) * 4 + j] = 0;
  check_rollout(fuse(dead).view(), 0.5, v.get("expected/zero_row_all_heads/rollout"));
  check_rollout(fuse(dead).view(), 0, v.get("expected/zero_row_all_heads/rollout_no_residual"));
  auto half = v.get("inputs/attn");
  for (std::size_t j = 0; j < 4; ++j) half.values[((1 * 2 + 0) * 4 + 2) * 4 + j] = 0;
  check_rollout(fuse(half).view(), 0.5, v.get("expected/zero_row_one_head/rollout"));
  check_rollout(fuse(v.get("inputs/nan_row")).view(), 0.5, v.get("expected/nan_row/rollout_nan_as_zero"));
}

TEST_CASE("half-precision rows are divided by their sums before anything is computed") {
  const Vector v("degenerate");
  check_rollout(fuse(v.get("expected/fp16/attn_fp16")).view(), 0.5, v.get("expected/fp16/rollout_from_fp16_row_renormalised"));
}

TEST_CASE("padding and sliding windows need no special treatment in the product") {
  const Vector padding("padding_10");
  check_rollout(fuse(padding.get("inputs/attn")).view(), 0.5, padding.get("expected/rollout_full"));
  const Vector window("sliding_window_8");
  check_rollout(fuse(window.get("inputs/attn")).view(), 0.5, window.get("expected/rollout"), true);
}

TEST_CASE("the two sides of an encoder-decoder roll out by themselves") {
  const Vector v("encdec_5x7");
  check_rollout(fuse(v.get("inputs/enc_attn")).view(), 0.5, v.get("expected/encoder_rollout"));
  check_rollout(fuse(v.get("inputs/dec_attn")).view(), 0.5, v.get("expected/decoder_self_rollout"), true);
}

TEST_CASE("the last row follows the reference down to 24 layers") {
  const Vector v("depth_24");
  for (const std::string side : {"bidirectional", "causal"}) {
    const auto stack = fuse(v.get("inputs/" + side + "_attn"));
    for (const int depth : {1, 2, 4, 8, 16, 24}) {
      CAPTURE(side);
      CAPTURE(depth);
      const auto expected = v.get("expected/" + side + "/" + std::to_string(depth) + "/row_last");
      std::vector<double> row(8);
      rollout_row(stack.view().slice(0, depth), 7, 0.5, row);
      CHECK(largest_difference(row, expected.values) <= kTolerance);
    }
  }
}

TEST_CASE("rows of the rollout sum to 1 and residual 1 changes nothing") {
  for (const bool causal : {false, true}) {
    const auto stack = fuse(random_attention(6, 3, 17, causal, 11));
    for (const double residual : {0.0, 0.2, 0.5, 0.9}) {
      const auto r = full(stack.view(), residual, causal);
      for (std::size_t i = 0; i < 17; ++i)
        CHECK(std::accumulate(r.begin() + static_cast<int>(i * 17), r.begin() + static_cast<int>((i + 1) * 17), 0.0) == doctest::Approx(1).epsilon(kTolerance));
    }
    const auto same = full(stack.view(), 1.0, causal);
    for (std::size_t i = 0; i < 17; ++i)
      for (std::size_t j = 0; j < 17; ++j) CHECK(same[i * 17 + j] == (i == j ? 1 : 0));
  }
}

TEST_CASE("permuting the tokens permutes the rollout") {
  const auto attn = random_attention(4, 2, 9, false, 5);
  const std::vector<std::size_t> order{3, 8, 0, 5, 1, 7, 2, 6, 4};
  auto permuted = attn;
  for (std::size_t m = 0; m < 8; ++m)
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t j = 0; j < 9; ++j) permuted.values[(m * 9 + i) * 9 + j] = attn.values[(m * 9 + order[i]) * 9 + order[j]];
  const auto r = full(fuse(attn).view(), 0.5), p = full(fuse(permuted).view(), 0.5);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 9; ++j)
      CHECK(static_cast<double>(p[i * 9 + j]) == doctest::Approx(static_cast<double>(r[order[i] * 9 + order[j]])).epsilon(kTolerance));
}

TEST_CASE("the blocked product agrees with the plain one at odd sizes, and row blocks do not change a bit") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> weight(0, 1);
  for (const int n : {1, 2, 3, 5, 6, 7, 11, 12, 13, 23, 31, 50, 97}) {
    for (const bool lower : {false, true}) {
      CAPTURE(n);
      CAPTURE(lower);
      const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
      std::vector<Real> a(size), b(size), c(size, -1), plain(size), cut(size, -2), scratch(product_scratch(n));
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto at = static_cast<std::size_t>(i * n + j);
          a[at] = lower && j > i ? Real{0} : static_cast<Real>(weight(random) / n);
          b[at] = lower && j > i ? Real{0} : static_cast<Real>(weight(random));
        }
      const ConstMatrixView va{a.data(), n, n}, vb{b.data(), n, n};
      product_rows(va, vb, {c.data(), n, n}, 0, n, lower, scratch.data());
      product_plain(va, vb, {plain.data(), n, n});
      CHECK(largest_difference(c, std::vector<double>(plain.begin(), plain.end())) <= kTolerance);
      for (int first = 0; first < n; first += 5)
        product_rows(va, vb, {cut.data(), n, n}, first, std::min(n, first + 5), lower, scratch.data());
      CHECK(cut == c);
    }
  }
}

TEST_CASE("a sweep over residual weights gives the rows that each weight gives alone") {
  const auto stack = fuse(random_attention(5, 2, 12, true, 21));
  const std::vector<double> residuals{0, 0.25, 0.5, 0.9, 1};
  RolloutSweep sweep(stack.view(), 9, residuals);
  while (!sweep.step()) {}
  std::vector<double> row(12);
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    rollout_row(stack.view(), 9, residuals[k], row);
    CHECK(std::vector<double>(sweep.rows().begin() + static_cast<int>(k * 12), sweep.rows().begin() + static_cast<int>((k + 1) * 12)) == row);
  }
}

TEST_CASE("a cancelled rollout says so") {
  struct Stop final : Progress {
    int left = 2;
    bool advance(double) override { return left-- > 0; }
  } stop;
  const auto stack = fuse(random_attention(6, 1, 8, false, 2));
  std::vector<Real> r(64);
  const auto result = rollout(stack.view(), 0.5, false, {r.data(), 8, 8}, stop);
  REQUIRE(!result);
  CHECK(result.error().code == ErrorCode::cancelled);
}
