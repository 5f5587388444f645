#include "io/pickle_bytes.h"

#include <algorithm>
#include <cassert>

#include "base/utf8.h"

namespace rollscope {
namespace {

constexpr std::uint64_t kStep = 32 << 10;  // bytes of the result between two places that are remembered

class Latin1Source final : public ByteSource {
 public:
  explicit Latin1Source(Source text) : text_(std::move(text)) {}

  // Walks through the text once: how many bytes it stands for, and where each kStep of them begin.
  Result<void> survey() {
    std::uint64_t at = 0;
    bool second = false;  // within a character of two bytes
    while (at < text_->size()) {
      auto some = read_some(*text_, at, kStep);
      if (!some) return tl::unexpected(some.error());
      for (const std::uint8_t b : *some) {
        if (second ? (b & 0xc0) != 0x80 : b >= 0x80 && b != 0xc2 && b != 0xc3)
          return fail(ErrorCode::bad_pickle, {{"detail", "a text that stands for bytes holds other characters"}});
        if (!second && size_++ % kStep == 0) places_.push_back(at);
        second = !second && b >= 0x80;
        ++at;
      }
    }
    if (second) return fail(ErrorCode::bad_pickle, {{"detail", "a text that stands for bytes ends within a character"}});
    return {};
  }

  std::uint64_t size() const override { return size_; }

  Result<void> read(std::uint64_t offset, std::span<std::uint8_t> out) override {
    assert(offset <= size_ && out.size() <= size_ - offset);
    if (out.empty()) return {};
    std::uint64_t from = offset / kStep * kStep, at = places_[static_cast<std::size_t>(offset / kStep)];
    std::size_t done = 0;
    std::uint8_t lead = 0;
    while (done < out.size()) {
      auto some = read_some(*text_, at, 2 * kStep);
      if (!some) return tl::unexpected(some.error());
      at += some->size();
      for (const std::uint8_t b : *some) {
        if (b >= 0xc0) {
          lead = b;
          continue;
        }
        if (from++ >= offset) out[done++] = b < 0x80 ? b : static_cast<std::uint8_t>(((lead & 3) << 6) | (b & 0x3f));
        if (done == out.size()) break;
      }
      if (some->empty()) return fail(ErrorCode::read_failed, {{"detail", "it changed while it was read"}});
    }
    return {};
  }

 private:
  Source text_;
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> places_;
};

int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

// `digits` hexadecimal digits at text[at]; -1: they are not there.
std::int64_t hex_number(std::string_view text, std::size_t at, std::size_t digits) {
  if (at + digits > text.size()) return -1;
  std::int64_t n = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const int d = hex_digit(text[at + i]);
    if (d < 0) return -1;
    n = n * 16 + d;
  }
  return n;
}

}  // namespace

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    constexpr std::string_view from = "abfnrtv", to = "\a\b\f\n\r\t\v";
    if (const auto known = from.find(c); known != from.npos) {
      out += to[known];
    } else if (c == 'x' && hex_number(text, i + 1, 2) >= 0) {
      out += static_cast<char>(hex_number(text, i + 1, 2));
      i += 2;
    } else if (c >= '0' && c <= '7') {
      int n = c - '0';
      for (int k = 0; k < 2 && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '7'; ++k) n = n * 8 + (text[++i] - '0');
      out += static_cast<char>(n);
    } else {
      if (c != '\\' && c != '\'' && c != '"') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string raw_unicode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digits = text[i] == '\\' && i + 1 < text.size() ? (text[i + 1] == 'u' ? 4 : text[i + 1] == 'U' ? 8 : 0) : 0;
    std::int64_t code = digits ? hex_number(text, i + 2, digits) : -1;
    if (code < 0) {
      utf8_append(out, static_cast<std::uint8_t>(text[i]));
      continue;
    }
    i += 1 + digits;
    if (code >= 0xd800 && code < 0xdc00 && text.substr(i + 1).starts_with("\\u")) {  // a pair, as narrow builds of Python 2 wrote it
      const std::int64_t low = hex_number(text, i + 3, 4);
      if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        i += 6;
      }
    }
    utf8_append(out, static_cast<char32_t>(code));
  }
  return out;
}

bool utf8_to_latin1(std::string_view text, std::string& out) {
  out.clear();
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto b = static_cast<std::uint8_t>(text[i]);
    if (b < 0x80) {
      out += text[i];
      continue;
    }
    if ((b != 0xc2 && b != 0xc3) || i + 1 == text.size() || (static_cast<std::uint8_t>(text[i + 1]) & 0xc0) != 0x80) return false;
    out += static_cast<char>(((b & 3) << 6) | (static_cast<std::uint8_t>(text[++i]) & 0x3f));
  }
  return true;
}

Result<Source> open_latin1_text(const Source& text) {
  auto out = std::make_shared<Latin1Source>(text);
  if (auto done = out->survey(); !done) return tl::unexpected(done.error());
  return Source(std::move(out));
}

}  // namespace rollscope
