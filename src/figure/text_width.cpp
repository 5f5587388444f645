#include "figure/text_width.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "base/utf8.h"

namespace rollscope::figure {
namespace {

// Space to tilde, hundredths of an em.
constexpr std::array<std::uint8_t, 95> kRegular{
    24, 28, 42, 71, 60, 93, 69, 24, 34, 34, 45, 60, 27, 40, 27, 38, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 29, 29, 60, 60, 60, 48,
    89, 64, 65, 62, 67, 58, 56, 70, 71, 40, 51, 63, 50, 81, 71, 71, 61, 71, 64, 58, 57, 68, 61, 89, 61, 59, 58, 32, 38, 32, 60, 56,
    60, 53, 58, 50, 58, 55, 32, 53, 57, 25, 25, 53, 27, 87, 57, 56, 58, 58, 37, 49, 35, 57, 49, 77, 51, 50, 46, 34, 31, 34, 60};
constexpr double kBold = 1.08;  // semibold over regular: Plex 1.04, DejaVu 1.12

struct Range {
  char32_t first, last;
  double em;
};
// Ascending. What lies in none of them is kOther wide.
constexpr double kOther = 0.6;
constexpr Range kRanges[] = {
    {0x0300, 0x036f, 0},      {0x0483, 0x0489, 0},      {0x0591, 0x05bd, 0},      {0x0610, 0x061a, 0},      {0x064b, 0x065f, 0},
    {0x0900, 0x0902, 0},      {0x0903, 0x0940, 0.65},   {0x0941, 0x0948, 0},      {0x0949, 0x0dff, 0.65},   {0x0e00, 0x0e30, 0.65},
    {0x0e31, 0x0e31, 0},      {0x0e32, 0x0e33, 0.65},   {0x0e34, 0x0e3a, 0},      {0x0e3f, 0x0e46, 0.65},   {0x0e47, 0x0e4e, 0},
    {0x0e50, 0x0fff, 0.65},   {0x1100, 0x11ff, 1},      {0x1780, 0x17ff, 0.65},   {0x1ab0, 0x1aff, 0},      {0x1dc0, 0x1dff, 0},
    {0x2009, 0x200a, 0.2},    {0x200b, 0x200f, 0},      {0x2010, 0x2012, 0.5},    {0x2014, 0x2015, 0.8},    {0x2018, 0x201b, 0.28},
    {0x201c, 0x201f, 0.5},    {0x2026, 0x2026, 0.8},    {0x202a, 0x202e, 0},      {0x2039, 0x203a, 0.36},   {0x2060, 0x2069, 0},
    {0x20d0, 0x20f0, 0},      {0x2100, 0x2211, 1},      {0x2213, 0x25ff, 1},      {0x2600, 0x27bf, 1.3},    {0x2800, 0x28ff, 0.75},
    {0x2b00, 0x2bff, 1.3},    {0x2e80, 0x303e, 1},      {0x3041, 0x3098, 1},      {0x3099, 0x309a, 0},      {0x309b, 0xa4cf, 1},
    {0xac00, 0xd7ff, 1},      {0xf900, 0xfaff, 1},      {0xfe00, 0xfe0f, 0},      {0xfe20, 0xfe2f, 0},      {0xfe30, 0xfe6f, 1},
    {0xff01, 0xff60, 1},      {0xff61, 0xff9f, 0.5},    {0xffe0, 0xffe6, 1},      {0x16fe0, 0x18cff, 1},    {0x1b000, 0x1b2ff, 1},
    {0x1f000, 0x1f3fa, 1.3},  {0x1f3fb, 0x1f3ff, 0},    {0x1f400, 0x1faff, 1.3},  {0x20000, 0x3ffff, 1},    {0xe0000, 0xe01ef, 0}};

double em_of(char32_t c) {
  if (c < 0x7f) return c < 0x20 ? 1 : kRegular[c - 0x20] / 100.0;
  const auto* at = std::upper_bound(std::begin(kRanges), std::end(kRanges), c, [](char32_t x, const Range& r) { return x < r.first; });
  if (at == std::begin(kRanges)) return kOther;
  --at;
  return c <= at->last ? at->em : kOther;
}

constexpr char32_t kJoiner = 0x200d;
constexpr std::string_view kEllipsis = "\u2026";

}  // namespace

double text_width(std::string_view text, double px, bool bold) {
  double em = 0;
  bool joined = false;  // to the emoji before
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_decode(text, at);
    const double w = c.valid ? em_of(c.code) : kOther;
    if (!(joined && w > 1)) em += w;
    joined = c.valid && c.code == kJoiner;
    at += c.bytes;
  }
  return em * px * (bold ? kBold : 1);
}

std::string cut_text(std::string_view text, double px, bool bold, double room) {
  if (text_width(text, px, bold) * kFaceSlack <= room) return std::string(text);
  const double rest = room / kFaceSlack - text_width(kEllipsis, px, bold);
  std::size_t end = 0;
  double em = 0;
  const double most = rest / (px * (bold ? kBold : 1));
  bool joined = false;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_decode(text, at);
    const double w = c.valid ? em_of(c.code) : kOther;
    if (w > 0 && !joined) end = at;  // a place to cut: before a character of its own
    if (!(joined && w > 1)) em += w;
    if (em > most) break;
    joined = c.valid && c.code == kJoiner;
    at += c.bytes;
    if (at == text.size()) end = at;
  }
  if (end == 0) return {};
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

bool has_right_to_left(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_decode(text, at);
    if (c.valid && ((c.code >= 0x0590 && c.code <= 0x08ff) || (c.code >= 0xfb1d && c.code <= 0xfdff) || (c.code >= 0xfe70 && c.code <= 0xfefe) ||
                    (c.code >= 0x10800 && c.code <= 0x10fff) || (c.code >= 0x1e800 && c.code <= 0x1efff)))
      return true;
    at += c.bytes;
  }
  return false;
}

}  // namespace rollscope::figure
