// Short floating point formats to float, exactly. Subnormals, infinities and NaN are kept.
#pragma once

#include <bit>
#include <cstdint>

namespace rollscope {

// IEEE binary16.
[[nodiscard]] inline float half_to_float(std::uint16_t h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
  const std::uint32_t exponent = (h >> 10) & 0x1fu;
  const std::uint32_t fraction = h & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

// bfloat16: the upper half of a binary32.
[[nodiscard]] inline float bfloat16_to_float(std::uint16_t b) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16);
}

// float8 e4m3fn: no infinities, all ones is NaN, bias 7.
[[nodiscard]] inline float float8_e4m3_to_float(std::uint8_t v) {
  const float sign = (v & 0x80u) ? -1.0f : 1.0f;
  const int exponent = (v >> 3) & 0xf;
  const int fraction = v & 0x7;
  if (exponent == 0xf && fraction == 7) return std::bit_cast<float>(0x7fc00000u);
  if (exponent == 0) return sign * static_cast<float>(fraction) * 0x1p-9f;
  return sign * std::bit_cast<float>((static_cast<std::uint32_t>(exponent + 120) << 23) |
                                     (static_cast<std::uint32_t>(fraction) << 20));
}

// float8 e5m2: the upper half of a binary16.
[[nodiscard]] inline float float8_e5m2_to_float(std::uint8_t v) {
  return half_to_float(static_cast<std::uint16_t>(v << 8));
}

}  // namespace rollscope
