// Colours, sizes and ImGui's own style, from web/tokens.json and look.md. Light and dark differ in colours alone.
#pragma once

#include <cstdint>

#include "imgui.h"
#include "scene/colormap.h"
#include "theme_tokens.h"

namespace rollscope::ui {

// 0xRRGGBB as ImGui packs it.
[[nodiscard]] constexpr ImU32 packed(std::uint32_t rgb, float alpha = 1) {
  const auto a = static_cast<std::uint32_t>(alpha * 255 + 0.5f);
  return ((rgb >> 16) & 0xFF) | (rgb & 0xFF00) | ((rgb & 0xFF) << 16) | (a << 24);
}
[[nodiscard]] ImU32 packed(Rgb colour, float alpha = 1);
[[nodiscard]] ImU32 faded(ImU32 colour, float factor);  // alpha x factor
[[nodiscard]] std::uint32_t premultiplied(ImU32 colour);  // for gpu::RibbonInstance

struct Theme {
  bool dark = false;
  // Every colour of look.md under its own name.
  ImU32 ground, panel, raised, well, line, line2, ink, ink2, ink3, accent, accentbg, onaccent, node, sink, warn, warnbg,
      err, errbg, ok, kept;
  theme::Palette raw;  // the same as 0xRRGGBB
};
// contrast: text at seven to one, lines at three to one; the colormaps are the same.
[[nodiscard]] Theme make_theme(bool dark, bool contrast = false);
// Style of ImGui's own popups, scrollbars and focus marks.
void apply_style(const Theme& theme, bool touch);

}  // namespace rollscope::ui
