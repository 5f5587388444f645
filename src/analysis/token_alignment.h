// Two token lists of one text, cut differently: the finest groups that both sides can form, so that rows of two models
// compare. And two texts that differ in one word: where the word stands.
//
// A group ends where both sides have a token boundary after the same number of characters. White space and its signs
// (␣ ⏎ ⇥) do not count as characters. Special tokens belong to no group: [CLS] of one model has no fellow in the other.
//   un ##believ ##ably | unbeliev ably  ->  one group: the sides share no boundary inside
// Weights of keys are summed per group (Clark et al. 2019), rows of queries averaged.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "dump/dump.h"

namespace rollscope {

struct TokenGroup {
  std::string text;      // of side a, without white space
  std::vector<int> a, b; // positions, ascending; never both empty
};

struct AlignmentOptions {
  bool words = false;        // a group ends only where both sides also start a word
  bool ignore_case = false;  // A-Z as a-z: cased against uncased models
};

// Groups in the order of the text. Tokens without any character join the group before them (the first: after them).
// Errors: usage, where the texts differ: which token, which character, of both sides.
// Cost: the number of characters.
[[nodiscard]] Result<std::vector<TokenGroup>> align_tokens(std::span<const Token> a, std::span<const Token> b, const AlignmentOptions& options = {});

// Weight per group: the sum over its keys. `side` is &TokenGroup::a or &TokenGroup::b. What stands in no group (specials)
// is lost: the groups sum to less than the row.
[[nodiscard]] std::vector<double> group_weights(std::span<const double> row, std::span<const TokenGroup> groups,
                                                std::vector<int> TokenGroup::*side);

// Where two token lists differ: the same `prefix` tokens before, the same `suffix` tokens behind, as many as there are
// while neither side's middle is read twice. Equal lists have empty middles.
struct SwappedSpan {
  int prefix = 0, suffix = 0;
  int a_end = 0, b_end = 0;  // the middles are a[prefix, a_end) and b[prefix, b_end)
};
// Compares labels and whether they start a word. Cost: their number.
[[nodiscard]] SwappedSpan swapped_span(std::span<const Token> a, std::span<const Token> b);

}  // namespace rollscope
