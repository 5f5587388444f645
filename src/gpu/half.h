// Weights as half floats for R16F textures.
#pragma once

#include <cstdint>
#include <cstring>

namespace rollscope::gpu {

// To the nearest half, ties to even; above 65504 infinity. NaN becomes -1, the mark of "no value" in heatmap.frag.
[[nodiscard]] inline std::uint16_t half_weight(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7FFFFFFF;
  if (size > 0x7F800000) return 0xBC00;
  if (size >= 0x47800000) return static_cast<std::uint16_t>(sign | 0x7C00);
  if (size < 0x38800000) {  // under 2^-14: subnormal, in units of 2^-24
    if (size < 0x33000000) return static_cast<std::uint16_t>(sign);
    const std::uint32_t mantissa = (size & 0x7FFFFF) | 0x800000;
    const std::uint32_t shift = 126 - (size >> 23);
    const std::uint32_t low = mantissa & ((1u << shift) - 1), middle = 1u << (shift - 1);
    std::uint32_t half = mantissa >> shift;
    half += low > middle || (low == middle && (half & 1));
    return static_cast<std::uint16_t>(sign | half);
  }
  const std::uint32_t low = size & 0x1FFF;
  std::uint32_t half = (size - 0x38000000) >> 13;
  half += low > 0x1000 || (low == 0x1000 && (half & 1));
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace rollscope::gpu
