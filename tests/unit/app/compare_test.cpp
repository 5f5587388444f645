// The verb that compares two recipes.
#include <doctest/doctest.h>

#include <cmath>

#include "app/session_fixture.h"
#include "app/verbs_compare.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

rapidjson::Document compare_verb(Session& session, const std::string& args) { return parsed(must(run(session.ask("compare", args))).json); }

}  // namespace

TEST_CASE("a recipe agrees with itself, and both sides are told in full") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto c = compare_verb(session, R"({"a": {"residual": 0.3}, "b": {"residual": 0.3}})");
  REQUIRE(c["rows"].Size() == 13);
  for (const auto& row : c["rows"].GetArray()) {
    CHECK(row["spearman"].GetDouble() == doctest::Approx(1));
    CHECK(row["total_variation"].GetDouble() == 0);
    CHECK(row["top_overlap"].GetDouble() == 1);
  }
  CHECK(c["differs"].Size() == 0);
  CHECK(c["a"]["recipe"]["sentence"] == c["b"]["recipe"]["sentence"]);
  const auto one = compare_verb(session, R"({"a": {}, "b": {"method": "raw"}, "row": 8, "k": 3})");
  CHECK(one["rows"].Size() == 1);
  CHECK(one["rows"][0]["label"] == "it");
  CHECK(one["rows"][0]["top_a"].Size() == 3);
  CHECK(one["a"]["recipe"]["row"].GetInt() == 8);
}

TEST_CASE("what differs is named as the options name it, and only what both methods read") {
  Recipe a, b;
  a.end_layer = b.end_layer = 6;
  CHECK(recipe_differences(a, b).empty());
  b.residual = 0.3;
  CHECK(recipe_differences(a, b) == std::vector<std::string>{"residual"});
  b.method = Method::raw;  // reads no residual weight
  CHECK(recipe_differences(a, b) == std::vector<std::string>{"method"});
  b = a;
  b.residuals = {0.5, 0.5, 0.5, 0.5, 0.5, 0.4};
  b.first_layer = 0;
  CHECK(recipe_differences(a, b) == std::vector<std::string>{"residual"});
  b = a;
  b.heads = {1};
  b.sink = SinkMode::remove;
  b.merge = Merge::words;
  b.first_layer = 2;
  CHECK(recipe_differences(a, b) == std::vector<std::string>{"heads", "layers", "sink", "merge"});
}

TEST_CASE("sinks and special tokens can be left out of a comparison") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto sinks = compare_verb(session, R"({"a": {}, "b": {"method": "raw"}, "row": 0, "without": "sinks"})");
  CHECK(sinks["without"].Size() == 1);
  CHECK(sinks["rows"][0]["keys"].GetInt() == 12);
  const auto specials = compare_verb(session, R"({"a": {}, "b": {"method": "raw"}, "row": 0, "without": "specials"})");
  CHECK(specials["rows"][0]["keys"].GetInt() == 11);
  for (const auto& key : specials["rows"][0]["top_a"].GetArray()) CHECK((key.GetInt() != 0 && key.GetInt() != 12));
}

TEST_CASE("rows without a value have no agreement, and are no error") {
  Session session;
  must(run(session.open(json_dump({{1, 1, 3, 3}, {0, 0, 0, 0.5, 0.2, 0.3, 0.2, 0.3, 0.5}}), R"({"name": "zero.json"})")));
  const auto c = compare_verb(session, R"({"a": {"residual": 0}, "b": {"method": "raw"}})");
  CHECK(c["rows"][0]["spearman"].IsNull());
  CHECK(c["rows"][0]["total_variation"].IsNull());
  CHECK(c["rows"][2]["spearman"].GetDouble() == doctest::Approx(1));
  CHECK(c["mean"]["spearman"]["rows"].GetInt() == 2);
}

TEST_CASE("comparisons that cannot be made are refused") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto code = [&](const std::string& args) { return refused(run(session.ask("compare", args))).code; };
  CHECK(code("{}") == ErrorCode::bad_value);
  CHECK(code(R"({"a": {}, "b": "raw"})") == ErrorCode::bad_value);
  CHECK(code(R"({"a": {"colour": 1}, "b": {}})") == ErrorCode::unknown_option);
  CHECK(code(R"({"a": {"method": "flow"}, "b": "uniform"})") == ErrorCode::usage);
  CHECK(code(R"({"a": {}, "b": {}, "row": 13})") == ErrorCode::out_of_range);
  CHECK(code(R"({"a": {}, "b": {}, "colour": 13})") == ErrorCode::unknown_option);
}

TEST_CASE("a comparison comes in steps whose progress only grows") {
  Session session;
  open_file(session, "minilm_cat.npz");
  auto job = session.ask("compare", R"({"a": {"fusion": "max"}, "b": {"fusion": "min"}, "row": 0})");
  REQUIRE(job);
  double fraction = -1;
  for (;;) {
    const auto done = (*job)->step();
    REQUIRE(done);
    CHECK((*job)->progress().fraction >= fraction);
    fraction = (*job)->progress().fraction;
    if (*done) break;
  }
  CHECK(parsed((*job)->result().json)["differs"][0] == "fusion");
}
