// What opens from the recipe bar.
#pragma once

#include <string_view>

#include "ui/ui.h"

namespace rollscope::ui {

[[nodiscard]] bool can_roll_out(const Ui& ui);  // the stream's maps are square: rollout can multiply them
// The menu of one slot ("method", "stream", "layers", "fusion"), drawn while it is open.
void draw_recipe_menu(Ui& ui, std::string_view slot, const Box& anchor);
// All of them in one sheet, for a phone.
void draw_recipe_sheet(Ui& ui, const Box& anchor);

}  // namespace rollscope::ui
