// App and engine together: what App asks, the engine understands, and what comes back can be drawn.
#include <doctest/doctest.h>

#include <deque>

#include "app/session_fixture.h"
#include "scene/app.h"
#include "scene/graph_layout.h"
#include "scene/heatmap.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

struct Desk {
  explicit Desk(const std::string& file) {
    const auto opened = open_file(session, file);
    ArchiveReader reader(opened.blob);
    DumpInfo info;
    fields(reader, info);
    REQUIRE_FALSE(reader.failed());
    app.open(std::move(info));
    settle();
  }
  struct Question {
    std::uint32_t number;
    std::string verb, args;
  };
  // Answers everything that is open, in the order in which it was asked.
  void settle() {
    while (!open.empty()) {
      const Question q = open.front();
      open.pop_front();
      auto result = run(session.ask(q.verb, q.args));
      if (result) app.answer(q.number, result->blob);
      else app.failure(q.number, error_json(result.error()));
    }
    CHECK(app.settled());
    CHECK_FALSE(app.busy());
  }
  void command(std::string_view id, std::string_view args = "{}") {
    CAPTURE(id);
    CAPTURE(args);
    CHECK(app.run(id, args) == "{}");
    settle();
  }

  Session session;
  std::deque<Question> open;
  std::uint32_t next = 0;
  int errors = 0;
  App app{[this](std::string_view verb, const std::string& args) {
            open.push_back({++next, std::string(verb), args});
            return next;
          },
          [this](std::uint32_t n) { std::erase_if(open, [&](const Question& q) { return q.number == n; }); },
          [this](std::string_view event, const std::string&) { errors += event == "error"; }};
};

}  // namespace

TEST_CASE("the first example opens on [CLS], which reads \"terrible\", and its paths add up") {
  Desk d("sentiment_negative.npz");
  REQUIRE(d.app.view());
  const ViewData& v = *d.app.view();
  CHECK(d.app.token_name(v.query, false, false) == "[CLS]");
  CHECK(d.app.token_name(v.first, true, false) == "terrible");
  CHECK(v.row[10] == doctest::Approx(0.497).epsilon(0.002));
  const GraphLayout g = layout_graph(v, {70, 278, 800, 423}, 1, {});
  REQUIRE(g.level_y.size() == 5);
  std::vector<double> width(4, 0), traced(4, 0);
  const auto parts = trace_paths(v, g, 5);
  for (std::size_t i = 0; i < g.ribbons.size(); ++i) {
    width[static_cast<std::size_t>(g.ribbons[i].gap)] += g.ribbons[i].width0;
    traced[static_cast<std::size_t>(g.ribbons[i].gap)] += parts[i];
  }
  for (double w : width) CHECK(w == doctest::Approx(g.unit).epsilon(0.02));
  for (double t : traced) CHECK(t == doctest::Approx(v.row[5]).epsilon(0.02));
}

TEST_CASE("every question that the page can put is one that the engine answers") {
  for (const char* file : {"sentiment_negative.npz", "minilm_long.f16.npz", "sort_full.npz", "vit_digit_a.npz"}) {
    CAPTURE(file);
    Desk d(file);
    const int layers = d.app.stream().layers();
    d.command("select.next");
    d.command("select.query", R"({"query": 2, "level": 1})");
    CHECK(d.app.view()->level == 1);
    d.command("view.matrix");
    REQUIRE(d.app.matrix());
    CHECK(d.app.thumbs());
    for (const char* kind : {"after_layer", "fused_layer", "head"}) {
      d.command("matrix.show", std::string(R"({"kind": ")") + kind + R"(", "layer": 1, "head": 0})");
      REQUIRE(d.app.matrix());
      CHECK(d.app.matrix()->layer == 1);
      CHECK(d.app.shown().matrix.layer == 1);
    }
    d.command("recipe.fusion", R"({"fusion": "max"})");
    d.command("recipe.heads", R"({"heads": [0, 1]})");
    d.command("recipe.layers", R"({"layers": [1, )" + std::to_string(layers) + "]}");
    CHECK(d.app.depth() == layers - 1);
    d.command("matrix.show", R"({"kind": "result"})");
    d.command("recipe.method", R"({"method": "raw"})");
    REQUIRE(d.app.matrix());
    d.command("recipe.residual", R"({"residual": 0})");
    while (d.app.can_undo()) d.app.undo(), d.settle();
    CHECK(d.app.view()->query == d.app.state().selection.query);
    CHECK(d.errors == 0);
  }
}

TEST_CASE("a translation opens on its encoder, and its cross-attention on the last layer") {
  Desk d("enfr_i_love_you.npz");
  d.command("recipe.stream", R"({"stream": "cross"})");
  const ViewData& v = *d.app.view();
  CHECK(v.recipe.method == Method::raw);
  CHECK(d.app.depth() == 1);
  const GraphLayout g = layout_graph(v, {0, 0, 800, 400}, 1, {});
  double width = 0;
  for (const Ribbon& r : g.ribbons) width += r.width0;
  CHECK(width == doctest::Approx(g.unit).epsilon(0.02));
  d.command("view.matrix");
  REQUIRE(d.app.matrix());
  CHECK(d.app.matrix()->columns == d.app.stream().keys);
  CHECK(d.errors == 0);
}

TEST_CASE("at 222 tokens the graph stays legible: few columns, the weight of every layer kept") {
  Desk d("minilm_long.f16.npz");
  d.command("select.query", R"({"query": 173})");
  const ViewData& v = *d.app.view();
  const GraphLayout g = layout_graph(v, {60, 330, 820, 330}, 0.75, {});
  CHECK(g.column >= 16);
  CHECK(g.edges_drawn < 2000);
  for (float part : g.shown) CHECK(part >= 0.75);
  std::vector<double> mass(g.level_y.size(), 0);
  for (const GraphNode& n : g.nodes) mass[static_cast<std::size_t>(n.level)] += n.mass;
  for (double m : mass) CHECK(m == doctest::Approx(1).epsilon(1e-3));
}

TEST_CASE("a patch is named by row and column, from 1") {
  Desk d("vit_digit_a.npz");
  d.app.set_words([](std::string_view key) { return std::string(key == "token.patch" ? "row {row}, column {column}" : "r{row} c{column}"); });
  CHECK(d.app.token_name(0, true, false) == "[CLS]");
  CHECK(d.app.token_name(1, true, false) == "row 1, column 1");
  CHECK(d.app.token_name(49, true, true) == "r7 c7");
}
