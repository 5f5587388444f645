// Sentences about computed facts, in the three languages of the page: narration.inc holds them, this fills them.
//
// A Fact carries its id and typed slots; text is made late, once per language, so that numbers stand as the language
// writes them (French: 49,7 %) and a token in its quotation marks. Which facts hold is decided elsewhere
// (analysis/narration.h): here nothing is computed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rollscope {

enum class NarrationId : std::uint8_t {
#define ROLLSCOPE_NARRATION(id, en, fr, ja) id,
#include "base/narration.inc"
#undef ROLLSCOPE_NARRATION
};

enum class Language : std::uint8_t { en, fr, ja };
inline constexpr Language kLanguages[] = {Language::en, Language::fr, Language::ja};
[[nodiscard]] std::string_view language_name(Language language);  // "en"

// A token in a list: "1. “cat” 49.7 %".
struct NarratedToken {
  std::string label;
  double value = 0;
  int rank = 0;  // 0: none is shown
};

struct Slot {
  enum class Kind : std::uint8_t { count, number, percent, token, name, tokens } kind = Kind::count;
  double value = 0;   // count, number, percent (a share, 1 = 100 %)
  int digits = 0;     // of a number behind the point; below 0: that many significant ones
  std::string text;   // token (quoted), name (as it is)
  std::vector<NarratedToken> tokens;
  Kind each = Kind::percent;  // how the values of `tokens` are written: percent, or number with `digits`

  [[nodiscard]] static Slot count(long long n) { return {.kind = Kind::count, .value = static_cast<double>(n), .text = {}, .tokens = {}}; }
  [[nodiscard]] static Slot number(double x, int digits) { return {.kind = Kind::number, .value = x, .digits = digits, .text = {}, .tokens = {}}; }
  [[nodiscard]] static Slot percent(double share) { return {.kind = Kind::percent, .value = share, .text = {}, .tokens = {}}; }
  [[nodiscard]] static Slot token(std::string label) { return {.kind = Kind::token, .text = std::move(label), .tokens = {}}; }
  [[nodiscard]] static Slot name(std::string text) { return {.kind = Kind::name, .text = std::move(text), .tokens = {}}; }
};

struct Fact {
  NarrationId id;
  std::map<std::string, Slot, std::less<>> slots;
};

[[nodiscard]] std::string_view narration_name(NarrationId id);  // "top_rollout"
[[nodiscard]] std::string_view narration_pattern(NarrationId id, Language language);
// The sentence. A number that is not finite shows as a dash.
[[nodiscard]] std::string sentence(const Fact& fact, Language language);

}  // namespace rollscope
