#include "methods/words.h"

#include <doctest/doctest.h>

#include "support/relatives.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

std::vector<Real> merged(std::vector<Real> m, int rows, int columns, const TokenGroups& q, const TokenGroups& k, QueryMerge how) {
  std::vector<Real> out(static_cast<std::size_t>(q.count * k.count), Real{9});
  merge_tokens(view_of(m, rows, columns), q, k, how, view_of(out, q.count, k.count));
  return out;
}

// [CLS] play ##ing chess is un ##believ ##ably fun [SEP]
const std::vector<int> kWords{-1, 0, 0, 1, 2, 3, 3, 3, 4, -1};

}  // namespace

TEST_CASE("tokens of a word that stand side by side form a group, and -1 stands alone") {
  CHECK(group_tokens(kWords).of == std::vector{0, 1, 1, 2, 3, 4, 4, 4, 5, 6});
  CHECK(group_tokens(kWords).count == 7);
  CHECK(group_tokens(std::vector{-1, -1, -1}).of == std::vector{0, 1, 2});
  // Two texts, each numbered from 0: their first words are two words.
  CHECK(group_tokens(std::vector{0, 0, 1, -1, 0, 1, 1}).of == std::vector{0, 0, 1, 2, 3, 4, 4});
  CHECK(group_tokens(std::vector{7, 7, 3, 3}).of == std::vector{0, 0, 1, 1});
  CHECK(group_tokens({}).count == 0);
}

TEST_CASE("merged words agree with the reference: mean, first and max of the queries, sum of the keys") {
  const Vector v("encoder_10x3x2");
  const auto attn = v.get("inputs/attn");
  const auto groups = group_tokens(kWords);
  const auto r = product_of(fuse(attn).view(), 0.5);
  const auto check = [&](const std::vector<Real>& m, QueryMerge how, const std::string& name) {
    CHECK(largest_difference(merged(m, 10, 10, groups, groups, how), v.get("expected/words/" + name).values) <= kTolerance);
  };
  check(r, QueryMerge::mean, "rollout_sum_keys_mean_queries");
  check(r, QueryMerge::first, "rollout_first");
  check(r, QueryMerge::max, "rollout_max_renormalised");
  check(matrix_at(attn, 0), QueryMerge::mean, "attn_l0h0_sum_keys_mean_queries");
}

TEST_CASE("merging every layer before the product agrees with the reference, and is another result") {
  const Vector v("encoder_10x3x2");
  const auto groups = group_tokens(kWords);
  const auto fused = fuse(v.get("inputs/attn"));
  const auto words = make_stack(3, 7, 7, [&](int l, MatrixView to) { merge_tokens(fused.view()[l], groups, groups, QueryMerge::mean, to); });
  check_product(words.view(), v.get("expected/words/merge_then_rollout"), 0.5);
  const auto after = merged(product_of(fused.view(), 0.5), 10, 10, groups, groups, QueryMerge::mean);
  const double difference = v.get("expected/words/merge_then_rollout_differs_by").values[0];
  CHECK(largest_difference(product_of(words.view(), 0.5), {after.begin(), after.end()}) == doctest::Approx(difference).epsilon(1e-4));
}

TEST_CASE("queries and keys may have different groups, and rows keep their sums") {
  const auto m = as_real(std::vector{0.5, 0.25, 0.25, 0.0, 0.125, 0.125, 0.25, 0.5, 0.0, 0.0, 0.0, 1.0});
  const auto q = group_tokens(std::vector{0, 0, 1}), k = group_tokens(std::vector{0, 1, 1, 1});
  CHECK(merged(m, 3, 4, q, k, QueryMerge::mean) == as_real(std::vector{0.3125, 0.6875, 0.0, 1.0}));
  CHECK(merged(m, 3, 4, q, k, QueryMerge::first) == as_real(std::vector{0.5, 0.5, 0.0, 1.0}));
  CHECK(merged(m, 3, 4, q, k, QueryMerge::last) == as_real(std::vector{0.125, 0.875, 0.0, 1.0}));
  CHECK(largest_difference(merged(m, 3, 4, q, k, QueryMerge::max), {0.5 / 1.375, 0.875 / 1.375, 0, 1}) <= kTolerance);
  CHECK(merged(std::vector<Real>(12), 3, 4, q, k, QueryMerge::max) == std::vector<Real>(4));
  std::vector<double> out(2);
  merge_keys(std::vector{0.5, 0.25, 0.125, 0.125}, k, out);
  CHECK(out == std::vector{0.5, 0.5});
}

TEST_CASE("groups of one token change nothing, and NaN stays in its groups") {
  const auto m = as_real(std::vector{0.5, 0.5, 0.25, 0.75});
  const auto one = group_tokens(std::vector{-1, -1});
  for (const auto how : {QueryMerge::mean, QueryMerge::first, QueryMerge::last, QueryMerge::max})
    CHECK(merged(m, 2, 2, one, one, how) == m);
  const auto with_nan = merged(as_real(std::vector{std::nan(""), 0.5, 0.5, 1.0, 0.0, 0.0}), 2, 3, one, group_tokens(std::vector{0, 0, 1}), QueryMerge::mean);
  CHECK(std::isnan(with_nan[0]));
  CHECK(std::vector<Real>(with_nan.begin() + 1, with_nan.end()) == as_real(std::vector{0.5, 1.0, 0.0}));
}
