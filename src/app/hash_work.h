// The SHA-256 of the open file, a block a step. Private to src/app.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/session_state.h"
#include "base/sha256.h"

namespace rollscope {

class HashWork final : public Work {
 public:
  HashWork(std::shared_ptr<ByteSource> source, std::shared_ptr<std::string> out) : source_(std::move(source)), out_(std::move(out)) {}
  Result<bool> step() override {
    const std::uint64_t size = source_->size();
    std::vector<std::uint8_t> block(static_cast<std::size_t>(std::min<std::uint64_t>(size - at_, kBlock)));
    if (auto read = source_->read(at_, block); !read) return tl::unexpected(std::move(read.error()));
    sha_.add(block);
    at_ += block.size();
    if (at_ < size) return false;
    *out_ = sha_.hex();
    return true;
  }
  JobProgress progress() const override {
    JobProgress p;
    p.bytes = at_;
    p.total = source_->size();
    p.fraction = p.total > 0 ? static_cast<double>(at_) / static_cast<double>(p.total) : 0;
    return p;
  }

 private:
  static constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;
  std::shared_ptr<ByteSource> source_;
  std::shared_ptr<std::string> out_;
  Sha256 sha_;
  std::uint64_t at_ = 0;
};

}  // namespace rollscope
