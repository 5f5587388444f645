// The chosen row: its tokens as running text in the colours of their weights (a map, where they are patches of an
// image), and the largest as bars with numbers, chance and the range over the residual weight.
#include <algorithm>
#include <cmath>

#include "figure/sheet.h"
#include "figure/text_width.h"

namespace rollscope::figure {
namespace {

constexpr int kNumberedLines = 3;  // up to which numbers stand under the tokens

struct Place {
  Box box;  // from (0, 0)
  int key;
};

struct Strip {
  double px = 0, height = 0, pitch = 0;
  std::vector<Place> places;
  int lines = 1;
};

// Boxes as running text: the pieces of a word touch and stay on one line.
Strip flow(const Sheet& s, double px, bool numbers) {
  const auto& tokens = s.in.shown->key_tokens;
  Strip out{px, px * 1.75, numbers ? px * 1.75 + s.type.small * 1.5 + 3 : px * 1.75 + 3, {}, 1};
  const auto name = [&](std::size_t i) { return s.key_name(static_cast<int>(i)); };
  const auto joined_to_last = [&](std::size_t i) { return i > 0 && !tokens[i].starts_word && !tokens[i].special && !tokens[i - 1].special; };
  const auto width_of = [&](std::size_t i) {
    const bool before = joined_to_last(i), after = i + 1 < tokens.size() && joined_to_last(i + 1);
    const double pad = (before ? px * 0.12 : px * 0.4) + (after ? px * 0.12 : px * 0.4);
    const double least = numbers && !before && !after ? s.type.small * (s.percents() ? 2.4 : 3.6) : px * 0.8;
    return std::min(std::max(text_width(name(i), px) * kFaceSlack + pad, least), s.width);
  };
  double x = 0;
  int line = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool joined = joined_to_last(i);
    const double w = width_of(i);
    double word = w;
    if (!joined)
      for (std::size_t k = i + 1; k < tokens.size() && joined_to_last(k) && word <= s.width; ++k) word += 0.75 + width_of(k);
    const double gap = x == 0 ? 0 : joined ? 0.75 : px * 0.3;
    if (x > 0 && x + gap + (joined || word > s.width ? w : word) > s.width) x = 0, ++line;
    else x += gap;
    out.places.push_back({{x, line * out.pitch, w, out.height}, static_cast<int>(i)});
    x += w;
  }
  out.lines = line + 1;
  return out;
}

void strip(Sheet& s) {
  const auto group = s.svg.group("tokens");
  Strip strip = flow(s, s.type.body, true);
  bool numbers = strip.lines <= kNumberedLines;
  if (!numbers) strip = flow(s, s.type.body, false);
  s.y += 3;
  for (const Place& p : strip.places) {
    const Box b{s.left + p.box.x, s.y + p.box.y, p.box.w, p.box.h};
    s.token_box(b, p.key, s.key_name(p.key), strip.px);
    if (!numbers) continue;
    const bool shown = s.sees(p.key) && s.has_value(p.key);
    std::string number = shown ? s.amount_bare(static_cast<double>(s.view.row[static_cast<std::size_t>(p.key)])) : std::string("\u2013");
    const auto fits = [&] { return text_width(number, s.type.small) * kFaceSlack <= b.w + s.type.small * 0.2; };
    if (!fits() && shown && !s.percents()) number = significant(static_cast<double>(s.view.row[static_cast<std::size_t>(p.key)]), s.words.decimal(), 2);
    if (!fits()) continue;
    s.line_text(b.middle_x(), b.bottom() + 1.5, s.type.small * 1.3, number,
                {.px = s.type.small, .colour = s.itself(p.key) ? s.accent() : s.ink2(), .bold = s.itself(p.key), .anchor = Anchor::middle});
  }
  s.y += (strip.lines - 1) * strip.pitch + strip.height + (numbers ? s.type.small * 1.5 : 0) + s.type.label * 0.6;
}

// Patches where they lie in the image; what is no patch stands above them.
void patch_map(Sheet& s) {
  const auto group = s.svg.group("patches");
  const double px = s.type.body, height = px * 1.75;
  double x = s.left;
  s.y += 3;
  bool any = false;
  for (int key = 0; key < s.in.shown->keys; ++key) {
    if (is_patch(*s.in.shown, s.grid, key, true)) continue;
    const std::string name = s.key_name(key), number = s.has_value(key) ? s.amount(static_cast<double>(s.view.row[static_cast<std::size_t>(key)])) : "";
    const double w = text_width(name, px) * kFaceSlack + px, nw = text_width(number, s.type.small) * kFaceSlack + px * 0.5;
    if (x > s.left && x + w + nw > s.left + s.width) x = s.left, s.y += height + 4;
    s.token_box({x, s.y, w, height}, key, name, px);
    s.line_text(x + w + px * 0.4, s.y, height, number, {.px = s.type.small, .colour = s.ink2()});
    x += w + nw + px;
    any = true;
  }
  if (any) s.y += height + 6;
  const double cell = std::min(s.width * (s.width < 430 ? 0.7 : 0.4) / s.grid.columns, s.width / s.grid.rows);
  const double seam = cell >= 6 ? 0.75 : 0;
  Box chosen{};
  for (int r = 0; r < s.grid.rows; ++r)
    for (int c = 0; c < s.grid.columns; ++c) {
      const int key = s.grid.prefix + r * s.grid.columns + c;
      const Box b{s.left + c * cell, s.y + r * cell, cell - seam, cell - seam};
      if (!s.has_value(key)) s.svg.rect(b, {s.palette.well}), s.svg.hatch(b, {s.palette.line}, 4);
      else if (s.sink(key)) s.svg.hatch(b, {s.palette.sink}, 4);
      else s.svg.rect(b, paint(s.heat(key)));
      if (s.itself(key)) chosen = b;
    }
  s.svg.rect({s.left, s.y, cell * s.grid.columns - seam, cell * s.grid.rows - seam}, kNone, 0, {s.palette.line2}, 0.75);
  if (chosen.w > 0) s.svg.rect({chosen.x - 1.5, chosen.y - 1.5, chosen.w + 3, chosen.h + 3}, kNone, 1.5, s.accent(), 1.5);
  s.y += cell * s.grid.rows + s.type.label * 0.8;
}

// --- bars

struct Bar {
  double weight = 0, chance = -1, low = -1, high = -1;
  bool sink = false, two_sided = false;
  Paint colour;
};

void draw_bar(Sheet& s, const Box& t, const Bar& b, double scale) {
  const Paint edge{s.palette.line2, 0.55};
  if (std::isnan(b.weight)) {
    s.svg.hatch(t, {s.palette.line}, 4);
    s.svg.rect(t, kNone, 1.5, {s.palette.line}, 0.75);
    return;
  }
  if (b.two_sided) {
    s.svg.rect(t, {s.palette.well}, 1.5);
    const double zero = t.middle_x(), x = zero + t.w / 2 * std::clamp(b.weight / scale, -1.0, 1.0);
    s.svg.rect({std::min(zero, x), t.y, std::max(0.75, std::abs(x - zero)), t.h}, b.colour, 0, edge, 0.5);
    s.svg.line(zero, t.y - 2, zero, t.bottom() + 2, s.ink3(), 0.75);
    return;
  }
  const auto at = [&](double w) { return t.x + t.w * std::clamp(w / scale, 0.0, 1.0); };
  const double end = std::max(at(b.weight), t.x + 1);
  const Box filled{t.x, t.y, end - t.x, t.h};
  if (b.sink) {
    s.svg.rect(t, kNone, 1.5, {s.palette.line2}, 0.5);
    s.svg.hatch(filled, {s.palette.sink}, 4, 1.5);
    s.svg.rect(filled, kNone, 1.5, {s.palette.sink}, 0.75);
  } else {
    s.svg.rect(t, {s.palette.well}, 1.5);
    s.svg.rect(filled, b.colour, 1.5, edge, 0.5);
  }
  if (b.weight > scale * 1.0001)  // cut open past the scale
    for (int i = 0; i < 2; ++i) s.svg.line(t.right() - 8 + 3 * i, t.bottom() + 1, t.right() - 5 + 3 * i, t.y - 1, {s.palette.panel}, 1.5);
  if (b.low >= 0 && b.high > b.low) {
    const double y = t.bottom() + 2.2, x0 = at(b.low), x1 = at(b.high);
    s.svg.line(x0, y, x1, y, s.ink3(), 0.75);
    s.svg.line(x0, y - 1.5, x0, y + 1.5, s.ink3(), 0.75);
    if (b.high > scale) s.svg.fill_path("M" + Svg::number(x1 + 1) + " " + Svg::number(y) + "l-4 -2.2v4.4z", s.ink3());
    else s.svg.line(x1, y - 1.5, x1, y + 1.5, s.ink3(), 0.75);
  }
  if (b.chance >= 0) {
    const double x = at(b.chance);
    s.svg.rect({x - 1.25, t.y - 2, 2.5, t.h + 4}, {s.palette.panel});
    s.svg.rect({x - 0.6, t.y - 2, 1.2, t.h + 4}, s.ink());
  }
}

struct List {
  double x, width, name, number, row;
  double scale;
};

// What stands in grey behind a name.
std::string note_of(const Sheet& s, int key) {
  if (s.itself(key)) return std::string(s.words(Word::itself));
  if (s.sink(key)) return std::string(s.words(Word::sink));
  if (s.border > 0 && key >= s.border) return std::string(s.words(Word::target));
  const int n = repeated_token(*s.in.shown, s.grid, key, true);
  return n > 0 ? s.words.count(n) : std::string();
}
double note_width(const Sheet& s, const std::string& note) { return note.empty() ? 0 : text_width(note, s.type.small) * kFaceSlack + s.type.body * 0.4; }

void bar_row(Sheet& s, const List& l, int key) {
  const auto k = static_cast<std::size_t>(key);
  const auto& v = s.view;
  const double px = s.type.body;
  const std::string note = note_of(s, key);
  const bool mine = s.itself(key);
  const std::string name = cut_text(s.key_name(key), px, mine, std::max(px * 3, l.name - note_width(s, note)));
  s.svg.text(l.x, baseline(s.y, l.row, px), name, {.px = px, .colour = mine ? s.accent() : s.ink(), .bold = mine}, note, {.px = s.type.small, .colour = s.ink3()}, px * 0.4);
  Bar bar;
  bar.weight = static_cast<double>(v.row[k]);
  if (k < v.uniform.size()) bar.chance = static_cast<double>(v.uniform[k]);
  if (k < v.low.size() && k < v.high.size()) bar.low = static_cast<double>(v.low[k]), bar.high = static_cast<double>(v.high[k]);
  bar.sink = s.sink(key);
  bar.two_sided = v.is_signed;
  bar.colour = paint(s.heat(key));
  const double h = px * 0.72;
  draw_bar(s, {l.x + l.name + px * 0.6, s.y + (l.row - h) / 2 - 0.5, l.width - l.name - l.number - px * 0.6, h}, bar, l.scale);
  s.line_text(l.x + l.width, s.y, l.row, s.amount(static_cast<double>(v.row[k])), {.px = px, .colour = s.ink(), .anchor = Anchor::end});
  s.y += l.row;
}

void total(Sheet& s, const List& l, std::string_view name, double weight, Paint ink, bool bold) {
  s.line_text(l.x, s.y, l.row, name, {.px = s.type.body, .colour = ink, .bold = bold});
  if (!std::isnan(weight)) s.line_text(l.x + l.width, s.y, l.row, s.amount(weight), {.px = s.type.body, .colour = s.ink(), .bold = bold, .anchor = Anchor::end});
  s.y += l.row;
}

void bars(Sheet& s) {
  const auto& v = s.view;
  const auto group = s.svg.group("bars");
  const RowList rows = list_row(v, *s.in.shown, s.border, s.itself(v.query) ? v.query : -1, s.width < 430 ? 8 : 10);
  const double px = s.type.body;
  List l;
  l.x = s.left;
  l.width = s.width;
  double longest = 0;
  const auto see = [&](int key) { longest = std::max(longest, text_width(s.key_name(key), px, s.itself(key)) * kFaceSlack + note_width(s, note_of(s, key)) + px * 0.2); };
  for (const int key : rows.keys) see(key);
  for (const int key : rows.sinks) see(key);
  l.name = std::clamp(longest, px * 6, std::min(l.width * 0.36, px * 18));
  l.number = px * 5;
  l.row = px * 1.75;
  l.scale = rows.scale;
  // What tick and whisker are.
  double x = l.x;
  const double h = s.type.small * 1.6;
  if (!v.uniform.empty()) {
    s.svg.rect({x, s.y + 1, 1.2, h - 2}, s.ink());
    const auto words = s.words(Word::chance);
    s.line_text(x + 5, s.y, h, words, {.px = s.type.small, .colour = s.ink3()});
    x += 5 + text_width(words, s.type.small) * kFaceSlack + s.type.small * 1.4;
  }
  if (!v.low.empty()) {
    const double y = s.y + h / 2;
    s.svg.line(x, y, x + 16, y, s.ink3(), 0.75);
    s.svg.line(x, y - 1.5, x, y + 1.5, s.ink3(), 0.75);
    s.svg.line(x + 16, y - 1.5, x + 16, y + 1.5, s.ink3(), 0.75);
    s.line_text(x + 21, s.y, h, s.words(Word::range), {.px = s.type.small, .colour = s.ink3()});
  }
  if (!v.uniform.empty() || !v.low.empty()) s.y += h + 1;
  for (const int key : rows.keys) bar_row(s, l, key);
  const bool sums = adds_up(v.recipe);
  if (rows.others > 0) total(s, l, s.words.fill(rows.others == 1 ? Word::other_one : Word::other_many, {{"n", s.words.count(rows.others)}}), sums ? rows.others_weight : NAN, s.ink2(), false);
  if (rows.unknown > 0) total(s, l, s.words.fill(Word::unknown, {{"n", s.words.count(rows.unknown)}}), NAN, s.ink3(), false);
  for (std::size_t i = 0; i < rows.sinks.size() && i < 3; ++i) bar_row(s, l, rows.sinks[i]);
  if (!sums) return;
  s.svg.line(l.x, s.y + 1, l.x + l.width, s.y + 1, {s.palette.line}, 0.75);
  s.y += 2;
  total(s, l, s.words(Word::sum), v.sum, s.ink(), true);
}

}  // namespace

Figure draw_row(Sheet& s) {
  s.row_title();
  const bool patches = s.grid.rows > 0 && s.grid.prefix + s.grid.rows * s.grid.columns <= s.in.shown->keys && s.grid.rows * s.grid.columns * 2 > s.in.shown->keys;
  if (patches) patch_map(s);
  else strip(s);
  s.legend(s.scale, s.percents(), !s.view.sinks.empty());
  s.y += s.type.label * 0.9;
  bars(s);
  return s.finish(s.query_name(s.view.query) + " \u2013 " + s.unit());
}

}  // namespace rollscope::figure
