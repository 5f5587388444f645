#include "io/decimal.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include <doctest/doctest.h>

using namespace rollscope;

namespace {

// The bits that were read from the whole of `text`; all ones: not a number, or something was left over.
std::uint64_t bits(const std::string& text, DecimalRules rules = DecimalRules::json) {
  const char* at = text.c_str();
  double value = 0;
  std::uint64_t out = ~std::uint64_t{0};
  if (read_decimal(at, rules, value) && *at == '\0') std::memcpy(&out, &value, sizeof out);
  return out;
}
std::uint64_t bits(double value) {
  std::uint64_t out = 0;
  std::memcpy(&out, &value, sizeof out);
  return out;
}
constexpr std::uint64_t kNone = ~std::uint64_t{0};

}  // namespace

TEST_CASE("decimals give the double that the C library gives") {
  std::mt19937_64 random(7);
  int wrong = 0;
  const auto check = [&](const char* text) {
    if (bits(text) != bits(std::strtod(text, nullptr))) {
      ++wrong;
      MESSAGE(text);
    }
  };
  char text[64];
  for (int i = 0; i < 300'000 && wrong < 5; ++i) {
    const double weight = std::ldexp(static_cast<double>(random() >> 11), -53 - static_cast<int>(random() % 40));
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(static_cast<float>(weight)));  // a float32, as Python prints it
    check(text);
    std::snprintf(text, sizeof text, "%.*g", 1 + static_cast<int>(random() % 19), weight);
    check(text);
    std::snprintf(text, sizeof text, "%.18e", weight);  // numpy.savetxt
    check(text);
    std::uint64_t any = random();
    double value = 0;
    std::memcpy(&value, &any, sizeof value);
    if (std::isfinite(value)) std::snprintf(text, sizeof text, "%.17g", value), check(text);
    std::snprintf(text, sizeof text, "%llue-%d", static_cast<unsigned long long>(random() >> (random() % 12)), static_cast<int>(random() % 60));
    check(text);
  }
  CHECK(wrong == 0);
}

TEST_CASE("decimals half way between two doubles go to the even one") {
  for (const char* text : {"9007199254740993", "9007199254740993.0", "900719925474099.30e1", "9007199254740992.5", "9007199254740993.5",
                           "0.1000000000000000055511151231257827", "1.5e-54", "18446744073709551615e-1", "4503599627370497.5", "4503599627370496.5",
                           "0.500000000000000166533453693773481063544750213623046875", "7205759403792793e-17", "7205759403792794e-17"})
    CHECK(bits(text) == bits(std::strtod(text, nullptr)));
}

TEST_CASE("JSON's grammar of numbers is kept, and loosened where programs print otherwise") {
  for (const char* text : {"01", "+1", "1.", ".5", "1e", "-", "--1", "0x10", "1e+", "", "e5", "."}) {
    CAPTURE(text);
    CHECK(bits(text) == kNone);
  }
  CHECK(bits("-0") == bits(-0.0));
  for (const auto& [text, value] : {std::pair{"+1", 1.0}, std::pair{"1.", 1.0}, std::pair{".5", 0.5}, std::pair{"007", 7.0}, std::pair{"-1.e-2", -0.01}})
    CHECK(bits(text, DecimalRules::loose) == bits(value));
  CHECK(bits("0,25", DecimalRules::comma) == bits(0.25));
  CHECK(bits("1,5E-05", DecimalRules::comma) == bits(1.5e-5));
  CHECK(bits("0," + std::string(30, '1'), DecimalRules::comma) == bits(std::strtod(("0." + std::string(30, '1')).c_str(), nullptr)));
  CHECK(bits("0,25", DecimalRules::loose) == kNone);
}
