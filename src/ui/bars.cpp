#include "ui/bars.h"

#include <algorithm>
#include <cmath>

namespace rollscope::ui {

void draw_bar(Ui& ui, const Box& t, const Bar& b, double scale) {
  if (std::isnan(b.weight)) {
    hatch(ui, t, ui.theme.line);
    frame(ui, t, ui.theme.line, 1, 2);
    return;
  }
  if (b.two_sided) {
    fill(ui, t, ui.theme.well, 2);
    const float zero = snap(ui, t.middle_x());
    const float x = t.middle_x() + t.w / 2 * static_cast<float>(std::clamp(b.weight / scale, -1.0, 1.0));
    const Box h{std::min(zero, x), t.y, std::max(1.0f, std::abs(x - zero)), t.h};
    fill(ui, h, packed(b.colour), 1);
    frame(ui, h, faded(ui.theme.line2, 0.55f), 1, 1);
    rule_v(ui, zero, t.y - 3, t.h + 6, ui.theme.ink3);
    return;
  }
  auto at = [&](double w) { return t.x + t.w * static_cast<float>(std::clamp(w / scale, 0.0, 1.0)); };
  const float end = std::max(at(b.weight), t.x + 2);
  if (b.sink) {
    frame(ui, t, ui.theme.line2, 1, 2);
    const Box h{t.x, t.y, end - t.x, t.h};
    hatch(ui, h, ui.theme.sink, 4);
    frame(ui, h, ui.theme.sink, 1, 2);
  } else {
    fill(ui, t, ui.theme.well, 2);
    const Box h{t.x, t.y, end - t.x, t.h};
    fill(ui, h, packed(b.colour), 2);
    frame(ui, h, faded(ui.theme.line2, 0.55f), 1, 2);  // the palest colours need an edge
  }
  if (b.weight > scale * 1.0001) {  // cut open past the scale
    for (int i = 0; i < 2; ++i) ui.dl->AddLine({t.right() - 10 + static_cast<float>(i) * 4, t.bottom() + 1}, {t.right() - 6 + static_cast<float>(i) * 4, t.y - 1}, ui.theme.panel, 2);
  }
  if (b.low >= 0 && b.high > b.low) {
    const float y = snap(ui, t.bottom() + 4), x0 = at(b.low), x1 = at(b.high);
    const ImU32 c = ui.theme.ink3;
    ui.dl->AddLine({x0, y}, {x1, y}, c, 1.25f);
    ui.dl->AddLine({x0, y - 2.5f}, {x0, y + 2.5f}, c, 1.25f);
    if (b.high > scale) ui.dl->AddTriangleFilled({x1 + 1, y}, {x1 - 4, y - 3}, {x1 - 4, y + 3}, c);
    else ui.dl->AddLine({x1, y - 2.5f}, {x1, y + 2.5f}, c, 1.25f);
  }
  if (b.chance >= 0) {
    const float x = snap(ui, at(b.chance)), y = t.middle_y() - 7.5f;
    ui.dl->AddRectFilled({x - 2, y}, {x + 2, y + 15}, ui.theme.panel);
    ui.dl->AddRectFilled({x - 1, y}, {x + 1, y + 15}, ui.theme.ink);
  }
}

void draw_rho(Ui& ui, const Box& t, double rho) {
  const float y = std::round(t.middle_y());
  rule_h(ui, t.x, y - 0.5f, t.w, ui.theme.line);
  rule_v(ui, t.middle_x(), y - 4, 9, ui.theme.ink3);
  if (std::isnan(rho)) return;
  const float x = t.middle_x() + static_cast<float>(std::clamp(rho, -1.0, 1.0)) * t.w / 2;
  ui.dl->AddLine({t.middle_x(), y}, {x, y}, ui.theme.node, 1.25f);
  ui.dl->AddCircleFilled({x, y}, 3.5f, ui.theme.node);
}

}  // namespace rollscope::ui
