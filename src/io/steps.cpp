#include "io/steps.h"

#include <algorithm>
#include <map>

namespace rollscope {
namespace {

using Member = StackGroup::Member;
using Key = std::pair<int, int>;  // step, layer

std::uint64_t rows_of(const StoredArray& a) { return a.shape[a.shape.size() - 2]; }
std::uint64_t keys_of(const StoredArray& a) { return a.shape.back(); }

bool same_leading(const StoredArray& a, const StoredArray& b) {
  return a.shape.size() == b.shape.size() && std::equal(a.shape.begin(), a.shape.end() - 2, b.shape.begin());
}

// Whether the arrays of one layer, by step, are what generate() gives.
bool grows(const std::vector<const StoredArray*>& steps, bool by_layer) {
  const StoredArray& first = *steps[0];
  const std::uint64_t prompt = rows_of(first);
  bool cached = true, whole = true;  // whole: all rows anew in each step, over as many keys or (cross) always the same
  bool square = keys_of(first) == prompt;
  std::uint64_t before = 0;
  for (std::size_t s = 1; s < steps.size(); ++s) {
    const StoredArray& a = *steps[s];
    if (!same_leading(first, a)) return false;
    cached = cached && rows_of(a) == 1 && keys_of(a) + 1 >= before;  // a window may let go of one key
    whole = whole && rows_of(a) == prompt + s && (square ? keys_of(a) == prompt + s : keys_of(a) == keys_of(first));
    before = keys_of(a);
  }
  // Single rows all of one width: those of a cross stream, if their names have a step and a layer; else layers of one row.
  const bool moves = prompt > 1 || keys_of(*steps.back()) != keys_of(first);
  return whole || (cached && (moves || (by_layer && keys_of(first) > 1)));
}

// The grid as steps of layers; `complete`: every step has the same layers, counted without gaps from step 0.
bool is_generation(const std::map<Key, const StoredArray*>& grid) {
  std::map<int, std::vector<const StoredArray*>> by_layer;
  int steps = 0;
  const StoredArray& first = *grid.begin()->second;
  for (const auto& [key, array] : grid) {
    if (array->shape.size() < 3 || array->elements == 0 || !same_leading(first, *array)) return false;
    std::vector<const StoredArray*>& column = by_layer[key.second];
    if (static_cast<int>(column.size()) != key.first) return false;
    column.push_back(array);
    steps = std::max(steps, key.first + 1);
  }
  if (steps < 2) return false;
  return std::all_of(by_layer.begin(), by_layer.end(), [&](const auto& column) {
    return static_cast<int>(column.second.size()) == steps && grows(column.second, column.first >= 0);
  });
}

std::map<Key, const StoredArray*> exchanged(const std::map<Key, const StoredArray*>& grid) {
  std::map<Key, const StoredArray*> out;
  for (const auto& [key, array] : grid) out[{key.second, key.first}] = array;
  return out;
}

std::string axes_of(const StoredArray& a, bool one_layer) {
  switch (a.shape.size()) {
    case 3: return "hqk";
    case 4: return one_layer || a.shape[0] == 1 ? "bhqk" : "lhqk";
    case 5: return "lbhqk";
    default: return "";
  }
}

struct Steps {
  std::vector<const Member*> of;  // of one layer, ascending
};

// Where the rows and keys of each step stand. The streams differ: keys of a cross stream never move.
void place_rows(const Steps& steps, bool cross, std::vector<RowPiece>& pieces) {
  const auto rows = [&](std::size_t s) { return static_cast<int>(rows_of(*steps.of[s]->array)); };
  const auto keys = [&](std::size_t s) { return static_cast<int>(keys_of(*steps.of[s]->array)); };
  const std::size_t count = steps.of.size();
  bool one_width = count > 1;
  for (std::size_t s = 1; s < count; ++s) one_width = one_width && keys(s) == keys(0);
  const bool still = cross || count == 1 || (one_width && rows(0) + static_cast<int>(count) - 1 <= keys(0));  // a static cache
  // Without its prompt, a step's width says where its row stands.
  int row = still || keys(0) < rows(0) ? 0 : keys(0) - rows(0);
  for (std::size_t s = 0; s < count; ++s) {
    RowPiece& p = pieces[s];
    p.first_row = row;
    p.rows = rows(s);
    p.keys = keys(s);
    p.first_key = still ? 0 : std::max(0, row + rows(s) - keys(s));  // a window has let go of the keys before
    row += rows(s);
  }
}

// "step_3_layer_0" as well: words that name the numbers, which then may stand anywhere.
std::vector<int> step_numbers(const std::string& name, std::string& prefix) {
  const std::vector<std::string> words = name_words(name);
  int step = -1, layer = -1;
  std::string rest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool number = i + 1 < words.size() && words[i + 1].size() < 6 && words[i + 1].find_first_not_of("0123456789") == std::string::npos;
    const std::string& w = words[i];
    if (number && (w == "step" || w == "steps" || w == "t" || w == "gen")) step = std::stoi(words[++i]);
    else if (number && (w == "layer" || w == "l" || w == "block")) layer = std::stoi(words[++i]);
    else rest += (rest.empty() ? "" : ".") + w;
  }
  if (step >= 0) {
    prefix = rest;
    return layer >= 0 ? std::vector<int>{step, layer} : std::vector<int>{step};
  }
  if (layer >= 0 && words.back().find_first_not_of("0123456789") == std::string::npos && words.size() > 1 && words[words.size() - 2] == "layer") {
    const std::vector<int> numbers = trailing_numbers(name, prefix);
    if (numbers.size() == 1) return {};  // layer_3 is a layer
    return numbers;
  }
  return trailing_numbers(name, prefix);
}

}  // namespace

std::vector<int> trailing_numbers(const std::string& name, std::string& prefix) {
  std::vector<int> out;
  std::size_t end = name.size();
  while (out.size() < 2) {
    std::size_t begin = end;
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
    if (begin == end || end - begin > 6) break;
    const bool starts = begin == 0;
    const char before = starts ? '.' : name[begin - 1];
    if (before != '.' && before != '/' && before != '_' && before != '[' && before != '-') break;
    int n = 0;
    for (std::size_t i = begin; i < end; ++i) n = n * 10 + (name[i] - '0');
    out.insert(out.begin(), n);
    end = starts ? 0 : begin - 1;
    if (starts) break;
  }
  prefix = name.substr(0, end);
  return out;
}

std::vector<StepSet> find_steps(const std::vector<StoredArray>& arrays) {
  struct Found {
    std::map<Key, const StoredArray*> grid;
    bool twice = false;  // some place is taken by two arrays
  };
  std::map<std::pair<std::string, std::size_t>, Found> by_prefix;
  std::vector<std::pair<std::string, std::size_t>> order;
  for (const StoredArray& a : arrays) {
    std::string prefix;
    const std::vector<int> numbers = step_numbers(a.name, prefix);
    if (numbers.empty()) continue;
    const NameRole role = name_meaning(prefix).role;
    if (role == NameRole::parameter || role == NameRole::companion || role == NameRole::other) continue;
    const std::pair key(prefix, numbers.size());
    if (by_prefix.find(key) == by_prefix.end()) order.push_back(key);
    Found& found = by_prefix[key];
    found.twice = !found.grid.emplace(Key(numbers[0], numbers.size() == 2 ? numbers[1] : -1), &a).second || found.twice;
  }
  std::vector<StepSet> out;
  for (const auto& key : order) {
    Found& found = by_prefix[key];
    if (found.twice) continue;
    std::map<Key, const StoredArray*> grid = std::move(found.grid);
    if (!is_generation(grid)) {
      if (key.second != 2) continue;
      grid = exchanged(grid);
      if (!is_generation(grid)) continue;
    }
    StepSet set;
    set.prefix = key.first;
    for (const auto& [place, array] : grid) {
      set.members.push_back({std::make_shared<StoredArray>(*array), place.second, -1, place.first});
      set.names.push_back(array->name);
    }
    out.push_back(std::move(set));
  }
  return out;
}

Result<PlacedStack> place_steps(const StackGroup& group, const AxesRequest& request) {
  PlacedStack out;
  const bool cross = group.stream == "cross";
  const StoredArray& first = group.first();
  const bool one_layer = group.members.front().layer >= 0;
  const std::string axes = axes_of(first, one_layer);
  const std::string name = group.name.empty() ? "the array" : printable(group.name);
  if (axes.empty()) return fail(ErrorCode::not_attention, {{"detail", name + " has the shape " + shape_text(first.shape) + ", which is read in no known order of axes"}});
  out.axes = axes;
  out.dtype = first.shown;
  std::map<int, Steps> layers;
  const int inner = axes[0] == 'l' ? static_cast<int>(std::min<std::uint64_t>(first.shape[0], 100'000)) : 1;
  for (const Member& m : group.members) layers[m.layer].of.push_back(&m);
  std::size_t steps = layers.begin()->second.of.size();
  // Without a cache each step computes the whole square anew, so the last one holds all.
  const bool whole = rows_of(*layers.begin()->second.of.back()->array) > 1;
  const std::size_t stitched = steps;
  if (whole)
    for (auto& layer : layers) layer.second.of.erase(layer.second.of.begin(), layer.second.of.end() - 1);

  const std::size_t batch_at = axes.find('b');
  const std::uint64_t stored = batch_at == axes.npos ? 1 : first.shape[batch_at];
  const bool beams = request.beam_items > 0 && stored % request.beam_items == 0 && !request.beams.empty();
  out.batch = static_cast<int>(std::min<std::uint64_t>(beams ? request.beam_items : stored, 1 << 30));
  if (request.item < 0 || request.item >= out.batch)
    return fail(ErrorCode::out_of_range, {{"option", "--item"}, {"value", std::to_string(request.item)},
                                          {"allowed", out.batch == 1 ? "0 only: the file holds one item" : "0 to " + std::to_string(out.batch - 1)}});
  if (beams && !whole)  // a sequence that ended early has no beam from there on
    for (std::size_t s = 0; s < steps; ++s)
      if (s >= request.beams.size() || request.beams[s] < 0) {
        steps = std::max<std::size_t>(s, 1);
        for (auto& layer : layers) layer.second.of.resize(steps);
        break;
      }
  if (out.batch > 1)
    out.report.push_back(report_item(ReportCode::batch_item, {{"count", std::to_string(out.batch)}, {"item", std::to_string(request.item)}}, group.name));
  if (out.batch > 1 && !beams)
    out.report.push_back(report_item(ReportCode::beams_unknown, {{"count", std::to_string(out.batch)}}, group.name));
  out.report.push_back(report_item(ReportCode::generation_stitched, {{"steps", std::to_string(stitched)}}, group.name));

  StackPlan& plan = out.plan;
  const std::size_t head_at = axes.find('h');
  plan.heads = static_cast<int>(first.shape[head_at]);
  for (const auto& [number, layer] : layers) {
    std::vector<RowPiece> pieces(layer.of.size());
    place_rows(layer, cross, pieces);
    for (int l = 0; l < inner; ++l) {
      LayerPlace place;
      place.array = layer.of[0]->array;
      for (std::size_t s = 0; s < layer.of.size(); ++s) {
        const StoredArray& a = *layer.of[s]->array;
        const std::vector<std::uint64_t> strides = strides_of(a);
        const auto stride = [&](char letter) {
          const std::size_t at = axes.find(letter);
          return at == axes.npos ? std::uint64_t{0} : strides[at];
        };
        int item = request.item;
        if (beams) item = request.beams[std::min(whole ? stitched - 1 : s, request.beams.size() - 1)];
        if (item < 0 || static_cast<std::uint64_t>(item) >= stored) item = 0;
        RowPiece piece = pieces[s];
        piece.place.array = layer.of[s]->array;
        piece.place.base = static_cast<std::uint64_t>(l) * stride('l') + static_cast<std::uint64_t>(item) * stride('b');
        piece.place.head = stride('h');
        piece.place.query = piece.rows == 1 && stride('k') == 1 ? static_cast<std::uint64_t>(piece.keys) : stride('q');
        piece.place.key = piece.keys == 1 ? 1 : stride('k');
        plan.queries = std::max(plan.queries, piece.first_row + piece.rows);
        plan.keys = std::max(plan.keys, piece.first_key + piece.keys);
        place.pieces.push_back(std::move(piece));
      }
      plan.layers.push_back(std::move(place));
      out.layer_numbers.push_back(number >= 0 ? number : l);
    }
  }
  constexpr int kMostSide = 1 << 20;
  if (plan.queries > kMostSide || plan.keys > kMostSide || plan.layers.size() > 10000 || plan.heads > 10000)
    return fail(ErrorCode::too_big, {{"needed", shape_text(first.shape)}, {"limit", "10000 layers or heads and 1048576 tokens"}, {"detail", name + ", read as " + axes}});
  return out;
}

}  // namespace rollscope
