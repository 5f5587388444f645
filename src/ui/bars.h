// Bars of the inspector (look.md, "Bars, doubt, live"): well, heat, number; a tick for chance, a whisker for the range
// over the residual weight.
#pragma once

#include "ui/draw.h"

namespace rollscope::ui {

struct Bar {
  double weight = 0, chance = -1;  // chance < 0: no tick
  double low = -1, high = -1;      // whisker; < 0: none
  bool sink = false;
  bool two_sided = false;       // zero in the middle, and the scale at both ends
  Rgb colour{};
};
// `scale`: the weight at the bar's end. Returns nothing; the number stands elsewhere.
void draw_bar(Ui& ui, const Box& track, const Bar& bar, double scale);
// A value in [-1, 1] as a dot on a line with its zero marked.
void draw_rho(Ui& ui, const Box& track, double rho);

}  // namespace rollscope::ui
