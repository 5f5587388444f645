// What opens from the recipe bar.
#pragma once

#include <string>
#include <string_view>

#include "ui/ui.h"

namespace rollscope::ui {

// The menu of one slot ("method", "stream", "layers", "fusion", "class", "norms", "sink", "merge", "more"), drawn while it
// is open.
void draw_recipe_menu(Ui& ui, std::string_view slot, const Box& anchor);
// All of them in one sheet, for a phone.
void draw_recipe_sheet(Ui& ui, const Box& anchor);

// Its parts.
void draw_method_menu(Ui& ui, const Box& anchor);
void draw_class_menu(Ui& ui, const Box& anchor);
void draw_norms_menu(Ui& ui, const Box& anchor);
void draw_sink_menu(Ui& ui, const Box& anchor);
void draw_residual_menu(Ui& ui, const Box& anchor);  // "recipe.residual.menu": stated, or where it is measured
void draw_more_menu(Ui& ui, const char* id, const Box& anchor);  // sink and merging, each with its words
// The rows of the last, into `c` from `y` on; returns their height.
float more_choices(Ui& ui, const Box& c, float y, bool draw);
[[nodiscard]] bool residual_has_menu(const Ui& ui);
[[nodiscard]] std::string class_words(const Ui& ui, const std::string& name);

}  // namespace rollscope::ui
