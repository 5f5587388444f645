// Width and look of a token's text. The page rasterises whole labels with the browser's own fonts, so every
// script and emoji is right; native builds use ImGui's font. Layout code sees only this.
#pragma once

#include <string_view>

namespace rollscope {

class TextMeasure {
 public:
  virtual ~TextMeasure() = default;
  // Advance width of the whole label, in CSS pixels, at `px` CSS pixels font size.
  [[nodiscard]] virtual float width(std::string_view utf8, float px, bool bold) = 0;
};

}  // namespace rollscope
