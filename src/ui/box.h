// A rectangle in CSS pixels, y down.
#pragma once

#include <algorithm>

namespace rollscope::ui {

struct Box {
  float x = 0, y = 0, w = 0, h = 0;

  [[nodiscard]] float right() const { return x + w; }
  [[nodiscard]] float bottom() const { return y + h; }
  [[nodiscard]] float middle_x() const { return x + w / 2; }
  [[nodiscard]] float middle_y() const { return y + h / 2; }
  [[nodiscard]] bool empty() const { return w <= 0 || h <= 0; }
  [[nodiscard]] bool contains(float px, float py) const { return px >= x && px < x + w && py >= y && py < y + h; }
  [[nodiscard]] Box inset(float dx, float dy) const { return {x + dx, y + dy, std::max(0.0f, w - 2 * dx), std::max(0.0f, h - 2 * dy)}; }
  [[nodiscard]] Box inset(float d) const { return inset(d, d); }
  // Cuts a strip off one side and returns it.
  Box cut_top(float n) { n = std::min(n, h); Box b{x, y, w, n}; y += n; h -= n; return b; }
  Box cut_bottom(float n) { n = std::min(n, h); h -= n; return {x, y + h, w, n}; }
  Box cut_left(float n) { n = std::min(n, w); Box b{x, y, n, h}; x += n; w -= n; return b; }
  Box cut_right(float n) { n = std::min(n, w); w -= n; return {x + w, y, n, h}; }
};

}  // namespace rollscope::ui
