#include "analysis/token_alignment.h"

#include <algorithm>

#include "base/utf8.h"

namespace rollscope {
namespace {

bool is_space(char32_t c) {
  switch (c) {
    case U' ': case U'\t': case U'\n': case U'\r': case 0xa0: case 0x3000:
    case 0x2423: case 0x23ce: case 0x21e5:  // ␣ ⏎ ⇥, as labels show them
      return true;
    default:
      return false;
  }
}

struct Character {
  char32_t code;
  int token;
};

// The characters of a side, each with its token.
std::vector<Character> characters(std::span<const Token> tokens) {
  std::vector<Character> out;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (tokens[k].special) continue;
    const std::string& text = tokens[k].label;
    for (std::size_t at = 0; at < text.size();) {
      const auto [code, bytes, valid] = utf8_decode(text, at);
      const char32_t c = valid ? code : static_cast<unsigned char>(text[at]);
      at += bytes;
      if (!valid || !is_space(c)) out.push_back({c, static_cast<int>(k)});
    }
  }
  return out;
}

char32_t folded(char32_t c, bool ignore_case) { return ignore_case && c >= U'A' && c <= U'Z' ? c + 32 : c; }

std::string place(std::span<const Token> tokens, const std::vector<Character>& text, std::size_t at) {
  if (at >= text.size()) return "ends";
  std::string c;
  utf8_append(c, text[at].code);
  return "has \"" + c + "\" in token " + std::to_string(text[at].token) + ", \"" + tokens[static_cast<std::size_t>(text[at].token)].label + "\"";
}

// Adds to groups the tokens that hold no character: each to the group that is open when its turn comes.
void place_empty(std::span<const Token> tokens, std::vector<TokenGroup>& groups, std::vector<int> TokenGroup::*side) {
  std::vector<int> group_of(tokens.size(), -1);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const int k : groups[g].*side) group_of[static_cast<std::size_t>(k)] = static_cast<int>(g);
  int open = 0;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (group_of[k] >= 0) open = group_of[k];
    else if (!tokens[k].special) (groups[static_cast<std::size_t>(open)].*side).push_back(static_cast<int>(k));
  }
  for (auto& group : groups) std::sort((group.*side).begin(), (group.*side).end());
}

}  // namespace

Result<std::vector<TokenGroup>> align_tokens(std::span<const Token> a, std::span<const Token> b, const AlignmentOptions& options) {
  const auto x = characters(a), y = characters(b);
  for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    if (i < x.size() && i < y.size() && folded(x[i].code, options.ignore_case) == folded(y[i].code, options.ignore_case)) continue;
    return fail(ErrorCode::usage, {{"detail", "The two token lists are not one text: at character " + std::to_string(i) + " the first " +
                                                  place(a, x, i) + ", the second " + place(b, y, i)}});
  }
  // Whether a token ends before character i; with words, whether one starts a word there.
  const auto boundary = [&](std::span<const Token> tokens, const std::vector<Character>& text, std::size_t i) {
    return text[i - 1].token != text[i].token && (!options.words || tokens[static_cast<std::size_t>(text[i].token)].starts_word);
  };
  std::vector<TokenGroup> groups;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i == 0 || (boundary(a, x, i) && boundary(b, y, i))) groups.emplace_back();
    TokenGroup& group = groups.back();
    utf8_append(group.text, x[i].code);
    if (group.a.empty() || group.a.back() != x[i].token) group.a.push_back(x[i].token);
    if (group.b.empty() || group.b.back() != y[i].token) group.b.push_back(y[i].token);
  }
  if (!groups.empty()) {
    place_empty(a, groups, &TokenGroup::a);
    place_empty(b, groups, &TokenGroup::b);
  }
  return groups;
}

std::vector<double> group_weights(std::span<const double> row, std::span<const TokenGroup> groups, std::vector<int> TokenGroup::*side) {
  std::vector<double> out;
  out.reserve(groups.size());
  for (const auto& group : groups) {
    double sum = 0;
    for (const int key : group.*side) sum += row[static_cast<std::size_t>(key)];
    out.push_back(sum);
  }
  return out;
}

SwappedSpan swapped_span(std::span<const Token> a, std::span<const Token> b) {
  const auto same = [](const Token& x, const Token& y) { return x.label == y.label && x.starts_word == y.starts_word && x.special == y.special; };
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t prefix = 0, suffix = 0;
  while (prefix < shorter && same(a[prefix], b[prefix])) ++prefix;
  while (prefix + suffix < shorter && same(a[a.size() - 1 - suffix], b[b.size() - 1 - suffix])) ++suffix;
  return {static_cast<int>(prefix), static_cast<int>(suffix), static_cast<int>(a.size() - suffix), static_cast<int>(b.size() - suffix)};
}

}  // namespace rollscope
