// Weight to colour. Warm = weight. One value has one colour everywhere on screen: the scale below is made once per
// frame from what is shown, and strip, graph, matrix and bars all ask it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scene/state.h"

namespace rollscope {

struct Rgb {
  float r = 0, g = 0, b = 0;  // sRGB, 0..1
};

// The weight map of the theme at t in [0, 1]; interpolated in sRGB between 16 equal steps (web/tokens.json).
[[nodiscard]] Rgb weight_colour(double t, bool dark);
// Text on that colour: ink #141A22, else white, else black, the first with a contrast of 4.5.
[[nodiscard]] Rgb text_on(Rgb ground);
// 256 texels RGBA8 of the weight map for the shader.
void weight_lut(bool dark, std::span<std::uint8_t> rgba);

// The scale in force: from weights to [0, 1].
struct ColourScale {
  double low = 0, high = 1;  // weights at the ends
  ScaleCurve curve = ScaleCurve::linear;
  [[nodiscard]] double position(double weight) const;  // clamped; log uses a floor of high / 1000 when low is 0
};
// Scale of a row: 0 to the largest weight outside `sinks`.
[[nodiscard]] ColourScale row_scale(std::span<const float> row, std::span<const int> sinks);

// Numbers as the look prints them: "9.2" (percent, one decimal), "<0.1", "0", "100.0". Locale decides the separator.
[[nodiscard]] std::string percent(double weight, char decimal = '.');
// Thousands "1,138".
[[nodiscard]] std::string grouped(long long n, std::string_view separator);

}  // namespace rollscope
