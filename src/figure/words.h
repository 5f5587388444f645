// The words of a figure in its language, and numbers as the language writes them. Private to src/figure.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/narration.h"

namespace rollscope::figure {

enum class Word {
#define ROLLSCOPE_WORDS(id, en, fr, ja) id,
#include "figure/words.inc"
#undef ROLLSCOPE_WORDS
};

class Words {
 public:
  explicit Words(Language language) : language_(language) {}
  [[nodiscard]] std::string_view operator()(Word word) const;
  [[nodiscard]] std::string fill(Word word, const Params& slots) const { return rollscope::fill((*this)(word), slots); }
  [[nodiscard]] std::string_view language() const { return language_name(language_); }
  [[nodiscard]] char decimal() const { return language_ == Language::fr ? ',' : '.'; }
  [[nodiscard]] std::string number(double value, int decimals) const;  // "–" for no value
  [[nodiscard]] std::string count(long long n) const;                  // "1,138"
  [[nodiscard]] std::string percent_sign(double weight) const;         // "9.2 %" with a space that does not break

 private:
  Language language_;
};

}  // namespace rollscope::figure
