#include "io/zip.h"

#include <algorithm>
#include <optional>
#include <set>

#include "io/inflate.h"

namespace rollscope {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::size_t kEndSize = 22, kCentralSize = 46, kLocalSize = 30;
constexpr std::uint64_t kMaxMembers = 65536, kMaxDirectory = 16'777'216;

tl::unexpected<Error> bad(std::string detail) { return fail(ErrorCode::bad_header, {{"detail", std::move(detail)}}); }

struct Directory {
  std::uint64_t offset = 0, size = 0, count = 0;
  std::uint64_t end = 0;  // where the records at the end of the archive start
};

// Sizes and offsets that did not fit 32 bits stand in extra field 1, in this order, only those that are all ones.
// False: one is missing.
bool apply_zip64(std::span<const std::uint8_t> extra, std::uint64_t& size, std::uint64_t& packed, std::uint64_t* header) {
  const bool needs = size == 0xffffffff || packed == 0xffffffff || (header && *header == 0xffffffff);
  if (!needs) return true;
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const std::size_t length = le16(&extra[at + 2]);
    if (length > extra.size() - at - 4) return false;
    if (le16(&extra[at]) == 1) {
      std::size_t k = at + 4;
      const std::size_t end = k + length;
      const auto next = [&](std::uint64_t& value) {
        if (value != 0xffffffff) return true;
        if (k + 8 > end) return false;
        value = le64(&extra[k]);
        k += 8;
        return true;
      };
      return next(size) && next(packed) && (!header || next(*header));
    }
    at += 4 + length;
  }
  return false;
}

// The record at the end, and its 64-bit twin. Nothing: this is no end record that fits the file.
Result<std::optional<Directory>> directory_at(ByteSource& source, std::uint64_t at, const std::uint8_t* end) {
  Directory d;
  d.end = at;
  d.count = le16(end + 10);
  d.size = le32(end + 12);
  d.offset = le32(end + 16);
  if (le16(end + 4) != 0 || le16(end + 6) != 0) return std::optional<Directory>{};  // parts on other disks
  if (d.count == 0xffff || d.size == 0xffffffff || d.offset == 0xffffffff) {
    if (at < 20) return std::optional<Directory>{};
    auto locator = read_some(source, at - 20, 20);
    if (!locator) return tl::unexpected(locator.error());
    if (le32(locator->data()) == kLocator64) {
      const std::uint64_t where = le64(locator->data() + 8);
      if (where > at - 20 || at - 20 - where < 56) return std::optional<Directory>{};
      auto record = read_some(source, where, 56);
      if (!record) return tl::unexpected(record.error());
      if (le32(record->data()) != kEnd64) return std::optional<Directory>{};
      d.end = where;
      d.count = le64(record->data() + 32);
      d.size = le64(record->data() + 40);
      d.offset = le64(record->data() + 48);
    }
  }
  if (d.offset > d.end || d.size > d.end - d.offset) return std::optional<Directory>{};
  return std::optional<Directory>{d};
}

// The archive has no directory: it was cut off. Says where, by walking the local headers from the front.
Error cut_off(ByteSource& source) {
  for (std::uint64_t at = 0; at < source.size();) {
    auto head = read_some(source, at, kLocalSize);
    if (!head) return head.error();
    if (head->size() < kLocalSize || le32(head->data()) != kLocal) break;
    const std::size_t name_length = le16(head->data() + 26), extra_length = le16(head->data() + 28);
    auto rest = read_some(source, at + kLocalSize, name_length + extra_length);
    if (!rest) return rest.error();
    if (rest->size() < name_length + extra_length) break;
    std::uint64_t packed = le32(head->data() + 18), size = le32(head->data() + 22);
    const std::span<const std::uint8_t> extra(rest->data() + name_length, extra_length);
    const bool sized = !(le16(head->data() + 6) & 8) && apply_zip64(extra, size, packed, nullptr);
    if (!sized) break;
    const std::string name = printable(std::string_view(reinterpret_cast<const char*>(rest->data()), name_length));
    const std::uint64_t data = at + kLocalSize + name_length + extra_length;
    if (packed > source.size() - data)
      return {ErrorCode::truncated_data, {{"what", "numbers in " + name},
                                          {"expected", std::to_string(packed)},
                                          {"found", std::to_string(source.size() - data)}}};
    at = data + packed;
  }
  return {ErrorCode::not_zip, {{"detail", "the file ends before it, after " + std::to_string(source.size()) + " bytes"}}};
}

Result<Directory> find_directory(ByteSource& source) {
  const std::uint64_t size = source.size();
  const std::uint64_t tail_size = std::min<std::uint64_t>(size, kEndSize + 65535);
  auto tail = read_some(source, size - tail_size, tail_size);
  if (!tail) return tl::unexpected(tail.error());
  std::optional<Directory> found;
  // From the end: a comment may hold bytes that look like another record. Of two that fit, neither is believed.
  for (std::size_t at = tail->size() >= kEndSize ? tail->size() - kEndSize + 1 : 0; at-- > 0;) {
    const std::uint8_t* end = tail->data() + at;
    if (le32(end) != kEnd) continue;
    if (le16(end + 20) > tail->size() - at - kEndSize) continue;  // the comment would leave the file
    auto directory = directory_at(source, size - tail_size + at, end);
    if (!directory) return tl::unexpected(directory.error());
    if (!*directory) continue;
    const Directory& d = **directory;
    if (d.count > 0) {  // does a directory start there?
      if (d.size < kCentralSize) continue;
      auto first = read_some(source, d.offset, 4);
      if (!first) return tl::unexpected(first.error());
      if (le32(first->data()) != kCentral) continue;
    } else if (d.size != 0) {
      continue;
    }
    if (found) return bad("it has two directories that both fit");
    found = d;
  }
  if (!found) return tl::unexpected(cut_off(source));
  return *found;
}

Result<std::vector<ZipMember>> read_members(ByteSource& source, const Directory& d) {
  if (d.count > kMaxMembers || d.size > kMaxDirectory)
    return fail(ErrorCode::too_big, {{"needed", std::to_string(d.count) + " members"},
                                     {"limit", std::to_string(kMaxMembers)},
                                     {"detail", "an archive with a directory of " + human_bytes(static_cast<double>(d.size))}});
  auto bytes = read_some(source, d.offset, d.size);
  if (!bytes) return tl::unexpected(bytes.error());
  std::vector<ZipMember> members;
  std::size_t at = 0;
  while (at + kCentralSize <= bytes->size() && le32(bytes->data() + at) == kCentral) {
    const std::uint8_t* p = bytes->data() + at;
    const std::size_t name_length = le16(p + 28), extra_length = le16(p + 30), comment_length = le16(p + 32);
    const std::size_t total = kCentralSize + name_length + extra_length + comment_length;
    if (total > bytes->size() - at) return bad("an entry of its directory leaves the directory");
    ZipMember m;
    m.flags = le16(p + 8);
    m.method = le16(p + 10);
    m.crc = le32(p + 16);
    m.packed = le32(p + 20);
    m.size = le32(p + 24);
    m.header = le32(p + 42);
    m.name.assign(reinterpret_cast<const char*>(p + kCentralSize), name_length);
    if (!apply_zip64({p + kCentralSize + name_length, extra_length}, m.size, m.packed, &m.header))
      return bad("the 64-bit sizes of " + printable(m.name) + " are missing");
    members.push_back(std::move(m));
    at += total;
  }
  if (members.size() != d.count || at != bytes->size())
    return bad("its directory announces " + std::to_string(d.count) + " members and holds " + std::to_string(members.size()));
  return members;
}

Result<void> locate(ByteSource& source, ZipMember& m, std::uint64_t limit) {
  auto head = read_some(source, m.header, kLocalSize);
  if (!head) return tl::unexpected(head.error());
  if (head->size() < kLocalSize || le32(head->data()) != kLocal)
    return bad("no member starts where the directory says " + printable(m.name) + " does");
  if (le16(head->data() + 8) != m.method)
    return bad("directory and member disagree how " + printable(m.name) + " is packed");
  m.data = m.header + kLocalSize + le16(head->data() + 26) + le16(head->data() + 28);
  if (m.data > limit || m.packed > limit - m.data)
    return fail(ErrorCode::truncated_data, {{"what", "numbers in " + printable(m.name)},
                                            {"expected", std::to_string(m.packed)},
                                            {"found", std::to_string(m.data > limit ? 0 : limit - m.data)}});
  if (m.method == 0 && m.packed != m.size)
    return bad(printable(m.name) + " is stored as " + std::to_string(m.packed) + " bytes and should give " + std::to_string(m.size));
  if (m.method == 8 && m.size / kDeflateRatioLimit > m.packed)
    return fail(ErrorCode::too_big, {{"needed", human_bytes(static_cast<double>(m.size))},
                                     {"limit", human_bytes(static_cast<double>(m.packed * kDeflateRatioLimit))},
                                     {"detail", "no packing makes that of the " + std::to_string(m.packed) + " bytes of " + printable(m.name)}});
  return {};
}

}  // namespace

bool sniff_zip(std::span<const std::uint8_t> head) {
  return head.size() >= 4 && (le32(head.data()) == kLocal || le32(head.data()) == kEnd);
}

Result<ZipDirectory> read_zip_directory(const Source& source) {
  auto directory = find_directory(*source);
  if (!directory) return tl::unexpected(directory.error());
  auto members = read_members(*source, *directory);
  if (!members) return tl::unexpected(members.error());
  for (auto& m : *members)
    if (auto done = locate(*source, m, directory->offset); !done) return tl::unexpected(done.error());

  // Members that share bytes are how small archives unpack to petabytes (Fifield 2019).
  std::vector<const ZipMember*> order;
  for (const auto& m : *members) order.push_back(&m);
  std::sort(order.begin(), order.end(), [](const ZipMember* a, const ZipMember* b) { return a->header < b->header; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i - 1]->data + order[i - 1]->packed > order[i]->header)
      return bad(printable(order[i - 1]->name) + " and " + printable(order[i]->name) + " overlap");

  ZipDirectory out;
  std::set<std::string, std::less<>> names, doubles;
  for (auto& m : *members) {
    if (names.insert(m.name).second) out.members.push_back(std::move(m));
    else if (doubles.insert(m.name).second) out.duplicates.push_back(m.name);
  }
  return out;
}

Result<Source> open_zip_member(const Source& source, const ZipMember& member) {
  std::string method;
  if (member.flags & 1) {
    method = "a password";
  } else if (member.method != 0 && member.method != 8) {
    switch (member.method) {
      case 1: method = "shrink"; break;
      case 6: method = "implode"; break;
      case 9: method = "deflate64"; break;
      case 12: method = "bzip2"; break;
      case 14: method = "lzma"; break;
      case 93: method = "zstd"; break;
      case 95: method = "xz"; break;
      case 98: method = "PPMd"; break;
      case 99: method = "AES encryption"; break;
      default: method = "method " + std::to_string(member.method);
    }
  }
  if (!method.empty())
    return fail(ErrorCode::unsupported_method, {{"member", printable(member.name)}, {"method", method}});
  Source packed = std::make_shared<RangeSource>(source, member.data, member.packed);
  if (member.method == 0) return packed;
  return Source(std::make_shared<InflatedSource>(std::move(packed), member.size));
}

}  // namespace rollscope
