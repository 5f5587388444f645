#include "base/narration.h"

#include <cmath>
#include <iterator>

#include "base/error.h"
#include "base/text.h"

namespace rollscope {
namespace {

struct Row {
  std::string_view name, patterns[3];
};
constexpr Row kRows[] = {
#define ROLLSCOPE_NARRATION(id, en, fr, ja) {#id, {en, fr, ja}},
#include "base/narration.inc"
#undef ROLLSCOPE_NARRATION
};

std::string number_text(double x, int digits, Language language) {
  if (!std::isfinite(x)) return "–";
  std::string text = digits < 0 ? formatted("%.*g", -digits, std::fabs(x)) : formatted("%.*f", digits, std::fabs(x));
  const bool zero = text.find_first_of("123456789") == text.npos;
  if (language == Language::fr)
    for (char& c : text)
      if (c == '.') c = ',';
  return x < 0 && !zero ? "−" + text : text;
}

std::string percent_text(double share, Language language) {
  return number_text(100 * share, 1, language) + (language == Language::ja ? "%" : "\u00A0%");
}

std::string quoted(const std::string& label, Language language) {
  switch (language) {
    case Language::fr: return "«\u00A0" + label + "\u00A0»";
    case Language::ja: return "「" + label + "」";
    case Language::en: break;
  }
  return "“" + label + "”";
}

std::string token_list(const Slot& slot, Language language) {
  std::string out;
  for (const auto& token : slot.tokens) {
    if (!out.empty()) out += language == Language::ja ? "、" : ", ";
    if (token.rank > 0) out += std::to_string(token.rank) + ". ";
    out += quoted(token.label, language) + (language == Language::ja ? "" : "\u00A0");
    out += slot.each == Slot::Kind::percent ? percent_text(token.value, language) : number_text(token.value, slot.digits, language);
  }
  return out;
}

std::string slot_text(const Slot& slot, Language language) {
  switch (slot.kind) {
    case Slot::Kind::count: return number_text(slot.value, 0, language);
    case Slot::Kind::number: return number_text(slot.value, slot.digits, language);
    case Slot::Kind::percent: return percent_text(slot.value, language);
    case Slot::Kind::token: return quoted(slot.text, language);
    case Slot::Kind::name: return slot.text;
    case Slot::Kind::tokens: return token_list(slot, language);
  }
  return {};
}

}  // namespace

std::string_view language_name(Language language) {
  constexpr std::string_view kNames[] = {"en", "fr", "ja"};
  return kNames[static_cast<std::size_t>(language)];
}

std::string_view narration_name(NarrationId id) { return kRows[static_cast<std::size_t>(id)].name; }

std::string_view narration_pattern(NarrationId id, Language language) {
  return kRows[static_cast<std::size_t>(id)].patterns[static_cast<std::size_t>(language)];
}

std::string sentence(const Fact& fact, Language language) {
  Params params;
  for (const auto& [name, slot] : fact.slots) params.emplace(name, slot_text(slot, language));
  return fill(narration_pattern(fact.id, language), params);
}

}  // namespace rollscope
