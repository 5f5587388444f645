#include "scene/app.h"

#include <doctest/doctest.h>

#include "scene/commands.h"
#include "scene/json.h"
#include "scene/state_codec.h"
#include "scene_fixture.h"

using namespace rollscope;
using test::Bench;

namespace {

std::string error_code(const std::string& answer) {
  const auto json = parse_json(answer);
  const Json* error = json ? json->find("error") : nullptr;
  const Json* code = error ? error->find("code") : nullptr;
  return code ? code->text : "";
}

}  // namespace

TEST_CASE("a new dump asks for the row of its first output and nothing else") {
  Bench b;
  b.app.open(test::make_dump());
  REQUIRE(b.asked.size() == 1);
  CHECK(b.asked[0].verb == "view");
  CHECK(b.asked[0].args ==
        R"({"recipe":{"method":"rollout","stream":"self","fusion":"mean","residual":0.5,"layers":[0,4]},"query":0,"level":-1})");
  CHECK_FALSE(b.app.settled());
  CHECK(b.app.view() == nullptr);
  b.answer_view(0.7f);
  CHECK(b.app.settled());
  CHECK_FALSE(b.app.busy());
  REQUIRE(b.app.view());
  CHECK(b.app.view()->row.back() == 0.7f);
  CHECK(b.app.depth() == 4);
}

TEST_CASE("a causal dump opens on its last row, or on the last token of the prompt") {
  Bench b;
  auto dump = test::make_dump(2, 1, {"<bos>", "3", "1", "=", "1", "3"});
  dump.streams[0].causal = true;
  b.app.open(dump);
  CHECK(b.app.state().selection.query == 5);
  dump.meta["prompt_len"] = "4";
  b.app.open(dump);
  CHECK(b.app.state().selection.query == 3);
  dump.meta["prompt_len"] = "99";
  b.app.open(dump);
  CHECK(b.app.state().selection.query == 5);
}

TEST_CASE("a cross stream opens on raw attention of its last layer, and rollout of it is refused") {
  Bench b;
  DumpInfo d;
  d.streams.push_back(test::make_stream("cross", StreamKind::cross, 3, 2, {"je", "t'", "aime"}, {"I", "love", "you", "."}));
  b.app.open(d);
  const Recipe& r = b.app.state().recipe;
  CHECK(r.method == Method::raw);
  CHECK(r.first_layer == 2);
  CHECK(r.end_layer == 3);
  CHECK(b.app.state().selection.query == 2);
  CHECK(error_code(b.app.run("recipe.method", R"({"method": "rollout"})")) == "method_not_for_stream");
  CHECK(b.app.state().recipe.method == Method::raw);
}

TEST_CASE("the picture stays the old one until the numbers of the new question are here") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view(0.1f);
  CHECK(b.app.run("select.query", R"({"query": 3})") == "{}");
  CHECK(b.app.state().selection.query == 3);
  CHECK(b.app.shown().selection.query == 0);
  CHECK(b.app.view()->row.back() == 0.1f);
  CHECK_FALSE(b.app.settled());
  b.answer_view(0.2f);
  CHECK(b.app.shown().selection.query == 3);
  CHECK(b.app.view()->row.back() == 0.2f);
  CHECK(b.app.settled());
}

TEST_CASE("changes that need no numbers show at once, even while an answer is awaited") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  b.app.run("select.query", R"({"query": 2})");
  b.app.run("graph.keep", R"({"keep": 0.9})");
  b.app.run("view.zoom", R"({"factor": 2})");
  CHECK(b.app.shown().graph.keep == 0.9);
  CHECK(b.app.shown().graph.camera.zoom == 2);
  CHECK(b.app.shown().selection.query == 0);
  CHECK(b.count("view") == 2);
}

TEST_CASE("of three quick clicks only the last is answered") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  for (int q : {1, 2, 3}) b.app.run("select.query", R"({"query": )" + std::to_string(q) + "}");
  CHECK(b.cancelled.size() == 2);
  const auto stale = b.asked[1].number;
  b.answer_view_number(stale, 0.9f);
  CHECK(b.app.shown().selection.query == 0);
  CHECK_FALSE(b.app.settled());
  b.answer_view(0.3f);
  CHECK(b.app.shown().selection.query == 3);
}

TEST_CASE("going back to what was answered needs no question") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  b.app.run("select.query", R"({"query": 1})");
  b.app.run("select.query", R"({"query": 0})");
  CHECK(b.cancelled.size() == 1);
  CHECK(b.app.settled());
  CHECK(b.count("view") == 2);
}

TEST_CASE("a matrix is asked for only while it is looked at, and once") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  CHECK(b.count("matrix") == 0);
  b.app.run("view.matrix");
  CHECK(b.count("matrix") == 1);
  CHECK(b.count("thumbs") == 1);
  CHECK_FALSE(b.app.settled());
  b.answer_matrix(0.25f);
  CHECK(b.app.settled());
  CHECK(b.app.busy());  // the small pictures may come later
  b.answer_thumbs();
  CHECK_FALSE(b.app.busy());
  REQUIRE(b.app.matrix());
  CHECK(b.app.matrix()->values[0] == 0.25f);
  b.app.run("view.graph");
  b.app.run("view.matrix");
  b.app.run("select.query", R"({"query": 1})");  // another output is the same matrix
  b.answer_view();
  CHECK(b.count("matrix") == 1);
  CHECK(b.count("thumbs") == 1);
}

TEST_CASE("a single head is not asked for again when the residual weight moves") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  b.app.run("view.matrix");
  b.answer_matrix();
  b.answer_thumbs();
  CHECK(b.app.run("matrix.show", R"({"kind": "head", "layer": 1, "head": 1})") == "{}");
  CHECK(b.app.shown().matrix.kind == MatrixKind::result);  // the old one stays
  b.answer_matrix(0.75f);
  CHECK(b.app.shown().matrix.kind == MatrixKind::head);
  CHECK(b.app.shown().matrix.layer == 1);
  b.app.run("recipe.residual", R"({"residual": 0.25})");
  b.answer_view();
  CHECK(b.count("matrix") == 2);
  REQUIRE(b.app.matrix());
  CHECK(b.app.matrix()->values[0] == 0.75f);
}

TEST_CASE("a matrix never stands beside the row of another recipe") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  b.app.run("view.matrix");
  b.answer_matrix(0.1f);
  b.app.run("recipe.residual", R"({"residual": 0.25})");
  SUBCASE("when the matrix comes first it waits") {
    b.answer_matrix(0.2f);
    REQUIRE(b.app.matrix());
    CHECK(b.app.matrix()->values[0] == 0.1f);
    b.answer_view();
    CHECK(b.app.matrix()->values[0] == 0.2f);
  }
  SUBCASE("when the row comes first the old matrix goes") {
    b.answer_view();
    CHECK(b.app.matrix() == nullptr);
    CHECK_FALSE(b.app.settled());
    b.answer_matrix(0.2f);
    REQUIRE(b.app.matrix());
    CHECK(b.app.matrix()->values[0] == 0.2f);
  }
  CHECK(b.app.settled());
}

TEST_CASE("a question that fails leaves the old explanation standing") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view(0.4f);
  b.app.run("recipe.residual", R"({"residual": 0.9})");
  b.app.failure(b.asked_number("view"), R"({"code":"out_of_memory"})");
  CHECK(b.app.settled());
  CHECK(b.app.state().recipe.residual == 0.5);
  CHECK(b.app.view()->row.back() == 0.4f);
  CHECK_FALSE(b.app.can_undo());
  CHECK(b.told.back().first == "error");
}

TEST_CASE("a damaged answer counts as a failure") {
  Bench b;
  b.app.open(test::make_dump());
  const std::uint8_t half[] = {1, 2, 3};
  b.app.answer(b.asked_number("view"), half);
  CHECK(b.app.view() == nullptr);
  CHECK(b.told.back().first == "error");
}

TEST_CASE("undo and redo walk through steps, and a drag is one of them") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  b.app.run("select.query", R"({"query": 1})");
  AppState s = b.app.state();
  for (double r : {0.55, 0.6, 0.65}) {
    s.recipe.residual = r;
    b.app.set(s, false);
  }
  b.app.set(s, true);
  CHECK(b.app.state().recipe.residual == 0.65);
  b.app.run("undo");
  CHECK(b.app.state().recipe.residual == 0.5);
  CHECK(b.app.state().selection.query == 1);
  b.app.run("undo");
  CHECK(b.app.state().selection.query == 0);
  CHECK_FALSE(b.app.can_undo());
  b.app.run("redo");
  b.app.run("redo");
  CHECK(b.app.state().recipe.residual == 0.65);
  CHECK_FALSE(b.app.can_redo());
}

TEST_CASE("neighbouring drags of one slider are one entry, of two sliders two") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  for (const char* r : {"0.6", "0.7", "0.8"}) b.app.run("recipe.residual", std::string(R"({"residual": )") + r + "}");
  b.app.run("graph.keep", R"({"keep": 0.5})");
  b.app.undo();
  CHECK(b.app.state().graph.keep == 0.75);
  CHECK(b.app.state().recipe.residual == 0.8);
  b.app.undo();
  CHECK(b.app.state().recipe.residual == 0.5);
}

TEST_CASE("history keeps the last hundred steps") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  for (int i = 0; i < 130; ++i) b.app.run("select.query", R"({"query": )" + std::to_string(i % 2 + 1) + "}");
  int steps = 0;
  while (b.app.can_undo()) b.app.undo(), ++steps;
  CHECK(steps == 100);
}

TEST_CASE("every command of the table runs, and no other") {
  const std::map<std::string_view, std::string> args = {
      {"select.query", R"({"query": 1})"},       {"select.key", R"({"key": 2})"},
      {"select.level", R"({"level": 2})"},       {"recipe.method", R"({"method": "raw"})"},
      {"recipe.stream", R"({"stream": "self"})"}, {"recipe.fusion", R"({"fusion": "max"})"},
      {"recipe.heads", R"({"heads": [1]})"},      {"recipe.residual", R"({"residual": 0.25})"},
      {"recipe.sink", R"({"sink": "renormalise"})"}, {"recipe.merge", R"({"merge": "words"})"},
      {"recipe.class", R"({"class": ""})"},       {"recipe.source", R"({"source": ""})"},
      {"recipe.discard", R"({"discard": 0.5})"},
      {"recipe.layers", R"({"layers": [1, 3]})"}, {"view.zoom", R"({"factor": 1.1})"},
      {"graph.keep", R"({"keep": 0.5})"},         {"matrix.show", R"({"kind": "head", "layer": 0, "head": 1})"},
      {"matrix.scale", R"({"scale": "log"})"},    {"matrix.range", R"({"low": 0.1, "high": 0.5})"},
      {"heads.choose", R"({"layer": 1, "head": 1})"}, {"heads.open", R"({"layer": 1, "head": 1})"}, {"heads.fuse", R"({"head": 1})"},
      {"heads.order", R"({"order": "role"})"},    {"heads.role", R"({"role": 2})"}, {"image.opacity", R"({"opacity": 0.5})"}, {"image.region", R"({"region": [0, 0, 1, 1]})"},
      {"depth.measure", R"({"measure": "distance"})"}, {"layout.second", R"({"second": "matrix"})"}, {"lines.show", R"({"top": 1, "heads": [1]})"},
      {"compare.recipe", R"({"method": "raw"})"}, {"select.find", R"({"text": "c"})"}, {"graph.top", R"({"top": 3})"}, {"graph.edge", R"({"edge": [0, 1, 2]})"}};
  for (const Command& c : commands()) {
    CAPTURE(std::string(c.id));
    Bench b;
    b.app.open(test::make_dump());
    b.answer_view();
    const auto it = args.find(c.id);
    const std::string ran = b.app.run(c.id, it == args.end() ? "{}" : it->second);
    if (c.id == "view.image" || c.id == "image.region") CHECK(error_code(ran) == "usage");  // this dump has no patches
    else CHECK(ran == "{}");
    if (it == args.end()) continue;
    const AppState before = b.app.state();
    CHECK(error_code(b.app.run(c.id, "{}")) == "bad_value");
    CHECK(error_code(b.app.run(c.id, R"({"nonsense": 1})")) == "bad_value");
    CHECK(error_code(b.app.run(c.id, "[1")) == "bad_value");
    CHECK(b.app.state() == before);
  }
  Bench b;
  CHECK(error_code(b.app.run("select.query", R"({"query": 1})")) == "no_dump");
  CHECK(b.app.run("help") == "{}");
  CHECK(b.told.back().first == "help");
  b.app.open(test::make_dump());
  CHECK(error_code(b.app.run("format.disk")) == "unknown_option");
}

TEST_CASE("a region of patches is one output, until another one is chosen") {
  Bench b;
  DumpInfo dump = test::make_dump(4, 2, {"[CLS]", "p", "p", "p", "p", "p", "p"});
  dump.grid = {.prefix = 1, .rows = 2, .columns = 3};
  b.app.open(dump);
  b.answer_view();
  CHECK(error_code(b.app.run("image.region", R"({"region": [0, 0, 2, 1]})")) == "out_of_range");
  CHECK(error_code(b.app.run("image.region", R"({"region": [0, 0, 1, 3]})")) == "out_of_range");
  CHECK(error_code(b.app.run("image.region", R"({"region": [1, 0, 0, 1]})")) == "bad_value");
  CHECK(error_code(b.app.run("image.region", R"({"region": [0, 0, 1]})")) == "bad_value");
  CHECK(b.app.state().image.region.none());
  CHECK(b.app.run("image.region", R"({"region": [0, 1, 1, 2]})") == "{}");
  CHECK(b.app.state().image.region == PatchRegion{0, 1, 1, 2});
  CHECK(b.app.state().selection.query == 2);
  REQUIRE(b.open_question("view"));
  CHECK(b.open_question("view")->args.find(R"("rows":[2,3,5,6],"level":-1)") != std::string::npos);

  // The state says it, and takes it back.
  AppState read;
  std::vector<std::string> ignored;
  state_from_json(state_to_json(b.app.state()), read, ignored);
  CHECK(ignored.empty());
  CHECK(read.image == b.app.state().image);
  state_from_json(R"({"image": {"region": [0, 0, -1, 2]}})", read, ignored);
  CHECK(ignored == std::vector<std::string>{"image.region"});

  state_from_json(R"({"image": {"region": [0, 0, 1, 2]}, "query": 1})", read, ignored);
  CHECK(read.image.region == PatchRegion{0, 0, 1, 2});
  state_from_json(R"({"query": 1})", read, ignored);
  CHECK(read.image.region.none());

  b.app.run("select.query", R"({"query": 2})");  // its first patch, alone
  CHECK(b.app.state().image.region.none());
  CHECK(b.open_question("view")->args.find(R"("query":2,)") != std::string::npos);
  b.app.undo();
  CHECK(b.app.state().image.region == PatchRegion{0, 1, 1, 2});
  b.app.run("select.next");
  CHECK(b.app.state().image.region.none());
  CHECK(b.app.state().selection.query == 3);
  b.app.run("image.region", R"({"region": [1, 1, 1, 1]})");  // one patch is a token
  CHECK(b.app.state().image.region.none());
  CHECK(b.app.state().selection.query == 5);
  b.app.run("image.region", R"({"region": [0, 0, 1, 0]})");
  b.app.run("escape");
  CHECK(b.app.state().image.region.none());
  CHECK(b.app.state().selection.query == 1);
  b.app.open(test::make_dump());
  CHECK(b.app.state().image.region.none());
}

TEST_CASE("arguments out of range change nothing and say what is allowed") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  const AppState before = b.app.state();
  const std::pair<std::string, std::string> wrong[] = {
      {"select.query", R"({"query": 5})"},       {"select.key", R"({"key": 9})"},           {"select.level", R"({"level": 5})"},
      {"recipe.heads", R"({"heads": [2]})"},     {"recipe.layers", R"({"layers": [0, 5]})"}, {"recipe.layers", R"({"layers": [4, 5]})"},
      {"matrix.show", R"({"kind": "head", "head": 2})"}, {"matrix.show", R"({"kind": "fused_layer", "layer": 4})"}};
  for (const auto& [id, args] : wrong) {
    CAPTURE(args);
    CHECK(error_code(b.app.run(id, args)) == "out_of_range");
  }
  for (const char* args : {R"({"residual": 1.5})", R"({"residual": "much"})", R"({"residual": null})"})
    CHECK(error_code(b.app.run("recipe.residual", args)) == "bad_value");
  CHECK(error_code(b.app.run("recipe.stream", R"({"stream": "cross"})")) == "no_such_stream");
  CHECK(b.app.state() == before);
  CHECK_FALSE(b.app.can_undo());
}

TEST_CASE("escape lets go of the key first, then of the level, then of the large view") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  b.app.run("view.maximise");
  b.app.run("select.level", R"({"level": 2})");
  b.app.run("select.key", R"({"key": 1})");
  b.app.run("escape");
  CHECK(b.app.state().selection.key == -1);
  CHECK(b.app.state().selection.level == 2);
  b.app.run("escape");
  CHECK(b.app.state().selection.level == -1);
  CHECK(b.app.state().maximised);
  b.app.run("escape");
  CHECK_FALSE(b.app.state().maximised);
}

TEST_CASE("the arrows stop at the ends") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  b.app.run("select.previous");
  CHECK(b.app.state().selection.query == 0);
  for (int i = 0; i < 9; ++i) b.app.run("select.next");
  CHECK(b.app.state().selection.query == 4);
}

TEST_CASE("another stream starts where opening it would") {
  Bench b;
  DumpInfo d = test::make_dump(4, 2);
  d.streams.push_back(test::make_stream("cross", StreamKind::cross, 2, 2, {"x", "y"}, {"a", "b", "c"}));
  b.app.open(d);
  b.answer_view();
  b.app.run("select.query", R"({"query": 4})");
  b.answer_view();
  CHECK(b.app.run("recipe.stream", R"({"stream": "cross"})") == "{}");
  CHECK(b.app.stream().name == "self");  // until its numbers are here
  CHECK(b.app.state().selection.query == 1);
  CHECK(b.app.state().recipe.first_layer == 1);
  b.answer_view();
  CHECK(b.app.stream().name == "cross");
  b.app.run("recipe.stream", R"({"stream": "self"})");
  CHECK(b.app.state().recipe.method == Method::rollout);
  CHECK(b.app.state().recipe.end_layer == 4);
}

TEST_CASE("the DOM's table gets the row sorted by weight, chance and sinks included") {
  Bench b;
  b.app.open(test::make_dump());
  ViewData v;
  v.row = {0.1f, 0.2f, 0.5f, 0.15f, 0.05f};
  v.uniform = {0.2f, 0.2f, 0.2f, 0.2f, 0.2f};
  v.sinks = {2};
  v.sum = 1;
  v.level = 4;
  b.app.answer(b.asked_number("view"), test::archive(v));
  REQUIRE(b.told.back().first == "selection");
  const auto json = parse_json(b.told.back().second);
  REQUIRE(json);
  CHECK(json->find("token")->text == "[CLS]");
  CHECK(json->find("unit")->text == "rollout weight");
  const auto& rows = json->find("rows")->items;
  REQUIRE(rows.size() == 5);
  CHECK(rows[0].find("token")->text == "b");
  CHECK(rows[0].find("sink")->truth);
  CHECK(rows[1].find("token")->text == "a");
  CHECK(rows[4].find("token")->text == "[SEP]");
  CHECK(rows[4].find("chance")->number == doctest::Approx(0.2));
}

TEST_CASE("a patch is named by its row and column unless the file gives it a name of its own") {
  Bench b;
  DumpInfo d = test::make_dump(1, 1, {"[CLS]", "r0c0", "r0c1", "r1c0", "sky"});
  d.grid = {.prefix = 1, .rows = 2, .columns = 2};
  b.app.set_words([](std::string_view key) { return std::string(key == "token.patch" ? "ligne {row}, colonne {column}" : "l{row} c{column}"); });
  b.app.open(d);
  CHECK(b.app.token_name(0, true, false) == "[CLS]");
  CHECK(b.app.token_name(3, true, false) == "ligne 2, colonne 1");
  CHECK(b.app.token_name(2, false, true) == "l1 c2");
  CHECK(b.app.token_name(4, true, false) == "sky");
  CHECK(b.app.token_name(5, true, false) == "");
}

TEST_CASE("a state survives the way through JSON, and each broken field costs only itself") {
  AppState s;
  s.recipe.stream = "encoder";
  s.recipe.fusion = Fusion::max;
  s.recipe.heads = {0, 3};
  s.recipe.residual = 0.1;
  s.recipe.first_layer = 2;
  s.recipe.end_layer = 6;
  s.selection = {.query = 4, .key = 2, .level = 1};
  s.view = ViewKind::matrix;
  s.matrix = {.kind = MatrixKind::head, .layer = 3, .head = 7, .scale = ScaleCurve::log, .values = false, .low = 0.1, .high = 0.9, .camera = {0.25, 0.75, 3}};
  s.graph = {.keep = 0.4, .camera = {0.1, 0.2, 2}};
  s.maximised = s.drawer = true;
  AppState back;
  std::vector<std::string> ignored;
  state_from_json(state_to_json(s), back, ignored);
  CHECK(ignored.empty());
  CHECK(back == s);

  state_from_json(R"({"recipe": {"residual": 7, "fusion": "min", "heads": [1, "x"]}, "query": -2, "key": 5, "colour": "red", "matrix": []})", back, ignored);
  CHECK(back.recipe.fusion == Fusion::min);
  CHECK(back.recipe.residual == 0.1);
  CHECK(back.recipe.heads == std::vector{0, 3});
  CHECK(back.selection.query == 4);
  CHECK(back.selection.key == 5);
  CHECK(ignored == std::vector<std::string>{"recipe.residual", "recipe.heads", "query", "colour", "matrix"});
  ignored.clear();
  state_from_json("{broken", back, ignored);
  CHECK(ignored == std::vector<std::string>{"state"});
  ignored.clear();
  state_from_json(std::string(100000, '['), back, ignored);
  CHECK(ignored == std::vector<std::string>{"state"});
}

TEST_CASE("every field of the recipe survives the way through JSON, and explain takes the same names") {
  AppState s;
  s.recipe.method = Method::attribution;
  s.recipe.source = "shapley";
  s.recipe.sink = SinkMode::lift;
  s.recipe.merge = Merge::segments;
  s.recipe.merge_queries = MergeQueries::last;
  s.recipe.merge_time = MergeTime::before;
  s.recipe.class_name = "class_4";
  s.recipe.minus = "class_9";
  s.recipe.discard = 0.25;
  s.recipe.residuals = {0.25, 0.5, 1};
  AppState back;
  std::vector<std::string> ignored;
  state_from_json(state_to_json(s), back, ignored);
  CHECK(ignored.empty());
  CHECK(back.recipe == s.recipe);
  s.recipe.method = Method::norm_rollout;
  s.recipe.source = "alti";
  s.recipe.residuals.clear();
  s.recipe.residual_from = ResidualFrom::norms_mean;
  s.recipe.minus.clear();  // what is left out of a state goes back to nothing
  s.recipe.first_layer = 1;
  s.recipe.end_layer = 4;
  s.recipe.head = 2;
  state_from_json(state_to_json(s), back, ignored);
  CHECK(ignored.empty());
  CHECK(back.recipe == s.recipe);
  s.recipe.head = -1;
  state_from_json(state_to_json(s), back, ignored);
  CHECK(ignored.empty());
  CHECK(back.recipe == s.recipe);
  state_from_json(R"({"recipe": {"method": "magic", "residual": [0.5, 7], "sink": 3, "merge": "letters", "class": 4, "discard": 2, "merge_time": "during", "source": "x"}})", back, ignored);
  CHECK(back.recipe.method == Method::norm_rollout);
  CHECK(back.recipe.source == "x");
  CHECK(ignored == std::vector<std::string>{"recipe.method", "recipe.residual", "recipe.sink", "recipe.merge", "recipe.class", "recipe.discard", "recipe.merge_time"});
}

TEST_CASE("what a dump cannot have is refused as a command and falls back as a state") {
  Bench b;
  b.app.open(test::make_dump());
  CHECK(error_code(b.app.run("recipe.method", R"({"method": "gradient-rollout"})")) == "method_not_for_stream");
  CHECK(error_code(b.app.run("recipe.method", R"({"method": "magic"})")) == "bad_value");
  CHECK(error_code(b.app.run("recipe.residual", R"({"residual": "norms"})")) == "bad_value");
  CHECK(error_code(b.app.run("recipe.residual", R"({"residual": [0.5, 0.5]})")) == "bad_value");
  CHECK(error_code(b.app.run("recipe.class", R"({"class": "cat"})")) == "usage");
  CHECK(error_code(b.app.run("recipe.merge", R"({"merge": "segments"})")) == "usage");
  AppState next = b.app.state();
  next.recipe.method = Method::joint;
  next.recipe.class_name = "cat";
  next.recipe.residual_from = ResidualFrom::mixing;
  next.recipe.merge = Merge::segments;
  b.app.set(next);
  CHECK(b.app.state().recipe.method == Method::rollout);
  CHECK(b.app.state().recipe.class_name.empty());
  CHECK(b.app.state().recipe.residual_from == ResidualFrom::stated);
  CHECK(b.app.state().recipe.merge == Merge::pieces);
}

TEST_CASE("of two choices that exclude each other the newer one holds") {
  Bench b;
  b.app.open(test::make_dump());
  CHECK(b.app.run("recipe.sink", R"({"sink": "lift"})") == "{}");
  CHECK(b.app.run("recipe.merge", R"({"merge": "words"})") == "{}");
  CHECK(b.app.state().recipe.sink == SinkMode::keep);
  CHECK(b.app.run("recipe.sink", R"({"sink": "lift"})") == "{}");
  CHECK(b.app.state().recipe.merge == Merge::pieces);
  CHECK(b.app.run("recipe.sink", R"({"sink": "lift"})") == "{}");
  CHECK(b.app.run("recipe.residual", R"({"residual": [0.1, 0.2, 0.3, 0.4]})") == "{}");
  CHECK(b.app.state().recipe.sink == SinkMode::keep);
  CHECK(b.app.run("recipe.layers", R"({"layers": [0, 2]})") == "{}");
  CHECK(b.app.state().recipe.residuals.empty());
}

TEST_CASE("keys find their commands on every keyboard") {
  const auto id = [](std::string_view key, int modifiers) {
    const Command* c = command_for_key(key, modifiers);
    return c ? std::string(c->id) : "";
  };
  CHECK(id("ArrowRight", 0) == "select.next");
  CHECK(id("z", 2) == "undo");
  CHECK(id("z", 8) == "undo");
  CHECK(id("Z", 2 | 1) == "redo");
  CHECK(id("z", 0) == "");
  CHECK(id("?", 1) == "help");
  CHECK(id("?", 0) == "help");
  CHECK(id("+", 1) == "view.zoom_in");
  CHECK(id("=", 0) == "view.zoom_in");
  CHECK(id("f", 2) == "");  // the browser's search stays the browser's
  CHECK(id("f", 0) == "view.maximise");
  CHECK(id("G", 1) == "");
}

TEST_CASE("titles and ids of commands are unique") {
  std::map<std::string_view, int> ids, keys;
  for (const Command& c : commands()) {
    CHECK(++ids[c.id] == 1);
    CHECK(c.title == "command." + std::string(c.id));
    if (!c.shortcut.empty()) CHECK(++keys[c.shortcut] == 1);
  }
}

TEST_CASE("a token is found by its words, onward, backward and round the end") {
  Bench b;
  b.app.open(test::make_dump(2, 1, {"[CLS]", "The", "cat", "the", "hat"}));
  b.answer_view();
  const auto key = [&](const char* args) { b.app.run("select.find", args); return b.app.state().selection.key; };
  CHECK(key(R"({"text": "the"})") == 1);
  CHECK(key(R"({"text": "the"})") == 3);
  CHECK(key(R"({"text": "the"})") == 1);
  CHECK(key(R"({"text": "the", "step": -1})") == 3);
  CHECK(key(R"({"text": "at", "step": 0})") == 4);
  CHECK(error_code(b.app.run("select.find", R"({"text": "zebra"})")) == "usage");
  CHECK(b.app.state().selection.key == 4);
}

TEST_CASE("the strongest token comes first, then the next weaker; sinks are left out") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  std::vector<int> seen;
  const auto& row = b.app.view()->row;
  for (std::size_t n = 0; n < row.size(); ++n) {
    b.app.run("select.strongest");
    seen.push_back(b.app.state().selection.key);
  }
  for (std::size_t n = 1; n < row.size() - b.app.view()->sinks.size(); ++n) CHECK(row[static_cast<std::size_t>(seen[n])] <= row[static_cast<std::size_t>(seen[n - 1])]);
}

TEST_CASE("recipe B is changed field by field, kept from A, and changes places with it") {
  Bench b;
  b.app.open(test::make_dump());
  b.answer_view();
  CHECK(b.app.other_recipe(b.app.state()).method == Method::raw);  // beside rollout stands the last layer
  CHECK(b.app.other_recipe(b.app.state()).first_layer == 3);
  CHECK(b.app.run("compare.recipe", R"({"method": "rollout", "residual": 0.25})") == "{}");
  CHECK(b.app.state().compare.recipe.residual == 0.25);
  CHECK(b.app.state().recipe.residual == 0.5);
  b.app.run("compare.swap");
  CHECK(b.app.state().recipe.residual == 0.25);
  CHECK(b.app.state().compare.recipe.residual == 0.5);
  b.app.undo();
  CHECK(b.app.state().recipe.residual == 0.5);
  CHECK(error_code(b.app.run("compare.recipe", R"({"residual": 2})")) == "bad_value");
}
