#include "io/records.h"

#include <algorithm>
#include <map>
#include <set>

#include "io/lookup.h"
#include "io/names.h"
#include "io/steps.h"

namespace rollscope {
namespace {

// "sentences.3.attentions.0" -> prefix "sentences.", 3, "attentions.0"
struct Path {
  std::string prefix, rest;
  int number = -1;
};

Path path_of(const std::string& name) {
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    if (!part.empty() && part.size() < 6 && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; }) && end < name.size())
      return {name.substr(0, begin), name.substr(end + 1), std::stoi(part)};
    begin = end + 1;
  }
  return {};
}

bool only_number(const std::string& text) {
  return !text.empty() && text.size() < 6 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool names_tokens(const std::string& rest) {
  const std::string name = normal_name(rest);
  return name == "tokens" || name == "words" || name.ends_with("_tokens") || name == "text" || name == "sentence" || name.ends_with("input_ids") ||
         name == "token_strings" || name == "left_text" || name == "token_ids";
}

bool names_attention(const std::string& rest) {
  const NameRole role = name_meaning(rest).role;
  return role == NameRole::attention || role == NameRole::scores;
}

// What one prefix holds under its numbers.
struct Records {
  std::set<int> numbers, with_tokens, with_attention;
  std::map<int, std::set<std::vector<std::uint64_t>>> shapes;  // of "PREFIX.N.L" alone
  bool bare = true;  // nothing but "PREFIX.N.L"
};

// Stacks of one text each: every number has squares of one size, and the sizes differ, or each has an axis for one item
// and more layers than a module returns arrays.
bool are_texts(const Records& r) {
  if (!r.bare || r.numbers.size() < 2 || r.shapes.size() != r.numbers.size()) return false;
  std::set<std::uint64_t> sizes;
  for (const auto& [number, shapes] : r.shapes) {
    if (shapes.size() != 1) return false;
    const auto& shape = *shapes.begin();
    if (shape.size() < 3 || shape.back() != shape[shape.size() - 2]) return false;
    sizes.insert(shape.back());
  }
  return sizes.size() > 1;
}

template <class T, class Name>
void keep(std::vector<T>& all, const std::string& prefix, int number, Name name_of) {
  std::vector<T> out;
  for (T& one : all) {
    const Path p = path_of(name_of(one));
    if (p.number >= 0 && p.prefix == prefix) {
      if (p.number != number) continue;
      name_of(one) = p.rest;
    }
    out.push_back(std::move(one));
  }
  all = std::move(out);
}

std::string list_text(const JsonValue& value) {
  return value.is(JsonValue::Kind::object) ? "metadata" : "tokens";
}

void forget(Container& c, const std::string& name) {
  const std::string normal = normal_name(name);
  std::erase_if(c.texts, [&](const StoredText& t) { return normal_name(t.name) == normal; });
  for (auto it = c.meta.begin(); it != c.meta.end();) it = normal_name(it->first) == normal ? c.meta.erase(it) : std::next(it);
  if (normal == "tokens" || normal == "source_tokens")  // ids of the same name in an array
    std::erase_if(c.arrays, [&](const StoredArray& a) { return normal_name(a.name) == normal; });
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const bool lines = text.find('\n') < text.find_last_not_of(" \r\n") && text.find('\n') != text.npos;
  while (!text.empty()) {
    const std::size_t end = lines ? text.find('\n') : text.find_first_of(" \n\t");
    std::string_view one = text.substr(0, end);
    if (one.ends_with('\r')) one.remove_suffix(1);
    if (lines || !one.empty()) out.emplace_back(one);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out;
}

}  // namespace

Result<int> select_record(Container& c, int item) {
  std::map<std::string, Records> by_prefix;
  const auto note = [&](const std::string& name, const std::vector<std::uint64_t>* shape) {
    const Path p = path_of(name);
    if (p.number < 0) return;
    Records& r = by_prefix[p.prefix];
    r.numbers.insert(p.number);
    const bool plain = only_number(p.rest) && shape;
    r.bare = r.bare && plain;
    if (plain) r.shapes[p.number].insert(*shape);
    if (names_tokens(p.rest)) r.with_tokens.insert(p.number);
    if (shape && shape->size() >= 2 && names_attention(p.rest)) r.with_attention.insert(p.number);
  };
  for (const auto& a : c.arrays) note(a.name, &a.shape);
  for (const auto& t : c.texts) note(t.name, nullptr);
  for (const auto& [prefix, r] : by_prefix) {
    std::vector<int> numbers;
    std::set_intersection(r.with_tokens.begin(), r.with_tokens.end(), r.with_attention.begin(), r.with_attention.end(), std::back_inserter(numbers));
    if (numbers.empty() && are_texts(r)) {
      const auto steps = find_steps(c.arrays);
      const std::string base = prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1);
      if (std::none_of(steps.begin(), steps.end(), [&](const StepSet& s) { return s.prefix == base; })) numbers.assign(r.numbers.begin(), r.numbers.end());
    }
    if (numbers.empty()) continue;
    if (item < 0 || static_cast<std::size_t>(item) >= numbers.size())
      return fail(ErrorCode::out_of_range, {{"option", "--item"}, {"value", std::to_string(item)},
                                            {"allowed", numbers.size() == 1 ? "0 only: the file holds one item" : "0 to " + std::to_string(numbers.size() - 1)}});
    const int number = numbers[static_cast<std::size_t>(item)];
    keep(c.arrays, prefix, number, [](auto& a) -> std::string& { return a.name; });
    keep(c.texts, prefix, number, [](auto& t) -> std::string& { return t.name; });
    keep(c.refused, prefix, number, [](auto& r2) -> std::string& { return r2.name; });
    keep(c.nulls, prefix, number, [](std::string& n) -> std::string& { return n; });
    if (numbers.size() > 1)
      c.report.push_back(report_item(ReportCode::batch_item, {{"count", std::to_string(numbers.size())}, {"item", std::to_string(item)}}));
    return static_cast<int>(numbers.size());
  }
  return 0;
}

Result<void> add_beside(Container& c, const std::vector<ImportOptions::Beside>& beside) {
  for (const auto& given : beside) {
    const std::string name = printable(given.name.empty() ? "A list" : given.name);
    const auto start = given.text.find_first_not_of(" \t\r\n");
    const bool json = start != std::string::npos && (given.text[start] == '{' || given.text[start] == '[');
    if (json) {
      if (auto document = read_json(given.text)) {
        const JsonValue& root = document->root;
        std::vector<std::string> texts;
        if (root.is(JsonValue::Kind::object)) {
          for (const auto& member : root.members) forget(c, member.name);
          c.add_meta(*document);
        } else if (json_texts(root, *document->pool, texts)) {
          forget(c, "tokens");
          const std::uint64_t n = texts.size();
          c.texts.insert(c.texts.begin(), {"tokens", {n}, std::move(texts)});
        } else {
          return fail(ErrorCode::bad_value, {{"option", name}, {"value", "this JSON"}, {"allowed", "a list of tokens, or an object of metadata"}});
        }
        c.report.push_back(report_item(ReportCode::beside, {{"name", name}, {"what", list_text(root)}}));
        continue;
      }
    }
    std::vector<std::string> lines = lines_of(given.text);
    if (lines.empty()) return fail(ErrorCode::bad_value, {{"option", name}, {"value", "an empty text"}, {"allowed", "one token a line, or a JSON list of tokens"}});
    forget(c, "tokens");
    const std::uint64_t n = lines.size();
    c.texts.insert(c.texts.begin(), {"tokens", {n}, std::move(lines)});
    c.report.push_back(report_item(ReportCode::beside, {{"name", name}, {"what", "tokens"}}));
  }
  return {};
}

}  // namespace rollscope
