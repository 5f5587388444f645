#include "io/bytes.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>

#include "base/utf8.h"

namespace rollscope {

std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

std::optional<std::uint64_t> shape_product(std::span<const std::uint64_t> shape) {
  // A zero anywhere makes the product 0, but only if the rest does not overflow: such a shape is a lie anyway.
  std::uint64_t product = 1;
  bool zero = false;
  for (const std::uint64_t n : shape) {
    if (n == 0) {
      zero = true;
      continue;
    }
    const auto next = checked_mul(product, n);
    if (!next) return std::nullopt;
    product = *next;
  }
  return zero ? 0 : product;
}

std::string human_bytes(double bytes) {
  constexpr std::array units{" bytes", " kB", " MB", " GB", " TB", " PB", " EB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < units.size()) {
    bytes /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 || bytes >= 99.5 ? "%.0f" : "%.3g", bytes);
  return std::string(text) + units[unit];
}

std::string shape_text(std::span<const std::uint64_t> shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i) out += ", ";
    out += std::to_string(shape[i]);
  }
  if (shape.size() == 1) out += ",";
  return out + ")";
}

std::string printable(std::string_view name) {
  std::string out;
  std::size_t shown = 0;
  for (std::size_t at = 0; at < name.size();) {
    if (++shown > 60) return out + "\u2026";
    const Utf8Char c = utf8_decode(name, at);
    const bool control = !c.valid || c.code < 0x20 || (c.code >= 0x7f && c.code < 0xa0) ||
                         (c.code >= 0x200b && c.code <= 0x200f) || (c.code >= 0x2028 && c.code <= 0x202e) ||
                         (c.code >= 0x2066 && c.code <= 0x2069) || c.code == 0xfeff;
    if (control) out += '?';
    else out += name.substr(at, c.bytes);
    at += c.bytes;
  }
  return out;
}

RangeSource::RangeSource(Source parent, std::uint64_t offset, std::uint64_t size)
    : parent_(std::move(parent)), offset_(offset), size_(size) {
  assert(offset <= parent_->size() && size <= parent_->size() - offset);
}

Result<void> RangeSource::read(std::uint64_t offset, std::span<std::uint8_t> out) {
  assert(offset <= size_ && out.size() <= size_ - offset);
  return parent_->read(offset_ + offset, out);
}

Result<std::vector<std::uint8_t>> read_some(ByteSource& source, std::uint64_t offset, std::uint64_t count) {
  const std::uint64_t size = source.size();
  if (offset >= size) return std::vector<std::uint8_t>{};
  std::vector<std::uint8_t> out(static_cast<std::size_t>(std::min(count, size - offset)));
  if (auto done = source.read(offset, out); !done) return tl::unexpected(done.error());
  return out;
}

}  // namespace rollscope
