// What the wall of heads keeps between frames: its pictures on the GPU, and where they lie.
#pragma once

#include <vector>

#include "ui/ui.h"

namespace rollscope::ui {

struct HeadsPanel {
  std::uint64_t version = 0;  // app.wall_version() of what is on the GPU
  bool dark = false;
  gpu::Texture atlas = 0;     // every head's picture, row by row
  int across = 1;             // pictures in a row of the atlas
  int cell = 1;               // texels of a weight
  int side_w = 0, side_h = 0; // of one picture, texels
  int width = 0, height = 0;  // of the atlas
  std::vector<int> order;     // heads as they are shown, layer * heads + head
  float scroll = 0;
};

void forget_heads(Ui& ui, bool lost);
// The chosen head: its matrix, scores and what can be done with it, in the place of the inspector.
void draw_head_inspector(Ui& ui, const Box& box);
[[nodiscard]] bool shows_head_inspector(const Ui& ui);
// "previous", "to [CLS]", "mixed": what a head does.
[[nodiscard]] std::string role_words(const Ui& ui, const HeadNote& note);

[[nodiscard]] ImU32 role_colour(const Ui& ui, int role);

}  // namespace rollscope::ui
