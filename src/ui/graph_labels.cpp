#include "ui/graph_labels.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "imgui_internal.h"
#include "ui/graph_panel.h"
#include "ui/names.h"
#include "ui/token_box.h"

namespace rollscope::ui {
namespace {

constexpr float kSlant = 50, kLongest = 92;
constexpr float kSin = 0.766f;

// Width that all labels but a few have: two long names among many short ones are cut, not a reason to slant them all.
float usual_label(Ui& ui, bool keys, float px) {
  const int n = std::min(keys ? ui.stream().keys : ui.stream().queries, 400);
  std::vector<float> w;
  for (int i = 0; i < n; ++i) w.push_back(label_width(ui, keys ? ui.token_short(i, true) : ui.two_sided() ? query_name(ui, i) : ui.token_short(i, false), px, true));
  std::sort(w.begin(), w.end());
  return w.empty() ? 0 : w[w.size() - 1 - w.size() / 8];
}

// Room that the slanted labels take in height.
float slant_height(float longest) { return std::min(longest, kLongest) * kSin + 14; }

struct Column {
  float x;
  int first, end;  // tokens
};
std::vector<Column> columns_of(const GraphLayout& g, bool keys) {
  std::vector<Column> out;
  if (!keys && !g.query_x.empty()) {
    for (std::size_t i = 0; i < g.query_x.size(); ++i) out.push_back({g.query_x[i], static_cast<int>(i), static_cast<int>(i) + 1});
    return out;
  }
  for (std::size_t c = 0; c < g.column_x.size(); ++c) out.push_back({g.column_x[c], g.column_first[c], g.column_first[c + 1]});
  return out;
}

void draw_outputs(Ui& ui, const GraphFrame& f) {
  const GraphLayout& g = ui.graph->layout;
  const ViewData& v = *ui.view();
  const float px = ui.phone ? 12 : 13;
  const auto columns = columns_of(g, false);
  const float base = baseline(f.outputs.bottom() - 34, 24, px);
  const float pitch = columns.size() > 1 ? columns[1].x - columns[0].x : g.column;
  const bool trace = ui.graph->key.trace >= 0;
  const bool one = ui.app.for_one_output();
  float chosen_x = 0;
  for (const Column& c : columns)
    if (v.query >= c.first && v.query < c.end) chosen_x = c.x;
  const float chosen_half = label_width(ui, ui.two_sided() || one || !v.rows.empty() ? asked_name(ui) : ui.token_short(v.query, false), px, true) / 2 + 12;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& c = columns[i];
    if (c.x < f.area.x - 2 || c.x > f.area.right() + 2) continue;
    const bool chosen = v.query >= c.first && v.query < c.end;
    if (one && !chosen) continue;  // the scores belong to no row
    const std::string name = c.end - c.first > 1 ? bundle_name(ui, c.first, c.end) : ui.two_sided() ? query_name(ui, c.first) : ui.token_short(c.first, false);
    const float w = label_width(ui, name, px, true);
    const bool hovered = ui.app.hover.query == c.first && c.end - c.first == 1;
    Box hit{c.x - std::max(w, 16.0f) / 2 - 6, f.outputs.bottom() - 34, std::max(w, 16.0f) + 12, 24};
    if (chosen) {
      const std::string mine = one || !v.rows.empty() ? asked_name(ui) : ui.two_sided() ? name : ui.token_short(v.query, false);
      const float mw = label_width(ui, mine, px, true);
      hit = {std::clamp(c.x - mw / 2 - 7, f.whole.x + 2, std::max(f.whole.x + 2, f.whole.right() - mw - 16)), f.outputs.bottom() - 34, mw + 14, 24};
      fill(ui, hit, ui.theme.accentbg, 4);
      frame(ui, hit, ui.theme.accent, 2, 4);
      label(ui, hit.x + 7, base, mine, px, true, ui.theme.accent);
    } else if (f.slant_top) {  // the names stand at the foot; here only the one under the pointer
      hit = {c.x - pitch / 2, f.outputs.bottom() - 36, pitch, 36};
      if (hovered && std::fabs(c.x - chosen_x) > w / 2 + chosen_half) {
        const float x = std::clamp(c.x - w / 2, f.whole.x + 2, std::max(f.whole.x + 2, f.whole.right() - w - 2));
        label(ui, x, base, name, px, true, ui.theme.ink);
      }
    } else {
      const ImU32 ink = trace ? ui.theme.ink3 : hovered ? ui.theme.ink : ui.theme.ink2;
      label_centre(ui, c.x, base, w > pitch - 4 ? label_cut(ui, name, px, true, pitch - 4) : name, px, true, ink);
      hit = {c.x - pitch / 2, hit.y, pitch, hit.h};
    }
    ui.record.outputs.push_back({hit, c.first, static_cast<int>(g.level_y.size()) - 1});
    if (ui.mouse_in(hit)) {
      ui.cursor("pointer");
      if (c.end - c.first == 1) ui.hover_next.query = c.first;
      if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !ui.dragged && hit.contains(ImGui::GetIO().MouseClickedPos[0].x, ImGui::GetIO().MouseClickedPos[0].y)) {
        char json[64];
        std::snprintf(json, sizeof json, R"({"query":%d,"level":%d})", c.first, ui.app.state().selection.level);
        ui.app.run("select.query", json);
      }
    }
  }
  if (!f.narrow) {
    const Ink quiet{12, Weight::regular, ui.theme.ink3};
    const bool inner = ui.app.chain() && v.level > 0 && v.level < ui.app.depth();
    const std::string words = inner ? ui.words.fill("ui.graph.state", {{"layer", std::to_string(ui.layer_number(v.recipe.first_layer + v.level - 1))}})
                                    : std::string(ui.words(ui.two_sided() ? "ui.graph.target" : "ui.graph.output"));
    text_fit(ui, f.left, base, f.area.x - f.left - 8, words, quiet);
  }
}

// A bundle: its tokens as a barcode of heat.
void draw_barcode(Ui& ui, const Box& b, int first, int end, float fade) {
  const float w = b.w / static_cast<float>(end - first);
  for (int t = first; t < end; ++t) {
    const Box cell{b.x + w * static_cast<float>(t - first), b.y, w, b.h};
    if (has_no_value(ui, t)) fill(ui, cell, ui.theme.well);
    else if (ui.is_sink(t)) hatch(ui, cell, ui.theme.sink, 4);
    else if (ui.visible(t)) ui.dl->AddRectFilled({cell.x, cell.y}, {cell.right(), cell.bottom()}, packed(ui.heat(t), fade));
  }
  frame(ui, b, faded(ui.theme.line2, 0.6f * fade), 1, 3);
}

std::string foot_unit(const Ui& ui) {
  if (ui.percents()) return "%";
  const auto unit = unit_name(ui.view()->recipe);
  return unit == "lift" ? "×" : unit_words(ui, unit, false);
}

// Between source and target of a joint rollout: a line through the foot of the graph, and a word at either side.
void draw_border(Ui& ui, const GraphFrame& f) {
  const int border = ui.app.border();
  const GraphLayout& g = ui.graph->layout;
  if (border <= 0 || border >= ui.stream().keys || g.column_x.size() < 2) return;
  const auto c = static_cast<std::size_t>(column_of(g, border));
  const float x = std::round(g.column_x[c] - g.column / 2);
  if (x < f.area.x || x > f.area.right()) return;
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  const float top = f.area.bottom() - 34;
  ui.dl->AddRectFilled({x - 0.75f, top}, {x + 0.75f, std::min(f.whole.bottom(), f.inputs.bottom() + 24)}, ui.theme.line2);
  const auto word = [&](float left, std::string_view words) {
    const float w = text_width(ui, words, quiet);
    const Box b{left < 0 ? x - 9 - w : x + 9, top, w, 16};
    fill(ui, {b.x - 3, b.y, b.w + 6, b.h}, faded(ui.theme.panel, 0.9f), 3);
    text(ui, b.x, baseline(b.y, b.h, 12), words, quiet);
  };
  word(-1, ui.words("ui.graph.source"));
  word(1, ui.words("ui.graph.written"));
}

}  // namespace

std::string bundle_name(const Ui& ui, int first, int end) {
  if (ui.is_patch(first, true)) return ui.token_short(first, true) + " … " + ui.token_short(end - 1, true);
  std::string out = ui.token_short(first, true);
  if (first + 1 < end) {
    const auto& t = ui.stream().key_tokens;
    const bool space = static_cast<std::size_t>(first) + 1 < t.size() && t[static_cast<std::size_t>(first) + 1].starts_word;
    out += (space ? " " : "") + ui.token_short(first + 1, true);
  }
  return first + 2 < end ? out + " …" : out;
}

GraphFrame frame_graph(Ui& ui, const Box& box) {
  GraphFrame f;
  f.whole = box;
  Box b = box;
  f.narrow = box.w < 520;
  const Ink quiet{12, Weight::regular, 0};
  f.left = b.x + (ui.phone ? 10 : 16);
  if (b.h > 330 && !ui.phone) {
    f.caption = b.cut_bottom(24);
    f.caption = {f.left, f.caption.y, box.w - 32, 18};
  } else {
    b.cut_bottom(6);
  }
  float name = text_width(ui, f.narrow ? "24" : ui.words.fill("ui.graph.layer", {{"layer", "24"}}), quiet);
  if (!f.narrow) name = std::max({name, text_width(ui, ui.words("ui.graph.output"), quiet), text_width(ui, ui.words("ui.graph.input"), quiet)});
  const bool attention = traits(ui.view()->recipe.method).attention;
  if (attention && !ui.app.chain()) name = std::max(name, text_width(ui, f.narrow ? layers_words(ui, ui.view()->recipe) : row_layers_words(ui), quiet));
  if (!f.narrow && !ui.percents()) name = std::max(name, text_width(ui, foot_unit(ui), quiet));
  const float left = f.left - box.x + std::min(name, 112.0f) + (ui.phone ? 8 : 18);
  const bool shares = box.w > 620 && ui.app.chain();
  const float right = shares ? 88 : ui.phone ? 10 : 28;

  // A label at each end must not leave the view: half a column is air already.
  const float wide = b.w - left - right;
  const int n = std::max(1, ui.stream().keys);
  const auto zoom = static_cast<float>(std::max(1.0, ui.state().graph.camera.zoom));
  f.column = std::max(wide * zoom / static_cast<float>(n), 16.0f);
  const float px = ui.phone ? 12 : 13;
  f.longest = usual_label(ui, true, px);
  const float outputs = ui.two_sided() ? usual_label(ui, false, px) : f.longest;
  const float out_column = ui.two_sided() ? wide * zoom / static_cast<float>(std::max(1, ui.stream().queries)) : f.column;
  if (wide * zoom / static_cast<float>(n) < 16) f.longest = kLongest;  // bundles go by two names
  f.slant_bottom = f.longest + 6 > f.column;
  if (f.slant_bottom && f.longest < kLongest) f.longest = std::min(kLongest, f.longest * 1.6f);  // the few long ones
  f.slant_top = outputs + 6 > out_column;
  const float spare = b.h - 120;
  const float slant = std::clamp(slant_height(f.longest), 24.0f, std::max(38.0f, spare * 0.35f));

  f.outputs = b.cut_top(ui.phone ? 40 : 48);
  const float below = f.slant_bottom ? 26 + slant : ui.phone ? 44 : 56;
  Box bottom = b.cut_bottom(std::min(below, b.h * 0.5f));
  f.area = {b.x + left, b.y, wide, b.h - 8};
  f.inputs = {f.area.x, bottom.y + 4, f.area.w, ui.phone ? 20.0f : 22.0f};
  if (shares) f.shares = {f.area.right() + 14, f.area.y, 72, f.area.h};
  return f;
}

Box draw_graph_labels(Ui& ui, const GraphFrame& f) {
  const GraphLayout& g = ui.graph->layout;
  const ViewData& v = *ui.view();
  draw_outputs(ui, f);

  Box over;
  const float px = ui.phone ? 12 : 13, cell_px = ui.phone ? 10.5f : 12;
  const int trace = ui.graph->key.trace;
  const auto columns = columns_of(g, true);
  const int step = g.column >= 15 ? 1 : g.column >= 8 ? 2 : 5;
  ImGui::PushClipRect({f.area.x - 34, f.inputs.y - 8}, {f.area.right() + (f.slant_bottom ? 14.0f : 34.0f), f.whole.bottom()}, true);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& c = columns[i];
    if (c.x < f.area.x - 1 || c.x > f.area.right() + 1) continue;
    const bool bundle = c.end - c.first > 1;
    const float widest = f.slant_bottom || c.end - c.first > 1 ? 78.0f : std::max(78.0f, label_width(ui, ui.token_short(c.first, true), px, true) + 14);
    const float w = std::min(g.column - (g.column < 24 ? 2.0f : 4.0f), widest);
    const Box b{c.x - w / 2, f.inputs.y, w, f.inputs.h};
    const bool mine = ui.itself(c.first) && !bundle;
    const bool hovered = !bundle && ui.app.hover.key == c.first;
    const bool pinned = !bundle && ui.state().selection.key == c.first;
    const float fade = trace >= 0 && trace != c.first ? 0.4f : 1;
    const bool visible = ui.visible(c.first);
    double mass = 0;
    for (int t = c.first; t < c.end; ++t)
      if (const float w = v.row[static_cast<std::size_t>(t)]; !std::isnan(w) || !bundle) mass = adds_up(v.recipe) ? mass + w : std::max(mass, static_cast<double>(w));
    const std::string number = visible ? ui.amount_bare(mass) : "–";
    const std::string name = bundle ? bundle_name(ui, c.first, c.end) : ui.token_short(c.first, true);
    const ImU32 name_ink = trace >= 0 && trace != c.first ? ui.theme.ink3 : mine ? ui.theme.accent : hovered || pinned ? ui.theme.ink : ui.theme.ink2;
    if (bundle) {
      draw_barcode(ui, b, c.first, c.end, fade);
    } else if (f.slant_bottom) {
      TokenLook look{.px = cell_px, .hovered = hovered || pinned, .pinned = pinned, .faded = fade, .radius = 4};
      // Whole percents where a decimal has no room.
      std::string cell = number;
      if (ui.percents() && text_width(ui, cell, {cell_px, Weight::regular, 0}) > b.w + 1 && mass >= 0.095) cell = ui.words.number(mass * 100, 0);
      const bool fits = text_width(ui, cell, {cell_px, Weight::regular, 0}) <= b.w + 1;
      draw_key(ui, b, c.first, "", look);
      if (fits && visible && !ui.is_sink(c.first))
        text_centre(ui, b.middle_x(), baseline(b.y, b.h, cell_px), cell, {cell_px, Weight::regular, fade < 1 ? ui.theme.ink3 : ink_on(ui.heat(c.first))});
    } else {
      const std::string fitting = label_width(ui, name, px, true) > g.column - 2 ? label_cut(ui, name, px, true, g.column - 4) : name;
      draw_key(ui, b, c.first, fitting, {.px = px, .bold = true, .hovered = hovered || trace == c.first, .pinned = pinned, .faded = fade, .radius = 4});
      const Ink ink{12, hovered || pinned || mine ? Weight::semibold : Weight::regular, trace >= 0 && trace != c.first ? ui.theme.ink3 : mine ? ui.theme.accent : hovered || pinned ? ui.theme.ink : ui.theme.ink2};
      if (text_width(ui, number, ink) < g.column - 1) text_centre(ui, c.x, baseline(b.bottom() + 5, 16, 12), number, ink);
    }
    if (f.slant_bottom && (static_cast<int>(i) % step == 0 || mine || hovered || pinned)) {
      const float room = std::min(kLongest, (f.whole.bottom() - b.bottom() - 12) / kSin);
      label_rotated(ui, c.x + 4, b.bottom() + 8, -kSlant, true, label_cut(ui, name, 12, mine, room), 12, mine || pinned, name_ink);
    }
    Box hit{c.x - g.column / 2, b.y - 3, g.column, std::min(f.whole.bottom(), b.bottom() + 22) - b.y + 3};
    ui.record.inputs.push_back({hit, c.first, 0});
    if (ui.mouse_in(hit)) {
      ui.cursor("pointer");
      if (bundle) {
        // Opens where it lies.
        if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !ui.dragged) {
          AppState next = ui.app.state();
          Camera& camera = next.graph.camera;
          const double at = (static_cast<double>(i) + 0.5) / static_cast<double>(columns.size());
          camera.zoom = std::min(std::max(4.0, ui.stream().keys / 4.0), camera.zoom * 2);
          camera.x = std::clamp(at, 0.5 / camera.zoom, 1 - 0.5 / camera.zoom);
          ui.app.set(next);
        }
        continue;
      }
      if (!visible) continue;
      over = b;
      ui.hover_next.key = c.first;
      ui.hover_next.level = 0;
      if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !ui.dragged && hit.contains(ImGui::GetIO().MouseClickedPos[0].x, ImGui::GetIO().MouseClickedPos[0].y)) {
        char json[40];
        std::snprintf(json, sizeof json, R"({"key":%d})", ui.app.state().selection.key == c.first ? -1 : c.first);
        ui.app.run("select.key", json);
      }
    }
  }
  ImGui::PopClipRect();
  if (!f.narrow) {
    const Ink quiet{12, Weight::regular, ui.theme.ink3};
    text_fit(ui, f.left, baseline(f.inputs.y, f.inputs.h, 12), f.area.x - f.left - 8, ui.words(ui.app.border() > 0 || !ui.two_sided() ? "ui.graph.input" : "ui.graph.source"), quiet);
    if (!f.slant_bottom) text_fit(ui, f.left, baseline(f.inputs.bottom() + 5, 16, 12), f.area.x - f.left - 8, foot_unit(ui), quiet);
  }
  draw_border(ui, f);
  return over;
}

}  // namespace rollscope::ui
