// Bytes of a file that JavaScript holds: a File in the worker, a URL read by ranges, or a buffer.
#pragma once

#include <cstdint>
#include <memory>

#include "base/byte_source.h"

namespace rollscope {

// Source number `source` of `size` bytes, read through Module.readSource (web/libs/engine_host.js).
[[nodiscard]] std::shared_ptr<ByteSource> engine_source(int source, std::uint64_t size);

}  // namespace rollscope
