// From a tokenizer's pieces to labels that people can read, and back to words.
//
// A tokenizer writes "Ġje", "▁je", "##yn", "je</w>" or "je@@"; a label says "je" or "yn", and starts_word says where
// the space was. Byte-level pieces ("Ã©", "<0xC3>") are put together to characters. Which family it is follows from
// the pieces themselves: all non-special ones are looked at together, as no single piece can tell.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dump/dump.h"

namespace rollscope {

enum class TokenFamily { plain, byte_level, sentence_piece, word_piece, end_of_word, joined, spaced };

// What a file says beside the pieces; empty: nothing.
struct TokenHints {
  std::vector<int> word_ids;    // -1: none
  std::vector<bool> special;    // special_mask
  std::vector<int> segments;    // token_type_ids; -1: none
};

// Whether a piece looks special: "[CLS]", "</s>", "<|endoftext|>"; not "<0x0A>", "<", "[a]".
[[nodiscard]] bool is_special_piece(std::string_view piece);

[[nodiscard]] TokenFamily token_family(std::span<const std::string> pieces);

// Tokens with labels. A label is never empty, holds no control or invisible character (they show as ‹RLO›, white
// space as ␣ ⏎ ⇥, undecodable bytes as ‹E9›), and at most 64 characters. `raw` keeps the piece, bytes that are not
// UTF-8 shown as ‹E9› too. Segments: as hinted; else each ends with a special token that has text before it.
[[nodiscard]] std::vector<Token> make_tokens(std::span<const std::string> pieces, const TokenHints& hints = {});

// Tokens of which only the place is known: labels "1", "2" ... from `first`, raw "".
[[nodiscard]] std::vector<Token> position_tokens(int count, int first = 1);

// The virtual sink of ruling 2.
[[nodiscard]] Token sink_token();

}  // namespace rollscope
