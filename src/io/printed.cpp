#include "io/printed.h"

#include <limits>

#include "io/decimal.h"

namespace rollscope {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name(char c) { return is_letter(c) || c == '.' || (c >= '0' && c <= '9'); }

// One pass over the text. Without events it only checks, so that nothing is kept of what is no print.
class Printed {
 public:
  Printed(std::string_view text, JsonEvents* events) : text_(text), events_(events) {}

  // How many values there are; 0: it is no print.
  std::size_t values() {
    std::size_t count = 0;
    for (;;) {
      const std::size_t before = at_;
      blank();
      if (at_ == text_.size()) return count;
      if (count > 0 && text_.substr(before, at_ - before).find('\n') == text_.npos) return 0;
      assignment();
      if (!value(0)) return 0;
      ++count;
      if (at_ < text_.size() && (text_[at_] == ',' || text_[at_] == ';')) ++at_;
    }
  }
  [[nodiscard]] bool elided() const { return elided_; }
  [[nodiscard]] std::size_t offset() const { return at_; }

 private:
  void blank() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  // "A = "
  void assignment() {
    std::size_t at = at_;
    if (at == text_.size() || !is_letter(text_[at])) return;
    while (at < text_.size() && is_name(text_[at])) ++at;
    while (at < text_.size() && text_[at] == ' ') ++at;
    if (at < text_.size() && text_[at] == '=') {
      at_ = at + 1;
      blank();
    }
  }

  bool number(double value) { return !events_ || events_->number(value); }

  bool value(int depth) {
    if (depth >= kJsonDepthLimit) return false;
    const char c = peek();
    if (c == '[' || c == '(') return list(depth, c == '[' ? ']' : ')');
    if (text_.substr(at_).starts_with("...") || text_.substr(at_).starts_with("\xe2\x80\xa6")) {
      elided_ = true;
      return false;
    }
    const char sign = c == '-' || c == '+' ? c : '\0';
    const std::size_t word_at = at_ + (sign ? 1 : 0);
    if (word_at < text_.size() && is_letter(text_[word_at])) {
      at_ = word_at;
      return word(depth, sign);
    }
    const char* p = text_.data() + at_;
    double x = 0;
    if (at_ == text_.size() || !read_decimal(p, DecimalRules::loose, x)) return false;
    at_ = static_cast<std::size_t>(p - text_.data());
    return at_ <= text_.size() && !is_letter(peek()) && number(x);
  }

  bool list(int depth, char close) {
    ++at_;
    if (events_ && !events_->begin_array()) return false;
    for (;;) {
      blank();
      if (peek() == close) break;
      if (peek() == ',') ++at_, blank();
      if (peek() == close) break;
      if (at_ >= text_.size() || !value(depth + 1)) return false;
    }
    ++at_;
    return !events_ || events_->end_array();
  }

  // nan, None, True, or a call: tensor(...), np.float32(0.5). Of a call the first value counts.
  bool word(int depth, char sign) {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    const double inf = std::numeric_limits<double>::infinity();
    if (name == "nan" || name == "NaN") return number(std::numeric_limits<double>::quiet_NaN());
    if (name == "inf" || name == "Infinity" || name == "Inf") return number(sign == '-' ? -inf : inf);
    if (sign) return false;
    if (name == "None" || name == "null") return !events_ || events_->null();
    if (name == "True" || name == "true") return number(1);
    if (name == "False" || name == "false") return number(0);
    blank();
    if (name == "Parameter" && text_.substr(at_).starts_with("containing:")) {
      at_ += 11;
      blank();
      return value(depth + 1);
    }
    if (peek() != '(') return false;
    ++at_;
    blank();
    if (!value(depth + 1)) return false;
    return rest_of_call();
  }

  // ", dtype=float32, device='cuda:0', grad_fn=<SoftmaxBackward0>)"
  bool rest_of_call() {
    int open = 1;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '(') ++open;
      else if (c == ')' && --open == 0) return ++at_, true;
      else if (c == '[' || c == '{') return false;  // more than one array: not a print
    }
    return false;
  }

  std::string_view text_;
  JsonEvents* events_;
  std::size_t at_ = 0;
  bool elided_ = false;
};

}  // namespace

Result<JsonDocument> read_printed(std::string_view text, std::uint64_t memory_limit) {
  Printed check(text, nullptr);
  const std::size_t count = check.values();
  if (check.elided()) return tl::unexpected(foreign_file("elided"));
  if (count == 0) return fail(ErrorCode::bad_json, {{"detail", "it is no list of numbers"}, {"offset", std::to_string(check.offset())}});
  JsonDocument out;
  const auto builder = json_builder(out, memory_limit);
  const bool several = count > 1;
  if (!(!several || builder->begin_array()) || Printed(text, builder.get()).values() == 0 || !(!several || builder->end_array()))
    return tl::unexpected(builder->error());
  return out;
}

}  // namespace rollscope
