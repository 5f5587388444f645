#include "figure/svg.h"

#include <doctest/doctest.h>

#include "figure/png.h"
#include "figure/text_width.h"

using namespace rollscope::figure;

namespace {

std::string drawn(std::string_view words) {
  Svg svg;
  {
    const auto group = svg.group("g", words);
    svg.text(1, 2, words, {});
  }
  return svg.finish({.width = 10, .height = 10, .size = "width=\"10px\" height=\"10px\"", .language = "en", .title = std::string(words), .description = std::string(words), .metadata = std::string(words)});
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("no token can open a tag, close a section or leave an attribute") {
  const std::string svg = drawn(R"(<script>alert("1")</script>]]>&amp;'-->)");
  CHECK_FALSE(holds(svg, "<script"));
  CHECK_FALSE(holds(svg, "]]>"));
  CHECK_FALSE(holds(svg, "-->"));
  CHECK(holds(svg, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;]]&gt;&amp;amp;&#39;--&gt;"));
}

TEST_CASE("what XML cannot hold is written by its number") {
  CHECK(Svg::escaped(std::string_view("a\0b", 3)) == "a‹U+0000›b");
  CHECK(Svg::escaped("\x1b\x7f") == "‹U+001B›‹U+007F›");
  CHECK(Svg::escaped("\xEF\xBF\xBE") == "‹U+FFFE›");
  CHECK(Svg::escaped("\xED\xA0\x80") == "‹U+00ED›‹U+00A0›‹U+0080›");  // a lone surrogate, byte by byte
  CHECK(Svg::escaped("\xF4\x8F\xBF\xBF") == "‹U+10FFFF›");
  CHECK(Svg::escaped("a\nb\tc") == "a⏎b⇥c");
}

TEST_CASE("marks that turn a line around are shown, joiners and letters stay") {
  CHECK(Svg::escaped("\u202Eabc") == "‹U+202E›abc");
  CHECK(Svg::escaped("\u2067abc") == "‹U+2067›abc");
  CHECK(Svg::escaped("\u2068abc") == "‹U+2068›abc");         // an isolate that nobody closes
  CHECK(Svg::escaped("\u2068\u05D0\u2069") == "\u2068\u05D0\u2069");
  CHECK(Svg::escaped("👩\u200D👧 日本 é") == "👩\u200D👧 日本 é");
  CHECK(isolated("it") == "it");
  CHECK(isolated("\u05D0") == "\u2068\u05D0\u2069");
}

TEST_CASE("coordinates are short and never the words of a float") {
  CHECK(Svg::number(1.5) == "1.5");
  CHECK(Svg::number(-0.001) == "0");
  CHECK(Svg::number(1e9 / 3) == "333333333.33");
  CHECK(Svg::number(0.0 / 0.0) == "0");
}

TEST_CASE("a width is known by script, and cutting keeps marks with their letter") {
  CHECK(text_width("mmm", 10) > text_width("iii", 10) * 2);
  CHECK(text_width("日本語", 10) == doctest::Approx(30));
  CHECK(text_width("e\u0301", 10) == text_width("e", 10));
  CHECK(text_width("👩\u200D👩\u200D👧", 10) == doctest::Approx(13));
  CHECK(text_width("", 10) == 0);
  CHECK(cut_text("short", 10, false, 100) == "short");
  CHECK(cut_text("internationalisation", 10, false, 60).ends_with("…"));
  CHECK(text_width(cut_text("internationalisation", 10, false, 60), 10) * kFaceSlack <= 60);
  const std::string cut = cut_text("e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", 10, false, 30);
  CHECK_FALSE(cut.ends_with("e…"));
  CHECK(cut_text("abc", 10, false, 2) == "");
}

TEST_CASE("a picture is a PNG of the pixels given, as small as its colours allow") {
  std::vector<std::uint8_t> few, many;
  for (int i = 0; i < 32 * 32; ++i) {
    for (const int c : {i % 2 * 255, 0, 0, 255}) few.push_back(static_cast<std::uint8_t>(c));
    for (const int c : {i & 255, i >> 8, 7, 255}) many.push_back(static_cast<std::uint8_t>(c));
  }
  const auto small = png_file(few, 32, 32), large = png_file(many, 32, 32);
  CHECK(small[25] == 3);  // the colour type: a palette
  CHECK(large[25] == 2);
  CHECK(std::string(small.begin() + 1, small.begin() + 4) == "PNG");
  few[3] = 0;
  const auto clear = png_file(few, 32, 32);
  CHECK(std::string(clear.begin(), clear.end()).find("tRNS") != std::string::npos);
  CHECK(base64(std::vector<std::uint8_t>{'M', 'a', 'n'}) == "TWFu");
  CHECK(base64(std::vector<std::uint8_t>{'M', 'a'}) == "TWE=");
  CHECK(base64({}) == "");
}
