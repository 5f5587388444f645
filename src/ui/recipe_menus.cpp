// Menus of the recipe (recipe_menus.h): method and attention are lists, layers a range with two ends, heads a grid.
#include "ui/recipe_menus.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/recipe_text.h"
#include "imgui_internal.h"
#include "ui/names.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

void run_text(Ui& ui, const char* command, const char* field, std::string_view value) {
  std::string json = "{\"";
  json += field;
  json += "\":\"";
  for (char c : value) {
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  ui.app.run(command, json + "\"}");
}

void run_layers(Ui& ui, int first, int end) {
  char json[64];
  std::snprintf(json, sizeof json, R"({"layers":[%d,%d]})", first, end);
  ui.app.run("recipe.layers", json);
}

void stream_menu(Ui& ui, const Box& anchor) {
  std::vector<MenuRow> rows;
  int chosen = 0;
  const auto& streams = ui.app.dump().streams;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    rows.push_back({stream_words(ui, streams[i]), ui.words.plural("ui.layers_count", streams[i].layers())});
    if (&streams[i] == &ui.app.stored_stream()) chosen = static_cast<int>(i);
  }
  const int picked = menu(ui, "recipe.stream", anchor, rows, chosen);
  if (picked >= 0 && picked != chosen) run_text(ui, "recipe.stream", "stream", streams[static_cast<std::size_t>(picked)].name);
}

// A track with a mark per layer and two knobs, first and last. Returns true when a drag ended or a mark was clicked.
void range_track(Ui& ui, const Box& t) {
  const int layers = ui.stream().layers();
  const Recipe& r = ui.app.state().recipe;
  int first = ui.range_first >= 0 ? ui.range_first : r.first_layer;
  int last = ui.range_last >= 0 ? ui.range_last : (r.end_layer < 0 ? layers : r.end_layer) - 1;
  const float y = std::round(t.y + 12);
  const float step = layers > 1 ? t.w / static_cast<float>(layers - 1) : 0;
  auto at = [&](int l) { return t.x + step * static_cast<float>(l); };
  auto layer_at = [&](float x) { return std::clamp(static_cast<int>(std::lround((x - t.x) / std::max(1.0f, step))), 0, layers - 1); };

  ui.dl->AddRectFilled({t.x, y - 1.5f}, {t.right(), y + 1.5f}, ui.theme.line, 1.5f);
  ui.dl->AddRectFilled({at(first), y - 1.5f}, {at(last), y + 1.5f}, ui.theme.accent, 1.5f);
  const int label_step = step >= 18 ? 1 : step >= 8 ? 5 : 10;
  for (int l = 0; l < layers; ++l) {
    const bool inside = l >= first && l <= last;
    ui.dl->AddCircleFilled({at(l), y}, 2.5f, inside ? ui.theme.accent : ui.theme.line2);
    if (l == first || l == last || l == 0 || l == layers - 1 || (l + 1) % label_step == 0) {
      const bool end = l == first || l == last;
      if (!end && (std::abs(l - first) * step < 16 || std::abs(l - last) * step < 16)) continue;
      text_centre(ui, at(l), t.y + 36, std::to_string(ui.layer_number(l)), {12, end ? Weight::semibold : Weight::regular, end ? ui.theme.accent : ui.theme.ink3});
    }
  }
  for (int which = 0; which < 2; ++which) {
    int& mine = which == 0 ? first : last;
    const Box knob{at(mine) - 11, y - 11, 22, 22};
    const Press p = press(ui, which == 0 ? "recipe.layers.first" : "recipe.layers.last", knob, true, 11);
    if (p.held) {
      const int l = layer_at(ImGui::GetIO().MousePos.x);
      mine = which == 0 ? std::min(l, last) : std::max(l, first);
      ui.range_first = first;
      ui.range_last = last;
    }
    if (p.released && ui.range_first >= 0) {
      run_layers(ui, ui.range_first, ui.range_last + 1);
      ui.range_first = ui.range_last = -1;
    }
    if (p.focused && ui.arrows != 0) {
      ui.takes_arrows = true;
      mine = which == 0 ? std::clamp(first + ui.arrows, 0, last) : std::clamp(last + ui.arrows, first, layers - 1);
      ui.arrows = 0;
      run_layers(ui, first, last + 1);
    }
    if (p.focused) ui.takes_arrows = true;
    ui.dl->AddCircleFilled({at(mine), y}, 7, p.held ? ui.theme.accentbg : ui.theme.panel);
    ui.dl->AddCircle({at(mine), y}, 7, ui.theme.accent, 0, p.hovered || p.held ? 2.5f : 2);
  }
}

constexpr float kTrack = 52;

// Chips of the usual ranges; returns the height they take.
float layer_chips(Ui& ui, const Box& c, bool draw) {
  const int layers = ui.stream().layers();
  const Recipe& r = ui.app.state().recipe;
  const int end = r.end_layer < 0 ? layers : r.end_layer;
  struct Chip {
    std::string words;
    int first, end;
  };
  std::vector<Chip> chips;
  chips.push_back({std::string(ui.words("ui.layers.all")), 0, layers});
  const bool raw = r.method == Method::raw;  // looked at layer by layer; the others gather layers from the input up
  const int most = std::min(layers, 24);
  for (int k = raw ? layers - most : std::max(1, layers - most); k < layers; ++k) {
    const std::string n = std::to_string(ui.layer_number(raw ? k : k - 1));
    chips.push_back(raw ? Chip{ui.words.fill("ui.layers.single", {{"layer", n}}), k, k + 1}
                        : Chip{ui.words.fill("ui.layers.up_to", {{"first", std::to_string(ui.layer_number(0))}, {"layer", n}}), 0, k});
  }
  const float h = ui.touch ? 36 : 24, gap = 6;
  float x = c.x, y = c.y;
  for (std::size_t i = 0; i < chips.size(); ++i) {
    const Chip& chip = chips[i];
    const float w = text_width(ui, chip.words, {12, Weight::medium, 0}) + 20;
    if (x + w > c.right() + 0.5f && x > c.x) x = c.x, y += h + gap;
    if (draw) {
      char id[40];
      std::snprintf(id, sizeof id, "recipe.layers/%d-%d", chip.first, chip.end);
      const Box b{x, y, w, h};
      const Press p = press(ui, id, b);
      const bool on = chip.first == r.first_layer && chip.end == end;
      fill(ui, b, on ? ui.theme.accentbg : p.held ? ui.theme.well : p.hovered ? ui.theme.raised : ui.theme.panel, 6);
      frame(ui, b, on ? ui.theme.accent : p.hovered ? ui.theme.line2 : ui.theme.line, 1, 6);
      text_centre(ui, b.middle_x(), baseline(b.y, b.h, 12), chip.words, {12, Weight::medium, on ? ui.theme.accent : ui.theme.ink});
      if (p.clicked) run_layers(ui, chip.first, chip.end);
    }
    x += w + gap;
  }
  return y + h - c.y;
}

void layers_menu(Ui& ui, const Box& anchor) {
  if (!menu_is_open("recipe.layers")) return;
  const float w = std::clamp(static_cast<float>(ui.stream().layers()) * 30, 260.0f, 420.0f);
  const float chips = layer_chips(ui, {0, 0, w - 16 - 8, 0}, false);
  const float height = 30 + kTrack + chips;
  Box c;
  if (!begin_menu(ui, "recipe.layers", anchor, w, height + 20, c)) return;
  c = {c.x + 4, c.y, c.w - 8, c.h};
  text(ui, c.x, baseline(c.y, 20, 12), ui.words("ui.layers.range"), {12, Weight::regular, ui.theme.ink3});
  range_track(ui, {c.x + 12, c.y + 26, c.w - 24, 24});
  layer_chips(ui, {c.x, c.y + 30 + kTrack - 4, c.w, 0}, true);
  end_menu(ui, height + 4);
}

float head_grid_height(const Ui& ui, float width) {
  const float cell = ui.touch ? 44 : 32;
  const int per_row = std::max(1, static_cast<int>(width / cell));
  return std::ceil(static_cast<float>(ui.stream().heads) / static_cast<float>(per_row)) * cell;
}

void head_grid(Ui& ui, const Box& c) {
  const float cell = ui.touch ? 44 : 32;
  const int per_row = std::max(1, static_cast<int>(c.w / cell));
  AppState next = ui.app.state();
  const int heads = ui.stream().heads;
  std::vector<char> on(static_cast<std::size_t>(heads), next.recipe.heads.empty() ? 1 : 0);
  for (int h : next.recipe.heads) on[static_cast<std::size_t>(h)] = 1;
  int count = 0;
  for (char o : on) count += o;
  for (int h = 0; h < heads; ++h) {
    char id[32];
    std::snprintf(id, sizeof id, "recipe.heads/%d", h);
    const Box b{c.x + static_cast<float>(h % per_row) * cell, c.y + static_cast<float>(h / per_row) * cell, cell - 4, cell - 4};
    const Press p = press(ui, id, b, true, 4);
    const bool is_on = on[static_cast<std::size_t>(h)] != 0;
    fill(ui, b, is_on ? ui.theme.accentbg : p.hovered ? ui.theme.raised : ui.theme.panel, 4);
    frame(ui, b, is_on ? ui.theme.accent : p.hovered ? ui.theme.line2 : ui.theme.line, 1, 4);
    text_centre(ui, b.middle_x(), baseline(b.y, b.h, 12), std::to_string(h + 1), {12, is_on ? Weight::semibold : Weight::regular, is_on ? ui.theme.accent : ui.theme.ink2});
    if (!p.clicked) continue;
    if (ImGui::GetIO().KeyShift) {  // this one alone
      next.recipe.heads = {h};
    } else {
      if (is_on && count == 1) continue;  // one head at least
      on[static_cast<std::size_t>(h)] = !is_on;
      next.recipe.heads.clear();
      for (int k = 0; k < heads; ++k)
        if (on[static_cast<std::size_t>(k)]) next.recipe.heads.push_back(k);
    }
    ui.app.set(next);
  }
}

std::vector<Segment> fusion_segments(const Ui& ui) {
  return {{"recipe.fusion/mean", ui.words("ui.fusion.name.mean")}, {"recipe.fusion/max", ui.words("ui.fusion.name.max")}, {"recipe.fusion/min", ui.words("ui.fusion.name.min")}};
}

void fusion_row(Ui& ui, float x, float middle) {
  const char* names[] = {"mean", "max", "min"};
  const int picked = segments(ui, x, middle, fusion_segments(ui), static_cast<int>(ui.app.state().recipe.fusion));
  if (picked >= 0) run_text(ui, "recipe.fusion", "fusion", names[picked]);
}

void all_heads(Ui& ui, const Box& b) {
  if (ui.app.state().recipe.heads.empty()) return;
  if (button(ui, "recipe.heads/all", b, ui.words("ui.heads.all"))) {
    AppState next = ui.app.state();
    next.recipe.heads.clear();
    ui.app.set(next);
  }
}

void fusion_menu(Ui& ui, const Box& anchor) {
  if (!menu_is_open("recipe.fusion")) return;
  const float cell = ui.touch ? 44 : 32;
  const float grid_width = std::clamp(static_cast<float>(ui.stream().heads), 6.0f, 8.0f) * cell;
  const float w = std::max(grid_width, segments_width(ui, fusion_segments(ui))) + 24;
  const float grid = head_grid_height(ui, w - 24);
  const bool fused = traits(ui.app.state().recipe.method).heads_fused;
  const float top = fused ? 36.0f : 0;
  const float height = top + 26 + grid + 4;
  Box c;
  if (!begin_menu(ui, "recipe.fusion", anchor, w, height + 18, c)) return;
  c = {c.x + 4, c.y, c.w - 8, c.h};
  if (fused) fusion_row(ui, c.x, c.y + 14);
  text(ui, c.x, baseline(c.y + top, 20, 12), ui.words("ui.heads.which"), {12, Weight::regular, ui.theme.ink3});
  const float all = text_width(ui, ui.words("ui.heads.all"), {13, Weight::medium, 0}) + 16;
  all_heads(ui, {c.right() - all, c.y + top - 1, all, 22});
  head_grid(ui, {c.x, c.y + top + 26, c.w, grid});
  end_menu(ui, height);
}

}  // namespace

void draw_recipe_menu(Ui& ui, std::string_view slot, const Box& anchor) {
  if (slot == "method") draw_method_menu(ui, anchor);
  else if (slot == "stream") stream_menu(ui, anchor);
  else if (slot == "layers") layers_menu(ui, anchor);
  else if (slot == "fusion") fusion_menu(ui, anchor);
  else if (slot == "class") draw_class_menu(ui, anchor);
  else if (slot == "norms") draw_norms_menu(ui, anchor);
  else if (slot == "sink" || slot == "sink_mode") draw_sink_menu(ui, anchor);
  else if (slot == "merge") draw_more_menu(ui, "recipe.merge", anchor);
  else if (slot == "more") draw_more_menu(ui, "recipe.more", anchor);
}

namespace {

// A choice with a menu of its own, as a row of the sheet.
void sheet_choice(Ui& ui, const char* id, const Box& row, std::string_view title, std::string_view value, void (*menu)(Ui&, const Box&)) {
  const Press p = press(ui, id, row, true, 4);
  if (p.hovered || p.held || p.focused) fill(ui, row, p.held ? ui.theme.well : ui.theme.raised, 4);
  const float w = text(ui, row.x + 8, baseline(row.y, row.h, 13), title, {13, Weight::regular, ui.theme.ink2});
  const Ink strong{13, Weight::semibold, ui.theme.ink};
  const float room = row.w - w - 50, vw = std::min(room, text_width(ui, value, strong));
  text_fit(ui, row.right() - 24 - vw, baseline(row.y, row.h, 13), room, value, strong);
  arrow_down(ui, row.right() - 12, row.middle_y(), ui.theme.ink2, 3.2f);
  if (p.clicked) open_menu(ui, id);
  menu(ui, row);
}

}  // namespace

void draw_recipe_sheet(Ui& ui, const Box& anchor) {
  if (!menu_is_open("recipe_sheet")) return;
  const float row = ui.touch ? 44 : 36, w = ui.screen.w - 16;
  const Recipe& r = ui.app.state().recipe;
  const MethodTraits& t = traits(r.method);
  const bool several = t.attention && ui.stream().heads > 1 && (r.method != Method::norm_rollout || r.source == "value_norms");
  const bool deep = t.attention && ui.stream().layers() > 1, stated = r.residual_from == ResidualFrom::stated && r.residuals.empty();
  const bool classes = t.gradients && class_names(ui.app.dump(), ui.app.stored_stream()).size() > 1, norms = r.method == Method::norm_rollout;
  const auto& streams = ui.app.dump().streams;
  const float chips = deep ? layer_chips(ui, {0, 0, w - 40, 0}, false) : 0;
  const float grid = several ? head_grid_height(ui, w - 40) : 0;
  float height = 8 + row;
  if (classes) height += row;
  if (norms) height += row;
  if (t.residual) height += (stated ? 66.0f : 0) + (residual_has_menu(ui) ? row : 0);
  if (streams.size() > 1) height += static_cast<float>(streams.size()) * row + 26;
  if (deep) height += 26 + kTrack + chips + 14;
  if (several) height += 26 + (t.heads_fused ? 44.0f : 0) + grid + 8;
  height += more_choices(ui, {}, 0, false) + 8;
  Box c;
  if (!begin_menu(ui, "recipe_sheet", anchor, w, height + 16, c)) return;
  const Ink head{12, Weight::medium, ui.theme.ink3};
  float y = c.y;
  auto heading = [&](std::string_view id) {
    text(ui, c.x + 8, baseline(y, 26, 12), ui.words(id), head);
    y += 26;
  };
  const auto choice_row = [&](const char* id, std::string_view title, const std::string& value, void (*menu)(Ui&, const Box&)) {
    sheet_choice(ui, id, {c.x, y, c.w, row}, ui.words(title), value, menu);
    y += row;
  };
  choice_row("recipe.method", "ui.sheet.method", method_words(ui, r), draw_method_menu);
  if (classes) choice_row("recipe.class", "ui.sheet.class", class_words(ui, r.class_name), draw_class_menu);
  if (norms) choice_row("recipe.norms", "ui.sheet.norms", source_words(ui, r.source), draw_norms_menu);
  if (t.residual) {
    if (residual_has_menu(ui)) choice_row("recipe.residual.menu", "ui.sheet.residual", residual_words(ui, r), draw_residual_menu);
    if (stated) {
      text(ui, c.x + 8, baseline(y, 26, 12), ui.words("ui.sheet.residual"), head);
      text_right(ui, c.right() - 8, baseline(y, 26, 13), ui.words.number(r.residual, 2), {13, Weight::semibold, ui.theme.ink});
      y += 26;
      AppState next = ui.app.state();
      const Slide s = slider(ui, "recipe.residual", {c.x + 16, y + 6, c.w - 32, 20}, next.recipe.residual, 0, 1, 0.05, {0.5});
      if (s.changed || s.done) ui.app.set(next, s.done);
      y += 40;
    }
  }
  if (streams.size() > 1) {
    heading("ui.sheet.stream");
    for (std::size_t i = 0; i < streams.size(); ++i) {
      char id[32];
      std::snprintf(id, sizeof id, "recipe.stream/%d", static_cast<int>(i));
      if (menu_row(ui, id, {c.x, y, c.w, row}, stream_words(ui, streams[i]), streams[i].name == ui.stream().name && r.method != Method::joint)) {
        run_text(ui, "recipe.stream", "stream", streams[i].name);
        ImGui::CloseCurrentPopup();
      }
      y += row;
    }
  }
  if (deep) {
    heading("ui.layers.range");
    range_track(ui, {c.x + 20, y, c.w - 40, 24});
    y += kTrack;
    layer_chips(ui, {c.x + 8, y, c.w - 24, 0}, true);
    y += chips + 14;
  }
  if (several) {
    heading("ui.heads.which");
    if (t.heads_fused) {
      fusion_row(ui, c.x + 8, y + 16);
      y += 44;
    }
    head_grid(ui, {c.x + 8, y, c.w - 24, grid});
    y += grid + 8;
  }
  more_choices(ui, c, y, true);
  end_menu(ui, height);
}

}  // namespace rollscope::ui
