#include "analysis/head_scores.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "support/vectors.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

ConstMatrixView head_of(std::vector<Real>& memory, const Numbers& attn, std::size_t layer, std::size_t head) {
  const auto n = attn.size(2), k = attn.size(3);
  const auto from = attn.values.begin() + static_cast<std::ptrdiff_t>((layer * attn.size(1) + head) * n * k);
  memory.assign(from, from + static_cast<std::ptrdiff_t>(n * k));
  return {memory.data(), static_cast<int>(n), static_cast<int>(k)};
}

// A head that puts `weight` where `target(i)` says and shares the rest among all keys it can see.
std::vector<Real> pattern(int n, bool causal, double weight, int (*target)(int)) {
  std::vector<Real> m(static_cast<std::size_t>(n * n));
  for (int i = 0; i < n; ++i) {
    const int visible = causal ? i + 1 : n, t = target(i);
    const double aim = t >= 0 && t < visible ? weight : 0;
    for (int j = 0; j < visible; ++j) m[static_cast<std::size_t>(i * n + j)] = static_cast<Real>((1 - aim) / visible);
    if (aim > 0) m[static_cast<std::size_t>(i * n + t)] += static_cast<Real>(aim);
  }
  return m;
}

HeadRole role_of(std::vector<Real> m, int n, bool causal, std::span<const int> ids = {}, std::span<const std::uint8_t> delimiters = {}) {
  return suggested_role(head_scores({m.data(), n, n}, ids, {.causal = causal, .delimiters = delimiters}));
}

void check_vector(const std::string& name, bool causal, std::span<const int> ids) {
  const Vector v(name);
  const auto attn = v.get("inputs/attn");
  std::vector<Real> memory;
  for (std::size_t l = 0; l < attn.size(0); ++l)
    for (std::size_t h = 0; h < attn.size(1); ++h) {
      const auto scores = head_scores(head_of(memory, attn, l, h), ids, {.causal = causal});
      const auto& expected = v.at("expected/diagnostics/" + std::to_string(l) + "/" + std::to_string(h));
      std::size_t held = 0;
      for (const auto& field : head_score_fields()) {
        const std::string key(field.name);
        if (!expected.HasMember(key.c_str())) continue;
        CAPTURE(key);
        ++held;
        CHECK(largest_difference(std::vector{(scores.*field.mean).value()}, numbers(expected[key.c_str()]).values) <= kTolerance);
      }
      CHECK(largest_difference(scores.entropy_rows, numbers(expected["entropy_rows"]).values) <= kTolerance);
      CHECK(held + 1 == expected.MemberCount());  // nothing of the reference is left unchecked
    }
}

}  // namespace

TEST_CASE("head scores of a causal decoder and of an encoder are those of the reference") {
  check_vector("causal_6x4x3", true, std::vector{1, 2, 3, 1, 2, 3});
  std::vector<int> distinct(10);
  std::iota(distinct.begin(), distinct.end(), 0);
  check_vector("encoder_10x3x2", false, distinct);
}

TEST_CASE("a head that follows one pattern gets the pattern's name, whatever else is near") {
  const int n = 24;
  std::vector<int> ids;
  for (int i = 0; i < n; ++i) ids.push_back(i % 12);  // the second half repeats the first
  for (const bool causal : {true, false}) {
    CHECK(role_of(pattern(n, causal, 0.8, [](int i) { return i - 1; }), n, causal, ids) == HeadRole::previous);
    CHECK(role_of(pattern(n, causal, 0.8, [](int) { return 0; }), n, causal, ids) == HeadRole::first);
    CHECK(role_of(pattern(n, causal, 0.8, [](int i) { return i - 12; }), n, causal, ids) == HeadRole::duplicate);
    CHECK(role_of(pattern(n, causal, 0.8, [](int i) { return i - 11; }), n, causal, ids) == HeadRole::induction);
    CHECK(role_of(pattern(n, causal, 0.8, [](int i) { return i; }), n, causal, ids) == HeadRole::self);
    CHECK(role_of(pattern(n, causal, 0, [](int) { return 0; }), n, causal, ids) == HeadRole::mixed);
  }
  CHECK(role_of(pattern(n, false, 0.8, [](int i) { return i + 1; }), n, false, ids) == HeadRole::next);
  std::vector<std::uint8_t> delimiters(n, 0);
  delimiters[0] = delimiters[23] = 1;
  CHECK(role_of(pattern(n, false, 0.8, [](int) { return 23; }), n, false, ids, delimiters) == HeadRole::delimiter);
  CHECK(role_of(pattern(n, false, 0.8, [](int) { return 0; }), n, false, ids, delimiters) == HeadRole::first);
}

TEST_CASE("no role is named where chance alone gives a good part of the score") {
  // Six causal tokens: uniform attention puts .29 on the previous one, so nothing can exceed it five times.
  CHECK(role_of(pattern(6, true, 0.99, [](int i) { return i - 1; }), 6, true) == HeadRole::mixed);
  CHECK(role_of(pattern(40, true, 0.35, [](int i) { return i - 1; }), 40, true) == HeadRole::mixed);
  // One repeated token in forty is one row: too few.
  std::vector<int> ids(40);
  std::iota(ids.begin(), ids.end(), 0);
  ids[30] = 5;
  const auto m = pattern(40, true, 0.9, [](int i) { return i == 30 ? 5 : -1; });
  CHECK(role_of(m, 40, true, ids) == HeadRole::mixed);
}

TEST_CASE("a role is named from several texts, in which every row counts once") {
  std::vector<int> ids(40);
  std::iota(ids.begin(), ids.end(), 0);
  ids[30] = 5;
  auto m = pattern(40, true, 0.9, [](int i) { return i == 30 ? 5 : -1; });
  HeadScores all;
  for (int text = 0; text < 4; ++text) {
    CHECK(suggested_role(all) == HeadRole::mixed);
    pool(all, head_scores({m.data(), 40, 40}, ids, {.causal = true}));
  }
  CHECK(suggested_role(all) == HeadRole::duplicate);
  CHECK(all.entropy_mean.weight == 160);
  CHECK(all.duplicate_rows_mean.weight == 4);
  // A short and a long text: 1 row of .5, 3 rows of 0.
  HeadScores uneven;
  std::vector<Real> half{Real(0.5), Real(0.5)}, rest{0, 1, 0, 0, 0, 1, 0, 1, 0};
  pool(uneven, head_scores({half.data(), 1, 2}, {}, {}));
  pool(uneven, head_scores({rest.data(), 3, 3}, {}, {}));
  CHECK(uneven.first_token.value() == doctest::Approx(0.125));
}

TEST_CASE("rows without a value are left out of every mean") {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  std::vector<Real> m{1, 0, 0, nan, nan, nan, 0, 1, 0};
  auto scores = head_scores({m.data(), 3, 3}, std::vector{7, 7, 7}, {});
  CHECK(scores.entropy_mean.weight == 2);
  CHECK(std::isnan(scores.entropy_rows[1]));
  CHECK(scores.previous_token.value() == 1);
  CHECK(scores.duplicate_rows_mean.value() == 1);
  CHECK(scores.duplicate_tl_mul.value() == 0.5);
  std::vector<Real> dead(9, Real{0});
  scores = head_scores({dead.data(), 3, 3}, {}, {});
  for (const auto& field : head_score_fields()) CHECK(std::isnan((scores.*field.mean).value()));
  CHECK(suggested_role(scores) == HeadRole::mixed);
}

TEST_CASE("positions mean nothing across two texts, and one token has no neighbours") {
  std::vector<Real> cross{Real(0.25), Real(0.75), 0, 0, Real(0.5), Real(0.5)};
  auto scores = head_scores({cross.data(), 2, 3}, std::vector{1, 1, 1}, {});
  CHECK(scores.confidence_mean_max.value() == doctest::Approx(0.625));
  CHECK(scores.first_token.value() == doctest::Approx(0.125));
  for (const auto mean : {scores.mean_distance, scores.previous_token, scores.diagonal, scores.duplicate_rows_mean, scores.previous_token_tl_mul})
    CHECK(std::isnan(mean.value()));
  std::vector<Real> one{1};
  scores = head_scores({one.data(), 1, 1}, std::vector{3}, {.causal = true});
  CHECK(scores.diagonal.value() == 1);
  CHECK(std::isnan(scores.entropy_normalised_mean.value()));
  CHECK(std::isnan(scores.previous_token.value()));
}

TEST_CASE("a repeated neighbour is no induction, except where TransformerLens counts it") {
  std::vector<Real> m{1, 0, 0, 1};  // both rows read themselves; token 1 equals token 0
  const auto scores = head_scores({m.data(), 2, 2}, std::vector{4, 4}, {.causal = true});
  CHECK(scores.induction_tl_mul.value() == 0.5);
  CHECK(std::isnan(scores.induction_rows_mean.value()));
}

TEST_CASE("distance in an image is counted in patches, without the class token") {
  // [CLS] and 2 x 3 patches: patch (0,0) reads half [CLS], a quarter itself, a quarter patch (1,2).
  std::vector<Real> m(49, Real{0});
  for (int i = 0; i < 7; ++i) m[static_cast<std::size_t>(i * 7)] = 1;
  m[7] = Real(0.5), m[8] = Real(0.25), m[13] = Real(0.25);
  const auto scores = head_scores({m.data(), 7, 7}, {}, {.grid = {1, 2, 3}});
  CHECK(scores.patch_distance.weight == 1);  // the other patches read [CLS] alone
  CHECK(scores.patch_distance.value() == doctest::Approx(std::sqrt(5.0) / 2));
  CHECK(std::isnan(head_scores({m.data(), 7, 7}, {}, {.grid = {1, 3, 3}}).patch_distance.value()));
}

TEST_CASE("a virtual sink is a place for weight, and no token") {
  // Two tokens and the sink: rows (.5 .0 | .5), (.25 .25 | .5); the sink's own row says nothing.
  std::vector<Real> m{Real(0.5), 0, Real(0.5), Real(0.25), Real(0.25), Real(0.5), 0, 0, 1};
  const auto scores = head_scores({m.data(), 3, 3}, {}, {.causal = true, .virtual_sink = true});
  CHECK(scores.entropy_mean.weight == 2);
  CHECK(scores.mean_distance.value() == doctest::Approx(0.125));
  CHECK(scores.next_token.weight == 1);
  CHECK(scores.entropy_normalised_mean.value() == doctest::Approx((1 + 1.5 * std::log(2.0) / std::log(3.0)) / 2));
}
