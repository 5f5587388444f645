#include "analysis/limits.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/explain_view.h"
#include "analysis/measures.h"
#include "analysis/recipe_text.h"
#include "methods/rollout.h"
#include "support/vectors.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

Stream stream_of(int layers, int heads, std::vector<std::string> labels) {
  Stream s;
  s.name = "self";
  for (int l = 0; l < layers; ++l) s.layer_numbers.push_back(l);
  s.heads = heads;
  s.queries = s.keys = static_cast<int>(labels.size());
  for (auto& label : labels) {
    Token token;
    token.label = token.raw = label;
    token.special = label.front() == '[';
    s.key_tokens.push_back(token);
  }
  s.query_tokens = s.key_tokens;
  return s;
}

// Every row gives `share` to key `strong` and the rest evenly to the others.
Numbers leaning(int n, int strong, double share) {
  Numbers out{{1, 1, static_cast<std::size_t>(n), static_cast<std::size_t>(n)}, {}};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) out.values.push_back(j == strong ? share : (1 - share) / (n - 1));
  return out;
}

StrongKeys keys_of(const Stream& s, const Numbers& attn) {
  StackStats stats;
  fuse(attn, Fusion::mean, {}, &stats);
  Recipe recipe;
  recipe.end_layer = s.layers();
  return strong_keys(s, recipe, stats);
}

bool has(const Report& report, ReportCode code) {
  return std::any_of(report.begin(), report.end(), [&](const auto& item) { return item.code == code; });
}

}  // namespace

TEST_CASE("a strong key is a sink by what it is, and content otherwise") {
  const std::vector<std::string> labels{"a", "b", ".", "[SEP]", "c", "d", "e", "f", "g", "h"};
  const auto s = stream_of(1, 1, labels);
  for (int key = 0; key < 5; ++key) {
    CAPTURE(key);
    const auto found = keys_of(s, leaning(10, key, 0.4));
    const bool content = key == 1 || key == 4;
    CHECK(found.sinks == (content ? std::vector<int>{} : std::vector{key}));
    CHECK(found.dominant == (content ? std::vector{key} : std::vector<int>{}));
    CHECK(found.share[static_cast<std::size_t>(key)] == doctest::Approx(0.4));
    CHECK(found.chance[static_cast<std::size_t>(key)] == doctest::Approx(0.1));
  }
}

TEST_CASE("a word whose value is short is a sink, where the file says how long values are") {
  auto s = stream_of(1, 1, {"a", "b", "c", "d", "e", "f"});
  const auto attn = leaning(6, 2, 0.6);
  CHECK(keys_of(s, attn).dominant == std::vector{2});
  s.value_norms = {1, 1, 0.6f, 1, 1, 1};  // more than half the mean
  CHECK(keys_of(s, attn).dominant == std::vector{2});
  s.value_norms = {1, 1, 0.3f, 1, 1, 1};
  CHECK(keys_of(s, attn).sinks == std::vector{2});
  CHECK(keys_of(s, attn).dominant.empty());
}

TEST_CASE("a sink needs .15 of the attention and three times chance") {
  const auto ten = stream_of(1, 1, {"[CLS]", "b", "c", "d", "e", "f", "g", "h", "i", "j"});
  CHECK(keys_of(ten, leaning(10, 0, 0.301)).sinks.size() == 1);
  CHECK(keys_of(ten, leaning(10, 0, 0.299)).sinks.empty());  // under three times 0.1
  std::vector<std::string> many(40, "w");
  const auto forty = stream_of(1, 1, many);
  CHECK(keys_of(forty, leaning(40, 0, 0.151)).sinks.size() == 1);
  CHECK(keys_of(forty, leaning(40, 0, 0.149)).sinks.empty());  // far above chance, under .15
}

TEST_CASE("the sink rule looks at the heads and layers of the recipe") {
  const auto s = stream_of(2, 2, {"[CLS]", "b", "c", "d", "e", "f", "g", "h", "i", "j"});
  Numbers attn{{2, 2, 10, 10}, {}};
  for (const bool sunk : {false, false, false, true}) {  // the second head of the second layer alone
    const auto one = leaning(10, 0, sunk ? 0.9 : 0.1);
    attn.values.insert(attn.values.end(), one.values.begin(), one.values.end());
  }
  StackStats stats;
  fuse(attn, Fusion::mean, {}, &stats);
  Recipe recipe;
  recipe.end_layer = 2;
  CHECK(strong_keys(s, recipe, stats).share[0] == doctest::Approx(0.3));
  recipe.heads = {0};
  CHECK(strong_keys(s, recipe, stats).sinks.empty());
  recipe.heads = {1};
  recipe.first_layer = 1;
  CHECK(strong_keys(s, recipe, stats).share[0] == doctest::Approx(0.9));
}

TEST_CASE("alike rows are said, and collapsed ones in other words") {
  const auto s = stream_of(1, 1, {"a", "b", "c"});
  Recipe recipe;
  recipe.end_layer = 1;
  const StrongKeys none;
  CHECK(has(recipe_limits(s, recipe, none, 0.05), ReportCode::rollout_collapsed));
  CHECK(has(recipe_limits(s, recipe, none, 0.051), ReportCode::rows_similar));
  CHECK(has(recipe_limits(s, recipe, none, 0.15), ReportCode::rows_similar));
  CHECK(recipe_limits(s, recipe, none, 0.151).empty());
  CHECK(recipe_limits(s, recipe, none, -1).empty());
}

TEST_CASE("limits of a row: near uniform, below chance, the mask's own share") {
  auto s = stream_of(2, 1, {"a", "b", "c", "[SEP]"});
  Recipe recipe;
  recipe.end_layer = 2;
  const std::vector<double> chance{0.25, 0.25, 0.25, 0.25};
  const std::vector<double> even{0.24, 0.24, 0.24, 0.28}, peaked{0.9, 0.05, 0.03, 0.02};
  const auto limits = [&](const std::vector<double>& row, const std::vector<double>& uniform) {
    return row_limits({&s, &recipe, 3, row, uniform, spread(row), 4, nullptr});
  };
  CHECK(has(limits(even, chance), ReportCode::nearly_uniform));
  CHECK(has(limits(even, chance), ReportCode::below_uniform));  // only [SEP] exceeds it
  CHECK_FALSE(has(limits(peaked, chance), ReportCode::nearly_uniform));
  CHECK_FALSE(has(limits(peaked, chance), ReportCode::below_uniform));
  CHECK_FALSE(has(limits(peaked, std::vector{0.5, 0.2, 0.2, 0.1}), ReportCode::absorbing_first_token));
  s.causal = true;
  CHECK(has(limits(peaked, std::vector{0.5, 0.2, 0.2, 0.1}), ReportCode::absorbing_first_token));
  CHECK_FALSE(has(limits(peaked, std::vector{0.33, 0.3, 0.2, 0.17}), ReportCode::absorbing_first_token));
}

TEST_CASE("the residual from which the token itself comes first is found to the hundredth") {
  // Two tokens, one layer: row 0 is (r + (1 - r) f, (1 - r)(1 - f)); itself first from r = (1 - 2f) / (2 - 2f) on.
  std::vector<Real> f{Real(0.1), Real(0.9), Real(0.5), Real(0.5)};
  const std::vector<ConstMatrixView> layers{{f.data(), 2, 2}};
  const auto range = residual_range({layers}, 0, 1);
  CHECK(range.itself_from == doctest::Approx(0.45));  // (1 - 0.2) / 1.8 = 0.444
  CHECK(range.first_changes);
  CHECK(range.first_other == -1);
  CHECK(range.low[1] == doctest::Approx(0.09));
  CHECK(range.high[1] == doctest::Approx(0.675));
  const auto already = residual_range({layers}, 1, 1);
  CHECK(already.itself_from == -1);
}

TEST_CASE("recipes are resolved by the defaults of the contracts and refused with the reason") {
  DumpInfo dump;
  dump.streams = {stream_of(3, 4, {"a", "b"}), stream_of(3, 4, {"a", "b"}), stream_of(3, 4, {"a", "b"})};
  dump.streams[0].name = "cross";
  dump.streams[0].kind = StreamKind::cross;
  dump.streams[1].name = "decoder";
  dump.streams[1].kind = StreamKind::decoder;
  dump.streams[2].name = "odd";
  dump.streams[2].kind = StreamKind::contributions;
  auto recipe = resolve_recipe(dump, {});
  REQUIRE(recipe);
  CHECK(recipe->stream == "decoder");
  CHECK(recipe->method == Method::rollout);
  CHECK(recipe->end_layer == 3);
  RecipeRequest cross;
  cross.stream = "cross";
  recipe = resolve_recipe(dump, cross);
  REQUIRE(recipe);
  CHECK(recipe->method == Method::raw);
  CHECK(recipe->first_layer == 2);
  cross.method = Method::rollout;
  recipe = resolve_recipe(dump, cross);
  REQUIRE_FALSE(recipe);
  CHECK(recipe.error().code == ErrorCode::method_not_for_stream);
  RecipeRequest all_heads;
  all_heads.heads = {3, 1, 2, 0, 1};
  CHECK(resolve_recipe(dump, all_heads)->heads.empty());
  const auto s = dump.streams[1];
  Recipe r = *resolve_recipe(dump, {});
  r.heads = {0, 2};
  r.residual = 0.125;
  CHECK(recipe_sentence(s, r) == "Rollout of decoder self-attention over layers 1 to 3, heads 1 and 3 of 4 fused by mean, residual 0.125.");
}
