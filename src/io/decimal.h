// Decimal digits to the nearest double.
//
// Half of the numbers of a JSON dump have 17 digits (a float32 that Python printed as a double), past what one exact
// multiplication can settle. So: up to 2^53 and 10^22 one exact operation (Clinger, PLDI 1990); then 128 bits of the
// power of five (Eisel & Lemire, "Number parsing at a gigabyte per second", 2021), here for 10^-54 to 10^-1 alone,
// computed by the compiler; the C library for the rest. fast_float does the same for every power, and its table alone
// would add 10 kB to what a page downloads.
#pragma once

namespace rollscope {

enum class DecimalRules {
  json,   // -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
  loose,  // also +1, 007, 1. and .5, as programs print them
  comma,  // loose, with a comma for the point
};

// Reads the number that starts at `at`. On success `at` stands behind it; false: no number, and `at` stays.
// A number too large for a double gives an infinity, one too small 0.
// Precondition: some character at or behind `at` cannot belong to a number ('\0' of a string will do).
[[nodiscard]] bool read_decimal(const char*& at, DecimalRules rules, double& value);

}  // namespace rollscope
