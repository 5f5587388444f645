// What the comparison of two recipes keeps between frames: the three pictures A, B and B - A on the GPU.
#pragma once

#include <array>
#include <vector>

#include "ui/ui.h"

namespace rollscope::ui {

struct ComparePanel {
  std::uint64_t version = 0;  // app.beside_version() of what stands below
  bool dark = false;
  std::array<gpu::Texture, 3> picture{};
  bool divided = false;       // units differ: each row was divided by its sum
  std::vector<float> a, b;    // [K] the chosen row as it is shown
  double high = 1, limit = 1;  // ends of the common scale, and of the difference
  float row_scroll = 0;
};

void forget_compare(Ui& ui, bool lost);
// Whether the comparison of what is shown is here: else the picture would be of other recipes than the words.
[[nodiscard]] bool comparison_here(const Ui& ui);
// How far A and B agree, in the place of the inspector.
[[nodiscard]] bool shows_compare_inspector(const Ui& ui);
void draw_compare_inspector(Ui& ui, const Box& box);

}  // namespace rollscope::ui
