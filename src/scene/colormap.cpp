#include "scene/colormap.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>

#include "theme_tokens.h"

namespace rollscope {
namespace {

Rgb from_hex(std::uint32_t c) {
  return {static_cast<float>(c >> 16 & 255) / 255, static_cast<float>(c >> 8 & 255) / 255, static_cast<float>(c & 255) / 255};
}

// Relative luminance and contrast as WCAG 2 defines them.
double linear(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }
double luminance(Rgb c) { return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b); }
double contrast(double a, double b) { return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05); }

// Between equal steps, in sRGB.
Rgb along(std::span<const std::uint32_t> steps, double t) {
  if (!(t > 0)) t = 0;  // NaN too
  const double at = std::min(t, 1.0) * static_cast<double>(steps.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), steps.size() - 2);
  const auto f = static_cast<float>(at - static_cast<double>(i));
  const Rgb a = from_hex(steps[i]), b = from_hex(steps[i + 1]);
  return {a.r + (b.r - a.r) * f, a.g + (b.g - a.g) * f, a.b + (b.b - a.b) * f};
}

bool is_sink(std::span<const int> sinks, int key) { return std::find(sinks.begin(), sinks.end(), key) != sinks.end(); }

}  // namespace

Rgb weight_colour(double t, bool dark) {
  return along(dark ? std::span<const std::uint32_t>(theme::kWeightDark) : theme::kWeightLight, t);
}
Rgb signed_colour(double t, bool dark) {
  return along(dark ? std::span<const std::uint32_t>(theme::kDifferenceDark) : theme::kDifferenceLight, std::isnan(t) ? 0.5 : t);
}

Rgb text_on(Rgb ground) {
  const double under = luminance(ground);
  const Rgb ink = from_hex(theme::kLight.ink);
  if (contrast(luminance(ink), under) >= 4.5) return ink;
  if (contrast(1, under) >= 4.5) return {1, 1, 1};
  return {0, 0, 0};
}

void weight_lut(bool dark, std::span<std::uint8_t> rgba, bool two_sided) {
  assert(rgba.size() == 256 * 4);
  for (std::size_t i = 0; i < 256; ++i) {
    const double t = static_cast<double>(i) / 255;
    const Rgb c = two_sided ? signed_colour(t, dark) : weight_colour(t, dark);
    const float parts[] = {c.r, c.g, c.b, 1};
    for (std::size_t k = 0; k < 4; ++k) rgba[4 * i + k] = static_cast<std::uint8_t>(std::lround(parts[k] * 255));
  }
}

double ColourScale::position(double weight) const {
  if (!(high > 0) || std::isnan(weight)) return two_sided ? 0.5 : 0;
  double t = 0;
  if (curve == ScaleCurve::log) {
    const double floor = low > 0 ? low : high / 1000;
    if (weight <= floor || high <= floor) return weight >= high ? 1 : 0;
    t = std::log(weight / floor) / std::log(high / floor);
  } else {
    if (high <= low) return weight >= high ? 1 : 0;
    t = (weight - low) / (high - low);
  }
  return std::clamp(t, 0.0, 1.0);
}

ColourScale row_scale(std::span<const float> row, std::span<const int> sinks, bool is_signed) {
  double high = 0;
  for (std::size_t j = 0; j < row.size(); ++j)
    if (std::isfinite(row[j]) && !is_sink(sinks, static_cast<int>(j))) high = std::max(high, std::abs(static_cast<double>(row[j])));
  if (!(high > 0)) high = 1;
  return {.low = is_signed ? -high : 0, .high = high, .two_sided = is_signed};
}

std::string percent(double weight, char decimal) {
  if (!std::isfinite(weight)) return "\xE2\x80\x93";  // en dash: no value
  const bool negative = weight < 0;
  const double size = std::abs(weight);
  if (size == 0) return "0";
  if (size < 0.0005) return std::string("<0") + decimal + "1";
  const auto tenths = static_cast<long long>(std::llround(std::min(size, 1e9) * 1000));
  std::string out = negative ? "\xE2\x88\x92" : "";
  out += std::to_string(tenths / 10);
  out += decimal;
  out += static_cast<char>('0' + tenths % 10);
  return out;
}

std::string significant(double value, char decimal, int digits) {
  if (!std::isfinite(value)) return "\xE2\x80\x93";
  if (value == 0) return "0";
  const double size = std::abs(value);
  const int power = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  char text[40];
  if (power < -3 || power > 5) std::snprintf(text, sizeof text, "%.*e", digits - 1, size);
  else std::snprintf(text, sizeof text, "%.*f", std::max(0, digits - 1 - power), size);
  std::string out = value < 0 ? "\xE2\x88\x92" : "";
  for (const char* c = text; *c; ++c) {
    if (*c == '.') out += decimal;
    else if (*c == '-') out += "\xE2\x88\x92";
    else if (*c == '+' || (*c == '0' && (c[-1] == '+' || c[-1] == '-'))) continue;  // e-05 is e-5
    else out += *c;
  }
  return out;
}

std::string grouped(long long n, std::string_view separator) {
  const bool negative = n < 0;
  const std::string digits = std::to_string(negative ? -n : n);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += separator;
    out += digits[i];
  }
  return negative ? "\xE2\x88\x92" + out : out;
}

}  // namespace rollscope
