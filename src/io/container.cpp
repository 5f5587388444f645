#include "io/container.h"

#include <algorithm>

#include "io/inflate.h"
#include "io/npy.h"
#include "io/readers.h"
#include "io/zip.h"

namespace rollscope {
namespace {

// Members up to this size are read whole, so that their checksum is compared; all of them together up to the other.
constexpr std::uint64_t kCheckedSize = 1'000'000, kCheckedTotal = 16'000'000;
constexpr std::uint64_t kMetaLimit = 16'000'000;

// Copies `value`, its numbers moving from one pool to another.
JsonValue adopt(const JsonValue& value, const std::vector<Real>& from, std::vector<Real>& to) {
  JsonValue out = value;
  if (value.is(JsonValue::Kind::numbers)) {
    const auto n = static_cast<std::size_t>(shape_product(value.shape).value_or(0));
    out.first = to.size();
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(value.first),
              from.begin() + static_cast<std::ptrdiff_t>(value.first + n));
  }
  for (auto& item : out.items) item = adopt(item, from, to);
  for (auto& member : out.members) member.value = adopt(member.value, from, to);
  return out;
}

std::string strip_suffix(const std::string& name) {
  constexpr std::string_view kSuffix = ".npy";
  return name.size() > kSuffix.size() && name.ends_with(kSuffix) ? name.substr(0, name.size() - kSuffix.size()) : name;
}

// An array of bytes that holds text: np.frombuffer(json.dumps(meta).encode(), np.uint8).
Result<std::string> bytes_as_text(ByteSource& source, const NpyHeader& h) {
  auto bytes = read_some(source, h.data_offset, std::min(h.elements, kMetaLimit));
  if (!bytes) return tl::unexpected(bytes.error());
  return std::string(bytes->begin(), bytes->end());
}

// `later`: where the numbers will be read from; a packed member is opened anew, so that what its header took in memory
// is let go. An archive may hold thousands.
Result<void> add_npy(Container& out, const Source& source, const Source& later, const std::string& name, bool packed) {
  auto header = read_npy_header(*source, name);
  if (!header) return tl::unexpected(header.error());
  const NpyHeader& h = *header;
  if (h.kind != NpyHeader::Kind::number) {
    auto texts = read_npy_texts(*source, h);
    if (!texts) return tl::unexpected(texts.error());
    if (h.shape.empty()) out.add_meta_text(name, (*texts)[0]);
    else out.texts.push_back({name, h.shape, std::move(*texts)});
    return {};
  }
  if (is_meta_name(name) && h.shape.size() == 1 && dtype_size(h.dtype) == 1) {
    auto text = bytes_as_text(*source, h);
    if (!text) return tl::unexpected(text.error());
    out.add_meta_text(name, *text);
    return {};
  }
  StoredArray a;
  a.name = name;
  a.dtype = a.shown = h.dtype;
  a.big_endian = h.big_endian;
  a.fortran_order = h.fortran_order;
  a.packed = packed;
  a.shape = h.shape;
  a.elements = h.elements;
  a.bytes = std::make_shared<RangeSource>(later, h.data_offset, h.elements * h.item_size);
  out.arrays.push_back(std::move(a));
  return {};
}

// What an archive without arrays is, by the names in it.
Error foreign_archive(const ZipDirectory& directory) {
  const auto has = [&](std::string_view suffix) {
    return std::any_of(directory.members.begin(), directory.members.end(), [&](const ZipMember& m) { return m.name.ends_with(suffix); });
  };
  std::string detail;
  if (has("[Content_Types].xml")) detail = "it is an office document";
  else if (has("META-INF/MANIFEST.MF")) detail = "it is a Java archive";
  else {
    detail = "it is a zip archive without a .npy member (it holds ";
    for (std::size_t i = 0; i < directory.members.size() && i < 4; ++i) detail += (i ? ", " : "") + printable(directory.members[i].name);
    detail += directory.members.size() > 4 ? ", \u2026)" : ")";
  }
  return {ErrorCode::unknown_format, {{"detail", detail}}};
}

}  // namespace

std::uint64_t StoredArray::span() const {
  if (strides.empty() || elements == 0) return elements;
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) last += (shape[i] - 1) * strides[i];
  return last + 1;
}

bool is_meta_name(std::string_view name) {
  return name == "meta" || name == "metadata" || name == "__metadata__" || name == "attn_dump" || name == "info";
}

void Container::add_meta(const JsonDocument& document) { add_meta(document.root, *document.pool); }

void Container::add_meta(const JsonValue& object, const std::vector<Real>& pool) {
  for (const auto& [key, value] : object.members)
    if (meta.find(key) == meta.end()) meta.emplace(key, adopt(value, pool, meta_numbers));
}

void Container::add_meta_text(const std::string& key, const std::string& text) {
  const auto start = text.find_first_not_of(" \t\r\n");
  const char first = start == text.npos ? '\0' : text[start];
  const bool whole = is_meta_name(key);
  if (first == '{' || first == '[' || (first >= '0' && first <= '9') || first == '-' || text == "true" || text == "false") {
    if (auto document = read_json(text)) {
      if (whole && document->root.is(JsonValue::Kind::object)) add_meta(*document);
      else if (meta.find(key) == meta.end()) meta.emplace(key, adopt(document->root, *document->pool, meta_numbers));
      return;
    }
  }
  JsonValue v;
  v.kind = JsonValue::Kind::text;
  v.text = text;
  meta.emplace(key, std::move(v));
}

Result<Container> read_npy_container(const Source& source) {
  Container out;
  out.format = "npy";
  if (auto done = add_npy(out, source, source, "", false); !done) return tl::unexpected(done.error());
  return out;
}

Result<Container> read_zip_container(const Source& source) {
  auto directory = read_zip_directory(source);
  if (!directory) return tl::unexpected(directory.error());
  const auto ends = [&](std::string_view suffix) {
    return std::any_of(directory->members.begin(), directory->members.end(), [&](const ZipMember& m) { return m.name.ends_with(suffix); });
  };
  if ((ends("/data.pkl") || ends("constants.pkl")) && !ends(".npy")) return read_torch_zip(source, *directory);
  Container out;
  out.format = "npz";
  for (const auto& name : directory->duplicates)
    out.report.push_back(report_item(ReportCode::duplicate_member, {{"name", printable(name)}}, name));
  if (directory->members.empty()) return fail(ErrorCode::empty, {{"detail", "an archive without members"}});
  bool any = false;
  std::uint64_t to_check = kCheckedTotal;
  for (const ZipMember& m : directory->members) {
    if (!m.name.ends_with(".npy")) {
      if (m.name == "meta.json" || m.name == "metadata.json") any = true;
      else continue;
    }
    any = true;
    const std::string name = strip_suffix(m.name);
    auto bytes = open_zip_member(source, m);
    if (!bytes) {
      out.refused.push_back({name, bytes.error()});
      continue;
    }
    if (!m.name.ends_with(".npy")) {
      auto text = read_some(**bytes, 0, kMetaLimit);
      if (text) out.add_meta_text("meta", std::string(text->begin(), text->end()));
      continue;
    }
    const bool packed = m.method != 0;
    auto later = packed ? open_zip_member(source, m) : bytes;
    if (auto done = add_npy(out, *bytes, *later, name, packed); !done) {
      if (done.error().code == ErrorCode::read_failed) return tl::unexpected(done.error());
      out.refused.push_back({name, done.error()});
      continue;
    }
    if (m.size <= kCheckedSize && m.size <= to_check && m.crc != 0) {  // torch may leave 0 there
      to_check -= m.size;
      const auto crc = checksum(**bytes);
      if (!crc) out.refused.push_back({name, crc.error()});
      else if (*crc != m.crc) out.report.push_back(report_item(ReportCode::checksum, {{"name", printable(name)}}, name));
    }
  }
  if (!any) return tl::unexpected(foreign_archive(*directory));
  return out;
}

}  // namespace rollscope
