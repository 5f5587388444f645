#include "ui/draw.h"

#include <algorithm>
#include <cmath>

namespace rollscope::ui {
namespace {

constexpr float kEllipsisRoom = 0.001f;

// Length of the UTF-8 character that starts with `c`.
int step(unsigned char c) { return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4; }

}  // namespace

float snap(const Ui& ui, float v) { return std::round(v * ui.ratio) / ui.ratio; }

// Plex: ascent 1.025 em, descent .275 em.
float baseline(float top, float line_height, float px) { return top + line_height / 2 + 0.375f * px; }

float text_width(Ui& ui, std::string_view t, const Ink& ink) { return ui.fonts.width(t, ink.px, ink.weight); }

float text(Ui& ui, float x, float base, std::string_view t, const Ink& ink) {
  if (t.empty() || !ui.fonts.ready()) return 0;
  // The line stands on a whole pixel; along it glyphs lie where they fall, or gaps between words would differ.
  const ImVec2 at{x, snap(ui, base) - std::round(ui.fonts.ascent(ink.px, ink.weight))};
  ImFont* font = ui.fonts.face(ink.weight);
  const float size = ui.fonts.size(ink.weight, ink.px);
  ui.dl->PushDrawFlag(ImDrawFlags_TextNoPixelSnap, true);
  ui.dl->AddText(font, size, at, ink.colour, t.data(), t.data() + t.size());
  ui.dl->PopDrawFlag();
  return text_width(ui, t, ink);
}

float text_right(Ui& ui, float right, float base, std::string_view t, const Ink& ink) {
  const float w = text_width(ui, t, ink);
  text(ui, right - w, base, t, ink);
  return w;
}

float text_centre(Ui& ui, float middle, float base, std::string_view t, const Ink& ink) {
  const float w = text_width(ui, t, ink);
  text(ui, middle - w / 2, base, t, ink);
  return w;
}

float text_fit(Ui& ui, float x, float base, float max_width, std::string_view t, const Ink& ink) {
  const float w = text_width(ui, t, ink);
  if (w <= max_width + kEllipsisRoom) return text(ui, x, base, t, ink);
  const float room = max_width - text_width(ui, "…", ink);
  if (room <= 0) return 0;
  std::size_t end = 0;
  while (end < t.size()) {
    const auto next = end + static_cast<std::size_t>(step(static_cast<unsigned char>(t[end])));
    if (next > t.size() || ui.fonts.width(t.substr(0, next), ink.px, ink.weight) > room) break;
    end = next;
  }
  while (end > 0 && t[end - 1] == ' ') --end;
  return text(ui, x, base, std::string(t.substr(0, end)) + "…", ink);
}

float label_width(Ui& ui, std::string_view t, float px, bool bold) { return ui.atlas.width(t, px, bold); }

std::string label_cut(Ui& ui, std::string_view t, float px, bool bold, float max_width) {
  if (label_width(ui, t, px, bold) <= max_width) return std::string(t);
  // Halves the interval of code points: widths are measured by the browser and cached, so few are better.
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < t.size();) ends.push_back(i += static_cast<std::size_t>(step(static_cast<unsigned char>(t[i]))));
  std::size_t low = 0, high = ends.size();
  while (low < high) {
    const auto mid = (low + high + 1) / 2;
    const auto cut = std::min(ends[mid - 1], t.size());
    if (label_width(ui, std::string(t.substr(0, cut)) + "…", px, bold) <= max_width) low = mid;
    else high = mid - 1;
  }
  return low == 0 ? std::string("…") : std::string(t.substr(0, std::min(ends[low - 1], t.size()))) + "…";
}

namespace {

// Where the baseline lies in a label's picture: web/raster.js centres the line box of Plex and rounds to a device pixel.
float baseline_in(const Ui& ui, const gpu::LabelAtlas::Glyphs& g, float px) {
  const float h = g.height * ui.ratio, em = px * ui.ratio;
  return std::floor((h - 1.3f * em) / 2 + 1.025f * em + 0.5f) / ui.ratio;
}

void put(Ui& ui, const gpu::LabelAtlas::Glyphs& g, float x, float base, float px, ImU32 colour) {
  if (!g.texture) return;
  const float left = snap(ui, x - 2), top = snap(ui, base) - baseline_in(ui, g, px);
  ui.dl->AddImage(static_cast<ImTextureID>(g.texture), {left, top}, {left + g.width, top + g.height}, {g.u0, g.v0}, {g.u1, g.v1},
                  g.coloured ? (colour | 0x00FFFFFF) : colour);
}

}  // namespace

float label(Ui& ui, float x, float base, std::string_view t, float px, bool bold, ImU32 colour) {
  if (t.empty()) return 0;
  const auto g = ui.atlas.label(t, px, bold);
  put(ui, g, x, base, px, colour);
  return label_width(ui, t, px, bold);
}

float label_right(Ui& ui, float right, float base, std::string_view t, float px, bool bold, ImU32 colour) {
  const float w = label_width(ui, t, px, bold);
  label(ui, right - w, base, t, px, bold, colour);
  return w;
}

float label_centre(Ui& ui, float middle, float base, std::string_view t, float px, bool bold, ImU32 colour) {
  const float w = label_width(ui, t, px, bold);
  label(ui, middle - w / 2, base, t, px, bold, colour);
  return w;
}

void label_rotated(Ui& ui, float x, float y, float degrees, bool from_end, std::string_view t, float px, bool bold, ImU32 colour) {
  if (t.empty()) return;
  const auto g = ui.atlas.label(t, px, bold);
  if (!g.texture) return;
  const float w = label_width(ui, t, px, bold);
  const float left = from_end ? -w - 2 : -2, top = -baseline_in(ui, g, px);
  const float a = degrees * 3.14159265f / 180, c = std::cos(a), s = std::sin(a);
  auto at = [&](float dx, float dy) { return ImVec2{x + dx * c - dy * s, y + dx * s + dy * c}; };
  ui.dl->AddImageQuad(static_cast<ImTextureID>(g.texture), at(left, top), at(left + g.width, top), at(left + g.width, top + g.height),
                      at(left, top + g.height), {g.u0, g.v0}, {g.u1, g.v0}, {g.u1, g.v1}, {g.u0, g.v1},
                      g.coloured ? (colour | 0x00FFFFFF) : colour);
}

void fill(Ui& ui, const Box& b, ImU32 colour, float radius) {
  if (!b.empty()) ui.dl->AddRectFilled({b.x, b.y}, {b.right(), b.bottom()}, colour, radius);
}

void frame(Ui& ui, const Box& b, ImU32 colour, float thickness, float radius) {
  ui.dl->AddRect({b.x, b.y}, {b.right(), b.bottom()}, colour, radius, thickness);
}

void ring(Ui& ui, const Box& b, ImU32 colour, float gap, float thickness, float radius) {
  const float d = gap + thickness;
  frame(ui, {b.x - d, b.y - d, b.w + 2 * d, b.h + 2 * d}, colour, thickness, radius + d);
}

void rule_h(Ui& ui, float x, float y, float w, ImU32 colour) {
  y = snap(ui, y);
  ui.dl->AddRectFilled({x, y}, {x + w, y + std::max(1.0f, std::floor(ui.ratio)) / ui.ratio}, colour);
}

void rule_v(Ui& ui, float x, float y, float h, ImU32 colour) {
  x = snap(ui, x);
  ui.dl->AddRectFilled({x, y}, {x + std::max(1.0f, std::floor(ui.ratio)) / ui.ratio, y + h}, colour);
}

void hatch(Ui& ui, const Box& b, ImU32 colour, float period, float thickness) {
  if (b.empty()) return;
  ui.dl->PushClipRect({b.x, b.y}, {b.right(), b.bottom()}, true);
  // Rising lines x + y = k, anchored to the screen so that neighbouring boxes continue each other.
  const float step = period * 1.41421356f;
  for (float k = std::floor((b.x + b.y) / step) * step; k < b.right() + b.bottom(); k += step) {
    const float x0 = std::max(b.x - 1, k - b.bottom() - 1), x1 = std::min(b.right() + 1, k - b.y + 1);
    if (x1 > x0) ui.dl->AddLine({x0, k - x0}, {x1, k - x1}, colour, thickness);
  }
  ui.dl->PopClipRect();
}

void dashed_h(Ui& ui, float x0, float x1, float y, ImU32 colour, float on, float off) {
  y = snap(ui, y);
  for (float x = x0; x < x1; x += on + off) ui.dl->AddRectFilled({x, y}, {std::min(x + on, x1), y + 1}, colour);
}

void arrow_down(Ui& ui, float x, float y, ImU32 colour, float size) {
  ui.dl->AddTriangleFilled({x - size, y - size * 0.6f}, {x + size, y - size * 0.6f}, {x, y + size * 0.75f}, colour);
}

void heat_bar(Ui& ui, const Box& b, bool vertical, bool two_sided) {
  const ColourScale map{.two_sided = two_sided};
  constexpr int kSteps = 30;
  for (int i = 0; i < kSteps; ++i) {
    const ImU32 a = packed(map.colour(static_cast<double>(i) / kSteps, ui.theme.dark));
    const ImU32 z = packed(map.colour(static_cast<double>(i + 1) / kSteps, ui.theme.dark));
    if (vertical) {
      const float y0 = b.bottom() - b.h * static_cast<float>(i) / kSteps, y1 = b.bottom() - b.h * static_cast<float>(i + 1) / kSteps;
      ui.dl->AddRectFilledMultiColor({b.x, y1}, {b.right(), y0}, z, z, a, a);
    } else {
      const float x0 = b.x + b.w * static_cast<float>(i) / kSteps, x1 = b.x + b.w * static_cast<float>(i + 1) / kSteps;
      ui.dl->AddRectFilledMultiColor({x0, b.y}, {x1, b.bottom()}, a, z, z, a);
    }
  }
}

void icon(Ui& ui, Icon which, float x, float y, ImU32 c) {
  ImDrawList& d = *ui.dl;
  constexpr float t = 1.75f;
  auto line = [&](float x0, float y0, float x1, float y1) { d.AddLine({x + x0, y + y0}, {x + x1, y + y1}, c, t); };
  switch (which) {
    case Icon::maximise:
      for (float sx : {-1.0f, 1.0f})
        for (float sy : {-1.0f, 1.0f}) {
          line(sx * 6, sy * 2, sx * 6, sy * 6);
          line(sx * 6.8f, sy * 6, sx * 2, sy * 6);
        }
      break;
    case Icon::minimise:
      for (float sx : {-1.0f, 1.0f})
        for (float sy : {-1.0f, 1.0f}) {
          line(sx * 2.2f, sy * 6.5f, sx * 2.2f, sy * 2.2f);
          line(sx * 1.4f, sy * 2.2f, sx * 6.5f, sy * 2.2f);
        }
      break;
    case Icon::fit:
      d.AddRect({x - 6.5f, y - 5}, {x + 6.5f, y + 5}, c, 1.5f, t);
      d.AddRectFilled({x - 3, y - 1.75f}, {x + 3, y + 1.75f}, c, 1);
      break;
    case Icon::plus: line(0, -4.5f, 0, 4.5f); [[fallthrough]];
    case Icon::minus: line(-4.5f, 0, 4.5f, 0); break;
    case Icon::warning:
      d.PathLineTo({x, y - 5.5f});
      d.PathLineTo({x + 6, y + 5});
      d.PathLineTo({x - 6, y + 5});
      d.PathStroke(c, 1.6f, ImDrawFlags_Closed);
      line(0, -2, 0, 1.6f);
      d.AddCircleFilled({x, y + 3.3f}, 0.9f, c);
      break;
    case Icon::check:
      d.PathLineTo({x - 4, y});
      d.PathLineTo({x - 1, y + 3});
      d.PathLineTo({x + 4.5f, y - 3.5f});
      d.PathStroke(c, 2);
      break;
    case Icon::back: line(5, 0, -4.5f, 0); line(-5, 0, -1, -4); line(-5, 0, -1, 4); break;
    case Icon::close: line(-4, -4, 4, 4); line(-4, 4, 4, -4); break;
  }
}

ImU32 ink_on(Rgb ground) { return packed(text_on(ground)); }

}  // namespace rollscope::ui
