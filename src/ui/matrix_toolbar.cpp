// Toolbar of the matrix (matrix_panel.h): which matrix, which curve, numbers in cells, zoom. Where it is narrow the
// choices become pickers.
#include <algorithm>
#include <cstdio>

#include "ui/matrix_panel.h"
#include "ui/names.h"
#include "ui/view_tools.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

struct Kind {
  MatrixKind kind;
  const char* id;    // control
  const char* name;  // of the command's argument
};

std::vector<Kind> kinds_of(const Ui& ui) {
  std::vector<Kind> out{{MatrixKind::result, "matrix.show/result", "result"}};
  if (ui.app.chain() && ui.app.depth() > 1) out.push_back({MatrixKind::after_layer, "matrix.show/after_layer", "after_layer"});
  out.push_back({MatrixKind::fused_layer, "matrix.show/fused_layer", "fused_layer"});
  if (ui.stream().heads > 1) out.push_back({MatrixKind::head, "matrix.show/head", "head"});
  return out;
}

std::string_view kind_words(const Ui& ui, MatrixKind k) {
  switch (k) {
    case MatrixKind::result: return ui.words("ui.matrix.show." + std::string(unit_name(ui.app.state().recipe)));
    case MatrixKind::after_layer: return ui.words("ui.matrix.show.after");
    case MatrixKind::fused_layer: return ui.words("ui.matrix.show.fused");
    case MatrixKind::head: return ui.words("ui.matrix.show.head");
  }
  return {};
}

void show(Ui& ui, const char* kind, int layer, int head) {
  char json[96];
  std::snprintf(json, sizeof json, R"({"kind":"%s","layer":%d,"head":%d})", kind, layer, head);
  ui.app.run("matrix.show", json);
}

const char* name_of(MatrixKind k) {
  return k == MatrixKind::result ? "result" : k == MatrixKind::after_layer ? "after_layer" : k == MatrixKind::fused_layer ? "fused_layer" : "head";
}

// Layer and head of what is shown; returns the width used.
float index_pickers(Ui& ui, float x, float middle) {
  const AppState& s = ui.app.state();
  const float start = x;
  if (s.matrix.kind == MatrixKind::result) return 0;
  const bool inside = s.matrix.kind == MatrixKind::after_layer;
  const int low = inside ? s.recipe.first_layer : 0;
  const int end = inside ? (s.recipe.end_layer < 0 ? ui.stream().layers() : s.recipe.end_layer) : ui.stream().layers();
  const int layer = s.matrix.layer < 0 ? end - 1 : s.matrix.layer;
  const std::string layer_text = ui.words.fill("ui.matrix.layer", {{"layer", std::to_string(ui.layer_number(layer))}});
  const float w = picker_width(ui, layer_text);
  if (picker(ui, "matrix.layer", x, middle, layer_text, menu_is_open("matrix.layer"))) open_menu(ui, "matrix.layer");
  std::vector<MenuRow> rows;
  for (int l = low; l < end; ++l) rows.push_back({ui.words.fill("ui.matrix.layer", {{"layer", std::to_string(ui.layer_number(l))}}), ""});
  if (const int picked = menu(ui, "matrix.layer", {x, middle - 12, w, 24}, rows, layer - low); picked >= 0) show(ui, name_of(s.matrix.kind), low + picked, s.matrix.head);
  x += w + 6;
  if (s.matrix.kind == MatrixKind::head) {
    const std::string head_text = ui.words.fill("ui.matrix.head", {{"head", std::to_string(s.matrix.head + 1)}});
    const float hw = picker_width(ui, head_text);
    if (picker(ui, "matrix.head", x, middle, head_text, menu_is_open("matrix.head"))) open_menu(ui, "matrix.head");
    rows.clear();
    for (int h = 0; h < ui.stream().heads; ++h) rows.push_back({ui.words.fill("ui.matrix.head", {{"head", std::to_string(h + 1)}}), ""});
    if (const int picked = menu(ui, "matrix.head", {x, middle - 12, hw, 24}, rows, s.matrix.head); picked >= 0) show(ui, "head", layer, picked);
    x += hw + 6;
  }
  return x - start;
}

float index_width(Ui& ui) {
  const AppState& s = ui.app.state();
  if (s.matrix.kind == MatrixKind::result) return 0;
  float w = picker_width(ui, ui.words.fill("ui.matrix.layer", {{"layer", "24"}})) + 6;
  if (s.matrix.kind == MatrixKind::head) w += picker_width(ui, ui.words.fill("ui.matrix.head", {{"head", "12"}})) + 6;
  return w;
}

}  // namespace

void matrix_toolbar(Ui& ui, const Box& bar) {
  const AppState& s = ui.app.state();
  const float middle = bar.middle_y();
  const float right = draw_view_tools(ui, bar, s.matrix.camera.zoom) - 10;
  const auto kinds = kinds_of(ui);
  std::vector<Segment> kind_segments;
  int chosen = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    kind_segments.push_back({kinds[i].id, kind_words(ui, kinds[i].kind)});
    if (kinds[i].kind == s.matrix.kind) chosen = static_cast<int>(i);
  }
  std::vector<Segment> curves{{"matrix.scale/linear", ui.words("ui.scale.name.linear")}, {"matrix.scale/log", ui.words("ui.scale.name.log")}, {"matrix.scale/per_row", ui.words("ui.scale.name.per_row")}};
  std::vector<const char*> curve_names{"linear", "log", "per_row"};
  int curve = static_cast<int>(s.matrix.scale);
  if (matrix_signed(ui)) {  // what lies on both sides of 0 has no logarithm
    curves.erase(curves.begin() + 1);
    curve_names.erase(curve_names.begin() + 1);
    curve = curve == 2 ? 1 : 0;
  }

  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  const float lead = text_width(ui, ui.words("ui.matrix.show"), quiet) + 14;
  const float values = check_width(ui, ui.words("ui.matrix.values")) + 18;
  const float whole = bar.x + 16, wide_kinds = segments_width(ui, kind_segments) + 8, wide_curves = segments_width(ui, curves) + 16;
  const float narrow_kinds = picker_width(ui, kind_segments[static_cast<std::size_t>(chosen)].words) + 8, narrow_curves = picker_width(ui, curves[static_cast<std::size_t>(curve)].words) + 16;
  const float indices = index_width(ui), room = right - whole;
  // What gives way first: the lead, then the values' box, the curves' segments, the kinds'.
  const bool all = lead + wide_kinds + indices + wide_curves + values <= room;
  const bool no_lead = wide_kinds + indices + wide_curves + values <= room;
  const bool curves_wide = no_lead || narrow_kinds + indices + wide_curves + values <= room;
  const bool kinds_wide = no_lead || wide_kinds + indices + narrow_curves + values <= room;
  const bool use_kinds_wide = no_lead || kinds_wide, use_curves_wide = no_lead || (curves_wide && !kinds_wide);

  float x = whole;
  if (all) {
    text(ui, x, baseline(middle - 8, 16, 12), ui.words("ui.matrix.show"), quiet);
    x += lead;
  }
  int picked = -1;
  if (use_kinds_wide) {
    picked = segments(ui, x, middle, kind_segments, chosen);
    x += wide_kinds;
  } else {
    if (picker(ui, "matrix.show", x, middle, kind_segments[static_cast<std::size_t>(chosen)].words, menu_is_open("matrix.show"))) open_menu(ui, "matrix.show");
    std::vector<MenuRow> rows;
    for (const Segment& k : kind_segments) rows.push_back({std::string(k.words), ""});
    picked = menu(ui, "matrix.show", {x, middle - 12, narrow_kinds, 24}, rows, chosen);
    x += narrow_kinds;
  }
  if (picked >= 0 && picked != chosen) {
    const Kind& k = kinds[static_cast<std::size_t>(picked)];
    const int end = s.recipe.end_layer < 0 ? ui.stream().layers() : s.recipe.end_layer;
    // A layer below the last says something that the result does not.
    const int layer = k.kind == MatrixKind::after_layer && s.matrix.layer >= end - 1 ? std::max(s.recipe.first_layer, end - 2) : s.matrix.layer;
    show(ui, k.name, layer, s.matrix.head);
  }
  x += index_pickers(ui, x, middle);

  x += 8;
  if (x + narrow_curves > right) return;
  int curve_picked = -1;
  if (use_curves_wide) {
    curve_picked = segments(ui, x, middle, curves, curve);
    x += wide_curves;
  } else {
    if (picker(ui, "matrix.scale", x, middle, curves[static_cast<std::size_t>(curve)].words, menu_is_open("matrix.scale"))) open_menu(ui, "matrix.scale");
    std::vector<MenuRow> rows;
    for (const Segment& c : curves) rows.push_back({std::string(c.words), ""});
    curve_picked = menu(ui, "matrix.scale", {x, middle - 12, narrow_curves, 24}, rows, curve);
    x += narrow_curves;
  }
  if (curve_picked >= 0 && curve_picked != curve) {
    char json[48];
    std::snprintf(json, sizeof json, R"({"scale":"%s"})", curve_names[static_cast<std::size_t>(curve_picked)]);
    ui.app.run("matrix.scale", json);
  }
  if (x + values - 18 <= right && check(ui, "matrix.values", x, middle, ui.words("ui.matrix.values"), s.matrix.values, nullptr)) ui.app.run("matrix.values");
}

}  // namespace rollscope::ui
