#include "analysis/faithfulness.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/vectors.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

constexpr double kExact = 1e-12;  // double whatever Real is

// The reference's model: a logistic sum over the tokens that are kept.
void answer(RemovalPlan& plan, const std::vector<double>& weights, double bias) {
  for (auto& step : plan.steps) {
    double z = bias;
    for (std::size_t j = 0; j < weights.size(); ++j)
      if (step.keep[j]) z += weights[j];
    step.p = 1 / (1 + std::exp(-z));
  }
}

std::vector<std::string> names(std::size_t n) {
  std::vector<std::string> out;
  for (std::size_t j = 0; j < n; ++j) out.push_back("t" + std::to_string(j));
  return out;
}

RemovalPlan toy(const RemovalOptions& options = {}) {
  const Vector v("compare_and_faithfulness");
  const auto weights = v.get("inputs/weights").values;
  auto plan = removal_plan(weights, names(weights.size()), options);
  answer(plan, weights, v.at("inputs/bias").GetDouble());
  return plan;
}

std::string why(const Result<Faithfulness>& result) {
  REQUIRE(!result);
  return error_text(result.error());
}

}  // namespace

TEST_CASE("curves, ERASER numbers and occlusion are those of the reference") {
  const Vector v("compare_and_faithfulness");
  const std::string where = "expected/faithfulness/";
  auto plan = removal_plan(v.get("inputs/x").values, names(6), {});  // the row under test is x; the model's weights are another
  answer(plan, v.get("inputs/weights").values, v.at("inputs/bias").GetDouble());
  const auto f = evaluate(plan);
  REQUIRE(f);
  const std::pair<std::string, std::vector<double>> found[] = {
      {"order", {plan.order.begin(), plan.order.end()}}, {"p_full", {f->p_full}}, {"deletion_curve", f->curves.deletion},
      {"insertion_curve", f->curves.insertion}, {"deletion_auc", {f->curves.scores.deletion_auc}}, {"insertion_auc", {f->curves.scores.insertion_auc}},
      {"eraser_fractions", plan.fractions}, {"eraser_k", {f->curves.k.begin(), f->curves.k.end()}},
      {"comprehensiveness", f->curves.comprehensiveness}, {"comprehensiveness_aopc", {f->curves.scores.comprehensiveness_aopc}},
      {"sufficiency", f->curves.sufficiency}, {"sufficiency_aopc", {f->curves.scores.sufficiency_aopc}}, {"occlusion", f->occlusion},
      {"spearman_with_occlusion", {f->spearman_with_occlusion}}};
  for (const auto& [key, values] : found) {
    const std::string name = key;
    CAPTURE(name);
    CHECK(largest_difference(values, v.get(where + name).values) <= kExact);
  }
  CHECK(v.at("expected/faithfulness").MemberCount() == std::size(found));
  CHECK(f->p_empty == doctest::Approx(v.get(where + "insertion_curve").values[0]));
}

TEST_CASE("log-odds of a logistic model are the removed weights, and p of 0 and 1 stay finite") {
  auto plan = toy();
  const auto f = evaluate(plan);
  REQUIRE(f);
  // Fractions .01 .05 .1 .2 .5 remove tokens 0 | 0 | 0 | 0 3 | 0 3 2 with weights 2, 1.5, .5
  const std::vector<double> removed{-2, -2, -2, -3.5, -4};
  CHECK(largest_difference(f->curves.log_odds, removed) <= kExact);
  CHECK(f->curves.log_probability[0] == doctest::Approx(std::log(0.377540668798145 / 0.817574476193644)).epsilon(1e-12));
  for (auto& step : plan.steps) step.p = step.kind == "deletion" && step.k == 0 ? 1.0 : 0.0;
  const auto hard = evaluate(plan);
  REQUIRE(hard);
  CHECK(hard->curves.scores.log_odds_aopc < -50);
  CHECK(std::isfinite(hard->curves.scores.log_odds_aopc));
}

TEST_CASE("a good order beats random ones, and a bad one does not") {
  const Vector v("compare_and_faithfulness");
  const auto weights = v.get("inputs/weights").values;
  std::vector<double> upside_down;
  for (const double w : weights) upside_down.push_back(-w);
  const auto good = evaluate(toy({.random_orders = 99}));
  auto bad_plan = removal_plan(upside_down, names(6), {.random_orders = 99});
  answer(bad_plan, weights, -1);
  const auto bad = evaluate(bad_plan);
  REQUIRE(good);
  REQUIRE(bad);
  const auto better = against_random(std::span(&*good, 1)), worse = against_random(std::span(&*bad, 1));
  for (std::size_t k = 0; k < kFaithfulnessFields; ++k) {
    CAPTURE(faithfulness_fields()[k].name);
    CHECK(better[k].p_value <= 0.05);
    CHECK(worse[k].p_value >= 0.9);
    CHECK(better[k].random.count == 99);
    CHECK(better[k].random.low < better[k].random.high);
    CHECK((better[k].own.mean > better[k].random.high) == faithfulness_fields()[k].high_is_good);
    CHECK(std::isnan(better[k].own.low));  // one dump has no interval of its own
  }
}

TEST_CASE("over a folder every dump counts once, and the test pairs each with its own random orders") {
  std::vector<Faithfulness> dumps;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) dumps.push_back(*evaluate(toy({.seed = seed})));
  const auto all = against_random(dumps);
  CHECK(all[0].own.count == 8);
  CHECK(all[0].random.count == 8);
  CHECK(all[0].gain.difference.mean < 0);   // the deletion area is smaller than by chance
  CHECK(all[0].gain.difference.high < 0);
  CHECK(all[0].p_value == 2.0 / 256);
  CHECK(all[1].gain.difference.low > 0);
  const auto none = evaluate(toy({.random_orders = 0}));
  REQUIRE(none);
  CHECK(std::isnan(against_random(std::span(&*none, 1))[0].p_value));
}

TEST_CASE("outputs that are missing or no probabilities are refused by the step's name") {
  auto plan = toy();
  plan.steps[2].p.reset();
  CHECK(why(evaluate(plan)) == " cannot be used as a removal plan: step deletion/2 has no p.");
  plan.steps[2].p = std::nan("");
  CHECK(why(evaluate(plan)) == " cannot be used as a removal plan: p of step deletion/2 is not a number.");
  for (const double p : {-0.1, 1.5}) {
    plan.steps[2].p = p;
    CHECK(why(evaluate(plan)).find("p of step deletion/2 is " + std::string(p < 0 ? "-0.1" : "1.5")) != std::string::npos);
  }
  plan = toy();
  plan.steps.erase(plan.steps.begin() + 3);
  CHECK(why(evaluate(plan)).find("no step has the mask for the removal of 3 tokens") != std::string::npos);
  plan = toy();
  plan.steps.push_back(plan.steps[1]);
  CHECK(evaluate(plan));
  plan.steps.back().p = 0.123;
  CHECK(why(evaluate(plan)).find("repeats a mask with another p") != std::string::npos);
  CHECK(why(evaluate(removal_plan(std::vector{1.0}, names(1), {.always_kept = {0}}))).find("removes no token") != std::string::npos);
}

TEST_CASE("the row is compared with occlusion by size and by sign") {
  const auto f = evaluate(toy());
  REQUIRE(f);
  CHECK(f->spearman_with_signed_occlusion == doctest::Approx(1));
  CHECK(f->spearman_with_occlusion < 1);
  CHECK(std::isnan(evaluate([&] {
                     auto one = removal_plan(std::vector{1.0}, names(1), {});
                     answer(one, {1.0}, 0);
                     return one;
                   }())->spearman_with_occlusion));
}
