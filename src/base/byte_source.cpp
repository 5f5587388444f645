#include "base/byte_source.h"

#include <cassert>
#include <cstring>

namespace rollscope {

Result<void> MemorySource::read(std::uint64_t offset, std::span<std::uint8_t> out) {
  assert(offset <= bytes_.size() && out.size() <= bytes_.size() - offset);
  if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
  return {};
}

}  // namespace rollscope
