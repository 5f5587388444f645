#include "ui/widgets.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "imgui_internal.h"
#include "ui/tooltip.h"

namespace rollscope::ui {
namespace {


}  // namespace

void focus_ring(Ui& ui, const Box& box, float radius) { ring(ui, box, ui.theme.accent, 2, 2, radius); }

Press press(Ui& ui, const char* id, const Box& box, bool stop, float radius) {
  ui.record.controls.push_back({id, box});
  ImGuiWindow* window = ImGui::GetCurrentWindow();
  const ImGuiID item = window->GetID(id);
  ImRect bb({box.x, box.y}, {box.right(), box.bottom()});
  if (ui.touch && box.h < 44) bb.Expand(ImVec2(4, (44 - box.h) / 2));
  if (!ImGui::ItemAdd(bb, item, nullptr, stop ? ImGuiItemFlags_None : ImGuiItemFlags_NoNav)) return {};
  Press p;
  const bool was_held = ImGui::GetActiveID() == item;
  p.clicked = ImGui::ButtonBehavior(bb, item, &p.hovered, &p.held, 0);
  p.released = was_held && !p.held;
  p.twice = p.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  ImGuiContext& g = *ImGui::GetCurrentContext();
  p.focused = stop && g.NavId == item && g.NavCursorVisible;
  if (p.focused) focus_ring(ui, box, radius);
  if (stop) {
    if (!ui.stop_seen) ui.at_first_control = g.NavId == item;
    ui.stop_seen = true;
    ui.at_last_control = g.NavId == item;
  }
  if (p.hovered) ui.cursor("pointer");
  return p;
}

bool button(Ui& ui, const char* id, const Box& b, std::string_view words) {
  const Press p = press(ui, id, b);
  fill(ui, b, p.held ? ui.theme.well : p.hovered ? ui.theme.raised : ui.theme.panel, 6);
  frame(ui, b, p.hovered ? ui.theme.line2 : ui.theme.line, 1, 6);
  text_centre(ui, b.middle_x(), baseline(b.y, b.h, 13), words, {13, Weight::medium, ui.theme.ink});
  return p.clicked;
}

bool icon_button(Ui& ui, const char* id, const Box& b, Icon which, std::string_view name) {
  const Press p = press(ui, id, b);
  if (p.hovered || p.held) fill(ui, b, p.held ? ui.theme.well : ui.theme.raised, 6);
  icon(ui, which, std::floor(b.middle_x()), std::floor(b.middle_y()), ui.theme.ink);
  if (p.hovered) tooltip_later(ui, id, b, name);
  return p.clicked;
}

float check_width(Ui& ui, std::string_view words) { return 16 + 7 + text_width(ui, words, {12, Weight::regular, 0}); }

bool check(Ui& ui, const char* id, float x, float middle, std::string_view words, bool on, float* width) {
  const float w = check_width(ui, words);
  const Box mark{x, std::round(middle) - 8, 16, 16};
  const Press p = press(ui, id, {x, middle - 12, w, 24}, true, 4);
  if (on) {
    fill(ui, mark, ui.theme.accent, 4);
    icon(ui, Icon::check, mark.middle_x(), mark.middle_y(), ui.theme.onaccent);
  } else {
    fill(ui, mark, p.hovered ? ui.theme.raised : ui.theme.panel, 4);
    frame(ui, mark, ui.theme.line2, 1.25f, 4);
  }
  text(ui, x + 23, baseline(middle - 8, 16, 12), words, {12, Weight::regular, ui.theme.ink});
  if (width) *width = w;
  return p.clicked;
}

float segments_width(Ui& ui, const std::vector<Segment>& all) {
  float w = 0;
  for (const Segment& s : all) w += std::round(text_width(ui, s.words, {12, Weight::medium, 0})) + 21;
  return w;
}

int segments(Ui& ui, float x, float middle, const std::vector<Segment>& all, int chosen) {
  const float height = ui.touch ? 32 : 24;
  const Box whole{std::round(x), std::round(middle - height / 2), segments_width(ui, all), height};
  fill(ui, whole, ui.theme.panel, 6);
  int picked = -1;
  float at = whole.x;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const float w = std::round(text_width(ui, all[i].words, {12, Weight::medium, 0})) + 21;
    const Box b{at, whole.y, w, whole.h};
    const Press p = press(ui, all[i].id, b);
    const bool on = static_cast<int>(i) == chosen;
    if (on || p.hovered || p.held) {
      const ImDrawFlags round = i == 0 ? ImDrawFlags_RoundLeft : i + 1 == all.size() ? ImDrawFlags_RoundRight : ImDrawFlags_RoundNone;
      ui.dl->AddRectFilled({b.x, b.y}, {b.right(), b.bottom()}, on ? ui.theme.accentbg : p.held ? ui.theme.well : ui.theme.raised, 6, round);
    }
    if (i > 0) rule_v(ui, at, whole.y, whole.h, ui.theme.line);
    text_centre(ui, b.middle_x(), baseline(b.y, b.h, 12), all[i].words, {12, Weight::medium, on ? ui.theme.accent : ui.theme.ink});
    if (p.clicked && all[i].possible) picked = static_cast<int>(i);
    at += w;
  }
  frame(ui, whole, ui.theme.line, 1, 6);
  return picked;
}

Slide slider(Ui& ui, const char* id, const Box& t, double& value, double low, double high, double step, const std::vector<double>& ticks) {
  Slide out;
  const Box target{t.x - 8, t.middle_y() - 11, t.w + 16, 22};
  const Press p = press(ui, id, target, true, 8);
  auto place = [&](double v) { return t.x + t.w * static_cast<float>((v - low) / (high - low)); };
  if (p.held && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const double at = std::clamp(static_cast<double>((ImGui::GetIO().MousePos.x - t.x) / t.w), 0.0, 1.0);
    double v = low + at * (high - low);
    // Hundredths, and the marks draw a near hand to themselves.
    v = std::round(v * 100) / 100;
    for (double tick : ticks)
      if (std::fabs(place(tick) - ImGui::GetIO().MousePos.x) < 4) v = tick;
    if (v != value) value = v, out.changed = true;
    ui.drag_id = id;
  }
  if (p.released && ui.drag_id == id) {
    out.done = true;
    ui.drag_id.clear();
  }
  if (p.focused) {
    ui.takes_arrows = true;
    if (ui.arrows != 0) {
      const double v = std::clamp(std::round((value + ui.arrows * step) / step) * step, low, high);
      if (v != value) value = v, out.changed = out.done = true;
      ui.arrows = 0;
    }
  }
  const float x = place(std::clamp(value, low, high)), y = std::round(t.middle_y());
  ui.dl->AddRectFilled({t.x, y - 1.5f}, {t.right(), y + 1.5f}, ui.theme.line, 1.5f);
  ui.dl->AddRectFilled({t.x, y - 1.5f}, {x, y + 1.5f}, ui.theme.accent, 1.5f);
  for (double tick : ticks) rule_v(ui, place(tick), y + 5, 4, ui.theme.line2);
  ui.dl->AddCircleFilled({x, y}, 7, p.held ? ui.theme.accentbg : ui.theme.panel);
  ui.dl->AddCircle({x, y}, 7, ui.theme.accent, 0, p.hovered || p.held ? 2.5f : 2);
  return out;
}

float choice_width(Ui& ui, std::string_view words, float px, bool fixed) {
  return text_width(ui, words, {px, Weight::semibold, 0}) + (fixed ? 0 : 13);
}

bool choice(Ui& ui, const char* id, float x, float base, std::string_view words, float px, bool fixed, bool open) {
  const float w = choice_width(ui, words, px, fixed);
  const float foot = snap(ui, base + px * 0.5f);
  if (fixed) {
    text(ui, x, base, words, {px, Weight::semibold, ui.theme.ink});
    dashed_h(ui, x, x + w, foot, ui.theme.line2, 1.5f, 2);
    return false;
  }
  const Box b{x - 2, base - px * 1.15f, w + 4, px * 1.75f};
  const Press p = press(ui, id, b, true, 4);
  if (open || p.held) fill(ui, b, ui.theme.accentbg, 3);
  const ImU32 c = open || p.hovered ? ui.theme.accent : ui.theme.ink;
  text(ui, x, base, words, {px, Weight::semibold, c});
  arrow_down(ui, x + w - 4, base - px * 0.3f, open || p.hovered ? ui.theme.accent : ui.theme.ink2, 3.2f);
  ui.dl->AddRectFilled({x, foot}, {x + w, foot + 1.5f}, open || p.hovered ? ui.theme.accent : ui.theme.line2);
  return p.clicked;
}

float picker_width(Ui& ui, std::string_view words) { return std::round(text_width(ui, words, {12, Weight::medium, 0})) + 32; }

bool picker(Ui& ui, const char* id, float x, float middle, std::string_view words, bool open) {
  const float h = ui.touch ? 32 : 24;
  const Box b{std::round(x), std::round(middle - h / 2), picker_width(ui, words), h};
  const Press p = press(ui, id, b);
  fill(ui, b, open ? ui.theme.accentbg : p.held ? ui.theme.well : p.hovered ? ui.theme.raised : ui.theme.panel, 6);
  frame(ui, b, p.hovered || open ? ui.theme.line2 : ui.theme.line, 1, 6);
  const ImU32 c = open ? ui.theme.accent : ui.theme.ink;
  text(ui, b.x + 10, baseline(b.y, b.h, 12), words, {12, Weight::medium, c});
  arrow_down(ui, b.right() - 12, b.middle_y(), open ? ui.theme.accent : ui.theme.ink2, 3.2f);
  return p.clicked;
}

void open_menu(Ui& ui, const char* id) {
  ImGui::OpenPopup(id);
  ui.wake();
}

bool menu_is_open(const char* id) { return ImGui::IsPopupOpen(id); }

bool begin_menu(Ui& ui, const char* id, const Box& anchor, float width, float height, Box& content) {
  if (!ImGui::IsPopupOpen(id)) return false;
  const float w = std::min(width, ui.screen.w - 16);
  const float below = ui.screen.bottom() - anchor.bottom() - 12, above = anchor.y - ui.screen.y - 12;
  const bool down = height <= below || below >= above;
  const float h = std::min(height, std::max(down ? below : above, 80.0f));
  const float x = std::clamp(anchor.x - 8, ui.screen.x + 8, std::max(ui.screen.x + 8, ui.screen.right() - 8 - w));
  ImGui::SetNextWindowPos({std::round(x), std::round(down ? anchor.bottom() + 4 : anchor.y - 4 - h)});
  ImGui::SetNextWindowSize({w, h});
  if (!ImGui::BeginPopup(id, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | (h < height ? 0 : ImGuiWindowFlags_NoScrollbar))) return false;
  ui.dl = ImGui::GetWindowDrawList();
  // A finger that moves scrolls and chooses nothing; knobs and sliders keep what they are given.
  if (h < height && ui.touch && ui.drag_id.empty() && ui.range_first < 0 && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 8) &&
      ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) {
    ImGui::SetScrollY(ImGui::GetScrollY() - ImGui::GetIO().MouseDelta.y);
    ImGui::ClearActiveID();
    ui.wake();
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  content = Box{at.x, at.y, w, height}.inset(8);
  return true;
}

void end_menu(Ui& ui, float content_height) {
  const ImVec2 at = ImGui::GetCursorStartPos();
  ImGui::SetCursorPos({at.x, at.y + content_height + 15});
  ImGui::Dummy({1, 1});
  ImGui::EndPopup();
  ui.dl = ImGui::GetWindowDrawList();
}

bool menu_row(Ui& ui, const char* id, const Box& row, std::string_view words, bool chosen, std::string_view note) {
  const Press p = press(ui, id, row, true, 4);
  if (chosen) ImGui::SetItemDefaultFocus();
  if (p.hovered || p.held || p.focused) fill(ui, row, p.held ? ui.theme.well : ui.theme.raised, 4);
  const ImU32 c = chosen ? ui.theme.accent : ui.theme.ink;
  if (chosen) icon(ui, Icon::check, row.x + 12, row.middle_y(), c);
  text(ui, row.x + 26, baseline(row.y, row.h, 13), words, {13, chosen ? Weight::semibold : Weight::regular, c});
  if (!note.empty()) text_right(ui, row.right() - 10, baseline(row.y, row.h, 12), note, {12, Weight::regular, ui.theme.ink3});
  return p.clicked;
}

int menu(Ui& ui, const char* id, const Box& anchor, const std::vector<MenuRow>& rows, int chosen) {
  if (!menu_is_open(id)) return -1;
  float w = 120;
  for (const MenuRow& r : rows) {
    const float note = r.note.empty() ? 0 : text_width(ui, r.note, {12, Weight::regular, 0}) + 20;
    w = std::max(w, text_width(ui, r.words, {13, Weight::semibold, 0}) + note + 26 + 12);
  }
  const float row_height = ui.touch ? 44 : 28;
  const float height = row_height * static_cast<float>(rows.size());
  Box c;
  if (!begin_menu(ui, id, anchor, w + 16, height + 16, c)) return -1;
  int picked = -1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    char name[80];
    std::snprintf(name, sizeof name, "%s/%d", id, static_cast<int>(i));
    if (menu_row(ui, name, {c.x, c.y + static_cast<float>(i) * row_height, c.w, row_height}, rows[i].words, static_cast<int>(i) == chosen, rows[i].note))
      picked = static_cast<int>(i);
  }
  if (picked >= 0) ImGui::CloseCurrentPopup();
  end_menu(ui, height);
  return picked;
}

}  // namespace rollscope::ui
