// One token as strip, graph and inspector show it: heat, ring, hatch, strike-through.
#pragma once

#include "ui/draw.h"

namespace rollscope::ui {

struct TokenLook {
  float px = 18;
  bool bold = false;
  bool chosen = false, hovered = false, pinned = false;
  bool joins_left = false, joins_right = false;  // a piece of a word: square at that side
  float faded = 1;     // 0.25 while other paths are lit
  float radius = 5;
};
// A key in its heat colour. The label is centred.
void draw_key(Ui& ui, const Box& box, int key, std::string_view label, const TokenLook& look);
// A query without heat: a hairline box.
void draw_query(Ui& ui, const Box& box, std::string_view label, const TokenLook& look);
// Tooltip of a key of the chosen row.
void key_tooltip(Ui& ui, const Box& box, int key);
[[nodiscard]] bool has_no_value(const Ui& ui, int key);  // stored scores may leave tokens out
[[nodiscard]] int rank_of(const ViewData& v, int key);  // 1 for the largest

}  // namespace rollscope::ui
