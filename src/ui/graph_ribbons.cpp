// Ribbons of the graph (graph_panel.h): colours and widths by look.md, uploaded once per change.
#include <algorithm>
#include <cmath>
#include <map>

#include "ui/graph_panel.h"
#include "ui/theme.h"

namespace rollscope::ui {
namespace {

constexpr float kCrowd = 110;            // ribbons of a layer that can be told apart
constexpr float kFloor = 1;              // px
constexpr float kLitTarget = 13;         // px: width at which lit paths enter their input
constexpr double kMostWiden = 6;
constexpr float kStripes = 4;            // 1.3 on, 2.7 off
constexpr float kAside = 0.25f;          // what does not belong to the lit paths

gpu::RibbonInstance instance(float x0, float y0, float x1, float y1, float w0, float w1, ImU32 colour, float stripes = 0) {
  return {x0, y0, x1, y1, std::max(kFloor, w0), std::max(kFloor, w1), premultiplied(colour), stripes, 0, 0, 0, 0};
}

std::vector<gpu::RibbonInstance> base_ribbons(const Ui& ui, const GraphLayout& g, bool aside) {
  const double largest = largest_ribbon(g);
  const float alpha = aside ? kAside : 1;
  // Where hundreds of hairlines cross in a layer they would cover each other whole: the thin ones grow paler.
  const float crowd = static_cast<float>(g.ribbons.size()) / static_cast<float>(std::max<std::size_t>(1, g.shown.size()));
  const float pale = std::clamp(kCrowd / crowd, 0.1f, 1.0f);
  std::vector<gpu::RibbonInstance> out;
  out.reserve(g.ribbons.size());
  for (const Ribbon& r : g.ribbons) {
    ImU32 c = 0;
    switch (r.kind) {
      case RibbonKind::residual: c = faded(ui.theme.kept, 0.85f); break;
      case RibbonKind::sink: c = faded(ui.theme.sink, pale + (1 - pale) * std::clamp(r.width0 / 2, 0.0f, 1.0f)); break;
      default: {
        const float thick = std::clamp(r.width0 / 2, 0.0f, 1.0f);
        c = faded(ribbon_colour(ui, r.weight, largest), pale + (1 - pale) * thick);
      }
    }
    out.push_back(instance(r.x0, r.y0, r.x1, r.y1, r.width0, r.width1, faded(c, alpha), r.kind == RibbonKind::sink ? kStripes : 0));
  }
  return out;
}

// Lit paths, packed anew about the middle of each node, so that they read as one stream that divides.
std::vector<gpu::RibbonInstance> lit_ribbons(Ui& ui, GraphPanel& p, int key) {
  const GraphLayout& g = p.layout;
  const ViewData& v = *ui.view();
  const auto& inputs = v.states.front();
  const double weight = key < static_cast<int>(inputs.size()) ? inputs[static_cast<std::size_t>(key)] : 0;
  p.widen = weight > 0 ? std::clamp(kLitTarget / (weight * g.unit), 1.0, kMostWiden) : 1;
  struct End {
    std::size_t ribbon;
    float other;
  };
  // For each gap and side: the ribbons of a node from left to right.
  std::map<std::pair<int, float>, std::vector<End>> nodes[2];
  for (std::size_t i = 0; i < g.ribbons.size(); ++i) {
    if (p.traced[i] <= 0) continue;
    const Ribbon& r = g.ribbons[i];
    const bool own = !g.query_x.empty() && static_cast<std::size_t>(r.gap) + 2 == g.level_y.size();
    const float above = own ? g.query_x[static_cast<std::size_t>(r.from)] : g.column_x[static_cast<std::size_t>(column_of(g, r.from))];
    const float below = g.column_x[static_cast<std::size_t>(column_of(g, r.to))];
    nodes[0][{r.gap, above}].push_back({i, below + (r.kind == RibbonKind::own ? 0.01f : 0)});
    nodes[1][{r.gap, below}].push_back({i, above + (r.kind == RibbonKind::own ? 0.01f : 0)});
  }
  std::vector<float> x0(g.ribbons.size()), x1(g.ribbons.size());
  for (int side = 0; side < 2; ++side)
    for (auto& [node, ends] : nodes[side]) {
      std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.other < b.other; });
      double total = 0;
      for (const End& e : ends) total += p.traced[e.ribbon] * g.unit * p.widen;
      double at = node.second - total / 2;
      for (const End& e : ends) {
        const double w = p.traced[e.ribbon] * g.unit * p.widen;
        (side == 0 ? x0 : x1)[e.ribbon] = static_cast<float>(at + w / 2);
        at += w;
      }
    }
  std::vector<gpu::RibbonInstance> out;
  double most = 0;
  for (float t : p.traced) most = std::max(most, static_cast<double>(t));
  for (std::size_t i = 0; i < g.ribbons.size(); ++i) {
    const Ribbon& r = g.ribbons[i];
    const double w = p.traced[i] * g.unit * p.widen;
    if (w < 0.04) continue;
    const auto t = static_cast<float>(std::sqrt(p.traced[i] / most));
    const float alpha = r.kind == RibbonKind::residual ? 0.6f : 0.4f + 0.6f * t;
    out.push_back(instance(x0[i], r.y0, x1[i], r.y1, static_cast<float>(w), static_cast<float>(w), faded(ui.theme.accent, alpha)));
  }
  return out;
}

}  // namespace

double kept_part(const Ui& ui) {
  // One row alone is shown whole while it is short.
  return !ui.app.chain() && ui.stream().keys <= 64 ? 0.998 : ui.state().graph.keep;
}

ImU32 ribbon_colour(const Ui& ui, double w, double largest) {
  const RibbonTone tone = ribbon_tone(w, largest, ui.theme.dark, ui.scale.two_sided);
  return packed(tone.colour, tone.alpha);
}

void forget_graph(Ui& ui, bool lost) {
  GraphPanel& p = *ui.graph;
  if (!lost) {
    if (p.batch) ui.gpu.destroy_ribbons(p.batch);
    if (p.lit) ui.gpu.destroy_ribbons(p.lit);
  }
  p.batch = p.lit = 0;
  p.made = false;
}

void update_graph(Ui& ui, const Box& area, int trace) {
  GraphPanel& p = *ui.graph;
  const AppState& s = ui.state();
  const GraphPanel::Key key{ui.app.view_version(), area, kept_part(ui), s.graph.top, s.graph.camera, ui.theme.dark, trace};
  if (p.made && p.key == key) return;
  forget_graph(ui, false);
  if (p.key.view != key.view) p.plan = {}, p.trace = {};
  p.key = key;
  p.made = true;
  p.layout = layout_graph(*ui.view(), {area.x, area.y, area.w, area.h}, key.keep, s.graph.camera, key.top, p.plan);
  p.traced.clear();
  if (trace >= 0) p.traced = p.trace.parts(*ui.view(), p.layout, trace);
  const auto base = base_ribbons(ui, p.layout, trace >= 0);
  if (!base.empty()) p.batch = ui.gpu.create_ribbons(base);
  if (trace >= 0) {
    const auto lit = lit_ribbons(ui, p, trace);
    if (!lit.empty()) p.lit = ui.gpu.create_ribbons(lit);
  }
}

void draw_batch(Ui& ui, gpu::RibbonBatch batch, const Box& clip) {
  if (!batch) return;
  struct Call {
    gpu::Gpu* gpu;
    gpu::RibbonBatch batch;
    gpu::Rect clip;
  };
  Call call{&ui.gpu, batch, {clip.x, clip.y, clip.w, clip.h}};
  ui.dl->AddCallback(
      [](const ImDrawList*, const ImDrawCmd* cmd) {
        const auto* c = static_cast<const Call*>(cmd->UserCallbackData);
        c->gpu->draw_ribbons(c->batch, c->clip);
      },
      &call, sizeof call);
  if (ImDrawCallback reset = ImGui::GetPlatformIO().DrawCallback_ResetRenderState) ui.dl->AddCallback(reset);
}

}  // namespace rollscope::ui
