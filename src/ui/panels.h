// The panels, top to bottom. Each draws itself into its box from App and sends commands; none holds state of its own.
#pragma once

#include "ui/ui.h"

namespace rollscope::ui {

// The recipe as a sentence, the caption of every picture; at its right the mark, what it leaves out and the limits.
[[nodiscard]] float recipe_height(Ui& ui, float width);
void draw_recipe_bar(Ui& ui, const Box& box);

// The tokens as running text, coloured by the chosen output's row.
[[nodiscard]] float strip_height(Ui& ui, float width, float room);
void draw_text_strip(Ui& ui, const Box& box);

void draw_tabs(Ui& ui, const Box& box);
void draw_graph_view(Ui& ui, const Box& box);
void draw_matrix_view(Ui& ui, const Box& box);
void draw_heads_view(Ui& ui, const Box& box);
void draw_image_view(Ui& ui, const Box& box);
void draw_depth_view(Ui& ui, const Box& box);
void draw_lines_view(Ui& ui, const Box& box);
void draw_compare_view(Ui& ui, const Box& box);

void draw_inspector(Ui& ui, const Box& box);
void draw_drawer(Ui& ui, const Box& box, float handle);  // the inspector of a phone
void draw_status_line(Ui& ui, const Box& box);

}  // namespace rollscope::ui
