// One frame of the interface: where the panels lie at every size, and what stands there when there is nothing to show.
#pragma once

#include "ui/ui.h"

namespace rollscope::ui {

// Between ImGui::NewFrame() and ImGui::Render(). Reads the app, sends commands, fills ui.record.
void draw_shell(Ui& ui);
// Where the parts lie, as JSON (page_layout).
[[nodiscard]] std::string layout_json(const Ui& ui);
// Drops what lives on the GPU; lost: handles are void.
void forget_gpu(Ui& ui, bool lost);

}  // namespace rollscope::ui
