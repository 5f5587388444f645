// What the views of heads, depth and images are drawn from.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/head_scores.h"
#include "analysis/view_data.h"
#include "app/session_fixture.h"

using namespace rollscope;
using namespace rollscope::test;

TEST_CASE("the wall holds every head once, and names what the look's own figures name") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto wall = answer<WallData>(session, "wall", "{}");
  CHECK(wall.layers == 6);
  CHECK(wall.heads == 12);
  CHECK(wall.rows == 13);
  CHECK(wall.columns == 13);
  REQUIRE(wall.notes.size() == 72);
  REQUIRE(wall.cells.size() == 72 * 13 * 13);
  CHECK(wall.row.empty());
  const HeadNote& previous = wall.notes[2];  // layer 1, head 3 of look 03
  CHECK(static_cast<HeadRole>(previous.role) == HeadRole::previous);
  CHECK(previous.score > 0.99f);
  // Layer 3, head 3: 56 % on [CLS].
  CHECK(wall.notes[2 * 12 + 2].key == 0);
  CHECK(std::abs(wall.notes[2 * 12 + 2].score - 0.56f) < 0.01f);
  // A cell is its weight: the one below the diagonal of that head is nearly 1, the diagonal nearly 0.
  const auto cell = [&](int row, int column) { return wall.cells[(2 * 13 + static_cast<std::size_t>(row)) * 13 + static_cast<std::size_t>(column)]; };
  CHECK(cell(5, 4) > 250);
  CHECK(cell(5, 5) < 60);
  CHECK(cell(4, 5) < 60);
}

TEST_CASE("over patches the wall brings the chosen row of every head") {
  Session session;
  open_file(session, "vit_digit_a.npz");
  const auto wall = answer<WallData>(session, "wall", R"({"query": 0})");
  CHECK(wall.keys == 50);
  REQUIRE(wall.row.size() == 24 * 50);
  for (std::size_t h = 0; h < 24; ++h) {
    double sum = 0;
    for (std::size_t j = 0; j < 50; ++j) sum += static_cast<double>(wall.row[h * 50 + j]);
    CHECK(std::abs(sum - 1) < 1e-5);
  }
  const auto matrix = answer<MatrixData>(session, "matrix", R"({"kind": "head", "layer": 1, "head": 2})");
  for (std::size_t j = 0; j < 50; ++j) CHECK(wall.row[(1 * 4 + 2) * 50 + j] == doctest::Approx(matrix.values[j]));
  CHECK(refused(run(session.ask("wall", R"({"query": 50})"))).code == ErrorCode::out_of_range);
}

TEST_CASE("a wall of one head, of a causal text, of cross-attention") {
  for (const char* name : {"causal_full.pt", "enfr_i_love_you.npz", "minilm_cat.headmean.npy", "minilm_long.f16.npz"}) {
    CAPTURE(name);
    Session session;
    open_file(session, name);
    const auto wall = answer<WallData>(session, "wall", "{}");
    CHECK(wall.notes.size() == static_cast<std::size_t>(wall.layers * wall.heads));
    CHECK(wall.rows <= 64);
    for (const HeadNote& n : wall.notes) {
      CHECK(n.share >= 0);
      CHECK(n.share <= 1.0001f);
    }
  }
}

TEST_CASE("measures over the layers end where the result itself stands") {
  Session session;
  open_file(session, "vit_digit_a.npz");
  const auto depth = answer<DepthData>(session, "layers", R"({"query": 0})");
  REQUIRE(depth.distance.size() == 6);
  CHECK(std::abs(depth.distance.back() - 0.042f) < 0.005f);
  CHECK(depth.collapsed_from == 5);
  REQUIRE(depth.similar_from > 0);
  CHECK(depth.distance[static_cast<std::size_t>(depth.similar_from)] <= 0.15f);
  CHECK(depth.distance[static_cast<std::size_t>(depth.similar_from) - 1] > 0.15f);
  CHECK(depth.entropy.front() < 0.65f);
  CHECK(depth.entropy.back() > 0.97f);
  const auto view = answer<ViewData>(session, "view", R"({"query": 0})");
  for (std::size_t j = 0; j < 50; ++j) CHECK(depth.rows.back()[j] == doctest::Approx(view.row[j]).epsilon(1e-4));
  CHECK(refused(run(session.ask("layers", R"({"recipe": {"method": "flow"}})"))).code == ErrorCode::usage);
}

TEST_CASE("the picture of a dump is the one in the file") {
  Session session;
  open_file(session, "vit_digit_a.npz");
  const auto picture = answer<Picture>(session, "picture", "{}");
  CHECK(picture.width == 28);
  CHECK(picture.height == 28);
  REQUIRE(picture.rgb.size() == 28 * 28 * 3);
  CHECK(*std::max_element(picture.rgb.begin(), picture.rgb.end()) > 250);
  CHECK(picture.rgb[0] == 0);  // a digit on black
  open_file(session, "minilm_cat.npz");
  CHECK(answer<Picture>(session, "picture", "{}").width == 0);
}

TEST_CASE("lines are the strongest keys of each row of each head, as the matrix has them") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto lines = answer<LinesData>(session, "lines", R"({"layer": 2})");
  CHECK(lines.heads == 12);
  REQUIRE(lines.most == kLineKeys);
  REQUIRE(lines.key.size() == 12 * 13 * kLineKeys);
  const auto matrix = answer<MatrixData>(session, "matrix", R"({"kind": "head", "layer": 2, "head": 7})");
  for (int i = 0; i < 13; ++i) {
    std::vector<float> row(matrix.values.begin() + i * 13, matrix.values.begin() + (i + 1) * 13), sorted = row;
    std::sort(sorted.rbegin(), sorted.rend());
    for (int k = 0; k < kLineKeys; ++k) {
      const auto at = static_cast<std::size_t>((7 * 13 + i) * kLineKeys + k);
      CHECK(lines.weight[at] == doctest::Approx(sorted[static_cast<std::size_t>(k)]));
      CHECK(row[static_cast<std::size_t>(lines.key[at])] == lines.weight[at]);
    }
  }
  CHECK(refused(run(session.ask("lines", R"({"layer": 6})"))).code == ErrorCode::out_of_range);
}

TEST_CASE("no line reads a token that a causal row cannot see") {
  Session session;
  open_file(session, "causal_full.pt");
  const auto lines = answer<LinesData>(session, "lines", "{}");
  for (int h = 0; h < lines.heads; ++h)
    for (int i = 0; i < lines.queries; ++i)
      for (int k = 0; k < lines.most; ++k) CHECK(lines.key[static_cast<std::size_t>((h * lines.queries + i) * lines.most + k)] <= i);
}

TEST_CASE("the heads of an edge are what the heads' matrices hold") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto edge = answer<EdgeData>(session, "edge", R"({"layer": 3, "query": 8, "key": 2})");
  REQUIRE(edge.heads.size() == 12);
  for (const int head : {0, 11}) {
    const auto matrix = answer<MatrixData>(session, "matrix", R"({"kind": "head", "layer": 3, "head": )" + std::to_string(head) + "}");
    CHECK(edge.heads[static_cast<std::size_t>(head)] == doctest::Approx(matrix.values[8 * 13 + 2]));
  }
  CHECK(refused(run(session.ask("edge", R"({"layer": 3, "query": 13, "key": 2})"))).code == ErrorCode::out_of_range);
}

TEST_CASE("two recipes side by side: rows and matrices as each gives alone, measures as look 05 prints them") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto d = answer<BesideData>(session, "beside", R"({"a": {"method": "rollout"}, "b": {"method": "raw", "layers": "5:6"}, "query": 8})");
  REQUIRE(d.queries == 13);
  REQUIRE(d.row_a.size() == 13);
  CHECK(d.sinks == std::vector<int>{0});
  CHECK(d.row_a[0] == doctest::Approx(0.588).epsilon(0.002));
  CHECK(d.row_b[2] == doctest::Approx(0.171).epsilon(0.003));
  CHECK(d.row.spearman == doctest::Approx(-0.23).epsilon(0.02));
  CHECK(d.row.total_variation == doctest::Approx(0.41).epsilon(0.02));
  CHECK(d.row.js_bits == doctest::Approx(0.15).epsilon(0.03));
  CHECK(d.row.top == 0);
  CHECK(d.rows.spearman == doctest::Approx(0.11).epsilon(0.05));
  CHECK(d.rows.total_variation == doctest::Approx(0.42).epsilon(0.02));
  const auto alone = answer<MatrixData>(session, "matrix", R"({"recipe": {"method": "rollout"}})");
  for (std::size_t k = 0; k < alone.values.size(); ++k) CHECK(d.matrix_a[k] == doctest::Approx(alone.values[k]));
  const auto same = answer<BesideData>(session, "beside", R"({"a": {"method": "rollout"}, "b": {"method": "rollout"}, "query": 8})");
  CHECK(same.row.spearman == doctest::Approx(1));
  CHECK(same.row.total_variation == doctest::Approx(0));
  CHECK(same.row.top == kBesideTop);
}

TEST_CASE("recipes about other tokens are not laid side by side") {
  Session session;
  open_file(session, "enfr_i_love_you.npz");
  CHECK(refused(run(session.ask("beside", R"({"a": {"stream": "encoder", "method": "rollout"}, "b": {"stream": "cross", "method": "raw"}})"))).code == ErrorCode::usage);
}

TEST_CASE("the arcs of a bottleneck add up to the flow, and two outputs of one recipe can be compared") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto view = answer<ViewData>(session, "view", R"({"recipe": {"method": "flow"}, "query": 8})");
  for (const int key : {0, 2, 12}) {
    const auto cut = answer<CutData>(session, "cut", R"({"recipe": {"method": "flow"}, "query": 8, "key": )" + std::to_string(key) + "}");
    CHECK(cut.flow == doctest::Approx(static_cast<double>(view.row[static_cast<std::size_t>(key)])).epsilon(1e-6));
    double sum = 0;
    for (const CutArc& arc : cut.arcs) sum += arc.capacity;
    if (cut.arcs_all == static_cast<int>(cut.arcs.size())) CHECK(sum == doctest::Approx(cut.flow));
    for (std::size_t k = 1; k < cut.arcs.size(); ++k) CHECK(cut.arcs[k].capacity <= cut.arcs[k - 1].capacity);
  }
  CHECK(refused(run(session.ask("cut", R"({"recipe": {"method": "rollout"}, "query": 8, "key": 2})"))).code == ErrorCode::usage);
  const auto two = answer<BesideData>(session, "beside", R"({"a": {"method": "rollout"}, "b": {"method": "rollout"}, "query": 8, "query_b": 2})");
  for (std::size_t j = 0; j < 13; ++j) {
    CHECK(two.row_a[j] == doctest::Approx(two.matrix_a[8 * 13 + j]));
    CHECK(two.row_b[j] == doctest::Approx(two.matrix_a[2 * 13 + j]));
  }
}

TEST_CASE("several rows are asked about as one: the mean of what explain says of each") {
  Session session;
  open_file(session, "vit_digit_a.npz");
  const std::vector<int> rows{9, 10, 16, 17};
  for (const std::string recipe : {R"({})", R"({"sink": "renormalise"})", R"({"sink": "lift"})", R"({"method": "raw"})", R"({"method": "flow"})", R"({"method": "flow-normalised"})", R"({"layers": [1, 4], "residual": 0.3})"}) {
    CAPTURE(recipe);
    const auto view = answer<ViewData>(session, "view", R"({"recipe": )" + recipe + R"(, "rows": [17, 9, 16, 10, 9]})");
    CHECK(view.rows == rows);
    CHECK(view.query == 9);
    std::vector<double> mean(50, 0.0), chance(50, 0.0);
    for (const int row : rows) {
      std::string args = recipe;
      args.insert(args.size() - 1, (recipe.size() > 2 ? std::string(", ") : std::string()) + R"("row": )" + std::to_string(row));
      const auto one = explain(session, args);
      for (rapidjson::SizeType j = 0; j < 50; ++j) {
        mean[j] += one["matrix"][0][j].GetDouble() / 4;
        if (one.HasMember("uniform")) chance[j] += one["uniform"][0][j].GetDouble() / 4;
      }
    }
    double sum = 0;
    for (std::size_t j = 0; j < 50; ++j) {
      CHECK(view.row[j] == doctest::Approx(mean[j]).epsilon(1e-6));
      if (!view.uniform.empty()) CHECK(view.uniform[j] == doctest::Approx(chance[j]).epsilon(1e-6));
      sum += mean[j];
    }
    CHECK(view.sum == doctest::Approx(sum));
    if (view.stochastic) CHECK(view.sum == doctest::Approx(1));
    // The graph begins at all of them and ends in the row.
    for (const int row : rows) CHECK(view.states.back()[static_cast<std::size_t>(row)] == doctest::Approx(0.25));
    CHECK(view.states.back()[8] == 0);
    double leaves = 0;
    for (const Edge& e : view.gaps.back().edges) {
      CHECK(std::find(rows.begin(), rows.end(), e.from) != rows.end());
      leaves += static_cast<double>(e.weight);
    }
    CHECK(leaves > 0);
    if (recipe == "{}")
      for (std::size_t j = 0; j < 50; ++j) CHECK(view.states.front()[j] == doctest::Approx(mean[j]).epsilon(1e-6));
    CHECK(view.low.empty());
    CHECK(view.others.empty());
  }
  const auto alone = answer<ViewData>(session, "view", R"({"rows": [9]})");
  CHECK(alone.rows.empty());
  CHECK(alone.query == 9);
  CHECK(alone.row == answer<ViewData>(session, "view", R"({"query": 9})").row);
  CHECK(refused(run(session.ask("view", R"({"rows": [9, 50]})"))).code == ErrorCode::out_of_range);
  CHECK(refused(run(session.ask("view", R"({"rows": ["x"]})"))).code == ErrorCode::bad_value);
}
