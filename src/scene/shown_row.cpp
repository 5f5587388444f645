#include "scene/shown_row.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "methods/recipe.h"

namespace rollscope {
namespace {

// "r2c4", as some files name their patches: a position, not a name.
bool names_a_position(std::string_view raw) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < raw.size() && raw[i] >= '0' && raw[i] <= '9') ++i;
    return i > from;
  };
  if (raw.empty()) return true;
  if (raw[i++] != 'r' || !digits() || i >= raw.size() || raw[i++] != 'c') return false;
  return digits() && i == raw.size();
}

// What numbers are sorted by: their size, where a sign tells for and against; none comes last.
double size_of(const ViewData& v, int key) {
  const double w = v.row[static_cast<std::size_t>(key)];
  return std::isnan(w) ? -1 : v.is_signed ? std::abs(w) : w;
}

const std::vector<Token>& side(const Stream& s, bool key) { return key ? s.key_tokens : s.query_tokens; }

}  // namespace

bool two_sided(const Stream& shown) { return shown.kind == StreamKind::cross || shown.queries != shown.keys; }

PatchGrid shown_grid(const DumpInfo& dump, const Stream& stored, const Stream& shown, const Recipe& recipe) {
  return recipe.merge != Merge::pieces && shown.keys != stored.keys ? PatchGrid{} : dump.grid;
}

bool is_patch(const Stream& shown, const PatchGrid& grid, int index, bool key) {
  return grid.rows > 0 && index >= grid.prefix && index < grid.prefix + grid.rows * grid.columns && (key || shown.kind != StreamKind::cross);
}

std::string token_name(const Stream& shown, const PatchGrid& grid, int index, bool key, std::string_view patch_words) {
  const auto& tokens = side(shown, key);
  if (index < 0 || index >= static_cast<int>(tokens.size())) return {};
  const Token& token = tokens[static_cast<std::size_t>(index)];
  if (!is_patch(shown, grid, index, key) || !names_a_position(token.raw)) return token.label;
  const int patch = index - grid.prefix;
  return fill(patch_words, {{"row", std::to_string(patch / grid.columns + 1)}, {"column", std::to_string(patch % grid.columns + 1)}});
}

int repeated_token(const Stream& shown, const PatchGrid& grid, int index, bool key) {
  const auto& tokens = side(shown, key);
  if (index < 0 || index >= static_cast<int>(tokens.size()) || is_patch(shown, grid, index, key)) return 0;
  const std::string& mine = tokens[static_cast<std::size_t>(index)].label;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (static_cast<int>(i) != index && tokens[i].label == mine) return index + 1;
  return 0;
}

int joint_border(const Stream& stored, const Recipe& recipe) { return recipe.method == Method::joint ? stored.keys : 0; }

bool sees_key(const ViewData& view, const Stream& shown, int border, int key) {
  if (border > 0) return key < view.visible;  // the source first, then the target as far as its decoder sees
  return !(shown.causal && !two_sided(shown) && key > (view.rows.empty() ? view.query : view.rows.back()) && traits(view.recipe.method).attention);
}

bool is_sink(const ViewData& view, int key) { return std::find(view.sinks.begin(), view.sinks.end(), key) != view.sinks.end(); }

int own_past_scale(const ViewData& view, const Stream& shown) {
  if (two_sided(shown) || !view.rows.empty()) return -1;
  const Method m = view.recipe.method;
  return m == Method::relevance || m == Method::relevance_causal ? view.query : -1;
}

ColourScale view_scale(const ViewData& view, const Stream& shown) {
  std::vector<int> aside = view.sinks;
  if (const int own = own_past_scale(view, shown); own >= 0) aside.push_back(own);
  return row_scale(view.row, aside, view.is_signed);
}

bool adds_up(const Recipe& r) { return r.method != Method::flow && r.sink != SinkMode::lift; }

std::string_view unit_name(const Recipe& r) {
  if (r.sink == SinkMode::lift) return "lift";
  switch (r.method) {
    case Method::raw: return "attention";
    case Method::flow:
    case Method::flow_normalised: return "flow";
    case Method::cdam:
    case Method::attribution: return "attribution";
    default: return traits(r.method).unit == "relative relevance" ? "relevance" : "rollout";
  }
}

RowList list_row(const ViewData& v, const Stream& shown, int border, int itself, int most) {
  RowList r;
  std::vector<int> order;
  for (int k = 0; k < static_cast<int>(v.row.size()); ++k) {
    if (!sees_key(v, shown, border, k)) continue;
    if (is_sink(v, k)) r.sinks.push_back(k);
    else order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return size_of(v, a) > size_of(v, b); });
  while (order.size() > 1 && size_of(v, order.back()) < 0) order.pop_back(), ++r.unknown;
  const std::size_t n = std::min(order.size(), static_cast<std::size_t>(most));
  r.keys.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n));
  const bool itself_listed = itself >= 0 && !is_sink(v, itself) && itself < static_cast<int>(v.row.size());
  if (itself_listed && n == static_cast<std::size_t>(most) && n > 1 && std::find(r.keys.begin(), r.keys.end(), itself) == r.keys.end()) r.keys.back() = itself;
  if (order.size() == r.keys.size() + 1) r.keys.push_back(order.back());  // "1 other" would take the same room
  for (int k : order)
    if (std::find(r.keys.begin(), r.keys.end(), k) == r.keys.end()) ++r.others, r.others_weight += v.row[static_cast<std::size_t>(k)];
  // What is shown, and its chance; whiskers may leave by an arrow.
  double most_weight = 0, most_range = 0;
  auto see = [&](int k) {
    const auto i = static_cast<std::size_t>(k);
    most_weight = std::max({most_weight, size_of(v, k), i < v.uniform.size() ? static_cast<double>(v.uniform[i]) : 0.0});
    if (i < v.high.size()) most_range = std::max(most_range, static_cast<double>(v.high[i]));
  };
  for (int k : r.keys) see(k);
  // A sink that dwarfs everything is cut open instead of squeezing the rest.
  const double words = most_weight;
  for (std::size_t i = 0; i < r.sinks.size() && i < 3; ++i)
    if (v.row[static_cast<std::size_t>(r.sinks[i])] < 6.5 * words || r.keys.empty()) see(r.sinks[i]);
  r.scale = std::max(1e-9, std::min(std::max(most_weight, most_range) * 1.05, most_weight * 1.6));
  return r;
}

}  // namespace rollscope
