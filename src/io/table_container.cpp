// A table in text as a container: what numpy.savetxt, pandas, R, spreadsheets and people write, and what is pasted.
//
// One matrix, row = query; a first line and a first column of texts are its tokens. Several matrices with blank lines
// or comments between them are layers. A table with the columns query, key and weight (layer, head) is a stack in long
// form. Text that Python printed is read by io/printed.h. Lines are read one by one; the numbers are kept.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "base/text.h"
#include "io/container.h"
#include "io/decimal.h"
#include "io/json_container.h"
#include "io/names.h"
#include "io/printed.h"
#include "base/utf8.h"

namespace rollscope {
namespace {

constexpr std::uint64_t kNumberBytes = 64'000'000;  // numbers that are kept; a matrix of 2800 x 2800 doubles
constexpr std::size_t kMostNumbers = kNumberBytes / sizeof(Real);
constexpr std::size_t kLongestLine = 16'000'000;
constexpr std::size_t kQuotedLines = 1 << 16;  // bytes that a quoted text with line breaks may take
constexpr std::size_t kSample = 1 << 16;

struct Style {
  char separator = ',';  // ' ': any run of blanks
  DecimalRules decimals = DecimalRules::loose;
  bool quotes = true;
};

struct Cell {
  std::string_view text;  // blanks around it taken off, quotes undone
  bool quoted = false;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

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

// Lines of a source, each once and in order, without their ends (\n, \r\n, \r).
class Lines {
 public:
  explicit Lines(ByteSource& source) : source_(source), size_(source.size()) {}
  // False: there is none, or it cannot be read (then status() says why).
  bool next(std::string& line) {
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
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] const Result<void>& status() const { return status_; }

 private:
  bool fill() {
    if (at_ < window_.size()) return true;
    if (next_ >= size_ || !status_) return false;
    window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(1 << 16, size_ - next_)));
    status_ = source_.read(next_, {reinterpret_cast<std::uint8_t*>(window_.data()), window_.size()});
    if (!status_) return false;
    next_ += window_.size();
    at_ = 0;
    return true;
  }
  ByteSource& source_;
  std::uint64_t size_, next_ = 0;
  std::vector<char> window_;
  std::size_t at_ = 0, number_ = 0;
  Result<void> status_;
};

// Splits a line, undoing quotes in place. False: a quote stays open at its end.
bool split(std::string& line, const Style& style, std::vector<Cell>& cells) {
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

// Which separator makes numbers of the most cells.
Style guess_style(const std::string& sample) {
  Style best;
  long best_score = std::numeric_limits<long>::min();
  std::vector<Cell> cells;
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < sample.size() && lines.size() < 40;) {
    const std::size_t end = std::min(sample.find_first_of("\r\n", at), sample.size());
    if (end > at && (lines.empty() || end < sample.size()) && sample[at] != '#') lines.push_back(sample.substr(at, end - at));
    at = end + 1;
  }
  for (const char separator : {'\t', ';', ',', '|', ' '})
    for (const DecimalRules decimals : {DecimalRules::loose, DecimalRules::comma}) {
      if (decimals == DecimalRules::comma && separator == ',') continue;
      const Style style{separator, decimals, true};
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
        for (const Cell& c : cells) score += c.text.empty() ? 0 : number_in(c.text, decimals) ? 2 : -1;
      }
      if (even && width > 1) score += 2 * static_cast<long>(lines.size());
      if (score > best_score) {
        best_score = score;
        best = style;
      }
    }
  return best;
}

// Lines as cells.
class Rows {
 public:
  Rows(ByteSource& source, const Style& style) : lines_(source), style_(style) {}
  // False: no more, or it failed: see status() and open_quote().
  bool next() {
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
  [[nodiscard]] bool blank() const {
    return cells.empty() || std::all_of(cells.begin(), cells.end(), [](const Cell& c) { return c.text.empty() && !c.quoted; });
  }
  [[nodiscard]] std::size_t line() const { return first_line_; }
  [[nodiscard]] const Result<void>& status() const { return lines_.status(); }
  [[nodiscard]] bool open_quote() const { return open_quote_; }
  [[nodiscard]] std::optional<double> number(std::size_t i) const { return number_in(cells[i].text, style_.decimals); }

  std::vector<Cell> cells;

 private:
  Lines lines_;
  Style style_;
  std::string line_, whole_;
  std::size_t first_line_ = 0;
  bool open_quote_ = false;
};

tl::unexpected<Error> bad_table(std::size_t line, std::string detail) {
  return fail(ErrorCode::bad_table, {{"line", std::to_string(line)}, {"detail", std::move(detail)}});
}
tl::unexpected<Error> ragged(std::size_t line, std::size_t got, std::size_t want) {
  return fail(ErrorCode::ragged, {{"where", "line " + std::to_string(line)}, {"detail", std::to_string(got) + " entries there, " + std::to_string(want) + " before"}});
}
tl::unexpected<Error> too_many() {
  return fail(ErrorCode::too_big, {{"needed", "more than " + human_bytes(kNumberBytes) + " for its numbers"}, {"limit", human_bytes(kNumberBytes)},
                                   {"detail", "numbers of a table are kept in memory"}});
}

using Texts = std::vector<std::string>;

std::string utf8_of(std::string_view text) {
  if (utf8_valid(text)) return std::string(text);
  std::string out;  // Latin-1, as older spreadsheets write
  for (const char c : text) utf8_append(out, static_cast<unsigned char>(c));
  return out;
}

Texts texts_of(const std::vector<Cell>& cells, std::size_t from) {
  Texts out;
  for (std::size_t i = from; i < cells.size(); ++i) out.push_back(utf8_of(cells[i].text));
  return out;
}

// 0 1 2 .. or 1 2 3 ..: what pandas and R put where nobody gave names.
bool counts(const Texts& texts) {
  const auto is = [&](std::size_t from) {
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (texts[i] != std::to_string(i + from)) return false;
    return true;
  };
  return texts.size() > 1 && (is(0) || is(1));
}
// V1 V2 ..., X1 X2 ..., Unnamed: 0 ...: the same in other words.
bool placeholders(const Texts& texts) {
  if (counts(texts)) return true;
  if (texts.size() < 2) return false;
  Texts rest;
  const char first = texts[0].empty() ? '\0' : texts[0][0];
  if (first != 'V' && first != 'X') return false;
  for (const auto& t : texts)
    if (t.empty() || t[0] != first) return false;
    else rest.push_back(t.substr(1));
  return counts(rest);
}

class Matrices {
 public:
  explicit Matrices(Rows& rows) : rows_(rows) {}

  // Reads the table up to its end.
  Result<void> read() {
    while (rows_.next()) {
      // Separators alone are a row of NaN in the midst of a matrix, as pandas writes it, and a blank line elsewhere.
      const bool inside = current_.rows > 0 && rows_.cells.size() > 1 && current_.rows < current_.columns && rows_.cells.size() == current_.columns + (has_index_ ? 1 : 0);
      if (rows_.blank() && !inside) {
        end_block();
        continue;
      }
      if (auto done = add_row(); !done) return done;
    }
    if (!rows_.status()) return tl::unexpected(rows_.status().error());
    end_block();
    return {};
  }

  [[nodiscard]] bool any() const { return !blocks_.empty(); }
  // "in all, 1, 2", or a list of words with one number: no table.
  [[nodiscard]] bool prose() const {
    const Block& b = blocks_[0];
    return blocks_.size() == 1 && b.rows == 1 && (b.columns == 1 || (!b.index.empty() && b.header.empty()));
  }

  Result<Container> container() {
    Container out;
    out.format = "csv";
    const Block& first = blocks_.front();
    std::uint64_t rows = 0;
    bool equal = true, single = true;
    for (const Block& b : blocks_) {
      rows += b.rows;
      equal = equal && b.rows == first.rows;
      single = single && b.rows == 1;
      if (b.columns != first.columns) return ragged(b.line, b.columns, first.columns);
    }
    // A blank line behind every row is how csv.writer looks that opened its file without newline=''.
    const bool joined = blocks_.size() > 1 && (single || !equal || (first.rows != first.columns && rows == first.columns));
    if (joined && !single && !(rows == first.columns)) {
      const auto odd = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.rows != first.rows; });
      return ragged(odd->line, odd->rows, first.rows);
    }
    Block whole = first;
    if (joined) {
      whole.rows = rows;
      for (std::size_t i = 1; i < blocks_.size(); ++i) whole.index.insert(whole.index.end(), blocks_[i].index.begin(), blocks_[i].index.end());
    }
    StoredArray a;
    a.dtype = sizeof(Real) == 8 ? DType::f64 : DType::f32;
    a.shown = DType::f64;
    a.shape = {whole.rows, whole.columns};
    if (!joined && blocks_.size() > 1) a.shape.insert(a.shape.begin(), blocks_.size());
    if (whole.rows + 1 == whole.columns && a.shape.size() == 2 && drop_empty_column(whole)) a.shape[1] = whole.columns;
    a.elements = shape_product(a.shape).value_or(0);
    a.bytes = pool_source(pool_, 0, static_cast<std::size_t>(a.elements));
    name(out, a, whole);
    out.arrays.push_back(std::move(a));
    return out;
  }

 private:
  struct Block {
    Texts header, index;  // empty: none
    std::uint64_t rows = 0, columns = 0;
    std::size_t line = 0;  // of the first row
  };

  // A comma behind the last entry of every row makes a column of nothing.
  bool drop_empty_column(Block& whole) {
    std::vector<Real>& p = *pool_;
    const auto n = static_cast<std::size_t>(whole.columns);
    for (std::size_t i = n - 1; i < p.size(); i += n)
      if (!std::isnan(p[i])) return false;
    std::size_t to = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
      if (i % n != n - 1) p[to++] = p[i];
    p.resize(to);
    --whole.columns;
    if (whole.header.size() > whole.columns) whole.header.pop_back();
    return true;
  }

  // Tokens: of the queries those of the first column, of the keys those of the first line. Texts that differ on the
  // two sides of a square are two texts: cross attention.
  static void name(Container& out, StoredArray& a, Block& b) {
    const bool queries = b.index.size() == b.rows && !placeholders(b.index), keys = b.header.size() == b.columns && !placeholders(b.header);
    std::size_t same = 0;
    if (queries && keys && b.rows == b.columns)
      for (std::size_t i = 0; i < b.index.size(); ++i) same += b.index[i] == b.header[i];
    const bool square = b.rows == b.columns, cross = queries && keys && square && 2 * same < b.rows;
    if (cross) a.name = "cross_attentions";
    if (square && !cross && (queries || keys)) out.texts.push_back({"tokens", {b.rows}, queries ? b.index : b.header});
    if (queries) out.texts.push_back({"query_tokens", {b.rows}, std::move(b.index)});
    if (keys) out.texts.push_back({"key_tokens", {b.columns}, std::move(b.header)});
  }

  void end_block() {
    if (current_.rows > 0) {
      blocks_.push_back(std::move(current_));
      current_ = {};
      has_pending_ = false;
    }
  }

  // Are all entries from `from` on numbers, and is one of them there?
  [[nodiscard]] bool numeric(std::size_t from) const {
    bool any = false;
    for (std::size_t i = from; i < rows_.cells.size(); ++i) {
      const auto x = rows_.number(i);
      if (!x) return false;
      any = any || !std::isnan(*x);
    }
    return any || (current_.rows > 0 && from < rows_.cells.size());  // a row of NaN is one where others are
  }

  void keep_pending() {
    pending_ = texts_of(rows_.cells, 0);
    has_pending_ = true;
  }

  Result<void> add_row() {
    std::vector<Cell>& cells = rows_.cells;
    const bool indexed = current_.rows > 0 ? has_index_ : false;
    const std::size_t expected = static_cast<std::size_t>(current_.columns) + (indexed ? 1 : 0);
    if (!cells[0].quoted && cells[0].text.starts_with('#') && !(cells.size() == (current_.rows > 0 ? expected : width_) && numeric(1))) {
      end_block();
      cells[0].text = trimmed(cells[0].text.substr(1));
      if (cells[0].text.empty() && cells.size() > 1) cells.erase(cells.begin());
      if (is_header()) keep_pending();
      return {};
    }
    if (current_.rows == 0) return first_row();
    if (cells.size() == expected) {
      if (numeric(indexed ? 1 : 0)) return push(indexed);
      if (is_header()) {  // the next matrix brings its own
        end_block();
        keep_pending();
        return {};
      }
      std::size_t bad = indexed ? 1 : 0;
      while (bad < cells.size() && rows_.number(bad)) ++bad;
      if (bad < cells.size()) return bad_table(rows_.line(), "column " + std::to_string(bad + 1) + " holds \"" + printable(utf8_of(cells[bad].text)) + "\"");
      return push(indexed);
    }
    if (current_.rows == 1 && indexed && cells.size() > expected && numeric(0)) {  // "Layer 0", above a matrix
      pool_->resize(pool_->size() - static_cast<std::size_t>(current_.columns));
      current_ = {};
      return first_row();
    }
    if (is_header() || (!rows_.number(0) && cells.size() <= 3 && expected > 3)) {  // a caption
      end_block();
      keep_pending();
      return {};
    }
    return ragged(rows_.line(), cells.size() - (indexed && cells.size() > 0 ? 1 : 0), static_cast<std::size_t>(current_.columns));
  }

  // No entry of it is a number.
  [[nodiscard]] bool is_header() const {
    for (std::size_t i = 0; i < rows_.cells.size(); ++i)
      if (!rows_.cells[i].quoted && !rows_.cells[i].text.empty() && rows_.number(i)) return false;
    return true;
  }

  Result<void> first_row() {
    const std::vector<Cell>& cells = rows_.cells;
    const auto names = texts_of(cells, 0);
    const bool quoted = cells.size() > 1 && std::all_of(cells.begin() + 1, cells.end(), [](const Cell& c) { return c.quoted; });
    const bool counted = !has_pending_ && (counts(names) || (names.size() > 2 && names[0].empty() && counts(Texts(names.begin() + 1, names.end()))));
    if (cells.size() == 1 ? !numeric(0) : quoted || counted || !numeric(1)) {
      if (has_pending_ && pending_.size() > 1 && cells.size() == 1) return {};  // a caption below the names
      keep_pending();
      return {};
    }
    const bool text = !rows_.number(0) || cells[0].quoted;
    const std::size_t n = cells.size();
    bool index = n > 1 && text;
    Texts header;
    if (has_pending_ && n > 1) {
      if (pending_.size() == n - 1 && n > 2) header = pending_, index = true;              // R: nothing above the row names
      else if (pending_.size() == n && pending_[0].empty()) index = true;                  // pandas
      if (header.empty() && pending_.size() == n) header.assign(pending_.begin() + (index ? 1 : 0), pending_.end());
    } else if (!has_pending_ && !blocks_.empty() && width_ == n) {
      index = index || has_index_;
      header = blocks_.back().header;
    }
    has_index_ = index;
    width_ = n;
    current_.columns = n - (index ? 1 : 0);
    current_.header = std::move(header);
    current_.line = rows_.line();
    return push(index);
  }

  Result<void> push(bool indexed) {
    const std::vector<Cell>& cells = rows_.cells;
    if (pool_->size() + cells.size() > kMostNumbers) return too_many();
    for (std::size_t i = indexed ? 1 : 0; i < cells.size(); ++i) pool_->push_back(static_cast<Real>(rows_.number(i).value_or(0)));
    if (indexed) current_.index.push_back(utf8_of(cells[0].text));
    ++current_.rows;
    return {};
  }

  Rows& rows_;
  std::shared_ptr<std::vector<Real>> pool_ = std::make_shared<std::vector<Real>>();
  std::vector<Block> blocks_;
  Block current_;
  Texts pending_;  // a line of texts that may turn out to be names of columns
  bool has_pending_ = false, has_index_ = false;
  std::size_t width_ = 0;  // cells of the last block's rows
};

// --- Long form ---------------------------------------------------------------------------------------

struct LongColumns {
  int layer = -1, head = -1, query = -1, key = -1, weight = -1, query_token = -1, key_token = -1;
};

std::optional<LongColumns> long_columns(const std::vector<Cell>& cells) {
  LongColumns out;
  if (cells.size() < 3 || cells.size() > 24) return std::nullopt;
  const auto in = [](const std::string& name, std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* n) { return name == n; });
  };
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string name;
    for (const auto& word : name_words(cells[i].text))
      if (word != "index" && word != "idx" && word != "id" && word != "pos" && word != "position") (name += name.empty() ? "" : "_") += word;
    const auto set = [&](int& column) {
      if (column < 0) column = static_cast<int>(i);
    };
    const bool token = name.find("token") != name.npos || name.find("text") != name.npos || name.find("word") != name.npos;
    if (token && (name.find("query") != name.npos || name.find("from") != name.npos || name.find("target") != name.npos)) set(out.query_token);
    else if (token && (name.find("key") != name.npos || name.find("to_") != name.npos || name.find("source") != name.npos)) set(out.key_token);
    else if (in(name, {"layer", "l", "block"})) set(out.layer);
    else if (in(name, {"head", "h"})) set(out.head);
    else if (in(name, {"query", "q", "row", "i", "from", "target", "tgt", "to_query"})) set(out.query);
    else if (in(name, {"key", "k", "column", "col", "j", "to", "source", "src"})) set(out.key);
    else if (in(name, {"weight", "weights", "attention", "attentions", "attn", "attention_weight", "attn_weight", "value", "score", "prob", "probability", "w", "a"})) set(out.weight);
  }
  if (out.query < 0 || out.key < 0 || out.weight < 0) return std::nullopt;
  return out;
}

// One axis of a stack in long form: the numbers that occur.
struct LongAxis {
  int column = -1;
  long low = std::numeric_limits<long>::max(), high = -1;
  [[nodiscard]] std::uint64_t size() const { return column < 0 ? 1 : static_cast<std::uint64_t>(high - low + 1); }
};

class LongTable {
 public:
  LongTable(const LongColumns& columns, std::size_t width) : columns_(columns), width_(width) {
    axes_[0].column = columns.layer;
    axes_[1].column = columns.head;
    axes_[2].column = columns.query;
    axes_[3].column = columns.key;
  }

  // First reading: how large it is. Second: the numbers.
  Result<void> measure(Rows& rows) {
    return each(rows, [&](const std::array<long, 4>& at) -> Result<void> {
      for (std::size_t i = 0; i < 4; ++i) {
        axes_[i].low = std::min(axes_[i].low, at[i]);
        axes_[i].high = std::max(axes_[i].high, at[i]);
      }
      ++entries_;
      return {};
    });
  }
  Result<Container> container(Rows& rows) {
    if (entries_ == 0) return fail(ErrorCode::empty, {{"detail", "its table has no rows"}});
    // Positions count from 0 or from 1; a layer that is named by another number keeps it.
    for (std::size_t i = 0; i < 4; ++i) axes_[i].low = i == 0 ? axes_[i].low : std::min(axes_[i].low, 1L);
    if (std::min(axes_[2].low, axes_[3].low) == 0) axes_[2].low = axes_[3].low = 0;
    std::uint64_t total = 1;
    for (const LongAxis& a : axes_) {
      total *= std::min<std::uint64_t>(a.size(), kMostNumbers + 1);
      if (total > kMostNumbers) return too_many();
    }
    auto pool = std::make_shared<std::vector<Real>>(static_cast<std::size_t>(total), Real(0));  // what is not listed is 0
    Texts query(static_cast<std::size_t>(axes_[2].size())), key(static_cast<std::size_t>(axes_[3].size()));
    std::vector<bool> layers(static_cast<std::size_t>(axes_[0].size()));
    auto done = each(rows, [&](const std::array<long, 4>& at) -> Result<void> {
      std::size_t index = 0;
      std::array<std::size_t, 4> place{};
      for (std::size_t i = 0; i < 4; ++i) {
        place[i] = axes_[i].column < 0 ? 0 : static_cast<std::size_t>(at[i] - axes_[i].low);
        index = index * static_cast<std::size_t>(axes_[i].size()) + place[i];
      }
      const auto x = rows.number(static_cast<std::size_t>(columns_.weight));
      if (!x) return bad_table(rows.line(), "its weight is no number");
      (*pool)[index] = static_cast<Real>(*x);
      layers[place[0]] = true;
      if (columns_.query_token >= 0) query[place[2]] = utf8_of(rows.cells[static_cast<std::size_t>(columns_.query_token)].text);
      if (columns_.key_token >= 0) key[place[3]] = utf8_of(rows.cells[static_cast<std::size_t>(columns_.key_token)].text);
      return {};
    });
    if (!done) return tl::unexpected(done.error());
    Container out;
    out.format = "csv";
    StoredArray a;
    a.name = "attentions";
    a.dtype = sizeof(Real) == 8 ? DType::f64 : DType::f32;
    a.shown = DType::f64;
    a.shape = {axes_[2].size(), axes_[3].size()};
    if (columns_.head >= 0) a.shape.insert(a.shape.begin(), axes_[1].size());
    if (columns_.layer >= 0 || columns_.head >= 0) a.shape.insert(a.shape.begin(), axes_[0].size());
    if (columns_.layer >= 0 && std::find(layers.begin(), layers.end(), false) != layers.end()) {  // some numbers are missing
      std::vector<Real> kept;
      const std::size_t each_layer = static_cast<std::size_t>(total) / layers.size();
      std::string numbers;
      for (std::size_t l = 0; l < layers.size(); ++l) {
        if (!layers[l]) continue;
        kept.insert(kept.end(), pool->begin() + static_cast<std::ptrdiff_t>(l * each_layer), pool->begin() + static_cast<std::ptrdiff_t>((l + 1) * each_layer));
        numbers += (numbers.empty() ? "[" : ", ") + std::to_string(static_cast<long>(l) + axes_[0].low);
      }
      *pool = std::move(kept);
      a.shape[0] = pool->size() / each_layer;
      out.add_meta_text("layers", numbers + "]");
    }
    a.elements = pool->size();
    a.bytes = pool_source(pool, 0, pool->size());
    out.arrays.push_back(std::move(a));
    if (columns_.query_token >= 0) out.texts.push_back({"query_tokens", {query.size()}, std::move(query)});
    if (columns_.key_token >= 0) out.texts.push_back({"key_tokens", {key.size()}, std::move(key)});
    return out;
  }

 private:
  template <class Each>
  Result<void> each(Rows& rows, const Each& use) {
    bool header = true;
    while (rows.next()) {
      if (rows.blank() || (!rows.cells[0].quoted && rows.cells[0].text.starts_with('#'))) continue;
      if (header) {
        header = false;
        continue;
      }
      const std::size_t n = rows.cells.size();
      if (n != width_ && n != width_ + 1) return ragged(rows.line(), n, width_);
      if (n == width_ + 1) rows.cells.erase(rows.cells.begin());  // R: row names without a name
      std::array<long, 4> at{};
      for (std::size_t i = 0; i < 4; ++i) {
        if (axes_[i].column < 0) continue;
        const auto x = rows.number(static_cast<std::size_t>(axes_[i].column));
        if (!x || !(*x >= 0 && *x < 1e7) || *x != std::floor(*x))
          return bad_table(rows.line(), "layer, head, query and key should be whole numbers");
        at[i] = static_cast<long>(*x);
      }
      if (auto done = use(at); !done) return done;
    }
    if (!rows.status()) return tl::unexpected(rows.status().error());
    return {};
  }

  LongColumns columns_;
  std::size_t width_;
  std::array<LongAxis, 4> axes_;
  std::uint64_t entries_ = 0;
};

// --- What it is --------------------------------------------------------------------------------------

bool looks_printed(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == text.npos) return false;
  const std::string_view head = text.substr(start, 64);
  if (head.starts_with('[') || head.starts_with('(') || head.starts_with("Parameter containing:")) return true;
  const auto bracket = head.find_first_of("([");
  if (bracket == head.npos || bracket == 0) return false;
  return head.substr(0, bracket).find_first_of("\n\",;\t") == head.npos;  // tensor([[..., A = [[...
}

bool looks_like_code(std::string_view text) {
  int found = 0;
  for (std::size_t at = 0; at < text.size() && at < 20'000;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    for (const char* word : {"import ", "from ", "def ", "class ", "#include", "#!/", "function ", "const ", "return ", "public ", "package ", "library("})
      found += line.starts_with(word) ? 1 : 0;
    at = end + 1;
  }
  return found >= 3 || (found >= 1 && text.starts_with("#!/"));
}

Result<Container> read_style(const Source& source, const Style& style, bool& open_quote) {
  std::optional<LongColumns> columns;
  std::size_t width = 0;
  {
    Rows rows(*source, style);
    while (rows.next())
      if (!rows.blank() && (rows.cells[0].quoted || !rows.cells[0].text.starts_with('#'))) {
        columns = long_columns(rows.cells);
        width = rows.cells.size();
        break;
      }
  }
  if (columns) {
    LongTable table(*columns, width);
    Rows first(*source, style), second(*source, style);
    if (auto done = table.measure(first); !done) return tl::unexpected(done.error());
    return table.container(second);
  }
  Rows rows(*source, style);
  Matrices matrices(rows);
  if (auto done = matrices.read(); !done) return tl::unexpected(done.error());
  open_quote = rows.open_quote();
  if (!matrices.any() || matrices.prose()) return tl::unexpected(foreign_file("text"));
  return matrices.container();
}

}  // namespace

Result<Container> read_table_container(const Source& source) {
  const auto bytes = read_some(*source, 0, kSample);
  if (!bytes) return tl::unexpected(bytes.error());
  std::string sample(bytes->begin(), bytes->end());
  if (sample.starts_with("version https://git-lfs")) return tl::unexpected(foreign_file("lfs_pointer"));
  if (sample.starts_with("\xef\xbb\xbf")) sample.erase(0, 3);
  if (sample.find('\0') != sample.npos) return tl::unexpected(foreign_file("text"));

  if (looks_printed(sample) && source->size() <= kNumberBytes) {
    const auto all = read_some(*source, 0, kNumberBytes);
    if (!all) return tl::unexpected(all.error());
    std::string text(all->begin(), all->end());
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
    auto document = read_printed(text, kNumberBytes);
    if (document) return json_container(*document, "csv");
    if (document.error().code != ErrorCode::bad_json) return tl::unexpected(document.error());
  }
  Style style = guess_style(sample);
  bool open_quote = false;
  auto table = read_style(source, style, open_quote);
  if (open_quote) {  // a quote that never ends is a token
    style.quotes = false;
    table = read_style(source, style, open_quote);
  }
  if (table) return table;
  const auto kind = table.error().params.find("kind");
  const bool prose = (kind != table.error().params.end() && kind->second == "text") || table.error().code == ErrorCode::bad_table || table.error().code == ErrorCode::ragged;
  if (prose && looks_like_code(sample)) return tl::unexpected(foreign_file("code"));
  return table;
}

}  // namespace rollscope
