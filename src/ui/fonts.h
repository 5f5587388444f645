// The interface's typefaces. ImGui rasterises them at the real pixel size (dynamic fonts, 1.92 and later), so text is
// sharp at every device pixel ratio. Sizes are CSS font sizes: the em, not ImGui's ascent to descent.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "imgui.h"

namespace rollscope::ui {

enum class Weight : std::uint8_t { regular, medium, semibold, mono };

class Fonts {
 public:
  // slot 0 regular, 1 medium, 2 semibold, 3 mono, 4 and 5 Japanese regular and semibold, in any order and at any time
  // outside of a frame. Bytes are copied.
  void add(int slot, std::span<const std::uint8_t> bytes);
  // Device pixels per CSS pixel, once per frame: ImGui itself sets it for its current font alone, and a face drawn
  // directly would be rasterised at 1 and stretched.
  void set_density(float ratio);
  [[nodiscard]] bool ready() const { return faces_[0].font != nullptr; }
  [[nodiscard]] ImFont* face(Weight w) const;
  // ImGui's size for a CSS size of `px`.
  [[nodiscard]] float size(Weight w, float px) const;
  // Advance width in CSS pixels.
  [[nodiscard]] float width(std::string_view text, float px, Weight w) const;
  // From the top of ImGui's text box to the baseline.
  [[nodiscard]] float ascent(float px, Weight w) const;

 private:
  struct Face {
    ImFont* font = nullptr;
    float em = 1.3f;  // (ascent - descent) / em
    bool merged = false;
  };
  void merge_japanese();
  Face faces_[4];
  std::vector<std::uint8_t> japanese_[2];
};

}  // namespace rollscope::ui
