#include "io/json_events.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "io/decimal.h"

namespace rollscope {
namespace {

constexpr std::size_t kWindow = 1 << 17;
constexpr std::ptrdiff_t kLongNumber = 48;  // shorter ones are read where they lie
constexpr std::size_t kRun = 512;

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }
bool starts_number(char c) { return is_digit(c) || c == '-'; }

class Parser {
 public:
  Parser(ByteSource& source, std::uint64_t offset, JsonEvents& events)
      : source_(source), events_(events), size_(source.size()), start_(offset), next_(offset), runs_(events.takes_numbers()) {
    fill();
  }

  void pass_byte_order_mark() {
    if (end_ - at_ >= 3 && std::string_view(at_, 3) == "\xef\xbb\xbf") at_ += 3;
  }

  // The parser's own steps return false where they cannot go on: then why() is one of the three.
  Result<bool> value() {
    if (run()) return true;
    if (!status_) return tl::unexpected(status_.error());
    if (stopped_) return false;
    return fail(ErrorCode::bad_json, {{"detail", detail_}, {"offset", std::to_string(offset())}});
  }
  Result<bool> nothing_more() {
    blank();
    if (at_ == end_ && status_) return true;
    (void)bad("something follows the end of the value");
    return value_error();
  }
  [[nodiscard]] std::uint64_t offset() const { return next_ - static_cast<std::uint64_t>(end_ - at_); }

 private:
  Result<bool> value_error() {
    if (!status_) return tl::unexpected(status_.error());
    return fail(ErrorCode::bad_json, {{"detail", detail_}, {"offset", std::to_string(offset())}});
  }

  // Puts what is left to the front of the window and reads on behind it. False: there is no more.
  bool fill() {
    if (next_ >= size_ || !status_) return false;
    events_.progress(offset() - start_, size_ - start_);
    const auto left = static_cast<std::size_t>(end_ - at_);
    if (window_.empty()) window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, size_ - next_)) + kLongNumber + 1);
    std::copy(at_, end_, window_.data());
    at_ = window_.data();
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(window_.size() - 1 - left, size_ - next_));
    status_ = source_.read(next_, {reinterpret_cast<std::uint8_t*>(window_.data()) + left, count});
    end_ = at_ + left + (status_ ? count : 0);
    *const_cast<char*>(end_) = '\0';  // every scan stops there
    if (!status_) return false;
    next_ += count;
    return true;
  }

  bool bad(std::string detail) {
    detail_ = std::move(detail);
    return false;
  }
  bool told(bool go_on) {
    stopped_ = stopped_ || !go_on;
    return go_on;
  }

  // To the next character that is not white space; '\0' at the end.
  char blank() {
    for (;;) {
      while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') ++at_;
      if (at_ < end_ || !fill()) return *at_;
    }
  }

  bool unexpected(const char* wanted) {
    if (at_ == end_) return bad("it ends in the middle");
    return bad(std::string("there should be ") + wanted);
  }

  bool run() {
    for (char c = blank();;) {
      // A value.
      if (starts_number(c)) {
        if (!(runs_ && depth_ > 0 && !in_object() ? numbers() : number())) return false;
      } else if (c == '[' || c == '{') {
        if (++depth_ > kJsonDepthLimit) return bad("lists and objects are nested more than " + std::to_string(kJsonDepthLimit) + " deep");
        const bool object = c == '{';
        objects_ = (objects_ << 1) | (object ? 1 : 0);
        ++at_;
        if (!told(object ? events_.begin_object() : events_.begin_array())) return false;
        c = blank();
        if (c != (object ? '}' : ']')) {
          if (object && !key()) return false;
          c = blank();
          continue;
        }
        if (!close(object)) return false;
      } else if (c == '"') {
        if (!text() || !told(events_.text(text_))) return false;
      } else if (!word()) {
        return false;
      }
      // Behind a value.
      for (;;) {
        if (depth_ == 0) return true;
        c = blank();
        if (c == ',') {
          ++at_;
          c = blank();
          if (in_object() && !key()) return false;
          c = blank();
          break;
        }
        const bool object = in_object();
        if (c != (object ? '}' : ']')) return unexpected(object ? "a comma or }" : "a comma or ]");
        if (!close(object)) return false;
      }
    }
  }

  [[nodiscard]] bool in_object() const { return (objects_ & 1) != 0; }
  bool close(bool object) {
    ++at_;
    --depth_;
    objects_ >>= 1;
    return told(object ? events_.end_object() : events_.end_array());
  }

  bool key() {
    if (*at_ != '"') return unexpected("a name in quotes");
    if (!text() || !told(events_.key(text_))) return false;
    if (blank() != ':') return unexpected("a colon");
    ++at_;
    return true;
  }

  // A number that may lie across the end of the window, or be longer than it.
  bool scan(double& value, std::uint64_t* whole, bool& is_whole) {
    if (end_ - at_ < kLongNumber) fill();
    const char* const start = at_;
    const char* p = start;
    std::string pieces;
    if (!read_decimal(p, DecimalRules::json, value) || (p == end_ && next_ < size_)) {
      if (*start == '-' && start[1] == 'I') {
        at_ = start + 1;
        value = -1;
        if (!infinity()) return false;
        value = -value_;
        is_whole = false;
        return true;
      }
      // Either it is no number, or only its beginning is here.
      for (;; fill()) {
        for (; is_digit(*at_) || *at_ == '-' || *at_ == '+' || *at_ == '.' || *at_ == 'e' || *at_ == 'E'; ++at_) pieces += *at_;
        if (at_ < end_ || next_ >= size_ || !status_) break;
      }
      p = pieces.c_str();
      if (!read_decimal(p, DecimalRules::json, value) || *p != '\0') return at_ == end_ && next_ >= size_ ? bad("it ends in the middle") : bad("a number is malformed");
      is_whole = false;
      return finite(value);
    }
    at_ = p;
    if (*p == '.' || is_digit(*p)) return bad("a number is malformed");
    if (whole) {
      is_whole = p - start <= 19;  // 19 digits always fit
      *whole = 0;
      for (const char* q = start; q < p && is_whole; ++q) {
        is_whole = is_digit(*q);
        *whole = *whole * 10 + static_cast<std::uint64_t>(*q - '0');
      }
    }
    return finite(value);
  }
  bool finite(double value) { return value - value == 0 || bad("a number is too large"); }

  bool number() {
    double value = 0;
    std::uint64_t whole = 0;
    bool is_whole = false;
    if (!scan(value, &whole, is_whole)) return false;
    return told(is_whole ? events_.integer(whole) : events_.number(value));
  }

  // A number in a list, and those that follow it.
  bool numbers() {
    std::size_t n = 0;
    for (bool is_whole = false;;) {
      if (!scan(run_[n], nullptr, is_whole)) return false;
      ++n;
      const char c = *at_ == ',' ? ',' : blank();
      if (c != ',') break;
      // Only what a number follows is taken here: a comma before anything else is the caller's.
      const char* p = at_ + 1;
      while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t') ++p;
      if (p >= end_ || !starts_number(*p)) break;
      at_ = p;
      if (n == kRun) {
        if (!told(events_.numbers(run_.data(), n))) return false;
        n = 0;
      }
    }
    return told(events_.numbers(run_.data(), n));
  }

  bool infinity() {
    if (!take("Infinity")) return unexpected("a value");
    value_ = 1 / kZero;
    return true;
  }

  bool take(std::string_view literal) {
    if (end_ - at_ < static_cast<std::ptrdiff_t>(literal.size())) fill();
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, literal.size()) != literal) return false;
    at_ += literal.size();
    return true;
  }

  bool word() {
    switch (*at_) {
      case 'n': return take("null") ? told(events_.null()) : unexpected("a value");
      case 't': return take("true") ? told(events_.boolean(true)) : unexpected("a value");
      case 'f': return take("false") ? told(events_.boolean(false)) : unexpected("a value");
      case 'N': return take("NaN") ? told(events_.number(kZero / kZero)) : unexpected("a value");
      case 'I': return infinity() && told(events_.number(value_));
      default: return unexpected("a value");
    }
  }

  // From a quote to its partner; the text is in text_ until the next step.
  bool text() {
    const char* p = ++at_;
    const auto plain = [](char c) { return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20; };
    while (plain(*p)) ++p;
    if (*p == '"' && p < end_) {  // the usual case: no escape, all of it here
      text_ = {at_, static_cast<std::size_t>(p - at_)};
      if (!utf8_valid(text_)) return bad("a text is not UTF-8");
      at_ = p + 1;
      return true;
    }
    pieces_.clear();
    for (;;) {
      pieces_.append(at_, p);
      at_ = p;
      if (at_ == end_) {
        if (!fill()) return bad("it ends in the middle");
      } else if (*at_ == '"') {
        ++at_;
        text_ = pieces_;
        return utf8_valid(text_) || bad("a text is not UTF-8");
      } else if (*at_ == '\\') {
        if (!escape()) return false;
      } else {
        return bad("a text holds a control character");
      }
      for (p = at_; plain(*p);) ++p;
    }
  }

  bool escape() {
    if (end_ - at_ < 12) fill();
    if (end_ - at_ < 2) return bad("it ends in the middle");
    const char c = at_[1];
    if (c != 'u') {
      constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
      const auto i = kFrom.find(c);
      if (i == kFrom.npos) return bad("a text holds an unknown escape");
      pieces_ += kTo[i];
      at_ += 2;
      return true;
    }
    int code = hex(2);
    if (code < 0) return false;
    at_ += 6;
    if (code >= 0xdc00 && code < 0xe000) return bad("a text holds half a surrogate pair");
    if (code >= 0xd800 && code < 0xdc00) {
      const int second = *at_ == '\\' && at_[1] == 'u' ? hex(2) : -1;
      if (second < 0xdc00 || second >= 0xe000) return bad("a text holds half a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
      at_ += 6;
    }
    utf8_append(pieces_, static_cast<char32_t>(code));
    return true;
  }

  int hex(int from) {
    int code = 0;
    for (int i = from; i < from + 4; ++i) {
      const char c = at_ + i < end_ ? at_[i] : '\0';
      const int digit = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
      if (digit < 0) {
        (void)bad("a text holds an unknown escape");
        return -1;
      }
      code = code * 16 + digit;
    }
    return code;
  }

  static constexpr double kZero = 0;
  ByteSource& source_;
  JsonEvents& events_;
  std::uint64_t size_, start_, next_;  // next_: the byte behind the window
  bool runs_;
  std::vector<char> window_;
  const char* at_ = "";  // the next character; '\0' stands at end_
  const char* end_ = at_;
  int depth_ = 0;
  std::uint64_t objects_ = 0;  // a bit for each level, the innermost last
  Result<void> status_;
  bool stopped_ = false;
  std::string detail_;
  double value_ = 0;
  std::string_view text_;
  std::string pieces_;
  std::array<double, kRun> run_;
};

}  // namespace

Result<bool> parse_json(ByteSource& source, JsonEvents& events) {
  Parser parser(source, 0, events);
  parser.pass_byte_order_mark();
  auto done = parser.value();
  if (!done || !*done) return done;
  return parser.nothing_more();
}

Result<bool> parse_json_value(ByteSource& source, std::uint64_t offset, JsonEvents& events, std::uint64_t& end) {
  Parser parser(source, offset, events);
  auto done = parser.value();
  end = parser.offset();
  return done;
}

}  // namespace rollscope
