// Texts of a pickle that stand for something else than their bytes: the escapes of protocol 0, and byte strings that
// protocol 2 keeps as text. Python 3 writes each byte as the character of that number, in UTF-8, so bytes from 80 on
// take two and nothing lies where its index says.
#pragma once

#include <string>
#include <string_view>

#include "io/bytes.h"

namespace rollscope {

// The characters of a Python string literal without its quotes: \n, \', \x0a, \012.
[[nodiscard]] std::string unescaped(std::string_view text);
// raw-unicode-escape: Latin-1, and \uXXXX or \UXXXXXXXX for the rest. Gives UTF-8.
[[nodiscard]] std::string raw_unicode(std::string_view text);

// False: a character past U+00FF, or invalid UTF-8.
[[nodiscard]] bool utf8_to_latin1(std::string_view text, std::string& out);

// The bytes that `text` stands for, decoded as they are asked for. Cost: one pass over the text here, and 8 bytes of
// memory for each 32 kB; a read decodes at most 32 kB too much.
// Errors: bad_pickle (not such a text), read_failed.
[[nodiscard]] Result<Source> open_latin1_text(const Source& text);

}  // namespace rollscope
