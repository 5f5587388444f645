// Reads the directory of a zip archive (APPNOTE 6.3): which members, where, how packed. Stored and deflated members
// open as ByteSources.
//
// Only the central directory at the end is believed (ruling 6): Python writes local headers in three styles, and
// attackers make them differ. A local header gives the length of its name and extra field, nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/bytes.h"

namespace rollscope {

struct ZipMember {
  std::string name;  // a label, never a path
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0;  // bytes in the archive
  std::uint64_t size = 0;    // bytes after unpacking, as announced
  std::uint64_t header = 0;  // offset of the local header
  std::uint64_t data = 0;    // offset of the packed bytes
};

struct ZipDirectory {
  std::vector<ZipMember> members;         // in the order of the directory; of equal names the first
  std::vector<std::string> duplicates;    // names that stand there more than once
};

[[nodiscard]] bool sniff_zip(std::span<const std::uint8_t> head);

// Errors: truncated_data (the archive is cut inside a member), not_zip (no directory), bad_header (directory and
// archive contradict each other, members overlap), too_big (over 65536 members, a directory over 16 MB, or a member
// that promises more than deflate can pack), read_failed.
// Cost: the last 64 KiB, the directory, 30 bytes a member.
[[nodiscard]] Result<ZipDirectory> read_zip_directory(const Source& source);

// The unpacked bytes of a member. Errors: unsupported_method (also encrypted).
[[nodiscard]] Result<Source> open_zip_member(const Source& source, const ZipMember& member);

}  // namespace rollscope
