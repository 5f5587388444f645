#include "dump/tokens.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/utf8.h"

namespace rollscope {
namespace {

constexpr std::string_view kSentenceSpace = "\u2581";  // ▁
constexpr std::size_t kLabelCharacters = 64;

// GPT-2's alphabet: printable Latin-1 stands for itself, the other bytes for U+0100 on, in order. -1: not in it.
int alphabet_byte(char32_t c) {
  const auto own = [](char32_t b) { return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255); };
  if (c < 256) return own(c) ? static_cast<int>(c) : -1;
  static const std::array<std::int16_t, 68> kShifted = [&] {
    std::array<std::int16_t, 68> out{};
    std::size_t n = 0;
    for (char32_t b = 0; b < 256; ++b)
      if (!own(b)) out[n++] = static_cast<std::int16_t>(b);
    return out;
  }();
  return c - 256 < kShifted.size() ? kShifted[c - 256] : -1;
}

// "<0x0A>": one byte of SentencePiece's fallback. -1: no.
int fallback_byte(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return -1;
  int out = 0;
  for (const char c : piece.substr(3, 2)) {
    if (c >= '0' && c <= '9') out = out * 16 + (c - '0');
    else if (c >= 'A' && c <= 'F') out = out * 16 + (c - 'A' + 10);
    else if (c >= 'a' && c <= 'f') out = out * 16 + (c - 'a' + 10);
    else return -1;
  }
  return out;
}

void append_hex(std::string& out, unsigned value, int digits, std::string_view prefix = "") {
  out += "\u2039";
  out += prefix;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += "0123456789ABCDEF"[(value >> shift) & 15];
  out += "\u203a";
}

struct Named {
  char32_t code;
  std::string_view name;
};
constexpr std::array<Named, 27> kInvisible{{
    {0x00a0, "NBSP"}, {0x00ad, "SHY"}, {0x061c, "ALM"}, {0x180e, "MVS"}, {0x200b, "ZWSP"}, {0x200c, "ZWNJ"}, {0x200d, "ZWJ"},
    {0x200e, "LRM"},  {0x200f, "RLM"}, {0x2028, "LS"},  {0x2029, "PS"},  {0x202a, "LRE"},  {0x202b, "RLE"},  {0x202c, "PDF"},
    {0x202d, "LRO"},  {0x202e, "RLO"}, {0x2060, "WJ"},  {0x2066, "LRI"}, {0x2067, "RLI"},  {0x2068, "FSI"},  {0x2069, "PDI"},
    {0xfeff, "BOM"},  {0xfff9, "IAA"}, {0xfffa, "IAS"}, {0xfffb, "IAT"}, {0x115f, "HCF"},  {0x3164, "HF"}}};

// One character so that it can be seen. `joins`: between two characters that a joiner may shape (emoji, Persian).
void append_visible(std::string& out, char32_t c, bool joins) {
  if (c == ' ') out += "\u2423";
  else if (c == '\n') out += "\u23ce";
  else if (c == '\t') out += "\u21e5";
  else if (c < 0x20 || c == 0x7f) append_hex(out, c, 2);
  else if (c >= 0x80 && c < 0xa0) append_hex(out, c, 4, "U+");
  else if (c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f || c == 0x3000) out += "\u2423";
  else if ((c == 0x200c || c == 0x200d) && joins) utf8_append(out, c);
  else if ((c >= 0xe0000 && c <= 0xe007f) || (c & 0xfffe) == 0xfffe) append_hex(out, c, c > 0xffff ? 5 : 4, "U+");
  else if (const auto it = std::find_if(kInvisible.begin(), kInvisible.end(), [&](const Named& n) { return n.code == c; }); it != kInvisible.end())
    ((out += "\u2039") += it->name) += "\u203a";
  else utf8_append(out, c);
}

// Bytes as a label. The first `used` bytes belong to a character that stands on an earlier token; `joined` is the
// rest of a character that ends in later tokens.
std::string visible(std::string_view bytes, std::size_t used, std::string_view joined) {
  std::string text(bytes);
  text += joined;
  std::string out;
  std::size_t shown = 0;
  for (std::size_t at = 0; at < text.size(); ++shown) {
    if (shown == kLabelCharacters) return out + "\u2026";
    const Utf8Char c = utf8_decode(text, at);
    if (at < used || !c.valid) {
      append_hex(out, static_cast<unsigned char>(text[at]), 2);
      ++at;
      continue;
    }
    const bool wide_before = at > used && (static_cast<unsigned char>(text[at - 1]) & 0x80);
    const bool wide_after = at + c.bytes < text.size() && (static_cast<unsigned char>(text[at + c.bytes]) & 0x80);
    append_visible(out, c.code, wide_before && wide_after);
    at += c.bytes;
  }
  return out;
}

std::string valid_copy(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_decode(text, at);
    if (c.valid) out += text.substr(at, c.bytes);
    else append_hex(out, static_cast<unsigned char>(text[at]), 2);
    at += c.bytes;
  }
  return out;
}

// Letters and digits of any script, against marks: where the kind changes without a space, a new word begins.
bool is_letter(char32_t c) {
  if (c < 0x80) return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
  if (c < 0xc0) return c == 0xaa || c == 0xb5 || c == 0xba;
  return !(c == 0xd7 || c == 0xf7 || (c >= 0x2000 && c <= 0x206f) || (c >= 0x3000 && c <= 0x303f) || (c >= 0xff00 && c <= 0xff0f));
}

struct Piece {
  std::string bytes;         // decoded, the mark of a word's start taken off
  bool special = false;
  bool starts_word = true;
  bool bytewise = false;     // may hold parts of characters
  std::size_t used = 0;      // leading bytes that stand on an earlier token
  std::string joined;        // bytes of later tokens that complete its last character
};

bool cut(std::string& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.erase(0, prefix.size());
  return true;
}

Piece decode(const std::string& raw, TokenFamily family, bool special) {
  Piece out;
  out.special = special;
  out.bytes = raw;
  if (special) return out;
  const int byte = fallback_byte(raw);
  switch (family) {
    case TokenFamily::byte_level:
      out.bytes.clear();
      for (std::size_t at = 0; at < raw.size();) {
        const Utf8Char c = utf8_decode(raw, at);
        out.bytes += static_cast<char>(alphabet_byte(c.code));  // all are in the alphabet: that is the family
        at += c.bytes;
      }
      out.bytewise = true;
      out.starts_word = out.bytes.starts_with(' ');
      if (out.bytes.size() > 1) cut(out.bytes, " ");
      break;
    case TokenFamily::sentence_piece:
      if (byte >= 0) {
        out.bytes.assign(1, static_cast<char>(byte));
        out.bytewise = true;
        out.starts_word = false;
        break;
      }
      out.starts_word = out.bytes.starts_with(kSentenceSpace);
      if (out.bytes.size() > kSentenceSpace.size()) cut(out.bytes, kSentenceSpace);
      for (std::size_t at = 0; (at = out.bytes.find(kSentenceSpace, at)) != std::string::npos;) out.bytes.replace(at, kSentenceSpace.size(), " ");
      break;
    case TokenFamily::word_piece:
      out.starts_word = !(out.bytes.size() > 2 && cut(out.bytes, "##"));
      break;
    case TokenFamily::spaced:
      out.starts_word = out.bytes.starts_with(' ');
      if (out.bytes.size() > 1) cut(out.bytes, " ");
      break;
    case TokenFamily::end_of_word:
      if (out.bytes.size() > 4 && out.bytes.ends_with("</w>")) out.bytes.resize(out.bytes.size() - 4);
      break;
    case TokenFamily::joined:
      if (out.bytes.size() > 2 && out.bytes.ends_with("@@")) out.bytes.resize(out.bytes.size() - 2);
      break;
    case TokenFamily::plain: break;
  }
  return out;
}

// A character whose bytes are spread over pieces moves to the first of them. Only bytes 80 to BF are taken from the
// pieces that follow: a lone Latin "é" (E9) must not swallow its neighbours.
void join_characters(std::vector<Piece>& pieces) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Piece& p = pieces[i];
    if (!p.bytewise) continue;
    const std::string& b = p.bytes;
    for (std::size_t back = 1; back <= 3 && back <= b.size() - std::min(b.size(), p.used); ++back) {
      const std::size_t lead = b.size() - back;
      const std::size_t n = utf8_length(static_cast<unsigned char>(b[lead]));
      if (n <= 1) continue;
      if (n <= back) break;  // whole
      std::string whole = b.substr(lead), joined;
      std::vector<std::pair<std::size_t, std::size_t>> takes;
      for (std::size_t j = i + 1; j < pieces.size() && whole.size() < n && pieces[j].bytewise; ++j) {
        std::size_t take = 0;
        while (take < pieces[j].bytes.size() && whole.size() < n && (static_cast<unsigned char>(pieces[j].bytes[take]) & 0xc0) == 0x80) {
          whole += pieces[j].bytes[take];
          joined += pieces[j].bytes[take++];
        }
        if (take == 0) break;
        takes.emplace_back(j, take);
        if (take < pieces[j].bytes.size()) break;
      }
      if (utf8_decode(whole, 0).valid && whole.size() == n) {
        p.joined = joined;
        for (const auto& [j, take] : takes) pieces[j].used = take;
      }
      break;
    }
  }
}

}  // namespace

bool is_special_piece(std::string_view piece) {
  if (piece.size() < 3 || fallback_byte(piece) >= 0) return false;
  const std::string_view inside = piece.substr(1, piece.size() - 2);
  if (piece.front() == '<' && piece.back() == '>')
    return inside.find_first_of("<> \t\n") == inside.npos && inside.find_first_not_of("/!?=-.|") != inside.npos;
  if (piece.front() == '[' && piece.back() == ']')
    return inside[0] >= 'A' && inside[0] <= 'Z' && inside.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == inside.npos && inside.size() > 1;
  return false;
}

TokenFamily token_family(std::span<const std::string> pieces) {
  bool alphabet = true, shifted = false, sentence = false, word = false, end = false, joined = false, spaced = false, any = false;
  for (const std::string& piece : pieces) {
    if (fallback_byte(piece) >= 0) sentence = true;
    if (is_special_piece(piece) || piece.empty()) continue;
    any = true;
    if (piece.find(kSentenceSpace) != piece.npos) sentence = true;
    if (piece.size() > 2 && piece.starts_with("##")) word = true;
    if (piece.size() > 4 && piece.ends_with("</w>")) end = true;
    if (piece.size() > 2 && piece.ends_with("@@")) joined = true;
    if (piece[0] == ' ') spaced = true;
    for (std::size_t at = 0; at < piece.size() && alphabet;) {
      const Utf8Char c = utf8_decode(piece, at);
      alphabet = c.valid && alphabet_byte(c.code) >= 0;
      shifted = shifted || (alphabet && c.code >= 256);
      at += c.bytes;
    }
  }
  if (any && alphabet && shifted && !sentence) return TokenFamily::byte_level;
  if (sentence) return TokenFamily::sentence_piece;
  if (word) return TokenFamily::word_piece;
  if (end) return TokenFamily::end_of_word;
  if (joined) return TokenFamily::joined;
  if (spaced) return TokenFamily::spaced;
  return TokenFamily::plain;
}

std::vector<Token> make_tokens(std::span<const std::string> raw, const TokenHints& hints) {
  const TokenFamily family = token_family(raw);
  std::vector<Piece> pieces;
  pieces.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const bool special = hints.special.size() == raw.size() ? hints.special[i] || is_special_piece(raw[i]) : is_special_piece(raw[i]);
    pieces.push_back(decode(raw[i], family, special));
    // The piece before says whether this one goes on.
    if (i == 0 || pieces[i].special || pieces[i - 1].special) pieces[i].starts_word = true;
    else if (family == TokenFamily::end_of_word) pieces[i].starts_word = raw[i - 1].ends_with("</w>");
    else if (family == TokenFamily::joined) pieces[i].starts_word = !raw[i - 1].ends_with("@@");
  }
  join_characters(pieces);

  std::vector<Token> out(raw.size());
  int word = -1, segment = 0;
  bool letter_before = false, text_in_segment = false;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const Piece& p = pieces[i];
    Token& t = out[i];
    t.raw = valid_copy(raw[i]);
    t.label = visible(p.bytes, p.used, p.joined);
    if (t.label.empty()) t.label = "\u2205";
    t.special = p.special;
    t.starts_word = p.starts_word;
    const std::string whole = p.bytes + p.joined;
    const bool has_text = p.used < whole.size();
    const Utf8Char first = has_text ? utf8_decode(whole, p.used) : Utf8Char{};
    // Word pieces say themselves what belongs together; elsewhere a mark inside ("don", "'", "t") is a word of its own.
    const bool by_kind = family == TokenFamily::byte_level || family == TokenFamily::sentence_piece || family == TokenFamily::spaced;
    const bool letter = first.valid ? is_letter(first.code) : letter_before;
    if (!p.special) {
      const bool begins = p.starts_word || (by_kind && letter != letter_before);
      if (begins || word < 0) ++word;
      t.word = word;
    }
    letter_before = letter;
    t.segment = segment;
    text_in_segment = text_in_segment || !p.special;
    if (p.special && text_in_segment) {
      ++segment;
      text_in_segment = false;
    }
  }
  if (hints.word_ids.size() == raw.size())
    for (std::size_t i = 0; i < out.size(); ++i) out[i].word = hints.word_ids[i];
  if (hints.segments.size() == raw.size())
    for (std::size_t i = 0; i < out.size(); ++i) out[i].segment = hints.segments[i];
  return out;
}

std::vector<Token> position_tokens(int count, int first) {
  std::vector<Token> out(static_cast<std::size_t>(std::max(count, 0)));
  for (int i = 0; i < count; ++i) {
    Token& t = out[static_cast<std::size_t>(i)];
    t.label = std::to_string(first + i);
    t.word = i;
  }
  return out;
}

Token sink_token() {
  Token t;
  t.label = "\u2039sink\u203a";
  t.special = true;
  return t;
}

}  // namespace rollscope
