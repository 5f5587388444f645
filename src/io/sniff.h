// What a file is, by its first bytes: names lie.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rollscope {

enum class FileKind : std::uint8_t { npy, zip, safetensors, json, torch_legacy, pickle, html, table, foreign };

struct Sniffed {
  FileKind kind = FileKind::foreign;
  std::string what;  // foreign: what it is, for the message
};

// `head`: the first 64 bytes, or all there are. `name`: used for the words of a message only.
[[nodiscard]] Sniffed sniff(std::span<const std::uint8_t> head, std::uint64_t file_size, std::string_view name);

}  // namespace rollscope
