// What stands beside the attention: names, shapes, padding, and what does not fit.
#include "io/extras.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "io/builders.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

std::vector<float> counting(std::size_t count) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(i);
  return out;
}

const Extra* extra(const Dump& dump, ExtraKind kind, const std::string& name = "") {
  const int at = dump.info.find_extra(kind, dump.info.streams[0].name, &name);
  return at < 0 ? nullptr : &dump.info.extras[static_cast<std::size_t>(at)];
}

}  // namespace

TEST_CASE("names of what stands beside the attention say kind, stream, class and layer") {
  const auto is = [](std::string_view name, ExtraKind kind, std::string_view stream, std::string_view own, int layer) {
    const auto found = extra_name(name);
    CAPTURE(std::string(name));
    REQUIRE(found);
    CHECK(found->kind == kind);
    CHECK(found->stream == stream);
    CHECK(found->name == own);
    CHECK(found->layer == layer);
  };
  is("attention_grads", ExtraKind::gradients, "", "", -1);
  is("attention_grads/positive", ExtraKind::gradients, "", "positive", -1);
  is("attention_grads/4", ExtraKind::gradients, "", "4", -1);
  is("attention_grads.3", ExtraKind::gradients, "", "", 3);
  is("attention_grads[3]", ExtraKind::gradients, "", "", 3);
  is("attention_grads_3", ExtraKind::gradients, "", "", 3);
  is("attention_grads.cat.3", ExtraKind::gradients, "", "cat", 3);
  is("cross_attention_grads", ExtraKind::gradients, "cross", "", -1);
  is("decoder_attention_grads/x", ExtraKind::gradients, "decoder", "x", -1);
  is("cross_attentions_grads", ExtraKind::gradients, "cross", "", -1);
  is("norms/alti", ExtraKind::norms, "", "alti", -1);
  is("value_weighted_norms", ExtraKind::norms, "", "", -1);
  is("encoder_value_norms", ExtraKind::value_norms, "encoder", "", -1);
  is("mixing_ratios", ExtraKind::mixing_ratios, "", "", -1);
  is("attr/occlusion", ExtraKind::attribution, "", "occlusion", -1);
  is("scores/cdam/4", ExtraKind::scores, "", "cdam/4", -1);
  for (const char* name : {"attentions", "attention_mask", "hidden_grads", "attention_scores", "scores", "attr", "norms", "layer_norms_weight", "mygrads"}) {
    CAPTURE(name);
    CHECK_FALSE(extra_name(name));
  }
}

TEST_CASE("gradients are read head by head, whole or in layers, and cut where the padding is") {
  const auto weights = attention(2 * 2, 3, 3);
  const std::vector<float> grads = counting(2 * 2 * 3 * 3);
  const std::vector<float> first(grads.begin(), grads.begin() + 18), second(grads.begin() + 18, grads.end());
  auto whole = open(zip({{"attentions.npy", npy_f4("(2, 2, 3, 3)", weights)}, {"attention_grads/a.npy", npy_f4("(2, 2, 3, 3)", grads)}}));
  auto layers = open(zip({{"attentions.npy", npy_f4("(2, 2, 3, 3)", weights)}, {"attention_grads.0.npy", npy_f4("(1, 2, 3, 3)", first)}, {"attention_grads.1.npy", npy_f4("(1, 2, 3, 3)", second)}}));
  REQUIRE(whole);
  REQUIRE(layers);
  for (auto* dump : {&*whole, &*layers}) {
    REQUIRE(dump->info.extras.size() == 1);
    CHECK(dump->info.extras[0].shape == std::vector{2, 2, 3, 3});
    std::vector<Real> head(9);
    REQUIRE(dump->extras[0].stack->read_head(1, 0, {head.data(), 3, 3}));
    CHECK(head[0] == 18);
    CHECK(head[8] == 26);
  }
  auto cut = open(zip({{"attentions.npy", npy_f4("(2, 2, 3, 3)", weights)}, {"attention_grads.npy", npy_f4("(2, 2, 3, 3)", grads)}, {"attention_mask.npy", npy_i8("(3,)", {0, 1, 1})}}));
  REQUIRE(cut);
  REQUIRE(cut->info.extras.size() == 1);
  CHECK(cut->info.extras[0].shape == std::vector{2, 2, 2, 2});
  std::vector<Real> head(4);
  REQUIRE(cut->extras[0].stack->read_head(0, 0, {head.data(), 2, 2}));
  CHECK(head == std::vector<Real>{4, 5, 7, 8});
}

TEST_CASE("scores are given per token, per output or over the grid; another shape is named and left aside") {
  const auto weights = attention(2, 5, 5);
  const std::string meta = R"({"grid": [2, 2], "prefix_tokens": 1})";
  auto dump = open(zip({{"attentions.npy", npy_f4("(2, 1, 5, 5)", weights)}, {"meta.npy", npy_meta(meta)}, {"attr/row.npy", npy_f4("(5,)", counting(5))},
                        {"attr/all.npy", npy_f4("(5, 5)", counting(25))}, {"scores/map.npy", npy_f4("(2, 2)", counting(4))}, {"attr/odd.npy", npy_f4("(7,)", counting(7))}}));
  REQUIRE(dump);
  CHECK(extra(*dump, ExtraKind::attribution, "row")->shape == std::vector{5});
  CHECK(extra(*dump, ExtraKind::attribution, "all")->shape == std::vector{5, 5});
  CHECK(extra(*dump, ExtraKind::scores, "map")->shape == std::vector{2, 2});
  CHECK_FALSE(extra(*dump, ExtraKind::attribution, "odd"));
  const ReportItem* item = reported(dump->info, ReportCode::extra_unusable);
  REQUIRE(item);
  CHECK(item->params.at("name") == "attr/odd");
}

TEST_CASE("norms of the wrong layers, and gradients of another model, are named and left aside") {
  const auto weights = attention(4, 3, 3);
  auto dump = open(zip({{"attentions.npy", npy_f4("(2, 2, 3, 3)", weights)}, {"norms/x.npy", npy_f4("(3, 3, 3)", counting(27))}, {"attention_grads.npy", npy_f4("(2, 4, 3, 3)", counting(72))},
                        {"value_norms.npy", npy_f4("(2, 1, 3)", counting(6))}, {"mixing_ratios.npy", npy_f4("(2, 3)", counting(6))}}));
  REQUIRE(dump);
  CHECK_FALSE(extra(*dump, ExtraKind::norms, "x"));
  CHECK_FALSE(extra(*dump, ExtraKind::gradients));
  CHECK(extra(*dump, ExtraKind::value_norms)->shape == std::vector{2, 1, 3});  // one value head for two: grouped queries
  CHECK(extra(*dump, ExtraKind::mixing_ratios)->shape == std::vector{2, 3});
  int named = 0;
  for (const auto& item : dump->info.report) named += item.code == ReportCode::extra_unusable;
  CHECK(named == 2);
}
