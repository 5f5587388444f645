// What C++20 has and the standard library of Debian 12's emcc (3.1.6, libc++ 13) lacks. Included before every source
// of a web build; with a newer library it adds nothing. Adding to std is not for programs, but this is what the
// missing header would hold, and the sources stay plain C++20 for every other compiler.
#pragma once
#include <bit>

#ifndef __cpp_lib_bit_cast
namespace std {
template <class To, class From>
[[nodiscard]] constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}
}  // namespace std
#endif
