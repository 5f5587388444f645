// Pixels as a PNG file, for heat maps inside an SVG. Written, never read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rollscope::figure {

// rgba [height][width][4], not premultiplied. Colours that are all opaque are stored without their alpha; 256 and fewer
// different ones as a palette. Each line is deflated as it is ("no filter"): heat maps repeat, they do not slope.
// Precondition: 0 < width, height <= 16384. Cost: one pass and deflate; scratch of the size of the pixels.
[[nodiscard]] std::vector<std::uint8_t> png_file(std::span<const std::uint8_t> rgba, int width, int height);

[[nodiscard]] std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace rollscope::figure
