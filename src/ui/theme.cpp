#include "ui/theme.h"

namespace rollscope::ui {

ImU32 packed(Rgb c, float alpha) {
  auto byte = [](float v) { return static_cast<ImU32>(v * 255 + 0.5f) & 0xFF; };
  return byte(c.r) | (byte(c.g) << 8) | (byte(c.b) << 16) | (byte(alpha) << 24);
}

ImU32 faded(ImU32 colour, float factor) {
  const auto a = static_cast<ImU32>(static_cast<float>(colour >> 24) * factor + 0.5f);
  return (colour & 0x00FFFFFF) | (a << 24);
}

std::uint32_t premultiplied(ImU32 c) {
  const std::uint32_t a = c >> 24;
  auto part = [&](int shift) { return (((c >> shift) & 0xFF) * a + 127) / 255 << shift; };
  return part(0) | part(8) | part(16) | (a << 24);
}

Theme make_theme(bool dark, bool contrast) {
  const theme::Palette& p = contrast ? dark ? theme::kDarkContrast : theme::kLightContrast : dark ? theme::kDark : theme::kLight;
  Theme t;
  t.dark = dark;
  t.raw = p;
  t.ground = packed(p.ground), t.panel = packed(p.panel), t.raised = packed(p.raised), t.well = packed(p.well);
  t.line = packed(p.line), t.line2 = packed(p.line2);
  t.ink = packed(p.ink), t.ink2 = packed(p.ink2), t.ink3 = packed(p.ink3);
  t.accent = packed(p.accent), t.accentbg = packed(p.accentbg), t.onaccent = packed(p.onaccent);
  t.node = packed(p.node), t.sink = packed(p.sink), t.kept = packed(p.kept);
  t.warn = packed(p.warn), t.warnbg = packed(p.warnbg), t.err = packed(p.err), t.errbg = packed(p.errbg), t.ok = packed(p.ok);
  return t;
}

void apply_style(const Theme& t, bool touch) {
  ImGuiStyle& s = ImGui::GetStyle();
  s = ImGuiStyle();
  s.WindowPadding = {0, 0};
  s.WindowBorderSize = 0;
  s.WindowRounding = 0;
  s.WindowMinSize = {1, 1};
  s.PopupRounding = 8;
  s.PopupBorderSize = 1;
  s.FramePadding = {10, 5};
  s.FrameRounding = 6;
  s.FrameBorderSize = 1;
  s.ItemSpacing = {8, 6};
  s.ItemInnerSpacing = {6, 4};
  s.CellPadding = {4, 3};
  s.ScrollbarSize = touch ? 6 : 12;
  s.ScrollbarRounding = 6;
  s.GrabRounding = 7;
  s.GrabMinSize = 14;
  s.CircleTessellationMaxError = 0.1f;
  auto set = [&](ImGuiCol i, ImU32 c) { s.Colors[i] = ImGui::ColorConvertU32ToFloat4(c); };
  set(ImGuiCol_WindowBg, t.panel);
  set(ImGuiCol_PopupBg, t.panel);
  set(ImGuiCol_ChildBg, 0);
  set(ImGuiCol_Border, t.line2);
  set(ImGuiCol_BorderShadow, 0);
  set(ImGuiCol_Text, t.ink);
  set(ImGuiCol_TextDisabled, t.ink3);
  set(ImGuiCol_FrameBg, t.panel);
  set(ImGuiCol_FrameBgHovered, t.raised);
  set(ImGuiCol_FrameBgActive, t.well);
  set(ImGuiCol_Separator, t.line);
  set(ImGuiCol_ScrollbarBg, 0);
  set(ImGuiCol_ScrollbarGrab, t.line2);
  set(ImGuiCol_ScrollbarGrabHovered, t.ink3);
  set(ImGuiCol_ScrollbarGrabActive, t.ink2);
  set(ImGuiCol_NavCursor, t.accent);
  set(ImGuiCol_ModalWindowDimBg, 0x66000000);
}

}  // namespace rollscope::ui
