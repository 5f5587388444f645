#include "io/pickle.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <map>
#include <optional>

#include "io/pickle_bytes.h"

namespace rollscope {
namespace {

using Kind = PickleKind;

constexpr std::size_t kWindow = 64 << 10;

PickleValue whole(std::int64_t n) {
  PickleValue v;
  v.kind = Kind::integer;
  v.integer = n;
  return v;
}

PickleValue truth(bool b) {
  PickleValue v = whole(b);
  v.kind = Kind::boolean;
  return v;
}

PickleValue fraction(double x) {
  PickleValue v;
  v.kind = Kind::real;
  v.real = x;
  return v;
}

// Two's complement, little endian. Past 64 bits the nearest double.
PickleValue long_integer(std::string_view bytes) {
  if (bytes.size() <= 8) {
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const bool negative = !bytes.empty() && (bytes.back() & 0x80);
      const auto byte = i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : static_cast<std::uint8_t>(negative ? 0xff : 0);
      n |= static_cast<std::uint64_t>(byte) << (8 * i);
    }
    return whole(static_cast<std::int64_t>(n));
  }
  double x = (bytes.back() & 0x80) ? -1 : 0;
  for (std::size_t i = bytes.size(); i-- > 0;) x = x * 256 + static_cast<std::uint8_t>(bytes[i]);
  return fraction(x);
}

std::string hex_byte(std::uint8_t b) { return {'0', 'x', "0123456789abcdef"[b >> 4], "0123456789abcdef"[b & 15]}; }

class Machine {
 public:
  Machine(PickleData& data, const Source& source, std::uint64_t offset, std::string_view what)
      : data_(data), source_(*source), size_(source->size()), position_(offset), what_(what) {
    data_.sources.push_back(source);
    number_ = static_cast<std::uint32_t>(data_.sources.size() - 1);
  }

  Result<PickleEnd> run() {
    for (;;) {
      if (++data_.ops > kPickleOps) return too_big(std::to_string(kPickleOps) + " instructions", "more than that");
      start_ = position_;
      const std::uint8_t* op = take(1);
      if (!op) return tl::unexpected(*error_);
      if (*op == '.') {
        if (stack_.size() <= floor()) return bad_stack();
        return PickleEnd{stack_.back(), position_};
      }
      if (!step(*op) || error_) return tl::unexpected(*error_);
    }
  }

 private:
  // ---- errors: the first is kept, and every step that made one is false ----

  tl::unexpected<Error> failed(Error error) {
    if (!error_) error_ = std::move(error);
    return tl::unexpected(*error_);
  }
  tl::unexpected<Error> bad(const std::string& detail) {
    return failed({ErrorCode::bad_pickle, {{"detail", what_ + " " + detail + " (byte " + std::to_string(start_) + ")"}}});
  }
  tl::unexpected<Error> bad_stack() { return bad("takes a value that nothing has put there"); }
  tl::unexpected<Error> too_big(const std::string& limit, const std::string& needed) {
    return failed({ErrorCode::too_big, {{"needed", needed}, {"limit", limit}, {"detail", what_ + " is not that of a dump"}}});
  }
  tl::unexpected<Error> cut(std::uint64_t needed) {
    return failed({ErrorCode::truncated_data, {{"what", what_}, {"expected", "at least " + std::to_string(needed)}, {"found", std::to_string(size_)}}});
  }

  // ---- bytes ----

  [[nodiscard]] bool room(std::uint64_t n) {
    if (n <= size_ - position_) return true;
    const auto needed = checked_add(position_, n);
    (void)cut(needed.value_or(~std::uint64_t{0}));
    return false;
  }

  // The next `n` bytes, at most a window; null: an error.
  const std::uint8_t* take(std::size_t n) {
    assert(n <= kWindow);
    if (!room(n)) return nullptr;
    if (position_ < window_start_ || position_ + n > window_start_ + window_.size()) {
      window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, size_ - position_)));
      window_start_ = position_;
      if (auto done = source_.read(position_, window_); !done) {
        window_.clear();
        (void)failed(done.error());
        return nullptr;
      }
    }
    const std::uint8_t* out = window_.data() + (position_ - window_start_);
    position_ += n;
    return out;
  }

  // Up to the end of the line, which is left out.
  bool line(std::string& out) {
    for (;;) {
      const std::uint8_t* p = take(1);
      if (!p) return false;
      // What is left of the window, at once.
      const std::size_t more = static_cast<std::size_t>(window_start_ + window_.size() - position_);
      const auto* end = static_cast<const std::uint8_t*>(std::memchr(p, '\n', more + 1));
      const std::size_t n = end ? static_cast<std::size_t>(end - p) : more + 1;
      if (data_.held.size() + out.size() + n > kPickleText) return too_big(human_bytes(static_cast<double>(kPickleText)) + " of text", "more than that"), false;
      out.append(reinterpret_cast<const char*>(p), n);
      position_ = position_ - 1 + n + (end ? 1 : 0);
      if (end) return true;
    }
  }

  // ---- values ----

  bool push(const PickleValue& v) {
    if (stack_.size() >= kPickleStack) return too_big(std::to_string(kPickleStack) + " values that wait", "more than that"), false;
    stack_.push_back(v);
    return true;
  }

  bool within_values() {
    if (data_.records.size() + data_.strings.size() + data_.names.size() < kPickleValues) return true;
    (void)too_big(std::to_string(kPickleValues) + " values", "more than that");
    return false;
  }

  bool push_held(Kind kind, std::string_view text) {
    if (!within_values()) return false;
    if (data_.held.size() + text.size() > kPickleText) return too_big(human_bytes(static_cast<double>(kPickleText)) + " of text", "more than that"), false;
    PickleValue v;
    v.kind = kind;
    v.at = static_cast<std::uint32_t>(data_.strings.size());
    data_.strings.push_back({data_.held.size(), text.size(), number_, true, false});
    data_.held += text;
    return push(v);
  }

  // `length` bytes that follow.
  bool push_string(Kind kind, std::uint64_t length) {
    if (!room(length) || !within_values()) return false;
    if (length <= kPickleHeld && data_.held.size() + length <= kPickleText) {
      const std::uint8_t* p = take(static_cast<std::size_t>(length));
      return p && push_held(kind, {reinterpret_cast<const char*>(p), static_cast<std::size_t>(length)});
    }
    PickleValue v;
    v.kind = kind;
    v.at = static_cast<std::uint32_t>(data_.strings.size());
    data_.strings.push_back({position_, length, number_, false, false});
    position_ += length;
    return push(v);
  }

  bool push_record(Kind kind, std::vector<PickleValue> items) { return within_values() && push(data_.make(kind, std::move(items), number_)); }

  bool push_object(const PickleValue& callable, const PickleValue& args) {
    if (!within_values()) return false;
    if (callable.is(Kind::name) && data_.names[callable.at].known == PickleClass::byte_string && byte_string(args)) return true;
    return push(data_.make_object(callable, args, number_));
  }

  // bytes() and bytearray(): nothing, or bytes; _codecs.encode and bytearray: a text of one character a byte. In place
  // of the call stands what it gives.
  bool byte_string(const PickleValue& args) {
    const auto& given = data_.items(args);
    if (given.empty()) return push_held(Kind::bytes, "");
    if (given[0].is(Kind::bytes)) return push(given[0]);
    if (!given[0].is(Kind::text)) return false;
    const std::string_view encoding = given.size() > 1 ? data_.short_text(given[1]) : "latin1";
    const bool latin = encoding == "latin1" || encoding == "latin-1" || encoding == "iso-8859-1" || encoding == "iso8859-1";
    const PickleString from = data_.strings[given[0].at];
    if (from.held) {
      const std::string text = data_.held.substr(static_cast<std::size_t>(from.offset), static_cast<std::size_t>(from.length));
      if (!latin) return push_held(Kind::bytes, text);
      std::string bytes;
      return utf8_to_latin1(text, bytes) && push_held(Kind::bytes, bytes);
    }
    PickleValue v;
    v.kind = Kind::bytes;
    v.at = static_cast<std::uint32_t>(data_.strings.size());
    data_.strings.push_back(from);
    data_.strings.back().latin1 = latin;
    return push(v);
  }

  bool push_name(std::string module, std::string name) {
    if (module.size() > kPickleName || name.size() > kPickleName) return bad("names a class by more than 4096 letters"), false;
    if (!within_values()) return false;
    if (name == "NumpyArrayWrapper" && module.ends_with("numpy_pickle")) {  // joblib: raw numbers between the instructions
      (void)failed({ErrorCode::unknown_format, {{"detail", "joblib wrote it, and put numbers between the instructions of the pickle; in Python: A = joblib.load(f); numpy.savez(...)"}}});
      return false;
    }
    if (is_dangerous(module, name)) {
      (void)failed({ErrorCode::dangerous_pickle, {{"name", printable(module + "." + name)}}});
      return false;
    }
    PickleValue v;
    v.kind = Kind::name;
    v.at = static_cast<std::uint32_t>(data_.names.size());
    const PickleClass known = pickle_class(module, name);
    data_.names.push_back({std::move(module), std::move(name), known});
    return push(v);
  }

  // ---- the stack ----

  [[nodiscard]] std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  bool pop(PickleValue& out) {
    if (stack_.size() <= floor()) return bad_stack(), false;
    out = stack_.back();
    stack_.pop_back();
    return true;
  }

  // Everything above the last mark, and the mark itself.
  bool pop_to_mark(std::vector<PickleValue>& out) {
    if (marks_.empty()) return bad("looks for a mark that nothing has set"), false;
    const std::size_t from = marks_.back();
    marks_.pop_back();
    out.assign(stack_.begin() + static_cast<std::ptrdiff_t>(from), stack_.end());
    stack_.resize(from);
    return true;
  }

  bool tuple_of(std::size_t n) {
    if (stack_.size() < floor() + n) return bad_stack(), false;
    std::vector<PickleValue> items(stack_.end() - static_cast<std::ptrdiff_t>(n), stack_.end());
    stack_.resize(stack_.size() - n);
    return push_record(Kind::tuple, std::move(items));
  }

  bool append(const std::vector<PickleValue>& items) {
    if (stack_.size() <= floor()) return bad_stack(), false;
    const PickleValue& to = stack_.back();
    if (!to.is(Kind::list) && !to.is(Kind::set) && !to.is(Kind::object)) return bad("appends to something that is no list"), false;
    auto& into = data_.records[to.at].items;
    into.insert(into.end(), items.begin(), items.end());
    return true;
  }

  bool set_items(const std::vector<PickleValue>& pairs) {
    if (stack_.size() <= floor()) return bad_stack(), false;
    if (pairs.size() % 2 != 0) return bad("sets a key without a value"), false;
    const PickleValue& to = stack_.back();
    if (!to.is(Kind::dict) && !to.is(Kind::object)) return bad("sets a key of something that is no dict"), false;
    PickleRecord& record = data_.records[to.at];
    auto& into = to.is(Kind::dict) ? record.items : data_.objects[record.object].pairs;
    into.insert(into.end(), pairs.begin(), pairs.end());
    return true;
  }

  bool remember(std::uint64_t key) {
    if (stack_.size() <= floor()) return bad_stack(), false;
    if (memo_.size() + sparse_memo_.size() >= kPickleMemo) return too_big(std::to_string(kPickleMemo) + " memo entries", "more than that"), false;
    // Keys count up from 0 or 1, whoever writes; others are legal, and must not cost memory for the gap.
    if (key < memo_.size()) {
      memo_[static_cast<std::size_t>(key)] = stack_.back();
    } else if (key <= memo_.size() + 16) {
      memo_.resize(static_cast<std::size_t>(key) + 1, missing());
      memo_.back() = stack_.back();
    } else {
      sparse_memo_[key] = stack_.back();
    }
    ++remembered_;
    return true;
  }

  bool recall(std::uint64_t key) {
    const auto it = sparse_memo_.find(key);
    if (it != sparse_memo_.end()) return push(it->second);
    if (key < memo_.size() && memo_[static_cast<std::size_t>(key)].at != kMissing) return push(memo_[static_cast<std::size_t>(key)]);
    return bad("asks for memo entry " + std::to_string(key) + ", which nothing has written"), false;
  }

  static constexpr std::uint32_t kMissing = ~std::uint32_t{0};
  static PickleValue missing() {
    PickleValue v;
    v.at = kMissing;
    return v;
  }

  // ---- instructions ----

  bool number_line(std::string& text) {
    if (!line(text)) return false;
    if (!text.empty() && text.back() == '\r') text.pop_back();
    return true;
  }

  bool whole_line(bool python2_long) {
    std::string text;
    if (!number_line(text)) return false;
    if (!python2_long && (text == "00" || text == "01")) return push(truth(text[1] == '1'));
    if (!text.empty() && text.back() == 'L') text.pop_back();
    const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+');
    if (text.size() == sign || text.find_first_not_of("0123456789", sign) != text.npos) return bad("writes a whole number as " + printable(text)), false;
    if (text.size() - sign <= 18) return push(whole(std::strtoll(text.c_str(), nullptr, 10)));
    if (text.size() > 4000) return bad("writes a whole number of more than 4000 digits"), false;
    return push(fraction(std::strtod(text.c_str(), nullptr)));
  }

  bool real_line() {
    std::string text;
    if (!number_line(text)) return false;
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);  // also nan and inf, as Python writes them
    if (text.empty() || text.size() > 400 || end != text.c_str() + text.size()) return bad("writes a number as " + printable(text)), false;
    return push(fraction(x));
  }

  bool quoted_line() {
    std::string text;
    if (!line(text)) return false;
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.pop_back();
    if (text.size() < 2 || text.front() != text.back() || (text.front() != '\'' && text.front() != '"')) return bad("holds a text without quotes"), false;
    return push_held(Kind::bytes, unescaped(std::string_view(text).substr(1, text.size() - 2)));
  }

  bool memo_line(std::uint64_t& key) {
    std::string text;
    if (!number_line(text)) return false;
    if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != text.npos) return bad("numbers a memo entry " + printable(text)), false;
    key = static_cast<std::uint64_t>(std::strtoll(text.c_str(), nullptr, 10));
    return true;
  }

  bool name_lines(PickleValue* out) {
    std::string module, name;
    if (!line(module) || !line(name) || !push_name(std::move(module), std::move(name))) return false;
    if (out) return pop(*out);
    return true;
  }

  bool long_bytes(std::uint64_t n) {
    if (n > kWindow) return bad("writes a whole number of " + std::to_string(n) + " bytes"), false;
    const std::uint8_t* p = take(static_cast<std::size_t>(n));
    return p && push(long_integer({reinterpret_cast<const char*>(p), static_cast<std::size_t>(n)}));
  }

  bool sized(Kind kind, std::size_t width) {
    const std::uint8_t* p = take(width);
    return p && push_string(kind, width == 1 ? *p : width == 4 ? le32(p) : le64(p));
  }

  bool step(std::uint8_t op) {
    std::vector<PickleValue> many;
    PickleValue a, b, c;
    const std::uint8_t* p = nullptr;
    std::uint64_t key = 0;
    switch (op) {
      case 0x80:  // PROTO
        if (!(p = take(1))) return false;
        return *p <= 5 || (bad("is of protocol " + std::to_string(*p) + ", known are 0 to 5"), false);
      case 0x95: return take(8) != nullptr;  // FRAME: how the writer cut it up says nothing about the values

      case '(': marks_.push_back(stack_.size()); return marks_.size() <= kPickleOps;
      case '0':  // POP
        if (!marks_.empty() && stack_.size() == marks_.back()) {
          marks_.pop_back();
          return true;
        }
        return pop(a);
      case '1': return pop_to_mark(many);  // POP_MARK
      case '2': return stack_.size() > floor() ? push(PickleValue(stack_.back())) : (bad_stack(), false);  // DUP

      case 'N': return push({});
      case 0x88: return push(truth(true));
      case 0x89: return push(truth(false));
      case 'I': return whole_line(false);
      case 'L': return whole_line(true);
      case 'F': return real_line();
      case 'J': return (p = take(4)) && push(whole(static_cast<std::int32_t>(le32(p))));
      case 'K': return (p = take(1)) && push(whole(*p));
      case 'M': return (p = take(2)) && push(whole(le16(p)));
      case 0x8a: return (p = take(1)) && long_bytes(*p);  // LONG1
      case 0x8b: return (p = take(4)) && long_bytes(le32(p));
      case 'G': {  // BINFLOAT, big endian
        if (!(p = take(8))) return false;
        const std::uint64_t bits = __builtin_bswap64(le64(p));
        double x = 0;
        std::memcpy(&x, &bits, sizeof x);
        return push(fraction(x));
      }

      case 'S': return quoted_line();
      case 'V': {
        std::string text;
        return line(text) && push_held(Kind::text, raw_unicode(text));
      }
      case 'T': return sized(Kind::bytes, 4);     // BINSTRING of Python 2: text or bytes, nobody knows
      case 'U': return sized(Kind::bytes, 1);
      case 'X': return sized(Kind::text, 4);      // BINUNICODE
      case 0x8c: return sized(Kind::text, 1);
      case 0x8d: return sized(Kind::text, 8);
      case 'B': return sized(Kind::bytes, 4);     // BINBYTES
      case 'C': return sized(Kind::bytes, 1);
      case 0x8e: return sized(Kind::bytes, 8);
      case 0x96: return sized(Kind::bytes, 8);    // BYTEARRAY8
      case 0x97: return bad("keeps its numbers outside the file (out-of-band buffers)"), false;  // NEXT_BUFFER
      case 0x98: return true;                     // READONLY_BUFFER

      case ']': return push_record(Kind::list, {});
      case ')': return push_record(Kind::tuple, {});
      case '}': return push_record(Kind::dict, {});
      case 0x8f: return push_record(Kind::set, {});
      case 'l': return pop_to_mark(many) && push_record(Kind::list, std::move(many));
      case 't': return pop_to_mark(many) && push_record(Kind::tuple, std::move(many));
      case 'd':
        if (!pop_to_mark(many)) return false;
        return many.size() % 2 == 0 ? push_record(Kind::dict, std::move(many)) : (bad("sets a key without a value"), false);
      case 0x91: return pop_to_mark(many) && push_record(Kind::set, std::move(many));  // FROZENSET
      case 0x85: return tuple_of(1);
      case 0x86: return tuple_of(2);
      case 0x87: return tuple_of(3);
      case 'a': return pop(a) && append({a});
      case 'e': return pop_to_mark(many) && append(many);
      case 0x90: return pop_to_mark(many) && append(many);  // ADDITEMS
      case 's': return pop(b) && pop(a) && set_items({a, b});
      case 'u': return pop_to_mark(many) && set_items(many);

      case 'p': return memo_line(key) && remember(key);
      case 'q': return (p = take(1)) && remember(*p);
      case 'r': return (p = take(4)) && remember(le32(p));
      case 0x94: return remember(remembered_);  // MEMOIZE
      case 'g': return memo_line(key) && recall(key);
      case 'h': return (p = take(1)) && recall(*p);
      case 'j': return (p = take(4)) && recall(le32(p));

      case 'c': return name_lines(nullptr);
      case 0x93: {  // STACK_GLOBAL
        if (!pop(b) || !pop(a)) return false;
        if (!data_.is_string(a) || !data_.is_string(b)) return bad("names a class by something that is no text"), false;
        return push_name(std::string(data_.short_text(a)), std::string(data_.short_text(b)));
      }
      case 'R': return pop(b) && pop(a) && push_object(a, b);
      case 0x81: return pop(b) && pop(a) && push_object(a, b);  // NEWOBJ
      case 0x92: return pop(c) && pop(b) && pop(a) && push_object(a, b) && keywords(c);  // NEWOBJ_EX
      case 'i': {  // INST
        if (!name_lines(&a) || !pop_to_mark(many) || !within_values()) return false;
        return push_object(a, data_.make(Kind::tuple, std::move(many), number_));
      }
      case 'o': {  // OBJ
        if (!pop_to_mark(many)) return false;
        if (many.empty()) return bad_stack(), false;
        a = many.front();
        many.erase(many.begin());
        return within_values() && push_object(a, data_.make(Kind::tuple, std::move(many), number_));
      }
      case 'b': {  // BUILD
        if (!pop(a)) return false;
        if (stack_.size() <= floor()) return bad_stack(), false;
        if (const PickleValue& to = stack_.back(); to.is(Kind::object)) data_.objects[data_.records[to.at].object].state = a;
        return true;
      }
      case 'P': {
        std::string text;
        return line(text) && push_held(Kind::text, text) && pop(a) && push_record(Kind::persistent, {a});
      }
      case 'Q': return pop(a) && push_record(Kind::persistent, {a});
      case 0x82:
      case 0x83:
      case 0x84: return bad("names a class by a number of the copyreg registry, which only its writer knows"), false;  // EXT
      default: return bad("holds the byte " + hex_byte(op) + ", which is no instruction"), false;
    }
  }

  // Keyword arguments become state, so that what stands in them is found.
  bool keywords(const PickleValue& given) {
    if (const PickleValue& to = stack_.back(); to.is(Kind::object)) data_.objects[data_.records[to.at].object].state = given;
    return true;
  }

  PickleData& data_;
  ByteSource& source_;
  std::uint64_t size_, position_;
  std::string what_;
  std::uint32_t number_ = 0;
  std::uint64_t start_ = 0;  // of the instruction at hand
  std::vector<std::uint8_t> window_;
  std::uint64_t window_start_ = 0;
  std::vector<PickleValue> stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::vector<PickleValue> memo_;
  std::map<std::uint64_t, PickleValue> sparse_memo_;
  std::uint64_t remembered_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<PickleEnd> read_pickle(PickleData& data, const Source& source, std::uint64_t offset, std::string_view what) {
  assert(offset <= source->size());
  return Machine(data, source, offset, what).run();
}

}  // namespace rollscope
