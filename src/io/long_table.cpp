#include "io/long_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "io/json_container.h"
#include "io/names.h"

namespace rollscope {
namespace {

using Texts = std::vector<std::string>;

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
  Result<void> measure(TableRows& rows) {
    return each(rows, [&](const std::array<long, 4>& at) -> Result<void> {
      for (std::size_t i = 0; i < 4; ++i) {
        axes_[i].low = std::min(axes_[i].low, at[i]);
        axes_[i].high = std::max(axes_[i].high, at[i]);
      }
      ++entries_;
      return {};
    });
  }
  Result<Container> container(TableRows& rows) {
    if (entries_ == 0) return fail(ErrorCode::empty, {{"detail", "its table has no rows"}});
    // Positions count from 0 or from 1; a layer that is named by another number keeps it.
    for (std::size_t i = 0; i < 4; ++i) axes_[i].low = i == 0 ? axes_[i].low : std::min(axes_[i].low, 1L);
    if (std::min(axes_[2].low, axes_[3].low) == 0) axes_[2].low = axes_[3].low = 0;
    std::uint64_t total = 1;
    for (const LongAxis& a : axes_) {
      total *= std::min<std::uint64_t>(a.size(), kTableNumbers + 1);
      if (total > kTableNumbers) return large_table();
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
      if (columns_.query_token >= 0) query[place[2]] = rows.text(static_cast<std::size_t>(columns_.query_token));
      if (columns_.key_token >= 0) key[place[3]] = rows.text(static_cast<std::size_t>(columns_.key_token));
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
  Result<void> each(TableRows& rows, const Each& use) {
    bool header = true;
    while (rows.next()) {
      if (rows.blank() || (!rows.cells[0].quoted && rows.cells[0].text.starts_with('#'))) continue;
      if (header) {
        header = false;
        continue;
      }
      const std::size_t n = rows.cells.size();
      if (n != width_ && n != width_ + 1) return ragged_table(rows.line(), n, width_);
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

}  // namespace

std::optional<LongColumns> long_columns(const std::vector<TableCell>& cells) {
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

Result<Container> read_long_table(ByteSource& source, const TableStyle& style, const LongColumns& columns, std::size_t width) {
  LongTable table(columns, width);
  TableRows first(source, style), second(source, style);
  if (auto done = table.measure(first); !done) return tl::unexpected(done.error());
  return table.container(second);
}

}  // namespace rollscope
