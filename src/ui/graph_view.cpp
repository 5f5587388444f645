// The graph view (panels.h): toolbar, level lines, ribbons, nodes, and what the pointer does with them.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "imgui_internal.h"
#include "ui/graph_labels.h"
#include "ui/graph_panel.h"
#include "ui/graph_paths.h"
#include "ui/names.h"
#include "ui/panels.h"
#include "ui/token_box.h"
#include "ui/tooltip.h"
#include "ui/view_tools.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

// All the weight of the output reaches the inputs: no layer has an empty row on the way.
bool keeps_all(const ViewData& v) {
  double sum = 0;
  for (const float m : v.states.front()) sum += m;
  return std::abs(sum - 1) <= 1e-3;
}

bool tracing(const Ui& ui) { return ui.graph->key.trace >= 0; }

// --- toolbar

float swatch(Ui& ui, float x, float middle, ImU32 a, ImU32 b) {
  if (b) {
    fill(ui, {x, middle - 5, 5, 10}, a);
    fill(ui, {x + 9, middle - 5, 5, 10}, b);
  } else {
    fill(ui, {x, middle - 5, 14, 10}, a, 1);
  }
  return 14;
}

void draw_key_items(Ui& ui, float x, float right, float middle) {
  const Ink quiet{12, Weight::regular, ui.theme.ink2};
  const float base = baseline(middle - 8, 16, 12);
  const GraphPanel& p = *ui.graph;
  if (tracing(ui)) {
    fill(ui, {x, middle - 3, 18, 6}, ui.theme.accent, 1);
    Rich rich;
    const char* id = p.widen > 1.05 ? "ui.graph.traced_wider" : "ui.graph.traced";
    rich.words(ui, id, quiet, {{"key", {ui.token(p.key.trace, true), {12, Weight::semibold, ui.theme.ink}, true}},
                               {"query", {asked_name(ui), {12, Weight::semibold, ui.theme.ink}, true}},
                               {"times", {ui.words.number(p.widen, 1), {}, false}}});
    if (x + 24 + rich.width(ui) < right) rich.line(ui, x + 24, base);
    return;
  }
  const ImU32 mid = ribbon_colour(ui, 0.36, 1), dark = ribbon_colour(ui, 1, 1);
  const bool chain = ui.app.chain(), attention = chain || ui.state().recipe.method == Method::raw;
  struct Item {
    const char* id;
    ImU32 a, b;
    int kind;
  };
  std::vector<Item> items;
  const bool residual = chain && traits(ui.state().recipe.method).residual;
  if (residual) items.push_back({"ui.graph.key.residual", ui.theme.kept, 0, 0});
  if (attention && !ui.two_sided()) items.push_back({"ui.graph.key.own", residual ? ui.theme.kept : mid, residual ? dark : 0, 0});
  items.push_back({!attention ? ui.view()->is_signed ? "ui.graph.key.scores" : "ui.graph.key.row" : ui.two_sided() ? "ui.graph.key.cross" : "ui.graph.key.others", mid, 0, 0});
  if (!ui.view()->sinks.empty()) items.push_back({"ui.graph.key.sink", 0, 0, 1});
  for (const Item& i : items) {
    const float w = 20 + text_width(ui, ui.words(i.id), quiet);
    if (x + w > right) break;
    if (i.kind == 1)
      for (float k = 0; k < 14; k += 4) fill(ui, {x + k, middle - 5, 1.3f, 10}, ui.theme.sink);
    else swatch(ui, x, middle, i.a, i.b);
    text(ui, x + 20, base, ui.words(i.id), quiet);
    x += w + 16;
  }
}

void toolbar(Ui& ui, const Box& b) {
  const AppState& s = ui.app.state();
  const float middle = b.middle_y();
  const float right = draw_view_tools(ui, b, s.graph.camera.zoom);
  const Ink plain{12, Weight::regular, ui.theme.ink2};
  float x = b.x + 16;
  const ViewData& v = *ui.view();
  const int depth = ui.app.depth();
  if (ui.app.chain() && v.level > 0 && v.level < depth) {
    // The way back from a question put inside the graph.
    const std::string words = ui.words.fill("ui.graph.back", {{"layer", std::to_string(ui.layer_number(v.recipe.first_layer + v.level - 1))}});
    const float w = text_width(ui, words, {12, Weight::medium, 0}) + 36;
    const Box chip{x, middle - 12, w, 24};
    const Press p = press(ui, "graph.back", chip);
    fill(ui, chip, ui.theme.accentbg, 6);
    if (p.hovered) frame(ui, chip, ui.theme.accent, 1, 6);
    icon(ui, Icon::back, chip.x + 15, chip.middle_y(), ui.theme.accent);
    text(ui, chip.x + 26, baseline(chip.y, chip.h, 12), words, {12, Weight::medium, ui.theme.accent});
    if (p.clicked) ui.app.run("select.level", R"({"level":-1})");
    x = chip.right() + 16;
  }
  if (kept_part(ui) != s.graph.keep) {
    draw_key_items(ui, x, right - 12, middle);
    return;
  }
  Rich keep;
  keep.words(ui, "ui.graph.keep", plain, {12, Weight::semibold, ui.theme.ink}, {{"share", {std::to_string(static_cast<int>(std::lround(s.graph.keep * 100))), {}, false}}});
  const float w = keep.width(ui);
  if (x + w + 12 + 60 > right) return;
  keep.line(ui, x, baseline(middle - 8, 16, 12));
  x += w + 16;
  const float track = std::clamp(right - x - 120, 44.0f, 100.0f);
  AppState next = s;
  const Slide slide = slider(ui, "graph.keep", {x, middle - 10, track, 20}, next.graph.keep, 0.05, 1, 0.05);
  if (slide.changed || slide.done) ui.app.set(next, slide.done);
  x += track + 16;
  constexpr int kTops[] = {0, 1, 3, 5};
  std::vector<MenuRow> rows;
  for (const int top : kTops) rows.push_back({top ? ui.words.fill("ui.graph.top", {{"n", std::to_string(top)}}) : std::string(ui.words("ui.graph.top_all")), ""});
  int now = 0;
  while (now < 3 && kTops[now] < s.graph.top) ++now;
  const float tw = picker_width(ui, rows[static_cast<std::size_t>(now)].words);
  if (x + tw + 20 < right) {
    if (picker(ui, "graph.top", x, middle, rows[static_cast<std::size_t>(now)].words, menu_is_open("graph.top"))) open_menu(ui, "graph.top");
    if (const int picked = menu(ui, "graph.top", {x, middle - 12, tw, 24}, rows, now); picked >= 0) ui.app.run("graph.top", "{\"top\":" + std::to_string(kTops[picked]) + "}");
    x += tw + 20;
  }
  draw_key_items(ui, x, right - 12, middle);
}

// --- margins

void level_lines(Ui& ui, const GraphFrame& f) {
  const GraphLayout& g = ui.graph->layout;
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  const auto& v = *ui.view();
  for (std::size_t l = 0; l < g.level_y.size(); ++l) {
    if (g.level_y[l] < f.area.y - 1 || g.level_y[l] > f.area.bottom() + 1) continue;
    rule_h(ui, f.area.x - 10, g.level_y[l], f.area.w + 20, ui.theme.line);
  }
  const float gap = g.level_y.size() > 1 ? g.level_y[0] - g.level_y[1] : 0;
  const int step = gap >= 15 ? 1 : gap >= 7 ? 2 : 4;
  for (std::size_t l = 0; l + 1 < g.level_y.size(); ++l) {
    const float y = (g.level_y[l] + g.level_y[l + 1]) / 2;
    if (y < f.area.y || y > f.area.bottom() || static_cast<int>(l) % step) continue;
    if (!traits(v.recipe.method).attention) continue;  // stored scores come from no layer
    const bool raw = !ui.app.chain();
    const std::string n = raw ? layers_words(ui, v.recipe) : std::to_string(ui.layer_number(v.recipe.first_layer + static_cast<int>(l)));
    const std::string words = f.narrow ? n : raw ? row_layers_words(ui) : ui.words.fill("ui.graph.layer", {{"layer", n}});
    text_fit(ui, f.left, baseline(y - 8, 16, 12), f.area.x - f.left - (f.narrow ? 4 : 12), words, quiet);
  }
}

// Residual, attention and sink of each layer, beside it; where rows lose weight there are no shares, only the total.
void layer_shares(Ui& ui, const GraphFrame& f) {
  if (f.shares.w <= 0) return;
  const ViewData& v = *ui.view();
  const GraphLayout& g = ui.graph->layout;
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  const bool whole = keeps_all(v);
  text_fit(ui, f.shares.x, baseline(f.outputs.middle_y() - 8, 16, 12), f.shares.w, ui.words(whole ? "ui.graph.each_layer" : "ui.graph.each_total"), quiet);
  for (std::size_t l = 0; l < v.gaps.size() && l + 1 < g.level_y.size(); ++l) {
    const Gap& gap = v.gaps[l];
    const float y = (g.level_y[l] + g.level_y[l + 1]) / 2;
    if (y < f.area.y || y > f.area.bottom()) continue;
    const float total = gap.residual + gap.own + gap.others;
    if (!whole) {
      text(ui, f.shares.x, baseline(y - 8, 16, 12), ui.words.number(total, 3), {12, Weight::regular, ui.theme.ink2});
      continue;
    }
    if (total <= 0) continue;
    const Box bar{f.shares.x, std::round(y - 4), 56, 8};
    const float residual = gap.residual / total * bar.w, sink = gap.sink / total * bar.w;
    const float attention = bar.w - residual - sink;
    fill(ui, {bar.x, bar.y, residual, bar.h}, ui.theme.kept);
    fill(ui, {bar.x + residual, bar.y, attention, bar.h}, faded(ribbon_colour(ui, 0.36, 1), 1));
    if (sink > 0.5f) {
      const Box s{bar.right() - sink, bar.y, sink, bar.h};
      hatch(ui, s, ui.theme.sink, 4);
      frame(ui, s, ui.theme.sink, 1);
    }
    const Box hit{bar.x - 4, y - 10, bar.w + 8, 20};
    if (ui.mouse_in(hit)) {
      std::vector<Rich> lines;
      auto line = [&](const char* id, double w) { lines.push_back(Rich().words(ui, id, tip_ink(ui), tip_ink(ui, true), {{"share", {ui.words.percent_sign(w), tip_ink(ui, true)}}})); };
      if (gap.residual > 0) line("ui.tip.share.residual", gap.residual);
      if (!ui.two_sided()) line("ui.tip.share.own", gap.own);
      line("ui.tip.share.others", gap.others - std::min(gap.sink, gap.others));
      if (gap.sink > 0) line("ui.tip.share.sink", gap.sink);
      tooltip(ui, hit, std::move(lines));
    }
  }
}

// --- nodes

void draw_nodes(Ui& ui, const GraphFrame& f) {
  const GraphPanel& p = *ui.graph;
  const GraphLayout& g = p.layout;
  const ViewData& v = *ui.view();
  const int top = static_cast<int>(g.level_y.size()) - 1;
  // Part of each node's mass that belongs to the lit paths.
  std::vector<std::vector<float>> lit;
  if (tracing(ui)) {
    lit.assign(g.level_y.size(), std::vector<float>(std::max(v.states.front().size(), v.states.back().size()), 0));
    for (std::size_t i = 0; i < g.ribbons.size(); ++i) {
      const Ribbon& r = g.ribbons[i];
      lit[static_cast<std::size_t>(r.gap) + 1][static_cast<std::size_t>(r.from)] += p.traced[i];
      if (r.gap == 0) lit[0][static_cast<std::size_t>(r.to)] += p.traced[i];
    }
  }
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const GraphNode& n = g.nodes[i];
    if (n.y < f.area.y - 4 || n.y > f.area.bottom() + 4) continue;
    const bool chosen = n.level == top && (n.token == v.query || std::binary_search(v.rows.begin(), v.rows.end(), n.token));
    const bool sink = n.level < top && ui.is_sink(n.token);
    const float h = n.mass > 0 ? 6 : 3;
    const Box b{n.x - n.width / 2, n.y - h / 2, n.width, h};
    ImU32 c = chosen ? ui.theme.accent : n.mass <= 0 ? ui.theme.line2 : sink ? ui.theme.sink : ui.theme.node;
    if (tracing(ui)) {
      fill(ui, b, faded(c, 0.22f), 2.5f);
      const double part = lit[static_cast<std::size_t>(n.level)][static_cast<std::size_t>(n.token)] * g.unit * p.widen;
      if (part > 0.03) {
        const float w = std::max(4.0f, static_cast<float>(part));
        fill(ui, {n.x - w / 2, n.y - 3, w, 6}, ui.theme.accent, 2.5f);
      }
    } else {
      fill(ui, b, c, 2.5f);
    }
    if (ui.app.hover.node == static_cast<int>(i)) ring(ui, b, ui.theme.ink, 1.5f, 2, 3);
    ui.record.nodes.push_back({b, n.token, n.level});
  }
}

void outline_ribbon(Ui& ui, const Ribbon& r) {
  const float half = (r.y1 - r.y0) / 2, w = std::max(1.0f, r.width0) / 2;
  const auto bezier = [&](float dx, float thick) {
    ui.dl->AddBezierCubic({r.x0 + dx, r.y0}, {r.x0 + dx, r.y0 + half}, {r.x1 + dx, r.y1 - half}, {r.x1 + dx, r.y1}, ui.theme.ink, thick);
  };
  if (w < 2) bezier(0, std::max(2.0f, 2 * w));
  else bezier(-w, 1.25f), bezier(w, 1.25f);
}

// --- pointer

std::string column_name(const Ui& ui, int token) {
  const GraphLayout& g = ui.graph->layout;
  const auto c = static_cast<std::size_t>(column_of(g, token));
  if (g.column_first[c + 1] - g.column_first[c] > 1) return bundle_name(ui, g.column_first[c], g.column_first[c + 1]);
  return ui.token(token, true);
}

void node_tooltip(Ui& ui, const GraphNode& n) {
  const GraphLayout& g = ui.graph->layout;
  const ViewData& v = *ui.view();
  const bool top_of_cross = !g.query_x.empty() && n.level + 1 == static_cast<int>(g.level_y.size());
  const std::string name = top_of_cross ? query_name(ui, n.token) : column_name(ui, n.token);
  const Ink plain = tip_ink(ui), strong = tip_ink(ui, true), quiet = tip_quiet(ui);
  std::vector<Rich> lines;
  const bool raw = !ui.app.chain();
  const std::string layer = n.level > 0 ? std::to_string(ui.layer_number(raw ? v.recipe.end_layer - 1 : v.recipe.first_layer + n.level - 1)) : "";
  if (!raw || n.level == 0 || v.recipe.method == Method::raw) lines.push_back(Rich().words(ui, n.level == 0 ? "ui.tip.node_input" : "ui.tip.node", plain, strong, {{"token", {name, strong, true}}, {"layer", {layer, {}, false}}}));
  else lines.push_back(Rich().token(ui.app.for_one_output() && n.token == v.query ? query_name(ui, n.token) : name, strong));
  if (!raw || v.recipe.method == Method::raw) lines.push_back(Rich().words(ui, "ui.tip.node_mass", plain, strong, {{"weight", {ui.words.percent_fine(n.mass), strong}}}));
  else if (n.level == 0) lines.push_back(Rich().add(ui.amount_fine(v.row[static_cast<std::size_t>(n.token)]), strong).add(" ", plain).add(unit_words(ui, unit_name(v.recipe), false), plain));
  if (n.level > 0 && n.level < static_cast<int>(g.level_y.size()) - 1 && !ui.touch) lines.push_back(Rich().add(ui.words("ui.tip.node_ask"), quiet));
  tooltip(ui, {n.x - n.width / 2 - 4, n.y - 8, n.width + 8, 16}, std::move(lines));
}

void ribbon_tooltip(Ui& ui, const Ribbon& r, float x, float y) {
  const ViewData& v = *ui.view();
  const Gap& gap = v.gaps[static_cast<std::size_t>(r.gap)];
  const Ink plain = tip_ink(ui), strong = tip_ink(ui, true), quiet = tip_quiet(ui);
  const bool raw = !ui.app.chain();
  if (raw && v.recipe.method != Method::raw) {  // the chosen row, whatever it is
    const auto to = static_cast<std::size_t>(r.to);
    if (ui.graph->layout.bundle == 1 && to < v.row.size()) tooltip_weight(ui, {x - 6, y - 10, 12, 20}, v.rows.empty() ? v.query : -1, r.to, v.row[to], rank_of(v, r.to), v.visible, ui.percents());
    return;
  }
  const std::string layer = raw ? layers_words(ui, v.recipe) : std::to_string(ui.layer_number(v.recipe.first_layer + r.gap));
  std::vector<Rich> lines;
  const bool bundled = ui.graph->layout.bundle > 1;
  if (r.edge < 0) {
    lines.push_back(Rich().words(ui, "ui.tip.itself", plain, strong, {{"token", {column_name(ui, r.from), strong, true}}, {"layer", {layer, {}, false}}}));
    const GraphLayout& g = ui.graph->layout;
    const auto c = static_cast<std::size_t>(column_of(g, r.from));
    double residual = 0, own = 0;
    for (int t = g.column_first[c]; t < g.column_first[c + 1]; ++t) {
      const auto k = static_cast<std::size_t>(t);
      if (k < gap.residual_at.size()) residual += gap.residual_at[k];
      if (k < gap.own_at.size()) own += gap.own_at[k];
    }
    const bool apart = !raw && traits(v.recipe.method).residual;
    if (apart) lines.push_back(Rich().words(ui, "ui.tip.residual", plain, strong, {{"weight", {ui.words.percent_fine(residual), strong}}}));
    lines.push_back(Rich().words(ui, !apart ? "ui.tip.own_raw" : "ui.tip.own", plain, strong, {{"weight", {ui.words.percent_fine(own), strong}}}));
  } else {
    const bool cross_top = !ui.graph->layout.query_x.empty();
    lines.push_back(Rich().words(ui, "ui.tip.edge", plain, strong,
                                 {{"from", {cross_top ? query_name(ui, r.from) : column_name(ui, r.from), strong, true}},
                                  {"to", {column_name(ui, r.to), strong, true}},
                                  {"layer", {layer, {}, false}},
                                  {"weight", {ui.words.percent_fine(r.weight), strong}}}));
    lines.push_back(Rich().add(ui.words(bundled ? "ui.tip.edge_bundle" : raw ? "ui.tip.edge_raw" : "ui.tip.edge_caption"), quiet));
  }
  tooltip(ui, {x - 6, y - 10, 12, 20}, std::move(lines));
}

void pan_and_zoom(Ui& ui, const GraphFrame& f) {
  AppState next = ui.app.state();
  Camera& c = next.graph.camera;
  const GraphLayout& g = ui.graph->layout;
  const double wide = f.area.w * c.zoom;
  if (Wheel* w = ui.wheel_in(f.whole)) {
    const double factor = w->zoom ? w->factor : std::exp(-w->dy / 300);
    const double zoom = std::clamp(c.zoom * factor, 1.0, std::max(4.0, static_cast<double>(ui.stream().keys) / 4));
    // The content under the pointer stays there.
    const double left = c.x * wide - f.area.w / 2, at = left + (w->x - f.area.x);
    const double scaled = at * zoom / c.zoom - (w->x - f.area.x);
    if (zoom != c.zoom) {
      c.x = (scaled + f.area.w / 2) / (f.area.w * zoom);
      c.zoom = zoom;
    }
    c.x -= (w->zoom ? w->dx : -w->dx) / (f.area.w * c.zoom);
    if (g.level_y.size() > 1) c.y -= (w->zoom ? w->dy : 0) / std::max(1.0f, g.level_y.front() - g.level_y.back());
    const double half = 0.5 / c.zoom;
    c.x = std::clamp(c.x, half, 1 - half);
    if (c.zoom <= 1) c = {};
    ui.app.set(next);
    ui.wake();
  }
  if (c.zoom > 1 && ui.drag_id == "graph.pan" && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
    const ImVec2 d = ImGui::GetIO().MouseDelta;
    const double half = 0.5 / c.zoom;
    const double tall = std::max(1.0f, g.level_y.front() - g.level_y.back());
    c.x = std::clamp(c.x - d.x / wide, half, 1 - half);
    c.y = std::clamp(c.y - d.y / tall, 0.0, 1.0);
    ui.dragged = true;
    ui.cursor("grabbing");
    if (d.x != 0 || d.y != 0) ui.app.set(next, false);
  }
  if (ui.drag_id == "graph.pan" && ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
    ui.drag_id.clear();
    if (ui.dragged) ui.app.set(ui.app.state(), true);
  }
}

void point(Ui& ui, const GraphFrame& f) {
  const Box hot{f.area.x - 12, f.area.y - 6, f.area.w + 24, f.area.h + 12};
  if (!ui.mouse_in(hot)) return;
  const ImVec2 m = ImGui::GetIO().MousePos;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) ui.drag_id = "graph.pan", ui.dragged = false;
  if (ui.dragged && ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  const GraphLayout& g = ui.graph->layout;
  const GraphHit hit = pick_graph(g, m.x, m.y);
  if (hit.node >= 0) {
    const GraphNode& n = g.nodes[static_cast<std::size_t>(hit.node)];
    ui.hover_next.node = hit.node;
    ui.hover_next.level = n.level;
    node_tooltip(ui, n);
    ui.cursor("pointer");
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !ui.dragged && f.whole.contains(ImGui::GetIO().MouseClickedPos[0].x, ImGui::GetIO().MouseClickedPos[0].y)) {
      char json[64];
      if (n.level == 0) {
        std::snprintf(json, sizeof json, R"({"key":%d})", ui.app.state().selection.key == n.token ? -1 : n.token);
        ui.app.run("select.key", json);
      } else if (ui.app.chain()) {
        std::snprintf(json, sizeof json, R"({"query":%d,"level":%d})", n.token, n.level == ui.app.depth() ? -1 : n.level);
        ui.app.run("select.query", json);
      } else {
        std::snprintf(json, sizeof json, R"({"query":%d})", n.token);
        ui.app.run("select.query", json);
      }
    }
  } else if (hit.ribbon >= 0) {
    const Ribbon& r = g.ribbons[static_cast<std::size_t>(hit.ribbon)];
    ui.hover_next.gap = r.gap;
    ui.hover_next.edge = r.edge >= 0 ? r.edge : r.kind == RibbonKind::residual ? -2 : -3;
    ui.hover_next.node = -1;
    outline_ribbon(ui, r);
    ribbon_tooltip(ui, r, m.x, m.y);
    const bool listed = g.bundle == 1 && r.edge >= 0 && ui.app.stored_stream().heads > 1 && ui.view()->recipe.merge == Merge::pieces && traits(ui.view()->recipe.method).attention && ui.view()->recipe.method != Method::joint;
    if (listed) ui.cursor("pointer");
    if (listed && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !ui.dragged && f.whole.contains(ImGui::GetIO().MouseClickedPos[0].x, ImGui::GetIO().MouseClickedPos[0].y)) {
      const Recipe& recipe = ui.view()->recipe;
      const int layer = ui.app.chain() ? recipe.first_layer + r.gap : recipe.end_layer - 1;
      ui.app.run("graph.edge", "{\"edge\":[" + std::to_string(layer) + "," + std::to_string(r.from) + "," + std::to_string(r.to) + "]}");
    }
  } else if (ui.app.state().graph.camera.zoom > 1) {
    ui.cursor("grab");
  }
}

void trace_tooltip(Ui& ui, int key, const Box& anchor) {
  const ViewData& v = *ui.view();
  const Ink plain = tip_ink(ui), strong = tip_ink(ui, true), quiet = tip_quiet(ui);
  std::vector<Rich> lines;
  if (has_no_value(ui, key)) return key_tooltip(ui, anchor, key);
  const double all = v.row[static_cast<std::size_t>(key)];
  lines.push_back(Rich().words(ui, "ui.tip.reaches", plain, strong,
                               {{"key", {ui.token(key, true), strong, true}}, {"query", {asked_name(ui), strong, true}}, {"weight", {ui.amount_fine(all), strong}}}));
  const bool paths = ui.app.chain() && v.recipe.sink == SinkMode::keep && v.recipe.merge == Merge::pieces;  // else the numbers are not their sums
  if (paths) {
    double named = 0;
    for (const GraphPath& p : strongest_paths(v, key, 3)) {
      if (p.weight < 5e-5) break;
      named += p.weight;
      Rich line;
      line.add(ui.words.percent_fine(p.weight) + "  ", strong);
      if (p.steps.empty()) line.add(ui.words("ui.tip.path_stays"), plain);
      else line.token(ui.token(p.steps[0].from, false), plain);
      for (const PathStep& s : p.steps)
        line.words(ui, "ui.tip.path_step", plain, plain, {{"token", {ui.token(s.to, true), plain, true}},
                                                          {"layer", {std::to_string(ui.layer_number(v.recipe.first_layer + s.gap)), quiet, false}}});
      lines.push_back(std::move(line));
    }
    lines.push_back(Rich().add(ui.words.fill("ui.tip.path_rest", {{"weight", ui.words.percent_fine(std::max(0.0, all - named))}}), quiet));
  }
  tooltip(ui, anchor, std::move(lines));
}

}  // namespace

void draw_graph_view(Ui& ui, const Box& box) {
  Box b = box;
  if (!ui.phone) toolbar(ui, b.cut_top(36));
  ui.record.graph = b;
  const GraphFrame f = frame_graph(ui, b);
  if (f.area.w < 40 || f.area.h < 20) return;

  // Paths are lit for the pinned input, else for the one under the pointer in the bottom row.
  int trace = ui.state().selection.key;
  if (trace < 0 && ui.app.hover.key >= 0 && ui.app.hover.level == 0) trace = ui.app.hover.key;
  if (trace >= ui.stream().keys || (trace >= 0 && !ui.visible(trace))) trace = -1;
  update_graph(ui, f.area, trace);
  const GraphPanel& p = *ui.graph;
  ui.record.edges_drawn = p.layout.edges_drawn;
  ui.record.edges_hidden = p.layout.edges_hidden;

  level_lines(ui, f);
  layer_shares(ui, f);
  const Box clip{f.area.x - 12, f.area.y - 6, f.area.w + 24, f.area.h + 12};
  draw_batch(ui, p.batch, clip);
  draw_batch(ui, p.lit, clip);
  ImGui::PushClipRect({clip.x, clip.y}, {clip.right(), clip.bottom()}, true);
  draw_nodes(ui, f);
  const ImVec2 m = ImGui::GetIO().MousePos;
  const bool covered = graph_minimap_box(ui, f.area).contains(m.x, m.y) || edge_card_box(ui, f.area).contains(m.x, m.y);
  if (!covered) point(ui, f);
  ImGui::PopClipRect();
  const Box over = draw_graph_labels(ui, f);
  if (!over.empty() && ui.hover_next.key >= 0) trace_tooltip(ui, ui.hover_next.key, over);
  if (!covered) pan_and_zoom(ui, f);
  draw_graph_minimap(ui, f.area);
  draw_edge_card(ui, f.area);

  if (f.caption.h > 0) {
    const Recipe& r = ui.view()->recipe;
    const bool raw = r.method == Method::raw;
    const Ink quiet{12, Weight::regular, ui.theme.ink3};
    const bool several = ui.view()->recipe.end_layer - ui.view()->recipe.first_layer > 1;
    const bool flow = r.method == Method::flow || r.method == Method::flow_normalised;
    const std::string id = flow ? "ui.graph.caption_flow" : ui.view()->is_signed ? "ui.graph.caption_signed" : !raw && !ui.app.chain() ? "ui.graph.caption_row" : raw ? (several ? "ui.graph.caption_raw_mean" : "ui.graph.caption_raw") : keeps_all(*ui.view()) ? "ui.graph.caption" : "ui.graph.caption_loss";
    text_fit(ui, f.caption.x, baseline(f.caption.y, f.caption.h, 12), f.caption.w, ui.words(id), quiet);
  }
  double least = 1;
  for (float s : p.layout.shown) least = std::min(least, static_cast<double>(s));
  if (p.layout.edges_drawn == 0 && p.layout.edges_hidden > 0) {
    const Ink quiet{13, Weight::regular, ui.theme.ink2};
    text_centre(ui, f.area.middle_x(), f.area.middle_y(), ui.words("ui.graph.nothing"), quiet);
  }
  ui.showed_picture = true;
}

}  // namespace rollscope::ui
