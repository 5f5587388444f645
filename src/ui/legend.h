// The scale of the strip: what the colours mean, from where to where.
#pragma once

#include "ui/ui.h"

namespace rollscope::ui {

void draw_legend(Ui& ui, const Box& box);        // two lines and a bar; the sink's hatch below
void draw_legend_line(Ui& ui, const Box& box);   // one line, for a phone
[[nodiscard]] std::string scale_words(const Ui& ui);  // "0–49.7 %"
[[nodiscard]] std::string curve_words(const Ui& ui);  // "linear"

}  // namespace rollscope::ui
