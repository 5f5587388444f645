#include "dump/tokens.h"

#include <doctest/doctest.h>

#include "base/utf8.h"

using namespace rollscope;

namespace {
std::string show(const std::vector<std::string>& pieces) {
  std::string out;
  for (const Token& t : make_tokens(pieces)) out += (out.empty() ? "" : "|") + t.label;
  return out;
}
std::vector<int> words(const std::vector<std::string>& pieces) {
  std::vector<int> out;
  for (const Token& t : make_tokens(pieces)) out.push_back(t.word);
  return out;
}
}  // namespace

TEST_CASE("byte-level pieces read as text: spaces, accents, CJK") {
  CHECK(show({"I", "Ġlove", "Ġyou", "Ċ"}) == "I|love|you|⏎");
  CHECK(show({"Ġcaf", "Ã©", "ĠÃ¡n"}) == "caf|é|án");
  CHECK(show({"Ġä½łå¥½"}) == "你好");
  CHECK(show({"Ġ", "ĠĠĠ", "Ġx"}) == "␣|␣␣|x");
}

TEST_CASE("a character split over pieces stands on the first, the others show their bytes") {
  CHECK(show({"Ġhi", "ðŁ", "ĺ", "Ģ", "Ġx"}) == "hi|😀|‹98›|‹80›|x");
  CHECK(show({"<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "▁x"}) == "😀|‹9F›|‹98›|‹80›|x");
}

TEST_CASE("a byte that is no character is shown as such and swallows nothing") {
  CHECK(show({"é", "Ġne"}) == "‹E9›|ne");
  CHECK(show({"<0xE9>", "▁ne"}) == "‹E9›|ne");
  CHECK(show({"ðŁ", "Ġx"}) == "‹F0›‹9F›|x");
}

TEST_CASE("Latin letters with accents are not taken for bytes where nothing says bytes") {
  CHECK(show({"café", "né"}) == "café|né");
}

TEST_CASE("SentencePiece, word pieces, </w> and @@ lose their marks") {
  CHECK(show({"▁The", "▁cat", "s", "</s>"}) == "The|cat|s|</s>");
  CHECK(show({"[CLS]", "photos", "##yn", "##thesis", "[SEP]"}) == "[CLS]|photos|yn|thesis|[SEP]");
  CHECK(show({"hel", "lo</w>", "you</w>"}) == "hel|lo|you");
  CHECK(show({"hel@@", "lo", "you"}) == "hel|lo|you");
  CHECK(show({"##", "#", "a"}) == "##|#|a");
  CHECK(show({"<0x0A>", "▁a"}) == "⏎|a");
}

TEST_CASE("pieces of one word share its number in every family") {
  CHECK(words({"[CLS]", "photos", "##yn", "is", "[SEP]"}) == std::vector<int>{-1, 0, 0, 1, -1});
  CHECK(words({"Ġphotos", "yn", "Ġis"}) == std::vector<int>{0, 0, 1});
  CHECK(words({"▁photos", "yn", "▁is", "."}) == std::vector<int>{0, 0, 1, 2});
  CHECK(words({"hel", "lo</w>", "you</w>"}) == std::vector<int>{0, 0, 1});
  CHECK(words({"hel@@", "lo", "you"}) == std::vector<int>{0, 0, 1});
  CHECK(words({"the", "cat"}) == std::vector<int>{0, 1});
  const auto t = make_tokens(std::vector<std::string>{"Ġtired", ".", "Ġx"});
  CHECK_FALSE(t[1].starts_word);
  CHECK(t[2].starts_word);
}

TEST_CASE("the file's own word ids and special mask win") {
  const std::vector<std::string> pieces{"a", "b", "c"};
  const auto t = make_tokens(pieces, {.word_ids = {-1, 4, 4}, .special = {true, false, false}, .segments = {}});
  CHECK(t[0].special);
  CHECK(t[0].word == -1);
  CHECK(t[2].word == 4);
}

TEST_CASE("special tokens are known whole and kept as they are") {
  for (const char* piece : {"[CLS]", "[SEP]", "[PAD]", "[UNK]", "</s>", "<s>", "<bos>", "<|endoftext|>", "<|im_start|>", "<｜begin▁of▁sentence｜>", "<image>"}) {
    CAPTURE(piece);
    CHECK(is_special_piece(piece));
    CHECK(make_tokens(std::vector<std::string>{piece, "a"})[0].label == piece);
  }
  for (const char* piece : {"<", "<>", "<->", "[a]", "[1]", "<0x0A>", "a", "", "<a b>", "]", "[]"}) {
    CAPTURE(piece);
    CHECK_FALSE(is_special_piece(piece));
  }
}

TEST_CASE("what cannot be seen is shown by name") {
  CHECK(show({"a\tb", "c\nd", "e f"}) == "a⇥b|c⏎d|e␣f");
  CHECK(show({"\u202eabc\u202c", "a\u200bb", "\u00a0", "\ufeff"}) == "‹RLO›abc‹PDF›|a‹ZWSP›b|‹NBSP›|‹BOM›");
  CHECK(show({std::string("a\0b", 3), "\x1b[31m", "\x7f"}) == "a‹00›b|‹1B›[31m|‹7F›");
  CHECK(show({""}) == "∅");
  CHECK(show({"👩\u200d👧"}) == "👩\u200d👧");  // a joiner inside an emoji is part of it
}

TEST_CASE("invalid UTF-8 never gets through") {
  const auto t = make_tokens(std::vector<std::string>{"a\xff", "\xc3", "\xed\xa0\x80"});
  CHECK(t[0].label == "a‹FF›");
  CHECK(t[1].raw == "‹C3›");
  for (const auto& token : t) {
    CHECK(utf8_valid(token.raw));
    CHECK(utf8_valid(token.label));
  }
}

TEST_CASE("a token of a megabyte has a label of 64 characters") {
  const auto t = make_tokens(std::vector<std::string>{std::string(1000000, 'x')});
  CHECK(t[0].label.size() == 64 + std::string("…").size());
  CHECK(t[0].raw.size() == 1000000);
}

TEST_CASE("markup stays text") {
  CHECK(show({"<b>", "</script>", "\"><img src=x onerror=alert(1)>", "%n%s", "##id"}) != "");
  CHECK(show({"&lt;", "'", "\""}) == "&lt;|'|\"");
}

TEST_CASE("without tokens positions are counted from 1") {
  const auto t = position_tokens(3);
  CHECK(t[0].label == "1");
  CHECK(t[2].label == "3");
  CHECK(t[0].raw == "");
  CHECK(sink_token().label == "‹sink›");
}
