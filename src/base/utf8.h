// UTF-8 from strangers: every reader of text decodes through here, so that no invalid byte gets further.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rollscope {

struct Utf8Char {
  char32_t code = 0;      // the character, where valid
  std::size_t bytes = 1;  // how many bytes it takes; 1 where invalid
  bool valid = false;
};

// The character that starts at text[at]; precondition: at < text.size(). Overlong forms, surrogates and values
// past U+10FFFF are invalid.
[[nodiscard]] Utf8Char utf8_decode(std::string_view text, std::size_t at);

// Appends `code`; a surrogate or a value past U+10FFFF becomes U+FFFD.
void utf8_append(std::string& out, char32_t code);

[[nodiscard]] bool utf8_valid(std::string_view text);

// How many bytes the lead byte announces: 1 to 4; 0: not a lead byte.
[[nodiscard]] std::size_t utf8_length(unsigned char lead);

}  // namespace rollscope
