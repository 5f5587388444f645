// The verbs about heads and depth.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "analysis/head_table.h"
#include "app/session_fixture.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

rapidjson::Document ask(Session& session, const std::string& verb, const std::string& args = "{}") {
  return parsed(must(run(session.ask(verb, args))).json);
}

void open(Session& session, std::shared_ptr<ByteSource> source) { must(run(session.open(std::move(source), R"({"name": "test.json"})"))); }

double at(const rapidjson::Value& object, const char* name) { return object[name].IsNull() ? std::nan("") : object[name].GetDouble(); }

Numbers with_bad_rows() {
  // Two heads of three tokens: row 1 of head 0 is NaN, row 2 of head 1 is zero.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {{1, 2, 3, 3}, {1, 0, 0, nan, nan, nan, 0, 0.5, 0.5, 0.5, 0.5, 0, 0.25, 0.5, 0.25, 0, 0, 0}};
}

}  // namespace

TEST_CASE("depth gives the reference's numbers after every layer, and the verdict") {
  const Vector v("depth_24");
  for (const std::string kind : {"bidirectional", "causal"}) {
    CAPTURE(kind);
    Session session;
    open(session, json_dump(v.get("inputs/" + kind + "_attn")));
    for (const std::string residual : {"0.5", "0"}) {
      const auto depth = ask(session, "depth", R"({"residual": )" + residual + "}");
      REQUIRE(depth["layers"].Size() == 24);
      for (const int l : {1, 2, 4, 8, 16, 24}) {
        CAPTURE(l);
        const auto& expected = v.at("expected/" + kind + (residual == "0" ? "/no_residual/" : "/") + std::to_string(l) + "/diag");
        const auto& found = depth["layers"][static_cast<rapidjson::SizeType>(l - 1)];
        const std::pair<const char*, const char*> names[] = {{"row_entropy_mean", "row_entropy_mean"}, {"perplexity_mean", "perplexity_mean"},
                                                             {"effective_rank", "effective_rank"}, {"stable_rank", "stable_rank"},
                                                             {"dong_residual", "dong_residual_1inf"}, {"dobrushin", "dobrushin_tv"}, {"gini_mean", "gini_mean"}};
        for (const auto& [name, reference] : names) {
          CAPTURE(name);
          CHECK(std::abs(at(found, name) - at(expected, reference)) <= 1e-9);
        }
      }
    }
    const auto depth = ask(session, "depth");
    const int from = depth["verdict"]["collapsed_from"].GetInt();
    CHECK(depth["layers"][static_cast<rapidjson::SizeType>(from)]["rows_distance"].GetDouble() <= 0.05);
    CHECK(depth["layers"][static_cast<rapidjson::SizeType>(from - 1)]["rows_distance"].GetDouble() > 0.05);
    CHECK(depth["narration"]["facts"][0]["id"] == "depth_collapsed_from");
    CHECK(depth["narration"]["facts"][0]["slots"]["layer"].GetInt() == from + 1);
    CHECK(depth["narration"]["fr"].Size() == depth["narration"]["ja"].Size());
  }
}

TEST_CASE("depth is measured on products and on raw attention, and says so elsewhere") {
  Session session;
  open_file(session, "minilm_grads.npz");
  CHECK(ask(session, "depth", R"({"method": "gradient-rollout"})")["verdict"].IsObject());
  CHECK(ask(session, "depth", R"({"method": "relevance"})")["verdict"].IsNull());  // its rows are no distributions
  for (const std::string args : {R"({"method": "flow"})", R"({"method": "grad-sam"})", R"({"sink": "lift"})", R"({"sink": "renormalise"})"}) {
    CAPTURE(args);
    CHECK(refused(run(session.ask("depth", args))).code == ErrorCode::usage);
  }
  CHECK(refused(run(session.ask("depth", R"({"row": 1})"))).code == ErrorCode::unknown_option);
  CHECK(refused(run(session.ask("depth", R"({"layers": "3:9"})"))).code == ErrorCode::out_of_range);
}

TEST_CASE("heads: empty and broken rows are left out of every score, and no head is NaN by them") {
  Session session;
  open(session, json_dump(with_bad_rows(), {"a", "b", "a"}));
  const auto heads = ask(session, "heads");
  const auto& scores = heads["scores"];
  CHECK(scores[0]["confidence_mean_max"].GetDouble() == doctest::Approx(0.75));  // rows 0 and 2
  CHECK(scores[1]["confidence_mean_max"].GetDouble() == doctest::Approx(0.5));   // rows 0 and 1
  CHECK(scores[0]["duplicate_rows_mean"].GetDouble() == 0);                       // row 2 has an earlier "a"
  CHECK(scores[1]["duplicate_rows_mean"].IsNull());                               // its row 2 is empty
  CHECK(heads["similar"]["merges"].Size() == 1);
  CHECK(std::string(scores[0]["role"].GetString()) == "mixed");
  const auto depth = ask(session, "depth", R"({"residual": 0})");
  CHECK(depth["layers"][0]["row_entropy_mean"].IsNumber());
}

TEST_CASE("heads: without tokens nobody knows which repeat; across streams no position is compared") {
  Session session;
  open(session, json_dump(Vector("causal_6x4x3").get("inputs/attn")));
  const auto heads = ask(session, "heads");
  CHECK_FALSE(heads["repeats_known"].GetBool());
  CHECK(heads["scores"][0]["duplicate_rows_mean"].IsNull());
  CHECK(heads["scores"][0]["previous_token"].IsNumber());
  open_file(session, "enfr_i_love_you.npz");
  const auto cross = ask(session, "heads", R"({"stream": "cross"})");
  CHECK(cross["scores"][0]["previous_token"].IsNull());
  CHECK(cross["scores"][0]["entropy_mean"].IsNumber());
}

TEST_CASE("heads come in steps with growing progress, and one that is dropped changes nothing") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto before = must(run(session.ask("heads", "{}"))).json;
  auto job = session.ask("heads", "{}");
  REQUIRE(job);
  double fraction = -1;
  int steps = 0;
  for (; steps < 60; ++steps) {
    const auto done = (*job)->step();
    REQUIRE(done);
    REQUIRE_FALSE(*done);
    const auto p = (*job)->progress();
    CHECK(p.fraction >= fraction);
    CHECK(p.fraction <= 1);
    fraction = p.fraction;
  }
  CHECK(fraction > 0.2);
  job->reset();
  CHECK(must(run(session.ask("heads", "{}"))).json == before);
}

TEST_CASE("tables of heads are pooled from what the engine sends, and only of the same heads") {
  Session session;
  const auto table = [&](const std::string& file, const std::string& args) {
    open_file(session, file);
    return answer<HeadTable>(session, "heads", args);
  };
  HeadTable a = table("minilm_cat.npz", "{}");
  const HeadTable same = a, other = table("minilm_cat.npz", R"({"layers": "0:2"})");
  CHECK(a.scores.size() == 72);
  CHECK(a.js.size() == 72u * 72u);
  REQUIRE(pool(a, same));
  CHECK(a.files.size() == 2);
  CHECK(largest_difference(a.js, same.js) <= 1e-15);
  CHECK(a.scores[5].entropy_mean.value() == doctest::Approx(same.scores[5].entropy_mean.value()));
  CHECK(a.scores[5].entropy_mean.weight == 2 * same.scores[5].entropy_mean.weight);
  const auto failed = pool(a, other);
  REQUIRE_FALSE(failed);
  CHECK(error_text(failed.error()).find("layers") != std::string::npos);
}

TEST_CASE("similarity is given up where its numbers would not fit, by the same rule everywhere") {
  CHECK(similarity_rows(144, 13, 13) == 13);
  CHECK(similarity_rows(144, 1024, 1024) == 32);
  CHECK(similarity_rows(1152, 256, 256) == 8);
  CHECK(similarity_rows(1152, 4096, 4096) == 0);
  CHECK(similarity_rows(4000, 8, 8) == 0);
}
