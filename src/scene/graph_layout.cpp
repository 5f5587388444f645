#include "scene/graph_layout.h"

#include <algorithm>
#include <cmath>

namespace rollscope {
namespace {

constexpr float kNarrowest = 16;    // px; where columns would be narrower, tokens are bundled
constexpr float kBundleColumn = 25; // px of a column then, so that names can still be read
constexpr int kMostBundles = 12;    // 24 bundles all to all are 576 ribbons in a gap: a grey, not a graph
constexpr int kMostDrawn = 2000;    // ribbons of attention in one gap; beyond them lines are a grey
constexpr float kWidestUnit = 64;   // px of all the weight
constexpr int kNeighbours = 8;      // tokens at either side of the chosen one that are not bundled
constexpr std::size_t kLoneSinks = 4;
constexpr float kDenseGap = 96;     // px; zoom pulls levels apart up to here
constexpr double kNothing = 2e-5;   // a ribbon of less weight is under a thousandth of a pixel

bool contains(const std::vector<int>& list, int x) { return std::find(list.begin(), list.end(), x) != list.end(); }

// First tokens of the columns when up to `bundle` neighbours share one; `lone` tokens stand alone.
template <class Lone>
std::vector<int> cut(int tokens, int bundle, Lone lone) {
  std::vector<int> first;
  int in_column = 0;
  bool last_alone = true;
  for (int t = 0; t < tokens; ++t) {
    const bool alone = lone(t);
    if (t == 0 || alone || last_alone || in_column == bundle) {
      first.push_back(t);
      in_column = 0;
    }
    ++in_column;
    last_alone = alone;
  }
  first.push_back(tokens);
  return first;
}

// room: columns that fit; 0: every token has its own.
std::vector<int> choose_columns(const ViewData& view, int tokens, bool square, int room, int& bundle) {
  bundle = 1;
  const auto none = [](int) { return false; };
  if (room == 0) return cut(tokens, 1, none);
  const bool lone_sinks = view.sinks.size() <= kLoneSinks;
  const auto sink = [&](int t) { return lone_sinks && contains(view.sinks, t); };
  const auto lone = [&](int t) { return sink(t) || (square && std::abs(t - view.query) <= kNeighbours); };
  const auto fits = [&](const std::vector<int>& first) {
    int bundles = 0;
    for (std::size_t c = 0; c + 1 < first.size(); ++c) bundles += first[c + 1] - first[c] > 1;
    return bundles <= kMostBundles && static_cast<int>(first.size()) - 1 <= room;
  };
  // The neighbourhood is opened only where the rest keeps some shape beside it.
  if (room >= 3 * kNeighbours)
    for (bundle = 2; bundle < tokens; ++bundle)
      if (auto first = cut(tokens, bundle, lone); fits(first)) return first;
  for (bundle = 2; bundle < tokens; ++bundle)
    if (auto first = cut(tokens, bundle, sink); fits(first)) return first;
  return cut(tokens, bundle, none);
}

using Strand = GraphPlan::Strand;

// Adds the attention of one gap, the strongest first; in bundles what runs between the same two columns is one sum, and
// the strongest edge in it lends its number.
void add_attention(std::vector<Strand>& out, const Gap& gap, std::int16_t number, const GraphPlan& plan, const std::vector<int>& column, bool square, int above, const std::vector<int>& sinks, bool adds) {
  const auto columns = static_cast<int>(plan.column_first.size()) - 1;
  const auto kept = static_cast<std::ptrdiff_t>(out.size());
  if (plan.bundle == 1) out.reserve(out.size() + gap.edges.size());
  std::vector<int> place;  // in `out`, by pair of columns; -1: none yet
  if (plan.bundle > 1) place.assign(static_cast<std::size_t>(above) * columns, -1);
  for (std::size_t i = 0; i < gap.edges.size(); ++i) {
    const Edge& e = gap.edges[i];
    const int from = square ? column[static_cast<std::size_t>(e.from)] : e.from, to = column[static_cast<std::size_t>(e.to)];
    if (!place.empty()) {
      int& at = place[static_cast<std::size_t>(from) * columns + to];
      if (at >= 0) {
        double& weight = out[static_cast<std::size_t>(at)].weight;
        weight = adds ? weight + e.weight : std::max(weight, static_cast<double>(e.weight));
        continue;
      }
      at = static_cast<int>(out.size());
    }
    const auto first = &plan.column_first[static_cast<std::size_t>(to)];
    const bool sink = first[1] - first[0] == 1 && contains(sinks, e.to);
    out.push_back({from, to, e.weight, sink ? RibbonKind::sink : RibbonKind::attention, number, static_cast<int>(i), e.from_offset, e.to_offset});
  }
  if (plan.bundle > 1) std::stable_sort(out.begin() + kept, out.end(), [](const Strand& a, const Strand& b) { return a.weight > b.weight; });
}

double part(const std::vector<float>& at, std::size_t i) { return i < at.size() ? at[i] : 0; }

// What stays in its column, two strands per column: residual, and own attention at its right.
std::vector<Strand> kept_strands(const Gap& gap, std::int16_t number, const GraphPlan& plan, const std::vector<int>& sinks) {
  std::vector<Strand> out;
  for (std::size_t c = 0; c + 1 < plan.column_first.size(); ++c) {
    const auto first = static_cast<std::size_t>(plan.column_first[c]), end = static_cast<std::size_t>(plan.column_first[c + 1]);
    double residual = 0, own = 0;
    for (std::size_t t = first; t < end; ++t) residual += part(gap.residual_at, t), own += part(gap.own_at, t);
    const double from = part(gap.residual_from_offset, first), to = part(gap.residual_to_offset, first);
    const int column = static_cast<int>(c);
    const bool sink = end - first == 1 && contains(sinks, static_cast<int>(first));
    if (residual > 0) out.push_back({column, column, residual, RibbonKind::residual, number, -1, from, to});
    if (own > 0) out.push_back({column, column, own, sink ? RibbonKind::sink : RibbonKind::own, number, -1, from + residual, to + residual});
  }
  return out;
}

// Places of bundled strands along their nodes: in the order of the columns at the other end.
void pack(std::vector<Strand>& strands) {
  const auto rank = [](const Strand& s) { return s.kind == RibbonKind::residual ? 0 : s.edge < 0 ? 1 : 2; };
  std::vector<Strand*> order;
  for (auto& s : strands) order.push_back(&s);
  for (const bool upper : {true, false}) {
    const auto here = [&](const Strand* s) { return upper ? s->from : s->to; };
    const auto there = [&](const Strand* s) { return upper ? s->to : s->from; };
    std::sort(order.begin(), order.end(), [&](const Strand* a, const Strand* b) {
      if (here(a) != here(b)) return here(a) < here(b);
      if (there(a) != there(b)) return there(a) < there(b);
      return rank(*a) < rank(*b);
    });
    double at = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i == 0 || here(order[i]) != here(order[i - 1])) at = 0;
      (upper ? order[i]->from_offset : order[i]->to_offset) = at;
      at += order[i]->weight;
    }
  }
}

// What is drawn between the columns of the plan.
void plan_strands(GraphPlan& plan, const ViewData& view, bool square) {
  plan.mass.assign(view.states.size(), {});
  plan.widest = 1;
  plan.strands.clear();
  plan.narrowed.clear();
  plan.shown.clear();
  plan.edges_hidden = 0;
  const auto levels = view.states.size(), columns = plan.column_first.size() - 1;
  const bool adds = view.recipe.method != Method::flow, one_row = levels == 2;
  auto& mass = plan.mass;
  for (std::size_t l = 0; l < levels; ++l) {
    const auto& state = view.states[l];
    if (!square && l + 1 == levels) {
      mass[l] = state;
      continue;
    }
    mass[l].assign(columns, 0);
    for (std::size_t c = 0; c < columns; ++c)
      for (int t = plan.column_first[c]; t < plan.column_first[c + 1]; ++t) mass[l][c] = adds ? mass[l][c] + state[static_cast<std::size_t>(t)] : std::max(mass[l][c], state[static_cast<std::size_t>(t)]);
  }
  if (one_row) plan.widest = std::max(1.0f, *std::max_element(mass[0].begin(), mass[0].end()));

  std::vector<int> column;  // of each token
  for (std::size_t c = 0; c < columns; ++c) column.resize(static_cast<std::size_t>(plan.column_first[c + 1]), static_cast<int>(c));
  for (std::size_t l = 0; l < view.gaps.size() && l + 1 < levels; ++l) {
    const Gap& gap = view.gaps[l];
    const auto number = static_cast<std::int16_t>(l);
    const bool own_columns = !square && l + 2 == levels;
    std::vector<Strand> strands = kept_strands(gap, number, plan, view.sinks);
    const auto kept = strands.size();
    add_attention(strands, gap, number, plan, column, !own_columns, static_cast<int>(mass[l + 1].size()), view.sinks, adds);
    if (plan.bundle > 1) pack(strands);
    // What leaves the chosen node, against what it holds.
    double leaves = 0, others = gap.others, narrowed = 1;
    for (const Strand& s : strands) leaves += s.weight;
    if (one_row) {
      const double holds = *std::max_element(mass[1].begin(), mass[1].end());
      if (holds > 0 && leaves > holds * 1.001) narrowed = holds / leaves;
      if (!adds)
        for (others = 0; const Strand& s : std::span(strands).subspan(kept)) others += s.weight;
    }
    plan.narrowed.push_back(narrowed);

    double drawn = 0;
    std::vector<int> leaving(plan.most > 0 ? mass[l + 1].size() : 0, 0);
    for (std::size_t i = 0; i < strands.size(); ++i) {
      const Strand& s = strands[i];
      if (i >= kept) {  // attention to other tokens, the strongest first
        if ((plan.keep < 1 && drawn >= plan.keep * others) || i - kept >= kMostDrawn) {
          plan.edges_hidden += static_cast<int>(strands.size() - i);
          break;
        }
        if (plan.most > 0 && leaving[static_cast<std::size_t>(s.from)]++ >= plan.most) {
          ++plan.edges_hidden;
          continue;
        }
        drawn += s.weight;
      } else if (s.weight < kNothing) {
        continue;
      }
      plan.strands.push_back(s);
    }
    plan.shown.push_back(others > 0 ? static_cast<float>(std::min(1.0, drawn / others)) : 1.0f);
  }
  const auto layer = [](RibbonKind k) { return k == RibbonKind::sink ? 0 : k == RibbonKind::residual ? 1 : k == RibbonKind::own ? 2 : 3; };
  std::stable_sort(plan.strands.begin(), plan.strands.end(), [&](const Strand& a, const Strand& b) {
    return a.kind != b.kind ? layer(a.kind) < layer(b.kind) : static_cast<float>(a.weight) < static_cast<float>(b.weight);
  });
}

// The columns that an edge of gap `l` joins, as one number.
std::uint64_t pair_of(const GraphLayout& g, std::size_t levels, std::size_t l, int from, int to) {
  const bool own_columns = !g.query_x.empty() && l + 2 == levels;
  return static_cast<std::uint64_t>(own_columns ? from : column_of(g, from)) << 32 | static_cast<std::uint32_t>(column_of(g, to));
}

float distance_to_segment(float px, float py, GraphPoint a, GraphPoint b) {
  const float dx = b.x - a.x, dy = b.y - a.y;
  const float length2 = dx * dx + dy * dy;
  const float t = length2 > 0 ? std::clamp(((px - a.x) * dx + (py - a.y) * dy) / length2, 0.0f, 1.0f) : 0;
  return std::hypot(px - a.x - t * dx, py - a.y - t * dy);
}

}  // namespace

int column_of(const GraphLayout& layout, int token) {
  const auto& first = layout.column_first;
  return static_cast<int>(std::upper_bound(first.begin(), first.end() - 1, token) - first.begin()) - 1;
}

GraphPoint ribbon_point(const Ribbon& r, float t) {
  const float x = t * t * (3 - 2 * t);                     // both controls of an end lie straight under it
  const float y = t * (1.5f + t * (t - 1.5f));             // at half height: 1.5 t - 1.5 t^2 + t^3
  return {r.x0 + (r.x1 - r.x0) * x, r.y0 + (r.y1 - r.y0) * y};
}

double largest_ribbon(const GraphLayout& g) {
  double largest = 0;
  for (const Ribbon& r : g.ribbons)
    if (r.kind == RibbonKind::attention) largest = std::max(largest, static_cast<double>(r.weight));
  return largest;
}

RibbonTone ribbon_tone(double w, double largest, bool dark, bool has_sign) {
  const double t = largest > 0 ? std::sqrt(std::clamp(w / largest, 0.0, 1.0)) : 0;
  const double at = dark ? 0.50 + 0.42 * t : 0.42 + 0.38 * t;
  return {has_sign ? signed_colour(0.64 + 0.36 * t, dark) : weight_colour(at, dark), static_cast<float>(0.65 + 0.35 * t)};
}

GraphLayout layout_graph(const ViewData& view, GraphRect area, double keep, const Camera& camera, int most, GraphPlan& plan) {
  GraphLayout g;
  g.area = area;
  const int keys = view.states.empty() ? 0 : static_cast<int>(view.states.front().size());
  const int queries = view.states.empty() ? 0 : static_cast<int>(view.states.back().size());
  if (keys == 0 || queries == 0 || !(area.w > 0) || !(area.h > 0)) return g;
  const bool square = keys == queries;

  // Columns. The content is `zoom` times as wide as the area; the camera says which part of it lies in the middle.
  const auto zoom = static_cast<float>(std::max(1.0, camera.zoom));
  const float wide = area.w * zoom;
  const int room = static_cast<float>(keys) * kNarrowest <= wide ? 0 : std::max(1, static_cast<int>(wide / kBundleColumn));
  if (plan.room != room) {
    int bundle = 1;
    auto first = choose_columns(view, keys, square, room, bundle);
    if (first != plan.column_first || bundle != plan.bundle) plan.most = -1;  // other strands
    plan.column_first = std::move(first);
    plan.bundle = bundle;
    plan.room = room;
  }
  if (plan.keep != keep || plan.most != most) {
    plan.keep = keep;
    plan.most = most;
    plan_strands(plan, view, square);
  }
  g.bundle = plan.bundle;
  g.column_first = plan.column_first;
  g.shown = plan.shown;
  g.edges_hidden = plan.edges_hidden;
  const auto columns = g.column_first.size() - 1;
  g.column = wide / static_cast<float>(columns);
  g.unit = std::clamp(g.column - 4, 1.0f, kWidestUnit);
  const float slack_x = wide - area.w;
  const float left = area.x - std::clamp(static_cast<float>(camera.x) * wide - area.w / 2, 0.0f, slack_x);
  for (std::size_t c = 0; c < columns; ++c) g.column_x.push_back(left + (static_cast<float>(c) + 0.5f) * g.column);
  if (!square)
    for (int q = 0; q < queries; ++q) g.query_x.push_back(left + (static_cast<float>(q) + 0.5f) * wide / static_cast<float>(queries));

  // Levels. Zoom pulls them apart only where they are dense.
  const auto levels = view.states.size();
  const float gaps = static_cast<float>(std::max<std::size_t>(1, levels - 1));
  const float tall = std::max(area.h, std::min(area.h * zoom, kDenseGap * gaps));
  const float top = area.y - std::clamp(static_cast<float>(camera.y) * tall - area.h / 2, 0.0f, tall - area.h);
  for (std::size_t l = 0; l < levels; ++l) g.level_y.push_back(top + tall * (1 - static_cast<float>(l) / gaps));

  const auto in_sight = [&](float a, float b) { return std::max(a, b) > area.x - kWidestUnit && std::min(a, b) < area.x + area.w + kWidestUnit; };
  for (std::size_t l = 0; l < levels; ++l) {
    const bool own_columns = !square && l + 1 == levels;
    const auto& mass = plan.mass[l];
    const float unit = l == 0 ? g.unit / plan.widest : g.unit;
    for (std::size_t c = 0; c < mass.size(); ++c) {
      const float x = own_columns ? g.query_x[c] : g.column_x[c];
      if (!in_sight(x, x)) continue;
      const int token = own_columns ? static_cast<int>(c) : g.column_first[c];
      g.nodes.push_back({x, g.level_y[l], std::max(3.0f, mass[c] * unit), mass[c], static_cast<std::int16_t>(l), token});
    }
  }

  for (const Strand& s : plan.strands) {
    // A hair beside the residual would be drawn three times too wide and more.
    if (s.edge < 0 && s.kind != RibbonKind::residual && s.weight * g.unit < 0.3) continue;
    const auto l = static_cast<std::size_t>(s.gap), from = static_cast<std::size_t>(s.from), to = static_cast<std::size_t>(s.to);
    const bool own_columns = !square && l + 2 == levels;
    const double upper = g.unit * plan.narrowed[l], lower = l == 0 ? g.unit / plan.widest : g.unit;
    const float above = (own_columns ? g.query_x[from] : g.column_x[from]) - plan.mass[l + 1][from] * g.unit / 2;
    const float below = g.column_x[to] - plan.mass[l][to] * static_cast<float>(lower) / 2;
    const auto half = s.weight / 2;
    const float x0 = above + static_cast<float>((s.from_offset + half) * upper), x1 = below + static_cast<float>((s.to_offset + half) * lower);
    if (!in_sight(x0, x1)) continue;
    g.edges_drawn += s.edge >= 0;
    g.ribbons.push_back({x0, g.level_y[l + 1], x1, g.level_y[l], static_cast<float>(s.weight * upper), static_cast<float>(s.weight * lower),
                         static_cast<float>(s.weight), s.kind, s.gap, s.edge, own_columns ? s.from : g.column_first[from], g.column_first[to]});
  }
  return g;
}

GraphHit pick_graph(const GraphLayout& g, float x, float y) {
  constexpr float kNodeReach = 6, kRibbonReach = 4;
  constexpr int kSegments = 24;  // as drawn by ribbon.vert, close together where the curve bends
  GraphHit hit;
  float best = kNodeReach;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const GraphNode& n = g.nodes[i];
    const float d = std::hypot(std::max(0.0f, std::abs(x - n.x) - n.width / 2), y - n.y);
    if (d <= best) best = d, hit.node = static_cast<int>(i);
  }
  if (hit.node >= 0) return hit;
  best = kRibbonReach;
  for (std::size_t i = 0; i < g.ribbons.size(); ++i) {
    const Ribbon& r = g.ribbons[i];
    if (y < std::min(r.y0, r.y1) || y > std::max(r.y0, r.y1)) continue;
    const float half = std::max({1.0f, r.width0, r.width1}) / 2;
    if (x < std::min(r.x0, r.x1) - half - best || x > std::max(r.x0, r.x1) + half + best) continue;
    float d = kRibbonReach + half;
    float at = 0;  // of the nearest piece, from above
    GraphPoint a = ribbon_point(r, 0);
    for (int k = 1; k <= kSegments; ++k) {
      const float s = static_cast<float>(k) / kSegments;
      const GraphPoint b = ribbon_point(r, s * s * (3 - 2 * s));
      if (const float away = distance_to_segment(x, y, a, b); away < d) d = away, at = s;
      a = b;
    }
    d = std::max(0.0f, d - std::max(1.0f, r.width0 + (r.width1 - r.width0) * at) / 2);
    if (d <= best && d < kRibbonReach) best = d, hit.ribbon = static_cast<int>(i);  // of equals the one on top
  }
  return hit;
}

void PathTrace::follow(const ViewData& view, const GraphLayout& g, int key) {
  key_ = key;
  column_first_ = g.column_first;
  const auto levels = view.states.size();
  reach_.assign(levels, {});
  parts_.assign(view.gaps.size(), {});
  reach_[0].assign(view.states[0].size(), 0);
  reach_[0][static_cast<std::size_t>(key)] = 1;
  for (std::size_t l = 0; l < view.gaps.size() && l + 1 < levels; ++l) {
    const Gap& gap = view.gaps[l];
    auto& up = reach_[l + 1];
    up.assign(view.states[l + 1].size(), 0);
    for (std::size_t t = 0; t < up.size() && t < reach_[l].size(); ++t) up[t] = (part(gap.residual_at, t) + part(gap.own_at, t)) * reach_[l][t];
    for (const Edge& e : gap.edges) up[static_cast<std::size_t>(e.from)] += e.weight * reach_[l][static_cast<std::size_t>(e.to)];
    for (std::size_t t = 0; t < up.size(); ++t) {
      const double mass = view.states[l + 1][t];
      up[t] = mass > 0 ? std::min(1.0, up[t] / mass) : 0;
    }

    auto& parts = parts_[l];
    for (const Edge& e : gap.edges)
      if (const double p = e.weight * reach_[l][static_cast<std::size_t>(e.to)]; p > 0) parts.push_back({pair_of(g, levels, l, e.from, e.to), p});
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.pair != b.pair ? a.pair < b.pair : a.weight < b.weight; });
    std::size_t n = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (n > 0 && parts[n - 1].pair == parts[i].pair) parts[n - 1].weight += parts[i].weight;
      else parts[n++] = parts[i];
    parts.resize(n);
  }
}

std::vector<float> PathTrace::parts(const ViewData& view, const GraphLayout& g, int key) {
  std::vector<float> out(g.ribbons.size(), 0);
  if (out.empty() || key < 0 || key >= static_cast<int>(view.states.front().size())) return out;
  if (key != key_ || column_first_ != g.column_first) follow(view, g, key);
  for (std::size_t i = 0; i < g.ribbons.size(); ++i) {
    const Ribbon& r = g.ribbons[i];
    const auto l = static_cast<std::size_t>(r.gap);
    double sum = 0;
    if (r.edge >= 0) {
      const auto pair = pair_of(g, view.states.size(), l, r.from, r.to);
      const auto it = std::lower_bound(parts_[l].begin(), parts_[l].end(), pair, [](const Part& p, std::uint64_t wanted) { return p.pair < wanted; });
      if (it != parts_[l].end() && it->pair == pair) sum = it->weight;
    } else {
      const auto c = static_cast<std::size_t>(column_of(g, r.to));
      const auto& at = r.kind == RibbonKind::residual ? view.gaps[l].residual_at : view.gaps[l].own_at;
      for (int t = g.column_first[c]; t < g.column_first[c + 1]; ++t) sum += part(at, static_cast<std::size_t>(t)) * reach_[l][static_cast<std::size_t>(t)];
    }
    out[i] = static_cast<float>(sum);
  }
  return out;
}

}  // namespace rollscope
