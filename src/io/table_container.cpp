// A table in text as a container: what numpy.savetxt, pandas, R, spreadsheets and people write, and what is pasted.
//
// One matrix, row = query; a first line and a first column of texts are its tokens. Several matrices with blank lines
// or comments between them are layers. A table with the columns query, key and weight (layer, head) is a stack in long
// form (io/long_table.h). Text that Python printed is read by io/printed.h. Lines are
// read one by one; the numbers are kept.
#include <algorithm>
#include <cmath>
#include <optional>

#include "io/container.h"
#include "io/json_container.h"
#include "io/long_table.h"
#include "io/names.h"
#include "io/printed.h"
#include "io/table_rows.h"

namespace rollscope {
namespace {

constexpr std::size_t kSample = 1 << 16;

using Texts = std::vector<std::string>;

Texts texts_of(const TableRows& rows) {
  Texts out;
  for (std::size_t i = 0; i < rows.cells.size(); ++i) out.push_back(rows.text(i));
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
// V1 V2 ... or X1 X2 ...: the same in other words.
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
  explicit Matrices(TableRows& rows) : rows_(rows) {}

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
      if (b.columns != first.columns) return ragged_table(b.line, b.columns, first.columns);
    }
    // A blank line behind every row is how csv.writer looks that opened its file without newline=''.
    const bool joined = blocks_.size() > 1 && (single || !equal || (first.rows != first.columns && rows == first.columns));
    if (joined && !single && !(rows == first.columns)) {
      const auto odd = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.rows != first.rows; });
      return ragged_table(odd->line, odd->rows, first.rows);
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
    pending_ = texts_of(rows_);
    has_pending_ = true;
  }

  Result<void> add_row() {
    std::vector<TableCell>& cells = rows_.cells;
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
      if (bad < cells.size()) return bad_table(rows_.line(), "column " + std::to_string(bad + 1) + " holds \"" + printable(rows_.text(bad)) + "\"");
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
    return ragged_table(rows_.line(), cells.size() - (indexed && cells.size() > 0 ? 1 : 0), static_cast<std::size_t>(current_.columns));
  }

  // No entry of it is a number.
  [[nodiscard]] bool is_header() const {
    for (std::size_t i = 0; i < rows_.cells.size(); ++i)
      if (!rows_.cells[i].quoted && !rows_.cells[i].text.empty() && rows_.number(i)) return false;
    return true;
  }

  Result<void> first_row() {
    const std::vector<TableCell>& cells = rows_.cells;
    const auto names = texts_of(rows_);
    const bool quoted = cells.size() > 1 && std::all_of(cells.begin() + 1, cells.end(), [](const TableCell& c) { return c.quoted; });
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
    const std::vector<TableCell>& cells = rows_.cells;
    if (pool_->size() + cells.size() > kTableNumbers) return large_table();
    for (std::size_t i = indexed ? 1 : 0; i < cells.size(); ++i) pool_->push_back(static_cast<Real>(rows_.number(i).value_or(0)));
    if (indexed) current_.index.push_back(rows_.text(0));
    ++current_.rows;
    return {};
  }

  TableRows& rows_;
  std::shared_ptr<std::vector<Real>> pool_ = std::make_shared<std::vector<Real>>();
  std::vector<Block> blocks_;
  Block current_;
  Texts pending_;  // a line of texts that may turn out to be names of columns
  bool has_pending_ = false, has_index_ = false;
  std::size_t width_ = 0;  // cells of the last block's rows
};

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

Result<Container> read_style(const Source& source, const TableStyle& style, bool& open_quote) {
  std::optional<LongColumns> columns;
  std::size_t width = 0;
  {
    TableRows rows(*source, style);
    while (rows.next())
      if (!rows.blank() && (rows.cells[0].quoted || !rows.cells[0].text.starts_with('#'))) {
        columns = long_columns(rows.cells);
        width = rows.cells.size();
        break;
      }
  }
  if (columns) return read_long_table(*source, style, *columns, width);
  TableRows rows(*source, style);
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

  if (looks_printed(sample) && source->size() <= kTableBytes) {
    const auto all = read_some(*source, 0, kTableBytes);
    if (!all) return tl::unexpected(all.error());
    std::string text(all->begin(), all->end());
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
    auto document = read_printed(text, kTableBytes);
    if (document) return json_container(*document, "csv");
    if (document.error().code != ErrorCode::bad_json) return tl::unexpected(document.error());
  }
  TableStyle style = guess_table_style(sample);
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
