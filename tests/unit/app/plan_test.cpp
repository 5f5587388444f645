// The verb that writes a removal plan.
#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/faithfulness.h"
#include "analysis/removal_plan.h"
#include "app/session_fixture.h"

using namespace rollscope;
using namespace rollscope::test;

TEST_CASE("a plan that the engine writes is read back and evaluated") {
  Session session;
  open_file(session, "sentiment_negative.npz");
  auto plan = read_removal_plan(must(run(session.ask("plan", R"({"residual": 0.3, "random": 3, "seed": 9})"))).json);
  REQUIRE(plan);
  CHECK(plan->dump == "sentiment_negative.npz");
  CHECK(plan->method == "rollout");
  CHECK(plan->recipe.find("residual 0.30") != std::string::npos);
  CHECK(plan->query == 0);
  CHECK(plan->seed == 9);
  CHECK(plan->random_orders.size() == 3);
  CHECK(plan->tokens[static_cast<std::size_t>(plan->order[0])] == "terrible");
  CHECK(evaluate(*plan).error().code == ErrorCode::bad_plan);  // nothing is filled in
  for (auto& step : plan->steps) step.p = step.keep[10] ? 0.9 : 0.2;
  const auto f = evaluate(*plan);
  REQUIRE(f);
  CHECK(f->curves.deletion[1] == 0.2);  // "terrible" goes first
}

TEST_CASE("a plan for an attention flow orders equal flows by their place") {
  Session session;
  open_file(session, "vit_digit_a.npz");
  const auto plan = read_removal_plan(must(run(session.ask("plan", R"({"method": "flow", "row": 0, "random": 0})"))).json);
  REQUIRE(plan);
  std::vector<int> full;  // of saturated flows there are many, all 1
  for (const int k : plan->order)
    if (plan->weights[static_cast<std::size_t>(k)] == plan->weights[static_cast<std::size_t>(plan->order[0])]) full.push_back(k);
  CHECK(full.size() > 5);
  CHECK(std::is_sorted(full.begin(), full.end()));
}
