// Random access to the bytes of one file. The platform implements it: a File in the page's worker, a buffer, a
// file on disk. Readers ask for ranges and never for the whole file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace rollscope {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Total length in bytes, fixed for the life of the source.
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  // Fills `out` from `offset`. Precondition: offset + out.size() <= size().
  // Errors: read_failed (the file changed, was removed, or the medium failed).
  [[nodiscard]] virtual Result<void> read(std::uint64_t offset, std::span<std::uint8_t> out) = 0;
};

// Bytes held in memory.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Result<void> read(std::uint64_t offset, std::span<std::uint8_t> out) override;

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace rollscope
