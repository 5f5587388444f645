// What names and shapes mean: dumps as people save them, with the names that they use.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "io/builders.h"
#include "io/names.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

Bytes f4(int a, int b, int q, int k, bool causal = false) {
  return npy_f4("(" + std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(q) + ", " + std::to_string(k) + ")", attention(a * b, q, k, causal));
}
Bytes scores(const std::string& shape, int count) {
  std::vector<float> out;
  for (int i = 0; i < count; ++i) out.push_back(static_cast<float>(3 * std::sin(i * 1.3)));
  return npy_f4(shape, out);
}
Result<Dump> npz(const std::vector<std::pair<std::string, Bytes>>& members, const ImportOptions& options = {}) {
  std::vector<ZipEntry> entries;
  for (const auto& [name, data] : members) entries.push_back({name + ".npy", data});
  return open(zip(entries), options);
}

}  // namespace

TEST_CASE("a stack is found under every usual name") {
  for (const char* name : {"attentions", "attention", "attn", "att", "attn_weights", "attention_weights", "self_attentions", "attention_probs", "weights", "patterns", "p_attn",
                           "arr_0", "attnProbs", "selfAttention", "whatever"}) {
    CAPTURE(name);
    auto dump = npz({{name, f4(2, 3, 4, 4)}, {"logits", scores("(1, 4, 9)", 36)}});
    REQUIRE_MESSAGE(dump, text(dump));
    CHECK(dump->info.streams[0].layers() == 2);
    CHECK(dump->info.streams[0].heads == 3);
    CHECK(dump->info.streams[0].name == "self");
  }
}

TEST_CASE("layers that differ in their heads are refused with their numbers, never opened in part") {
  for (const char* name : {"layer_", "arr_"}) {
    const std::string n = name;
    auto dump = npz({{n + "0", f4(1, 4, 4, 4)}, {n + "1", f4(1, 4, 4, 4)}, {n + "2", f4(1, 3, 4, 4)}});
    REQUIRE_FALSE(dump);
    CHECK(error_name(dump.error().code) == "heads_differ");
    CHECK(error_text(dump.error()).find(n + "2 has 3") != std::string::npos);
  }
}

TEST_CASE("one array per layer is found under every usual name, gaps keep true numbers") {
  for (const char* pattern : {"attentions.#", "attention_#", "attn_#", "layer_#", "layer#", "layers.#.attn", "h.#.attn", "blocks.#.attn.hook_pattern", "block_#", "L#", "#", "arr_#",
                              "model.layers.#.self_attn", "encoder.layer.#.attention", "transformer.h.#.attn", "outputs/attentions/#", "attentions[#]", "bert.encoder.layer.#.attention.self"}) {
    CAPTURE(pattern);
    std::vector<std::pair<std::string, Bytes>> members;
    for (const char* n : {"0", "2", "10"}) {
      std::string name = pattern;
      name.replace(name.find('#'), 1, n);
      members.emplace_back(name, f4(1, 3, 4, 4));
    }
    auto dump = npz(members);
    REQUIRE_MESSAGE(dump, text(dump));
    REQUIRE(dump->info.streams.size() == 1);
    CHECK(dump->info.streams[0].name == "self");
    CHECK(dump->info.streams[0].layer_numbers == std::vector<int>{0, 2, 10});
    CHECK(dump->info.streams[0].heads == 3);
    CHECK(report_text(*reported(dump->info, ReportCode::layers_missing)).find("0, 2, 10") != std::string::npos);
  }
}

TEST_CASE("encoder, decoder and cross attention are told apart under three libraries' names") {
  struct Names { const char *encoder, *decoder, *cross; };
  for (const Names& n : {Names{"encoder_attentions.#", "decoder_attentions.#", "cross_attentions.#"},
                         Names{"model.encoder.layers.#.self_attn", "model.decoder.layers.#.self_attn", "model.decoder.layers.#.encoder_attn"},
                         Names{"encoder.block.#.layer.0.SelfAttention", "decoder.block.#.layer.0.SelfAttention", "decoder.block.#.layer.1.EncDecAttention"},
                         Names{"enc_attn_#", "dec_attn_#", "xattn_#"}}) {
    CAPTURE(n.cross);
    std::vector<std::pair<std::string, Bytes>> members;
    const auto add = [&](std::string name, int l, int q, int k, bool causal) {
      name.replace(name.find('#'), 1, std::to_string(l));
      members.emplace_back(name, f4(1, 2, q, k, causal));
    };
    for (int l = 0; l < 2; ++l) {
      add(n.cross, l, 3, 5, false);
      add(n.decoder, l, 3, 3, true);
      add(n.encoder, l, 5, 5, false);
    }
    members.emplace_back("source_tokens", npy_texts({"a", "b", "c", "d", "e"}));
    members.emplace_back("tokens", npy_texts({"x", "y", "z"}));
    auto dump = npz(members);
    REQUIRE_MESSAGE(dump, text(dump));
    REQUIRE(dump->info.streams.size() == 3);
    CHECK(dump->info.streams[0].name == "encoder");
    CHECK(labels(dump->info.streams[0].query_tokens) == "a b c d e");
    CHECK(dump->info.streams[0].predicts.empty());
    CHECK(dump->info.streams[1].name == "decoder");
    CHECK(dump->info.streams[1].causal);
    CHECK(dump->info.streams[2].name == "cross");
    CHECK(labels(dump->info.streams[2].query_tokens) == "x y z");
    CHECK(labels(dump->info.streams[2].key_tokens) == "a b c d e");
    CHECK(dump->info.streams[2].predicts == std::vector<std::string>{"y", "z", ""});
  }
}

TEST_CASE("output_tokens say what each row predicts, whatever stands next") {
  auto dump = npz({{"cross_attentions", f4(2, 2, 3, 5)}, {"source_tokens", npy_texts({"a", "b", "c", "d", "e"})}, {"tokens", npy_texts({"x", "y", "z"})}, {"output_tokens", npy_texts({"p", "q", "r"})}});
  REQUIRE(dump);
  CHECK(dump->info.streams[0].predicts == std::vector<std::string>{"p", "q", "r"});
}

TEST_CASE("gradients, norms, states and logits beside attention are never opened as attention") {
  auto dump = npz({{"attention_grads", scores("(2, 3, 4, 4)", 96)}, {"value_weighted_norms", npy_f4("(2, 4, 4)", std::vector<float>(32, 0.25f))}, {"last_hidden_state", scores("(1, 4, 8)", 32)},
                   {"hidden_states", f4(1, 1, 4, 4)}, {"att", f4(2, 3, 4, 4)}});
  REQUIRE(dump);
  CHECK(dump->info.streams.size() == 1);
  CHECK(dump->info.streams[0].heads == 3);
  CHECK(dump->info.companions == std::vector<std::string>{"attention_grads", "value_weighted_norms"});
  const auto only = npz({{"attention_grads", scores("(2, 3, 4, 4)", 96)}, {"last_hidden_state", scores("(1, 4, 8)", 32)}});
  CHECK(code(only) == "not_attention");
  CHECK(text(only).find("attention_grads (2, 3, 4, 4)") != std::string::npos);
}

TEST_CASE("between two unknown names the one whose rows sum to 1 is opened") {
  auto dump = npz({{"foo", scores("(2, 3, 4, 4)", 96)}, {"bar", f4(2, 3, 4, 4)}});
  REQUIRE(dump);
  CHECK(largest_difference(all_heads(*dump), reals(attention(6, 4, 4))) == 0);
  CHECK(report_text(*reported(dump->info, ReportCode::ignored)) == "Left aside, not part of what is shown: foo.");
}

TEST_CASE("shapes are read as PyTorch and numpy make them") {
  const auto shape = [](const std::string& s, int count, const ImportOptions& options = {}) { return open(npy_f4(s, attention(count, 4, 4)), options); };
  CHECK(shape("(4, 4)", 1)->info.streams[0].heads == 0);
  CHECK(shape("(6, 4, 4)", 6)->info.streams[0].layers() == 6);
  CHECK(shape("(6, 4, 4)", 6, assume("layout", "heads"))->info.streams[0].heads == 6);
  CHECK_FALSE(reported(shape("(6, 4, 4)", 6, assume("layout", "layers"))->info, ReportCode::ambiguous_axes));
  CHECK(shape("(1, 6, 4, 4)", 6)->info.streams[0].heads == 6);
  CHECK(shape("(2, 3, 4, 4)", 6)->info.streams[0].layers() == 2);
  CHECK(shape("(2, 1, 3, 4, 4)", 6)->info.streams[0].batch == 1);
  CHECK(shape("(1, 2, 3, 4, 4)", 6)->info.streams[0].layers() == 2);
  CHECK(shape("(2, 3, 2, 4, 4)", 12)->info.streams[0].batch == 3);
  CHECK(shape("(6, 12, 1, 1)", 0).has_value() == false);
  CHECK(open(npy_f4("(6, 12, 1, 1)", std::vector<float>(72, 1.0f))));
  CHECK(open(npy_f4("(3, 9)", attention(1, 3, 9)))->info.streams[0].keys == 9);
  CHECK(code(open(npy_f4("(7,)", std::vector<float>(7, 1.0f)))) == "not_attention");
  CHECK(code(open(npy_f4("(0, 12, 4, 4)", {}))) == "empty");
}

TEST_CASE("axes that are said win over axes that are guessed") {
  const auto a = attention(6, 4, 4);  // [2][3][4][4]
  std::vector<float> heads_first(a.size());
  for (std::size_t l = 0; l < 2; ++l)
    for (std::size_t h = 0; h < 3; ++h) std::copy_n(a.begin() + static_cast<long>((l * 3 + h) * 16), 16, heads_first.begin() + static_cast<long>((h * 2 + l) * 16));
  auto dump = npz({{"attentions", npy_f4("(3, 2, 4, 4)", heads_first)}, {"meta", npy_meta(R"({"axes": "hlqk"})")}});
  REQUIRE(dump);
  CHECK(all_heads(*dump) == reals(a));
  dump = open(npy_f4("(3, 2, 4, 4)", heads_first), assume("axes", "hlqk"));
  REQUIRE(dump);
  CHECK(all_heads(*dump) == reals(a));
  std::vector<float> last(a.size());  // [q][k][l][h]
  for (std::size_t m = 0; m < 6; ++m)
    for (std::size_t i = 0; i < 16; ++i) last[i * 6 + m] = a[m * 16 + i];
  dump = open(npy_f4("(4, 4, 2, 3)", last), assume("axes", "qklh"));
  REQUIRE(dump);
  CHECK(all_heads(*dump) == reals(a));
  dump = open(npy_f4("(2, 3, 4, 4)", a), assume("axes", "lhkq"));
  REQUIRE(dump);
  CHECK(head(*dump, 0, 0, 0)[1] == Real(a[4]));
  CHECK(code(open(npy_f4("(2, 3, 4, 4)", a), assume("axes", "lhq"))) == "bad_value");
  CHECK(code(open(npy_f4("(2, 3, 4, 4)", a), assume("axes", "lqk"))) == "bad_value");
  dump = npz({{"attentions", npy_f4("(2, 3, 4, 4)", a)}, {"meta", npy_meta(R"({"axes": "xyz"})")}});
  REQUIRE(dump);
  CHECK(reported(dump->info, ReportCode::unknown_assumption));
}

TEST_CASE("an item of a batch is chosen, its padding cropped by the mask") {
  ImportOptions second;
  second.item = 1;
  std::vector<float> a;
  for (int m = 0; m < 4; ++m) {  // [2][2][1][4][4]: item 1 has two real tokens
    auto one = attention(1, 4, 4);
    if (m % 2)
      for (int i = 0; i < 4; ++i) {
        one[static_cast<std::size_t>(i * 4)] = 0.25f;
        one[static_cast<std::size_t>(i * 4 + 1)] = 0.75f;
        one[static_cast<std::size_t>(i * 4 + 2)] = one[static_cast<std::size_t>(i * 4 + 3)] = 0;
      }
    a.insert(a.end(), one.begin(), one.end());
  }
  const std::vector<std::pair<std::string, Bytes>> members{{"attentions", npy_f4("(2, 2, 1, 4, 4)", a)}, {"attention_mask", npy_i8("(2, 4)", {1, 1, 1, 1, 1, 1, 0, 0})},
                                                           {"tokens", npy_texts({"a", "b", "c", "d", "e", "f", "[PAD]", "[PAD]"}, "(2, 4)")}};
  auto dump = npz(members, second);
  REQUIRE_MESSAGE(dump, text(dump));
  const Stream& s = dump->info.streams[0];
  CHECK(s.batch == 2);
  CHECK(s.item == 1);
  CHECK(s.queries == 2);
  CHECK(labels(s.query_tokens) == "e f");
  CHECK(head(*dump, 0, 0, 0) == std::vector<Real>{0.25, 0.75, 0.25, 0.75});
  CHECK(report_text(*reported(dump->info, ReportCode::batch_item)) == "The file holds a batch of 2; item 1 is shown.");
  CHECK(report_text(*reported(dump->info, ReportCode::padding)) == "2 padding tokens were left out; 2 tokens remain.");
  CHECK(labels(npz(members)->info.streams[0].query_tokens) == "a b c d");
  second.item = 2;
  CHECK(code(npz(members, second)) == "out_of_range");
  auto layer = npz({{"attn", npy_f4("(4, 1, 4, 4)", a)}, {"attention_mask", npy_i8("(4, 4)", std::vector<std::int64_t>(16, 1))}});
  REQUIRE(layer);
  CHECK(layer->info.streams[0].batch == 4);
}

TEST_CASE("padding on the left with rows of NaN is cropped") {
  auto a = attention(1, 4, 4);
  for (std::size_t j = 0; j < 4; ++j) a[j] = std::nanf("");
  for (std::size_t i = 1; i < 4; ++i) {
    const float lost = a[i * 4];
    a[i * 4] = 0;
    for (std::size_t j = 1; j < 4; ++j) a[i * 4 + j] /= 1 - lost;
  }
  auto dump = npz({{"attentions", npy_f4("(1, 1, 4, 4)", a)}, {"attention_mask", npy_i8("(4,)", {0, 1, 1, 1})}});
  REQUIRE(dump);
  CHECK(dump->info.streams[0].queries == 3);
  CHECK(head(*dump, 0, 0, 0)[0] == Real(a[5]));
}

TEST_CASE("keys that nobody reads beyond the last token are padding") {
  auto a = attention(2, 4, 4);
  for (std::size_t i = 0; i < 8; ++i) {
    const float lost = a[i * 4 + 3];
    a[i * 4 + 3] = 0;
    for (std::size_t j = 0; j < 3; ++j) a[i * 4 + j] /= 1 - lost;
  }
  auto dump = npz({{"attentions", npy_f4("(1, 2, 4, 4)", a)}, {"tokens", npy_texts({"a", "b", "c"})}});
  REQUIRE(dump);
  CHECK(labels(dump->info.streams[0].query_tokens) == "a b c");
  CHECK(reported(dump->info, ReportCode::padding));
  CHECK_FALSE(reported(dump->info, ReportCode::token_count));
}

TEST_CASE("rows that lack a sink get one when the file says so") {
  auto a = attention(2, 3, 3);
  for (float& x : a) x *= 0.75f;
  auto dump = npz({{"attentions", npy_f4("(1, 2, 3, 3)", a)}, {"meta", npy_meta(R"({"sink": "dropped", "tokens": ["a", "b", "c"]})")}});
  REQUIRE(dump);
  const Stream& s = dump->info.streams[0];
  CHECK(s.virtual_sink);
  CHECK(s.queries == 4);
  CHECK(s.keys == 4);
  CHECK(s.key_tokens[3].label == "‹sink›");
  CHECK(s.key_tokens[3].raw == "");
  CHECK(s.key_tokens[3].special);
  const auto m = head(*dump, 0, 0, 1);
  for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(m[i * 4 + 3] - Real(0.25)) < Real(1e-6));
  CHECK(std::vector<Real>(m.end() - 4, m.end()) == std::vector<Real>{0, 0, 0, 1});
  CHECK(report_text(*reported(dump->info, ReportCode::sink_dropped)).find("0.25 on average") != std::string::npos);
  auto cross = npz({{"cross_attentions", npy_f4("(1, 2, 1, 9)", std::vector<float>(18, 0.1f))}}, assume("sums", "sink"));
  REQUIRE(cross);
  CHECK(cross->info.streams[0].queries == 1);
  CHECK(cross->info.streams[0].keys == 10);
  auto plain = npz({{"attentions", npy_f4("(1, 2, 3, 3)", a)}, {"meta", npy_meta(R"({"sink": "dropped"})")}}, assume("sums", "renormalise"));
  CHECK(plain->info.streams[0].keys == 3);
}

TEST_CASE("dropout, percentages and eight-bit weights are attention, scores and their logarithms are not") {
  auto a = attention(6, 4, 4);
  auto dropped = a;
  for (std::size_t i = 0; i < dropped.size(); ++i) dropped[i] = i % 9 == 0 ? 0 : dropped[i] / 0.9f;
  CHECK(refusal(open(npy_f4("(2, 3, 4, 4)", dropped))->info));
  auto percent = a;
  for (float& x : percent) x *= 100;
  CHECK(refusal(open(npy_f4("(2, 3, 4, 4)", percent))->info));
  Bytes eight;
  for (const float x : a) eight.push_back(static_cast<std::uint8_t>(std::lround(x * 255)));
  CHECK(refusal(open(npy(npy_dict("|u1", "(2, 3, 4, 4)"), eight))->info));
  auto logs = a;
  for (float& x : logs) x = std::log(x);
  CHECK_FALSE(refusal(open(npy_f4("(2, 3, 4, 4)", logs))->info));
  auto soft = open(npy_f4("(2, 3, 4, 4)", logs), assume("values", "logits"));
  REQUIRE(soft);
  CHECK(refusal(soft->info));
  CHECK(largest_difference(all_heads(*soft), reals(a)) < 1e-6);
  CHECK(refusal(open(npy_f4("(2, 3, 4, 4)", logs), assume("values", "probs"))->info));
  auto named = npz({{"blocks.0.attn.hook_attn_scores", scores("(3, 4, 4)", 48)}});
  REQUIRE(named);
  CHECK_FALSE(refusal(named->info));
}

TEST_CASE("a class token and patches are guessed for vision's usual lengths, never for text") {
  const auto grid = [](int n, bool causal = false, bool tokens = false) {
    std::vector<std::pair<std::string, Bytes>> members{{"attentions", f4(1, 1, n, n, causal)}};
    if (tokens) members.emplace_back("tokens", npy_texts(std::vector<std::string>(static_cast<std::size_t>(n), "x")));
    const auto dump = npz(members);
    REQUIRE(dump);
    const PatchGrid g = dump->info.grid;
    return std::to_string(g.prefix) + "+" + std::to_string(g.rows) + "x" + std::to_string(g.columns);
  };
  CHECK(grid(50) == "1+7x7");
  CHECK(grid(197) == "1+14x14");
  CHECK(grid(196) == "0+14x14");
  CHECK(grid(198) == "2+14x14");
  CHECK(grid(201) == "5+14x14");
  CHECK(grid(257) == "1+16x16");
  CHECK(grid(13) == "0+0x0");
  CHECK(grid(64) == "0+0x0");
  CHECK(grid(50, true) == "0+0x0");
  CHECK(grid(50, false, true) == "0+0x0");
}

TEST_CASE("one token more than rows is what the last row predicts") {
  auto dump = npz({{"attentions", f4(2, 2, 4, 4, true)}, {"tokens", npy_texts({"a", "b", "c", "d", "e"})}});
  REQUIRE(dump);
  CHECK(labels(dump->info.streams[0].query_tokens) == "a b c d");
  CHECK(dump->info.streams[0].predicts == std::vector<std::string>{"b", "c", "d", "e"});
  CHECK(reported(dump->info, ReportCode::token_count)->severity == Severity::note);
}

TEST_CASE("missing special tokens are added when told") {
  const std::vector<std::pair<std::string, Bytes>> members{{"attentions", f4(2, 2, 4, 4)}, {"tokens", npy_texts({"a", "b"})}};
  CHECK(reported(npz(members)->info, ReportCode::token_count)->assumption == "tokens=add_specials");
  CHECK(labels(npz(members, assume("tokens", "add_specials"))->info.streams[0].query_tokens) == "[CLS] a b [SEP]");
  CHECK(labels(npz(members, assume("tokens", "ignore"))->info.streams[0].query_tokens) == "1 2 3 4");
  CHECK(labels(npz(members)->info.streams[0].query_tokens) == "a b 3 4");
}

TEST_CASE("an image's placeholder stands for all its patches") {
  auto dump = npz({{"attentions", f4(2, 2, 6, 6, true)}, {"tokens", npy_texts({"<s>", "<image>", "look"})}});
  REQUIRE(dump);
  CHECK(labels(dump->info.streams[0].query_tokens) == "<s> <image> <image> <image> <image> look");
  CHECK(report_text(*reported(dump->info, ReportCode::image_tokens)).starts_with("4 positions"));
}

TEST_CASE("ids name positions where no tokens do") {
  auto dump = npz({{"attentions", f4(2, 2, 3, 3)}, {"input_ids", npy_i8("(1, 3)", {101, 7592, 102})}});
  REQUIRE(dump);
  CHECK(labels(dump->info.streams[0].query_tokens) == "101 7592 102");
}

TEST_CASE("heads that are arrays of their own form layers") {
  const auto a = attention(4, 3, 3);
  const auto one = [&](int m) { return npy_f4("(3, 3)", std::vector<float>(a.begin() + m * 9, a.begin() + m * 9 + 9)); };
  auto dump = npz({{"layer1_head1", one(3)}, {"layer0_head1", one(1)}, {"layer0_head0", one(0)}, {"layer1_head0", one(2)}});
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].heads == 2);
  CHECK(all_heads(*dump) == reals(a));
  CHECK(code(npz({{"layer0_head0", one(0)}, {"layer0_head1", one(1)}, {"layer1_head0", one(2)}})) == "ragged");
}

TEST_CASE("switches that do not exist are refused with those that do") {
  CHECK(code(open(npy_f4("(2, 2)", attention(1, 2, 2)), assume("colour", "red"))) == "bad_value");
  CHECK(code(open(npy_f4("(2, 2)", attention(1, 2, 2)), assume("values", "red"))) == "bad_value");
}

TEST_CASE("a model's parameters are no attention, square or not") {
  CHECK(code(npz({{"encoder.layer.0.attention.self.query.weight", scores("(4, 4)", 16)}, {"encoder.layer.0.attention.self.query.bias", scores("(4,)", 4)}})) == "model_weights");
}

TEST_CASE("columns that nobody reads are padding without any mask, in dense attention only") {
  std::vector<float> a;
  for (const auto& part : {attention(6, 5, 5)})
    for (std::size_t i = 0; i < part.size() / 5; ++i) {
      for (std::size_t j = 0; j < 5; ++j) a.push_back(part[i * 5 + j]);
      a.insert(a.end(), 3, 0.0f);
      if (i % 5 == 4)  // rows of padding read the text as any other
        for (int pad = 0; pad < 3; ++pad) a.insert(a.end(), a.end() - 8, a.end());
    }
  auto dump = npz({{"attentions", npy_f4("(2, 3, 8, 8)", a)}});
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].queries == 5);
  CHECK(report_text(*reported(dump->info, ReportCode::padding)) == "3 padding tokens were left out; 5 tokens remain.");
  // A teacher's matrix of ones and zeros keeps its last token, whoever reads it.
  dump = npz({{"attentions", npy_f4("(2, 2)", {1, 0, 1, 0})}});
  REQUIRE(dump);
  CHECK(dump->info.streams[0].queries == 2);
}

TEST_CASE("the keys of a static cache beyond the text are cropped, a few new rows over many keys are read as they are") {
  std::vector<float> wide;
  const auto part = attention(6, 4, 4, true);
  for (std::size_t i = 0; i < part.size() / 4; ++i) {
    wide.insert(wide.end(), part.begin() + static_cast<std::ptrdiff_t>(i * 4), part.begin() + static_cast<std::ptrdiff_t>(i * 4 + 4));
    wide.insert(wide.end(), 12, 0.0f);
  }
  auto dump = npz({{"attentions", npy_f4("(2, 3, 4, 16)", wide)}, {"tokens", npy_texts({"a", "b", "c", "d"})}});
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].keys == 4);
  CHECK(dump->info.streams[0].causal);
  CHECK(labels(dump->info.streams[0].key_tokens) == "a b c d");
  dump = npz({{"attentions", f4(2, 3, 2, 6)}, {"tokens", npy_texts({"a", "b", "c", "d", "e", "f"})}});
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].kind == StreamKind::cross);
  CHECK(dump->info.streams[0].keys == 6);
  CHECK(labels(dump->info.streams[0].key_tokens) == "a b c d e f");
}

TEST_CASE("columns that start late are put in their place") {
  auto dump = npz({{"attentions", f4(2, 3, 6, 4)}, {"meta", npy_meta(R"({"key_offset": 2})")}});
  REQUIRE_MESSAGE(dump, text(dump));
  const Stream& s = dump->info.streams[0];
  CHECK(s.keys == 6);
  const auto got = head(*dump, 0, 1, 2), stored = std::vector<Real>(got);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(got[i * 6] == 0);
    CHECK(got[i * 6 + 1] == 0);
    CHECK(got[i * 6 + 2] > 0);
  }
}

TEST_CASE("attention inside windows and layers of all sizes are refused with their shapes") {
  auto swin = npz({{"attentions.0", f4(16, 2, 9, 9)}, {"attentions.1", f4(4, 4, 9, 9)}, {"attentions.2", f4(1, 8, 9, 9)}});
  CHECK(code(swin) == "ragged");
  CHECK(text(swin).find("(16, 2, 9, 9)") != std::string::npos);
  CHECK(code(npz({{"layer_0", f4(1, 2, 16, 16)}, {"layer_1", f4(1, 2, 9, 9)}, {"layer_2", f4(1, 2, 4, 4)}})) == "ragged");
  std::vector<float> band;  // Longformer, two neighbours on either side
  for (int m = 0; m < 4; ++m)
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 5; ++j) {
        const int key = i + j - 2;
        const int left = std::max(0, i - 2), right = std::min(11, i + 2);
        band.push_back(key < 0 || key > 11 ? 0 : 1.0f / static_cast<float>(right - left + 1));
      }
  CHECK(code(npz({{"attentions", npy_f4("(2, 2, 12, 5)", band)}})) == "windowed");
}

TEST_CASE("heads that stand last are found where only so rows sum to 1") {
  const auto usual = attention(3, 6, 6);
  std::vector<float> last;  // [N][N][1][H]
  for (std::size_t i = 0; i < 36; ++i)
    for (std::size_t h = 0; h < 3; ++h) last.push_back(usual[h * 36 + i]);
  auto dump = npz({{"layer_0", npy_f4("(6, 6, 1, 3)", last)}, {"layer_1", npy_f4("(6, 6, 1, 3)", last)}});
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].layers() == 2);
  CHECK(dump->info.streams[0].heads == 3);
  CHECK(head(*dump, 0, 1, 2)[7] == Real(usual[2 * 36 + 7]));
  CHECK(report_text(*reported(dump->info, ReportCode::axes_found)) == "The axes of (6, 6, 1, 3) are read as qkbh: only so do rows sum to 1.");
}

TEST_CASE("layers that people count from 1 are layers from 0, modules' numbers stand") {
  auto dump = npz({{"layer_1", f4(1, 2, 4, 4)}, {"layer_2", f4(1, 2, 4, 4)}, {"layer_3", f4(1, 2, 4, 4)}});
  REQUIRE(dump);
  CHECK(dump->info.streams[0].layer_numbers == std::vector<int>{0, 1, 2});
  CHECK(reported(dump->info, ReportCode::layers_from_one));
  CHECK_FALSE(reported(dump->info, ReportCode::layers_missing));
  dump = npz({{"blocks.1.attn", f4(1, 2, 4, 4)}, {"blocks.2.attn", f4(1, 2, 4, 4)}});
  REQUIRE(dump);
  CHECK(dump->info.streams[0].layer_numbers == std::vector<int>{1, 2});
  CHECK(reported(dump->info, ReportCode::layers_missing));
}

TEST_CASE("contributions may have a sign and are no scores") {
  std::vector<float> signed_rows;
  for (int i = 0; i < 3 * 16; ++i) signed_rows.push_back(0);
  for (int m = 0; m < 3; ++m)
    for (int i = 0; i < 4; ++i) {
      const float row[4] = {0.7f, -0.2f, 0.1f, 0.4f};
      for (int j = 0; j < 4; ++j) signed_rows[static_cast<std::size_t>((m * 4 + i) * 4 + j)] = row[(i + j) % 4];
    }
  auto dump = npz({{"data", npy_f4("(3, 4, 4)", signed_rows)}});
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].kind == StreamKind::contributions);
  CHECK(refusal(dump->info));
  dump = npz({{"alti_contributions", npy_f4("(3, 4, 4)", attention(3, 4, 4))}});
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].kind == StreamKind::contributions);
}

TEST_CASE("tokens with padding, specials or images of their own are made to fit") {
  const auto tokens = [](const std::vector<std::string>& pieces, int n) {
    auto dump = npz({{"attentions", f4(2, 2, n, n)}, {"tokens", npy_texts(pieces)}});
    REQUIRE(dump);
    return labels(dump->info.streams[0].query_tokens);
  };
  CHECK(tokens({"a", "b", "c", "[PAD]", "[PAD]"}, 3) == "a b c");
  CHECK(tokens({"[CLS]", "a", "b", "[SEP]"}, 2) == "a b");
  CHECK(tokens({"<image>", "a", "<image>", "b"}, 8) == "<image> <image> <image> a <image> <image> <image> b");
}

TEST_CASE("tokens given beside a dump take the place of its own") {
  ImportOptions options;
  options.beside = {{"tokens.txt", "one\ntwo\nthree\n"}};
  auto dump = npz({{"attentions", f4(2, 2, 3, 3)}, {"tokens", npy_texts({"a", "b", "c"})}}, options);
  REQUIRE(dump);
  CHECK(labels(dump->info.streams[0].query_tokens) == "one two three");
  CHECK(reported(dump->info, ReportCode::beside));
  options.beside = {{"tokens.json", R"(["x", "y", "z"])"}, {"meta.json", R"({"model": "mine", "output_tokens": ["p", "q", "r"]})"}};
  dump = npz({{"attentions", f4(2, 2, 3, 3)}}, options);
  REQUIRE(dump);
  CHECK(labels(dump->info.streams[0].query_tokens) == "x y z");
  CHECK(dump->info.streams[0].predicts == std::vector<std::string>{"p", "q", "r"});
  CHECK(dump->info.meta.at("model") == "mine");
  options.beside = {{"words.txt", "x y z"}};
  CHECK(labels(npz({{"attentions", f4(2, 2, 3, 3)}}, options)->info.streams[0].query_tokens) == "x y z");
  options.beside = {{"tokens.txt", "  "}};
  CHECK(code(npz({{"attentions", f4(2, 2, 3, 3)}}, options)) == "bad_value");
}

TEST_CASE("numbers of 16 bits that were saved as 32 are known for what they are") {
  const auto rounded = [](auto round) {
    std::vector<float> a = attention(4, 8, 8);
    for (float& x : a) x = round(x);
    return npz({{"attentions", npy_f4("(2, 2, 8, 8)", a)}})->info.streams[0].precision;
  };
  CHECK(rounded([](float x) { return x; }) == DType::f32);
  CHECK(rounded([](float x) { std::uint32_t b; std::memcpy(&b, &x, 4); b &= 0xffff0000u; std::memcpy(&x, &b, 4); return x; }) == DType::bf16);
  CHECK(rounded([](float x) { return std::round(x * 1024) / 1024; }) == DType::f16);
  CHECK(npz({{"attentions", f4(2, 2, 8, 8)}})->info.streams[0].dtype == DType::f32);
}

TEST_CASE("a mask that does not fit is said to be left aside, and heads that stand alone are one layer's") {
  for (const auto& mask : {npy_i8("(3,)", {1, 1, 1}), npy_i8("(4,)", {0, 0, 0, 0})}) {
    auto dump = npz({{"attentions", f4(2, 2, 4, 4)}, {"attention_mask", mask}});
    REQUIRE(dump);
    CHECK(dump->info.streams[0].queries == 4);
    REQUIRE(reported(dump->info, ReportCode::unknown_assumption));
    CHECK(report_text(*reported(dump->info, ReportCode::unknown_assumption)).find("attention_mask") != std::string::npos);
  }
  auto dump = npz({{"head_0", npy_f4("(4, 4)", attention(1, 4, 4))}, {"head_1", npy_f4("(4, 4)", attention(1, 4, 4))}});
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].layers() == 1);
  CHECK(dump->info.streams[0].heads == 2);
}
