#include "analysis/removal_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/real.h"

using namespace rollscope;

namespace {

const std::vector<std::string> kTokens{"[CLS]", "the", "\"cat\"", "さくら", "[SEP]"};
const std::vector<double> kRow{0.5, 0.1, 0.2, 0.1, 0.1};

RemovalPlan small(const RemovalOptions& options = {}) {
  auto plan = removal_plan(kRow, kTokens, options);
  plan.dump = "cat.npz";
  plan.method = "rollout";
  plan.query = 3;
  return plan;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

std::string why(const std::string& json) {
  const auto plan = read_removal_plan(json);
  REQUIRE(!plan);
  return error_text(plan.error());
}

}  // namespace

TEST_CASE("tokens go by weight, the lower position first of equals, and those to be kept never") {
  CHECK(removal_order(kRow, {}) == std::vector{0, 2, 1, 3, 4});
  CHECK(removal_order(kRow, std::vector{0, 4}) == std::vector{2, 1, 3});
  CHECK(removal_order(std::vector{-2.0, std::nan(""), 1.0}, {}) == std::vector{2, 0, 1});
  CHECK(removal_order({}, {}).empty());
}

TEST_CASE("a fraction is at least one token, and rounds up") {
  CHECK(tokens_of_fraction(0.01, 6) == 1);
  CHECK(tokens_of_fraction(0.2, 6) == 2);
  CHECK(tokens_of_fraction(0.5, 6) == 3);
  CHECK(tokens_of_fraction(0.07, 100) == 7);  // in floating point a little more than 7
  CHECK(tokens_of_fraction(1, 5) == 5);
  CHECK(tokens_of_fraction(0.5, 0) == 0);
}

TEST_CASE("a plan asks for every mask once, and never removes what is to be kept") {
  const auto plan = small({.always_kept = {0, 4}, .random_orders = 3});
  CHECK(plan.order == std::vector{2, 1, 3});
  CHECK(plan.curve == std::vector{0, 1, 2, 3});
  std::set<TokenMask> masks;
  for (const auto& step : plan.steps) {
    CHECK(masks.insert(step.keep).second);
    CHECK(step.keep[0] == 1);
    CHECK(step.keep[4] == 1);
    CHECK(!step.p);
  }
  CHECK(masks.size() <= 8);  // all subsets of three tokens
  CHECK(plan.steps[0].id == "deletion/0");
  CHECK(plan.steps[1].keep == TokenMask{1, 1, 0, 1, 1});
  CHECK(plan.steps[4].id == "insertion/1");  // insertion/0 is deletion/3
  CHECK(plan.steps[4].keep == TokenMask{1, 0, 1, 0, 1});
}

TEST_CASE("random orders are the same for the same seed, whatever the row, and differ otherwise") {
  std::vector<std::string> tokens(30, "t");
  std::vector<double> up, down;
  for (int j = 0; j < 30; ++j) up.push_back(j), down.push_back(-j);
  const auto a = removal_plan(up, tokens, {}), b = removal_plan(down, tokens, {}), c = removal_plan(up, tokens, {.seed = 2});
  CHECK(a.random_orders == b.random_orders);
  CHECK(a.random_orders != c.random_orders);
  CHECK(a.random_orders.size() == 10);
  CHECK(a.random_orders[0] != a.random_orders[1]);
  for (auto order : a.random_orders) {
    std::sort(order.begin(), order.end());
    for (int j = 0; j < 30; ++j) CHECK(order[static_cast<std::size_t>(j)] == j);
  }
}

TEST_CASE("long texts get as many points as asked for, with both ends and the fractions") {
  std::vector<std::string> tokens(200, "t");
  const auto plan = removal_plan(std::vector<double>(200, 1.0), tokens, {.curve_points = 4, .random_orders = 0});
  CHECK(plan.curve == std::vector{0, 2, 10, 20, 40, 50, 100, 150, 200});
}

TEST_CASE("a plan comes back from JSON as it went, with the outputs that were filled in") {
  auto plan = small({.random_orders = 2, .seed = 77});
  plan.steps[1].p = 0.123456789012345678;
  const auto json = removal_plan_json(plan);
  CHECK(json.find(R"("format":"rollscope-removal-plan","version":1,"dump":"cat.npz","query":3)") != std::string::npos);
  CHECK(json.find(R"({"id":"deletion/0","kind":"deletion","k":0,"keep":[1,1,1,1,1],"p":null})") != std::string::npos);
  const auto read = read_removal_plan(json);
  REQUIRE_MESSAGE(read, error_text(read.error()));
  if (sizeof(Real) == 8) CHECK(removal_plan_json(*read) == json);  // as float the weights are rounded
  CHECK(read->fractions == plan.fractions);
  CHECK(read->tokens == plan.tokens);
  CHECK(read->order == plan.order);
  CHECK(read->random_orders == plan.random_orders);
  CHECK(read->seed == 77);
  CHECK(read->steps.size() == plan.steps.size());
  CHECK(read->steps[1].p == plan.steps[1].p);
  CHECK(!read->steps[0].p);
  for (const auto& none : {small({.random_orders = 0}), small({.always_kept = {0, 1, 2, 3, 4}, .random_orders = 2})})
    CHECK(read_removal_plan(removal_plan_json(none)));
}

TEST_CASE("a step may come back with more fields and in another order") {
  const auto json = replaced(removal_plan_json(small()), R"("p":null})", R"("p":0.25,"ms":[1,2],"note":{"gpu":true}})");
  const auto read = read_removal_plan(json);
  REQUIRE(read);
  CHECK(read->steps[0].p == 0.25);
}

TEST_CASE("a damaged plan is refused with the field that is wrong, and never read past its end") {
  const auto json = removal_plan_json(small({.random_orders = 1}));
  REQUIRE(read_removal_plan(json));
  CHECK(why("[]").find("no JSON object") != std::string::npos);
  CHECK(why("{}").find("\"format\"") != std::string::npos);
  CHECK(why(replaced(json, "\"version\":1", "\"version\":2")).find("\"version\"") != std::string::npos);
  CHECK(why(replaced(json, "\"query\":3", "\"query\":-1")).find("\"query\"") != std::string::npos);
  CHECK(why(replaced(json, "\"query\":3", "\"query\":1e300")).find("\"query\"") != std::string::npos);
  CHECK(why(replaced(json, "[0,2,1,3,4]", "[0,2,1,3,3]")).find("\"order\" does not name different tokens") != std::string::npos);
  CHECK(why(replaced(json, "[0,2,1,3,4]", "[0,2,1,3,5]")).find("\"order\"") != std::string::npos);
  CHECK(why(replaced(json, "[0,2,1,3,4]", "[0,2,1,3,null]")).find("\"order\"") != std::string::npos);
  CHECK(why(replaced(json, "[0,2,1,3,4]", "[0,2,1,3]")).find("\"random_orders\"") != std::string::npos);
  CHECK(why(replaced(json, "\"curve\":[0,", "\"curve\":[")).find("\"curve\"") != std::string::npos);
  CHECK(why(replaced(json, "[0.01,", "[0,")).find("\"fractions\"") != std::string::npos);
  CHECK(why(replaced(json, "\"keep\":[1,1,1,1,1]", "\"keep\":[1,1,1,1]")).find("step 0: \"keep\"") != std::string::npos);
  CHECK(why(replaced(json, "\"keep\":[1,1,1,1,1]", "\"keep\":[1,1,1,1,2]")).find("step 0: \"keep\"") != std::string::npos);
  CHECK(why(replaced(json, "\"p\":null", "\"p\":\"0.5\"")).find("step 0: \"p\"") != std::string::npos);
  CHECK(why(replaced(json, "\"steps\":", "\"paces\":")).find("\"steps\"") != std::string::npos);
  for (std::size_t end = 0; end < json.size(); ++end) CHECK(!read_removal_plan(std::string_view(json).substr(0, end)));
  // Every field in turn becomes something else.
  for (const std::string field : {"dump", "method", "query", "tokens", "weights", "order", "random_orders", "seed", "fractions", "curve", "steps", "keep", "id", "kind", "k"})
    CHECK(!read_removal_plan(replaced(json, "\"" + field + "\":", "\"" + field + "\":{},\"was\":")));
}
