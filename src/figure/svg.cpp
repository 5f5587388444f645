#include "figure/svg.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>

#include "base/utf8.h"
#include "figure/png.h"
#include "figure/text_width.h"

namespace rollscope::figure {
namespace {

constexpr char32_t kFirstStrongIsolate = 0x2068, kPopIsolate = 0x2069;
constexpr std::string_view kFaces = "'IBM Plex Sans', Arial, 'Liberation Sans', Helvetica, 'Noto Sans', 'Noto Sans CJK JP', 'Hiragino Sans', sans-serif";

std::string hex(Paint p) {
  char text[8];
  std::snprintf(text, sizeof text, "#%06x", static_cast<unsigned>(p.rgb & 0xFFFFFF));
  return text;
}

// Cannot stand in XML 1.0, is not seen, or acts on its neighbours.
bool must_be_named(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0xd800 && c <= 0xdfff) || (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef) || c > 0x10ffff ||
         c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
         (c >= 0xe0000 && c <= 0xe007f);
}

void append_named(std::string& out, char32_t c) {
  if (c == '\n') out += "\u23ce";
  else if (c == '\t') out += "\u21e5";
  else {
    char text[24];
    std::snprintf(text, sizeof text, "\u2039U+%04X\u203a", static_cast<unsigned>(c));
    out += text;
  }
}

bool balanced_isolates(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_decode(text, at);
    if (c.valid && c.code == kFirstStrongIsolate) ++depth;
    if (c.valid && c.code == kPopIsolate && --depth < 0) return false;
    at += c.bytes;
  }
  return depth == 0;
}

}  // namespace

Paint paint(Rgb c, double alpha) {
  const auto byte = [](float v) { return static_cast<std::uint32_t>(std::lround(std::clamp(v, 0.0f, 1.0f) * 255)); };
  return {byte(c.r) << 16 | byte(c.g) << 8 | byte(c.b), alpha};
}

std::string isolated(std::string_view words) {
  if (!has_right_to_left(words)) return std::string(words);
  return "\u2068" + std::string(words) + "\u2069";
}

std::string Svg::escaped(std::string_view text) {
  const bool isolates = balanced_isolates(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_decode(text, at);
    if (!c.valid) append_named(out, static_cast<unsigned char>(text[at]));
    else if (c.code == '<') out += "&lt;";
    else if (c.code == '>') out += "&gt;";
    else if (c.code == '&') out += "&amp;";
    else if (c.code == '"') out += "&quot;";
    else if (c.code == '\'') out += "&#39;";
    else if (must_be_named(c.code) && !(isolates && (c.code == kFirstStrongIsolate || c.code == kPopIsolate))) append_named(out, c.code);
    else out += text.substr(at, c.bytes);
    at += c.bytes;
  }
  return out;
}

std::string Svg::number(double x) {
  if (!std::isfinite(x)) return "0";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", x);
  std::string out = text;
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

void Svg::attribute(std::string_view name, double value) { ((((body_ += ' ') += name) += "=\"") += number(value)) += '"'; }

void Svg::fill(Paint p) {
  if (p.alpha <= 0) {
    body_ += " fill=\"none\"";
    return;
  }
  body_ += " fill=\"" + hex(p) + "\"";
  if (p.alpha < 1) attribute("fill-opacity", p.alpha);
}

void Svg::stroke(Paint p, double width) {
  if (p.alpha <= 0) return;
  body_ += " stroke=\"" + hex(p) + "\"";
  if (width != 1) attribute("stroke-width", width);
  if (p.alpha < 1) attribute("stroke-opacity", p.alpha);
}

Svg::Group Svg::group(std::string_view id, std::string_view title) {
  ((body_ += "<g id=\"") += id) += "\">";
  if (!title.empty()) body_ += "<title>" + escaped(title) + "</title>";
  body_ += '\n';
  ++open_;
  return Group(*this);
}

void Svg::rect(const Box& b, Paint inside, double radius, Paint edge, double width) {
  if (!(b.w > 0) || !(b.h > 0)) return;
  body_ += "<rect";
  attribute("x", b.x), attribute("y", b.y), attribute("width", b.w), attribute("height", b.h);
  if (radius > 0) attribute("rx", std::min({radius, b.w / 2, b.h / 2}));
  fill(inside);
  stroke(edge, width);
  body_ += "/>\n";
}

void Svg::line(double x0, double y0, double x1, double y1, Paint edge, double width, std::string_view dash) {
  body_ += "<line";
  attribute("x1", x0), attribute("y1", y0), attribute("x2", x1), attribute("y2", y1);
  stroke(edge, width);
  if (!dash.empty()) ((body_ += " stroke-dasharray=\"") += dash) += '"';
  body_ += "/>\n";
}

void Svg::fill_path(std::string_view d, Paint inside, bool crisp) {
  ((body_ += "<path d=\"") += d) += '"';
  fill(inside);
  if (crisp) body_ += " shape-rendering=\"crispEdges\"";
  body_ += "/>\n";
}

void Svg::stroke_path(std::string_view d, Paint edge, double width, std::string_view dash) {
  ((body_ += "<path d=\"") += d) += "\" fill=\"none\"";
  stroke(edge, width);
  if (!dash.empty()) ((body_ += " stroke-dasharray=\"") += dash) += '"';
  body_ += "/>\n";
}

void Svg::circle(double x, double y, double r, Paint inside) {
  body_ += "<circle";
  attribute("cx", x), attribute("cy", y), attribute("r", r);
  fill(inside);
  body_ += "/>\n";
}

void Svg::hatch(const Box& b, Paint colour, double pitch, double radius) {
  if (!(b.w > 0) || !(b.h > 0)) return;
  const std::string id = "hatch-" + hex(colour).substr(1) + "-" + std::to_string(static_cast<int>(std::lround(pitch * 10)));
  std::string& pattern = definitions_[id];
  if (pattern.empty()) {
    const std::string p = number(pitch);
    pattern = "<pattern id=\"" + id + "\" width=\"" + p + "\" height=\"" + p + "\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"" +
              number(pitch * 0.3) + "\" height=\"" + p + "\" fill=\"" + hex(colour) + "\"/></pattern>\n";
  }
  body_ += "<rect";
  attribute("x", b.x), attribute("y", b.y), attribute("width", b.w), attribute("height", b.h);
  if (radius > 0) attribute("rx", std::min({radius, b.w / 2, b.h / 2}));
  body_ += " fill=\"url(#" + id + ")\"/>\n";
}

void Svg::gradient(const Box& b, std::span<const Paint> steps) {
  std::string stops;
  for (std::size_t i = 0; i < steps.size(); ++i)
    stops += "<stop offset=\"" + number(static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(1, steps.size() - 1))) + "\" stop-color=\"" + hex(steps[i]) + "\"/>";
  const std::string id = "scale-" + std::to_string(definitions_.size());
  definitions_[id] = "<linearGradient id=\"" + id + "\">" + stops + "</linearGradient>\n";
  body_ += "<rect";
  attribute("x", b.x), attribute("y", b.y), attribute("width", b.w), attribute("height", b.h);
  body_ += " fill=\"url(#" + id + ")\"/>\n";
}

void Svg::begin_text(double x, double baseline, std::string_view words, const TextLook& look) {
  body_ += "<text";
  attribute("x", x), attribute("y", baseline), attribute("font-size", look.px);
  fill(look.colour);
  if (look.bold) body_ += " font-weight=\"600\"";
  if (look.anchor != Anchor::start) body_ += look.anchor == Anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  if (look.rotate != 0) body_ += " transform=\"rotate(" + number(look.rotate) + " " + number(x) + " " + number(baseline) + ")\"";
  if (look.room > 0) {
    const double width = text_width(words, look.px, look.bold);
    if (width * kFaceSlack > look.room) {
      attribute("textLength", std::min(width, look.room));
      body_ += " lengthAdjust=\"spacingAndGlyphs\"";
    }
  }
  body_ += '>' + escaped(words);
}

void Svg::text(double x, double baseline, std::string_view words, const TextLook& look) {
  if (words.empty()) return;
  begin_text(x, baseline, words, look);
  body_ += "</text>\n";
}

void Svg::text(double x, double baseline, std::string_view words, const TextLook& look, std::string_view more, const TextLook& more_look, double gap) {
  begin_text(x, baseline, isolated(words), look);
  if (!more.empty()) {
    body_ += "<tspan";
    attribute("dx", gap), attribute("font-size", more_look.px);
    fill(more_look.colour);
    body_ += (more_look.bold ? " font-weight=\"600\">" : " font-weight=\"400\">") + escaped(more) + "</tspan>";
  }
  body_ += "</text>\n";
}

void Svg::image(const Box& b, std::span<const std::uint8_t> png) {
  body_ += "<image";
  attribute("x", b.x), attribute("y", b.y), attribute("width", b.w), attribute("height", b.h);
  // SVG 1.1 knows optimizeSpeed, CSS pixelated: each reader takes the one that it knows.
  body_ += " preserveAspectRatio=\"none\" image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\" xlink:href=\"data:image/png;base64," + base64(png) + "\"/>\n";
}

std::string Svg::finish(const Document& d) {
  assert(open_ == 0);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\" " + d.size +
                    " viewBox=\"0 0 " + number(d.width) + " " + number(d.height) + "\" role=\"img\" xml:lang=\"" + escaped(d.language) + "\" xml:space=\"preserve\" font-family=\"" + std::string(kFaces) +
                    "\">\n<title>" + escaped(d.title) + "</title>\n<desc>" + escaped(d.description) + "</desc>\n<metadata>" + escaped(d.metadata) + "</metadata>\n";
  if (!definitions_.empty()) {
    out += "<defs>\n";
    for (const auto& [id, definition] : definitions_) out += definition;
    out += "</defs>\n";
  }
  if (d.ground.alpha > 0)
    out += "<rect id=\"ground\" width=\"" + number(d.width) + "\" height=\"" + number(d.height) + "\" fill=\"" + hex(d.ground) + "\"/>\n";
  out += body_ + "</svg>\n";
  body_.clear();
  definitions_.clear();
  return out;
}

}  // namespace rollscope::figure
