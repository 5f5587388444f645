#include "ui/shell.h"

#include "desk.h"

using namespace rollscope;
using test::Desk;

TEST_CASE("a dump shows strip and graph, and one box per token") {
  Desk d;
  d.frame();
  CHECK_FALSE(d.ui->showed_picture);
  CHECK(d.control("empty.open").w > 0);
  d.open("sentiment_negative.npz");
  CHECK(d.ui->showed_picture);
  CHECK(d.ui->record.tokens.size() == 13);
  CHECK(d.ui->record.inputs.size() == 13);
  CHECK(d.ui->record.outputs.size() == 13);
  CHECK(d.ui->record.nodes.size() == 5 * 13);
  CHECK(d.ui->record.edges_drawn > 0);
  CHECK(d.control("empty.open").w == 0);
}

TEST_CASE("a click on a token asks what it reads, and the answer is what is drawn") {
  Desk d;
  d.open("sentiment_negative.npz");
  REQUIRE(d.app.state().selection.query == 0);
  d.click(d.token(5));
  CHECK(d.app.state().selection.query == 5);
  REQUIRE(d.app.view());
  CHECK(d.app.view()->query == 5);
  CHECK(d.app.can_undo());
}

TEST_CASE("a token tells its share while the pointer is on it, and nothing is asked") {
  Desk d;
  d.open("sentiment_negative.npz");
  const auto asked = d.number;
  d.move(d.token(10).middle_x(), d.token(10).middle_y());
  CHECK(d.app.hover.key == 10);
  CHECK(d.number == asked);
  d.move(700, 20);
  CHECK(d.app.hover.key == -1);
}

TEST_CASE("an input under the pointer lights its paths; a click pins it and a second one lets it go") {
  Desk d;
  d.open("sentiment_negative.npz");
  const auto input = d.ui->record.inputs[5].box;
  d.move(input.middle_x(), input.middle_y());
  CHECK(d.app.hover.key == 5);
  d.click(input);
  CHECK(d.app.state().selection.key == 5);
  d.click(input);
  CHECK(d.app.state().selection.key == -1);
}

TEST_CASE("a node asks the same question from its layer, and the way back is on the toolbar") {
  Desk d;
  d.open("sentiment_negative.npz");
  CHECK(d.control("graph.back").w == 0);
  for (const auto& n : d.ui->record.nodes)
    if (n.level == 2 && n.index == 5) {
      d.click(n.box);
      break;
    }
  CHECK(d.app.state().selection.query == 5);
  CHECK(d.app.state().selection.level == 2);
  REQUIRE(d.control("graph.back").w > 0);
  d.click(d.control("graph.back"));
  CHECK(d.app.state().selection.level == -1);
}

TEST_CASE("the residual follows its slider, and a drag is one step back") {
  Desk d;
  d.open("sentiment_negative.npz");
  const auto s = d.control("recipe.residual");
  REQUIRE(s.w > 0);
  d.drag(s.middle_x(), s.middle_y(), s.right() - 20, s.middle_y());
  const double r = d.app.state().recipe.residual;
  CHECK(r > 0.6);
  CHECK(d.app.view()->recipe.residual == doctest::Approx(r));
  d.app.undo();
  CHECK(d.app.state().recipe.residual == doctest::Approx(0.5));
}

TEST_CASE("a double click on the residual asks the page for a field over it") {
  Desk d;
  d.open("sentiment_negative.npz");
  const auto n = d.control("recipe.residual.number");
  REQUIRE(n.w > 0);
  d.move(n.middle_x(), n.middle_y());
  for (int i = 0; i < 2; ++i) {
    ImGui::GetIO().AddMouseButtonEvent(0, true);
    d.frame();
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    d.frame();
  }
  CHECK(d.was_told("edit"));
}

TEST_CASE("menus of the recipe open, choose and close") {
  Desk d;
  d.open("sentiment_negative.npz");
  d.click(d.control("recipe.method"));
  REQUIRE(d.control("recipe.method/raw").w > 0);
  d.click(d.control("recipe.method/raw"));
  CHECK(d.app.state().recipe.method == Method::raw);
  CHECK(d.control("recipe.method/raw").w == 0);
  d.click(d.control("recipe.fusion"));
  REQUIRE(d.control("recipe.heads/2").w > 0);
  d.click(d.control("recipe.heads/2"));
  CHECK(d.app.state().recipe.heads == std::vector<int>{0, 1, 3});
  d.click(d.control("recipe.fusion/max"));
  CHECK(d.app.state().recipe.fusion == Fusion::max);
}

TEST_CASE("the last head that is on stays on") {
  Desk d;
  d.open("sentiment_negative.npz");
  d.click(d.control("recipe.fusion"));
  for (int h = 0; h < 4; ++h) d.click(d.control("recipe.heads/" + std::to_string(h)));
  CHECK(d.app.state().recipe.heads == std::vector<int>{3});
}

TEST_CASE("the matrix answers a click with row and column, and shows layers and heads") {
  Desk d;
  d.open("minilm_cat.npz");
  d.click(d.control("tab.matrix"));
  REQUIRE(d.app.matrix());
  const auto area = d.ui->record.matrix;
  REQUIRE(d.ui->record.cell > 20);
  d.click(area.x + d.ui->record.cell * 2.5f, area.y + d.ui->record.cell * 8.5f);
  CHECK(d.app.state().selection.query == 8);
  CHECK(d.app.state().selection.key == 2);
  d.click(d.control("matrix.show/head"));
  CHECK(d.app.state().matrix.kind == MatrixKind::head);
  REQUIRE(d.app.matrix());
  CHECK(d.app.matrix()->kind == MatrixKind::head);
  d.click(d.control("matrix.after/2"));
  CHECK(d.app.state().matrix.kind == MatrixKind::after_layer);
  CHECK(d.app.state().matrix.layer == 2);
}

TEST_CASE("the badge tells the page which limits apply") {
  Desk d;
  d.open("sentiment_negative.npz");
  d.click(d.control("recipe.limits"));
  CHECK(d.was_told("limits"));
}

TEST_CASE("nothing is asked for once the picture rests") {
  Desk d;
  d.open("minilm_cat.npz");
  for (int i = 0; i < 20; ++i) d.frame();
  d.wanted = d.timers = 0;
  d.frame();
  CHECK(d.wanted == 0);
  CHECK(d.timers == 0);
}

TEST_CASE("only colour eases after a click, and it ends") {
  Desk d;
  d.open("sentiment_negative.npz");
  d.app.run("select.query", R"({"query":6})");
  d.answer();
  d.frame(16);
  CHECK(d.ui->animating);
  for (int i = 0; i < 10; ++i) d.frame(16);
  CHECK_FALSE(d.ui->animating);
  d.ui->reduced = true;
  d.app.run("select.query", R"({"query":2})");
  d.answer();
  d.frame(16);
  CHECK_FALSE(d.ui->animating);
}

TEST_CASE("a cross stream names what its rows predict and keeps one question per row") {
  Desk d;
  d.open("enfr_i_love_you.npz");
  d.app.run("recipe.stream", R"({"stream":"cross"})");
  d.settle();
  CHECK(d.ui->record.tokens.size() == 8);  // four that predict, four that are read
  for (const auto& t : d.ui->record.tokens)
    if (t.level == 1 && t.index == 1) {
      d.click(t.box);
      break;
    }
  CHECK(d.app.state().selection.query == 1);
  d.click(d.token(2));
  CHECK(d.app.state().selection.key == 2);
}

TEST_CASE("every dump draws at every size, in every language, without a broken number") {
  for (const char* lang : {"en", "fr", "ja"})
    for (const auto& [w, h] : {std::pair{1280.f, 756.f}, {390.f, 792.f}, {320.f, 400.f}, {700.f, 500.f}, {1920.f, 1036.f}, {2560.f, 1396.f}}) {
      Desk d(w, h, lang);
      for (const char* name : {"sentiment_negative.npz", "minilm_long.f16.npz", "enfr_i_love_you.npz", "vit_digit_a.npz", "sort_full.npz", "minilm_unicode.safetensors", "minilm_cat.headmean.npy"}) {
        CAPTURE(lang);
        CAPTURE(name);
        CAPTURE(w);
        d.open(name);
        for (const auto& s : d.app.dump().streams) {
          d.app.run("recipe.stream", R"({"stream":")" + s.name + R"("})");
          d.settle();
          for (const char* view : {"view.graph", "view.matrix", "view.depth", "view.heads", "view.image", "view.lines", "view.compare", "layout.teach"}) {
            if (d.app.run(view) != "{}") continue;  // no heads, no patches
            d.settle();
            CHECK(d.ui->showed_picture);
            for (const auto& c : d.ui->record.controls) CHECK(c.box.w > 0);
          }
        }
        d.app.run("view.graph");
      }
    }
}

TEST_CASE("beside the main view stands another, which gives way to it and can be closed") {
  Desk d(1280, 756);
  d.open("minilm_cat.npz");
  d.app.run("layout.teach");
  d.settle();
  CHECK(d.ui->record.graph.w > 300);
  CHECK(d.ui->record.matrix.w > 200);
  CHECK(d.ui->record.matrix.x >= d.ui->record.graph.right() - 1);
  d.click(d.control("tab.matrix"));  // the two change places
  d.settle();
  CHECK(d.app.state().view == ViewKind::matrix);
  CHECK(d.app.state().second == static_cast<int>(ViewKind::graph));
  CHECK(d.ui->record.graph.x > d.ui->record.matrix.x);
  d.click(d.control("layout.close"));
  d.settle();
  CHECK(d.app.state().second == -1);
}

TEST_CASE("a click on an edge lists its heads, and one of them opens in the matrix") {
  Desk d(1280, 756);
  d.open("minilm_cat.npz");
  d.app.run("graph.edge", R"({"edge": [5, 2, 1]})");
  d.settle();
  const EdgeData* edge = d.app.edge();
  REQUIRE(edge);
  REQUIRE(edge->heads.size() == 12);
  int best = 0;
  for (int h = 1; h < 12; ++h)
    if (edge->heads[static_cast<std::size_t>(h)] > edge->heads[static_cast<std::size_t>(best)]) best = h;
  d.click(d.control("graph.edge.head/" + std::to_string(best)));
  d.settle();
  CHECK(d.app.state().view == ViewKind::matrix);
  CHECK(d.app.state().matrix.head == best);
  CHECK(d.app.state().matrix.layer == 5);
  REQUIRE(d.app.matrix());
  CHECK(d.app.matrix()->values[2 * 13 + 1] == doctest::Approx(edge->heads[static_cast<std::size_t>(best)]).epsilon(1e-5));
}

TEST_CASE("the drawer of a phone goes up by a tap on its handle") {
  Desk d(390, 792);
  d.ui->touch = true;
  d.open("minilm_cat.npz");
  REQUIRE(d.control("drawer").w > 0);
  const float before = d.control("drawer").y;
  d.click(d.control("drawer"));
  CHECK(d.app.state().drawer);
  CHECK(d.control("drawer").y < before - 100);
}

TEST_CASE("tab reaches the controls and space presses them") {
  Desk d;
  d.open("sentiment_negative.npz");
  for (int i = 0; i < 40 && d.app.state().view == ViewKind::graph; ++i) {
    d.key(ImGuiKey_Tab);
    d.key(ImGuiKey_Space);
    if (d.ui->popup_open) d.key(ImGuiKey_Escape);
    if (d.app.state().maximised) d.app.run("view.maximise");
  }
  CHECK(d.app.state().view == ViewKind::matrix);
}

TEST_CASE("what was on the GPU is made anew after a lost context") {
  Desk d;
  d.open("minilm_cat.npz");
  d.app.run("view.matrix");
  d.settle();
  ui::forget_gpu(*d.ui, true);
  d.gpu->lost();
  d.atlas.lost();
  REQUIRE(d.gpu->start());
  d.settle();
  CHECK(d.ui->showed_picture);
  d.app.run("view.graph");
  d.settle();
  CHECK(d.ui->record.edges_drawn > 0);
}
