#include "methods/sinks.h"

#include <doctest/doctest.h>

#include "methods/uniform.h"
#include "support/relatives.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

// Heads without the keys, fused.
Stack fuse_without(const Numbers& attn, const std::vector<int>& keys, StackStats* stats = nullptr) {
  const auto heads = attn.size(1);
  const int q = static_cast<int>(attn.size(2)), k = static_cast<int>(attn.size(3));
  return make_stack(static_cast<int>(attn.size(0)), q, k, [&](int l, MatrixView to) {
    LayerFuser fuser(to, Fusion::mean, nullptr);
    for (std::size_t h = 0; h < heads; ++h) {
      auto head = matrix_at(attn, static_cast<std::size_t>(l) * heads + h);
      normalise_head(view_of(head, q, k), stats);
      remove_keys(view_of(head, q, k), keys);
      fuser.add_normalised(view_of(head, q, k));
    }
    fuser.finish();
  });
}

}  // namespace

TEST_CASE("a causal rollout without its first key agrees with the reference, after the product and before it") {
  const Vector v("causal_6x4x3");
  const auto attn = v.get("inputs/attn");
  const auto stack = fuse(attn);
  const std::vector<int> first{0};
  auto r = product_of(stack.view(), 0.5);
  renormalise_without(view_of(r, 6, 6), first);
  CHECK(largest_difference(r, v.get("expected/drop_first_key_renormalised").values) <= kTolerance);
  std::vector<double> row(6), rows;
  for (int i = 0; i < 6; ++i) {
    rollout_row(stack.view(), i, 0.5, row);
    renormalise_without(row, first);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  CHECK(largest_difference(rows, v.get("expected/drop_first_key_renormalised").values) <= kTolerance);

  StackStats stats;
  check_product(fuse_without(attn, first, &stats).view(), v.get("expected/first_key_removed_before_rollout"), 0.5);
  CHECK(stats.rows == 72);
  CHECK(stats.zero_rows == 0);  // what was read had no empty row; row 0 has one only without its key
}

TEST_CASE("removing a key from the fused layer is not removing it from the heads") {
  const Vector v("causal_6x4x3");
  auto stack = fuse(v.get("inputs/attn"));
  for (auto& layer : stack.data) remove_keys(view_of(layer, 6, 6), std::vector<int>{0});
  const auto difference = largest_difference(product_of(stack.view(), 0.5), v.get("expected/first_key_removed_before_rollout").values);
  CHECK(difference > 0.03);
  CHECK(difference < 0.04);
}

TEST_CASE("lift over uniform attention agrees with the reference") {
  const Vector v("causal_6x4x3");
  const auto stack = fuse(v.get("inputs/attn"));
  std::vector<double> row(6), uniform(6), rows, baseline;
  for (int i = 0; i < 6; ++i) {
    rollout_row(stack.view(), i, 0.5, row);
    uniform_rollout_row(6, 4, 0.5, true, i, uniform);
    lift(row, uniform);
    rows.insert(rows.end(), row.begin(), row.end());
    baseline.insert(baseline.end(), uniform.begin(), uniform.end());
  }
  CHECK(largest_difference(baseline, v.get("expected/uniform_causal_baseline").values) <= kTolerance);
  CHECK(largest_difference(rows, v.get("expected/lift_over_baseline").values) <= kTolerance);
}

TEST_CASE("the row of [CLS] without special tokens agrees with the reference") {
  const Vector v("encoder_10x3x2");
  std::vector<double> row(10);
  rollout_row(fuse(v.get("inputs/attn")).view(), 0, 0.5, row);
  renormalise_without(row, std::vector<int>{9, 0, 9});
  CHECK(largest_difference(row, v.get("expected/cls_row_without_special").values) <= kTolerance);
}

TEST_CASE("a virtual sink, the last key, is set aside like any other") {
  std::vector<double> row{0.1, 0.3, 0.6};
  renormalise_without(row, std::vector<int>{2});
  CHECK(largest_difference(row, {0.25, 0.75, 0}) <= 1e-15);
  auto head = as_real(std::vector{0.25, 0.25, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0});
  remove_keys(view_of(head, 3, 3), std::vector<int>{2});
  CHECK(head == as_real(std::vector{0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}));
}

TEST_CASE("rows with nothing but sinks, and rows that are not finite, become zeros") {
  for (const std::vector<double>& empty : {std::vector{1.0, 0.0, 0.0}, {0.5, std::nan(""), 0.5}, {0.5, 0.5, -0.5}}) {
    auto row = empty;
    renormalise_without(row, std::vector<int>{0});
    CHECK(row == std::vector{0.0, 0.0, 0.0});
  }
  std::vector<double> row{0.5, 0.25, 0.25};
  lift(row, std::vector{0.25, 0.25, 0.0});
  CHECK(row == std::vector{2.0, 1.0, 0.0});
}
