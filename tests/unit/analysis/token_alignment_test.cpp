#include "analysis/token_alignment.h"

#include <doctest/doctest.h>

#include <numeric>

#include "dump/tokens.h"

using namespace rollscope;

namespace {

std::vector<Token> tokens(const std::vector<std::string>& pieces) { return make_tokens(pieces); }

std::string shown(const std::vector<TokenGroup>& groups) {
  std::string out;
  const auto list = [&](const std::vector<int>& keys) {
    for (const int k : keys) out += std::to_string(k) + ",";
  };
  for (const auto& g : groups) {
    out += g.text + ":";
    list(g.a);
    out += "|";
    list(g.b);
    out += " ";
  }
  return out;
}

std::vector<Token> word_piece() { return tokens({"[CLS]", "play", "##ing", "chess", "is", "un", "##believ", "##ably", "fun", "[SEP]"}); }
std::vector<Token> byte_level() { return tokens({"<s>", "Ġplaying", "Ġch", "ess", "Ġis", "Ġunbel", "iev", "ably", "Ġfun", "</s>"}); }

}  // namespace

TEST_CASE("two tokenisations of one text meet in the finest groups that both can form") {
  const auto groups = align_tokens(word_piece(), byte_level());
  REQUIRE(groups);
  CHECK(shown(*groups) == "playing:1,2,|1, chess:3,|2,3, is:4,|4, unbeliev:5,6,|5,6, ably:7,|7, fun:8,|8, ");
  const auto words = align_tokens(word_piece(), byte_level(), {.words = true});
  REQUIRE(words);
  CHECK(shown(*words) == "playing:1,2,|1, chess:3,|2,3, is:4,|4, unbelievably:5,6,7,|5,6,7, fun:8,|8, ");
  const auto itself = align_tokens(word_piece(), word_piece());
  REQUIRE(itself);
  CHECK(itself->size() == 8);
}

TEST_CASE("a group's weight is the sum of its keys', and specials stand apart") {
  const auto groups = align_tokens(word_piece(), byte_level());
  REQUIRE(groups);
  const std::vector<double> row{0.4, 0.1, 0.05, 0.05, 0.1, 0.02, 0.03, 0.05, 0.1, 0.1};
  const auto weights = group_weights(row, *groups, &TokenGroup::a);
  CHECK(weights.size() == groups->size());
  CHECK(weights[0] == doctest::Approx(0.15));
  CHECK(std::accumulate(weights.begin(), weights.end(), 0.0) == doctest::Approx(0.5));
}

TEST_CASE("different texts are refused with the place where they part") {
  const auto other = tokens({"Ġplaying", "Ġcards"});
  const auto groups = align_tokens(word_piece(), other);
  REQUIRE(!groups);
  CHECK(error_text(groups.error()) ==
        "The two token lists are not one text: at character 8 the first has \"h\" in token 3, \"chess\", the second has \"a\" in token 1, \"cards\".");
  const auto cut = align_tokens(word_piece(), tokens({"Ġplaying"}));
  REQUIRE(!cut);
  CHECK(error_text(cut.error()).find("the second ends") != std::string::npos);
}

TEST_CASE("capital letters, white space and Japanese do not stand in the way") {
  CHECK(!align_tokens(tokens({"The", "cat"}), tokens({"the", "cat"})));
  CHECK(align_tokens(tokens({"The", "cat"}), tokens({"the", "cat"}), {.ignore_case = true}));
  const auto spaced = align_tokens(tokens({"a", "\n", "b"}), tokens({"a", "b"}));
  REQUIRE(spaced);
  CHECK(shown(*spaced) == "a:0,1,|0, b:2,|1, ");
  const auto leading = align_tokens(tokens({"\n", "a"}), tokens({"a"}));
  REQUIRE(leading);
  CHECK(shown(*leading) == "a:0,1,|0, ");
  const auto japanese = align_tokens(tokens({"東京", "都", "に", "住む"}), tokens({"東", "京都", "に住", "む"}));
  REQUIRE(japanese);
  CHECK(shown(*japanese) == "東京都:0,1,|0,1, に住む:2,3,|2,3, ");
}

TEST_CASE("nothing but specials gives no groups") {
  const auto groups = align_tokens(tokens({"[CLS]", "[SEP]"}), {});
  REQUIRE(groups);
  CHECK(groups->empty());
}

TEST_CASE("the swapped word of a pair is found, whatever pieces it has") {
  const auto he = tokens({"[CLS]", "he", "is", "a", "nurse", "[SEP]"}), she = tokens({"[CLS]", "sh", "##e", "is", "a", "nurse", "[SEP]"});
  const auto span = swapped_span(he, she);
  CHECK(span.prefix == 1);
  CHECK(span.suffix == 4);
  CHECK(span.a_end == 2);
  CHECK(span.b_end == 3);
  const auto equal = swapped_span(he, he);
  CHECK(equal.prefix == 6);
  CHECK(equal.a_end == 6);
  const auto longer = swapped_span(tokens({"a", "a"}), tokens({"a", "a", "a"}));  // no token counts on both ends
  CHECK(longer.prefix == 2);
  CHECK(longer.suffix == 0);
  CHECK(longer.b_end == 3);
}
