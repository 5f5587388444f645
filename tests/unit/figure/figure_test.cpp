// Figures of real dumps through the engine's verb.
#include "figure/figure.h"

#include <regex>

#include "app/session_fixture.h"
#include "scene/colormap.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

rapidjson::Document figure_of(Session& session, const std::string& args) { return parsed(must(run(session.ask("figure", args))).json); }
std::string svg_of(Session& session, const std::string& args) { return figure_of(session, args)["svg"].GetString(); }
bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// What stands between <g id="ID"> and the next group.
std::string group(const std::string& svg, const std::string& id) {
  const auto from = svg.find("<g id=\"" + id + "\">");
  REQUIRE_MESSAGE(from != svg.npos, id);
  const auto next = svg.find("<g id=", from + 1);
  return svg.substr(from, next == svg.npos ? svg.npos : next - from);
}

std::vector<std::string> texts(const std::string& svg) {
  std::vector<std::string> out;
  const std::regex text(">([^<>]*)</(text|tspan)>");
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), text); it != std::sregex_iterator(); ++it) out.push_back((*it)[1]);
  return out;
}

}  // namespace

TEST_CASE("numbers in a figure of a row are those that the engine explains it by") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto explained = explain(session, R"({"row": 8})");
  const auto& row = explained["matrix"][0];
  const std::string svg = svg_of(session, R"({"query": 8})");
  const auto strip = texts(group(svg, "tokens"));
  REQUIRE(strip.size() == 2 * 13);
  for (rapidjson::SizeType j = 0; j < 13; ++j) CHECK(strip[2 * j + 1] == percent(row[j].GetDouble()));
  const auto bars = texts(group(svg, "bars"));
  CHECK(std::find(bars.begin(), bars.end(), "58.8\u00A0%") != bars.end());
  CHECK(bars.back() == "100.0\u00A0%");
}

TEST_CASE("numbers in a matrix are the engine's, and its cells stand in their rows") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto all = explain(session);
  const auto cells = texts(group(svg_of(session, R"({"view": "matrix", "query": 8, "width": "170mm"})"), "numbers"));
  REQUIRE(cells.size() == 13 * 13);
  for (rapidjson::SizeType i = 0; i < 13; ++i)
    for (rapidjson::SizeType j = 0; j < 13; ++j) CHECK(cells[13 * i + j] == percent(all["matrix"][i][j].GetDouble()));
}

TEST_CASE("a figure carries its recipe as caption and as data") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const std::string args = R"({"query": 8, "recipe": {"residual": 0.3, "layers": [0, 4]}, "width": "1000px")";
  const std::string svg = svg_of(session, args + "}");
  CHECK(holds(group(svg, "caption"), "over layers 1 to 4"));
  CHECK(holds(group(svg, "caption"), "as published"));
  CHECK(holds(svg, "&quot;residual&quot;:0.29999999999999999"));
  CHECK(holds(svg, "&quot;limits&quot;:["));
  const std::string bare = svg_of(session, args + R"(, "caption": "none"})");
  CHECK_FALSE(holds(bare, "id=\"caption\""));
  CHECK(holds(bare, "over layers 1 to 4"));  // still in its description
  const std::string own = svg_of(session, args + R"(, "caption": "Déroulement", "limits": "Un\nDeux", "language": "fr"})");
  CHECK(holds(group(own, "caption"), ">Déroulement Méthode\u00A0: tel que publié"));
  CHECK(holds(group(own, "caption"), ">Deux</text>"));
  CHECK(holds(own, "xml:lang=\"fr\""));
}

TEST_CASE("no text in a figure is smaller than six points") {
  Session session;
  open_file(session, "minilm_unicode.json");
  for (const char* view : {"row", "matrix"}) {
    const std::string svg = svg_of(session, std::string(R"({"width": "85mm", "view": ")") + view + "\"}");
    const std::regex size("font-size=\"([0-9.]+)\"");
    int seen = 0;
    for (auto it = std::sregex_iterator(svg.begin(), svg.end(), size); it != std::sregex_iterator(); ++it, ++seen) CHECK(std::stod((*it)[1]) >= 8);
    CHECK(seen > 10);
  }
}

TEST_CASE("the graph draws one ribbon for each that the screen draws, and says how much is hidden") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto count = [](const std::string& text, std::string_view part) {
    int n = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
  };
  const std::string some = svg_of(session, R"({"view": "graph", "query": 8})"), all = svg_of(session, R"({"view": "graph", "query": 8, "keep": 1})");
  CHECK(count(group(some, "attention"), "<path") > 50);
  CHECK(count(group(all, "attention"), "<path") > 2 * count(group(some, "attention"), "<path"));
  CHECK(holds(group(some, "caption"), "at least 75"));
  CHECK_FALSE(holds(group(all, "caption"), "at least"));
  CHECK(count(group(some, "to-sinks"), "stroke-dasharray") > 5);
  const auto names = texts(group(some, "inputs"));
  CHECK(std::find(names.begin(), names.end(), "3.6") != names.end());
}

TEST_CASE("the wall holds a picture of every head and says nothing of a recipe that it does not hang on") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const std::string svg = svg_of(session, R"({"view": "heads"})");
  int pictures = 0;
  for (auto at = svg.find("<image"); at != svg.npos; at = svg.find("<image", at + 1)) ++pictures;
  CHECK(pictures == 6 * 12);
  CHECK_FALSE(holds(group(svg, "caption"), "residual"));
  CHECK(holds(svg, "&quot;method&quot;:&quot;raw&quot;"));
}

TEST_CASE("a matrix of one head is captioned as that head") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const std::string svg = svg_of(session, R"({"view": "matrix", "kind": "head", "layer": 0, "head": 2, "width": "1000px"})");
  CHECK(holds(group(svg, "caption"), "in layer 1, head 3 of 12"));
}

TEST_CASE("curves and comparisons name what they compare") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const std::string depth = svg_of(session, R"({"view": "depth", "query": 8})");
  CHECK(holds(depth, "From layer 6 on the outputs say nearly the same."));
  const std::string both = svg_of(session, R"({"view": "compare", "query": 8, "b": {"method": "rollout", "residual": 0.2}, "width": "1200px"})");
  CHECK(holds(both, "residual 0.50."));
  CHECK(holds(both, "residual 0.20."));
  CHECK(holds(group(both, "caption"), "total variation"));
}

TEST_CASE("a large matrix is one embedded picture, a small one shapes") {
  Session session;
  open_file(session, "minilm_long.f16.npz");
  const std::string large = svg_of(session, R"({"view": "matrix"})");
  CHECK(holds(group(large, "cells"), "<image"));
  CHECK(large.size() < 200'000);
  open_file(session, "minilm_cat.npz");
  CHECK_FALSE(holds(svg_of(session, R"({"view": "matrix"})"), "<image"));
}

TEST_CASE("light, dark and transparent figures differ in colours alone") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const std::string light = svg_of(session, "{}"), dark = svg_of(session, R"({"theme": "dark"})"), clear = svg_of(session, R"({"ground": "transparent"})");
  CHECK(texts(light) == texts(dark));
  CHECK(holds(light, "id=\"ground\""));
  CHECK_FALSE(holds(clear, "id=\"ground\""));
  CHECK(holds(light, "#f6f4f0") != holds(dark, "#f6f4f0"));
}

TEST_CASE("a width is read in the units of papers and screens, and nothing else is taken") {
  CHECK(figure::read_width("85mm")->px == doctest::Approx(321.26).epsilon(0.001));
  CHECK(figure::read_width("640")->text == "640px");
  CHECK(figure::read_width("640px")->px == 640);
  for (const char* bad : {"", "mm", "85 mm", "-85mm", "85em", "1e3", "10", "99999", "8.5.1cm", "nan"}) CHECK_FALSE(figure::read_width(bad));
}

TEST_CASE("wrong options of a figure are refused by name") {
  Session session;
  open_file(session, "minilm_cat.npz");
  const auto code = [&](const std::string& args) { return refused(run(session.ask("figure", args))).code; };
  CHECK(code(R"({"view": "pie"})") == ErrorCode::bad_value);
  CHECK(code(R"({"view": "image"})") == ErrorCode::usage);
  CHECK(code(R"({"theme": "blue"})") == ErrorCode::bad_value);
  CHECK(code(R"({"width": "3 parsec"})") == ErrorCode::bad_value);
  CHECK(code(R"({"query": 13})") == ErrorCode::out_of_range);
  CHECK(code(R"({"bogus": 1})") == ErrorCode::unknown_option);
  CHECK(code(R"({"view": "matrix", "kind": "head", "head": 12})") == ErrorCode::out_of_range);
  CHECK(code(R"({"view": "compare", "b": {"method": "sing"}})") == ErrorCode::bad_value);
  open_file(session, "minilm_cat.headmean.npy");
  CHECK(code(R"({"view": "heads"})") == ErrorCode::usage);
}
