#include "io/npy.h"

#include <algorithm>
#include <optional>

#include "base/utf8.h"
#include "io/bytes.h"

namespace rollscope {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxAxes = 64;  // numpy's own limit

tl::unexpected<Error> bad(std::string detail) { return fail(ErrorCode::bad_header, {{"detail", std::move(detail)}}); }

// The literal {'descr': '<f4', 'fortran_order': False, 'shape': (6, 12), }, keys in any order.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  struct Fields {
    std::optional<std::string> descr;
    bool structured = false;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::uint64_t>> shape;
  };

  // The reason why it cannot be read, or "".
  std::string parse(Fields& out) {
    if (!take('{')) return "it does not start with {";
    while (!take('}')) {
      std::string key;
      if (!quoted(key)) return "a key in quotes is missing";
      if (!take(':')) return "a colon is missing after '" + printable(key) + "'";
      if (auto why = value(key, out); !why.empty()) return why;
      if (!take(',') && peek() != '}') return "a comma or } is missing";
    }
    skip_space();
    if (at_ != text_.size()) return "something follows the closing }";
    if (!out.descr && !out.structured) return "'descr' is missing";
    if (!out.fortran_order) return "'fortran_order' is missing";
    if (!out.shape) return "'shape' is missing";
    return "";
  }

 private:
  std::string value(const std::string& key, Fields& out) {
    if (key == "descr") {
      if (out.descr || out.structured) return "'descr' stands there twice";
      if (peek() == '[' || peek() == '(') {
        out.structured = true;
        return skip_brackets() ? "" : "brackets do not match";
      }
      std::string text;
      if (!quoted(text)) return "'descr' is not a text";
      out.descr = std::move(text);
    } else if (key == "fortran_order") {
      if (out.fortran_order) return "'fortran_order' stands there twice";
      if (word("True")) out.fortran_order = true;
      else if (word("False")) out.fortran_order = false;
      else return "'fortran_order' is neither True nor False";
    } else if (key == "shape") {
      if (out.shape) return "'shape' stands there twice";
      out.shape.emplace();
      return tuple(*out.shape);
    } else {
      return "the key '" + printable(key) + "' does not belong there";
    }
    return "";
  }

  std::string tuple(std::vector<std::uint64_t>& out) {
    if (!take('(')) return "'shape' is not a tuple";
    while (!take(')')) {
      skip_space();
      if (peek() == '-') return "the shape holds a negative number";
      std::uint64_t n = 0;
      const std::size_t start = at_;
      for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
        const auto ten = checked_mul(n, 10);
        const auto next = ten ? checked_add(*ten, static_cast<std::uint64_t>(text_[at_] - '0')) : std::nullopt;
        if (!next) return "a number of the shape is larger than any file";
        n = *next;
      }
      if (at_ == start) return "the shape holds something that is not a whole number";
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // long integers of Python 2: (10L,)
      if (out.size() == kMaxAxes) return "the shape has more than 64 axes";
      out.push_back(n);
      if (!take(',') && peek() != ')') return "the shape is not a tuple of whole numbers";
    }
    return "";
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    skip_space();
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }
  bool quoted(std::string& out) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return false;
    const auto end = text_.find(quote, at_ + 1);
    if (end == text_.npos) return false;
    out = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return out.find('\\') == out.npos;
  }
  // Past the fields of a structured type. Counts, so that a file of brackets costs no stack.
  bool skip_brackets() {
    int depth = 0;
    do {
      const char c = peek();
      if (c == '\0') return false;
      if (c == '\'' || c == '"') {
        std::string ignored;
        if (!quoted(ignored)) return false;
        continue;
      }
      if (c == '[' || c == '(') ++depth;
      if (c == ']' || c == ')') --depth;
      ++at_;
    } while (depth > 0);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<DType> number_type(char kind, std::uint64_t size) {
  switch (kind) {
    case 'f':
      if (size == 2) return DType::f16;
      if (size == 4) return DType::f32;
      if (size == 8) return DType::f64;
      return std::nullopt;
    case 'i':
      if (size == 1) return DType::i8;
      if (size == 2) return DType::i16;
      if (size == 4) return DType::i32;
      if (size == 8) return DType::i64;
      return std::nullopt;
    case 'u':
      if (size == 1) return DType::u8;
      if (size == 2) return DType::u16;
      if (size == 4) return DType::u32;
      if (size == 8) return DType::u64;
      return std::nullopt;
    case 'b':
      if (size == 1) return DType::boolean;
      return std::nullopt;
    case 'V':  // bfloat16 of ml_dtypes has no letter of its own in numpy
      if (size == 2) return DType::bf16;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::string kind_name(char kind, const std::string& descr) {
  switch (kind) {
    case 'c': return "complex (" + descr + ")";
    case 'M':
    case 'm': return "date or time (" + descr + ")";
    case 'V': return "raw bytes (" + descr + ")";
    default: return descr;
  }
}

}  // namespace

Result<void> read_npy_type(const std::string& descr, const std::string& array, NpyHeader& out) {
  std::size_t at = 0;
  if (!descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos) {
    out.big_endian = descr[0] == '>';
    at = 1;
  }
  if (at == descr.size()) return bad("'descr' names no type");
  const char kind = descr[at++];
  if (kind == 'O') return fail(ErrorCode::object_array, {{"array", array}});
  std::uint64_t size = 0;
  const std::size_t digits = at;
  for (; at < descr.size() && descr[at] >= '0' && descr[at] <= '9'; ++at) {
    size = size * 10 + static_cast<std::uint64_t>(descr[at] - '0');
    if (size > (std::uint64_t{1} << 28)) return bad("'descr' " + printable(descr) + " names elements of more than 256 MB");
  }
  if (kind == '?' && digits == descr.size()) {
    out.dtype = DType::boolean;
    out.item_size = 1;
    return {};
  }
  if ((kind == 'M' || kind == 'm') && digits < at)
    return fail(ErrorCode::unsupported_dtype, {{"array", array}, {"dtype", kind_name(kind, printable(descr))}});
  if (digits == at || at != descr.size()) return bad("'descr' " + printable(descr) + " is not a type");
  if (kind == 'U' || kind == 'S' || kind == 'a') {
    out.kind = kind == 'U' ? NpyHeader::Kind::utf32 : NpyHeader::Kind::bytes;
    out.item_size = kind == 'U' ? size * 4 : size;
    return {};
  }
  const auto type = number_type(kind, size);
  if (!type)
    return fail(ErrorCode::unsupported_dtype, {{"array", array}, {"dtype", kind_name(kind, printable(descr))}});
  out.dtype = *type;
  out.item_size = size;
  return {};
}

bool sniff_npy(std::span<const std::uint8_t> head) {
  return head.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), head.begin(), [](char a, std::uint8_t b) {
           return static_cast<std::uint8_t>(a) == b;
         });
}

// Whether the pickle behind the header ends in a list of as many None as the shape counts: numpy.save of an output whose
// layers were never formed.
bool all_none(ByteSource& source, const NpyHeader& header) {
  constexpr std::uint64_t kMost = 10'000, kEnd = 12;  // opcodes behind the list: append, tuple, memo, build, stop
  const auto count = shape_product(header.shape);
  if (!count || *count == 0 || *count > kMost || source.size() < header.data_offset + *count) return false;
  const std::uint64_t length = std::min(source.size() - header.data_offset, *count + kEnd);
  const auto bytes = read_some(source, source.size() - length, length);
  if (!bytes) return false;
  const auto none = [](std::uint8_t b) { return b == 'N'; };
  const auto last = std::find_if(bytes->rbegin(), bytes->rend(), none);
  const auto first = std::find_if_not(last, bytes->rend(), none);
  return static_cast<std::uint64_t>(first - last) == *count;
}

Result<NpyHeader> read_npy_header(ByteSource& source, const std::string& name) {
  const std::string array = name.empty() ? "The array" : printable(name);
  auto head = read_some(source, 0, 12);
  if (!head) return tl::unexpected(head.error());
  if (!sniff_npy(*head)) return bad(printable(name) + " does not start with \\x93NUMPY");
  const auto cut = [&](std::uint64_t needed) {
    return fail(ErrorCode::truncated_data, {{"what", "header"},
                                            {"expected", std::to_string(needed)},
                                            {"found", std::to_string(source.size())}});
  };
  if (head->size() < 10) return cut(10);
  const int version = (*head)[6];
  if (version < 1 || version > 3) return bad("its format version is " + std::to_string(version) + ", known are 1 to 3");
  if (version >= 2 && head->size() < 12) return cut(12);
  const std::uint64_t length = version == 1 ? le16(head->data() + 8) : le32(head->data() + 8);
  const std::uint64_t start = version == 1 ? 10 : 12;
  if (length > kNpyHeaderLimit)
    return bad("it is said to be " + std::to_string(length) + " bytes long, and the limit is " + std::to_string(kNpyHeaderLimit));
  if (start + length > source.size()) return cut(start + length);
  auto bytes = read_some(source, start, length);
  if (!bytes) return tl::unexpected(bytes.error());

  HeaderParser::Fields fields;
  HeaderParser parser(std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
  if (auto why = parser.parse(fields); !why.empty()) return bad(why);

  NpyHeader out;
  out.data_offset = start + length;
  out.fortran_order = *fields.fortran_order;
  out.shape = std::move(*fields.shape);
  if (fields.structured)
    return fail(ErrorCode::unsupported_dtype, {{"array", array}, {"dtype", "structured (named fields)"}});
  if (auto done = read_npy_type(*fields.descr, array, out); !done) {
    if (done.error().code == ErrorCode::object_array && all_none(source, out)) return fail(ErrorCode::all_none);
    return tl::unexpected(done.error());
  }

  const auto elements = shape_product(out.shape);
  const auto needed = elements ? checked_mul(*elements, out.item_size) : std::nullopt;
  if (!needed || *needed > (std::uint64_t{1} << 62)) return bad("the shape " + shape_text(out.shape) + " is larger than any file");
  out.elements = *elements;
  const std::uint64_t found = source.size() - out.data_offset;
  if (found < *needed)
    return fail(ErrorCode::truncated_data, {{"what", name.empty() ? "numbers" : "numbers in " + printable(name)},
                                            {"expected", std::to_string(*needed)},
                                            {"found", std::to_string(found)}});
  return out;
}

Result<std::vector<std::string>> read_npy_texts(ByteSource& source, const NpyHeader& header) {
  constexpr std::uint64_t kLimit = 32'000'000;
  const std::uint64_t size = header.elements * header.item_size;  // fits: checked when the header was read
  // Elements of no bytes cost the file nothing and us a string each.
  if (size > kLimit || header.elements > kLimit / sizeof(std::string))
    return fail(ErrorCode::too_big, {{"needed", human_bytes(static_cast<double>(size)) + " of text"},
                                     {"limit", human_bytes(static_cast<double>(kLimit))},
                                     {"detail", "an array of texts " + shape_text(header.shape)}});
  auto bytes = read_some(source, header.data_offset, size);
  if (!bytes) return tl::unexpected(bytes.error());
  std::vector<std::string> out(static_cast<std::size_t>(header.elements));
  const auto item = static_cast<std::size_t>(header.item_size);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint8_t* p = bytes->data() + i * item;
    if (header.kind == NpyHeader::Kind::utf32) {
      std::size_t n = item / 4;
      while (n > 0 && le32(p + 4 * (n - 1)) == 0) --n;
      for (std::size_t k = 0; k < n; ++k) {
        const std::uint32_t code = le32(p + 4 * k);
        utf8_append(out[i], header.big_endian ? __builtin_bswap32(code) : code);
      }
    } else {
      std::size_t n = item;
      while (n > 0 && p[n - 1] == 0) --n;
      out[i].assign(reinterpret_cast<const char*>(p), n);
    }
  }
  return out;
}

}  // namespace rollscope
