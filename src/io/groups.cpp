#include "io/groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "io/steps.h"

namespace rollscope {
namespace {

bool whole_numbers(DType type) {
  switch (type) {
    case DType::f16:
    case DType::bf16:
    case DType::f32:
    case DType::f64:
    case DType::f8_e4m3:
    case DType::f8_e5m2: return false;
    default: return true;
  }
}

struct Named {
  NameMeaning meaning;
  std::shared_ptr<const StoredArray> array;
};

// "layer_0 4, layer_1 3" where numbered arrays of one name agree in everything but their number of heads; else "".
// Such layers belong together and make no stack; to open some of them would be a wrong answer.
std::string only_heads_differ(const std::vector<Named>& members) {
  const auto& first = members.front().array->shape;
  const std::size_t n = first.size();
  if (n < 3) return "";
  bool differ = false;
  std::string out;
  for (const auto& m : members) {
    const auto& shape = m.array->shape;
    if (shape.size() != n) return "";
    for (std::size_t axis = 0; axis < n; ++axis)
      if (axis != n - 3 && shape[axis] != first[axis]) return "";
    differ = differ || shape[n - 3] != first[n - 3];
    out += (out.empty() ? "" : ", ") + printable(m.array->name) + " has " + std::to_string(shape[n - 3]);
  }
  return differ ? out : "";
}

// "layer_0 (1, 2, 64, 64), layer_1 ..." where hardly two layers of one name agree in size: to open some would be a wrong
// answer too. `windows`: many items of few tokens, fewer from stage to stage, as attention inside windows gives.
std::string sizes_differ(const std::vector<Named>& members, bool& windows) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> count;
  std::string out;
  windows = true;
  for (const auto& m : members) {
    const auto& shape = m.array->shape;
    if (shape.size() < 3) return "";
    const std::uint64_t q = shape[shape.size() - 2], k = shape.back();
    ++count[{q, k}];
    windows = windows && shape.size() == 4 && q == k && shape[0] >= 1;
    if (out.size() < 200) out += (out.empty() ? "" : ", ") + printable(m.array->name) + " " + shape_text(shape);
  }
  std::size_t most = 0;
  for (const auto& [size, n] : count) most = std::max(most, n);
  if (count.size() == 1) {
    // The same window everywhere, in fewer and fewer windows, with more and more heads.
    const auto& first = members.front().array->shape;
    const auto& last = members.back().array->shape;
    windows = windows && first[0] > last[0] && first[0] % last[0] == 0 && first[1] < last[1];
    return windows ? out : "";
  }
  windows = false;
  return 3 * most < 2 * members.size() ? out : "";
}

// Numbered arrays of one name whose shapes differ are no stack: the commonest shape is, the rest stands aside.
std::vector<Named> agreeing(std::vector<Named> members, std::vector<std::string>& others) {
  std::map<std::vector<std::uint64_t>, std::size_t> count;
  for (const auto& m : members) ++count[m.array->shape];
  if (count.size() <= 1) return members;
  const auto most = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) {
    // Of equally common shapes the one with more axes, then the larger: a mask is never meant.
    return std::tuple(a.second, a.first.size(), a.first) < std::tuple(b.second, b.first.size(), b.first);
  });
  std::vector<Named> out;
  for (auto& m : members) {
    if (m.array->shape == most->first) out.push_back(std::move(m));
    else others.push_back(m.array->name);
  }
  return out;
}

// What the numbers of a name count, where it has several ("2.0.5"): the one that differs from array to array counts the
// layers; two that differ, over single matrices, layers and heads.
struct NumberPlace {
  int layer = -1, head = -1;
  std::string group;
};

std::map<std::string, NumberPlace> places_of_numbers(const std::vector<StoredArray>& arrays) {
  struct Pattern {
    std::vector<std::pair<std::string, std::vector<int>>> names;
    std::vector<std::set<int>> values;
    bool matrices = true;
    std::map<int, std::set<std::vector<std::uint64_t>>> shapes;  // by the first number
  };
  std::map<std::string, Pattern> patterns;
  for (const StoredArray& a : arrays) {
    std::string pattern;
    std::vector<int> numbers;
    for (const std::string& word : name_words(a.name)) {
      const bool number = word.size() < 6 && word.find_first_not_of("0123456789") == std::string::npos;
      pattern += (pattern.empty() ? "" : ".") + (number ? "#" : word);
      if (number) numbers.push_back(std::stoi(word));
    }
    if (numbers.size() < 2) continue;
    Pattern& p = patterns[pattern];
    p.values.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) p.values[i].insert(numbers[i]);
    p.matrices = p.matrices && (a.shape.size() == 2 || (a.shape.size() == 3 && a.shape[0] == 1));
    p.shapes[numbers[0]].insert(a.shape);
    p.names.emplace_back(a.name, std::move(numbers));
  }
  std::map<std::string, NumberPlace> out;
  for (const auto& [pattern, p] : patterns) {
    std::vector<std::size_t> varying;
    for (std::size_t i = 0; i < p.values.size(); ++i)
      if (p.values[i].size() > 1) varying.push_back(i);
    // to_tuple(): "2.0", "2.1" are hidden states, "3.0", "3.1" attention. One shape under each first number, not the same.
    std::set<std::vector<std::uint64_t>> all;
    bool parts = varying.size() == 2 && varying[0] == 0 && !p.matrices;
    for (const auto& [number, shapes] : p.shapes) {
      parts = parts && shapes.size() == 1;
      all.insert(shapes.begin(), shapes.end());
    }
    if (parts && all.size() == p.shapes.size()) {
      for (const auto& [name, numbers] : p.names) out[name] = {numbers[varying[1]], -1, pattern + "/" + std::to_string(numbers[0])};
      continue;
    }
    if (varying.size() != 1 && !(varying.size() == 2 && p.matrices)) continue;
    for (const auto& [name, numbers] : p.names)
      out[name] = {numbers[varying[0]], varying.size() == 2 ? numbers[varying[1]] : -1, pattern};
  }
  return out;
}

// Without leading axes of one entry, so that (1, 12, 9, 9) and (12, 9, 9) agree.
std::shared_ptr<StoredArray> squeezed(const StoredArray& a, std::size_t axes) {
  auto out = std::make_shared<StoredArray>(a);
  while (out->shape.size() > axes && out->shape.front() == 1) {
    out->shape.erase(out->shape.begin());
    if (!out->strides.empty()) out->strides.erase(out->strides.begin());
  }
  return out;
}

}  // namespace

SortedArrays sort_arrays(const Container& container) {
  SortedArrays out;
  std::map<std::tuple<NameRole, std::string, std::string>, std::vector<Named>> by_name;
  std::vector<std::tuple<NameRole, std::string, std::string>> order;
  std::set<std::string> taken;
  for (StepSet& set : find_steps(container.arrays)) {
    const NameMeaning meaning = name_meaning(set.prefix);
    StackGroup group;
    group.name = set.prefix;
    group.stream = meaning.stream;
    group.role = meaning.role;
    group.members = std::move(set.members);
    out.groups.push_back(std::move(group));
    taken.insert(set.names.begin(), set.names.end());
  }
  const std::map<std::string, NumberPlace> places = places_of_numbers(container.arrays);
  const bool says = !out.groups.empty() || std::any_of(container.arrays.begin(), container.arrays.end(), [](const StoredArray& a) { return name_meaning(a.name).role == NameRole::attention; });
  for (const StoredArray& a : container.arrays) {
    if (taken.count(a.name)) continue;
    NameMeaning meaning = name_meaning(a.name);
    // "scores" beside attention are a map's; alone they are those before the softmax.
    if (!says && a.shape.size() > 2 && meaning.role == NameRole::companion && meaning.group.starts_with("scores")) meaning.role = NameRole::scores;
    if (meaning.head >= 0 && meaning.layer < 0 && a.shape.size() == 2) meaning.layer = 0;  // head_0, head_1 .. of the only layer
    if (const auto place = places.find(a.name); place != places.end() && !meaning.layer_word) {
      meaning.layer = place->second.layer;
      meaning.head = place->second.head;
      meaning.group = place->second.group;
    }
    if (is_attn_dump_key(a.name) && meaning.role != NameRole::attention) meaning.role = NameRole::companion;
    switch (meaning.role) {
      case NameRole::parameter:
        if (out.parameters++ == 0) out.parameter = a.name;
        continue;
      case NameRole::companion: out.companions.push_back(a.name); continue;
      case NameRole::other: out.others.push_back(a.name); continue;
      default: break;
    }
    const bool sure = meaning.role == NameRole::attention || meaning.role == NameRole::scores;
    const bool nothing_in_it = a.elements == 0 && meaning.role == NameRole::attention;  // said where a message can be made
    if (!nothing_in_it && (a.shape.size() < 2 || (whole_numbers(a.dtype) && !sure && dtype_size(a.dtype) > 2))) {
      // A file that is one array has nothing else to offer: its shape is judged where the message can say so.
      if (container.arrays.size() > 1 || whole_numbers(a.dtype)) {
        out.others.push_back(a.name);
        continue;
      }
    }
    const std::tuple key(meaning.role, meaning.stream, meaning.group);
    if (by_name.find(key) == by_name.end()) order.push_back(key);
    by_name[key].push_back({std::move(meaning), std::make_shared<StoredArray>(a)});
  }
  for (const auto& key : order) {
    std::vector<Named>& all = by_name[key];
    const bool numbered = all[0].meaning.layer >= 0;
    const bool loose = all[0].meaning.loose_layer;

    const std::size_t left_out = out.others.size();
    if (numbered) {
      const auto least = std::min_element(all.begin(), all.end(), [](const Named& a, const Named& b) { return a.array->shape.size() < b.array->shape.size(); });
      const std::size_t axes = least->array->shape.size();
      for (Named& m : all)
        if (m.array->shape.size() > axes) m.array = squeezed(*m.array, axes);
    }
    // (output, weights): places of a list whose entries are different things.
    std::set<std::vector<std::uint64_t>> shapes;
    for (const Named& m : all) shapes.insert(m.array->shape);
    bool in_windows = false;
    (void)sizes_differ(all, in_windows);
    if (numbered && loose && !in_windows && all.size() == shapes.size() && all.size() > 1 && all.size() < 4) {
      for (Named& m : all) {
        StackGroup single;
        single.name = m.array->name;
        single.stream = m.meaning.stream;
        single.role = m.meaning.role;
        single.members.push_back({m.array, -1, -1});
        out.groups.push_back(std::move(single));
      }
      continue;
    }
    const bool says = all[0].meaning.role <= NameRole::plain;
    if (numbered && says && out.windows.empty() && out.layers_differ.empty()) {
      bool windows = false;
      const std::string text = sizes_differ(all, windows);
      (windows ? out.windows : out.layers_differ) = text;
      for (const Named& m : all)
        if (!text.empty() && out.differ_at.empty() && m.array->shape != all[0].array->shape) out.differ_at = printable(m.array->name);
    }
    if (numbered && out.heads_differ.empty()) out.heads_differ = only_heads_differ(all);
    std::vector<Named> members = numbered ? agreeing(std::move(all), out.others) : std::move(all);
    StackGroup group;
    group.name = members[0].array->name;
    group.stream = members[0].meaning.stream;
    group.role = members[0].meaning.role;
    group.path_like = members[0].meaning.path_like;
    group.incomplete = left_out != out.others.size();
    // One arr_0 is the whole stack; one attentions.0 is a layer.
    const bool as_layers = numbered && !(loose && members.size() == 1);
    if (!as_layers) {
      for (auto& m : members) {  // equal names cannot be; names equal but for their separators can
        StackGroup single = group;
        single.name = m.array->name;
        single.members.push_back({m.array, -1, -1});
        out.groups.push_back(std::move(single));
      }
      continue;
    }
    for (auto& m : members) group.members.push_back({m.array, m.meaning.layer, m.meaning.head});
    std::stable_sort(group.members.begin(), group.members.end(), [](const auto& a, const auto& b) {
      return std::pair(a.layer, a.head) < std::pair(b.layer, b.head);
    });
    const auto same = [](const auto& a, const auto& b) { return a.layer == b.layer && a.head == b.head; };
    group.members.erase(std::unique(group.members.begin(), group.members.end(), same), group.members.end());
    out.groups.push_back(std::move(group));
  }
  std::stable_sort(out.groups.begin(), out.groups.end(), [](const StackGroup& a, const StackGroup& b) { return a.role < b.role; });
  return out;
}

std::string describe_arrays(const Container& container, std::size_t most) {
  std::string out;
  std::size_t shown = 0;
  for (const auto& a : container.arrays) {
    if (++shown > most) return out + ", \u2026";
    if (!out.empty()) out += ", ";
    out += (a.name.empty() ? "one array" : printable(a.name)) + " " + shape_text(a.shape) + " " + std::string(dtype_name(a.shown));
  }
  for (const auto& t : container.texts) {
    if (++shown > most) return out + ", \u2026";
    if (!out.empty()) out += ", ";
    out += (t.name.empty() ? "one array" : printable(t.name)) + " " + shape_text(t.shape) + " texts";
  }
  return out.empty() ? "no arrays" : out;
}

}  // namespace rollscope
