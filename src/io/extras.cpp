#include "io/extras.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "io/names.h"

namespace rollscope {
namespace {

struct Spelling {
  std::string_view text;
  ExtraKind kind;
};
// The longer spelling of two that end alike stands first.
constexpr std::array kSpellings{
    Spelling{"attentions_gradients", ExtraKind::gradients}, Spelling{"attention_gradients", ExtraKind::gradients},
    Spelling{"attentions_gradient", ExtraKind::gradients},  Spelling{"attention_gradient", ExtraKind::gradients},
    Spelling{"attentions_grads", ExtraKind::gradients},     Spelling{"attention_grads", ExtraKind::gradients},
    Spelling{"attentions_grad", ExtraKind::gradients},      Spelling{"attention_grad", ExtraKind::gradients},
    Spelling{"attn_gradients", ExtraKind::gradients},       Spelling{"attn_gradient", ExtraKind::gradients},
    Spelling{"attn_grads", ExtraKind::gradients},           Spelling{"attn_grad", ExtraKind::gradients},
    Spelling{"grad_attentions", ExtraKind::gradients},      Spelling{"grads", ExtraKind::gradients},
    Spelling{"gradients", ExtraKind::gradients},            Spelling{"value_weighted_norms", ExtraKind::norms},
    Spelling{"attention_norms", ExtraKind::attention_norms}, Spelling{"residual_norms", ExtraKind::residual_norms},
    Spelling{"mixing_ratios", ExtraKind::mixing_ratios},    Spelling{"value_norms", ExtraKind::value_norms},
    Spelling{"norms", ExtraKind::norms},                    Spelling{"attr", ExtraKind::attribution},
    Spelling{"attributions", ExtraKind::attribution},       Spelling{"attribution", ExtraKind::attribution},
    Spelling{"scores", ExtraKind::scores}};

bool separates(char c) { return c == '/' || c == '.' || c == '_' || c == '[' || c == ']'; }
bool digits(std::string_view s) { return !s.empty() && s.size() < 6 && s.find_first_not_of("0123456789") == s.npos; }

// "/positive/3" -> name "positive", layer 3; "[3]", "_3", ".3" -> layer 3; "/3" -> name "3": a slash names.
void read_rest(std::string_view rest, ExtraName& out) {
  std::vector<std::string_view> parts;
  std::vector<char> before;
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t start = at + 1;  // behind the separator
    std::size_t end = start;
    while (end < rest.size() && rest[end] != '/' && rest[end] != '[' && rest[end] != ']' && !(rest[end] == '.' && end > start)) ++end;
    if (end > start) {
      parts.push_back(rest.substr(start, end - start));
      before.push_back(rest[at]);
    }
    at = end;
  }
  const bool layered = out.kind != ExtraKind::attribution && out.kind != ExtraKind::scores;
  if (layered && !parts.empty() && digits(parts.back()) && (parts.size() > 1 || before.back() != '/')) {
    out.layer = std::stoi(std::string(parts.back()));
    parts.pop_back();
  }
  for (const auto part : parts) out.name += (out.name.empty() ? "" : "/") + std::string(part);
}

// Arrays that are one thing: all layers in one, or one for each layer.
struct Found {
  ExtraName name;
  std::vector<StackGroup::Member> members;  // ascending by layer
  [[nodiscard]] const StoredArray& first() const { return *members.front().array; }
};

std::vector<Found> find_all(const Container& container) {
  std::map<std::tuple<ExtraKind, std::string, std::string, bool>, Found> by_name;
  for (const StoredArray& a : container.arrays) {
    auto name = extra_name(a.name);
    if (!name || a.elements == 0) continue;
    Found& found = by_name[{name->kind, name->stream, name->name, name->layer >= 0}];
    found.members.push_back({std::make_shared<StoredArray>(a), name->layer, -1});
    found.name = std::move(*name);
  }
  std::vector<Found> out;
  for (auto& [key, found] : by_name) {
    std::stable_sort(found.members.begin(), found.members.end(), [](const auto& a, const auto& b) { return a.layer < b.layer; });
    if (found.name.layer < 0) found.members.resize(1);
    out.push_back(std::move(found));
  }
  return out;
}

class Adder {
 public:
  Adder(const AxesRequest& request, const ExtraTarget& target, Dump& dump) : request_(request), target_(target), dump_(dump) {}

  Result<void> add(const Found& found) {
    switch (found.name.kind) {
      case ExtraKind::gradients:
      case ExtraKind::norms: return add_stack(found);
      case ExtraKind::value_norms: return add_numbers(found, {layers(), 0, static_cast<std::size_t>(target_.file_keys)});
      case ExtraKind::mixing_ratios:
      case ExtraKind::residual_norms:
      case ExtraKind::attention_norms: return add_numbers(found, {layers(), static_cast<std::size_t>(target_.file_queries)});
      case ExtraKind::attribution:
      case ExtraKind::scores: return add_scores(found);
    }
    return {};
  }

 private:
  [[nodiscard]] const Stream& stream() const { return *target_.stream; }
  [[nodiscard]] std::size_t layers() const { return static_cast<std::size_t>(stream().layers()); }

  void push(const Found& found, std::vector<int> shape, ExtraNumbers numbers) {
    dump_.info.extras.push_back({found.name.kind, stream().name, found.name.name, std::move(shape)});
    dump_.extras.push_back(std::move(numbers));
  }

  void unusable(const Found& found, const std::string& wanted) {
    dump_.info.report.push_back(report_item(ReportCode::extra_unusable, {{"name", printable(found.first().name)}, {"shape", shape_text(found.first().shape)}, {"wanted", wanted}}, stream().name));
  }

  // Gradients lie as the attention does; norms have no heads.
  Result<void> add_stack(const Found& found) {
    const bool norms = found.name.kind == ExtraKind::norms;
    StackGroup group;
    group.name = found.first().name;
    group.members = found.members;
    const std::size_t axes = found.first().shape.size();
    AxesRequest request = request_;
    request.layout_assumed = true;  // nothing is asked twice
    if (norms) request.assumed = found.name.layer >= 0 ? (axes == 2 ? "qk" : "bqk") : axes == 2 ? "qk" : axes == 3 ? "lqk" : "lbqk";
    else if (request.assumed.empty() && target_.axes.size() == axes) request.assumed = target_.axes;
    auto placed = place_axes(group, request);
    const StackPlan& own = *target_.plan;
    const int heads = norms ? 0 : own.heads;
    const std::string wanted = "[" + std::to_string(layers()) + (heads > 0 ? "][" + std::to_string(heads) : "") + "][" +
                               std::to_string(target_.file_queries) + "][" + std::to_string(target_.file_keys) + "]";
    if (!placed) {
      if (placed.error().code == ErrorCode::read_failed) return tl::unexpected(placed.error());
      unusable(found, wanted);
      return {};
    }
    StackPlan& plan = placed->plan;
    if (target_.exchanged && !norms) {
      std::swap(plan.queries, plan.keys);
      for (LayerPlace& l : plan.layers) std::swap(l.query, l.key);
    }
    const bool fits = plan.layers.size() == layers() && plan.heads == heads && plan.queries == target_.file_queries &&
                      (plan.keys == target_.file_keys || plan.keys == own.keys);
    if (!fits || own.sink) {
      unusable(found, own.sink ? "rows that sum to 1, and these lose a part to a virtual sink" : wanted);
      return {};
    }
    plan.queries = own.queries;
    plan.keys = own.keys;
    plan.rows = own.rows;
    plan.columns = own.columns;
    std::vector<int> shape{stream().layers()};
    if (heads > 0) shape.push_back(heads);
    shape.push_back(stream().queries);
    shape.push_back(stream().keys);
    push(found, std::move(shape), {{}, make_stored_stack(std::move(plan))});
    return {};
  }

  // All numbers without the batch, layer by layer. `sides`: the sizes wanted, 0: any. Nothing: another shape.
  Result<std::optional<std::vector<double>>> read(const Found& found, std::vector<std::size_t>& sides) {
    std::vector<double> out;
    const bool numbered = found.name.layer >= 0;
    if (numbered && found.members.size() != sides[0]) return std::optional<std::vector<double>>{};
    for (const auto& member : found.members) {
      const StoredArray& a = *member.array;
      std::vector<std::size_t> shape(a.shape.begin(), a.shape.end());
      if (numbered) shape.insert(shape.begin(), sides[0]);
      std::size_t batch = 1;
      if (shape.size() == sides.size() + 1) {  // [L][B][..]
        batch = shape[1];
        shape.erase(shape.begin() + 1);
      }
      if (shape.size() != sides.size() || a.elements > kMostNumbers) return std::optional<std::vector<double>>{};
      for (std::size_t i = 0; i < sides.size(); ++i) {
        if (sides[i] == 0) sides[i] = shape[i];
        if (sides[i] != shape[i]) return std::optional<std::vector<double>>{};
      }
      if (batch > 1 && static_cast<std::size_t>(request_.item) >= batch) return std::optional<std::vector<double>>{};
      auto numbers = read_numbers(a);
      if (!numbers) return tl::unexpected(numbers.error());
      std::size_t rest = 1;
      for (std::size_t i = 1; i < sides.size(); ++i) rest *= sides[i];
      const std::size_t blocks = numbers->size() / (rest * batch);
      const std::size_t item = batch > 1 ? static_cast<std::size_t>(request_.item) : 0;
      for (std::size_t l = 0; l < blocks; ++l) {
        const auto from = numbers->begin() + static_cast<std::ptrdiff_t>((l * batch + item) * rest);
        out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(rest));
      }
    }
    return std::optional(std::move(out));
  }

  // Of rows of `side` numbers, those that were kept; a virtual sink has none.
  static std::vector<double> kept(const std::vector<double>& values, std::size_t side, const std::vector<int>& which, int end) {
    std::vector<double> out;
    for (std::size_t at = 0; at < values.size(); at += side)
      for (std::size_t k = 0; k < (which.empty() ? static_cast<std::size_t>(end) : which.size()); ++k)
        out.push_back(values[at + (which.empty() ? k : static_cast<std::size_t>(which[k]))]);
    return out;
  }
  [[nodiscard]] std::vector<double> kept_columns(const std::vector<double>& values) const {
    return kept(values, static_cast<std::size_t>(target_.file_keys), target_.plan->columns, target_.plan->keys);
  }
  [[nodiscard]] std::vector<double> kept_rows(const std::vector<double>& values) const {
    return kept(values, static_cast<std::size_t>(target_.file_queries), target_.plan->rows, target_.plan->queries);
  }

  Result<void> add_numbers(const Found& found, std::vector<std::size_t> sides) {
    const std::vector<std::size_t> wanted = sides;
    auto values = read(found, sides);
    if (!values) return tl::unexpected(values.error());
    if (!*values) {
      std::string text;
      for (const std::size_t side : wanted) text += "[" + (side ? std::to_string(side) : std::string("heads")) + "]";
      unusable(found, text);
      return {};
    }
    const bool per_key = found.name.kind == ExtraKind::value_norms;
    std::vector<double> numbers = per_key ? kept_columns(**values) : kept_rows(**values);
    std::vector<int> shape(sides.begin(), sides.end());
    shape.back() = static_cast<int>(numbers.size() / (layers() * (per_key ? sides[1] : 1)));
    push(found, std::move(shape), {std::move(numbers), nullptr});
    return {};
  }

  Result<void> add_scores(const Found& found) {
    const StoredArray& a = found.first();
    std::vector<std::size_t> shape(a.shape.begin(), a.shape.end());
    while (shape.size() > 1 && shape.front() == 1) shape.erase(shape.begin());
    if (shape.size() > 2 || a.elements > kMostNumbers) {
      unusable(found, "one number for each token");
      return {};
    }
    const auto keys = static_cast<std::size_t>(target_.file_keys), queries = static_cast<std::size_t>(target_.file_queries);
    const bool row = shape.size() == 1 && shape[0] == keys;
    const bool matrix = shape.size() == 2 && shape[0] == queries && shape[1] == keys;
    const PatchGrid& grid = dump_.info.grid;
    const bool map = !matrix && shape.size() == 2 && grid.rows > 0 && shape[0] == static_cast<std::size_t>(grid.rows) && shape[1] == static_cast<std::size_t>(grid.columns);
    const bool patches = !row && shape.size() == 1 && grid.rows > 0 && shape[0] == static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns);
    if (!row && !matrix && !map && !patches) {
      unusable(found, "[" + std::to_string(keys) + "], [" + std::to_string(queries) + "][" + std::to_string(keys) + "]");
      return {};
    }
    auto numbers = read_numbers(a);
    if (!numbers) return tl::unexpected(numbers.error());
    std::vector<double> values(numbers->begin(), numbers->end());
    if (map || patches) {
      push(found, {grid.rows, grid.columns}, {std::move(values), nullptr});
      return {};
    }
    values = kept_columns(values);
    const int columns = static_cast<int>(values.size() / (matrix ? queries : 1));
    if (!matrix) {
      push(found, {columns}, {std::move(values), nullptr});
      return {};
    }
    std::vector<double> rows;
    for (int i = 0; i < target_.plan->kept_rows(); ++i) {
      const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(target_.plan->rows.empty() ? i : target_.plan->rows[static_cast<std::size_t>(i)]) * columns;
      rows.insert(rows.end(), values.begin() + from, values.begin() + from + columns);
    }
    push(found, {target_.plan->kept_rows(), columns}, {std::move(rows), nullptr});
    return {};
  }

  static constexpr std::uint64_t kMostNumbers = 5'000'000;  // of one small array: 32 layers x 32 heads x 4,096 tokens
  const AxesRequest& request_;
  const ExtraTarget& target_;
  Dump& dump_;
};

}  // namespace

std::optional<ExtraName> extra_name(std::string_view name) {
  const std::string low = lower(name);
  for (const Spelling& s : kSpellings) {
    for (std::size_t at = low.find(s.text); at != low.npos; at = low.find(s.text, at + 1)) {
      const std::size_t end = at + s.text.size();
      if ((at > 0 && !separates(low[at - 1])) || (end < low.size() && !separates(low[end]))) continue;
      ExtraName out;
      out.kind = s.kind;
      const std::string_view before = name.substr(0, at > 0 ? at - 1 : 0), rest = name.substr(end);
      // "hidden_grads" is something else, and so is "attention_scores".
      const NameMeaning meaning = name_meaning(before);
      out.stream = meaning.stream;
      const std::vector<std::string> words = name_words(before);
      const bool known = std::all_of(words.begin(), words.end(), [](const std::string& w) {
        return w == "encoder" || w == "decoder" || w == "cross" || w == "self" || w == "extras";
      });
      if (!known) continue;
      const bool named = s.kind == ExtraKind::attribution || s.kind == ExtraKind::scores || s.text == "norms";
      if (named && (rest.empty() || (rest[0] != '/' && rest[0] != '.'))) continue;
      read_rest(rest, out);
      if (named && out.name.empty()) continue;
      return out;
    }
  }
  return std::nullopt;
}

Result<void> add_extras(const Container& container, const AxesRequest& request, const ExtraTarget& target, Dump& dump) {
  Adder adder(request, target, dump);
  const Stream& stream = *target.stream;
  const std::string_view kind = stream_kind_name(stream.kind);
  for (const Found& found : find_all(container)) {
    const bool named = found.name.stream == kind || found.name.stream == stream.name;
    const bool score = found.name.kind == ExtraKind::attribution || found.name.kind == ExtraKind::scores;
    const bool ours = named || (found.name.stream.empty() && (target.only || stream.kind == StreamKind::self || (score && target.first)));
    if (!ours) continue;
    if (auto added = adder.add(found); !added) return added;
  }
  return {};
}

}  // namespace rollscope
