#include "analysis/narration.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>

using namespace rollscope;

namespace {

struct Case {
  Stream stream;
  Recipe recipe;
  std::vector<double> row{0.5, 0.2, 0.1, 0.1, 0.1}, uniform{0.2, 0.2, 0.2, 0.2, 0.2};
  std::vector<int> sinks;
  std::vector<OtherRecipe> others;
  double rows_distance = -1;
  std::optional<ResidualRange> range;

  Case() {
    stream.layer_numbers = {0, 1, 2, 5};
    stream.heads = 2;
    stream.queries = stream.keys = 5;
    for (const auto* label : {"[CLS]", "le", "chat", "le", "soir"}) {
      Token token;
      token.label = label;
      stream.key_tokens.push_back(token);
    }
    stream.query_tokens = stream.key_tokens;
    recipe.end_layer = 4;
  }
  [[nodiscard]] std::vector<Fact> facts() const {
    return narrate({&stream, &stream, &recipe, "chat", row, uniform, 5, sinks, rows_distance, range ? &*range : nullptr, others});
  }
  [[nodiscard]] std::vector<std::string> in(Language language) const {
    std::vector<std::string> out;
    for (const auto& fact : facts()) out.push_back(sentence(fact, language));
    return out;
  }
  [[nodiscard]] bool says(NarrationId id) const {
    for (const auto& fact : facts())
      if (fact.id == id) return true;
    return false;
  }
};

}  // namespace

TEST_CASE("a row is told in three languages, with numbers and quotation marks as each writes them") {
  const Case c;
  const std::vector<std::string> en{
      "Largest rollout weights of output “chat”: 1. “[CLS]”\u00A050.0\u00A0%, 2. “le”\u00A020.0\u00A0%, 3. “chat”\u00A010.0\u00A0%, 3. “le”\u00A010.0\u00A0%, 3. “soir”\u00A010.0\u00A0%.",
      "An equal rank is an equal weight; between such tokens the order is that of the text.",
      "Together these 5 tokens hold 100.0\u00A0% of the row.",
      "The row is moderately spread: over 3.9 tokens, under uniform attention over 5.0.",
      "This is routing of attention under a linear model with residual weight 0.50; not a cause."};
  CHECK(c.in(Language::en) == en);
  const auto fr = c.in(Language::fr);
  CHECK(fr[0] == "Plus grands poids de rollout de la sortie «\u00A0chat\u00A0»\u00A0: 1. «\u00A0[CLS]\u00A0»\u00A050,0\u00A0%, 2. «\u00A0le\u00A0»\u00A020,0\u00A0%, 3. «\u00A0chat\u00A0»\u00A010,0\u00A0%, 3. «\u00A0le\u00A0»\u00A010,0\u00A0%, 3. «\u00A0soir\u00A0»\u00A010,0\u00A0%.");
  CHECK(fr[3] == "La ligne est moyennement étalée\u00A0: sur 3,9 jetons, sous attention uniforme sur 5,0.");
  const auto ja = c.in(Language::ja);
  CHECK(ja[0] == "出力「chat」のロールアウト値が大きいトークン：1. 「[CLS]」50.0%、2. 「le」20.0%、3. 「chat」10.0%、3. 「le」10.0%、3. 「soir」10.0%。");
  CHECK(ja.size() == en.size());
}

TEST_CASE("spread is judged against uniform attention, and left unsaid where that is not defined") {
  Case c;
  CHECK(c.says(NarrationId::spread_moderate));
  c.row = {0.96, 0.01, 0.01, 0.01, 0.01};
  CHECK(c.says(NarrationId::spread_concentrated));
  c.row = {0.2, 0.21, 0.19, 0.2, 0.2};
  CHECK(c.says(NarrationId::spread_diffuse));
  c.uniform.clear();
  for (const NarrationId id : {NarrationId::spread_concentrated, NarrationId::spread_moderate, NarrationId::spread_diffuse}) CHECK_FALSE(c.says(id));
}

TEST_CASE("shares are told only of rows that sum to one") {
  Case c;
  c.recipe.method = Method::flow;
  c.row = {1, 1, 0.5, 0.25, 0.125};
  const auto en = c.in(Language::en);
  CHECK(en[0] == "Largest max-flows of output “chat”: 1. “[CLS]”\u00A01, 1. “le”\u00A01, 3. “chat”\u00A00.5, 4. “le”\u00A00.25, 5. “soir”\u00A00.125. A flow ranks the tokens, it does not share out a whole.");
  CHECK_FALSE(c.says(NarrationId::cumulative));
  CHECK_FALSE(c.says(NarrationId::sinks));
  c.recipe.method = Method::attribution;
  c.row = {-2, 0.5, NAN, 0.1, 0};
  c.uniform.clear();
  CHECK(c.in(Language::fr)[0] == "Plus grandes attributions pour la sortie «\u00A0chat\u00A0», en valeur absolue\u00A0: 1. «\u00A0[CLS]\u00A0»\u00A0−2, 2. «\u00A0le\u00A0»\u00A00,5, 3. «\u00A0le\u00A0»\u00A00,1.");
  CHECK(c.facts().back().id == NarrationId::caveat_stored);
}

TEST_CASE("an empty row is told as such, and nothing is divided by nothing") {
  Case c;
  c.row = {0, 0, 0, 0, 0};
  CHECK(c.in(Language::en) == std::vector<std::string>{"Output “chat” has no weight on any token.", "This is routing of attention under a linear model with residual weight 0.50; not a cause."});
  c.row = {NAN, NAN, NAN, NAN, NAN};
  CHECK(c.in(Language::en).size() == 2);
}

TEST_CASE("what was computed besides is told: sinks, other recipes, depth, residual weights") {
  Case c;
  CHECK_FALSE(c.says(NarrationId::rows_alike));
  c.sinks = {0};
  c.rows_distance = 0.12;
  Recipe other = c.recipe;
  other.residual = 0.25;
  c.others.push_back({other, 1, 0.875});
  other.method = Method::raw;
  other.first_layer = 3;
  c.others.push_back({other, 1, -0.5});
  other.first_layer = 0;
  c.others.push_back({other, 1, NAN});  // undefined: not told
  c.range.emplace();
  c.range->low = {0.3, 0, 0, 0, 0};
  c.range->high = {0.6, 0, 0, 0, 0};
  c.range->itself_from = 0.8;
  c.range->first_other = 1;
  const auto en = c.in(Language::en);
  const auto has = [&](const std::string& text) { return std::find(en.begin(), en.end(), text) != en.end(); };
  CHECK(has("Attention sinks take 50.0\u00A0% of the row: “[CLS]”\u00A050.0\u00A0%."));
  CHECK(has("Order of the tokens against the same rollout with residual weight 0.25: Spearman 0.88 over 4 tokens."));
  CHECK(has("Order of the tokens against raw attention of layer 6: Spearman −0.50 over 4 tokens."));  // its true number
  CHECK(has("Attention sinks are left out of these comparisons."));
  CHECK(has("Any two outputs differ by at most 0.120 (total variation, limit 0.15): the rows are alike."));
  CHECK(has("For residual weights from 0.25 to 0.90, the weight on “[CLS]” lies between 30.0\u00A0% and 60.0\u00A0%."));
  CHECK(has("For some residual weight in that range, “le” comes first."));
  CHECK(has("From residual weight 0.80 on, the output’s own token comes first."));
  c.rows_distance = 0.05;
  CHECK(c.says(NarrationId::rows_collapsed));
  c.rows_distance = 0.16;
  CHECK_FALSE(c.says(NarrationId::rows_alike));
}

TEST_CASE("every method closes with what it is not") {
  Case c;
  for (int m = 0; m < kMethods; ++m) {
    c.recipe.method = static_cast<Method>(m);
    const auto id = std::string(narration_name(c.facts().back().id));
    CAPTURE(id);
    CHECK(id.starts_with("caveat_"));
    CHECK(sentence(c.facts().back(), Language::en).find("cause") != std::string::npos);
    CHECK(sentence(c.facts().back(), Language::fr).find("cause") != std::string::npos);
    CHECK(sentence(c.facts().back(), Language::ja).find("原因") != std::string::npos);
  }
  c.recipe.method = Method::rollout;
  c.recipe.residual_from = ResidualFrom::norms;
  CHECK(method_caveat(c.recipe).id == NarrationId::caveat_rollout_measured);
  c.recipe.residual_from = ResidualFrom::stated;
  c.recipe.residuals = {0.5, 0.5, 0.5, 0.4};
  CHECK(method_caveat(c.recipe).id == NarrationId::caveat_rollout_layers);
}
