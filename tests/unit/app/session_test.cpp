#include "app/session.h"

#include <cmath>

#include <doctest/doctest.h>

#include "analysis/view_data.h"
#include "app/session_fixture.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

std::shared_ptr<ByteSource> causal_dump(const std::string& more = {}) {
  return json_dump(Vector("causal_6x4x3").get("inputs/attn"), {"<s>", "b", "c", "d", "e", "f"}, more);
}

void open(Session& session, std::shared_ptr<ByteSource> source) { must(run(session.open(std::move(source), R"({"name": "test.json"})"))); }

void check_matrix(Session& session, const std::string& args, const Numbers& expected) {
  CAPTURE(args);
  CHECK(largest_difference(numbers(explain(session, args)["matrix"]).values, expected.values) <= kTolerance);
}

}  // namespace

TEST_CASE("every setting of explain reaches the numbers of the reference") {
  const Vector v("causal_6x4x3");
  Session session;
  open(session, causal_dump());
  check_matrix(session, "{}", v.get("expected/rollout"));
  check_matrix(session, R"({"residual": 0.3})", v.get("expected/alpha/0.3"));
  check_matrix(session, R"({"residual": "0.9", "row": "all"})", v.get("expected/alpha/0.9"));
  check_matrix(session, R"({"residual": 1})", v.get("expected/alpha/1"));
  check_matrix(session, R"({"fusion": "max"})", v.get("expected/fusion/max"));
  check_matrix(session, R"({"fusion": "min"})", v.get("expected/fusion/min"));
  check_matrix(session, R"({"heads": [0, 2]})", v.get("expected/fusion/select_0_2"));
  check_matrix(session, R"({"heads": "2,0"})", v.get("expected/fusion/select_0_2"));
  check_matrix(session, R"({"layers": "2:4"})", v.get("expected/start_layer_2"));
  check_matrix(session, R"({"layers": [2, 4]})", v.get("expected/start_layer_2"));
  const auto heads = v.get("expected/single_head_at_layer_3_appendix");
  for (int h = 0; h < 3; ++h)
    for (const std::string& head : {"\"3:" + std::to_string(h) + "\"", "[3, " + std::to_string(h) + "]", "[-1, " + std::to_string(h) + "]"})
      check_matrix(session, R"({"head": )" + head + "}", {{6, 6}, {heads.values.begin() + h * 36, heads.values.begin() + (h + 1) * 36}});
  check_matrix(session, "{}", v.get("expected/rollout"));  // the other fusions have changed nothing
  const auto layers = v.get("expected/rollout_per_layer");
  for (int l = 0; l < 4; ++l)
    check_matrix(session, R"({"layers": [0, )" + std::to_string(l + 1) + "]}",
                 {{6, 6}, {layers.values.begin() + l * 36, layers.values.begin() + (l + 1) * 36}});
  const auto all = explain(session), one = explain(session, R"({"row": 4})");
  CHECK(largest_difference(numbers(one["matrix"]).values, numbers(all["matrix"][4]).values) <= kTolerance);
  CHECK(largest_difference(numbers(one["uniform"]).values, numbers(all["uniform"][4]).values) == 0);
  const auto uniform = v.get("expected/uniform_causal_baseline");
  CHECK(largest_difference(numbers(all["uniform"]).values, uniform.values) <= kTolerance);
}

TEST_CASE("one head's rollout ends with the head's layer, says so, and fuses below it the heads that were chosen") {
  Session session;
  open(session, causal_dump());
  const auto one = explain(session, R"({"head": "1:2", "row": 5})");
  CHECK(one["recipe"]["end_layer"].GetInt() == 2);
  CHECK(one["recipe"]["head"][0].GetInt() == 1);
  CHECK(one["recipe"]["head"][1].GetInt() == 2);
  CHECK(std::string(one["recipe"]["sentence"].GetString()).find("heads fused by mean of 3, head 3 of 3 alone in layer 2") != std::string::npos);
  // In the first layer nothing is fused: it is that head.
  const auto lowest = explain(session, R"({"head": "0:1"})"), same = explain(session, R"({"heads": "1", "layers": "0:1"})");
  CHECK(largest_difference(numbers(lowest["matrix"]).values, numbers(same["matrix"]).values) == 0);
  // The layers below are fused of the chosen heads, which need not hold the head above them.
  const auto chosen = explain(session, R"({"head": "1:2", "heads": "0"})"), all = explain(session, R"({"head": "1:2"})");
  CHECK(largest_difference(numbers(chosen["matrix"]).values, numbers(all["matrix"]).values) > 1e-3);
  // What a layer below looks like does not hang on the head above it.
  const auto below = answer<MatrixData>(session, "matrix", R"({"recipe": {"head": [3, 2]}, "kind": "after_layer", "layer": 1})");
  const auto plain = explain(session, R"({"layers": "0:2"})");
  for (std::size_t k = 0; k < 6; ++k) CHECK(static_cast<double>(below.values[30 + k]) == doctest::Approx(plain["matrix"][5][static_cast<rapidjson::SizeType>(k)].GetDouble()));
  CHECK(largest_difference(numbers(explain(session, R"({"head": "1:2", "row": 5})")["matrix"]).values, numbers(one["matrix"]).values) == 0);
}

TEST_CASE("raw attention of an encoder: one layer, or the mean over the range") {
  const Vector v("encoder_10x3x2");
  Session session;
  open(session, json_dump(v.get("inputs/attn")));
  check_matrix(session, "{}", v.get("expected/rollout"));
  check_matrix(session, R"({"method": "raw", "layers": [2, 3]})", v.get("expected/raw_last_layer_mean"));
  check_matrix(session, R"({"method": "raw"})", v.get("expected/raw_mean_all_layers"));
}

TEST_CASE("info and explain keep to the schemas of the contracts") {
  Session session;
  auto opened = must(run(session.open(causal_dump(), R"({"name": "test.json"})")));
  const auto info = parsed(opened.json);
  CHECK(schema_problem(info, "info") == "");
  CHECK(parsed(must(run(session.ask("info", ""))).json) == info);
  CHECK(info["streams"][0]["causal"].GetBool());
  DumpInfo message;
  ArchiveReader archive(opened.blob);
  archive(message);
  CHECK_FALSE(archive.failed());
  CHECK(message.streams[0].causal);
  CHECK(message.streams[0].key_tokens[1].label == "b");

  for (const std::string args : {"{}", R"({"row": 5})", R"({"method": "raw"})", R"({"heads": [1], "row": 0})"}) {
    CAPTURE(args);
    const auto e = explain(session, args);
    CHECK(schema_problem(e, "explain") == "");
    for (const auto* key : {"recipe", "queries", "keys", "matrix", "uniform", "diagnostics", "report", "engine"}) CHECK(e.HasMember(key));
    CHECK(e["queries"].Size() == e["matrix"].Size());
    CHECK(e["keys"].Size() == e["matrix"][0].Size());
  }
  const auto e = explain(session, R"({"row": 5})");
  CHECK(e["recipe"]["sentence"].GetString() == std::string("Rollout of self-attention over layers 1 to 4, heads fused by mean of 3, residual 0.50."));
  CHECK(e["recipe"]["mark"].GetString() == std::string("published"));
  CHECK(e["recipe"]["row"].GetInt() == 5);
  CHECK(e["recipe"]["end_layer"].GetInt() == 4);
  CHECK(explain(session)["recipe"]["row"].GetString() == std::string("all"));
  const auto broken = parsed(R"({"recipe": {"method": 1}})");
  CHECK(schema_problem(broken, "explain") != "");  // the validator does look
}

TEST_CASE("a failed or cancelled opening leaves the open dump untouched") {
  Session session;
  CHECK_FALSE(session.has_dump());
  CHECK(refused(run(session.ask("info", "{}"))).code == ErrorCode::no_dump);
  open(session, causal_dump());
  const auto before = must(run(session.ask("explain", "{}"))).json;

  const std::string rubbish = "not a dump at all";
  const auto error = refused(run(session.open(std::make_shared<MemorySource>(std::vector<std::uint8_t>(rubbish.begin(), rubbish.end())), R"({"name": "x.bin"})")));
  CHECK(error.params.at("file") == "x.bin");
  {
    auto job = session.open(json_dump({{1, 1, 2, 2}, {1, 0, 0.5, 0.5}}), R"({"name": "other.json"})");
    REQUIRE(job);
    const auto first = (*job)->step();
    REQUIRE(first);
    CHECK_FALSE(*first);  // dropped half way
  }
  CHECK(must(run(session.ask("explain", "{}"))).json == before);
}

TEST_CASE("a question about the old dump is still answered after a new one was opened") {
  Session session;
  open(session, causal_dump());
  auto job = session.ask("explain", "{}");
  REQUIRE(job);
  open(session, json_dump({{1, 1, 2, 2}, {1, 0, 0.5, 0.5}}));
  CHECK(parsed(must(finish(**job)).json)["keys"].Size() == 6);
  CHECK(explain(session)["keys"].Size() == 2);
}

TEST_CASE("progress grows to the end while a dump is read") {
  Session session;
  auto job = session.open(causal_dump(), R"({"name": "test.json"})");
  REQUIRE(job);
  double last = -1;
  for (;;) {
    auto done = (*job)->step();
    REQUIRE(done);
    const auto p = (*job)->progress();
    CHECK(p.fraction >= last);
    CHECK(p.fraction <= 1);
    last = p.fraction;
    if (*done) break;
  }
  const auto p = (*job)->progress();
  CHECK(p.bytes == p.total);
  CHECK(p.total > 0);
  CHECK(p.layer == 4);
  CHECK(p.layers == 4);
}

TEST_CASE("rows that are off, empty or not numbers are reported with their count") {
  const double nan = std::nan("");
  Session session;
  open(session, json_dump({{1, 2, 3, 3}, {1, 0, 0, nan, nan, nan, 0.25, 0.25, 0.25, 0.5, 0.5, 0, 0.5, 0.25, 0.25, 0, 0, 0}}));
  const auto info = parsed(must(run(session.ask("info", ""))).json);
  REQUIRE(reports(info["report"], "rows_not_normalised"));
  CHECK(reports(info["report"], "nan_rows"));
  CHECK(reports(info["report"], "zero_rows"));
  for (const auto& item : info["report"].GetArray())
    if (item["code"].GetString() == std::string("rows_not_normalised")) {
      CHECK(item["params"]["count"].GetString() == std::string("1"));
      CHECK(item["params"]["total"].GetString() == std::string("6"));
      CHECK(item["params"]["low"].GetString() == std::string("0.75"));
    }
  const auto e = explain(session, R"({"row": 1})");
  CHECK(e["matrix"][0][1].GetDouble() == doctest::Approx(0.5 + 0.5 * 0.25));
}

TEST_CASE("numbers decide whether a stream is causal, and the report says when the metadata disagrees") {
  Session session;
  open(session, causal_dump(R"(, "causal": false)"));
  const auto info = parsed(must(run(session.ask("info", ""))).json);
  CHECK(info["streams"][0]["causal"].GetBool());
  CHECK(reports(info["report"], "causal_differs"));
}

TEST_CASE("usage errors name the option, what it was given and what it takes") {
  Session session;
  open(session, causal_dump());
  const auto code = [&](const std::string& args) { return refused(run(session.ask("explain", args))).code; };
  CHECK(code(R"({"row": 6})") == ErrorCode::out_of_range);
  CHECK(code(R"({"row": -1})") == ErrorCode::out_of_range);
  CHECK(code(R"({"row": 1.5})") == ErrorCode::bad_value);
  CHECK(code(R"({"row": "two"})") == ErrorCode::bad_value);
  CHECK(code(R"({"heads": [3]})") == ErrorCode::out_of_range);
  CHECK(code(R"({"heads": "0,,1"})") == ErrorCode::bad_value);
  CHECK(code(R"({"head": 2})") == ErrorCode::bad_value);
  CHECK(code(R"({"head": "4:0"})") == ErrorCode::out_of_range);
  CHECK(code(R"({"head": "0:3"})") == ErrorCode::out_of_range);
  CHECK(code(R"({"head": "0:1", "layers": "0:4"})") == ErrorCode::usage);
  CHECK(code(R"({"head": "0:1", "method": "flow"})") == ErrorCode::usage);
  CHECK(code(R"({"layers": "2:9"})") == ErrorCode::out_of_range);
  CHECK(code(R"({"layers": "3:3"})") == ErrorCode::out_of_range);
  CHECK(code(R"({"layers": 3})") == ErrorCode::bad_value);
  CHECK(code(R"({"residual": 1.5})") == ErrorCode::bad_value);
  CHECK(code(R"({"residual": "nan"})") == ErrorCode::bad_value);
  CHECK(code(R"({"residual": "0x1"})") == ErrorCode::bad_value);
  CHECK(code(R"({"fusion": "median"})") == ErrorCode::bad_value);
  CHECK(code(R"({"method": "flux"})") == ErrorCode::bad_value);
  CHECK(code(R"({"method": "relevance"})") == ErrorCode::method_not_for_stream);
  CHECK(code(R"({"method": "norm-rollout"})") == ErrorCode::method_not_for_stream);
  CHECK(code(R"({"method": "joint"})") == ErrorCode::method_not_for_stream);
  CHECK(code(R"({"method": "attribution:shapley"})") == ErrorCode::method_not_for_stream);
  CHECK(code(R"({"merge": "letters"})") == ErrorCode::bad_value);
  CHECK(code(R"({"merge": "segments"})") == ErrorCode::usage);
  CHECK(code(R"({"sink": "drain"})") == ErrorCode::bad_value);
  CHECK(code(R"({"sink": "lift", "method": "flow"})") == ErrorCode::usage);
  CHECK(code(R"({"class": "4"})") == ErrorCode::usage);
  CHECK(code(R"({"norms": "alti"})") == ErrorCode::usage);
  CHECK(code(R"({"residual": "measured"})") == ErrorCode::bad_value);
  CHECK(code(R"({"residual": [0.1, 0.2]})") == ErrorCode::bad_value);
  CHECK(code(R"({"item": 1})") == ErrorCode::usage);
  CHECK(code(R"({"stream": "cross"})") == ErrorCode::no_such_stream);
  CHECK(code(R"({"colour": "red"})") == ErrorCode::unknown_option);
  CHECK(code("[1, 2]") == ErrorCode::usage);
  CHECK(code("{") == ErrorCode::usage);
  CHECK(refused(run(session.ask("sing", "{}"))).code == ErrorCode::usage);
  for (const std::string args : {R"({"row": 6})", R"({"colour": 1})", R"({"method": "flux"})", R"({"method": "relevance"})"})
    CHECK(error_exit_status(code(args)) == 2);
  const auto error = refused(run(session.ask("explain", R"({"method": "flux"})")));
  CHECK(error_text(error) == "method does not take flux.");
  CHECK_FALSE(error_fix(error).empty());
  CHECK(schema_problem(explain(session, R"({"merge": "pieces", "sink": "keep", "item": 0})"), "explain") == "");
}

TEST_CASE("matrix answers with the result, a layer's rollout, a fused layer and a single head") {
  const Vector v("causal_6x4x3");
  Session session;
  open(session, causal_dump());
  const auto close = [](const std::vector<float>& found, const std::vector<double>& expected) { return largest_difference(found, expected) <= 1e-6; };
  const auto result = answer<MatrixData>(session, "matrix", "{}");
  CHECK(result.rows == 6);
  CHECK(result.causal);
  CHECK(close(result.values, v.get("expected/rollout").values));
  CHECK(result.rows_distance > 0);
  CHECK(result.row_spread[0] == doctest::Approx(1));
  const auto layers = v.get("expected/rollout_per_layer");
  const auto after = answer<MatrixData>(session, "matrix", R"({"kind": "after_layer", "layer": 1})");
  CHECK(close(after.values, {layers.values.begin() + 36, layers.values.begin() + 72}));
  const auto head = answer<MatrixData>(session, "matrix", R"({"kind": "head", "layer": 2, "head": 1})");
  const auto attn = v.get("inputs/attn");
  CHECK(close(head.values, {attn.values.begin() + (2 * 3 + 1) * 36, attn.values.begin() + (2 * 3 + 2) * 36}));
  const auto fused = answer<MatrixData>(session, "matrix", R"({"kind": "fused_layer", "layer": 3, "recipe": {"heads": [1]}})");
  CHECK(close(fused.values, {attn.values.begin() + (3 * 3 + 1) * 36, attn.values.begin() + (3 * 3 + 2) * 36}));
  CHECK(refused(run(session.ask("matrix", R"({"kind": "head", "layer": 4})"))).code == ErrorCode::out_of_range);
  CHECK(refused(run(session.ask("matrix", R"({"kind": "after_layer", "layer": 0, "recipe": {"layers": [1, 4]}})"))).code == ErrorCode::out_of_range);

  const auto thumbs = answer<ThumbData>(session, "thumbs", "{}");
  REQUIRE(thumbs.layers.size() == 4);
  CHECK(close(thumbs.layers[3], v.get("expected/rollout").values));
}

TEST_CASE("a head's row without a value is no value, not zero") {
  Session session;
  open(session, json_dump({{1, 2, 2, 2}, {0, 0, 0.5, 0.5, 1, 0, 0.25, 0.75}}));
  const auto head = answer<MatrixData>(session, "matrix", R"({"kind": "head", "layer": 0, "head": 0})");
  CHECK(std::isnan(head.values[0]));
  CHECK(head.values[2] == 0.5f);
  const auto fused = answer<MatrixData>(session, "matrix", R"({"kind": "fused_layer", "layer": 0})");
  CHECK(fused.values[0] == 1.0f);  // the mean of the live head
}

TEST_CASE("a node inside the graph asks the same question from its layer") {
  Session session;
  open(session, causal_dump());
  const auto from_below = answer<ViewData>(session, "view", R"({"query": 4, "level": 2})");
  const auto shorter = answer<ViewData>(session, "view", R"({"query": 4, "recipe": {"layers": [0, 2]}})");
  CHECK(from_below.level == 2);
  CHECK(from_below.states.size() == 3);
  CHECK(from_below.gaps.size() == 2);
  CHECK(from_below.row == shorter.row);
  CHECK(from_below.uniform == shorter.uniform);
  const auto input = answer<ViewData>(session, "view", R"({"query": 4, "level": 0})");
  CHECK(input.row == std::vector<float>{0, 0, 0, 0, 1, 0});
  CHECK(input.gaps.empty());
  CHECK(refused(run(session.ask("view", R"({"query": 4, "level": 5})"))).code == ErrorCode::out_of_range);
  CHECK(refused(run(session.ask("view", R"({"query": 6})"))).code == ErrorCode::out_of_range);
}
