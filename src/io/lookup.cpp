#include "io/lookup.h"

#include <algorithm>
#include <cmath>

#include "io/names.h"
#include "io/stored_stack.h"

namespace rollscope {
namespace {

constexpr std::uint64_t kMostNumbers = 1'000'000;

Result<NumberList> numbers_of(const StoredArray& a) {
  auto numbers = read_numbers(a);
  if (!numbers) return tl::unexpected(numbers.error());
  NumberList out{a.name, a.shape, {}};
  out.values.assign(numbers->begin(), numbers->end());
  return out;
}

// "['[CLS]', 'the']" as str(list) of Python writes it. Nothing: it is not that.
std::optional<std::vector<std::string>> python_list(std::string_view text) {
  std::vector<std::string> out;
  std::size_t at = 0;
  const auto space = [&] {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
  };
  space();
  if (at == text.size() || (text[at] != '[' && text[at] != '(')) return std::nullopt;
  const char close = text[at++] == '[' ? ']' : ')';
  for (;;) {
    space();
    if (at < text.size() && text[at] == close) return out;
    if (at == text.size() || (text[at] != '\'' && text[at] != '"')) return std::nullopt;
    const char quote = text[at++];
    std::string item;
    for (; at < text.size() && text[at] != quote; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) {
        const char c = text[++at];
        item += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
      } else {
        item += text[at];
      }
    }
    if (at++ >= text.size()) return std::nullopt;
    out.push_back(std::move(item));
    space();
    if (at < text.size() && text[at] == ',') ++at;
  }
}

std::vector<std::string> split_text(std::string_view text) {
  const char separator = text.find('\n') != text.npos ? '\n' : ' ';
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string id_text(double x) {
  if (std::isnan(x)) return "";
  if (x == std::floor(x) && std::abs(x) < 1e15) return std::to_string(static_cast<long long>(x));
  return std::to_string(x);
}

// Row `item` of [B][n], or [n].
template <class T>
std::optional<std::vector<T>> row_of(const std::vector<std::uint64_t>& shape, const std::vector<T>& all, int item) {
  if (shape.size() == 1) return all;
  if (shape.size() != 2 || shape[0] == 0) return std::nullopt;
  const std::uint64_t row = shape[0] == 1 ? 0 : static_cast<std::uint64_t>(item);
  if (row >= shape[0]) return std::nullopt;
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row * shape[1]);
  return std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(shape[1]));
}

bool number_list_in(const JsonValue& v) {
  return v.is(JsonValue::Kind::numbers) && v.shape.size() <= 2 && !v.all_null && v.present.empty();
}

}  // namespace

std::string normal_name(std::string_view name) {
  std::string out;
  for (const auto& word : name_words(name)) (out += out.empty() ? "" : "_") += word;
  return out;
}

Result<std::optional<NumberList>> find_numbers(const Container& container, Names names, std::size_t most_axes) {
  for (const auto name : names) {
    for (const auto& a : container.arrays)
      if (a.shape.size() <= most_axes && a.elements <= kMostNumbers && a.span() <= 4 * kMostNumbers && normal_name(a.name) == name) {
        auto list = numbers_of(a);
        if (!list) return tl::unexpected(list.error());
        return std::optional<NumberList>(std::move(*list));
      }
    for (const auto& [key, value] : container.meta)
      if (normal_name(key) == name && number_list_in(value)) {
        NumberList list{key, value.shape, {}};
        const auto n = static_cast<std::size_t>(shape_product(value.shape).value_or(0));
        for (std::size_t i = 0; i < n; ++i) list.values.push_back(static_cast<double>(container.meta_numbers[value.first + i]));
        return std::optional<NumberList>(std::move(list));
      }
  }
  return std::optional<NumberList>{};
}

std::optional<std::vector<double>> numbers_of_item(const NumberList& list, int item) { return row_of(list.shape, list.values, item); }

Result<std::vector<TextList>> find_texts(const Container& container, Names names, int item) {
  std::vector<TextList> out;
  for (const auto name : names) {
    for (const auto& t : container.texts)
      if (normal_name(t.name) == name)
        if (auto row = row_of(t.shape, t.texts, item)) out.push_back({t.name, std::move(*row)});
    for (const auto& [key, value] : container.meta) {
      if (normal_name(key) != name) continue;
      std::vector<std::string> texts;
      if (value.is(JsonValue::Kind::text)) {
        if (auto list = python_list(value.text)) out.push_back({key, std::move(*list)});
        else out.push_back({key, split_text(value.text), true});
      } else if (json_texts(value, container.meta_numbers, texts)) {
        out.push_back({key, std::move(texts)});
      } else if (value.is(JsonValue::Kind::list) && !value.items.empty()) {
        const std::size_t row = value.items.size() == 1 ? 0 : static_cast<std::size_t>(item);
        if (row < value.items.size() && json_texts(value.items[row], container.meta_numbers, texts)) out.push_back({key, std::move(texts)});
      }
    }
  }
  for (const auto name : names) {
    if (!name.ends_with("ids") && !name.ends_with("tokens") && name != "sequences") continue;  // `labels` are more often classes
    auto numbers = find_numbers(container, {name});
    if (!numbers) return tl::unexpected(numbers.error());
    if (!*numbers) continue;
    const auto row = numbers_of_item(**numbers, item);
    if (!row) continue;
    TextList ids{(*numbers)->name, {}};
    ids.ids = true;
    for (const double x : *row) ids.texts.push_back(id_text(x));
    out.push_back(std::move(ids));
  }
  return out;
}

std::optional<std::string> meta_text(const Container& container, std::string_view key) {
  const auto it = container.meta.find(key);
  if (it == container.meta.end() || !it->second.is(JsonValue::Kind::text)) return std::nullopt;
  return it->second.text;
}

std::optional<long long> meta_integer(const Container& container, std::string_view key) {
  double x = 0;
  const auto it = container.meta.find(key);
  if (it != container.meta.end() && (it->second.is(JsonValue::Kind::number) || it->second.is(JsonValue::Kind::boolean))) {
    x = it->second.number;
  } else if (auto list = find_numbers(container, {key}); list && *list && (*list)->values.size() == 1) {
    x = (*list)->values[0];
  } else {
    return std::nullopt;
  }
  if (!(std::abs(x) < 1e9) || x != std::floor(x)) return std::nullopt;
  return static_cast<long long>(x);
}

}  // namespace rollscope
