// Class differences, regions and verdicts beside chance, through explain.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "app/session_fixture.h"

namespace rollscope::test {
namespace {

std::string with(const std::string& method, const std::string& more) { return R"({"method": ")" + method + "\"" + more + "}"; }

}  // namespace

TEST_CASE("a class difference is one class's rows less the other's, both beside it on one scale") {
  Session session;
  open_file(session, "vit_digit_a.npz");
  for (const std::string method : {"relevance", "gradient-rollout", "gradient-rollout-mean-first", "grad-sam", "attention-gradient"}) {
    CAPTURE(method);
    const auto four = explain(session, with(method, R"(, "class": "class_4", "row": 0)")), nine = explain(session, with(method, R"(, "class": "class_9", "row": 0)"));
    const auto both = explain(session, with(method, R"(, "class": "class_4", "minus": "class_9", "row": 0)"));
    CHECK(schema_problem(both, "explain") == "");
    CHECK(both["signed"].GetBool());
    CHECK(both["recipe"]["minus"] == "class_9");
    CHECK(std::string(both["recipe"]["sentence"].GetString()).find("gradient of class_4 minus that of class_9") != std::string::npos);
    CHECK(both["difference"]["a"] == four["matrix"]);
    CHECK(both["difference"]["b"] == nine["matrix"]);
    double most = 0;
    for (rapidjson::SizeType j = 0; j < 50; ++j) {
      const double a = four["matrix"][0][j].GetDouble(), b = nine["matrix"][0][j].GetDouble();
      CHECK(both["matrix"][0][j].GetDouble() == a - b);
      most = std::max({most, std::abs(a), std::abs(b), std::abs(a - b)});
    }
    CHECK(both["difference"]["scale"].GetDouble() == most);
    CHECK(both["diagnostics"]["spread"][0].IsNull());
    // All rows at once give the same numbers, and neither class is disturbed by the difference.
    CHECK(explain(session, with(method, R"(, "class": "class_4", "minus": "class_9")"))["matrix"][0] == both["matrix"][0]);
    CHECK(explain(session, with(method, R"(, "class": "class_9", "row": 0)"))["matrix"] == nine["matrix"]);
  }
  const auto view = answer<ViewData>(session, "view", R"({"recipe": {"method": "gradient-rollout", "class": "class_4", "minus": "class_9"}, "query": 0})");
  CHECK(view.is_signed);
  CHECK_FALSE(view.stochastic);
  const auto matrix = answer<MatrixData>(session, "matrix", R"({"recipe": {"method": "gradient-rollout", "class": "class_4", "minus": "class_9"}})");
  CHECK(matrix.values[7] == view.row[7]);
  CHECK(*std::min_element(view.row.begin(), view.row.end()) < 0);
}

TEST_CASE("stored scores are subtracted too, CDAM by class") {
  Session session;
  const Numbers attn{{1, 1, 3, 3}, std::vector<double>(9, 1 / 3.0)};
  must(run(session.open(json_dump(attn, {"a", "b", "c"}, R"(, "scores/cdam/4": [1, -2, 0.5], "scores/cdam/9": [0.25, 1, 0.5], "attr/ig": [1, 2, 3], "attr/occlusion": [3, 2, 1])"),
                        R"({"name": "s.json"})")));
  const auto cdam = explain(session, R"({"method": "cdam", "class": "4", "minus": "9"})");
  CHECK(numbers(cdam["matrix"]).values == std::vector{0.75, -3.0, 0.0});
  CHECK(cdam["difference"]["scale"].GetDouble() == 3);
  CHECK(numbers(explain(session, R"({"method": "attribution:ig", "minus": "occlusion"})")["matrix"]).values == std::vector{-2.0, 0.0, 2.0});
}

TEST_CASE("a difference of nothing, of one class, or of a method without classes is refused") {
  Session session;
  open_file(session, "vit_digit_a.npz");
  const auto code = [&](const std::string& verb, const std::string& args) { return refused(run(session.ask(verb, args))).code; };
  CHECK(code("explain", R"({"minus": "class_9"})") == ErrorCode::usage);
  CHECK(code("explain", R"({"method": "relevance", "class": "class_4", "minus": "class_4"})") == ErrorCode::usage);
  CHECK(code("explain", R"({"method": "relevance", "class": "class_4", "minus": "class_7"})") == ErrorCode::bad_value);
  CHECK(code("explain", R"({"method": "relevance", "class": "class_4", "minus": "class_9", "sink": "renormalise"})") == ErrorCode::usage);
  CHECK(code("depth", R"({"method": "relevance", "class": "class_4", "minus": "class_9"})") == ErrorCode::usage);
}

// The picture of look 04: a stroke that covers 14 of 49 patches; the rollout lies on it, the class maps do no better than
// their own values shuffled.
TEST_CASE("a region of an image is judged beside shuffled maps") {
  Session session;
  open_file(session, "vit_digit_a.npz");
  const auto picture = answer<Picture>(session, "picture", "{}");
  std::vector<std::pair<int, int>> bright;  // sum of a patch, key
  for (int p = 0; p < 49; ++p) {
    int sum = 0;
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x) sum += picture.rgb[static_cast<std::size_t>(((p / 7 * 4 + y) * 28 + p % 7 * 4 + x) * 3)];
    bright.emplace_back(-sum, p + 1);
  }
  std::sort(bright.begin(), bright.end());
  std::string region;
  for (int k = 0; k < 14; ++k) region += (k ? "," : "") + std::to_string(bright[static_cast<std::size_t>(k)].second);
  const auto asked = R"(, "row": 0, "region": ")" + region + "\"";
  const auto rollout = explain(session, with("rollout", asked));
  CHECK(schema_problem(rollout, "explain") == "");
  const auto& found = rollout["diagnostics"]["region"];
  CHECK(found["places"] == "patches");
  CHECK(found["rows"][0]["verdict"] == "above");
  CHECK(found["rows"][0]["share"].GetDouble() == doctest::Approx(0.37).epsilon(0.02));
  CHECK(found["rows"][0]["places"].GetInt() == 49);
  for (const std::string name : {"class_4", "class_9"}) {
    const auto map = explain(session, with("relevance", R"(, "class": ")" + name + "\"" + asked));
    CHECK(map["diagnostics"]["region"]["rows"][0]["verdict"] == "no_better_than_chance");
  }
  CHECK(refused(run(session.ask("explain", R"({"region": "50"})"))).code == ErrorCode::out_of_range);
  CHECK(refused(run(session.ask("explain", R"({"region": "stroke"})"))).code == ErrorCode::bad_value);
}

TEST_CASE("where uniform attention is beside a row, explain says whether any word has more than that") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto all = explain(session);
  const auto& chance = all["diagnostics"]["chance"];
  REQUIRE(chance.Size() == 13);
  // "it": contracts, below_uniform.
  rapidjson::SizeType it = 0;
  for (rapidjson::SizeType i = 0; i < 13; ++i)
    if (all["queries"][i] == "it") it = i;
  CHECK(chance[it]["verdict"] == "no_better_than_chance");
  CHECK(chance[it]["above"].GetInt() == 0);
  for (rapidjson::SizeType i = 0; i < 13; ++i) {
    const auto one = explain(session, R"({"row": )" + std::to_string(i) + "}");
    CHECK((one["diagnostics"]["chance"][0]["verdict"] == "no_better_than_chance") == reports(one["report"], "below_uniform"));
  }
  CHECK_FALSE(explain(session, R"({"method": "flow", "row": 0})")["diagnostics"].HasMember("chance"));
}

TEST_CASE("pairs of a flow are answered alone, in a text that is too long for all of them") {
  Session session;
  open_file(session, "minilm_long.f16.npz");
  CHECK(refused(run(session.ask("explain", R"({"method": "flow"})"))).code == ErrorCode::usage);
  const auto row = explain(session, R"({"method": "flow", "row": 0})");
  const auto pairs = explain(session, R"({"method": "flow", "pairs": "0:3,100:7,0:200"})");
  CHECK(schema_problem(pairs, "explain") == "");
  REQUIRE(pairs["matrix"].Size() == 2);
  CHECK(pairs["matrix"][0][3].GetDouble() == doctest::Approx(row["matrix"][0][3].GetDouble()).epsilon(1e-9));
  CHECK(pairs["matrix"][0][200].GetDouble() == doctest::Approx(row["matrix"][0][200].GetDouble()).epsilon(1e-9));
  CHECK(pairs["matrix"][0][4].IsNull());
  CHECK(pairs["matrix"][1][3].IsNull());
  const auto& told = pairs["diagnostics"]["pairs"];
  REQUIRE(told.Size() == 3);
  CHECK(told[1]["row"].GetInt() == 100);
  CHECK(told[1]["key"].GetInt() == 7);
  for (const auto& pair : told.GetArray()) {
    double cut = 0;
    for (const auto& arc : pair["arcs"].GetArray()) cut += arc["capacity"].GetDouble();
    if (pair["arcs"].Size() < 64) CHECK(cut == doctest::Approx(pair["flow"].GetDouble()));
  }
  CHECK(explain(session, R"({"method": "flow", "pairs": [[0, 3], [100, 7], [0, 200]]})") == pairs);
  const auto code = [&](const std::string& args) { return refused(run(session.ask("explain", args))).code; };
  CHECK(code(R"({"pairs": "0:3"})") == ErrorCode::usage);
  CHECK(code(R"({"method": "flow-normalised", "pairs": "0:3"})") == ErrorCode::usage);
  CHECK(code(R"({"method": "flow", "pairs": "0:3", "row": 0})") == ErrorCode::usage);
  CHECK(code(R"({"method": "flow", "pairs": "0:3", "merge": "words"})") == ErrorCode::usage);
  CHECK(code(R"({"method": "flow", "pairs": "0-3"})") == ErrorCode::bad_value);
  CHECK(code(R"({"method": "flow", "pairs": []})") == ErrorCode::bad_value);
  CHECK(code(R"({"method": "flow", "pairs": "0:9999"})") == ErrorCode::out_of_range);
}

}  // namespace rollscope::test
