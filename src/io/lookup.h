// Small things beside the attention, wherever a container keeps them: lists of tokens, masks, numbers of the
// metadata. Names are compared word by word, so "encoder.tokens" finds "encoder_tokens".
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/container.h"

namespace rollscope {

struct NumberList {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<double> values;  // row-major; null entries are NaN
};

struct TextList {
  std::string name;
  std::vector<std::string> texts;
  bool loose = false;  // words of a running text: tokens only if their number fits
  bool ids = false;    // numbers in a vocabulary that is not there
};

using Names = std::initializer_list<std::string_view>;

// The first of `names` (each as lower-case words joined by "_") that holds numbers, at most a million of them, in an
// array of at most `most_axes` axes. Errors: those of reading; nothing found is no error.
[[nodiscard]] Result<std::optional<NumberList>> find_numbers(const Container& container, Names names, std::size_t most_axes = 2);

// The entry of a list of numbers that belongs to `item` of a batch: [B][n] gives row `item`, [n] all.
[[nodiscard]] std::optional<std::vector<double>> numbers_of_item(const NumberList& list, int item);

// All lists of texts under `names`, in the order of the names: text arrays, lists in the metadata, one text that
// spells a list ("['a', 'b']", "a b c"), and last arrays of numbers under such a name (ids).
[[nodiscard]] Result<std::vector<TextList>> find_texts(const Container& container, Names names, int item);

// Metadata: a text, a whole number; nothing where it is missing or something else.
[[nodiscard]] std::optional<std::string> meta_text(const Container& container, std::string_view key);
[[nodiscard]] std::optional<long long> meta_integer(const Container& container, std::string_view key);

// "Encoder.inputTokens" -> "encoder_input_tokens"
[[nodiscard]] std::string normal_name(std::string_view name);

}  // namespace rollscope
