#include "io/records.h"

#include <algorithm>
#include <map>
#include <set>

#include "io/lookup.h"
#include "io/names.h"
#include "io/steps.h"

namespace rollscope {
namespace {

bool names_tokens(const std::string& rest) {
  const std::string name = normal_name(rest);
  return name == "tokens" || name == "words" || name.ends_with("_tokens") || name == "text" || name == "sentence" || name == "prompt" || name.ends_with("input_ids") ||
         name == "token_strings" || name == "left_text" || name == "token_ids";
}

bool names_attention(const std::string& rest) {
  const NameRole role = name_meaning(rest).role;
  return role == NameRole::attention || role == NameRole::scores;
}

bool only_number(std::string_view text) {
  return !text.empty() && text.size() < 6 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void add(std::vector<std::string>& all, const std::string& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

// "sentences.3." of "sentences.3.tokens" where "sentences.3.attentions" is there too. Streams have tokens of their own
// as well, but are parts of one dump.
std::vector<std::string> with_own_tokens(const Container& c) {
  std::vector<std::string> out;
  const auto look = [&](const std::string& name) {
    const auto dot = name.rfind('.');
    if (dot == name.npos || !names_tokens(name.substr(dot + 1))) return;
    const std::string prefix = name.substr(0, dot + 1);
    if (!name_meaning(prefix).stream.empty()) return;
    if (std::any_of(c.arrays.begin(), c.arrays.end(), [&](const StoredArray& a) { return a.shape.size() >= 2 && a.name.starts_with(prefix) && names_attention(a.name.substr(prefix.size())); }))
      add(out, prefix);
  };
  for (const auto& t : c.texts) look(t.name);
  for (const auto& a : c.arrays) look(a.name);
  for (const auto& entry : c.meta) look(entry.first);
  return out;
}

// "3." of "3.attentions.0", "3.attentions.1" ..: outputs in a row, each with all its layers.
std::vector<std::string> with_own_layers(const Container& c) {
  std::map<std::string, std::set<std::string>> layers;
  std::vector<std::string> order;
  for (const auto& a : c.arrays) {
    const auto dot = a.name.find('.');
    if (dot == a.name.npos || !only_number(std::string_view(a.name).substr(0, dot)) || a.shape.size() < 3) continue;
    const std::string rest = a.name.substr(dot + 1);
    if (!names_attention(rest) || name_meaning(rest).layer < 0) continue;
    const std::string prefix = a.name.substr(0, dot + 1);
    add(order, prefix);
    layers[prefix].insert(rest);
  }
  std::erase_if(order, [&](const std::string& prefix) { return layers[prefix].size() < 2; });
  return order;
}

// "3." of "3.0", "3.1" ..: stacks of squares, one size each, the sizes not all the same.
std::vector<std::string> with_own_size(const Container& c) {
  std::map<int, std::set<std::vector<std::uint64_t>>> shapes;
  for (const auto& a : c.arrays) {
    const auto dot = a.name.find('.');
    if (dot == a.name.npos || !only_number(std::string_view(a.name).substr(0, dot)) || !only_number(std::string_view(a.name).substr(dot + 1))) continue;
    shapes[std::stoi(a.name.substr(0, dot))].insert(a.shape);
  }
  std::set<std::uint64_t> sizes;
  std::vector<std::string> out;
  std::map<int, std::size_t> layers;  // arrays in each
  for (const auto& a : c.arrays) {
    const auto dot = a.name.find('.');
    if (dot != a.name.npos && only_number(std::string_view(a.name).substr(0, dot)) && only_number(std::string_view(a.name).substr(dot + 1))) ++layers[std::stoi(a.name.substr(0, dot))];
  }
  bool stacks = true;  // [runs][layers] of (1, H, N, N), as outputs of several texts are kept; a module returns two arrays at most
  for (const auto& [number, all] : shapes) {
    stacks = stacks && all.begin()->size() == 4 && all.begin()->front() == 1 && layers[number] > 2 && layers[number] == layers.begin()->second;
    const auto& shape = *all.begin();
    if (all.size() != 1 || shape.size() < 3 || shape.back() != shape[shape.size() - 2]) return {};
    sizes.insert(shape.back());
    out.push_back(std::to_string(number) + ".");
  }
  if (sizes.size() < 2 && !(stacks && out.size() > 1)) return {};
  for (const StepSet& steps : find_steps(c.arrays))
    if (steps.prefix.empty()) return {};  // generate() without a cache grows, too
  return out;
}

// Keeps what is not of another record; the names of this one lose its prefix.
template <class T, class Name>
void keep(std::vector<T>& all, const std::vector<std::string>& records, const std::string& chosen, Name name_of) {
  std::vector<T> out;
  for (T& one : all) {
    std::string& name = name_of(one);
    const auto of = std::find_if(records.begin(), records.end(), [&](const std::string& r) { return name.starts_with(r); });
    if (of != records.end() && *of != chosen) continue;
    if (of != records.end()) name = name.substr(chosen.size());
    out.push_back(std::move(one));
  }
  all = std::move(out);
}

// (encoding, output): what stands in another place of the list belongs to the only record.
template <class T, class Name>
void drop_place(std::vector<T>& all, Name name_of) {
  for (T& one : all) {
    std::string& name = name_of(one);
    const auto dot = name.find('.');
    if (dot == name.npos || !only_number(std::string_view(name).substr(0, dot)) || !names_tokens(name.substr(dot + 1))) continue;
    const std::string rest = name.substr(dot + 1);
    if (std::none_of(all.begin(), all.end(), [&](T& other) { return name_of(other) == rest; })) name = rest;
  }
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
  const auto choose = [&](std::size_t count) -> Result<int> {  // one record is no batch
    if (count < 2) return 0;
    if (item < 0 || static_cast<std::size_t>(item) >= count)
      return fail(ErrorCode::out_of_range, {{"option", "--item"}, {"value", std::to_string(item)}, {"allowed", "0 to " + std::to_string(count - 1)}});
    c.report.push_back(report_item(ReportCode::batch_item, {{"count", std::to_string(count)}, {"item", std::to_string(item)}}));
    return static_cast<int>(count);
  };
  if (c.records > 0) return choose(c.records);  // the reader has read the wanted one
  std::vector<std::string> records = with_own_tokens(c);
  if (records.empty()) records = with_own_layers(c);
  if (records.empty()) records = with_own_size(c);
  if (records.empty()) return 0;
  const std::size_t count = records.size();
  const auto chosen_of = choose(count);
  if (!chosen_of) return chosen_of;
  const std::string chosen = records[count > 1 ? static_cast<std::size_t>(item) : 0];
  const auto array_name = [](StoredArray& a) -> std::string& { return a.name; };
  const auto text_name = [](StoredText& t) -> std::string& { return t.name; };
  keep(c.arrays, records, chosen, array_name);
  keep(c.texts, records, chosen, text_name);
  keep(c.refused, records, chosen, [](RefusedArray& r) -> std::string& { return r.name; });
  keep(c.nulls, records, chosen, [](std::string& n) -> std::string& { return n; });
  std::vector<std::pair<std::string, JsonValue>> meta(c.meta.begin(), c.meta.end());
  keep(meta, records, chosen, [](auto& entry) -> std::string& { return entry.first; });
  c.meta = {meta.begin(), meta.end()};
  if (count == 1) {
    drop_place(c.arrays, array_name);
    drop_place(c.texts, text_name);
  }
  return chosen_of;
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
