// A file on disk, read by ranges.
#pragma once

#include <memory>
#include <string>

#include "base/byte_source.h"

namespace rollscope {

class FileSource final : public ByteSource {
 public:
  // Errors: read_failed (there is none, it may not be read, or it is not a file).
  [[nodiscard]] static Result<std::shared_ptr<ByteSource>> open(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  std::uint64_t size() const override { return size_; }
  Result<void> read(std::uint64_t offset, std::span<std::uint8_t> out) override;

 private:
  FileSource(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  int descriptor_;
  std::uint64_t size_;
};

}  // namespace rollscope
