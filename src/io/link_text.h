// The characters of a link: base64url, checksum, deflate with a dictionary. Private to io/link*.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rollscope {

using LinkBytes = std::vector<std::uint8_t>;

// RFC 4648, section 5, without padding.
[[nodiscard]] std::string to_base64url(std::span<const std::uint8_t> bytes);
// Up to the first character that is none of the alphabet; `whole` says whether that was the end.
[[nodiscard]] LinkBytes from_base64url(std::string_view text, bool& whole);

// Four digits of a CRC-20 (polynomial 0xb5827: any burst of up to 20 bits, so any three neighbouring characters, shows).
[[nodiscard]] std::string link_checksum(std::string_view text);

// Raw deflate, level 9, against the dictionary of format 1.
[[nodiscard]] LinkBytes link_deflate(std::span<const std::uint8_t> bytes);
// What can be had of damaged or cut data too; `whole`: it ended where deflate says, with nothing behind. Never more than
// `most` bytes: a bomb ends there, and is not whole.
[[nodiscard]] LinkBytes link_inflate(std::span<const std::uint8_t> packed, std::size_t most, bool& whole);

// "1d" + base64url + "." + checksum, the shape of both fields.
[[nodiscard]] std::string pack_field(std::span<const std::uint8_t> bytes);
struct UnpackedField {
  LinkBytes bytes;              // of a damaged field: its undamaged start, perhaps
  std::optional<Error> error;   // why that is not all
};
// `most`: bytes. Errors: link_cut, link_damaged, link_encoded, newer_version, too_big.
[[nodiscard]] UnpackedField unpack_field(std::string_view field, std::size_t most);

}  // namespace rollscope
