#include "io/table_rows.h"

#include <algorithm>
#include <limits>

#include "base/utf8.h"
#include "io/bytes.h"
#include "io/names.h"

namespace rollscope {
namespace {

constexpr std::size_t kLongestLine = 16'000'000;
constexpr std::size_t kQuotedLines = 1 << 16;  // bytes that a quoted text with line breaks may take

// The number in a cell; NaN for what stands for a missing one; nothing for a text. `text` lies in a string.
std::optional<double> number_in(std::string_view text, DecimalRules rules) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  if (text.empty()) return kNan;
  const char* at = text.data();
  double value = 0;
  if (read_decimal(at, rules, value)) {
    const auto used = static_cast<std::size_t>(at - text.data());
    if (used == text.size()) return value;
    const std::string_view rest = trimmed(text.substr(std::min(used, text.size())));
    if (rest == "%") return value / 100;
    return std::nullopt;
  }
  if (text.size() > 9) return std::nullopt;
  const std::string word = lower(text);
  for (const char* missing : {"nan", "na", "n/a", "none", "null", "#n/a", "-", "--", "-nan", "masked", "?"})
    if (word == missing) return kNan;
  if (word == "inf" || word == "+inf" || word == "infinity") return kInf;
  if (word == "-inf" || word == "-infinity") return -kInf;
  return std::nullopt;
}

// Splits a line, undoing quotes in place. False: a quote stays open at its end.
bool split(std::string& line, const TableStyle& style, std::vector<TableCell>& cells) {
  cells.clear();
  char* p = line.data();
  char* const end = p + line.size();
  const bool blanks = style.separator == ' ';
  const auto separates = [&](char c) { return blanks ? c == ' ' || c == '\t' : c == style.separator; };
  const auto skip = [&] {
    while (p < end && (*p == ' ' || *p == '\t') && (blanks || !separates(*p))) ++p;
  };
  skip();
  if (blanks && p == end) return true;
  for (;;) {
    if (style.quotes && p < end && *p == '"') {
      char* const start = ++p;
      char* to = start;
      for (;; ++p) {
        if (p == end) return false;
        if (*p == '\\' && p + 1 < end && p[1] == '"' && p + 2 < end && !separates(p[2])) ++p;  // R writes \" for a quote
        else if (*p == '"') {
          if (p + 1 == end || p[1] != '"') break;
          ++p;
        }
        *to++ = *p;
      }
      cells.push_back({{start, static_cast<std::size_t>(to - start)}, true});
      for (++p; p < end && !separates(*p); ++p) {}
    } else {
      char* const start = p;
      while (p < end && !separates(*p)) ++p;
      cells.push_back({trimmed({start, static_cast<std::size_t>(p - start)}), false});
    }
    if (blanks) {
      skip();
      if (p >= end) return true;
    } else {
      if (p >= end) return true;
      ++p;
      skip();
      if (p == end) {  // the last cell is empty
        cells.push_back({});
        return true;
      }
    }
  }
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

TableStyle guess_table_style(const std::string& sample) {
  TableStyle best;
  long best_score = std::numeric_limits<long>::min();
  std::vector<TableCell> cells;
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < sample.size() && lines.size() < 40;) {
    const std::size_t end = std::min(sample.find_first_of("\r\n", at), sample.size());
    if (end > at && (lines.empty() || end < sample.size()) && sample[at] != '#') lines.push_back(sample.substr(at, end - at));
    at = end + 1;
  }
  for (const char separator : {'\t', ';', ',', '|', ' '})
    for (const DecimalRules decimals : {DecimalRules::loose, DecimalRules::comma}) {
      if (decimals == DecimalRules::comma && separator == ',') continue;
      const TableStyle style{separator, decimals, true};
      long score = 0;
      std::size_t width = 0;
      bool even = true;
      for (const std::string& line : lines) {
        std::string copy = line;
        if (!split(copy, style, cells)) continue;
        even = even && (width == 0 || width == cells.size());
        width = cells.size();
        if (cells.size() < 2) {
          score += cells.empty() || !number_in(cells[0].text, decimals) ? -1 : 0;
          continue;
        }
        for (const TableCell& c : cells) score += c.text.empty() ? 0 : number_in(c.text, decimals) ? 2 : -1;
      }
      if (even && width > 1) score += 2 * static_cast<long>(lines.size());
      if (score > best_score) {
        best_score = score;
        best = style;
      }
    }
  return best;
}

bool TableLines::next(std::string& line) {
  line.clear();
  if (!fill()) return false;
  ++number_;
  for (;;) {
    const char* const start = window_.data() + at_;
    const char* const end = window_.data() + window_.size();
    const char* p = start;
    while (p < end && *p != '\n' && *p != '\r') ++p;
    line.append(start, p);
    at_ += static_cast<std::size_t>(p - start);
    if (p < end) {
      ++at_;
      if (*p == '\r' && fill() && window_[at_] == '\n') ++at_;
      break;
    }
    if (line.size() > kLongestLine) {
      status_ = fail(ErrorCode::too_big, {{"needed", "a line of more than " + human_bytes(kLongestLine)}, {"limit", human_bytes(kLongestLine)},
                                          {"detail", "a row of a table is a line"}});
      return false;
    }
    if (!fill()) break;
  }
  if (number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
  return status_.has_value();
}

bool TableLines::fill() {
  if (at_ < window_.size()) return true;
  if (next_ >= size_ || !status_) return false;
  window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(1 << 16, size_ - next_)));
  status_ = source_.read(next_, {reinterpret_cast<std::uint8_t*>(window_.data()), window_.size()});
  if (!status_) return false;
  next_ += window_.size();
  at_ = 0;
  return true;
}

bool TableRows::next() {
  if (!lines_.next(line_)) return false;
  first_line_ = lines_.number();
  if (style_.quotes && line_.find('"') != line_.npos) {
    std::string more;
    for (whole_ = line_; !split(line_, style_, cells); line_ = whole_) {
      if (whole_.size() > kQuotedLines || !lines_.next(more)) {
        open_quote_ = lines_.status().has_value();
        return false;
      }
      (whole_ += '\n') += more;
    }
  } else {
    (void)split(line_, style_, cells);
  }
  return true;
}

bool TableRows::blank() const {
  return cells.empty() || std::all_of(cells.begin(), cells.end(), [](const TableCell& c) { return c.text.empty() && !c.quoted; });
}

std::optional<double> TableRows::number(std::size_t i) const { return number_in(cells[i].text, style_.decimals); }

std::string TableRows::text(std::size_t i) const {
  const std::string_view text = cells[i].text;
  if (utf8_valid(text)) return std::string(text);
  std::string out;
  for (const char c : text) utf8_append(out, static_cast<unsigned char>(c));
  return out;
}

tl::unexpected<Error> bad_table(std::size_t line, std::string detail) {
  return fail(ErrorCode::bad_table, {{"line", std::to_string(line)}, {"detail", std::move(detail)}});
}
tl::unexpected<Error> ragged_table(std::size_t line, std::size_t got, std::size_t want) {
  return fail(ErrorCode::ragged, {{"where", "line " + std::to_string(line)}, {"detail", std::to_string(got) + " entries there, " + std::to_string(want) + " before"}});
}
tl::unexpected<Error> large_table() {
  return fail(ErrorCode::too_big, {{"needed", "more than " + human_bytes(kTableBytes) + " for its numbers"}, {"limit", human_bytes(kTableBytes)},
                                   {"detail", "numbers of a table are kept in memory"}});
}

}  // namespace rollscope
