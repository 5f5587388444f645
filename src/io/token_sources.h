// Finds the tokens of each stream and makes them fit: a list may lack the special tokens, hold the one that was
// never a query, come as ids, or for a whole batch. Whatever is done stands in the report.
#pragma once

#include <string>
#include <vector>

#include "dump/dump.h"
#include "io/lookup.h"

namespace rollscope {

enum class TokenSide { self, encoder, decoder, cross_queries, cross_keys };

struct TokenContext {
  const Container* container = nullptr;
  int item = 0;
  std::string assumed;       // --assume tokens=: "", "add_specials", "ignore"
  bool only_stream = false;  // a list without a stream's name is this stream's
  bool grown = false;        // steps of generate(): a list may be longer than the rows
};

// "[PAD]", "<pad>" ...
[[nodiscard]] bool is_padding_piece(const std::string& piece);

// The lists that may name this side, the likeliest first.
[[nodiscard]] Result<std::vector<TextList>> token_lists(const TokenContext& context, TokenSide side);

struct FittedTokens {
  std::vector<Token> tokens;   // [kept]
  std::string beyond;          // label of a last token that was never a query; else ""
  bool named = false;          // false: positions only
};

// Tokens of an axis of `total` positions, of which `kept` remain (empty: all).
[[nodiscard]] Result<FittedTokens> fit_tokens(const TokenContext& context, TokenSide side, int total, const std::vector<int>& kept,
                                              bool causal, const std::string& stream, Report& report);

// What each row predicts: `output_tokens`, or for a causal stream the next token. Empty: nothing is known.
[[nodiscard]] Result<std::vector<std::string>> predictions_of(const TokenContext& context, TokenSide side, int total, const std::vector<int>& kept,
                                                              bool teacher_forced, const FittedTokens& queries);

}  // namespace rollscope
