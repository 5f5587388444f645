// A deflated range as a ByteSource: bytes are inflated as they are asked for, front to back, with a window of a few
// hundred kB in memory, which is let go at the end of the data. Going back starts over, so readers ask in ascending
// order.
#pragma once

#include <cstdint>
#include <memory>

#include "io/bytes.h"

namespace rollscope {

// Deflate cannot do better than 1032:1 (zlib's technical details), so a directory that promises more is a bomb.
inline constexpr std::uint64_t kDeflateRatioLimit = 1100;

class InflatedSource final : public ByteSource {
 public:
  // `packed`: raw deflate data. `size`: bytes that it is said to give; never more are handed out.
  InflatedSource(Source packed, std::uint64_t size);
  ~InflatedSource() override;
  std::uint64_t size() const override { return size_; }
  // Errors: bad_header (damaged packing), truncated_data (it gives fewer bytes than announced), read_failed.
  Result<void> read(std::uint64_t offset, std::span<std::uint8_t> out) override;

 private:
  struct State;
  Result<void> restart();
  Result<void> produce(std::uint8_t* out, std::size_t count);
  void release();

  Source packed_;
  std::uint64_t size_;
  std::uint64_t position_ = 0;  // of the next byte that comes out
  std::unique_ptr<State> state_;
};

// CRC-32 of all of `source`, read once in pieces.
[[nodiscard]] Result<std::uint32_t> checksum(ByteSource& source);

}  // namespace rollscope
