#include <chrono>
#include <cmath>

#include <doctest/doctest.h>

#include "io/builders.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

// Opens as one matrix of 2 x 2: 0.1 0.9 / 0.4 0.6.
void is_example(const std::string& content, const std::string& tokens = "") {
  CAPTURE(content);
  auto dump = open(content);
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.format == "csv");
  REQUIRE(dump->info.streams.size() == 1);
  const Stream& s = dump->info.streams[0];
  CHECK(s.layers() == 1);
  REQUIRE(s.queries == 2);
  REQUIRE(s.keys == 2);
  const auto m = head(*dump, 0, 0, 0);
  CHECK(largest_difference(m, {Real(0.1), Real(0.9), Real(0.4), Real(0.6)}) < 1e-7);
  if (!tokens.empty()) CHECK(labels(s.query_tokens) == tokens);
  else CHECK(s.query_tokens[0].raw == "");
}
std::string kind(const Result<Dump>& dump) {
  if (dump) return "opens";
  const auto it = dump.error().params.find("kind");
  return it == dump.error().params.end() ? code(dump) : it->second;
}

}  // namespace

TEST_CASE("a matrix opens as people and programs write it") {
  for (const char* content : {"0.1 0.9\n0.4 0.6", "0.1,0.9\n0.4,0.6\n", "0.1, 0.9\r\n0.4, 0.6\r\n", "0.1\t0.9\n0.4\t0.6\n", "0.1;0.9\n0.4;0.6\n", "0,1;0,9\n0,4;0,6\n", "0,1\t0,9\n0,4\t0,6\n",
                              "\xef\xbb\xbf""0.1,0.9\n0.4,0.6", "  0.1   0.9 \n  .4   0.6  \n", "1.000000000000000056e-01 9.000000000000000222e-01\n4.000000000000000222e-01 5.999999999999999778e-01\n",
                              "0.1|0.9\n0.4|0.6\n", "# by numpy.savetxt, layer 3\n0.1 0.9\n0.4 0.6\n", "0.1,0.9,\n0.4,0.6,\n", "10%,90%\n40%,60%\n", "1E-01;9E-01\r4E-01;6E-01\r", "\n\n0.1,0.9\n0.4,0.6\n\n\n",
                              "0.1,0.9\r\n\r\n0.4,0.6\r\n\r\n", "0.1,0.9\n0.4,0.6\n,\n"})
    is_example(content);
}

TEST_CASE("names of rows and columns are the tokens") {
  is_example("a,b\n0.1,0.9\n0.4,0.6\n", "a b");
  is_example(",a,b\na,0.1,0.9\nb,0.4,0.6\n", "a b");
  is_example("a,0.1,0.9\nb,0.4,0.6\n", "a b");
  is_example("\"a\" \"b\"\n\"a\" 0.1 0.9\n\"b\" 0.4 0.6\n", "a b");                              // R, write.table
  is_example("\"\",\"V1\",\"V2\"\n\"1\",0.1,0.9\n\"2\",0.4,0.6\n");                                  // R, write.csv without names
  is_example(",0,1\n0,0.1,0.9\n1,0.4,0.6\n");                                                        // pandas without names
  is_example("# a b\n0.1 0.9\n0.4 0.6\n", "a b");  // numpy.savetxt(header=)
  is_example(";le;chat\nle;0,1;0,9\nchat;0,4;0,6\n", "le chat");                                    // a French spreadsheet
  is_example("query\\key,[CLS],##ed\n[CLS],0.1,0.9\n##ed,0.4,0.6\n", "[CLS] ed");
  is_example("[CLS],x\n0.1,0.9\n0.4,0.6\n", "[CLS] x");
  is_example("Attention of layer 3\na,b\n0.1,0.9\n0.4,0.6\n", "a b");
}

TEST_CASE("quoted tokens may hold separators, quotes and line ends") {
  auto dump = open(",\",\",\"\"\"\",\"a\nb\"\n\",\",1,0,0\n\"\"\"\",0.5,0.5,0\n\"a\nb\",0.25,0.25,0.5\n");
  REQUIRE_MESSAGE(dump, text(dump));
  const auto& tokens = dump->info.streams[0].query_tokens;
  CHECK(tokens[0].raw == ",");
  CHECK(tokens[1].raw == "\"");
  CHECK(tokens[2].raw == "a\nb");
  auto lone = open("\"\tb\n0.1\t0.9\n0.4\t0.6\n");  // a quote as a token, unquoted
  REQUIRE_MESSAGE(lone, text(lone));
  CHECK(lone->info.streams[0].query_tokens[0].raw == "\"");
}

TEST_CASE("different texts on the two sides are cross attention") {
  auto dump = open(",I,love,you\nje,0.5,0.25,0.25\nt'aime,0.25,0.5,0.25\n");
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(labels(dump->info.streams[0].query_tokens) == "je t'aime");
  CHECK(labels(dump->info.streams[0].key_tokens) == "I love you");
  auto square = open(",look,it\nle,0.5,0.5\nlui,0.25,0.75\n");
  REQUIRE_MESSAGE(square, text(square));
  CHECK(square->info.streams[0].kind == StreamKind::cross);
  CHECK(labels(square->info.streams[0].key_tokens) == "look it");
}

TEST_CASE("cells that are missing are no numbers, and are counted") {
  for (const char* missing : {"", "nan", "NaN", "NA", "None", "null", "--"}) {
    CAPTURE(missing);
    auto dump = open("0.5,0.5,0\n" + std::string(missing) + ",0.5,0.5\n0,0.5,0.5\n");
    REQUIRE_MESSAGE(dump, text(dump));
    CHECK(std::isnan(head(*dump, 0, 0, 0)[3]));
  }
  auto row = open("0.5,0.5,0\n,,\n0,0.5,0.5\n");
  REQUIRE_MESSAGE(row, text(row));
  CHECK(row->info.streams[0].queries == 3);
  auto triangle = open("1,,\n0.5,0.5,\n0.25,0.25,0.5\n");
  REQUIRE_MESSAGE(triangle, text(triangle));
  CHECK(triangle->info.streams[0].keys == 3);
}

TEST_CASE("matrices behind each other are layers") {
  for (const char* content : {"1 0\n0.5 0.5\n\n0.25 0.75\n0.5 0.5\n", "# layer 0\n1 0\n0.5 0.5\n# layer 1\n0.25 0.75\n0.5 0.5\n", ",a,b\na,1,0\nb,0.5,0.5\n\n,a,b\na,0.25,0.75\nb,0.5,0.5\n",
                              "Layer 0\n1,0\n0.5,0.5\nLayer 1\n0.25,0.75\n0.5,0.5\n", "Layer 0:\n1 0\n0.5 0.5\n\nLayer 1:\n0.25 0.75\n0.5 0.5\n"}) {
    CAPTURE(content);
    auto dump = open(content);
    REQUIRE_MESSAGE(dump, text(dump));
    CHECK(dump->info.streams[0].layers() == 2);
    CHECK(head(*dump, 0, 1, 0)[0] == Real(0.25));
  }
}

TEST_CASE("long form opens as a stack, its rows in any order") {
  std::string content = "head,weight,layer,key,query\n", renamed = "Layer\tHead\tRow\tCol\tAttention\tquery_token\tkey_token\n";
  const auto a = attention(4, 3, 3);
  for (int i = 35; i >= 0; --i) {
    const int k = i % 3, q = i / 3 % 3, h = i / 9 % 2, l = i / 18;
    content += std::to_string(h) + "," + std::to_string(a[static_cast<std::size_t>(i)]) + "," + std::to_string(l) + "," + std::to_string(k) + "," + std::to_string(q) + "\n";
    renamed += std::to_string(l + 1) + "\t" + std::to_string(h + 1) + "\t" + std::to_string(q + 1) + "\t" + std::to_string(k + 1) + "\t" + std::to_string(a[static_cast<std::size_t>(i)]) + "\t" +
               std::string(1, static_cast<char>('x' + q)) + "\t" + std::string(1, static_cast<char>('x' + k)) + "\n";
  }
  for (const std::string& form : {content, renamed}) {
    auto dump = open(form);
    REQUIRE_MESSAGE(dump, text(dump));
    CHECK(dump->info.streams[0].layers() == 2);
    CHECK(dump->info.streams[0].heads == 2);
    CHECK(largest_difference(all_heads(*dump), reals(a)) < 1e-6);
    if (&form != &content && form == renamed) CHECK(labels(dump->info.streams[0].query_tokens) == "x y z");
  }
  auto causal = open("layer,query,key,weight\n2,0,0,1\n2,1,0,0.5\n2,1,1,0.5\n5,0,0,1\n5,1,0,0.25\n5,1,1,0.75\n");
  REQUIRE_MESSAGE(causal, text(causal));
  CHECK(causal->info.streams[0].layer_numbers == std::vector<int>{2, 5});
  CHECK(causal->info.streams[0].causal);
  CHECK(code(open("query,key,weight\nthe,cat,0.5\n")) == "bad_table");
  CHECK(code(open("query,key,weight\n0,1e9,0.5\n")) == "bad_table");
  CHECK(code(open("query,key,weight\n0,999999,0.5\n999999,0,1\n")) == "too_big");
}

TEST_CASE("rows of several lengths are refused with the line") {
  auto dump = open("0.5 0.5 0\n0.5 0.5 0\n1 0\n");
  CHECK(code(dump) == "ragged");
  CHECK(text(dump).find("line 3: 2 entries there, 3 before") != std::string::npos);
  CHECK(code(open("a,0.5,0.5\nb,1\n")) == "ragged");
  CHECK(code(open("1 0\n0.5 0.5\n\n1 0 0\n0 1 0\n0 0 1\n")) == "ragged");
  CHECK(code(open("0.5,0.5\n0.5,abc\n")) == "bad_table");
  CHECK(text(open("0.5,0.5\n0.5,abc\n")).find("line 2 does not fit: column 2 holds \"abc\"") != std::string::npos);
}

TEST_CASE("text that is no table is told what it is") {
  CHECK(kind(open("hello there\nthis is a letter, and no table\n")) == "text");
  CHECK(kind(open("import numpy as np\nfrom x import y\ndef f(a):\n    return a\n")) == "code");
  CHECK(kind(open("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")) == "lfs_pointer");
  CHECK(code(open("name,age\nbob,3\nann,4\n")) != "opens");
}

TEST_CASE("what Python prints opens as it stands") {
  for (const char* content : {"[[0.1 0.9]\n [0.4 0.6]]", "array([[0.1, 0.9],\n       [0.4, 0.6]])", "tensor([[0.1000, 0.9000],\n        [0.4000, 0.6000]])",
                              "tensor([[0.1, 0.9],\n        [0.4, 0.6]], device='cuda:0', grad_fn=<SoftmaxBackward0>)", "A = np.array([[.1, .9], [.4, .6]], dtype=float32)", "[0.1, 0.9]\n[0.4, 0.6]",
                              "Parameter containing:\ntensor([[0.1, 0.9], [0.4, 0.6]], requires_grad=True)", "((0.1, 0.9), (0.4, 0.6))", "[[np.float32(0.1), np.float32(0.9)], [np.float32(0.4), np.float32(0.6)]]"})
    is_example(content);
  auto stack = open("(tensor([[[[1., 0.],\n          [0.5, 0.5]]]]), tensor([[[[0.25, 0.75],\n          [0.5, 0.5]]]]))");
  REQUIRE_MESSAGE(stack, text(stack));
  CHECK(stack->info.streams[0].layers() == 2);
  auto missing = open("[[0.5, nan], [None, 1.0]]");
  REQUIRE_MESSAGE(missing, text(missing));
  CHECK(std::isnan(head(*missing, 0, 0, 0)[1]));
}

TEST_CASE("a print that leaves numbers out is refused, with what writes them all") {
  for (const char* content : {"[[0.1 0.9 ... 0.2]\n [0.4 0.6 ... 0.3]]", "tensor([[0.1, 0.2,  ..., 0.3],\n        ...,\n        [0.1, 0.2,  ..., 0.3]])", "[[0.1, ..., 0.9]]"}) {
    CAPTURE(content);
    auto dump = open(content);
    CHECK(code(dump) == "unknown_format");
    CHECK(kind(dump) == "elided");
    CHECK(text(dump).find("leaves numbers out (...)") != std::string::npos);
    CHECK(error_fix(dump.error()).find("numpy.savetxt") != std::string::npos);
  }
}

TEST_CASE("ten megabytes of anything end long before anyone would wait") {
  for (const char* piece : {"\"", "[", "(", "\n", "\"\n", "\"a\n", ",", " ", "1", "#\n", "a,b\n", "1,\n", "\r", "\t\"x", "tensor(", "0.1 ", "\"a\",", "[1 ", "-", "a\n1,2\n"}) {
    CAPTURE(piece);
    std::string content;
    while (content.size() < 10'000'000) content += piece;
    const auto start = std::chrono::steady_clock::now();
    (void)open(content);
    CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < 20);
  }
}

TEST_CASE("a line that never ends is not kept") {
  CHECK(code(open("a" + std::string(20'000'000, 'x'))) == "too_big");
}

TEST_CASE("the last layer of a real model opens with its tokens") {
  auto dump = open_file("minilm_cat.layer6_headmean.csv");
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(labels(dump->info.streams[0].query_tokens) == "[CLS] the cat sat on the mat because it was tired . [SEP]");
}
