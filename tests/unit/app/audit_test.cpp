// The audit sheet, and what explain says in words.
#include <doctest/doctest.h>

#include <limits>

#include "app/session_fixture.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

rapidjson::Document audit(Session& session, const std::string& args = "{}") { return parsed(must(run(session.ask("audit", args))).json); }

}  // namespace

TEST_CASE("a sheet names the bytes, the program, the recipe, the numbers, the limits and the words") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto sheet = audit(session, R"({"row": 8, "residual": 0.3, "k": 3})");
  CHECK(std::string(sheet["dump"]["sha256"].GetString()) == "29d70eb813f53abe5c4c1ccd6b584ddcf8a7de03d8dadc72c52640b3e837b2bc");
  CHECK(sheet["dump"]["bytes"].GetUint64() == 50558);
  const auto e = explain(session, R"({"row": 8, "residual": 0.3})");
  CHECK(sheet["recipe"] == e["recipe"]);
  CHECK(sheet["numbers"]["row"] == e["matrix"][0]);
  CHECK(sheet["numbers"]["uniform"] == e["uniform"][0]);
  CHECK(sheet["limits"] == e["report"]);
  CHECK(sheet["narration"] == e["narration"]);
  CHECK(sheet["engine"] == e["engine"]);
  CHECK(sheet["numbers"]["key_tokens"]["tokens"].Size() == 3);
  CHECK(must(run(session.ask("audit", R"({"row": 8})"))).json == must(run(session.ask("audit", R"({"row": 8})"))).json);
}

TEST_CASE("what was assumed about a file stands on the sheet") {
  Session session;
  auto source = FileSource::open(dump_path("broken_transposed.npy"));
  REQUIRE(source);
  must(run(session.open(*source, R"({"name": "t.npy", "assume": {"orientation": "columns"}})")));
  CHECK(audit(session)["dump"]["assumed"]["orientation"] == "columns");
}

TEST_CASE("a sheet is about one row, and is made of any method and any dump") {
  Session session;
  open_file(session, "minilm_grads.npz");
  CHECK(refused(run(session.ask("audit", R"({"row": "all"})"))).code == ErrorCode::bad_value);
  CHECK(refused(run(session.ask("audit", R"({"k": 0})"))).code == ErrorCode::bad_value);
  CHECK(refused(run(session.ask("audit", R"({"colour": 0})"))).code == ErrorCode::unknown_option);
  for (const std::string method : {"raw", "rollout", "rollout-reversed", "vit-explain", "gradient-rollout", "relevance", "grad-sam", "flow", "flow-normalised"}) {
    CAPTURE(method);
    const auto sheet = audit(session, R"({"row": 2, "method": ")" + method + "\"}");
    CHECK(sheet["narration"]["en"].Size() == sheet["narration"]["ja"].Size());
    CHECK(sheet["narration"]["fr"].Size() >= 2);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  must(run(session.open(json_dump({{1, 1, 3, 3}, {nan, nan, nan, 0, 0, 0, 0.2, 0.3, 0.5}}, {"a", "b", "c"}), R"({"name": "bad.json"})")));
  const auto empty = audit(session, R"({"row": 0, "residual": 0})");
  CHECK(empty["narration"]["facts"][0]["id"] == "no_weight");
  CHECK(empty["numbers"]["key_tokens"]["tokens"].Size() == 0);
  CHECK(audit(session, R"({"row": 1})")["numbers"]["key_tokens"]["tokens"][0]["label"] == "b");  // it keeps itself
}

TEST_CASE("explain lists key tokens of every row and tells one row in words") {
  Session session;
  open_file(session, "sentiment_negative.npz");
  const auto one = explain(session, R"({"row": 0})");
  const auto& tokens = one["diagnostics"]["key_tokens"][0]["tokens"];
  REQUIRE(tokens.Size() == 5);
  CHECK(tokens[0]["label"] == "terrible");
  CHECK(tokens[0]["rank"].GetInt() == 1);
  CHECK(tokens[0]["share"].GetDouble() == doctest::Approx(0.497).epsilon(1e-3));
  CHECK(std::string(one["narration"]["en"][0].GetString()).find("terrible") != std::string::npos);
  CHECK(schema_problem(one, "explain") == "");
  const auto all = explain(session);
  CHECK(all["diagnostics"]["key_tokens"].Size() == all["matrix"].Size());
  CHECK_FALSE(all.HasMember("narration"));
}
