// What a link carries comes back: weights within the measured error, rows whole, tokens as they were.
#include <doctest/doctest.h>

#include <array>
#include <numeric>
#include <random>
#include <tuple>

#include "io/link_builders.h"
#include "dump/tokens.h"
#include "io/link_steps.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

std::string raws(const std::vector<Token>& tokens) {
  std::string out;
  for (const Token& t : tokens) out += t.raw + "|" + (t.special ? "s" : "") + std::to_string(t.segment) + "," + std::to_string(t.word) + "\n";
  return out;
}

}  // namespace

TEST_CASE("the units of a row are shared out without one being lost") {
  std::vector<std::uint8_t> out(5);
  share_out(std::vector{0.9, 0.001, 0.001, 0.001, 0.097}, 255, out);
  CHECK(std::accumulate(out.begin(), out.end(), 0) == 255);
  share_out(std::vector{0.2, 0.2, 0.2, 0.2, 0.2}, 63, out);
  CHECK(std::accumulate(out.begin(), out.end(), 0) == 63);
  share_out(std::vector{1.0, 0.0, 0.0, 0.0, 0.0}, 255, out);
  CHECK(out == std::vector<std::uint8_t>{255, 0, 0, 0, 0});
  share_out(std::vector{0.0, 0.0, 0.0, 0.0, 0.0}, 255, out);
  CHECK(out == std::vector<std::uint8_t>(5));  // an empty row stays empty
}

TEST_CASE("layers of every kind of dump come back with whole rows and their tokens") {
  for (const char* name : {"minilm_cat.npz", "minilm_pair.npz", "minilm_unicode.safetensors", "causal_full.pt", "vit_digit_a.npz", "sort_full.npz", "enfr_i_love_you.npz"}) {
    CAPTURE(name);
    auto dump = open_file(name);
    REQUIRE(dump);
    for (int stream = 0; stream < static_cast<int>(dump->info.streams.size()); ++stream)
      for (const int steps : {255, 127, 63}) {
        const LinkData before = fused_link(*dump, steps, stream);
        const auto after = decode_link_data(encode_link_data(before));
        REQUIRE(after);
        CHECK(after->layer_numbers == before.layer_numbers);
        CHECK(after->heads == before.heads);
        CHECK(raws(after->key_tokens) == raws(before.key_tokens));
        CHECK(raws(after->query_tokens) == raws(before.query_tokens));
        const auto columns = static_cast<std::size_t>(before.keys);
        double worst = 0, off = 0;
        for (std::size_t at = 0; at < before.weights.size(); at += columns) {
          double sum = 0;
          for (std::size_t j = 0; j < columns; ++j) {
            sum += after->weights[at + j];
            worst = std::max(worst, std::abs(after->weights[at + j] - before.weights[at + j]));
          }
          off = std::max(off, std::abs(sum - 1));
        }
        CHECK(off < 1e-12);
        CHECK(worst <= 1.0 / steps);
      }
  }
}

TEST_CASE("links stay within what was measured of real dumps, text included") {
  auto dump = open_file("minilm_cat.npz");
  REQUIRE(dump);
  const LinkData layers = fused_link(*dump, 255);
  const auto before = rollout_of(layers);
  const std::string all = encode_link_data(layers), rollout = encode_link_data(rollout_link(layers)), row = encode_link_data(row_link(layers, 8));
  CHECK(rollout.size() <= 330);
  CHECK(all.size() <= 1150);
  CHECK(error_between(before, rollout_of(*decode_link_data(all)), 13).largest <= 0.002);
  CHECK(error_between(before, decode_link_data(rollout)->weights, 13).largest <= 0.0028);

  auto longer = open_file("minilm_long.f16.npz");
  REQUIRE(longer);
  struct Case { int tokens; std::size_t layers, rollout; double error; };
  for (const Case& c : {Case{32, 4700, 1150, 0.002}, Case{64, 13000, 3100, 0.004}}) {
    const LinkData part = fused_link(*longer, 255, 0, c.tokens);
    const auto exact = rollout_of(part);
    const std::string link = encode_link_data(part), final_one = encode_link_data(rollout_link(part));
    const auto error = error_between(exact, rollout_of(*decode_link_data(link)), c.tokens);
    CHECK(link.size() <= c.layers);
    CHECK(final_one.size() <= c.rollout);
    CHECK(error.largest <= c.error);
  }
}

TEST_CASE("a causal link holds the lower triangle only, and nothing above it comes back") {
  auto dump = open_file("causal_full.pt");
  REQUIRE(dump);
  LinkData layers = fused_link(*dump, 255);
  const auto causal = encode_link_data(layers);
  const auto after = decode_link_data(causal);
  REQUIRE(after);
  CHECK(after->causal);
  const int n = layers.keys;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) CHECK(after->weights[static_cast<std::size_t>(i * n + j)] == 0);
  layers.causal = false;
  CHECK(causal.size() < encode_link_data(layers).size());
}

TEST_CASE("a virtual sink keeps its part of a row") {
  LinkData d;
  d.kind = LinkKind::layers;
  d.steps = 255;
  d.sink = true;
  d.queries = d.keys = 2;
  d.layer_numbers = {3, 7};
  d.weights = {0.2, 0.2, 0.6, 0.5, 0.1, 0.4, 0.0, 0.3, 0.7, 0.1, 0.1, 0.8};
  const auto after = decode_link_data(encode_link_data(d));
  REQUIRE(after);
  CHECK(after->layer_numbers == std::vector{3, 7});
  CHECK(after->key_tokens.empty());  // the text was left out
  for (std::size_t i = 0; i < d.weights.size(); ++i) CHECK(std::abs(after->weights[i] - d.weights[i]) < 1.0 / 255);
}

TEST_CASE("tokens with spaces, backslashes and nothing in them travel as they are") {
  LinkData d;
  d.queries = d.keys = 4;
  d.weights = {0.25, 0.25, 0.25, 0.25};
  d.key_tokens = make_tokens(std::vector<std::string>{"a b", "\\ ", "", "</script>"});
  const auto after = decode_link_data(encode_link_data(d));
  REQUIRE(after);
  CHECK(raws(after->key_tokens) == raws(d.key_tokens));
}

TEST_CASE("a state that was not changed takes few characters, and any text comes back") {
  const std::string state = R"({"recipe":{"method":"rollout","fusion":"mean","heads":[],"residual":0.25,"layers":[1,-1],"sink":"keep","merge":"pieces","merge_queries":"mean","merge_time":"after","discard":0.9},"query":4,"key":-1,"level":-1,"view":"matrix","keep":0.75,"graph":{"top":0,"camera":{"x":0.5,"y":0.5,"zoom":1.0}},"matrix":{"kind":"result","layer":-1,"head":0,"scale":"linear","values":true,"low":-1.0,"high":-1.0,"camera":{"x":0.5,"y":0.5,"zoom":1.0}},"heads":{"layer":-1,"head":-1,"order":"layer","role":-1},"image":{"smooth":false,"opacity":0.7,"outline":true},"depth":{"measure":"entropy"},"lines":{"layer":-1,"heads":[],"top":3,"keep":1.0,"block":-1},"second":"none","split":0.5,"maximised":false,"drawer":false})";
  const auto field = encode_link_state(state);
  CHECK(decode_link_state(field).value() == state);
  CHECK(decode_link_state(encode_link_state("")).value().empty());
  CHECK(decode_link_state(encode_link_state("{\"note\":\"日本 😀\"}")).value() == "{\"note\":\"日本 😀\"}");
}

TEST_CASE("a link opens like a file: the same tokens, layers and weights") {
  for (const char* name : {"minilm_pair.npz", "causal_full.pt", "vit_digit_a.npz"}) {
    CAPTURE(name);
    auto dump = open_file(name);
    REQUIRE(dump);
    LinkData layers = fused_link(*dump, 255);
    layers.grid = dump->info.grid;
    auto opened = open("https://example.org/x/#" + encode_link_data(layers) + "&lang=fr\n");
    REQUIRE_MESSAGE(opened, text(opened));
    const Stream &s = opened->info.streams[0], &was = dump->info.streams[0];
    CHECK(opened->info.format == "link");
    CHECK(s.layer_numbers == was.layer_numbers);
    CHECK(s.heads == 0);
    CHECK(s.causal == was.causal);
    CHECK(labels(s.key_tokens) == labels(was.key_tokens));
    CHECK(reported(opened->info, ReportCode::from_link));
    CHECK(opened->info.grid.rows == dump->info.grid.rows);
    const auto got = head(*opened, 0, s.layers() - 1, 0);
    const auto size = got.size();
    double worst = 0;
    for (std::size_t i = 0; i < size; ++i) worst = std::max(worst, std::abs(static_cast<double>(got[i]) - layers.weights[layers.weights.size() - size + i]));
    CHECK(worst <= 1.0 / 255);
  }
}

TEST_CASE("a row opens among all its tokens, and the other outputs are empty") {
  auto dump = open_file("minilm_cat.npz");
  REQUIRE(dump);
  const LinkData row = row_link(fused_link(*dump, 255), 8);
  auto opened = open("#" + encode_link_data(row));
  REQUIRE_MESSAGE(opened, text(opened));
  const Stream& s = opened->info.streams[0];
  CHECK(s.kind == StreamKind::contributions);
  CHECK(s.queries == 13);
  CHECK(labels(s.query_tokens) == labels(dump->info.streams[0].key_tokens));
  const auto got = head(*opened, 0, 0, 0);
  for (std::size_t i = 0; i < 13; ++i)
    for (std::size_t j = 0; j < 13; ++j) CHECK(std::abs(static_cast<double>(got[i * 13 + j]) - (i == 8 ? row.weights[j] : 0)) < 0.0028);
}

TEST_CASE("the order of a row and its ties are told, the sink apart") {
  LinkError error;
  compare_row(std::vector{0.5, 0.2, 0.15, 0.1, 0.05}, std::vector{0.5, 0.2, 0.15, 0.1, 0.05}, {}, error);
  CHECK(error.top3_kept == 1);
  CHECK(error.new_ties == 0);
  compare_row(std::vector{0.5, 0.2, 0.15, 0.1, 0.05}, std::vector{0.5, 0.2, 0.125, 0.125, 0.05}, {}, error);
  CHECK(error.top3_kept == 2);
  CHECK(error.new_ties == 1);
  CHECK(error.largest == doctest::Approx(0.025));
  CHECK(error.total_variation == doctest::Approx(0.025));
  CHECK(error.first_kept);
  compare_row(std::vector{0.5, 0.2, 0.3}, std::vector{0.5, 0.3, 0.2}, std::vector{0}, error);
  CHECK(error.rows == 3);
  CHECK(error.top3_kept == 2);
  CHECK_FALSE(error.first_kept);
  compare_row(std::vector{0.5, 0.3, 0.2}, std::vector{0.1, 0.6, 0.3}, std::vector{0}, error);
  CHECK(error.largest == doctest::Approx(0.4));
  CHECK(error.largest_without_sink == doctest::Approx(0.3));
}

namespace {

// A small random link: any kind, any options.
LinkData random_link(std::mt19937& random) {
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  LinkData d;
  d.kind = static_cast<LinkKind>(upto(3));
  d.stream = static_cast<StreamKind>(upto(4));
  d.square = upto(3) != 0;
  d.steps = d.kind == LinkKind::layers ? std::array{63, 127, 255}[static_cast<std::size_t>(upto(3))] : 0;
  d.causal = d.square && d.kind != LinkKind::row && upto(2) == 0;
  d.sink = upto(4) == 0;
  d.heads = upto(17);
  d.keys = 1 + upto(9);
  d.queries = d.square ? d.keys : 1 + upto(7);
  d.row = upto(d.queries);
  for (int l = 0, number = 0, layers = 1 + upto(5); l < layers; ++l) d.layer_numbers.push_back(number += 1 + upto(3));
  if (upto(2)) d.recipe = "{\"residual\":0." + std::to_string(1 + upto(9)) + "}";
  if (upto(2)) d.error = upto(1000) / 1e5;
  const auto tokens = [&](int count) {
    std::vector<Token> out;
    for (int k = 0; k < count; ++k) {
      Token t;
      for (int c = upto(6); c >= 0; --c) t.raw += std::array<std::string, 8>{"a", " ", "\\", "日", "🙂", "##", "<", "\n"}[static_cast<std::size_t>(upto(8))];
      out.push_back(std::move(t));
    }
    return out;
  };
  if (upto(2)) {
    d.key_tokens = tokens(d.keys);
    if (!d.square) d.query_tokens = tokens(d.queries);
  }
  for (int m = 0; m < d.matrices(); ++m)
    for (int i = 0; i < d.rows(); ++i) {
      std::vector<double> row(static_cast<std::size_t>(d.columns()));
      double sum = 0;
      for (int j = 0; j < d.columns(); ++j)
        if (!(d.causal && j > i && j < d.keys)) sum += row[static_cast<std::size_t>(j)] = std::pow(upto(1000) / 1000.0, 4);
      for (double& w : row) w = sum > 0 ? w / sum : 0;
      d.weights.insert(d.weights.end(), row.begin(), row.end());
    }
  return d;
}

}  // namespace

TEST_CASE("10,000 random links come back: sizes, tokens, recipe, and weights within a step; rows sum to 1 or are empty") {
  std::mt19937 random(7);
  for (int n = 0; n < 10'000; ++n) {
    CAPTURE(n);
    const LinkData before = random_link(random);
    const std::string state = before.recipe + std::string(random() % 40, '{');
    const LinkFields fields = split_link("https://example.org/#" + encode_link_data(before) + "&v=" + encode_link_state(state));
    REQUIRE(decode_link_state(fields.state).value_or("-") == state);
    const auto after = decode_link_data(fields.data);
    REQUIRE(after);
    REQUIRE(std::tuple(after->kind, after->stream, after->steps, after->square, after->sink, after->heads, after->queries, after->keys, after->row) ==
            std::tuple(before.kind, before.stream, before.steps, before.square, before.sink, before.heads, before.queries, before.keys, before.row));
    REQUIRE(after->layer_numbers == before.layer_numbers);
    REQUIRE(after->recipe == before.recipe);
    REQUIRE(raws(after->key_tokens) == raws(before.key_tokens));
    REQUIRE(raws(after->query_tokens) == raws(before.query_tokens));
    REQUIRE(after->weights.size() == before.weights.size());
    const auto columns = static_cast<std::size_t>(before.columns());
    for (std::size_t at = 0; at < before.weights.size(); at += columns) {
      double sum = 0, was = 0, worst = 0;
      for (std::size_t j = 0; j < columns; ++j) {
        sum += after->weights[at + j];
        was += before.weights[at + j];
        worst = std::max(worst, std::abs(after->weights[at + j] - before.weights[at + j]));
      }
      REQUIRE(std::abs(sum - (was > 0 ? 1 : 0)) < 1e-12);
      REQUIRE(worst <= (before.steps > 0 ? 1.0 / before.steps : 0.02));
    }
  }
}
