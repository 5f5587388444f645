#include "base/utf8.h"

namespace rollscope {

std::size_t utf8_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;  // C0 and C1 would be overlong
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

Utf8Char utf8_decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const std::size_t n = utf8_length(byte(0));
  if (n == 1) return {byte(0), 1, true};
  if (n == 0 || at + n > text.size()) return {};
  char32_t code = byte(0) & (0xffu >> (n + 1));
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3fu);
  }
  const bool overlong = (n == 3 && code < 0x800) || (n == 4 && code < 0x10000);
  if (overlong || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, n, true};
}

void utf8_append(std::string& out, char32_t code) {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) code = 0xfffd;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

bool utf8_valid(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_decode(text, at);
    if (!c.valid) return false;
    at += c.bytes;
  }
  return true;
}

}  // namespace rollscope
