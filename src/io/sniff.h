// What a file is, by its first bytes: names lie.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rollscope {

enum class FileKind : std::uint8_t { npy, zip, safetensors, json, torch_legacy, pickle, html, table, link, foreign };

struct Sniffed {
  FileKind kind = FileKind::foreign;
  std::string what;  // foreign: what it is, for the message
  Error error{};     // foreign: the same with its own remedy
};

// `head`: the first kSniffBytes, or all there are; fewer do, and tell some archives worse apart.
// `name`: used for the words of a message only.
inline constexpr std::size_t kSniffBytes = 512;
[[nodiscard]] Sniffed sniff(std::span<const std::uint8_t> head, std::uint64_t file_size, std::string_view name);

}  // namespace rollscope
