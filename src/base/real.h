// The scalar in which matrices are stored and multiplied.
//
// CMake sets ROLLSCOPE_REAL: double in native builds (tests, command line), float in the page, where a fused
// 12 x 1024 x 1024 stack must stay near 50 MB. Single rows are accumulated in double everywhere.
#pragma once

#ifndef ROLLSCOPE_REAL
#error "ROLLSCOPE_REAL must be set by the build (float or double)"
#endif

namespace rollscope {

using Real = ROLLSCOPE_REAL;

}  // namespace rollscope
