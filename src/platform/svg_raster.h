// An SVG file as pixels, for the command line: librsvg where the build found it (svg_raster_rsvg_native.cpp), else nothing
// (svg_raster_none_native.cpp). The page needs neither: a canvas draws an SVG as an image.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rollscope {

// A PNG file of width x height pixels, the drawing stretched over it; what it leaves free is transparent.
// Precondition: 0 < width, height <= 16384. Errors: no_png, read_failed (librsvg refuses the text), out_of_memory.
[[nodiscard]] Result<std::vector<std::uint8_t>> png_of_svg(std::string_view svg, int width, int height);

}  // namespace rollscope
