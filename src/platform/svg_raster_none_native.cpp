#include "platform/svg_raster.h"

namespace rollscope {

Result<std::vector<std::uint8_t>> png_of_svg(std::string_view, int, int) { return fail(ErrorCode::no_png); }

}  // namespace rollscope
