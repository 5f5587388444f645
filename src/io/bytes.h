// Small tools of every reader: numbers from bytes, arithmetic that cannot wrap, a range of a file as a file.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"

namespace rollscope {

using Source = std::shared_ptr<ByteSource>;

// Little endian unsigned integers. Precondition: enough bytes.
[[nodiscard]] inline std::uint16_t le16(const std::uint8_t* p) {
  return static_cast<std::uint16_t>(p[0] | (p[1] << 8));
}
[[nodiscard]] inline std::uint32_t le32(const std::uint8_t* p) {
  return static_cast<std::uint32_t>(le16(p)) | (static_cast<std::uint32_t>(le16(p + 2)) << 16);
}
[[nodiscard]] inline std::uint64_t le64(const std::uint8_t* p) {
  return static_cast<std::uint64_t>(le32(p)) | (static_cast<std::uint64_t>(le32(p + 4)) << 32);
}

// Nothing where the result does not fit.
[[nodiscard]] std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b);
[[nodiscard]] std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b);
// Product of a shape; 1 for no axes.
[[nodiscard]] std::optional<std::uint64_t> shape_product(std::span<const std::uint64_t> shape);

// "604 MB", "8.6 GB", "48 kB", "12 bytes"; decimal units, as file managers show.
[[nodiscard]] std::string human_bytes(double bytes);
// "(6, 12, 13, 13)", "(5,)", "()": as Python prints it.
[[nodiscard]] std::string shape_text(std::span<const std::uint64_t> shape);
// A name from a file for a message: at most 60 characters, control characters shown as "?".
[[nodiscard]] std::string printable(std::string_view name);

// `size` bytes of `parent` from `offset`. Precondition: they lie within it.
class RangeSource final : public ByteSource {
 public:
  RangeSource(Source parent, std::uint64_t offset, std::uint64_t size);
  std::uint64_t size() const override { return size_; }
  Result<void> read(std::uint64_t offset, std::span<std::uint8_t> out) override;

 private:
  Source parent_;
  std::uint64_t offset_, size_;
};

// Reads [offset, offset + count), at most what is there: the result may be shorter.
[[nodiscard]] Result<std::vector<std::uint8_t>> read_some(ByteSource& source, std::uint64_t offset, std::uint64_t count);

}  // namespace rollscope
