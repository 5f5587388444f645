#include "ui/shell.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "imgui_internal.h"
#include "scene/json.h"
#include "scene/state_codec.h"
#include "ui/draw.h"
#include "ui/compare_panel.h"
#include "ui/graph_panel.h"
#include "ui/heads_panel.h"
#include "ui/image_panel.h"
#include "ui/matrix_panel.h"
#include "ui/names.h"
#include "ui/panels.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

constexpr float kPhone = 640;
constexpr float kTwoViews = 620;  // below, the second view waits

void draw_view(Ui& ui, const Box& b, ViewKind which) {
  fill(ui, b, ui.theme.panel);
  ImGui::PushClipRect({b.x, b.y}, {b.right(), b.bottom()}, true);
  switch (which) {
    case ViewKind::graph: draw_graph_view(ui, b); break;
    case ViewKind::matrix: draw_matrix_view(ui, b), ui.showed_picture = true; break;
    case ViewKind::heads: draw_heads_view(ui, b); break;
    case ViewKind::image: draw_image_view(ui, b); break;
    case ViewKind::depth: draw_depth_view(ui, b); break;
    case ViewKind::lines: draw_lines_view(ui, b); break;
    case ViewKind::compare: draw_compare_view(ui, b); break;
  }
  ImGui::PopClipRect();
  if (ui.waiting) {
    // The picture is still the old one, and says so.
    const std::string_view words = ui.words("ui.waiting");
    const float w = text_width(ui, words, {13, Weight::medium, 0}) + 28;
    const Box chip{std::round(b.middle_x() - w / 2), b.y + 8 + (ui.phone ? 0.0f : 36.0f), w, 28};
    fill(ui, b, faded(ui.theme.panel, 0.55f));
    fill(ui, chip, ui.theme.panel, 14);
    frame(ui, chip, ui.theme.line2, 1, 14);
    text_centre(ui, chip.middle_x(), baseline(chip.y, chip.h, 13), words, {13, Weight::medium, ui.theme.ink});
  }
}

// Nothing is open: what to do, in three lines.
void draw_empty(Ui& ui, const Box& b) {
  fill(ui, b, ui.theme.panel);
  if (!ui.reading.name.empty()) return;  // the page's own progress is in sight
  const bool small = b.w < 480;
  const float w = std::min(b.w - 48, 460.0f);
  const Ink head{small ? 18.0f : 20.0f, Weight::semibold, ui.theme.ink}, body{14, Weight::regular, ui.theme.ink2}, code{13, Weight::mono, ui.theme.ink2};
  Rich title = Rich().add(ui.words("ui.empty.title"), head), text_lines = Rich().add(ui.words("ui.empty.text"), body);
  const float th = title.wrap(ui, 0, 0, w, 28, false), bh = text_lines.wrap(ui, 0, 0, w, 21, false);
  float y = std::round(b.middle_y() - (th + bh + 80) / 2);
  const float x = std::round(b.middle_x() - w / 2);
  y += title.wrap(ui, x, y, w, 28) + 8;
  y += text_lines.wrap(ui, x, y, w, 21) + 18;
  const std::string open(ui.words("ui.empty.open")), examples(ui.words("ui.empty.examples"));
  const float ow = text_width(ui, open, {13, Weight::medium, 0}) + 28, ew = text_width(ui, examples, {13, Weight::medium, 0}) + 28;
  const float h = ui.touch ? 44 : 32;
  if (button(ui, "empty.open", {x, y, ow, h}, open)) ui.app.run("open");
  if (button(ui, "empty.examples", {x + ow + 8, y, ew, h}, examples)) ui.app.run("examples");
  y += h + 16;
  if (y + 20 < b.bottom() && !small) text_fit(ui, x, baseline(y, 18, 13), w, "out = model(**inputs, output_attentions=True)", code);
}

// A dump is open and its first answer is on the way, or has failed.
void draw_first_question(Ui& ui, const Box& b) {
  fill(ui, b, ui.theme.panel);
  if (ui.failed.empty()) {
    text_centre(ui, b.middle_x(), b.middle_y(), ui.words("ui.first_answer"), {13, Weight::regular, ui.theme.ink3});
    return;
  }
  const float w = std::min(b.w - 48, 460.0f), x = b.middle_x() - w / 2;
  const Ink head{18, Weight::semibold, ui.theme.ink}, body{14, Weight::regular, ui.theme.err};
  float y = b.middle_y() - 40;
  y += Rich().add(ui.words("ui.failed.title"), head).wrap(ui, x, y, w, 26) + 6;
  Rich().add(ui.failed, body).wrap(ui, x, y, w, 21);
}

void phone_layout(Ui& ui, Box b) {
  const AppState& s = ui.state();
  const float room = b.h;
  draw_recipe_bar(ui, b.cut_top(recipe_height(ui, b.w)));
  if (!ui.app.has_dump()) return draw_empty(ui, b);
  if (!ui.view()) return draw_first_question(ui, b);
  if (s.maximised) {
    draw_tabs(ui, b.cut_top(44));
    return draw_view(ui, b, s.view);
  }
  draw_text_strip(ui, b.cut_top(strip_height(ui, b.w, room)));
  draw_tabs(ui, b.cut_top(44));
  // The drawer lies over the view; drawn down it leaves the view what it needs.
  const float handle = 24;
  const float down = std::clamp(b.h * 0.38f, handle, 216.0f);
  const float up = std::max(down, room * 0.72f);
  float drawer = ui.drawer >= 0 ? std::clamp(ui.drawer, handle, room * 0.9f) : s.drawer ? up : b.h - down < 190 ? std::max(handle, b.h - 190) : down;
  drawer = std::min(drawer, room - 8);
  const float rest = b.h - (b.h - down < 190 ? std::max(handle, b.h - 190) : down);
  const Box over{b.x, ui.screen.bottom() - drawer, b.w, drawer};
  // What lies under the drawer is not under the pointer.
  const bool covered = over.contains(ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y);
  const bool popup = ui.popup_open;
  if (covered) ui.popup_open = true;
  draw_view(ui, {b.x, b.y, b.w, std::max(60.0f, rest)}, s.view);
  ui.popup_open = popup;
  draw_drawer(ui, over, handle);
}

// The view beside the main one, under its name and what closes it.
void draw_second(Ui& ui, Box b) {
  const auto which = static_cast<ViewKind>(ui.state().second);
  const Box bar = b.cut_top(34);
  fill(ui, bar, ui.theme.ground);
  rule_h(ui, bar.x, bar.bottom() - 1, bar.w, ui.theme.line);
  rule_v(ui, bar.x, bar.y, bar.h + b.h, ui.theme.line);
  std::vector<MenuRow> rows;
  std::vector<ViewKind> kinds;
  int now = -1;
  for (int k = 0; k < kViewKinds; ++k) {
    const auto kind = static_cast<ViewKind>(k);
    if (kind == ui.state().view || !ui.app.view_possible(kind)) continue;
    if (kind == which) now = static_cast<int>(kinds.size());
    kinds.push_back(kind);
    rows.push_back({std::string(ui.words("ui.tab." + std::string(view_name(kind)))), ""});
  }
  const std::string name(ui.words("ui.tab." + std::string(view_name(which))));
  const float w = picker_width(ui, name);
  if (picker(ui, "layout.second", bar.x + 12, bar.middle_y(), name, menu_is_open("layout.second"))) open_menu(ui, "layout.second");
  if (const int picked = menu(ui, "layout.second", {bar.x + 12, bar.middle_y() - 12, w, 24}, rows, now); picked >= 0)
    ui.app.run("layout.second", "{\"second\":\"" + std::string(view_name(kinds[static_cast<std::size_t>(picked)])) + "\"}");
  if (icon_button(ui, "layout.close", {bar.right() - 34, bar.middle_y() - 13, 26, 26}, Icon::close, ui.words("dom.close"))) ui.app.run("layout.second", R"({"second":"none"})");
  draw_view(ui, {b.x + 1, b.y, b.w - 1, b.h}, which);
}

// Between the two: dragged, it gives the one what it takes from the other.
void split_handle(Ui& ui, const Box& second, const Box& both) {
  const Box handle{second.x - 4, second.y, 8, second.h};
  const Press p = press(ui, "layout.split", handle, false);
  if (p.hovered || p.held) {
    ui.cursor("col-resize");
    fill(ui, {second.x - 1, second.y, 2, second.h}, ui.theme.accent);
  }
  if (p.held) {
    ui.drag_id = "layout.split";
    ui.drag_value = std::clamp(static_cast<double>((ImGui::GetIO().MousePos.x - both.x) / both.w), 0.25, 0.75);
    ui.wake();
  } else if (ui.drag_id == "layout.split") {
    ui.drag_id.clear();
    char json[40];
    std::snprintf(json, sizeof json, "{\"split\":%.3f}", ui.drag_value);
    ui.app.run("layout.second", json);
  }
}

void desk_layout(Ui& ui, Box b) {
  const AppState& s = ui.state();
  draw_recipe_bar(ui, b.cut_top(recipe_height(ui, b.w)));
  if (!ui.app.has_dump()) {
    draw_status_line(ui, b.cut_bottom(26));
    return draw_empty(ui, b);
  }
  if (!ui.view()) {
    draw_status_line(ui, b.cut_bottom(26));
    return draw_first_question(ui, b);
  }
  if (s.maximised) {
    draw_tabs(ui, b.cut_top(34));
    return draw_view(ui, b, s.view);
  }
  // The status line is drawn after the view whose numbers it tells.
  const Box status = b.h > 300 ? b.cut_bottom(26) : Box{};
  const float strip = strip_height(ui, b.w, b.h);
  draw_text_strip(ui, b.cut_top(b.h < 360 ? std::min(strip, 84.0f) : strip));
  const float inspector = b.w >= 1800 ? 360 : b.w >= 1000 ? 320 : b.w >= 820 ? 280 : 250;
  const Box right = b.cut_right(inspector);
  Box second;
  if (s.second >= 0 && b.w >= kTwoViews) {
    const float first = std::round(b.w * static_cast<float>(ui.drag_id == "layout.split" ? ui.drag_value : s.split));
    second = b.cut_right(b.w - first);
    draw_second(ui, second);
  }
  draw_tabs(ui, b.cut_top(34));
  draw_view(ui, b, s.view);
  if (second.w > 0) split_handle(ui, second, {b.x, second.y, b.w + second.w, second.h});
  if (shows_head_inspector(ui)) draw_head_inspector(ui, right);
  else if (shows_compare_inspector(ui)) draw_compare_inspector(ui, right);
  else draw_inspector(ui, right);
  if (status.h > 0) draw_status_line(ui, status);
}

}  // namespace

void draw_tabs(Ui& ui, const Box& box) {
  fill(ui, box, ui.theme.ground);
  rule_h(ui, box.x, box.bottom() - 1, box.w, ui.theme.line);
  struct Tab {
    const char* id;
    const char* command;
    ViewKind view;
    std::string_view words;
  };
  std::vector<Tab> tabs{{"tab.graph", "view.graph", ViewKind::graph, ui.words("ui.tab.graph")}, {"tab.matrix", "view.matrix", ViewKind::matrix, ui.words("ui.tab.matrix")}};
  if (ui.app.view_possible(ViewKind::heads)) tabs.push_back({"tab.heads", "view.heads", ViewKind::heads, ui.words("ui.tab.heads")});
  tabs.push_back({"tab.lines", "view.lines", ViewKind::lines, ui.words("ui.tab.lines")});
  tabs.push_back({"tab.depth", "view.depth", ViewKind::depth, ui.words("ui.tab.depth")});
  if (ui.app.view_possible(ViewKind::image)) tabs.push_back({"tab.image", "view.image", ViewKind::image, ui.words("ui.tab.image")});
  tabs.push_back({"tab.compare", "view.compare", ViewKind::compare, ui.words("ui.tab.compare")});
  float x = box.x + (ui.phone ? 0 : 8), words = 0;
  for (const Tab& t : tabs) words += text_width(ui, t.words, {13, Weight::medium, 0});
  const std::vector<Segment> presets{{"layout.read", ui.words("ui.layout.read")}, {"layout.compare", ui.words("ui.layout.compare")}, {"layout.teach", ui.words("ui.layout.teach")}};
  const AppState& state = ui.app.state();
  const float pw = segments_width(ui, presets);
  const float room = box.right() - x - words;
  const float around = ui.phone ? room / static_cast<float>(tabs.size()) : std::clamp(room / static_cast<float>(tabs.size()), 4.0f, 24.0f);
  for (const Tab& t : tabs) {
    const float w = std::floor(text_width(ui, t.words, {13, Weight::medium, 0}) + around);
    const Box b{x, box.y, w, box.h};
    const Press p = press(ui, t.id, b, true, 2);
    const bool on = ui.app.state().view == t.view;
    if (on && !ui.phone) {
      fill(ui, {b.x, b.y, b.w, b.h}, ui.theme.panel);
      rule_v(ui, b.x, b.y, b.h - 1, ui.theme.line);
      rule_v(ui, b.right() - 1, b.y, b.h - 1, ui.theme.line);
      fill(ui, {b.x, b.y, b.w, 2}, ui.theme.accent);
    } else if (on) {
      fill(ui, b, ui.theme.panel);
      fill(ui, {b.x, b.bottom() - 2, b.w, 2}, ui.theme.accent);
    } else if (p.hovered) {
      fill(ui, {b.x, b.y + 1, b.w, b.h - 2}, ui.theme.raised);
    }
    text_centre(ui, b.middle_x(), baseline(b.y, b.h, 13), t.words, {13, Weight::medium, on ? ui.phone ? ui.theme.accent : ui.theme.ink : ui.theme.ink2});
    if (p.clicked) ui.app.run(t.command);
    x += w;
  }
  if (!ui.phone && box.w > words + 24 * static_cast<float>(tabs.size()) + pw + 32) {
    const int now = state.second == static_cast<int>(ViewKind::matrix) && state.view == ViewKind::graph ? 2 : state.second < 0 && state.view == ViewKind::compare ? 1 : state.second < 0 && state.view == ViewKind::graph ? 0 : -1;
    const int picked = segments(ui, box.right() - 8 - pw, box.middle_y(), presets, now);
    if (picked >= 0 && picked != now) ui.app.run(presets[static_cast<std::size_t>(picked)].id);
  }
}

void draw_shell(Ui& ui) {
  ui.record = {};
  ui.animating = false;
  ui.showed_picture = false;
  ui.said_mark = ui.said_leaves_out = false;
  ui.want_cursor.clear();
  ui.takes_arrows = false;
  ui.at_last_control = false;
  ui.at_first_control = ui.stop_seen = false;
  ui.hover_next = {};
  ui.phone = ui.screen.w <= kPhone;
  ui.popup_open = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  ui.refresh();

  ImGui::SetNextWindowPos({ui.screen.x, ui.screen.y});
  ImGui::SetNextWindowSize({ui.screen.w, ui.screen.h});
  ImGui::Begin("shell", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoDocking);
  ui.dl = ImGui::GetWindowDrawList();
  ui.fonts.set_density(ui.ratio);
  fill(ui, ui.screen, ui.theme.panel);
  if (ui.phone) phone_layout(ui, ui.screen);
  else desk_layout(ui, ui.screen);
  ImGui::End();
  draw_tooltip(ui);

  // Hovering, then: what other panels ring follows in the next frame.
  if (!(ui.hover_next == ui.app.hover)) {
    ui.app.hover = ui.hover_next;
    ui.wake();
  }
  for (Wheel& w : ui.wheels) w.used = true;
  ui.wheels.clear();
  ui.arrows = 0;
  ImGuiContext& g = *ImGui::GetCurrentContext();
  if (g.NavId == 0 || !g.NavCursorVisible) ui.at_last_control = ui.at_first_control = false;
  if (!ui.tip_wanted) ui.tip_control.clear();
  ui.tip_wanted = false;
  ui.services.cursor(ui.want_cursor.empty() ? "default" : ui.want_cursor);
  if (ui.animating) ui.wake();
}

void forget_gpu(Ui& ui, bool lost) {
  forget_graph(ui, lost);
  forget_matrix(ui, lost);
  forget_heads(ui, lost);
  forget_image(ui, lost);
  forget_compare(ui, lost);
}

namespace {

void put_box(JsonWriter& j, const Box& b) {
  auto tenth = [](float v) { return std::round(double(v) * 10) / 10; };
  j.field("x", tenth(b.x)).field("y", tenth(b.y)).field("w", tenth(b.w)).field("h", tenth(b.h));
}

void put_items(JsonWriter& j, std::string_view name, const std::vector<Record::Item>& items, bool levels) {
  j.key(name).array();
  for (const Record::Item& i : items) {
    j.object();
    put_box(j, i.box);
    j.field("index", i.index);
    if (levels) j.field("level", i.level);
    j.end();
  }
  j.end();
}

}  // namespace

std::string layout_json(const Ui& ui) {
  const Record& r = ui.record;
  JsonWriter j;
  j.object();
  j.key("tokens").array();
  for (const Record::Item& i : r.tokens) {
    j.object();
    put_box(j, i.box);
    j.field("index", i.index).field("row", i.level == 1 ? "query" : "key").end();
  }
  j.end();
  if (ui.app.has_dump() && shows(ui.state(), ViewKind::graph)) {
    j.key("graph").object();
    put_box(j, r.graph);
    put_items(j, "nodes", r.nodes, true);
    put_items(j, "inputs", r.inputs, false);
    put_items(j, "outputs", r.outputs, false);
    j.end();
  }
  if (ui.app.has_dump() && (ui.state().view != ViewKind::graph || ui.state().second >= 0)) {
    j.key("matrix").object();
    put_box(j, r.matrix);
    j.field("cell", double(r.cell)).field("left", r.left).field("top", r.top);
    put_items(j, "columns", r.inputs, false);
    put_items(j, "rows", r.outputs, false);
    j.end();
  }
  j.key("strip").object();
  put_box(j, r.strip);
  j.end().key("inspector").object();
  put_box(j, r.inspector);
  j.end().key("controls").array();
  for (const Record::Control& c : r.controls) {
    j.object().field("id", c.id);
    put_box(j, c.box);
    j.end();
  }
  return j.end().end().text();
}

}  // namespace rollscope::ui
