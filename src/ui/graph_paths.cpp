#include "ui/graph_paths.h"

#include <algorithm>

namespace rollscope::ui {
namespace {

void keep(std::vector<GraphPath>& best, double weight, const GraphPath& tail, const PathStep* step, std::size_t count) {
  if (weight <= 0 || (best.size() == count && weight <= best.back().weight)) return;
  GraphPath p;
  p.weight = weight;
  if (step) p.steps.push_back(*step);
  p.steps.insert(p.steps.end(), tail.steps.begin(), tail.steps.end());
  const auto at = std::find_if(best.begin(), best.end(), [&](const GraphPath& o) { return o.weight < weight; });
  best.insert(at, std::move(p));
  if (best.size() > count) best.pop_back();
}

}  // namespace

std::vector<GraphPath> strongest_paths(const ViewData& v, int key, int count) {
  if (v.states.empty() || key < 0 || key >= static_cast<int>(v.states[0].size())) return {};
  const auto most = static_cast<std::size_t>(count);
  std::vector<std::vector<GraphPath>> below(v.states[0].size());
  below[static_cast<std::size_t>(key)].push_back({1, {}});
  for (std::size_t l = 0; l < v.gaps.size() && l + 1 < v.states.size(); ++l) {
    const Gap& gap = v.gaps[l];
    std::vector<std::vector<GraphPath>> above(v.states[l + 1].size());
    for (std::size_t t = 0; t < above.size() && t < below.size(); ++t) {
      const double mass = v.states[l + 1][t];
      if (mass <= 0 || t >= gap.residual_at.size()) continue;
      const double stays = static_cast<double>(gap.residual_at[t]) + gap.own_at[t];  // in its column, by either way
      for (const GraphPath& p : below[t]) keep(above[t], p.weight * stays / mass, p, nullptr, most);
    }
    for (const Edge& e : gap.edges) {
      const auto from = static_cast<std::size_t>(e.from), to = static_cast<std::size_t>(e.to);
      const double mass = v.states[l + 1][from];
      if (mass <= 0) continue;
      const PathStep step{e.from, e.to, static_cast<int>(l)};
      for (const GraphPath& p : below[to]) keep(above[from], p.weight * e.weight / mass, p, &step, most);
    }
    below = std::move(above);
  }
  std::vector<GraphPath> out;
  for (const int row : v.rows.empty() ? std::vector{v.query} : v.rows) {
    const auto q = static_cast<std::size_t>(row);
    if (q >= below.size()) return {};
    for (const GraphPath& p : below[q]) keep(out, p.weight * v.states.back()[q], p, nullptr, most);
  }
  return out;
}

}  // namespace rollscope::ui
