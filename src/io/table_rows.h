// Text as rows of cells: what lies under a table, whichever program wrote it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/real.h"
#include "io/decimal.h"

namespace rollscope {

inline constexpr std::uint64_t kTableBytes = 64'000'000;  // numbers that are kept; a matrix of 2800 x 2800 doubles
inline constexpr std::size_t kTableNumbers = kTableBytes / sizeof(Real);

struct TableStyle {
  char separator = ',';  // ' ': any run of blanks
  DecimalRules decimals = DecimalRules::loose;
  bool quotes = true;
};

// The style in which most cells of `sample`, the start of a text, are numbers.
[[nodiscard]] TableStyle guess_table_style(const std::string& sample);

struct TableCell {
  std::string_view text;  // blanks around it taken off, quotes undone
  bool quoted = false;
};

// Lines of a source, each once and in order, without their ends (\n, \r\n, \r). A line of over 16 MB is too_big.
class TableLines {
 public:
  explicit TableLines(ByteSource& source) : source_(source), size_(source.size()) {}
  // False: there is none, or it cannot be read (then status() says why).
  bool next(std::string& line);
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] const Result<void>& status() const { return status_; }

 private:
  bool fill();
  ByteSource& source_;
  std::uint64_t size_, next_ = 0;
  std::vector<char> window_;
  std::size_t at_ = 0, number_ = 0;
  Result<void> status_;
};

// Lines as cells. A quoted cell may hold line ends, in 64 kB at most.
class TableRows {
 public:
  TableRows(ByteSource& source, const TableStyle& style) : lines_(source), style_(style) {}
  // False: no more, or it failed: see status() and open_quote().
  bool next();
  [[nodiscard]] bool blank() const;
  [[nodiscard]] std::size_t line() const { return first_line_; }  // counted from 1
  [[nodiscard]] const Result<void>& status() const { return lines_.status(); }
  [[nodiscard]] bool open_quote() const { return open_quote_; }
  // The number in a cell; NaN for what stands for a missing one; nothing for a text.
  [[nodiscard]] std::optional<double> number(std::size_t i) const;
  // A cell's text; bytes that are not UTF-8 are taken for Latin-1, as older spreadsheets write.
  [[nodiscard]] std::string text(std::size_t i) const;

  std::vector<TableCell> cells;  // valid until next()

 private:
  TableLines lines_;
  TableStyle style_;
  std::string line_, whole_;
  std::size_t first_line_ = 0;
  bool open_quote_ = false;
};

[[nodiscard]] std::string_view trimmed(std::string_view text);  // blanks and \r taken off both ends

// Errors that name a line: a cell that does not fit; rows of several lengths; more numbers than are kept.
[[nodiscard]] tl::unexpected<Error> bad_table(std::size_t line, std::string detail);
[[nodiscard]] tl::unexpected<Error> ragged_table(std::size_t line, std::size_t got, std::size_t want);
[[nodiscard]] tl::unexpected<Error> large_table();

}  // namespace rollscope
