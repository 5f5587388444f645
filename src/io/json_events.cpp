#include "io/json_events.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

// RapidJSON adds an offset to a null pointer before its first allocation (internal/stack.h, Reserve): harmless on
// every machine, but clang's sanitizer stops there and would hide what is ours.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#ifdef __clang__
#pragma clang attribute pop
#endif

namespace rollscope {
namespace {

// What RapidJSON calls an input stream: one window of the file at a time. '\0' means the end.
class Window {
 public:
  using Ch = char;
  explicit Window(ByteSource& source) : source_(source), size_(source.size()) { fill(); }
  Ch Peek() const { return at_ < window_.size() ? static_cast<Ch>(window_[at_]) : '\0'; }
  Ch Take() {
    const Ch c = Peek();
    if (++at_ >= window_.size()) fill();
    return c;
  }
  std::size_t Tell() const { return static_cast<std::size_t>(start_ + at_); }
  // Asked for by the template, never called without the in-situ flag.
  Ch* PutBegin() { return nullptr; }
  void Put(Ch) {}
  void Flush() {}
  std::size_t PutEnd(Ch*) { return 0; }

  [[nodiscard]] const Result<void>& status() const { return status_; }
  [[nodiscard]] bool at_end() const { return start_ + at_ >= size_; }

 private:
  void fill() {
    start_ += std::min(at_, window_.size());
    at_ = 0;
    window_.resize(status_ ? static_cast<std::size_t>(std::min<std::uint64_t>(size_ - start_, 1 << 16)) : 0);
    if (window_.empty()) return;
    status_ = source_.read(start_, window_);
    if (!status_) window_.clear();
  }
  ByteSource& source_;
  std::uint64_t size_, start_ = 0;
  std::size_t at_ = 0;
  std::vector<std::uint8_t> window_;
  Result<void> status_;
};

struct Handler {
  JsonEvents& events;
  int depth = 0;
  bool too_deep = false;
  std::string number = {};

  using Size = rapidjson::SizeType;
  bool Null() { return events.null(); }
  bool Bool(bool b) { return events.boolean(b); }
  // Numbers come as text: RapidJSON's own conversion shifts by an undefined amount when all of a long row of digits
  // is zero (diyfp.h, Normalize), and its fast one is off by some units in the last place.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  bool RawNumber(const char* s, Size n, bool) {
    std::uint64_t whole = 0;
    bool is_whole = n <= 19;  // 19 digits always fit
    for (Size i = 0; i < n && is_whole; ++i) {
      is_whole = s[i] >= '0' && s[i] <= '9';
      whole = whole * 10 + static_cast<std::uint64_t>(s[i] - '0');
    }
    if (is_whole) return events.integer(whole);
    number.assign(s, n);
    return events.number(std::strtod(number.c_str(), nullptr));  // correctly rounded; nobody sets a locale here
  }
  bool String(const char* s, Size n, bool) { return events.text({s, n}); }
  bool Key(const char* s, Size n, bool) { return events.key({s, n}); }
  bool StartObject() { return deeper() && events.begin_object(); }
  bool EndObject(Size) { return --depth, events.end_object(); }
  bool StartArray() { return deeper() && events.begin_array(); }
  bool EndArray(Size) { return --depth, events.end_array(); }

 private:
  bool deeper() {
    too_deep = ++depth > kJsonDepthLimit;
    return !too_deep;
  }
};

}  // namespace

Result<bool> parse_json(ByteSource& source, JsonEvents& events) {
  Window window(source);
  const auto take_bom = [&] {  // U+FEFF, which some editors put first
    for (const char c : {'\xef', '\xbb', '\xbf'})
      if (window.Peek() == c) window.Take();
      else return;
  };
  take_bom();
  Handler handler{events};
  rapidjson::Reader reader;
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag |
                              rapidjson::kParseNanAndInfFlag | rapidjson::kParseValidateEncodingFlag;
  const auto result = reader.Parse<kFlags>(window, handler);
  if (!window.status()) return tl::unexpected(window.status().error());
  if (!result.IsError()) return true;
  const auto bad = [&](std::string detail) {
    return fail(ErrorCode::bad_json, {{"detail", std::move(detail)}, {"offset", std::to_string(result.Offset())}});
  };
  if (handler.too_deep) return bad("lists and objects are nested more than " + std::to_string(kJsonDepthLimit) + " deep");
  if (result.Code() == rapidjson::kParseErrorTermination) return false;
  if (window.at_end()) return bad("it ends in the middle");
  std::string detail = rapidjson::GetParseError_En(result.Code());
  if (!detail.empty() && detail.back() == '.') detail.pop_back();
  if (!detail.empty() && detail[0] >= 'A' && detail[0] <= 'Z') detail[0] = static_cast<char>(detail[0] - 'A' + 'a');
  return bad(detail);
}

}  // namespace rollscope
