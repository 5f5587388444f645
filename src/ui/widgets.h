// Controls as look.md draws them: buttons, segments, checks, sliders, values of the recipe, menus. Each is one ImGui
// item, so that Tab reaches it, Space presses it and the focus ring is ImGui's own idea of focus; each is recorded under
// its id for tests (page_layout). Ids are constants of the program, never words of a dump.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/draw.h"

namespace rollscope::ui {

struct Press {
  bool clicked = false, hovered = false, held = false, focused = false, twice = false;
  bool released = false;  // after being held
};
// An invisible button. `stop`: Tab stops here. On touch screens its target is at least 44 px high.
Press press(Ui& ui, const char* id, const Box& box, bool stop = true, float radius = 6);
void focus_ring(Ui& ui, const Box& box, float radius);

bool button(Ui& ui, const char* id, const Box& box, std::string_view words);
bool icon_button(Ui& ui, const char* id, const Box& box, Icon which, std::string_view name);
bool check(Ui& ui, const char* id, float x, float middle, std::string_view words, bool on, float* width);
[[nodiscard]] float check_width(Ui& ui, std::string_view words);

// One of several; returns the new choice or -1.
struct Segment {
  const char* id;
  std::string_view words;
  bool possible = true;
};
[[nodiscard]] float segments_width(Ui& ui, const std::vector<Segment>& all);
int segments(Ui& ui, float x, float middle, const std::vector<Segment>& all, int chosen);

// A slider over [low, high]; `value` moves while it is dragged. Ticks are marks on the track.
struct Slide {
  bool changed = false;  // value is new
  bool done = false;     // the drag ended, or a key was pressed: worth a history entry
};
Slide slider(Ui& ui, const char* id, const Box& track, double& value, double low, double high, double step, const std::vector<double>& ticks = {});

// "mean of 4 ▾": underlined, opens a menu. `fixed`: dotted, does nothing. Returns true when it was clicked.
[[nodiscard]] float choice_width(Ui& ui, std::string_view words, float px, bool fixed);
bool choice(Ui& ui, const char* id, float x, float base, std::string_view words, float px, bool fixed, bool open);
// The same in a box, for toolbars.
[[nodiscard]] float picker_width(Ui& ui, std::string_view words);
bool picker(Ui& ui, const char* id, float x, float middle, std::string_view words, bool open);

// A menu below `anchor`. Begin returns false while it is closed; draw rows into the returned box, then end.
void open_menu(Ui& ui, const char* id);
[[nodiscard]] bool menu_is_open(const char* id);
bool begin_menu(Ui& ui, const char* id, const Box& anchor, float width, float height, Box& content);
void end_menu(Ui& ui, float content_height);
// A row of a menu; `note` stands at its right in quiet ink.
bool menu_row(Ui& ui, const char* id, const Box& row, std::string_view words, bool chosen, std::string_view note = {});
// A whole menu of rows; returns the index chosen or -1.
struct MenuRow {
  std::string words, note;
};
int menu(Ui& ui, const char* id, const Box& anchor, const std::vector<MenuRow>& rows, int chosen);

}  // namespace rollscope::ui
