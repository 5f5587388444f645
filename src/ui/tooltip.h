// The one tooltip of a frame: inverted, flat, drawn above everything. Panels ask for it while they draw; what was
// asked for last wins.
#pragma once

#include <vector>

#include "ui/draw.h"

namespace rollscope::ui {

struct Ui::Tip {
  bool asked = false;
  Box anchor;              // it stands beside this, and never covers it
  std::vector<Rich> lines;
};

// Inks of a tooltip: strong, plain and quiet on the inverted ground.
[[nodiscard]] Ink tip_ink(const Ui& ui, bool strong = false);
[[nodiscard]] Ink tip_quiet(const Ui& ui);

void tooltip(Ui& ui, const Box& anchor, std::vector<Rich> lines);
// After half a second over a control, its name.
void tooltip_later(Ui& ui, const char* control, const Box& anchor, std::string_view text);
// What the pointer reads off a token or a cell: "it on cat: 2.53 %", "row 9, column 3 · 0.02530 · rank 10 of 13".
// `percent`: the weight is a part of 100 %. query -1: the mean of several rows that is shown.
void tooltip_weight(Ui& ui, const Box& anchor, int query, int key, double weight, int rank, int visible, bool percent);
void draw_tooltip(Ui& ui);

}  // namespace rollscope::ui
