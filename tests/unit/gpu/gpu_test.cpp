#include "gpu/gpu.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "gpu/half.h"
#include "gpu/tiles.h"

using namespace rollscope::gpu;

namespace {

float from_half(std::uint16_t h) {
  const int exponent = h >> 10 & 31, mantissa = h & 1023;
  const float sign = h & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31) return mantissa ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
}

}  // namespace

TEST_CASE("every half float survives the way through a float") {
  for (int h = 0; h < 0x7C00; ++h) REQUIRE(half_weight(from_half(static_cast<std::uint16_t>(h))) == h);
  CHECK(half_weight(NAN) == 0xBC00);
  CHECK(from_half(half_weight(NAN)) == -1);
  CHECK(half_weight(INFINITY) == 0x7C00);
  CHECK(half_weight(1e9f) == 0x7C00);
  CHECK(half_weight(1e-12f) == 0);
}

TEST_CASE("weights are rounded to the nearest half, ties to even") {
  for (int h = 0; h < 0x7BFF; h += 7) {
    const float a = from_half(static_cast<std::uint16_t>(h)), b = from_half(static_cast<std::uint16_t>(h + 1));
    const float middle = a + (b - a) / 2;
    REQUIRE(half_weight(middle) == (h & 1 ? h + 1 : h));
    REQUIRE(half_weight(std::nextafter(middle, 0.0f)) == h);
    REQUIRE(half_weight(std::nextafter(middle, 1e9f)) == h + 1);
  }
}

TEST_CASE("tiles cover every cell once and none is larger than 2048") {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {2048, 2049}, {5000, 4097}}) {
    long long cells = 0;
    for (const Tile& t : tiles_of(0, rows, columns)) {
      CHECK(t.w <= 2048);
      CHECK(t.h <= 2048);
      CHECK(t.x + t.w <= columns);
      CHECK(t.y + t.h <= rows);
      cells += static_cast<long long>(t.w) * t.h;
    }
    CHECK(cells == static_cast<long long>(rows) * columns);
  }
}

TEST_CASE("zoomed out, a texel is never narrower than a pixel, and never wider than needed") {
  CHECK(level_for(30, 10) == 0);
  CHECK(level_for(1, 10) == 0);
  CHECK(level_for(0.99, 10) == 1);
  CHECK(level_for(0.3, 10) == 2);
  CHECK(level_for(1e-9, 5) == 4);
  for (double cell = 0.01; cell < 3; cell *= 1.1) {
    const int level = level_for(cell, 12);
    CHECK(std::ldexp(cell, level) >= 1);
    if (level > 0) CHECK(std::ldexp(cell, level) < 2);
  }
}

TEST_CASE("the stand-in counts what is alive and forgets it with the context") {
  const auto gpu = make_null_gpu();
  REQUIRE(gpu->start());
  CHECK(gpu->bytes() == 0);
  const Texture t = gpu->create_texture(256, 1, false, false);
  gpu->update_texture(t, 0, 0, 256, 1, std::vector<std::uint8_t>(1024));
  CHECK(gpu->bytes() == 1024);
  const std::vector<float> cells = {1, 2, 3, 4, 5, 6}, up = {5, 6}, top = {6};
  const Gpu::Level levels[] = {{2, 3, cells}, {1, 2, up}, {1, 1, top}};
  const Heatmap h = gpu->create_heatmap(levels, {});
  CHECK(gpu->bytes() == 1024 + 18);
  const RibbonInstance r{0, 0, 1, 1, 2, 2, 0x80402010, 0, 0, 0, 0, 0};
  const RibbonBatch b = gpu->create_ribbons({&r, 1});
  gpu->begin_frame({800, 600, 1});
  gpu->draw_heatmap({.heatmap = h, .area = {0, 0, 10, 10}, .colormap = t, .hatched = {}});
  gpu->draw_ribbons(b, {0, 0, 10, 10});
  gpu->destroy_heatmap(h);
  gpu->destroy_ribbons(b);
  CHECK(gpu->bytes() == 1024);
  gpu->lost();
  CHECK(gpu->bytes() == 0);
}
