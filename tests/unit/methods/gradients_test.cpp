#include "methods/gradients.h"

#include <doctest/doctest.h>

#include <limits>

#include "methods/raw.h"
#include "support/relatives.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

constexpr auto kInfinity = std::numeric_limits<double>::infinity();

// F of every layer, heads in ascending order.
Stack gradient_stack(const Numbers& attn, const Numbers& grad, GradientKind kind, GradientStats* stats = nullptr) {
  const auto heads = attn.size(1);
  const int q = static_cast<int>(attn.size(2)), k = static_cast<int>(attn.size(3));
  return make_stack(static_cast<int>(attn.size(0)), q, k, [&](int l, MatrixView to) {
    GradientFuser fuser(to, kind, stats);
    for (std::size_t h = 0; h < heads; ++h) {
      auto a = matrix_at(attn, static_cast<std::size_t>(l) * heads + h), g = matrix_at(grad, static_cast<std::size_t>(l) * heads + h);
      fuser.add(view_of(a, q, k), view_of(g, q, k));
    }
    fuser.finish();
  });
}

void each_layer(Stack& stack, void (*change)(MatrixView)) {
  for (auto& layer : stack.data) change(view_of(layer, stack.views[0].rows, stack.views[0].columns));
}

Stack one_layer(std::vector<double> attn, std::vector<double> grad, GradientKind kind, GradientStats* stats = nullptr) {
  const std::size_t heads = attn.size() / 4;
  return gradient_stack({{1, heads, 2, 2}, std::move(attn)}, {{1, heads, 2, 2}, std::move(grad)}, kind, stats);
}

}  // namespace

TEST_CASE("gradient rollouts of an encoder agree with the reference, clamped before and after the mean over heads") {
  const Vector v("encoder_10x3x2");
  const auto attn = v.get("inputs/attn"), grad = v.get("inputs/grad");
  auto clamped = gradient_stack(attn, grad, GradientKind::positive);
  each_layer(clamped, add_identity_and_normalise);
  check_product(clamped.view(), v.get("expected/grad_rollout_chefer_cam"));
  auto mean = gradient_stack(attn, grad, GradientKind::mean_first);
  each_layer(mean, add_identity_and_normalise);
  check_product(mean.view(), v.get("expected/grad_rollout_mean_clamped"));
}

TEST_CASE("relevance of a self-attention model is the product of I + F, and its class row is shown without itself") {
  const Vector v("encoder_10x3x2");
  auto stack = gradient_stack(v.get("inputs/attn"), v.get("inputs/grad"), GradientKind::positive);
  each_layer(stack, add_identity);
  check_product(stack.view(), v.get("expected/chefer_self"));
  std::vector<double> row(10);
  rollout_row(stack.view(), 0, 0, row);
  row[0] = 0;
  CHECK(largest_difference(row, v.get("expected/chefer_cls_row_no_self").values) <= kTolerance);
  const Vector vit("vit_1p24");
  auto image = gradient_stack(vit.get("inputs/attn"), vit.get("inputs/grad"), GradientKind::positive);
  each_layer(image, add_identity);
  check_product(image.view(), vit.get("expected/chefer_self_cls_row"));
}

TEST_CASE("Grad-SAM scores are means over layers, heads and one token axis") {
  const Vector v("encoder_10x3x2");
  const auto stack = gradient_stack(v.get("inputs/attn"), v.get("inputs/grad"), GradientKind::grad_sam);
  std::vector<Real> mean(100);
  raw_matrix(stack.view(), view_of(mean, 10, 10));
  std::vector<double> scores(10);
  query_means({mean.data(), 10, 10}, scores);
  CHECK(largest_difference(scores, v.get("expected/grad_sam_mean_over_keys").values) <= kTolerance);
  key_means({mean.data(), 10, 10}, scores);
  CHECK(largest_difference(scores, v.get("expected/grad_sam_mean_over_queries").values) <= kTolerance);
}

TEST_CASE("the four ways to weight attention by gradients differ where heads disagree") {
  const std::vector<double> attn{0.5, 0.5, 1, 0, 0.25, 0.75, 1, 0}, grad{4, -2, 1, 8, -2, 4, -3, 8};
  const auto f = [&](GradientKind kind) { return one_layer(attn, grad, kind).data[0]; };
  CHECK(f(GradientKind::positive) == as_real(std::vector{1.0, 1.5, 0.5, 0.0}));
  CHECK(f(GradientKind::mean_first) == as_real(std::vector{0.75, 1.0, 0.0, 0.0}));
  CHECK(f(GradientKind::grad_sam) == as_real(std::vector{1.0, 1.5, 0.5, 0.0}));
  // mean gradients of the heads: 11/4 and 7/4
  CHECK(f(GradientKind::attention_gradient) == as_real(std::vector{(0.5 * 2.75 + 0.25 * 1.75) / 2, (0.5 * 2.75 + 0.75 * 1.75) / 2, 2.25, 0.0}));
}

TEST_CASE("gradients that are not finite count as 0 and are counted") {
  for (const auto kind : {GradientKind::positive, GradientKind::mean_first, GradientKind::grad_sam, GradientKind::attention_gradient}) {
    GradientStats stats;
    const auto bad = one_layer({0.5, 0.5, 0.5, 0.5}, {std::nan(""), 1, kInfinity, -kInfinity}, kind, &stats);
    const auto clean = one_layer({0.5, 0.5, 0.5, 0.5}, {0, 1, 0, 0}, kind);
    CHECK(bad.data[0] == clean.data[0]);
    CHECK(stats.values == 4);
    CHECK(stats.bad_gradients == 3);
    CHECK(stats.bad_rows == 0);
    CHECK(stats.positive == 1);
    CHECK(stats.negative == 0);
  }
}

TEST_CASE("an attention row that is not finite counts as zeros, as a whole") {
  GradientStats stats;
  const auto stack = one_layer({std::nan(""), 0.5, 0.25, 0.75}, {1, 1, 1, 1}, GradientKind::positive, &stats);
  CHECK(stack.data[0] == as_real(std::vector{0.0, 0.0, 0.25, 0.75}));
  CHECK(stats.bad_rows == 1);
}

TEST_CASE("rows without a positive gradient keep themselves, and huge gradients leave shares") {
  const double huge = static_cast<double>(std::numeric_limits<Real>::max());
  auto stack = one_layer({1, 1, 1, 1, 1, 1, 1, 1}, {-1, -2, huge, huge, -1, -2, huge, huge}, GradientKind::positive);
  each_layer(stack, add_identity_and_normalise);
  CHECK(largest_difference(stack.data[0], {1, 0, 0.5, 0.5}) <= kTolerance);
}

TEST_CASE("the gradient of a loss is seen by its signs") {
  GradientStats stats;
  const auto stack = one_layer({0.5, 0.5, 0.5, 0.5}, {-1, -2, -3, -1}, GradientKind::positive, &stats);
  CHECK(stats.positive == 0);
  CHECK(stats.negative == 4);
  CHECK(largest_difference(stack.data[0], {0, 0, 0, 0}) == 0);
}
