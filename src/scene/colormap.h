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
// The map of numbers with a sign at t in [0, 1]: nothing at .5, violet below, green above (look.md, Difference).
[[nodiscard]] Rgb signed_colour(double t, bool dark);
// 256 texels RGBA8 of the weight map, or of the two-sided one, for the shader.
void weight_lut(bool dark, std::span<std::uint8_t> rgba, bool two_sided = false);

// The scale in force: from weights to [0, 1].
struct ColourScale {
  double low = 0, high = 1;  // weights at the ends
  ScaleCurve curve = ScaleCurve::linear;
  bool two_sided = false;  // from -high to high, on the two-sided map; never logarithmic
  [[nodiscard]] Rgb colour(double position, bool dark) const { return two_sided ? signed_colour(position, dark) : weight_colour(position, dark); }
  [[nodiscard]] double position(double weight) const;  // clamped; log uses a floor of high / 1000 when low is 0
};
// Scale of a row: 0 to the largest weight outside `sinks`; of numbers with a sign both ways from 0.
[[nodiscard]] ColourScale row_scale(std::span<const float> row, std::span<const int> sinks, bool is_signed = false);

// Numbers as the look prints them: "9.2" (percent, one decimal), "<0.1", "0", "100.0". Locale decides the separator.
[[nodiscard]] std::string percent(double weight, char decimal = '.');
// Numbers that are no shares, `digits` of them: "0.0123", "−1.20", "134", "4.60e−5", "0"; an en dash for no value.
[[nodiscard]] std::string significant(double value, char decimal = '.', int digits = 3);
// Thousands "1,138".
[[nodiscard]] std::string grouped(long long n, std::string_view separator);

}  // namespace rollscope
