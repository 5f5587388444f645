// Zoom, fit and maximise at the right end of a view's toolbar.
#pragma once

#include "ui/ui.h"

namespace rollscope::ui {

// Returns the left edge of what it drew.
float draw_view_tools(Ui& ui, const Box& bar, double zoom);

}  // namespace rollscope::ui
