// Every method in the interface: each dump, each language, on a desk and on a phone.
#include "base/byte_source.h"
#include "scene/recipe_fit.h"
#include "ui/draw.h"
#include "ui/names.h"
#include "ui/shell.h"

#include "desk.h"

using namespace rollscope;
using test::Desk;

namespace {

// Methods that the open dump can have, stored scores by their names.
std::vector<std::string> methods_of(const App& app) {
  std::vector<std::string> out;
  for (int m = 0; m < kMethods; ++m) {
    const auto method = static_cast<Method>(m);
    const Stream* stream = stream_for(app.dump(), app.stored_stream(), method);
    if (!stream) continue;
    if (method != Method::attribution) out.emplace_back(method_name(method));
    else
      for (const auto& name : source_names(app.dump(), *stream, method)) out.push_back("attribution:" + name);
  }
  return out;
}

// Controls of the recipe bar lie beside each other and on the screen.
void check_bar(const Desk& d) {
  std::vector<ui::Record::Control> bar;
  for (const auto& c : d.ui->record.controls)
    if (c.id.starts_with("recipe.")) bar.push_back(c);
  CHECK(bar.size() > 0);
  for (std::size_t i = 0; i < bar.size(); ++i) {
    CAPTURE(bar[i].id);
    CHECK(bar[i].box.x >= 0);
    CHECK(bar[i].box.right() <= d.ui->screen.w);
    for (std::size_t k = i + 1; k < bar.size(); ++k) {
      const ui::Box &a = bar[i].box, &b = bar[k].box;
      CAPTURE(bar[k].id);
      const bool apart = a.right() <= b.x + 4.5f || b.right() <= a.x + 4.5f || a.bottom() <= b.y + 3 || b.bottom() <= a.y + 3;
      CHECK(apart);
    }
  }
}

struct Size {
  float w, h;
};

}  // namespace

TEST_CASE("each method draws strip, graph, inspector and matrix, in every language and size") {
  for (const char* lang : {"en", "fr", "ja"})
    for (const Size size : {Size{1280, 756}, Size{390, 792}})
      for (const char* file : {"minilm_grads.npz", "enfr_i_love_you.npz", "vit_digit_a.npz", "minilm_pair.npz"}) {
        CAPTURE(lang);
        CAPTURE(size.w);
        CAPTURE(file);
        Desk d(size.w, size.h, lang);
        d.open(file);
        for (const std::string& method : methods_of(d.app)) {
          CAPTURE(method);
          REQUIRE(d.app.run("recipe.method", R"({"method":")" + method + R"("})") == "{}");
          d.settle();
          REQUIRE(d.app.settled());
          CHECK(d.ui->showed_picture);
          CHECK(d.app.view()->row.size() == static_cast<std::size_t>(d.app.stream().keys));
          CHECK(d.ui->record.inputs.size() > 0);
          check_bar(d);
          d.app.run("view.matrix");
          d.settle();
          CHECK(d.app.matrix());
          d.app.run("view.graph");
          d.settle();
        }
        for (const auto& id : d.ui->words.missing()) FAIL_CHECK("no text for " << id);
      }
}

TEST_CASE("the method menu names every method, and what the file lacks cannot be chosen") {
  for (const Size size : {Size{1280, 756}, Size{390, 792}}) {
    Desk d(size.w, size.h);
    d.open("enfr_i_love_you.npz");
    if (d.ui->phone) d.click(d.control("recipe.sheet"));
    d.click(d.control("recipe.method"));
    int entries = 0;
    for (const auto& c : d.ui->record.controls) entries += c.id.starts_with("recipe.method/");
    CHECK(entries >= kMethods);
    if (!d.ui->phone) {
      d.click(d.control("recipe.method/relevance"));
      CHECK(d.app.state().recipe.method == Method::rollout);
      d.click(d.control("recipe.method/joint"));
      CHECK(d.app.state().recipe.method == Method::joint);
      CHECK(d.app.stream().keys == 8);
      CHECK(d.app.border() == 4);
      // The way back leads to a stream that can have it.
      d.click(d.control("recipe.method"));
      d.click(d.control("recipe.method/rollout"));
      CHECK(d.app.state().recipe.method == Method::rollout);
      CHECK(d.app.state().recipe.stream == "encoder");
    }
  }
}

TEST_CASE("a gradient method takes the class that the model predicts, and another can be chosen") {
  Desk d;
  d.open("vit_digit_a.npz");
  d.click(d.control("recipe.method"));
  d.click(d.control("recipe.method/gradient-rollout"));
  CHECK(d.app.state().recipe.class_name == "class_4");
  d.click(d.control("recipe.class"));
  d.click(d.control("recipe.class/1"));
  CHECK(d.app.state().recipe.class_name == "class_9");
  REQUIRE(d.app.view());
  CHECK(d.app.view()->recipe.class_name == "class_9");
}

TEST_CASE("words are rows and columns once they are merged, and the chosen token stays chosen") {
  Desk d;
  d.open("minilm_pair.npz");
  const int pieces = d.app.stream().keys;
  int split = -1;
  for (int i = 0; i < pieces; ++i)
    if (!d.app.stream().key_tokens[static_cast<std::size_t>(i)].starts_word) split = i;
  REQUIRE(split > 0);
  d.app.run("select.query", R"({"query":)" + std::to_string(split) + "}");
  d.settle();
  d.click(d.control("recipe.more"));
  d.click(d.control("recipe.merge/words"));
  CHECK(d.app.stream().keys < pieces);
  CHECK(d.ui->record.tokens.size() == static_cast<std::size_t>(d.app.stream().keys));
  const auto& word = d.app.stream().query_tokens[static_cast<std::size_t>(d.app.state().selection.query)];
  CHECK(word.label.size() > 3);
  d.app.run("view.matrix");
  for (const char* kind : {"result", "after_layer", "fused_layer", "head"}) {
    d.app.run("matrix.show", std::string(R"({"kind":")") + kind + R"(","layer":1,"head":0})");
    d.settle();
    REQUIRE(d.app.matrix());
    CHECK(d.app.matrix()->columns == d.app.stream().keys);
  }
  d.app.run("recipe.merge", R"({"merge":"segments"})");
  d.settle();
  CHECK(d.app.stream().keys < 8);
  CHECK(d.ui->showed_picture);
}

TEST_CASE("a sink that is left out of each row is said, and lift has no percent") {
  Desk d;
  d.open("minilm_pair.npz");
  REQUIRE(d.control("recipe.sink").w > 0);
  d.click(d.control("recipe.sink"));
  d.click(d.control("recipe.sink/renormalise"));
  CHECK(d.app.state().recipe.sink == SinkMode::renormalise);
  CHECK(d.ui->percents());
  d.app.run("recipe.sink", R"({"sink":"lift"})");
  d.settle();
  CHECK_FALSE(d.ui->percents());
  CHECK(d.ui->amount(1.5) == "1.50");
  CHECK(d.app.view()->recipe.sink == SinkMode::lift);
}

TEST_CASE("stored scores have two sides, one row, and no chance") {
  Desk d;
  d.open("minilm_grads.npz");
  d.app.run("recipe.method", R"({"method":"attribution:shapley"})");
  d.settle();
  CHECK(d.app.for_one_output());
  CHECK(d.ui->scale.two_sided);
  CHECK(d.ui->scale.low == doctest::Approx(-d.ui->scale.high));
  CHECK(d.ui->amount(-0.0123) == "\u22120.0123");
  CHECK(d.app.view()->uniform.empty());
  d.app.run("view.matrix");
  d.settle();
  REQUIRE(d.app.matrix());
  CHECK(d.app.matrix()->rows == 1);
  CHECK(d.control("matrix.scale/log").w == 0);
}

TEST_CASE("a flow over many tokens has its chosen row alone, and no error") {
  Desk d;
  d.open("minilm_long.f16.npz");
  d.app.run("view.matrix");
  d.app.run("recipe.method", R"({"method":"flow"})");
  d.settle();
  CHECK(d.app.row_alone());
  CHECK_FALSE(d.app.matrix());
  CHECK_FALSE(d.was_told("error"));
  REQUIRE(d.control("matrix.row_alone").w > 0);
  d.click(d.control("matrix.show/fused_layer"));
  CHECK(d.app.matrix());
  d.click(d.control("matrix.show/result"));
  d.click(d.control("matrix.row_alone"));
  CHECK(d.app.state().view == ViewKind::graph);
}

namespace {

// Two layers of attention over a class token and a 2 x 2 grid, with what stands beside it.
std::shared_ptr<ByteSource> small_dump(const std::string& beside) {
  std::string row = "[0.1,0.3,0.2,0.3,0.1]", matrix, stack;
  for (int i = 0; i < 5; ++i) matrix += (i ? "," : "") + row;
  for (int l = 0; l < 2; ++l) stack += (l ? ",[[" : "[[") + matrix + "]]";
  const std::string text = R"({"attentions":[)" + stack + "]," + beside + "}";
  return std::make_shared<MemorySource>(std::vector<std::uint8_t>(text.begin(), text.end()));
}

}  // namespace

TEST_CASE("a residual weight that the file measures can be chosen, and is said") {
  Desk d;
  d.open(small_dump(R"("mixing_ratios":[[0.2,0.2,0.2,0.2,0.2],[0.3,0.3,0.3,0.3,0.3]])"), "small.json");
  d.click(d.control("recipe.residual.menu"));
  REQUIRE(d.control("recipe.residual/mixing").w > 0);
  CHECK(d.control("recipe.residual/norms").w == 0);
  d.click(d.control("recipe.residual/mixing"));
  CHECK(d.app.state().recipe.residual_from == ResidualFrom::mixing);
  CHECK(d.app.view()->recipe.residual_from == ResidualFrom::mixing);
  CHECK(d.control("recipe.residual").w == 0);
  check_bar(d);
  d.click(d.control("recipe.residual.menu"));
  d.click(d.control("recipe.residual/stated"));
  CHECK(d.app.state().recipe.residual_from == ResidualFrom::stated);
  CHECK(d.control("recipe.residual").w > 0);
  d.app.run("recipe.residual", R"({"residual":[0.2,0.6]})");
  d.settle();
  CHECK(d.app.view()->recipe.residuals == std::vector<double>{0.2, 0.6});
  CHECK(d.control("recipe.residual").w == 0);
}

TEST_CASE("scores over a grid leave the class token without a value") {
  Desk d;
  d.open(small_dump(R"("grid":[2,2],"prefix_tokens":1,"scores/map":[[0.5,-2],[0.25,0]])"), "small.json");
  REQUIRE(d.app.run("recipe.method", R"({"method":"attribution:map"})") == "{}");
  d.settle();
  REQUIRE(d.app.view());
  CHECK(std::isnan(d.app.view()->row[0]));
  CHECK(d.app.view()->first == 1);
  CHECK(d.ui->amount(d.app.view()->row[0]) == "\u2013");
  CHECK(d.ui->scale.high == 2);
  d.move(d.token(0).middle_x(), d.token(0).middle_y());
  CHECK(d.ui->showed_picture);
  d.app.run("view.matrix");
  d.settle();
  REQUIRE(d.app.matrix());
  CHECK(d.app.matrix()->rows == 1);
}

TEST_CASE("a drag over patches asks about the mean of their rows, and a click about one again") {
  Desk d;
  d.open("vit_digit_a.npz");
  d.app.run("view.image");
  d.settle();
  const auto patch = [&](int row, int column) {
    for (const auto& i : d.ui->record.inputs)
      if (i.index == 1 + row * 7 + column) return i.box;
    return ui::Box{};
  };
  REQUIRE(patch(1, 1).w > 0);
  d.drag(patch(2, 3).middle_x(), patch(2, 3).middle_y(), patch(1, 1).middle_x(), patch(1, 1).middle_y());  // from any corner
  CHECK(d.app.state().image.region == PatchRegion{1, 1, 2, 3});
  REQUIRE(d.app.view());
  CHECK(d.app.view()->rows == std::vector{9, 10, 11, 16, 17, 18});
  CHECK(d.app.view()->sum == doctest::Approx(1));
  CHECK(ui::asked_name(*d.ui) == "mean of 6 patches");
  std::string told;
  for (const auto& [event, detail] : d.told)
    if (event == "selection") told = detail;
  CHECK(told.find(R"("token":"mean of 6 patches")") != std::string::npos);
  for (const char* view : {"view.graph", "view.matrix", "view.heads", "view.depth", "view.lines", "view.compare", "view.image"}) {
    d.app.run(view);
    d.settle();
    CHECK(ui::asked_name(*d.ui) == "mean of 6 patches");
  }
  d.move(patch(4, 4).middle_x(), patch(4, 4).middle_y());
  d.click(patch(4, 4));
  CHECK(d.app.state().image.region.none());
  CHECK(d.app.state().selection.query == 1 + 4 * 7 + 4);
  CHECK(d.app.view()->rows.empty());
  CHECK(ui::asked_name(*d.ui) != "mean of 6 patches");
  // A drag that stays in one patch is a click, and one that ends outside asks up to the edge.
  d.drag(patch(3, 3).x + 4, patch(3, 3).y + 4, patch(3, 3).right() - 4, patch(3, 3).bottom() - 4);
  CHECK(d.app.state().image.region.none());
  CHECK(d.app.state().selection.query == 1 + 3 * 7 + 3);
  d.drag(patch(1, 1).middle_x(), patch(1, 1).middle_y(), patch(0, 0).x - 15, patch(0, 0).y - 5);
  CHECK(d.app.state().image.region == PatchRegion{0, 0, 1, 1});
}

TEST_CASE("lines across the matrix tell segments and words apart, and merged words none") {
  Desk d;
  d.open("minilm_pair.npz");
  d.app.run("view.matrix");
  d.settle();
  // Thin upright rectangles of one colour, as columns of the matrix.
  const auto columns = [&](ImU32 ink) {
    std::vector<int> out;
    const auto& r = d.ui->record;
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists)
      for (int i = 0; i + 3 < list->VtxBuffer.Size; ++i) {
        const ImDrawVert &a = list->VtxBuffer[i], &c = list->VtxBuffer[i + 2];
        const bool inside = std::fabs(a.pos.y - r.matrix.y) < 1 && a.pos.x > r.matrix.x + 1;
        if (a.col == ink && c.col == ink && inside && std::fabs(c.pos.x - a.pos.x - 1) < 0.01f && std::fabs(c.pos.y - r.matrix.bottom()) < 1)
          out.push_back(static_cast<int>(std::lround((a.pos.x + 1 - r.matrix.x) / r.cell)));
      }
    return out;
  };
  const auto words = [&] { return columns(ui::faded(d.ui->theme.ink2, 0.5f)); };
  REQUIRE(d.ui->record.cell > 14);
  CHECK(columns(d.ui->theme.ink) == std::vector{11});
  CHECK(words() == std::vector{1, 4, 8, 16});  // photosynthesis, transmogrifies; chlorophyllous from the segment on
  d.app.run("recipe.merge", R"({"merge": "words"})");
  d.settle();
  CHECK(words().empty());
}
