// Every dump of tests/dumps in a container that is read, against expected.json: written by numpy, apart from us.
#include <algorithm>
#include <cmath>
#include <iterator>

#include <doctest/doctest.h>

#include "io/json.h"
#include "io/builders.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

// Ruling 1 with residual 1/2 and the mean over heads, in the plainest way.
std::vector<double> rollout(Dump& dump, int stream) {
  const Stream& s = dump.info.streams[static_cast<std::size_t>(stream)];
  const auto n = static_cast<std::size_t>(s.queries);
  const auto normalise = [&](std::vector<double>& m) {
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += m[i * n + j];
      if (sum > 0) for (std::size_t j = 0; j < n; ++j) m[i * n + j] /= sum;
    }
  };
  std::vector<double> r(n * n);
  for (std::size_t i = 0; i < n; ++i) r[i * n + i] = 1;
  for (int l = 0; l < s.layers(); ++l) {
    std::vector<double> fused(n * n);
    for (int h = 0; h < std::max(s.heads, 1); ++h) {
      const auto one = head(dump, stream, l, h);
      REQUIRE(one.size() == n * n);
      std::vector<double> m(one.begin(), one.end());
      normalise(m);
      for (std::size_t i = 0; i < n * n; ++i) fused[i] += m[i];
    }
    normalise(fused);
    std::vector<double> next(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) next[i * n + j] += 0.5 * (fused[i * n + k] + (i == k)) * r[k * n + j];
    r = next;
  }
  return r;
}

double difference(const JsonValue& row, const std::vector<Real>& pool, const double* got) {
  double worst = 0;
  for (std::size_t i = 0; i < row.shape[0]; ++i) worst = std::max(worst, std::abs(static_cast<double>(pool[row.first + i]) - got[i]));
  return worst;
}

// Where the file gives ids only, the tokens of expected.json come from the tokenizer.
bool is_id(const std::string& raw) { return !raw.empty() && raw.find_first_not_of("0123456789") == raw.npos; }

// Containers that are read, by the ends of their names here.
constexpr const char* kRead[] = {".npy", ".npz", ".safetensors", ".json", ".pt", ".pkl", ".html", ".csv"};

double tolerance(DType type) { return type == DType::f16 ? 2e-3 : type == DType::bf16 ? 2e-2 : 1e-6; }

}  // namespace

TEST_CASE("dumps of real models give the rollout that numpy gives") {
  const Bytes text = file("expected.json");
  const auto expected = read_json(std::string_view(reinterpret_cast<const char*>(text.data()), text.size()));
  REQUIRE(expected);
  int opened = 0;
  for (const auto& [name, entry] : expected->root.members) {
    const auto hash = name.find('#');
    const std::string path = name.substr(0, hash), part = hash == name.npos ? "" : name.substr(hash + 1);
    const bool item = part.starts_with("item");
    const std::string stream = item ? "" : part;
    ImportOptions options;
    if (item) options.item = std::stoi(part.substr(4));
    const bool ours = std::any_of(std::begin(kRead), std::end(kRead), [&](const char* suffix) { return path.ends_with(suffix); });
    if (!ours || stream == "joint") continue;
    CAPTURE(name);
    auto dump = open_file(path, options);
    REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
    const int at = stream.empty() ? 0 : dump->info.index_of(stream);
    REQUIRE(at >= 0);
    const Stream& s = dump->info.streams[static_cast<std::size_t>(at)];
    ++opened;
    std::vector<std::string> tokens;
    if (const JsonValue* t = entry.find("tokens"); t && json_texts(*t, *expected->pool, tokens) && s.query_tokens[0].raw != "" && !is_id(s.query_tokens[1].raw)) {
      REQUIRE(tokens.size() == s.query_tokens.size());
      for (std::size_t i = 0; i < tokens.size(); ++i) CHECK(s.query_tokens[i].raw == tokens[i]);
    }
    if (stream == "cross") {
      const JsonValue& shape = *entry.find("shape");
      const auto dim = [&](std::size_t i) { return static_cast<int>((*expected->pool)[shape.first + i]); };
      CHECK(s.layers() == dim(0));
      CHECK(s.heads == dim(1));
      CHECK(s.queries == dim(2));
      CHECK(s.keys == dim(3));
      const auto all = all_heads(*dump, at);
      std::vector<double> mean(static_cast<std::size_t>(s.keys));
      for (int m = 0; m < s.layers() * s.heads; ++m)
        for (int j = 0; j < s.keys; ++j)
          mean[static_cast<std::size_t>(j)] += static_cast<double>(all[static_cast<std::size_t>(m * s.queries * s.keys + j)]) / (s.layers() * s.heads);
      CHECK(difference(*entry.find("mean_first_row"), *expected->pool, mean.data()) < 1e-6);
      REQUIRE(json_texts(*entry.find("source_tokens"), *expected->pool, tokens));
      for (std::size_t i = 0; i < tokens.size(); ++i) CHECK(s.key_tokens[i].raw == tokens[i]);
      continue;
    }
    CHECK(s.layers() == static_cast<int>(entry.find("layers")->number));
    CHECK(s.heads == static_cast<int>(entry.find("heads")->number));
    CHECK(s.queries == static_cast<int>(entry.find("n")->number));
    CHECK(s.causal == (entry.find("causal")->number != 0));
    const auto r = rollout(*dump, at);
    const auto n = static_cast<std::size_t>(s.queries);
    CHECK(difference(*entry.find("first_row"), *expected->pool, r.data()) < tolerance(s.dtype));
    CHECK(difference(*entry.find("last_row"), *expected->pool, r.data() + (n - 1) * n) < tolerance(s.dtype));
    CHECK(refusal(dump->info));
  }
  CHECK(opened >= 59);
}

TEST_CASE("the tokens of a dump are those of its text") {
  auto cat = open_file("minilm_cat.npz");
  REQUIRE(cat);
  CHECK(labels(cat->info.streams[0].query_tokens) == "[CLS] the cat sat on the mat because it was tired . [SEP]");
  CHECK(cat->info.file == "minilm_cat.npz");
  CHECK(cat->info.bytes == 50558);
  auto pair = open_file("minilm_pair.npz");
  REQUIRE(pair);
  const auto& tokens = pair->info.streams[0].key_tokens;
  CHECK(tokens[1].raw == "photos");
  CHECK(tokens[2].raw == "##yn");
  CHECK(tokens[2].label == "yn");
  CHECK(tokens[2].word == tokens[1].word);
  CHECK_FALSE(tokens[2].starts_word);
  CHECK(pair->info.companions == std::vector<std::string>{"token_type_ids", "input_ids"});
}

TEST_CASE("gradients, norms, attributions and images are companions, never attention") {
  auto grads = open_file("minilm_grads.npz");
  REQUIRE(grads);
  CHECK(grads->info.streams.size() == 1);
  CHECK(grads->info.companions == std::vector<std::string>{"attention_grads", "value_norms", "value_weighted_norms", "attr/gradient_x_input",
                                                           "attr/gradient_norm", "attr/integrated_gradients", "attr/occlusion", "attr/shapley"});
  const auto& norms = grads->info.streams[0].value_norms;  // [CLS] hands on next to nothing: a sink
  REQUIRE(norms.size() == 12);
  CHECK(norms[0] < 0.1f * norms[2]);
  auto digit = open_file("vit_digit_a.npz");
  REQUIRE(digit);
  CHECK(digit->info.companions == std::vector<std::string>{"image", "attention_grads/class_4", "attention_grads/class_9"});
  CHECK(digit->info.grid.prefix == 1);
  CHECK(digit->info.grid.rows == 7);
  CHECK(digit->info.grid.columns == 7);
}

TEST_CASE("fifty positions without tokens suggest a class token and seven by seven patches") {
  auto dump = open_file("vit_digit_a.nometa.npy");
  REQUIRE(dump);
  CHECK(dump->info.grid.prefix == 1);
  CHECK(dump->info.grid.rows == 7);
  const auto* said = reported(dump->info, ReportCode::grid_guess);
  REQUIRE(said);
  CHECK(report_text(*said) == "50 positions fit 1 + 7 x 7: read as a class token and a grid of patches.");
}

TEST_CASE("a translation whose source and target are equally long is told apart by names") {
  auto dump = open_file("enfr_look_it_up.npz");
  REQUIRE(dump);
  REQUIRE(dump->info.streams.size() == 3);
  CHECK(dump->info.streams[0].name == "encoder");
  CHECK(dump->info.streams[1].name == "decoder");
  const Stream& cross = dump->info.streams[2];
  CHECK(cross.name == "cross");
  CHECK(labels(cross.query_tokens) == "<s> cherchez - le");
  CHECK(labels(cross.key_tokens) == "look it up </s>");
  CHECK(cross.predicts == std::vector<std::string>{"cherchez", "-", "le", ""});
  CHECK(labels(dump->info.streams[0].key_tokens) == "look it up </s>");
}

TEST_CASE("broken dumps are refused, each in its own words") {
  CHECK(text(open_file("broken_truncated.npz")) == "broken_truncated.npz announces 48800 bytes of numbers in attentions.npy and ends after 30270.");
  CHECK(text(open_file("broken_truncated.safetensors")) == "broken_truncated.safetensors announces 48672 bytes of numbers and ends after 24000.");
  CHECK(code(open_file("broken_object.npy")) == "object_array");
}

TEST_CASE("a transposed dump opens as told, and is refused otherwise") {
  auto dump = open_file("broken_transposed.npy");
  REQUIRE(dump);
  REQUIRE_FALSE(refusal(dump->info));
  CHECK(error_name(refusal(dump->info).error().code) == "transposed");
  CHECK(reported(dump->info, ReportCode::transposed)->assumption == "orientation=columns");
  auto turned = open_file("broken_transposed.npy", assume("orientation", "columns"));
  auto plain = open_file("minilm_cat.4d.npy");
  REQUIRE(turned);
  REQUIRE(plain);
  CHECK(refusal(turned->info));
  CHECK(reported(turned->info, ReportCode::orientation_assumed));
  CHECK(largest_difference(all_heads(*turned), all_heads(*plain)) == 0);
}

TEST_CASE("scores before the softmax open through one when told, and are refused otherwise") {
  auto dump = open_file("broken_logits.npz");
  REQUIRE(dump);
  REQUIRE_FALSE(refusal(dump->info));
  CHECK(error_text(refusal(dump->info).error()) ==
        "broken_logits.npz holds scores before the softmax, not attention weights: the values go from -3.26 to 6.79, and rows do not sum to 1.");
  auto soft = open_file("broken_logits.npz", assume("values", "logits"));
  auto plain = open_file("minilm_cat.4d.npy");
  REQUIRE(soft);
  CHECK(refusal(soft->info));
  CHECK(largest_difference(all_heads(*soft), all_heads(*plain)) < 1e-5);
}

TEST_CASE("twelve tokens for thirteen positions are reported with both numbers") {
  auto dump = open_file("broken_tokens_short.npz");
  REQUIRE(dump);
  const auto* said = reported(dump->info, ReportCode::token_count);
  REQUIRE(said);
  CHECK(report_text(*said).starts_with("12 tokens are given for 13 positions."));
  CHECK(dump->info.streams[0].query_tokens[12].label == "13");
  CHECK(dump->info.streams[0].query_tokens[12].raw == "");
}

TEST_CASE("one sentence gives the same numbers out of every container") {
  auto reference = open_file("minilm_cat.4d.npy");
  REQUIRE(reference);
  const auto want = all_heads(*reference);
  for (const char* name : {"minilm_cat.5d.npy", "minilm_cat.fortran.npy", "minilm_cat.npz", "minilm_cat.layers.npz", "minilm_cat.arr_n.npz", "minilm_cat.safetensors",
                           "minilm_cat.4d.f64.be.npy", "minilm_cat.json"}) {
    CAPTURE(name);
    auto dump = open_file(name);
    REQUIRE(dump);
    CHECK(largest_difference(all_heads(*dump), want) == 0);
  }
}
