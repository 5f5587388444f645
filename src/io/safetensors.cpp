#include "io/safetensors.h"

#include <algorithm>
#include <optional>
#include <set>

#include "io/container.h"
#include "io/json_events.h"

namespace rollscope {
namespace {

tl::unexpected<Error> bad(std::string detail) { return fail(ErrorCode::bad_header, {{"detail", std::move(detail)}}); }

// The grammar of the header, one event at a time. Depth 1: names of tensors; 2: fields of one; 3: its numbers.
class HeaderEvents final : public JsonEvents {
 public:
  explicit HeaderEvents(SafetensorsHeader& out) : out_(out) {}
  [[nodiscard]] const std::string& why() const { return why_; }

  bool null() override {
    if (depth_ == 1 && name_ == "__metadata__") return true;  // some writers say so for "none"
    return wrong("null");
  }
  bool boolean(bool) override { return wrong("true or false"); }
  bool number(double) override { return wrong("a number that is not whole and positive"); }
  bool integer(std::uint64_t value) override {
    if (depth_ != 3 || in_metadata_) return wrong("a number");
    if (numbers_->size() >= 64) return stop(printable(name_) + " has more than 64 axes");
    numbers_->push_back(value);
    return true;
  }
  bool text(std::string_view value) override {
    if (depth_ == 2 && in_metadata_) {
      out_.metadata.emplace_back(field_, std::string(value));
      return true;
    }
    if (depth_ == 2 && field_ == "dtype") {
      entry_.dtype = value;
      return true;
    }
    return wrong("a text");
  }
  bool begin_object() override {
    if (++depth_ > 2) return wrong("an object");
    if (depth_ == 2) {
      in_metadata_ = name_ == "__metadata__";
      entry_ = {};
      entry_.name = name_;
      offsets_.clear();
      fields_.clear();
    }
    return true;
  }
  bool key(std::string_view name) override {
    if (depth_ == 1) {
      name_ = name;
      if (!names_.insert(name_).second) return stop("it names " + printable(name_) + " twice");
      if (names_.size() > 200'000) return stop("it names more than 200000 tensors");
      return true;
    }
    field_ = name;
    if (!fields_.insert(field_).second) return stop(printable(name_) + " has the field " + printable(field_) + " twice");
    numbers_ = field_ == "shape" ? &entry_.shape : field_ == "data_offsets" ? &offsets_ : nullptr;
    return true;
  }
  bool end_object() override {
    if (--depth_ != 1 || in_metadata_) return true;
    if (entry_.dtype.empty() || !fields_.count("shape") || offsets_.size() != 2)
      return stop(printable(name_) + " lacks dtype, shape or two data_offsets");
    entry_.begin = offsets_[0];
    entry_.end = offsets_[1];
    out_.entries.push_back(std::move(entry_));
    return true;
  }
  bool begin_array() override {
    if (depth_ != 2 || in_metadata_ || !numbers_) return wrong("a list");
    depth_ = 3;
    return true;
  }
  bool end_array() override {
    depth_ = 2;
    return true;
  }

 private:
  bool stop(std::string why) {
    why_ = std::move(why);
    return false;
  }
  bool wrong(const std::string& what) {
    return stop(what + " stands where none belongs" + (name_.empty() ? "" : ", in " + printable(name_)) +
                (depth_ >= 2 && !field_.empty() ? ", field " + printable(field_) : ""));
  }
  SafetensorsHeader& out_;
  int depth_ = 0;
  bool in_metadata_ = false;
  std::string name_, field_, why_;
  SafetensorsEntry entry_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint64_t>* numbers_ = nullptr;
  std::set<std::string, std::less<>> names_, fields_;
};

std::optional<DType> dtype_of(std::string_view name) {
  struct Row { std::string_view name; DType type; };
  constexpr Row kRows[] = {{"F16", DType::f16}, {"BF16", DType::bf16}, {"F32", DType::f32}, {"F64", DType::f64},
                           {"F8_E4M3", DType::f8_e4m3}, {"F8_E5M2", DType::f8_e5m2}, {"U8", DType::u8}, {"I8", DType::i8},
                           {"U16", DType::u16}, {"I16", DType::i16}, {"U32", DType::u32}, {"I32", DType::i32},
                           {"U64", DType::u64}, {"I64", DType::i64}, {"BOOL", DType::boolean}};
  for (const Row& row : kRows)
    if (row.name == name) return row.type;
  return std::nullopt;
}

}  // namespace

bool sniff_safetensors(std::span<const std::uint8_t> head, std::uint64_t file_size) {
  if (head.size() < 8) return false;
  const std::uint64_t length = le64(head.data());
  if (head.size() >= 9 && head[8] == '{') return true;  // whatever the length says: then that is what is wrong
  return length >= 2 && length <= kSafetensorsHeaderLimit && length <= file_size && head.size() >= 9 &&
         (head[8] == 0x20 || head[8] == 0xef) && head[3] == 0;
}

Result<SafetensorsHeader> read_safetensors_header(ByteSource& source) {
  const std::uint64_t size = source.size();
  auto head = read_some(source, 0, 9);
  if (!head) return tl::unexpected(head.error());
  if (head->size() < 8) return bad("the file is shorter than 8 bytes");
  const std::uint64_t length = le64(head->data());
  if (length < 2) return bad("it is said to be " + std::to_string(length) + " bytes long");
  if (length > kSafetensorsHeaderLimit)
    return bad("it is said to be " + std::to_string(length) + " bytes long, and the limit is " + std::to_string(kSafetensorsHeaderLimit));
  if (length > size - 8)
    return fail(ErrorCode::truncated_data, {{"what", "header"}, {"expected", std::to_string(length)}, {"found", std::to_string(size - 8)}});
  if ((*head)[8] != '{') return bad("it does not start with {");

  SafetensorsHeader out;
  out.data_offset = 8 + length;
  HeaderEvents events(out);
  // A range of the file, without taking ownership of it.
  RangeSource text(Source(&source, [](ByteSource*) {}), 8, length);
  const auto parsed = parse_json(text, events);
  if (!parsed) {
    if (parsed.error().code != ErrorCode::bad_json) return tl::unexpected(parsed.error());
    return bad(parsed.error().params.at("detail") + " at byte " + parsed.error().params.at("offset") + " of its JSON");
  }
  if (!*parsed) return bad(events.why());

  std::stable_sort(out.entries.begin(), out.entries.end(), [](const auto& a, const auto& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::uint64_t at = 0;
  const SafetensorsEntry* before = nullptr;
  for (const auto& e : out.entries) {
    if (e.end < e.begin) return bad(printable(e.name) + " ends before it begins");
    if (e.begin < at) return bad(printable(e.name) + " overlaps " + printable(before->name));
    if (e.begin > at) return bad("no tensor owns the bytes " + std::to_string(at) + " to " + std::to_string(e.begin));
    const auto elements = shape_product(e.shape);
    if (!elements) return bad("the shape " + shape_text(e.shape) + " of " + printable(e.name) + " is larger than any file");
    if (const auto type = dtype_of(e.dtype)) {
      const auto bytes = checked_mul(*elements, dtype_size(*type));
      if (!bytes) return bad("the shape " + shape_text(e.shape) + " of " + printable(e.name) + " is larger than any file");
      if (*bytes != e.end - e.begin)
        return bad(printable(e.name) + " has " + std::to_string(e.end - e.begin) + " bytes and needs " + std::to_string(*bytes));
    }
    at = e.end;
    before = &e;
  }
  const std::uint64_t found = size - out.data_offset;
  if (at > found)
    return fail(ErrorCode::truncated_data, {{"what", "numbers"}, {"expected", std::to_string(at)}, {"found", std::to_string(found)}});
  return out;
}

Result<Container> read_safetensors_container(const Source& source) {
  auto header = read_safetensors_header(*source);
  if (!header) return tl::unexpected(header.error());
  Container out;
  out.format = "safetensors";
  for (const auto& [key, text] : header->metadata) out.add_meta_text(key, text);
  for (auto& e : header->entries) {
    const auto type = dtype_of(e.dtype);
    if (!type) {
      out.refused.push_back({e.name, {ErrorCode::unsupported_dtype, {{"array", printable(e.name)}, {"dtype", printable(e.dtype)}}}});
      continue;
    }
    StoredArray a;
    a.name = e.name;
    a.dtype = a.shown = *type;
    a.elements = shape_product(e.shape).value_or(0);
    a.shape = std::move(e.shape);
    a.bytes = std::make_shared<RangeSource>(source, header->data_offset + e.begin, e.end - e.begin);
    if (is_meta_name(a.name) && a.shape.size() == 1 && dtype_size(*type) == 1) {
      auto bytes = read_some(*a.bytes, 0, a.elements);
      if (!bytes) return tl::unexpected(bytes.error());
      out.add_meta_text(a.name, std::string(bytes->begin(), bytes->end()));
      continue;
    }
    out.arrays.push_back(std::move(a));
  }
  return out;
}

}  // namespace rollscope
