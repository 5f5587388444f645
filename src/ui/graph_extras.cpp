// What lies over the graph: a map of the whole while the camera is near, and the heads behind a chosen edge.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/bars.h"
#include "ui/draw.h"
#include "ui/graph_panel.h"
#include "ui/names.h"
#include "ui/widgets.h"

namespace rollscope::ui {

Box graph_minimap_box(const Ui& ui, const Box& area) {
  if (ui.state().graph.camera.zoom <= 1 || ui.view()->states.empty() || area.w < 300 || area.h < 160) return {};
  return {area.right() - 148, area.bottom() - 92, 140, 84};
}

namespace {

// The bottleneck of the flow from the chosen input, where that is what is shown; else null.
const CutData* shown_cut(const Ui& ui) {
  const CutData* c = ui.app.cut();
  const Method m = ui.view()->recipe.method;
  const bool fits = c && (m == Method::flow || m == Method::flow_normalised) && c->query == ui.view()->query && c->key == ui.state().selection.key;
  return fits && c->layer >= 0 ? c : nullptr;
}

constexpr int kArcsShown = 5;

}  // namespace

Box edge_card_box(const Ui& ui, const Box& area) {
  const GraphState& g = ui.state().graph;
  if (const CutData* c = shown_cut(ui); c && area.w >= 280 && area.h >= 220)
    return {area.x + 8, area.y + 8, 262, 84 + 20.0f * static_cast<float>(std::min<int>(kArcsShown, static_cast<int>(c->arcs.size())))};
  if (g.edge_layer < 0 || area.w < 240) return {};
  const EdgeData* d = ui.app.edge();
  const bool here = d && d->layer == g.edge_layer && d->query == g.edge_query && d->key == g.edge_key && !d->heads.empty();
  return {area.x + 8, area.y + 8, 236, 62 + 20.0f * static_cast<float>(here ? std::min<int>(6, static_cast<int>(d->heads.size())) : 1)};
}

void draw_graph_minimap(Ui& ui, const Box& area) {
  const Camera& camera = ui.state().graph.camera;
  const ViewData& v = *ui.view();
  const Box card = graph_minimap_box(ui, area);
  if (card.empty()) return;
  fill(ui, card, ui.theme.panel, 6);
  frame(ui, card, ui.theme.line2, 1, 6);
  const Box map = card.inset(6);
  const auto levels = static_cast<int>(v.states.size());
  const float pitch = map.h / static_cast<float>(levels);
  for (int l = 0; l < levels; ++l) {
    const auto& mass = v.states[static_cast<std::size_t>(l)];
    const int cells = std::min(static_cast<int>(map.w), static_cast<int>(mass.size()));
    std::vector<float> most(static_cast<std::size_t>(cells), 0.0f);
    for (std::size_t i = 0; i < mass.size(); ++i) {
      float& cell = most[i * static_cast<std::size_t>(cells) / mass.size()];
      cell = std::max(cell, mass[i]);
    }
    const float y = map.bottom() - pitch * static_cast<float>(l + 1), w = map.w / static_cast<float>(cells);
    for (int c = 0; c < cells; ++c)
      if (most[static_cast<std::size_t>(c)] > 0.002f)
        fill(ui, {map.x + w * static_cast<float>(c), y + pitch * 0.2f, std::max(1.0f, w - 0.5f), std::max(1.0f, pitch * 0.6f)}, faded(ui.theme.node, 0.25f + 0.75f * std::sqrt(std::min(1.0f, most[static_cast<std::size_t>(c)]))));
  }
  const auto zoom = static_cast<float>(camera.zoom);
  const Box seen{map.x + std::clamp(static_cast<float>(camera.x) - 0.5f / zoom, 0.0f, 1 - 1 / zoom) * map.w, map.y + std::clamp(static_cast<float>(camera.y) - 0.5f / zoom, 0.0f, 1 - 1 / zoom) * map.h, map.w / zoom, map.h / zoom};
  frame(ui, seen, ui.theme.accent, 1.5f, 2);
  const Press p = press(ui, "graph.minimap", card, false);
  if (!p.held) return;
  const ImVec2 m = ImGui::GetIO().MousePos;
  AppState next = ui.app.state();
  next.graph.camera.x = static_cast<double>(std::clamp((m.x - map.x) / map.w, 0.0f, 1.0f));
  next.graph.camera.y = static_cast<double>(std::clamp((m.y - map.y) / map.h, 0.0f, 1.0f));
  ui.app.set(next);
}

// Where the flow is narrowest, arc by arc.
void draw_cut_card(Ui& ui, const Box& card, const CutData& c) {
  fill(ui, card, ui.theme.panel, 8);
  frame(ui, card, ui.theme.line2, 1, 8);
  const Box b = card.inset(12, 8);
  const Ink quiet{12, Weight::regular, ui.theme.ink3}, ink{13, Weight::regular, ui.theme.ink};
  if (icon_button(ui, "graph.cut.close", {card.right() - 30, card.y + 4, 26, 26}, Icon::close, ui.words("dom.close"))) ui.app.run("select.key", R"({"key":-1})");
  text_fit(ui, b.x, baseline(b.y, 20, 13), b.w - 24, ui.words("ui.graph.cut"), {13, Weight::semibold, ui.theme.ink});
  const char* where = c.end == 1 ? "ui.graph.cut.output" : c.end == 2 ? "ui.graph.cut.input" : "ui.graph.cut.inside";
  float y = b.y + 20;
  y += Rich().add(ui.words.fill(where, {{"layer", std::to_string(ui.layer_number(c.layer))}, {"flow", ui.words.plain(c.flow)}}), quiet).wrap(ui, b.x, y, b.w, 16, true, 2) + 6;
  const double widest = c.arcs.empty() ? 1 : c.arcs[0].capacity;
  for (int k = 0; k < std::min<int>(kArcsShown, static_cast<int>(c.arcs.size())); ++k, y += 20) {
    const CutArc& arc = c.arcs[static_cast<std::size_t>(k)];
    const std::string name = ui.words.fill("ui.graph.cut.arc", {{"layer", std::to_string(ui.layer_number(arc.layer))}, {"from", ui.token(arc.from, false)}, {"to", ui.token(arc.to, true)}});
    label(ui, b.x, baseline(y, 20, 13), label_cut(ui, name, 13, false, b.w - 108), 13, false, ui.theme.ink);
    Bar bar;
    bar.weight = arc.capacity;
    bar.colour = weight_colour(0.6, ui.theme.dark);
    draw_bar(ui, {b.right() - 102, y + 5, 48, 10}, bar, widest);
    text_right(ui, b.right(), baseline(y, 20, 13), ui.words.plain(arc.capacity), ink);
  }
  const auto rest = c.arcs_all - std::min<int>(kArcsShown, static_cast<int>(c.arcs.size()));
  if (rest > 0) text_fit(ui, b.x, baseline(y, 18, 12), b.w, ui.words.fill("ui.graph.cut.more", {{"n", ui.words.count(rest)}}), quiet);
}

void draw_edge_card(Ui& ui, const Box& area) {
  const GraphState& g = ui.state().graph;
  const Box card = edge_card_box(ui, area);
  if (card.empty()) return;
  if (const CutData* c = shown_cut(ui)) return draw_cut_card(ui, card, *c);
  const EdgeData* d = ui.app.edge();
  const bool here = d && d->layer == g.edge_layer && d->query == g.edge_query && d->key == g.edge_key && !d->heads.empty();
  const int rows = here ? std::min<int>(6, static_cast<int>(d->heads.size())) : 1;
  fill(ui, card, ui.theme.panel, 8);
  frame(ui, card, ui.theme.line2, 1, 8);
  const Box b = card.inset(12, 8);
  if (icon_button(ui, "graph.edge.close", {card.right() - 30, card.y + 4, 26, 26}, Icon::close, ui.words("dom.close"))) ui.app.run("escape");
  const Ink quiet{12, Weight::regular, ui.theme.ink3}, ink{13, Weight::regular, ui.theme.ink};
  const std::string name = ui.token(g.edge_query, false) + " → " + ui.token(g.edge_key, true);
  label(ui, b.x, baseline(b.y, 20, 13), label_cut(ui, name, 13, true, b.w - 24), 13, true, ui.theme.ink);
  text_fit(ui, b.x, baseline(b.y + 20, 18, 12), b.w, ui.words.fill("ui.graph.edge_heads", {{"layer", std::to_string(ui.layer_number(g.edge_layer))}}), quiet);
  float y = b.y + 42;
  if (!here) {
    text(ui, b.x, baseline(y, 20, 13), ui.words("ui.heads.pending"), quiet);
    return;
  }
  std::vector<int> order(d->heads.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return d->heads[static_cast<std::size_t>(i)] > d->heads[static_cast<std::size_t>(j)]; });
  for (int k = 0; k < rows; ++k, y += 20) {
    const int head = order[static_cast<std::size_t>(k)];
    const double weight = static_cast<double>(d->heads[static_cast<std::size_t>(head)]);
    const Box row{b.x - 4, y, b.w + 8, 20};
    const std::string id = "graph.edge.head/" + std::to_string(head);
    const Press p = press(ui, id.c_str(), row, true, 4);
    if (p.hovered) fill(ui, row, ui.theme.raised, 4);
    text(ui, b.x, baseline(y, 20, 13), ui.words.fill("ui.matrix.head", {{"head", std::to_string(head + 1)}}), ink);
    Bar bar;
    bar.weight = weight;
    bar.colour = weight_colour(0.2 + 0.8 * std::clamp(weight, 0.0, 1.0), ui.theme.dark);
    draw_bar(ui, {b.x + 66, y + 5, b.w - 66 - 56, 10}, bar, 1);
    text_right(ui, b.right(), baseline(y, 20, 13), ui.words.percent_sign(weight), ink);
    if (p.clicked) ui.app.run("heads.open", "{\"layer\":" + std::to_string(g.edge_layer) + ",\"head\":" + std::to_string(head) + "}");
  }
}

}  // namespace rollscope::ui
