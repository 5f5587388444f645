#include "ui/fonts.h"

#include <cstring>

namespace rollscope::ui {
namespace {

constexpr float kReference = 16;  // any size: merged faces are scaled against it

// (ascender - descender) / unitsPerEm from the tables hhea and head; 0 when the bytes are no TrueType.
float em_height(std::span<const std::uint8_t> b) {
  auto u16 = [&](std::size_t at) { return at + 2 <= b.size() ? (b[at] << 8) | b[at + 1] : 0; };
  auto u32 = [&](std::size_t at) { return (static_cast<std::uint32_t>(u16(at)) << 16) | static_cast<std::uint32_t>(u16(at + 2)); };
  float height = 0, units = 0;
  const int tables = u16(4);
  for (int i = 0; i < tables; ++i) {
    const std::size_t row = 12 + static_cast<std::size_t>(i) * 16;
    if (row + 16 > b.size()) break;
    const std::size_t at = u32(row + 8);
    if (std::memcmp(&b[row], "hhea", 4) == 0)
      height = static_cast<float>(static_cast<std::int16_t>(u16(at + 4)) - static_cast<std::int16_t>(u16(at + 6)));
    if (std::memcmp(&b[row], "head", 4) == 0) units = static_cast<float>(u16(at + 18));
  }
  return units > 0 ? height / units : 0;
}

void* copy(std::span<const std::uint8_t> bytes) {
  void* p = IM_ALLOC(bytes.size());  // ImGui frees it with the atlas
  std::memcpy(p, bytes.data(), bytes.size());
  return p;
}

}  // namespace

void Fonts::add(int slot, std::span<const std::uint8_t> bytes) {
  const float em = em_height(bytes);
  if (em <= 0) return;
  if (slot >= 0 && slot < 4) {
    if (faces_[slot].font) return;
    ImFontConfig config;
    config.SizePixels = kReference;
    faces_[slot].font = ImGui::GetIO().Fonts->AddFontFromMemoryTTF(copy(bytes), static_cast<int>(bytes.size()), kReference, &config);
    faces_[slot].em = em;
  } else if (slot == 4 || slot == 5) {
    japanese_[slot - 4].assign(bytes.begin(), bytes.end());
  }
  merge_japanese();
}

void Fonts::merge_japanese() {
  for (int i = 0; i < 3; ++i) {
    const auto& bytes = japanese_[i == 2 && !japanese_[1].empty() ? 1 : 0];
    if (!faces_[i].font || faces_[i].merged || bytes.empty()) continue;
    if (i == 2 && japanese_[1].empty()) continue;  // the semibold cut is still to come
    ImFontConfig config;
    config.MergeMode = true;
    config.DstFont = faces_[i].font;
    config.SizePixels = kReference * em_height(bytes) / faces_[i].em;  // the same em as the Latin face
    ImGui::GetIO().Fonts->AddFontFromMemoryTTF(copy(bytes), static_cast<int>(bytes.size()), config.SizePixels, &config);
    faces_[i].merged = true;
  }
}

void Fonts::set_density(float ratio) {
  for (Face& f : faces_)
    if (f.font) f.font->CurrentRasterizerDensity = ratio;
}

ImFont* Fonts::face(Weight w) const {
  const Face& f = faces_[static_cast<int>(w)];
  return f.font ? f.font : faces_[0].font;
}

float Fonts::size(Weight w, float px) const {
  const Face& f = faces_[static_cast<int>(w)];
  return px * (f.font ? f.em : faces_[0].em);
}

float Fonts::width(std::string_view text, float px, Weight w) const {
  if (text.empty() || !ready()) return 0;
  return face(w)->CalcTextSizeA(size(w, px), FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

float Fonts::ascent(float px, Weight w) const {
  return ready() ? face(w)->GetFontBaked(size(w, px))->Ascent : px;
}

}  // namespace rollscope::ui
