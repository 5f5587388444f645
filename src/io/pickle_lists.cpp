#include "io/pickle_lists.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "base/text.h"
#include "base/utf8.h"

namespace rollscope {
namespace {

using Kind = PickleKind;
using Numbers = PickleNumbers;

constexpr int kMostAxes = 8;
constexpr std::uint64_t kMostTexts = 1'000'000;

std::string indexed(const std::string& where, std::size_t i) { return where + "[" + std::to_string(i) + "]"; }

// Depth is bounded by kMostAxes, so this may call itself.
Numbers measure(PickleFile& file, const PickleValue& list, const std::string& where, int depth, std::uint64_t& budget) {
  Numbers out;
  const auto& items = file.data.items(list);
  if (depth > kMostAxes || budget <= items.size()) {
    budget = depth > kMostAxes ? budget : 0;
    return out;
  }
  budget -= items.size() + 1;
  const std::size_t n = items.size();
  if (n == 0) {
    out.kind = Numbers::Kind::dense;
    out.shape = {0};
    return out;
  }
  std::size_t numbers = 0, nones = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const PickleValue& v = items[i];
    if (v.is(Kind::none)) {
      ++nones;
    } else if (const auto number = pickle_number(file, v)) {
      ++numbers;
      out.whole = out.whole && number->whole;
    } else if (numbers > 0 || (!file.data.is_sequence(v) && !v.is(Kind::object))) {
      if (numbers > 0 && (file.data.is_sequence(v))) {
        out.kind = Numbers::Kind::ragged;
        out.where = indexed(where, i);
        out.detail = "a list stands beside numbers";
      }
      return out;
    }
  }
  if (numbers > 0) {
    if (numbers + nones < n) {
      out.kind = Numbers::Kind::ragged;
      out.where = where;
      out.detail = "lists stand beside numbers";
      return out;
    }
    out.kind = Numbers::Kind::dense;
    out.shape = {n};
    if (nones > 0) out.whole = false;
    return out;
  }
  if (nones == n) return out;
  if (nones > 0 && depth > 0) return out;
  // Lists of lists.
  const std::vector<PickleValue> inner = items;  // as in each_number
  bool first = true;
  std::size_t first_at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (inner[i].is(Kind::none)) continue;
    const PickleValue v = file.resolve(inner[i]);
    if (!file.data.is_sequence(v)) return Numbers{};
    Numbers one = measure(file, v, indexed(where, i), depth + 1, budget);
    if (one.kind == Numbers::Kind::other || one.kind == Numbers::Kind::ragged) return one;
    out.whole = out.whole && one.whole;
    out.present.push_back(static_cast<int>(i));
    if (one.kind == Numbers::Kind::blocks) out.kind = Numbers::Kind::blocks;
    if (first) {
      out.shape = std::move(one.shape);
      first_at = i;
      first = false;
    } else if (out.kind != Numbers::Kind::blocks && one.shape != out.shape) {
      if (one.shape.size() == 1 && out.shape.size() == 1) {
        out.kind = Numbers::Kind::ragged;
        out.where = indexed(where, i);
        out.detail = formatted("length %llu, and %llu at %s", static_cast<unsigned long long>(one.shape[0]), static_cast<unsigned long long>(out.shape[0]), indexed(where, first_at).c_str());
        return out;
      }
      out.kind = Numbers::Kind::blocks;
    }
  }
  if (out.kind == Numbers::Kind::blocks) return out;
  out.kind = Numbers::Kind::dense;
  out.shape.insert(out.shape.begin(), out.present.size());
  if (out.present.size() == n) out.present.clear();
  return out;
}

// Lists that are None stand in no array (PickleNumbers::present); a number that is None is NaN.
template <class F>
void each_number(PickleFile& file, const PickleValue& list, std::size_t axes, const F& visit) {
  const std::vector<PickleValue> items = file.data.items(list);  // resolve() may add records, and the list itself may move
  for (const PickleValue& given : items) {
    const PickleValue v = axes > 1 ? file.resolve(given) : given;
    if (axes == 1) visit(pickle_number(file, v).value_or(PickleNumber{std::numeric_limits<double>::quiet_NaN(), false}), v.is(Kind::integer) ? v.integer : 0);
    else if (!v.is(Kind::none)) each_number(file, v, axes - 1, visit);
  }
}

bool is_text_like(const PickleFile& file, const PickleValue& list) {
  const auto& items = file.data.items(list);
  bool text = false;
  for (const PickleValue& v : items) {
    text = text || file.data.is_string(v) || file.known(v) == PickleClass::scalar;
    if (v.is(Kind::list) || v.is(Kind::tuple) || v.is(Kind::dict)) return false;
  }
  return text;
}

bool texts_of(PickleFile& file, const PickleValue& list, std::vector<std::string>& out, std::uint64_t& budget) {
  const auto& items = file.data.items(list);
  if (budget <= items.size() || items.size() > kMostTexts) return false;
  budget -= items.size();
  bool any = false;
  for (const PickleValue& v : items) {
    out.emplace_back();
    if (!text_of(file, v, out.back())) return false;
    any = any || file.data.is_string(v) || (file.known(v) == PickleClass::scalar && !pickle_number(file, v));
  }
  return any;
}

}  // namespace

PickleNumbers measure_numbers(PickleFile& file, const PickleValue& list, const std::string& name, std::uint64_t& budget) {
  return measure(file, list, printable(name), 0, budget);
}

StoredArray number_array(PickleFile& file, const PickleValue& list, const PickleNumbers& measured, const std::string& name) {
  StoredArray a;
  a.name = name;
  a.dtype = a.shown = measured.whole ? DType::i64 : DType::f64;
  a.shape = measured.shape;
  a.present = measured.present;
  a.elements = shape_product(a.shape).value_or(0);  // counted while measuring, so it fits
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(a.elements) * 8);
  std::size_t at = 0;
  if (a.elements > 0)
    each_number(file, list, a.shape.size(), [&](const PickleNumber& n, std::int64_t exact) {
      if (at + 8 > bytes.size()) return;
      if (measured.whole) {
        const std::int64_t value = exact != 0 ? exact : static_cast<std::int64_t>(n.value >= -0x1p63 && n.value < 0x1p63 ? n.value : 0);
        std::memcpy(bytes.data() + at, &value, 8);
      } else {
        std::memcpy(bytes.data() + at, &n.value, 8);
      }
      at += 8;
    });
  a.bytes = std::make_shared<MemorySource>(std::move(bytes));
  return a;
}

bool text_of(const PickleFile& file, const PickleValue& v, std::string& out) {
  if (file.data.is_string(v)) {
    auto text = file.data.long_text(v, 1'000'000);
    if (!text) return false;
    out = std::move(*text);
    return true;
  }
  if (v.is(Kind::none)) return true;
  if (const auto number = pickle_number(file, v)) {
    out = number->whole ? formatted("%.0f", number->value) : formatted("%.9g", number->value);
    return true;
  }
  if (file.known(v) == PickleClass::scalar && file.data.is_string(file.data.argument(v, 1))) {  // numpy.str_: UTF-32
    const auto bytes = file.data.bytes_of(file.data.argument(v, 1));
    if (!bytes) return false;
    const PickleValue type = file.data.argument(v, 0);
    const std::string_view descr = file.data.short_text(file.data.argument(type, 0));
    auto raw = read_some(**bytes, 0, 1'000'000);
    if (!raw) return false;
    if (descr.starts_with("U") || descr.starts_with("<U")) {
      for (std::size_t i = 0; i + 4 <= raw->size(); i += 4)
        if (const std::uint32_t code = le32(raw->data() + i)) utf8_append(out, code);
      return true;
    }
    if (descr.starts_with("S")) {
      out.assign(raw->begin(), raw->end());
      return true;
    }
  }
  return false;
}

bool read_texts(PickleFile& file, const PickleValue& list, const std::string& name, StoredText& out, std::uint64_t& budget) {
  out = {name, {}, {}};
  if (is_text_like(file, list)) {
    if (!texts_of(file, list, out.texts, budget)) return false;
    out.shape = {out.texts.size()};
    return true;
  }
  const std::vector<PickleValue> rows = file.data.items(list);
  if (rows.empty() || rows.size() > kMostTexts) return false;
  std::vector<std::vector<std::string>> texts;
  std::size_t longest = 0;
  for (const PickleValue& given : rows) {
    const PickleValue row = file.resolve(given);
    if (!file.data.is_sequence(row) || !is_text_like(file, row)) return false;
    texts.emplace_back();
    if (!texts_of(file, row, texts.back(), budget)) return false;
    longest = std::max(longest, texts.back().size());
  }
  if (longest > kMostTexts / rows.size()) return false;
  out.shape = {texts.size(), longest};
  for (auto& row : texts) {
    row.resize(longest);
    std::move(row.begin(), row.end(), std::back_inserter(out.texts));
  }
  return true;
}

}  // namespace rollscope
