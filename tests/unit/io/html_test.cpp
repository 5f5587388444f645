#include <chrono>

#include <doctest/doctest.h>

#include "io/builders.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

std::string view(int layers, int n, const std::string& texts, const char* name = "null") {
  return "{\"name\": " + std::string(name) + ", \"attn\": " + json_array(attention(layers * 2, n, n), {layers, 2, n, n}) + ", \"left_text\": " + texts + ", \"right_text\": " + texts + "}";
}
std::string params(int layers = 2, int n = 3, const std::string& texts = R"(["a", "b", "c"])") {
  return "{\"attention\": [" + view(layers, n, texts) + "], \"default_filter\": \"0\", \"root_div_id\": \"bertviz-1\", \"layer\": null, \"heads\": null, \"include_layers\": [0, 1]}";
}
std::string page(const std::string& assignment) {
  return "<!DOCTYPE html>\n<html><body><div id=\"vis\"></div>\n<script>requirejs(['jquery'], function ($) {\n    " + assignment + "\n    const config = {};\n});</script></body></html>";
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}
// A notebook with this page as an output, its lines in a list or all in one text.
std::string notebook(const std::string& page, bool in_lines) {
  std::string escaped = replaced(replaced(replaced(page, "\\", "\\\\"), "\"", "\\\""), "\n", "\\n");
  if (in_lines) escaped = replaced(escaped, "\\n", "\\n\",\n     \"");
  return "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"source\": [\"params = {\\\"lr\\\": 0.1}\\n\", \"head_view(a, t)\"],\n   \"outputs\": [{\"output_type\": \"display_data\", \"data\": {\"text/html\": " +
         (in_lines ? "[\"" + escaped + "\"]" : "\"" + escaped + "\"") + "}}]\n  }\n ],\n \"nbformat\": 4\n}";
}
double seconds(const std::string& content) {
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(open(content).has_value());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST_CASE("a page of BertViz opens with its layers and tokens, whichever way it assigns them") {
  for (const std::string& assignment : {"const params = " + params() + ";", "const params = " + params() + "; // HACK: " + params() + " is a template marker",
                                        "window.params = {\"attention\": {\"all\": " + view(2, 3, R"(["a", "b", "c"])") + "}, \"default_filter\": \"all\"};",
                                        "window.bertviz_params={\"attention\": {\"all\": " + view(2, 3, R"(["a", "b", "c"])") + "}}", "var  params  =  " + params()}) {
    auto dump = open(page(assignment));
    REQUIRE_MESSAGE(dump, text(dump));
    CHECK(dump->info.format == "bertviz-html");
    REQUIRE(dump->info.streams.size() == 1);
    CHECK(dump->info.streams[0].layers() == 2);
    CHECK(dump->info.streams[0].heads == 2);
    CHECK(labels(dump->info.streams[0].query_tokens) == "a b c");
  }
}

TEST_CASE("a page opens wherever its parameters lie in a large file") {
  for (const std::size_t before : {0, 100, (1 << 18) - 40, (1 << 18) - 10, (1 << 18) - 3, 1 << 18, 700'000}) {
    CAPTURE(before);
    auto dump = open("<script>" + std::string(before, 'x') + " const params = " + params() + ";</script>");
    CHECK_MESSAGE(dump, text(dump));
  }
}

TEST_CASE("a token may close a script, and may be in any script") {
  auto dump = open(page("const params = " + params(2, 3, R"(["</script>", "\ud83d\ude00", "\u0645"])") + ";"));
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(labels(dump->info.streams[0].query_tokens) == "</script> \U0001F600 \u0645");
}

TEST_CASE("a notebook opens with the view in its outputs, one text or one a line") {
  for (const bool in_lines : {true, false}) {
    auto dump = open(notebook(page("const params = " + params(2, 3, R"(["\"", "\u00e9", "c"])") + ";"), in_lines));
    REQUIRE_MESSAGE(dump, text(dump));
    CHECK(dump->info.format == "bertviz-html");
    CHECK(labels(dump->info.streams[0].query_tokens) == "\" \u00e9 c");
  }
  auto without = open(notebook("<b>no view</b>", true));
  CHECK(code(without) == "not_attention");
  CHECK(text(without).find("notebook without a view of BertViz") != std::string::npos);
  CHECK(error_fix(without.error()).find("save the notebook") != std::string::npos);
}

TEST_CASE("a page inside the srcdoc of a frame opens") {
  auto dump = open("<p>A gallery</p><iframe srcdoc=\"&lt;script&gt;const params = " + replaced(params(), "\"", "&quot;") + ";&lt;/script&gt;\"></iframe>");
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(labels(dump->info.streams[0].query_tokens) == "a b c");
}

TEST_CASE("of several pages in a file the first opens and the others are named") {
  auto dump = open(page("const params = {\"theme\": \"dark\"};") + page("const params = " + params(2) + ";") + page("const params = " + params(3) + ";") + page("const params = " + params(3) + ";"));
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].layers() == 2);
  const auto* said = reported(dump->info, ReportCode::other_dumps);
  REQUIRE(said);
  CHECK(report_text(*said) == "The file holds 3 dumps; the first is shown. The others: view 2, view 3.");
}

TEST_CASE("a neuron view without weights is refused by its name") {
  auto dump = open(page(R"(window.params = {"attention": {"all": {"queries": [[[[1, 2]]]], "keys": [[[[1, 2]]]], "left_text": ["a"], "right_text": ["a"]}}};)"));
  CHECK(code(dump) == "not_attention");
  CHECK(text(dump).find("neuron view") != std::string::npos);
  CHECK(error_fix(dump.error()).find("head_view") != std::string::npos);
}

TEST_CASE("a page that is cut off says so with the byte") {
  const std::string whole = page("const params = " + params() + ";");
  auto dump = open(whole.substr(0, whole.find("left_text")));
  CHECK(code(dump) == "bad_json");
  CHECK(text(dump).find("ends in the middle") != std::string::npos);
}

TEST_CASE("a page that holds no view is told what it is") {
  const auto kind = [](const std::string& content) {
    const auto dump = open(content);
    REQUIRE_FALSE(dump.has_value());
    const auto it = dump.error().params.find("kind");
    return it == dump.error().params.end() ? code(dump) : it->second;
  };
  CHECK(kind("<!DOCTYPE html><html><head><title>hello</title></head></html>") == "html");
  CHECK(kind("<html><head><title>404 Not Found</title></head></html>") == "error_page");
  CHECK(kind("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>") == "error_page");
  CHECK(kind("\n<!DOCTYPE html>\n<html><head><link rel=\"dns-prefetch\" href=\"https://github.githubassets.com\"><title>a.npz at main - x/y - GitHub</title><meta content=\"github.com\"></head></html>") == "page_about_file");
  CHECK(kind("<!doctype html><html><head><title>a.npz - x/y at main</title><meta property=\"og:url\" content=\"https://huggingface.co/x/y/blob/main/a.npz\"></head></html>") == "page_about_file");
  CHECK(kind("<?xml version=\"1.0\"?><mets/>") == "xml");
  CHECK(kind("<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>") == "picture");
}

TEST_CASE("ten megabytes of half a page take less than a second") {
  for (const std::string& piece : {std::string("<script"), std::string("params"), std::string("params = {\""), std::string("params = {\"attention\": ["), std::string("params = {\\\"a"),
                                   std::string("params = {&quot;a"), std::string("\""), std::string("params = {\"attention\":\"")}) {
    CAPTURE(piece);
    std::string content = "<";
    while (content.size() < 10'000'000) content += piece;
    CHECK(seconds(content) < 1.5);
  }
}

TEST_CASE("all pages of BertViz give the numbers that they were made from") {
  auto reference = open_file("minilm_cat.4d.npy");
  REQUIRE(reference);
  const auto want = all_heads(*reference);
  for (const char* name : {"minilm_cat.head_view.html", "minilm_cat.model_view.html"}) {
    CAPTURE(name);
    auto dump = open_file(name);
    REQUIRE_MESSAGE(dump, text(dump));
    CHECK(largest_difference(all_heads(*dump), want) == 0);
  }
  auto some = open_file("minilm_cat.model_view.layers_1_4.html");
  REQUIRE(some);
  CHECK(some->info.streams[0].layer_numbers == std::vector<int>{1, 4});
  auto pair = open_file("minilm_pair.head_view.html");
  REQUIRE(pair);
  CHECK(pair->info.streams.size() == 1);
  CHECK(pair->info.streams[0].queries == 21);
  auto translation = open_file("enfr_i_love_you.bertviz.html");
  REQUIRE(translation);
  REQUIRE(translation->info.streams.size() == 3);
  CHECK(labels(translation->info.streams[2].key_tokens) == "I love you </s>");
}
