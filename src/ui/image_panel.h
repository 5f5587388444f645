// What the image view keeps between frames.
#pragma once

#include "ui/ui.h"

namespace rollscope::ui {

struct ImagePanel {
  gpu::Texture picture = 0;  // the user's picture, grey
  std::uint64_t picture_version = 0;
  bool has_picture = false;
  gpu::Texture map = 0;      // [grid] colours of the row, filtered when smooth
  bool map_smooth = false;
  std::uint64_t map_version = 0;
  bool map_dark = false;
  int columns = 0, rows = 0;
};

void forget_image(Ui& ui, bool lost);

}  // namespace rollscope::ui
