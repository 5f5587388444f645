#include "methods/residual.h"

#include <doctest/doctest.h>

#include "support/relatives.h"

using namespace rollscope;
using namespace rollscope::test;

TEST_CASE("residual weights per layer, and per layer and token, agree with the reference") {
  const Vector v("causal_6x4x3");
  const auto attn = v.get("inputs/attn");
  const auto per_layer = v.get("expected/alpha_per_layer/alphas").values;
  auto stack = fuse(attn);
  for (std::size_t l = 0; l < 4; ++l) mix_residual(view_of(stack.data[l], 6, 6), per_layer[l]);
  check_product(stack.view(), v.get("expected/alpha_per_layer/rollout"));
  const auto per_token = v.get("expected/alpha_per_layer_and_token/alphas").values;
  stack = fuse(attn);
  for (std::size_t l = 0; l < 4; ++l) mix_residual(view_of(stack.data[l], 6, 6), std::span(per_token).subspan(l * 6, 6));
  check_product(stack.view(), v.get("expected/alpha_per_layer_and_token/rollout"));
}

TEST_CASE("transfer matrices with one residual give the rollout with that residual, empty rows included") {
  const Vector v("degenerate");
  auto attn = v.get("inputs/attn");
  for (std::size_t h = 0; h < 2; ++h)
    for (std::size_t j = 0; j < 4; ++j) attn.values[((1 * 2 + h) * 4 + 2) * 4 + j] = 0;
  for (const double r : {0.0, 0.3, 0.5, 1.0}) {
    const auto fused = fuse(attn);
    auto transfers = fuse(attn);
    for (auto& layer : transfers.data) mix_residual(view_of(layer, 4, 4), r);
    const auto expected = product_of(fused.view(), r);
    CHECK(largest_difference(product_of(transfers.view()), {expected.begin(), expected.end()}) <= kTolerance);
  }
}

TEST_CASE("heads with weights 1, 2 and 5 agree with the reference") {
  const Vector v("causal_6x4x3");
  const auto attn = v.get("inputs/attn");
  const auto stack = make_stack(4, 6, 6, [&](int l, MatrixView to) {
    LayerFuser fuser(to, Fusion::mean, nullptr);
    for (std::size_t h = 0; h < 3; ++h) {
      auto head = matrix_at(attn, static_cast<std::size_t>(l) * 3 + h);
      normalise_head(view_of(head, 6, 6), nullptr);
      scale_head(view_of(head, 6, 6), std::vector{1.0, 2.0, 5.0}[h]);
      fuser.add_normalised(view_of(head, 6, 6));
    }
    fuser.finish();
  });
  check_product(stack.view(), v.get("expected/fusion/weighted_1_2_5"), 0.5);
}

TEST_CASE("one head at the top layer, over fused layers below, agrees with the reference") {
  const Vector v("causal_6x4x3");
  const auto attn = v.get("inputs/attn");
  const auto expected = v.get("expected/single_head_at_layer_3_appendix");
  for (int head = 0; head < 3; ++head) {
    auto stack = fuse(attn);
    const auto alone = fuse(attn, Fusion::mean, {head});
    stack.views[3] = alone.views[3];
    const Numbers one{{6, 6}, {expected.values.begin() + head * 36, expected.values.begin() + (head + 1) * 36}};
    check_product(stack.view(), one, 0.5);
  }
}

TEST_CASE("a rollout from layer 2 agrees with the reference") {
  const Vector v("causal_6x4x3");
  auto stack = fuse(v.get("inputs/attn"));
  for (auto& layer : stack.data) mix_residual(view_of(layer, 6, 6), 0.5);
  check_product(stack.view().slice(2, 4), v.get("expected/start_layer_2"));
}

// rollout-reversed: the same product over the layers from the top down, for comparison with texts that print it.
TEST_CASE("the reversed product is the rollout over the reversed list of layers") {
  const auto reversed = [](const Stack& stack) { return std::vector<ConstMatrixView>(stack.views.rbegin(), stack.views.rend()); };
  for (const std::string name : {"causal_6x4x3", "encoder_10x3x2", "vit_1p24"}) {
    CAPTURE(name);
    const Vector v(name);
    const auto stack = fuse(v.get("inputs/attn"));
    const auto layers = reversed(stack);
    check_product({layers}, v.get(name == "vit_1p24" ? "expected/seed_order_cls_row" : "expected/seed_order"), 0.5);
  }
  const Vector tiny("tiny_3x2_counterexample");
  const auto stack = fuse(tiny.get("inputs/attn"));
  check_product({reversed(stack)}, tiny.get("expected/no_residual/seed_order_A1A2"), 0);
  check_product({reversed(stack)}, tiny.get("expected/residual_half/seed_order"), 0.5);
  const Vector hand("hand_fractions_3x2");
  const auto fractions = fuse(hand.get("inputs/attn"));
  for (const std::string r : {"0", "0.25", "0.5", "0.75", "1"})
    check_product({reversed(fractions)}, hand.get("expected/residual_" + r + "/seed_order"), std::stod(r));
}
