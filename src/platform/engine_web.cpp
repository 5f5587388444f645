#include <cassert>

#include "platform/engine_source.h"

extern "C" int rs_host_read(int source, double offset, std::uint8_t* to, double length);

namespace rollscope {
namespace {

class EngineSource final : public ByteSource {
 public:
  EngineSource(int source, std::uint64_t size) : source_(source), size_(size) {}
  std::uint64_t size() const override { return size_; }
  Result<void> read(std::uint64_t offset, std::span<std::uint8_t> out) override {
    assert(offset <= size_ && out.size() <= size_ - offset);
    if (out.empty()) return {};
    if (rs_host_read(source_, static_cast<double>(offset), out.data(), static_cast<double>(out.size()))) return {};
    return fail(ErrorCode::read_failed, {{"detail", "its bytes from " + std::to_string(offset) + " on did not arrive"}});
  }

 private:
  int source_;
  std::uint64_t size_;
};

}  // namespace

std::shared_ptr<ByteSource> engine_source(int source, std::uint64_t size) { return std::make_shared<EngineSource>(source, size); }

}  // namespace rollscope
