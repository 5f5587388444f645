#include "scene/colormap.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace rollscope;

namespace {
std::string hex(Rgb c) {
  char out[8];
  std::snprintf(out, sizeof out, "%02lX%02lX%02lX", std::lround(c.r * 255), std::lround(c.g * 255), std::lround(c.b * 255));
  return out;
}
}  // namespace

TEST_CASE("the weight map has the colours of the look at its ends and steps") {
  CHECK(hex(weight_colour(0, false)) == "F6F4F0");
  CHECK(hex(weight_colour(1, false)) == "431638");
  CHECK(hex(weight_colour(5 / 15.0, false)) == "F0A244");
  CHECK(hex(weight_colour(0, true)) == "1D2028");
  CHECK(hex(weight_colour(2, true)) == "FAEEB4");
  CHECK(hex(weight_colour(std::nan(""), true)) == "1D2028");
  std::vector<std::uint8_t> lut(1024);
  weight_lut(false, lut);
  CHECK(lut[0] == 0xF6);
  CHECK(lut[3] == 255);
  CHECK(lut[1020] == 0x43);
}

TEST_CASE("text on every colour of both maps has a contrast of at least 4.5") {
  const auto lum = [](Rgb c) {
    const auto f = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * f(c.r) + 0.7152 * f(c.g) + 0.0722 * f(c.b);
  };
  for (bool dark : {false, true})
    for (int i = 0; i <= 200; ++i) {
      const Rgb ground = weight_colour(i / 200.0, dark);
      const double a = lum(ground), b = lum(text_on(ground));
      CAPTURE(i);
      CHECK((std::max(a, b) + 0.05) / (std::min(a, b) + 0.05) >= 4.5);
    }
}

TEST_CASE("the scale of a row leaves sinks out and clamps what is above") {
  const std::vector<float> row = {0.6f, 0.1f, 0.3f, NAN};
  const std::vector<int> sinks = {0};
  const ColourScale s = row_scale(row, sinks);
  CHECK(s.high == doctest::Approx(0.3));
  CHECK(s.position(0.6) == 1);
  CHECK(s.position(0.15) == doctest::Approx(0.5));
  CHECK(s.position(NAN) == 0);
  CHECK(row_scale({}, {}).high == 1);
}

TEST_CASE("a log scale spreads decades evenly and has a floor") {
  const ColourScale s{.low = 0.001, .high = 1, .curve = ScaleCurve::log};
  CHECK(s.position(0.01) == doctest::Approx(1 / 3.0));
  CHECK(s.position(0) == 0);
  const ColourScale floor{.low = 0, .high = 1, .curve = ScaleCurve::log};
  CHECK(floor.position(0.0001) == 0);
  CHECK(floor.position(std::sqrt(0.001)) == doctest::Approx(0.5));
}

TEST_CASE("numbers print as the look asks") {
  CHECK(percent(0.0918) == "9.2");
  CHECK(percent(0) == "0");
  CHECK(percent(0.0004) == "<0.1");
  CHECK(percent(0.0005) == "0.1");
  CHECK(percent(1) == "100.0");
  CHECK(percent(0.497, ',') == "49,7");
  CHECK(percent(NAN) == "–");
  CHECK(grouped(1138, ",") == "1,138");
  CHECK(grouped(12, ",") == "12");
  CHECK(grouped(1234567, "\u202F") == "1\u202F234\u202F567");
}

TEST_CASE("numbers that are no shares have three digits and no percent") {
  CHECK(significant(0.012345) == "0.0123");
  CHECK(significant(-1.2) == "\u22121.20");
  CHECK(significant(134.4) == "134");
  CHECK(significant(0) == "0");
  CHECK(significant(0.000046) == "4.60e\u22125");
  CHECK(significant(12345678) == "1.23e7");
  CHECK(significant(0.5, ',') == "0,500");
  CHECK(significant(NAN) == "\u2013");
}

TEST_CASE("a scale with a sign is as wide below 0 as above, and 0 is its middle") {
  const float row[] = {0.5f, -2.0f, NAN, 0.0f};
  const ColourScale s = row_scale(row, {}, true);
  CHECK(s.low == -2);
  CHECK(s.high == 2);
  CHECK(s.position(0) == 0.5);
  CHECK(s.position(-2) == 0);
  CHECK(s.position(NAN) == 0.5);
  const Rgb none = s.colour(0.5, false), against = s.colour(0, false), for_it = s.colour(1, false);
  CHECK(none.r == doctest::Approx(none.g));
  CHECK(against.b > against.g);
  CHECK(for_it.g > for_it.r);
}
