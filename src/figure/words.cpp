#include "figure/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "scene/colormap.h"

namespace rollscope::figure {
namespace {

struct Row {
  std::string_view texts[3];  // in the order of Language
};
constexpr Row kRows[] = {
#define ROLLSCOPE_WORDS(id, en, fr, ja) {{en, fr, ja}},
#include "figure/words.inc"
#undef ROLLSCOPE_WORDS
};

}  // namespace

std::string_view Words::operator()(Word word) const { return kRows[static_cast<std::size_t>(word)].texts[static_cast<std::size_t>(language_)]; }

std::string Words::number(double value, int decimals) const {
  if (!std::isfinite(value)) return "\u2013";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, std::abs(value));
  std::string out = text;
  const bool nothing = out.find_first_not_of("0.") == out.npos;
  std::replace(out.begin(), out.end(), '.', decimal());
  return value < 0 && !nothing ? "\u2212" + out : out;
}

std::string Words::count(long long n) const { return grouped(n, language_ == Language::fr ? "\u202F" : ","); }

std::string Words::percent_sign(double weight) const { return percent(weight, decimal()) + "\u00A0%"; }

}  // namespace rollscope::figure
