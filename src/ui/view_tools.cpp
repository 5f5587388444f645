#include "ui/view_tools.h"

#include <cmath>

#include "ui/widgets.h"

namespace rollscope::ui {

float draw_view_tools(Ui& ui, const Box& bar, double zoom) {
  float x = bar.right() - 12;
  const float y = bar.middle_y() - 13;
  auto tool = [&](const char* id, Icon which, std::string_view name) {
    x -= 28;
    const bool hit = icon_button(ui, id, {x, y, 26, 26}, which, name);
    return hit;
  };
  const bool all = ui.state().maximised;
  if (tool("view.maximise", all ? Icon::minimise : Icon::maximise, ui.words(all ? "ui.tools.restore" : "ui.tools.maximise"))) ui.app.run("view.maximise");
  if (bar.w < 460) return x;
  x -= 4;
  if (tool("view.fit", Icon::fit, ui.words("ui.tools.fit"))) ui.app.run("view.fit");
  if (tool("view.zoom_in", Icon::plus, ui.words("ui.tools.zoom_in"))) ui.app.run("view.zoom_in");
  const std::string percent = ui.words.count(std::lround(zoom * 100)) + "\u00A0%";
  x -= 46;
  text_centre(ui, x + 23, baseline(bar.middle_y() - 8, 16, 12), percent, {12, Weight::regular, ui.theme.ink2});
  if (tool("view.zoom_out", Icon::minus, ui.words("ui.tools.zoom_out"))) ui.app.run("view.zoom_out");
  return x;
}

}  // namespace rollscope::ui
