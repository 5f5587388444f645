// What generate() of transformers returns, cut from one full pass: the stitched triangle must be that pass again.
#include <doctest/doctest.h>

#include <algorithm>

#include "io/builders.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

constexpr int kLayers = 2, kHeads = 3, kPrompt = 4, kSteps = 4, kAll = kPrompt + kSteps - 1;

struct Shape {
  int batch = 1;
  int cache = 0;      // static cache of that many keys; 0: it grows
  int window = 0;     // keys that a layer sees; 0: all
  bool anew = false;  // no cache: the whole square in each step
  bool layers_first = false;
};

// [L][B][H][N][N] of a causal pass.
std::vector<float> full(int batch = 1) { return attention(kLayers * batch * kHeads, kAll, kAll, true); }

std::string dims(std::initializer_list<int> sizes) {
  std::string out = "(";
  for (const int n : sizes) out += std::to_string(n) + ", ";
  return out + ")";
}

// The steps of that pass as arrays "NAME.S.L".
std::vector<ZipEntry> steps(const std::vector<float>& all, const Shape& shape, const std::string& name = "attentions") {
  std::vector<ZipEntry> out;
  for (int s = 0; s < kSteps; ++s) {
    const int last = kPrompt + s;  // one past the newest position
    const int first = shape.anew || s == 0 ? 0 : last - 1;
    const int width = shape.cache ? shape.cache : shape.window && s > 0 ? std::min(shape.window, last) : last;
    const int from = shape.cache ? 0 : last - width;
    for (int l = 0; l < kLayers; ++l) {
      std::vector<float> a;
      for (int m = 0; m < shape.batch * kHeads; ++m)
        for (int i = first; i < last; ++i)
          for (int j = from; j < from + width; ++j)
            a.push_back(j < kAll ? all[static_cast<std::size_t>((((l * shape.batch * kHeads) + m) * kAll + i) * kAll + j)] : 0);
      const std::string number = shape.layers_first ? std::to_string(l) + "." + std::to_string(s) : std::to_string(s) + "." + std::to_string(l);
      out.push_back({(name.empty() ? "" : name + ".") + number + ".npy", npy_f4(dims({shape.batch, kHeads, last - first, width}), a)});
    }
  }
  return out;
}

void check_stitched(const Result<Dump>& opened, const std::vector<float>& all, int batch = 1, int item = 0) {
  REQUIRE_MESSAGE(opened, text(opened));
  Dump& dump = const_cast<Dump&>(*opened);
  const Stream& s = dump.info.streams[0];
  CHECK(s.name == "self");
  CHECK(s.layer_numbers == std::vector<int>{0, 1});
  CHECK(s.heads == kHeads);
  REQUIRE(s.queries == kAll);
  REQUIRE(s.keys == kAll);
  CHECK(s.causal);
  const auto* said = reported(dump.info, ReportCode::generation_stitched);
  REQUIRE(said);
  CHECK(report_text(*said) == "4 generation steps were joined into one triangle.");
  for (int l = kLayers; l-- > 0;)
    for (int h = 0; h < kHeads; ++h) {
      const auto got = head(dump, 0, l, h);
      const auto from = all.begin() + ((l * batch + item) * kHeads + h) * kAll * kAll;
      CHECK(std::equal(got.begin(), got.end(), from, [](Real a, float b) { return a == Real(b); }));
    }
}

}  // namespace

TEST_CASE("steps of generate() become the triangle of one pass") {
  const auto all = full();
  check_stitched(open(zip(steps(all, {}))), all);
  check_stitched(open(zip(steps(all, {}, ""))), all);  // torch.save(g.attentions)
  check_stitched(open(zip(steps(all, {.anew = true}))), all);
  check_stitched(open(zip(steps(all, {.cache = 12}))), all);
  check_stitched(open(zip(steps(all, {.layers_first = true}))), all);
  auto deflated = steps(all, {});
  for (ZipEntry& e : deflated) e.deflate = true;
  check_stitched(open(zip(deflated)), all);
}

TEST_CASE("a window that lets go of old keys leaves them empty") {
  auto all = full();
  for (int l = 0; l < kLayers * kHeads; ++l)  // the prompt's own rows are masked to the window, too
    for (int i = 0; i < kAll; ++i)
      for (int j = 0; j + 3 <= i; ++j) all[static_cast<std::size_t>((l * kAll + i) * kAll + j)] = 0;
  check_stitched(open(zip(steps(all, {.window = 3}))), all);
}

TEST_CASE("an item of a generated batch is followed, and through a beam search from beam to beam") {
  const auto all = full(2);
  ImportOptions second;
  second.item = 1;
  check_stitched(open(zip(steps(all, {.batch = 2})), second), all, 2, 1);
  CHECK(code(open(zip(steps(all, {.batch = 3})), [] { ImportOptions o; o.item = 3; return o; }())) == "out_of_range");

  auto entries = steps(all, {.batch = 2});  // one item, two beams: the sentence was on beam 0, 1, 1, 0
  entries.push_back({"beam_indices.npy", npy_i8("(1, 5)", {0, 1, 1, 0, -1})});
  auto dump = open(zip(entries));
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].batch == 1);
  const auto got = head(*dump, 0, 1, 2);
  for (int i = 0; i < kAll; ++i) {
    const int beam = i < kPrompt ? 0 : std::vector<int>{1, 1, 0}[static_cast<std::size_t>(i - kPrompt)];
    const auto row = all.begin() + (((1 * 2 + beam) * kHeads + 2) * kAll + i) * kAll;
    CHECK(std::equal(got.begin() + i * kAll, got.begin() + (i + 1) * kAll, row, [](Real a, float b) { return a == Real(b); }));
  }
  entries.back().data = npy_i8("(1, 5)", {0, 1, -1, -1, -1});  // it ended after two steps
  dump = open(zip(entries));
  REQUIRE(dump);
  CHECK(dump->info.streams[0].queries == kPrompt + 1);
}

TEST_CASE("the tokens of a generated text are one more than its rows; a prompt's mask crops its padding") {
  const auto all = full();
  auto entries = steps(all, {});
  entries.push_back({"tokens.npy", npy_texts({"<s>", "a", "b", "c", "d", "e", "f", "g"})});
  auto dump = open(zip(entries));
  REQUIRE(dump);
  CHECK(labels(dump->info.streams[0].query_tokens) == "<s> a b c d e f");
  CHECK(dump->info.streams[0].predicts.back() == "g");
  CHECK(reported(dump->info, ReportCode::token_count)->severity == Severity::note);
  entries.back() = {"sequences.npy", npy_i8("(1, 8)", {0, 11, 12, 13, 14, 15, 16, 17})};
  dump = open(zip(entries));
  REQUIRE(dump);
  CHECK(labels(dump->info.streams[0].query_tokens) == "0 11 12 13 14 15 16");
  entries.push_back({"attention_mask.npy", npy_i8("(1, 4)", {0, 0, 1, 1})});
  dump = open(zip(entries));
  REQUIRE(dump);
  CHECK(dump->info.streams[0].queries == kAll - 2);
  CHECK(labels(dump->info.streams[0].query_tokens) == "12 13 14 15 16");
}

TEST_CASE("an encoder-decoder generates decoder and cross rows beside its encoder") {
  std::vector<ZipEntry> entries;
  const auto decoder = attention(kLayers * kHeads, 3, 3, true), cross = attention(kLayers * kHeads, 3, 5);
  for (int s = 0; s < 3; ++s)
    for (int l = 0; l < kLayers; ++l) {
      std::vector<float> d, c;
      for (int h = 0; h < kHeads; ++h) {
        const auto at = static_cast<std::ptrdiff_t>(l * kHeads + h);
        d.insert(d.end(), decoder.begin() + (at * 3 + s) * 3, decoder.begin() + (at * 3 + s) * 3 + s + 1);
        c.insert(c.end(), cross.begin() + (at * 3 + s) * 5, cross.begin() + (at * 3 + s) * 5 + 5);
      }
      const std::string number = std::to_string(s) + "." + std::to_string(l) + ".npy";
      entries.push_back({"decoder_attentions." + number, npy_f4(dims({1, kHeads, 1, s + 1}), d)});
      entries.push_back({"cross_attentions." + number, npy_f4(dims({1, kHeads, 1, 5}), c)});
    }
  for (int l = 0; l < 3; ++l) entries.push_back({"encoder_attentions." + std::to_string(l) + ".npy", npy_f4("(1, 3, 5, 5)", attention(kHeads, 5, 5))});
  auto dump = open(zip(entries));
  REQUIRE_MESSAGE(dump, text(dump));
  REQUIRE(dump->info.streams.size() == 3);
  const auto& streams = dump->info.streams;
  CHECK(streams[0].name == "encoder");
  CHECK(streams[0].layers() == 3);
  CHECK(streams[1].name == "decoder");
  CHECK(streams[1].queries == 3);
  CHECK(streams[1].causal);
  CHECK(streams[2].name == "cross");
  CHECK(streams[2].queries == 3);
  CHECK(streams[2].keys == 5);
  const auto got = head(*dump, 2, 1, 2);
  CHECK(std::equal(got.begin(), got.end(), cross.begin() + 5 * 15, [](Real a, float b) { return a == Real(b); }));
  const auto triangle = head(*dump, 1, 0, 1);
  CHECK(std::equal(triangle.begin(), triangle.end(), decoder.begin() + 9, [](Real a, float b) { return a == Real(b); }));
}

TEST_CASE("one array for each step, all layers in it, is generation too") {
  const auto all = full();
  std::vector<ZipEntry> entries;
  for (int s = 0; s < kSteps; ++s) {
    std::vector<float> a;
    const int first = s == 0 ? 0 : kPrompt + s - 1, last = kPrompt + s;
    for (int m = 0; m < kLayers * kHeads; ++m)
      for (int i = first; i < last; ++i)
        for (int j = 0; j < last; ++j) a.push_back(all[static_cast<std::size_t>((m * kAll + i) * kAll + j)]);
    entries.push_back({"attentions." + std::to_string(s) + ".npy", npy_f4(dims({kLayers, 1, kHeads, last - first, last}), a)});
  }
  check_stitched(open(zip(entries)), all);
}

TEST_CASE("layers of single matrices, hooks with two results and caches are no steps") {
  std::vector<ZipEntry> entries;
  for (int l = 0; l < 2; ++l)
    for (int h = 0; h < 3; ++h) entries.push_back({std::to_string(l) + "." + std::to_string(h) + ".npy", npy_f4("(4, 4)", attention(1 + l * 3 + h, 4, 4))});
  for (auto& e : entries) {  // attention() repeats from its first matrix: keep the last
    const std::size_t size = 16 * sizeof(float);
    e.data = npy_f4("(4, 4)", [&] { std::vector<float> v(16); std::memcpy(v.data(), e.data.data() + (e.data.size() - size), size); return v; }());
  }
  auto dump = open(zip(entries));
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].layers() == 2);
  CHECK(dump->info.streams[0].heads == 3);
  entries.clear();
  for (int l = 0; l < 3; ++l) {
    entries.push_back({std::to_string(l) + ".0.npy", npy_f4("(1, 4, 8)", attention(1, 4, 8))});
    entries.push_back({std::to_string(l) + ".1.npy", npy_f4("(1, 3, 4, 4)", attention(3, 4, 4))});
  }
  dump = open(zip(entries));
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].layers() == 3);
  CHECK(dump->info.streams[0].heads == 3);
}

TEST_CASE("texts in a row are items, each with its own length and tokens") {
  std::vector<ZipEntry> entries;
  for (int n = 0; n < 3; ++n) {
    entries.push_back({"sentences." + std::to_string(n) + ".attentions.npy", npy_f4(dims({2, 3, 3 + n, 3 + n}), attention(6, 3 + n, 3 + n))});
    std::vector<std::string> words;
    for (int i = 0; i < 3 + n; ++i) words.push_back(std::string(1, static_cast<char>('a' + i)));
    entries.push_back({"sentences." + std::to_string(n) + ".tokens.npy", npy_texts(words)});
  }
  ImportOptions last;
  last.item = 2;
  auto dump = open(zip(entries), last);
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].batch == 3);
  CHECK(dump->info.streams[0].item == 2);
  CHECK(labels(dump->info.streams[0].query_tokens) == "a b c d e");
  last.item = 3;
  CHECK(code(open(zip(entries), last)) == "out_of_range");
  entries.clear();
  for (int n = 0; n < 2; ++n)
    for (int l = 0; l < 4; ++l) entries.push_back({std::to_string(n) + "." + std::to_string(l) + ".npy", npy_f4(dims({1, 3, 5 + 2 * n, 5 + 2 * n}), attention(3, 5 + 2 * n, 5 + 2 * n))});
  last.item = 1;
  dump = open(zip(entries), last);
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].layers() == 4);
  CHECK(dump->info.streams[0].queries == 7);
}

TEST_CASE("runs of equal length are items, beams without their indices are warned of") {
  std::vector<ZipEntry> entries;
  std::vector<std::vector<float>> all;
  for (int run = 0; run < 3; ++run)
    for (int l = 0; l < 4; ++l) {
      auto a = attention(1 + run * 4 + l, 5, 5);
      a.erase(a.begin(), a.end() - 25);
      all.push_back(a);
      std::vector<float> heads;
      for (int h = 0; h < 3; ++h) heads.insert(heads.end(), a.begin(), a.end());
      entries.push_back({std::to_string(run) + "." + std::to_string(l) + ".npy", npy_f4("(1, 3, 5, 5)", heads)});
    }
  ImportOptions second;
  second.item = 1;
  auto dump = open(zip(entries), second);
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].layers() == 4);
  CHECK(dump->info.streams[0].batch == 3);
  CHECK(head(*dump, 0, 2, 1) == reals(all[6]));
  const auto beams = open(zip(steps(full(2), {.batch = 2})));
  REQUIRE(beams);
  CHECK(reported(beams->info, ReportCode::beams_unknown));
  CHECK_FALSE(reported(open(zip(steps(full(), {})))->info, ReportCode::beams_unknown));
}

TEST_CASE("rows of padding on the left that are even over all keys are cropped") {
  std::vector<float> a;
  const auto real = attention(6, 6, 6, true);
  for (int m = 0; m < 6; ++m)
    for (int i = 0; i < 9; ++i)
      for (int j = 0; j < 9; ++j) a.push_back(i < 3 ? 1.0f / 9 : j < 3 ? 0 : real[static_cast<std::size_t>((m * 6 + i - 3) * 6 + j - 3)]);
  auto dump = open(zip({{"attentions.npy", npy_f4("(2, 3, 9, 9)", a)}}));
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].queries == 6);
  CHECK(reported(dump->info, ReportCode::padding));
}

TEST_CASE("records that hold a text and a stack each are items, not layers with a batch") {
  const auto stack = attention(12, 5, 5);
  std::string list;
  for (int n = 0; n < 2; ++n)
    list += std::string(n ? ", " : "") + R"({"text": "one", "attn": )" + json_array(stack, {4, 3, 5, 5}) + "}";
  auto dump = open(std::string_view("[" + list + "]"));
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].layers() == 4);
  CHECK(dump->info.streams[0].batch == 2);
}
