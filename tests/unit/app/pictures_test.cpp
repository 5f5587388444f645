// The numbers that the design pictures print, and the rollouts of real dumps, through the whole engine.
#include <doctest/doctest.h>

#include <set>

#include "app/session_fixture.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

double rounded(double x, double to) { return std::round(x / to) * to; }
double percent(float weight) { return rounded(100 * static_cast<double>(weight), 0.1); }

}  // namespace

TEST_CASE("the first visit: [CLS] of the negative review reads \"terrible\"") {
  Session session;
  open_file(session, "sentiment_negative.npz");
  const auto v = answer<ViewData>(session, "view", R"({"query": 0})");
  CHECK(percent(v.row[10]) == doctest::Approx(49.7));
  CHECK(percent(v.row[0]) == doctest::Approx(11.3));
  CHECK(percent(v.row[5]) == doctest::Approx(8.8));
  CHECK(rounded(v.spread, 0.1) == doctest::Approx(6.4));
  CHECK(v.visible == 13);
  CHECK(v.left_out == 10);
  CHECK(rounded(v.spread_without, 0.1) == doctest::Approx(10.2));
  CHECK(rounded(v.rows_distance, 0.01) == doctest::Approx(0.08));
  CHECK(v.first == 10);
  CHECK(v.itself_from == doctest::Approx(0.73));
  CHECK(v.sinks.empty());
  CHECK(v.sum == doctest::Approx(1));
  REQUIRE(v.others.size() == 2);
  CHECK(v.others[0].recipe.residual == 0.25);
  CHECK(v.others[0].first == 10);
  CHECK(rounded(v.others[0].rho, 0.01) == doctest::Approx(0.96));
  CHECK(v.others[1].recipe.method == Method::raw);
  CHECK(v.others[1].first == 5);
  CHECK(rounded(v.others[1].rho, 0.01) == doctest::Approx(0.40));
  REQUIRE(v.limits.size() == 3);
  CHECK(v.limits[0].code == ReportCode::dominant_token);
  CHECK(v.limits[0].params.at("share") == "36");
  CHECK(v.limits[0].params.at("chance") == "8");
  CHECK(v.limits[1].code == ReportCode::rows_similar);
  CHECK(v.limits[2].code == ReportCode::residual_sensitive);
  // The graph: half of each gap is residual; the tooltip of [CLS] in layer 2.
  REQUIRE(v.gaps.size() == 4);
  for (const auto& gap : v.gaps) {
    CHECK(gap.residual == doctest::Approx(0.5));
    CHECK(gap.residual + gap.own + gap.others == doctest::Approx(1));
    CHECK(gap.sink == 0);
  }
  CHECK(100 * v.gaps[1].residual_at[0] == doctest::Approx(15.24).epsilon(5e-4));
  CHECK(100 * v.gaps[1].own_at[0] == doctest::Approx(0.68).epsilon(5e-3));
}

TEST_CASE("MiniLM's \"it\" does not point to \"cat\": the sink [CLS] has most, no word exceeds chance") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto v = answer<ViewData>(session, "view", R"({"query": 8})");
  CHECK(percent(v.row[0]) == doctest::Approx(58.8));
  CHECK(percent(v.row[12]) == doctest::Approx(9.2));
  CHECK(v.row[2] == doctest::Approx(0.02530).epsilon(2e-4));
  CHECK(rounded(v.spread, 0.1) == doctest::Approx(5.2));
  CHECK(rounded(v.spread_without, 0.1) == doctest::Approx(10.8));
  CHECK(rounded(v.rows_distance, 0.01) == doctest::Approx(0.11));
  CHECK(v.sinks == std::vector<int>{0});
  CHECK(v.left_out == 0);
  CHECK(v.first == 0);
  CHECK(v.itself_from == doctest::Approx(0.82));
  REQUIRE(v.others.size() == 3);
  const int firsts[] = {12, 12, 2};
  const double rhos[] = {0.71, 0.80, -0.23};
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(v.others[k].first == firsts[k]);
    CHECK(rounded(v.others[k].rho, 0.01) == doctest::Approx(rhos[k]));
  }
  CHECK(v.others[1].recipe.fusion == Fusion::max);
  CHECK(v.limits.size() == 4);
  for (const auto code : {ReportCode::sink, ReportCode::rows_similar, ReportCode::below_uniform, ReportCode::residual_sensitive})
    CHECK(reports(v.limits, code));
  const auto m = answer<MatrixData>(session, "matrix", "{}");
  const double spreads[] = {3.7, 4.9, 4.3, 4.6, 5.1, 5.1, 4.1, 4.9, 5.2, 5.2, 4.3, 4.9, 5.0};
  for (std::size_t i = 0; i < 13; ++i) CHECK(rounded(m.row_spread[i], 0.1) == doctest::Approx(spreads[i]));
  CHECK(percent(m.values[12 * 13 + 12]) == doctest::Approx(10.9));
  CHECK(percent(m.values[5 * 13 + 5]) == doctest::Approx(4.4));
}

TEST_CASE("the translation opens its encoder, and cross-attention on the raw last layer") {
  Session session;
  open_file(session, "enfr_i_love_you.npz");
  CHECK(explain(session)["recipe"]["stream"].GetString() == std::string("encoder"));
  const auto e = explain(session, R"({"stream": "cross"})");
  CHECK(e["recipe"]["method"].GetString() == std::string("raw"));
  CHECK(e["recipe"]["first_layer"].GetInt() == 2);
  CHECK(rounded(100 * e["matrix"][2][1].GetDouble(), 0.1) == doctest::Approx(75.1));
  CHECK(rounded(100 * e["matrix"][3][3].GetDouble(), 0.1) == doctest::Approx(96.2));
  CHECK(e["recipe"]["sentence"].GetString() == std::string("Raw attention: cross-attention in layer 3, heads fused by mean of 4."));
  const auto v = answer<ViewData>(session, "view", R"({"query": 2, "recipe": {"stream": "cross"}})");
  CHECK(v.low.empty());
  CHECK(rounded(v.spread, 0.1) == doctest::Approx(1.8));
  CHECK(rounded(v.rows_distance, 0.01) == doctest::Approx(1.0));
  REQUIRE(v.gaps.size() == 1);
  CHECK(v.gaps[0].others == doctest::Approx(1));
  CHECK(v.states[1].size() == 4);
  const auto error = refused(run(session.ask("explain", R"({"stream": "cross", "method": "rollout"})")));
  CHECK(error.code == ErrorCode::method_not_for_stream);
  CHECK(error_exit_status(error.code) == 2);
}

TEST_CASE("real dumps show the limits that the contracts name for them") {
  Session session;
  open_file(session, "vit_digit_a.npz");
  auto e = explain(session, R"({"row": 0})");
  CHECK(reports(e["report"], "rollout_collapsed"));
  CHECK(reports(e["report"], "nearly_uniform"));
  CHECK(rounded(e["diagnostics"]["rows_distance"].GetDouble(), 0.001) == doctest::Approx(0.042));
  open_file(session, "sort_full.npz");
  CHECK(reports(explain(session)["report"], "absorbing_first_token"));
  CHECK(reports(explain(session, R"({"row": 5})")["report"], "absorbing_first_token"));        // chance gives it .40
  CHECK_FALSE(reports(explain(session, R"({"row": 18})")["report"], "absorbing_first_token"));  // .21
  open_file(session, "sentiment_positive.npz");
  e = explain(session, R"({"row": 0})");
  CHECK(reports(e["report"], "dominant_token"));
  CHECK(rounded(e["diagnostics"]["dominant"][0]["share"].GetDouble(), 0.01) == doctest::Approx(0.57));
  open_file(session, "sentiment_negated.npz");
  e = explain(session, R"({"row": 0})");
  CHECK(rounded(e["diagnostics"]["dominant"][0]["share"].GetDouble(), 0.01) == doctest::Approx(0.71));
}

TEST_CASE("the rollouts of real dumps are those of the independent program, in every container") {
  const auto expected = parsed(slurp(dump_path("expected.json")));
  int compared = 0;
  for (const auto& [name, what] : expected.GetObject()) {
    std::string file = name.GetString(), stream;
    if (const auto hash = file.find('#'); hash != file.npos) {
      stream = file.substr(hash + 1);
      file.resize(hash);
    }
    const auto ends = [&](const std::string& end) { return file.size() > end.size() && file.ends_with(end); };
    if (!ends(".npy") && !ends(".npz") && !ends(".safetensors") && !ends(".json")) continue;
    auto source = FileSource::open(dump_path(file));
    if (!source || (stream != "" && stream != "encoder" && stream != "decoder")) continue;
    CAPTURE(file);
    Session session;
    const auto opened = parsed(must(run(session.open(*source, R"({"name": ")" + file + "\"}"))).json);
    const auto args = stream.empty() ? std::string("{}") : R"({"stream": ")" + stream + "\"}";
    const auto e = explain(session, args);
    const auto& info = opened["streams"][stream == "decoder" ? 1 : 0];
    CHECK(info["layers"].GetInt() == what["layers"].GetInt());
    CHECK(info["heads"].GetInt() == what["heads"].GetInt());
    CHECK(info["queries"].GetInt() == what["n"].GetInt());
    CHECK(info["causal"].GetBool() == what["causal"].GetBool());
    CHECK_FALSE(reports(opened["report"], "rows_not_normalised"));
    CHECK(schema_problem(opened, "info") == "");
    CHECK(schema_problem(e, "explain") == "");
    const std::string dtype = info["dtype"].GetString();
    const double tolerance = dtype == "f16" ? 2e-3 : dtype == "bf16" ? 2e-2 : 1e-6;
    const auto n = e["matrix"].Size();
    CHECK(largest_difference(numbers(e["matrix"][0]).values, numbers(what["first_row"]).values) <= tolerance);
    CHECK(largest_difference(numbers(e["matrix"][n - 1]).values, numbers(what["last_row"]).values) <= tolerance);
    ++compared;
  }
  CHECK(compared >= 25);
}
