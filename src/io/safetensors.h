// Reads .safetensors (github.com/huggingface/safetensors, format): 8 bytes length, a JSON header, then the numbers,
// row-major and little endian. The header is checked as strictly as the reference does: no holes, no overlaps, no
// key twice.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/bytes.h"

namespace rollscope {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;  // "F32", "BF16" ... as it stands there
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes, counted from the end of the header
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of their bytes
  std::vector<std::pair<std::string, std::string>> metadata;
  std::uint64_t data_offset = 0;
};

inline constexpr std::uint64_t kSafetensorsHeaderLimit = 100'000'000;  // of the reference implementation

// A length that a header can have, then "{". Two bytes alone would be no sign: any length is legal.
[[nodiscard]] bool sniff_safetensors(std::span<const std::uint8_t> head, std::uint64_t file_size);

// Errors: bad_header, truncated_data, read_failed. Allocates what the header's text takes, at most 100 MB.
[[nodiscard]] Result<SafetensorsHeader> read_safetensors_header(ByteSource& source);

}  // namespace rollscope
