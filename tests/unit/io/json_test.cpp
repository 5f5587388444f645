#include "io/json.h"

#include <chrono>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "io/builders.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {
std::string numbers(int layers, int heads, int n, bool causal = false) { return json_array(attention(layers * heads, n, n, causal), {layers, heads, n, n}); }
std::string why(const std::string& json) { return text(open(json)); }
}  // namespace

TEST_CASE("bare nested lists of two to five levels open") {
  CHECK(open(json_array(attention(1, 4, 4), {4, 4}))->info.streams[0].layers() == 1);
  const auto three = open(json_array(attention(3, 4, 4), {3, 4, 4}));
  CHECK(three->info.streams[0].layers() == 3);
  CHECK(three->info.streams[0].heads == 0);
  CHECK(reported(three->info, ReportCode::ambiguous_axes)->assumption == "layout=heads");
  CHECK(open(numbers(2, 3, 4))->info.streams[0].heads == 3);
  CHECK(open(json_array(attention(6, 4, 4), {2, 1, 3, 4, 4}))->info.streams[0].heads == 3);
}

TEST_CASE("attn-dump v1 reads from the top of a JSON file") {
  auto dump = open(R"({"format": "attn-dump", "version": 1, "model": "tiny", "axes": "lhqk", "layers": [2, 5], "tokens": ["a", "b", "c"], "predictions": [[{"token": "x", "p": 0.5}]], "attentions": )" + numbers(2, 2, 3) + "}");
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.format == "json");
  CHECK(dump->info.streams[0].layer_numbers == std::vector<int>{2, 5});
  CHECK(reported(dump->info, ReportCode::layers_missing));
  CHECK(dump->info.meta.at("model") == "tiny");
  CHECK(dump->info.meta.at("layers") == "[2, 5]");
  CHECK(dump->info.predictions == R"([[{"token": "x", "p": 0.5}]])");
  CHECK(labels(dump->info.streams[0].query_tokens) == "a b c");
}

TEST_CASE("BertViz parameters open with their true layers and both sides' tokens") {
  auto dump = open(R"({"attention": [{"name": null, "attn": )" + numbers(2, 2, 3) + R"(, "left_text": ["a ", "b ", "c "], "right_text": ["a", "b", "c"]}, {"name": "Sentence A -> Sentence A", "attn": )" +
                   numbers(2, 2, 2) + R"(, "left_text": ["a", "b"], "right_text": ["a", "b"]}], "default_filter": "0", "root_div_id": "x", "layer": null, "include_layers": [1, 4]})");
  REQUIRE_MESSAGE(dump, text(dump));
  REQUIRE(dump->info.streams.size() == 1);
  CHECK(dump->info.streams[0].queries == 3);
  CHECK(dump->info.streams[0].layer_numbers == std::vector<int>{1, 4});
}

TEST_CASE("BertViz parameters of an encoder-decoder give three streams") {
  const auto view = [](const char* name, int q, int k, const char* left, const char* right) {
    return std::string(R"({"name": ")") + name + R"(", "attn": )" + json_array(attention(4, q, k), {2, 2, q, k}) + R"(, "left_text": )" + left + R"(, "right_text": )" + right + "}";
  };
  const char* source = R"(["I", "love", "you"])";
  const char* target = R"(["je", "t'aime"])";
  auto dump = open(R"({"attention": [)" + view("Encoder", 3, 3, source, source) + "," + view("Decoder", 2, 2, target, target) + "," + view("Cross", 2, 3, target, source) + "]}");
  REQUIRE_MESSAGE(dump, text(dump));
  REQUIRE(dump->info.streams.size() == 3);
  CHECK(dump->info.streams[2].name == "cross");
  CHECK(labels(dump->info.streams[2].query_tokens) == "je t'aime");
  CHECK(labels(dump->info.streams[2].key_tokens) == "I love you");
}

TEST_CASE("the parameters of older BertViz and of Tensor2Tensor open too") {
  auto old = open(R"({"attention": {"all": {"attn": )" + numbers(2, 2, 3) + R"(, "left_text": ["a", "b", "c"], "right_text": ["a", "b", "c"]}, "aa": {"attn": )" + numbers(2, 2, 2) + R"(, "left_text": ["a", "b"], "right_text": ["a", "b"]}}})");
  REQUIRE_MESSAGE(old, text(old));
  CHECK(old->info.streams.size() == 1);
  CHECK(labels(old->info.streams[0].query_tokens) == "a b c");
  auto t2t = open(R"({"all": {"att": )" + json_array(attention(4, 3, 3), {2, 1, 2, 3, 3}) + R"(, "top_text": ["a", "b", "c"], "bot_text": ["a", "b", "c"]}})");
  REQUIRE_MESSAGE(t2t, text(t2t));
  CHECK(t2t->info.streams[0].heads == 2);
}

TEST_CASE("ragged lists are refused with the place where they differ") {
  CHECK(why(R"({"attentions": [[[0.5, 0.5], [0.5, 0.5]], [[0.5, 0.5], [1]]]})").find("differ in size at attentions[1][1]: 1 entries there, 2 before") != std::string::npos);
  CHECK(code(open("[[0.5, 0.5], [1]]")) == "ragged");
  CHECK(code(open("[[[1]], [[1], [1]]]")) == "ragged");
  CHECK(code(open("[[1, 0], 3]")) == "ragged");
  CHECK(code(open("[[1, [0]], [0, 1]]")) == "ragged");
}

TEST_CASE("lists that differ in length elsewhere do not matter") {
  CHECK(open(R"({"spans": [[0, 1], [1, 2, 3]], "attentions": )" + numbers(2, 2, 3) + "}"));
}

TEST_CASE("None for every layer is told apart from None for some") {
  CHECK(code(open(R"({"attentions": null, "tokens": ["a"]})")) == "all_none");
  CHECK(code(open(R"({"attentions": [null, null]})")) == "all_none");
  CHECK(code(open("null")) == "all_none");
  CHECK(code(open("[null, null, null]")) == "all_none");
  auto some = open(R"({"attentions": [null, )" + json_array(attention(2, 3, 3), {2, 3, 3}) + ", null, " + json_array(attention(2, 3, 3), {2, 3, 3}) + "]}");
  REQUIRE_MESSAGE(some, text(some));
  CHECK(some->info.streams[0].layer_numbers == std::vector<int>{1, 3});
  CHECK(reported(some->info, ReportCode::layers_missing));
}

TEST_CASE("NaN, Infinity and null between numbers read as Python writes them") {
  auto dump = open("[[[[0.5, 0.5, 0], [NaN, NaN, NaN], [null, 0.5, 0.5]]]]");
  REQUIRE_MESSAGE(dump, text(dump));
  const auto m = head(*dump, 0, 0, 0);
  CHECK(std::isnan(m[3]));
  CHECK(std::isnan(m[6]));
  CHECK(m[7] == Real(0.5));
  auto masked = open("[[[[1.5, -Infinity], [0.5, 2]]]]", assume("values", "logits"));
  REQUIRE_MESSAGE(masked, text(masked));
  CHECK(head(*masked, 0, 0, 0)[0] == Real(1));
  CHECK(head(*masked, 0, 0, 0)[1] == Real(0));
}

TEST_CASE("text that is not JSON is refused with the byte") {
  CHECK(why("{\"attentions\": [[0x10]]}").find("(byte ") != std::string::npos);
  for (const char* broken : {"[[1, 0], [0, 1]", "{\"a\": }", "[1, 2,]", "{\"a\" 1}", "[\"\\ud83d\"]", "[\"\xff\"]", "[1] [2]", "{'attentions': [[1]]}", "[01]", "[1e999]"}) {
    CAPTURE(broken);
    CHECK(code(open(std::string_view(broken))) == "bad_json");
  }
  CHECK(why(std::string(100000, '[')).find("nested more than 64 deep") != std::string::npos);
  CHECK(code(open("[" + std::string(1000000, '9') + "]")) != "opens");
}

TEST_CASE("a byte order mark is passed over, UTF-16 is named") {
  CHECK(open("\xef\xbb\xbf" + numbers(1, 2, 3)));
  CHECK(text(open(Bytes{0xff, 0xfe, '{', 0, '}', 0})).find("UTF-16") != std::string::npos);
}

TEST_CASE("tokens that are numbers, null, nested for a batch or too many still open") {
  auto dump = open(R"({"tokens": [["a", 3, null]], "attentions": )" + numbers(2, 2, 3) + "}");
  REQUIRE(dump);
  CHECK(labels(dump->info.streams[0].query_tokens) == "a 3 ∅");
  dump = open(R"({"tokens": ["a", "b", "c", "d", "e"], "attentions": )" + numbers(2, 2, 3) + "}");
  REQUIRE(dump);
  CHECK(report_text(*reported(dump->info, ReportCode::token_count)).starts_with("5 tokens are given for 3 positions."));
  CHECK(labels(dump->info.streams[0].query_tokens) == "1 2 3");
}

TEST_CASE("a key that stands twice is read once, with a note") {
  auto dump = open(R"({"attentions": )" + numbers(2, 2, 3) + R"(, "attentions": [[1]]})");
  REQUIRE(dump);
  CHECK(dump->info.streams[0].queries == 3);
  CHECK(reported(dump->info, ReportCode::duplicate_member));
}

TEST_CASE("more numbers than the memory allows are refused while reading") {
  ImportOptions small;
  small.memory_limit = 100;
  CHECK(code(open(numbers(2, 2, 3), small)) == "too_big");
}

TEST_CASE("layers as objects, as a dict of numbers, and below other names are found") {
  const std::string layer = json_array(attention(2, 3, 3), {2, 3, 3});
  CHECK(open(R"({"layers": [{"attn": )" + layer + R"(}, {"attn": )" + layer + "}]}")->info.streams[0].layers() == 2);
  CHECK(open(R"({"attentions": {"0": )" + layer + R"(, "3": )" + layer + "}}")->info.streams[0].layer_numbers == std::vector<int>{0, 3});
  CHECK(open(R"([{"layer": 0, "attention": )" + layer + R"(}, {"layer": 1, "attention": )" + layer + "}]")->info.streams[0].layers() == 2);
  CHECK(open(R"({"outputs": {"attentions": )" + numbers(2, 2, 3) + "}}")->info.streams[0].heads == 2);
}

TEST_CASE("nothing at all is empty") {
  for (const char* nothing : {"", "[]", "{}", "[[]]", "{\"attentions\": []}"}) {
    CAPTURE(nothing);
    CHECK(code(open(std::string_view(nothing))) == "empty");
  }
}

TEST_CASE("numbers read to the nearest double, however many digits they have") {
  const auto value = [](const std::string& number) {
    const auto document = read_json("[" + number + ", 0]");
    REQUIRE_MESSAGE(document, error_text(document.error()));
    return (*document->pool)[document->root.first];
  };
  CHECK(value("0.1") == Real(0.1));
  CHECK(value("0.05602593347430229") == Real(0.05602593347430229));
  CHECK(value("1.7976931348623157e308") == Real(1.7976931348623157e308));
  CHECK(value("4.9e-324") == Real(4.9e-324));
  CHECK(value("9007199254740993") == Real(9007199254740993.0));
  CHECK(value("123456789012345678901234567890") == Real(1.2345678901234568e29));
  CHECK(value("-0.25e+1") == Real(-2.5));
  CHECK(value("0." + std::string(400, '0') + "1") == Real(0));
  CHECK(value("0." + std::string(5000, '0')) == Real(0));
  CHECK(std::isnan(value("NaN")));
  CHECK(value("-Infinity") == -std::numeric_limits<Real>::infinity());
}

TEST_CASE("JSON reads the same wherever a window of the file ends") {
  const std::string value = R"({"t\u00e9\n": ["a\"b", "\ud83d\ude00", "é"], "n": [-12.5e-3, 0.05602593347430229, 18446744073709551615, NaN, -Infinity, true, null], "m": [[1, 2], [3, 4]], "e": [], "x": false})";
  const auto plain = read_json(value);
  REQUIRE(plain);
  const std::string want = json_text(plain->root, *plain->pool);
  for (std::size_t before = (1 << 17) - value.size() - 60; before < (1 << 17) + 60; ++before) {
    const auto document = read_json(std::string(before, ' ') + value);
    REQUIRE_MESSAGE(document, before);
    REQUIRE(json_text(document->root, *document->pool) == want);
  }
}

TEST_CASE("the pool takes the room that the numbers need") {
  std::string many = "[";
  for (int i = 0; i < 100'000; ++i) many += (i ? ", [" : "[") + std::to_string(1.0 / (i + 2)) + ", 0.25]";
  const auto document = read_json(many + "]");
  REQUIRE(document);
  CHECK(document->root.shape == std::vector<std::uint64_t>{100'000, 2});
  CHECK(document->pool->capacity() < 220'000);
}

TEST_CASE("arrays that differ in shape stay side by side, down to four axes each") {
  const auto steps = [](const char* wrap) {
    std::string out = "[";
    for (int step = 0; step < 3; ++step) {
      const int q = step == 0 ? 3 : 1, k = 3 + step;
      out += (step ? ", " : "") + json_array(attention(2 * 2, q, k), {2, 1, 2, q, k});
    }
    return std::string(wrap) + out + "]" + (*wrap ? "}" : "");
  };
  const auto document = read_json(steps(""));
  REQUIRE(document);
  CHECK(document->root.is(JsonValue::Kind::list));
  REQUIRE(document->root.items.size() == 3);
  REQUIRE(document->root.items[2].items.size() == 2);
  CHECK(document->root.items[0].items[1].shape == std::vector<std::uint64_t>{1, 2, 3, 3});
  CHECK(document->root.items[2].items[1].shape == std::vector<std::uint64_t>{1, 2, 1, 5});
  CHECK((*document->pool)[document->root.items[2].items[1].first] == Real(std::stod(std::to_string(attention(4, 1, 5)[10]))));
  auto dump = open(steps("{\"attentions\": "));
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(reported(dump->info, ReportCode::generation_stitched));
  CHECK(dump->info.streams[0].layers() == 2);
  CHECK(dump->info.streams[0].queries == 5);
  const auto hybrid = read_json("[[null, [[[[1]]]]], [[[[[1]]]], null]]");  // layers without attention in each step
  REQUIRE(hybrid);
  REQUIRE(hybrid->root.items.size() == 2);
  CHECK(hybrid->root.items[0].items[0].is(JsonValue::Kind::null));
  CHECK(hybrid->root.items[1].items[0].is(JsonValue::Kind::numbers));
}

TEST_CASE("of several records the first with attention opens, and the others are items") {
  const auto record = [](const char* tokens) { return "{\"tokens\": " + std::string(tokens) + ", \"attentions\": " + numbers(2, 2, 3) + "}"; };
  const std::string two = record(R"(["a", "b", "c"])") + ", " + record(R"(["d", "e", "f"])");
  for (const std::string& content : {"[" + two + "]", "{\"model\": \"tiny\", \"sentences\": [" + two + "]}", "[{\"tokens\": [\"x\"], \"attentions\": null}, " + two + "]"}) {
    CAPTURE(content.substr(0, 40));
    auto dump = open(content);
    REQUIRE_MESSAGE(dump, text(dump));
    CHECK(labels(dump->info.streams[0].query_tokens) == "a b c");
    CHECK(dump->info.streams[0].batch == 2);
    CHECK(report_text(*reported(dump->info, ReportCode::batch_item)) == "The file holds a batch of 2; item 0 is shown.");
    ImportOptions options;
    options.item = 1;
    dump = open(content, options);
    REQUIRE(dump);
    CHECK(labels(dump->info.streams[0].query_tokens) == "d e f");
    options.item = 2;
    CHECK(code(open(content, options)) == "out_of_range");
  }
  CHECK_FALSE(reported(open("[" + record(R"(["a", "b", "c"])") + "]")->info, ReportCode::batch_item));
}

TEST_CASE("JSON Lines open with their first dump, or as layers where they say which they are") {
  const auto line = [](const char* tokens) { return "{\"tokens\": " + std::string(tokens) + ", \"attentions\": " + numbers(2, 2, 3) + "}\n"; };
  auto dump = open("{\"model\": \"tiny\"}\n" + line(R"(["a", "b", "c"])") + "\n" + line(R"(["d", "e", "f"])") + line(R"(["g", "h", "i"])"));
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(labels(dump->info.streams[0].query_tokens) == "a b c");
  CHECK(report_text(*reported(dump->info, ReportCode::other_dumps)) == "The file holds 3 dumps; the first is shown. The others: line 4, line 5.");
  const std::string matrix = json_array(attention(2, 3, 3), {2, 3, 3});
  auto layers = open("{\"layer\": 4, \"attention\": " + matrix + "}\n{\"layer\": 1, \"attention\": " + matrix + "}\n");
  REQUIRE_MESSAGE(layers, text(layers));
  CHECK(layers->info.streams[0].layer_numbers == std::vector<int>{1, 4});
  CHECK(code(open("{\"a\": 1} {\"b\": 2}")) == "bad_json");
}

TEST_CASE("what CircuitsVis takes opens as the heads of one layer where it says so") {
  auto dump = open(R"({"tokens": ["a", "b", "c"], "attentionHeadNames": ["L0H0", "L0H1"], "attention": )" + json_array(attention(2, 3, 3), {2, 3, 3}) + "}");
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].heads == 2);
  CHECK(dump->info.streams[0].layers() == 1);
}

TEST_CASE("ten megabytes of brackets, digits or names take less than two seconds") {
  for (const char* piece : {"[", "{\"a\":", "[[", "1", "1,", "\\\"", "[],", "[1],", "{},", "\"a\":1,", " "}) {
    CAPTURE(piece);
    std::string content = "[";
    while (content.size() < 10'000'000) content += piece;
    const auto start = std::chrono::steady_clock::now();
    CHECK_FALSE(open(content).has_value());
    CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < 20);
  }
  std::string names = "{";
  for (int i = 0; i < 300'000; ++i) names += "\"name" + std::to_string(i) + "\": [1, 2], ";
  CHECK_FALSE(open(names + "\"a\": 1}").has_value());
}
