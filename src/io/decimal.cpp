#include "io/decimal.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace rollscope {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr int kSmallest = 54;  // 5^54 is the last whose remainders, doubled, fit into 128 bits

struct Power {
  std::uint64_t high, low;
};

// The first 128 bits of 5^-k; up to k = 27 rounded up, as the proof of the method asks.
constexpr Power reciprocal(int k) {
  Wide divisor = 1;
  for (int i = 0; i < k; ++i) divisor *= 5;
  int bits = 0;
  while (bits < 128 && (Wide{1} << bits) < divisor) ++bits;
  Wide quotient = 0, rest = Wide{1} << (bits - 1);  // long division of 2^(bits + 127): the first bits give nothing
  for (int i = 0; i < 128; ++i) {
    rest <<= 1;
    quotient <<= 1;
    if (rest >= divisor) {
      rest -= divisor;
      quotient |= 1;
    }
  }
  if (k <= 27) ++quotient;
  return {static_cast<std::uint64_t>(quotient >> 64), static_cast<std::uint64_t>(quotient)};
}

constexpr auto kReciprocals = [] {
  std::array<Power, kSmallest + 1> out{};
  for (int k = 1; k <= kSmallest; ++k) out[static_cast<std::size_t>(k)] = reciprocal(k);
  return out;
}();

constexpr std::array<double, 23> kTens{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// digits * 10^-k, digits > 0, 1 <= k <= kSmallest. False: too near the middle of two doubles to tell.
bool scaled(std::uint64_t digits, int k, double& value) {
  const int zeros = __builtin_clzll(digits);
  const Power& power = kReciprocals[static_cast<std::size_t>(k)];
  const std::uint64_t w = digits << zeros;
  const Wide first = static_cast<Wide>(w) * power.high;
  std::uint64_t high = static_cast<std::uint64_t>(first >> 64), low = static_cast<std::uint64_t>(first);
  if ((high & 0x1ff) == 0x1ff) {
    const auto second = static_cast<std::uint64_t>((static_cast<Wide>(w) * power.low) >> 64);
    low += second;
    if (second > low) ++high;
  }
  if (low == ~std::uint64_t{0} && k > 27) return false;
  const int upper = static_cast<int>(high >> 63);
  std::uint64_t mantissa = high >> (upper + 9);  // 54 bits: one to round by
  int exponent = (((152170 + 65536) * -k) >> 16) + 63 + upper - zeros + 1023;
  if (low <= 1 && k <= 4 && (mantissa & 3) == 1 && mantissa << (upper + 9) == high) mantissa &= ~std::uint64_t{1};  // half: to even
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa >= std::uint64_t{2} << 52) {
    mantissa = std::uint64_t{1} << 52;
    ++exponent;
  }
  mantissa = (mantissa & ~(std::uint64_t{1} << 52)) | (static_cast<std::uint64_t>(exponent) << 52);
  std::memcpy(&value, &mantissa, sizeof value);
  return true;
}

// strtod for what is left; nobody sets a locale here.
double by_library(const char* from, const char* to, char point) {
  std::string text(from, to);
  if (point != '.')
    if (const auto at = text.find(point); at != text.npos) text[at] = '.';
  return std::strtod(text.c_str(), nullptr);
}

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

// Four digits at once, if there are four. The bytes are read one by one, in order, so nothing is read past the first
// that is no digit.
bool four_digits(const char* p, std::uint64_t& out) {
  const unsigned a = static_cast<unsigned char>(p[0] - '0');
  if (a > 9) return false;
  const unsigned b = static_cast<unsigned char>(p[1] - '0');
  if (b > 9) return false;
  const unsigned c = static_cast<unsigned char>(p[2] - '0');
  if (c > 9) return false;
  const unsigned d = static_cast<unsigned char>(p[3] - '0');
  if (d > 9) return false;
  out = out * 10000 + (a * 1000 + b * 100 + c * 10 + d);
  return true;
}

}  // namespace

bool read_decimal(const char*& at, DecimalRules rules, double& value) {
  const bool strict = rules == DecimalRules::json;
  const char point = rules == DecimalRules::comma ? ',' : '.';
  const char* p = at;
  const bool negative = *p == '-';
  if (negative || (!strict && *p == '+')) ++p;
  const char* const first = p;
  std::uint64_t digits = 0;
  while (is_digit(*p)) digits = digits * 10 + static_cast<std::uint64_t>(*p++ - '0');
  std::ptrdiff_t count = p - first;
  if (strict && (count == 0 || (count > 1 && *first == '0'))) return false;
  std::int64_t exponent = 0;
  if (*p == point) {
    const char* const fraction = ++p;
    while (four_digits(p, digits)) p += 4;
    while (is_digit(*p)) digits = digits * 10 + static_cast<std::uint64_t>(*p++ - '0');
    if (strict && p == fraction) return false;
    count += p - fraction;
    exponent = fraction - p;
  }
  if (count == 0) return false;
  if (*p == 'e' || *p == 'E') {
    const char* q = p + 1;
    const bool down = *q == '-';
    if (down || *q == '+') ++q;
    if (is_digit(*q)) {
      std::int64_t written = 0;
      for (; is_digit(*q); ++q)
        if (written < 100000) written = written * 10 + (*q - '0');
      exponent += down ? -written : written;
      p = q;
    } else if (strict) {
      return false;
    }
  }
  if (count > 19) {  // zeros in front do not count; more than 19 digits do not fit
    for (const char* q = first; *q == '0' || *q == point; ++q) count -= *q == '0';
  }
  double x = 0;
  if (count > 19) {
    x = by_library(first, p, point);
  } else if (digits == 0) {
    x = 0;
  } else if (digits <= std::uint64_t{1} << 53 && exponent >= -22 && exponent <= 22) {
    x = static_cast<double>(digits);
    if (exponent < 0) x /= kTens[static_cast<std::size_t>(-exponent)];
    else x *= kTens[static_cast<std::size_t>(exponent)];
  } else if (exponent == 0) {
    x = static_cast<double>(digits);
  } else if (exponent >= 0 || exponent < -kSmallest || !scaled(digits, static_cast<int>(-exponent), x)) {
    x = by_library(first, p, point);
  }
  value = negative ? -x : x;
  at = p;
  return true;
}

}  // namespace rollscope
