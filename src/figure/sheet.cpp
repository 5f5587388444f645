#include "figure/sheet.h"

#include <algorithm>
#include <cmath>

#include "analysis/recipe_text.h"
#include "base/utf8.h"
#include "figure/text_width.h"
#include "scene/recipe_fit.h"

namespace rollscope::figure {
namespace {

constexpr double kMargin = 6;

Type type_for(double width) {
  if (width < 430) return {8, 8.5, 9.33, 11};
  if (width < 800) return {8.67, 9.33, 10, 12};
  return {11, 12, 13, 16};
}

constexpr Word kUnits[] = {Word::unit_attention, Word::unit_rollout, Word::unit_relevance, Word::unit_flow, Word::unit_attribution, Word::unit_lift};
constexpr std::string_view kUnitNames[] = {"attention", "rollout", "relevance", "flow", "attribution", "lift"};

// A line may end before it, though no space stands there.
bool breaks_before(char32_t c) {
  // Closing marks stay with what they close.
  constexpr char32_t kClosing[] = {0x3001, 0x3002, 0x300d, 0x300f, 0xff09, 0xff0c, 0xff1a, 0xff1b, 0x30fb, 0x30fc};
  if (std::find(std::begin(kClosing), std::end(kClosing), c) != std::end(kClosing)) return false;
  return (c >= 0x2e80 && c <= 0x9fff) || (c >= 0xac00 && c <= 0xd7ff) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xff00 && c <= 0xff60) || (c >= 0x20000 && c <= 0x3ffff);
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, double px, bool bold, double room) {
  // Atoms that hold together, each with the spaces behind it.
  std::vector<std::string_view> atoms;
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_decode(text, at);
    const bool after_space = at > from && text[at - 1] == ' ' && text[at] != ' ';
    if (after_space || (c.valid && breaks_before(c.code) && at > from)) {
      atoms.push_back(text.substr(from, at - from));
      from = at;
    }
    at += c.bytes;
  }
  if (from < text.size()) atoms.push_back(text.substr(from));
  std::vector<std::string> lines;
  std::string line;
  const auto fits = [&](std::string_view words) { return text_width(words, px, bold) * kFaceSlack <= room; };
  const auto flush = [&] {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty()) lines.push_back(std::move(line));
    line.clear();
  };
  for (std::string_view atom : atoms) {
    const auto bare = atom.substr(0, atom.find_last_not_of(' ') + 1);
    if (!line.empty() && !fits(line + std::string(bare))) flush();
    while (line.empty() && !fits(bare) && !atom.empty()) {  // wider than a line
      std::size_t end = utf8_decode(atom, 0).bytes;
      while (end < atom.size() && fits(atom.substr(0, end + utf8_decode(atom, end).bytes))) end += utf8_decode(atom, end).bytes;
      if (end >= atom.size()) break;
      lines.emplace_back(atom.substr(0, end));
      atom.remove_prefix(end);
      if (fits(atom)) break;
    }
    line += atom;
  }
  flush();
  return lines;
}

std::optional<Width> read_width(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && ((text[end] >= '0' && text[end] <= '9') || text[end] == '.')) ++end;
  if (end == 0 || end > 9 || std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '.') > 1) return std::nullopt;
  const double n = std::strtod(std::string(text.substr(0, end)).c_str(), nullptr);
  const std::string_view unit = text.substr(end);
  const double inch = 96;
  double px = 0;
  if (unit.empty() || unit == "px") px = n;
  else if (unit == "mm") px = n * inch / 25.4;
  else if (unit == "cm") px = n * inch / 2.54;
  else if (unit == "in") px = n * inch;
  else if (unit == "pt") px = n * inch / 72;
  else return std::nullopt;
  if (!(px >= 200 && px <= 4000)) return std::nullopt;
  return Width{px, std::string(text.substr(0, end)) + (unit.empty() ? "px" : std::string(unit))};
}

Sheet::Sheet(const Inputs& inputs, const Style& s)
    : in(inputs), style(s), view(*inputs.view), words(s.language), palette(s.dark ? theme::kDark : theme::kLight), type(type_for(s.width.px)),
      grid(shown_grid(*inputs.dump, *inputs.stored, *inputs.shown, inputs.view->recipe)), border(joint_border(*inputs.stored, inputs.view->recipe)),
      two_sided(rollscope::two_sided(*inputs.shown)), scale(view_scale(*inputs.view, *inputs.shown)), left(kMargin), width(s.width.px - 2 * kMargin), y(kMargin) {}

bool Sheet::predicts_known(int query) const {
  const auto& predicts = in.shown->predicts;
  return in.shown->kind == StreamKind::cross && query >= 0 && query < static_cast<int>(predicts.size()) && !predicts[static_cast<std::size_t>(query)].empty();
}

std::string Sheet::query_name(int query, bool short_form) const {
  if (in.one_output) return std::string(words(Word::the_output));
  if (predicts_known(query)) return in.shown->predicts[static_cast<std::size_t>(query)];
  const std::string name = token_name(*in.shown, grid, query, false, words(short_form ? Word::patch_short : Word::patch));
  return in.shown->kind == StreamKind::cross ? words.fill(Word::after, {{"token", isolated(name)}}) : name;
}

int Sheet::layer_number(int stored) const {
  const auto& numbers = in.shown->layer_numbers;
  return stored >= 0 && stored < static_cast<int>(numbers.size()) ? numbers[static_cast<std::size_t>(stored)] + 1 : stored + 1;
}

std::string Sheet::layers_text() const {
  const std::string first = std::to_string(layer_number(view.recipe.first_layer)), last = std::to_string(layer_number(view.recipe.end_layer - 1));
  return view.recipe.end_layer - view.recipe.first_layer == 1 ? last : first + "\u2013" + last;
}

std::string Sheet::unit() const {
  const auto at = std::find(std::begin(kUnitNames), std::end(kUnitNames), unit_name(view.recipe)) - std::begin(kUnitNames);
  const std::string name(words(kUnits[at]));
  return percents() ? words.fill(Word::unit_percent, {{"unit", name}}) : name;
}

bool Sheet::percents() const { return in_percent(view.recipe); }

bool Sheet::has_value(int key) const {
  const auto k = static_cast<std::size_t>(key);
  return k < view.row.size() && !std::isnan(view.row[k]);
}

Rgb Sheet::heat(int key) const {
  const auto k = static_cast<std::size_t>(key);
  return scale.colour(k < view.row.size() ? scale.position(static_cast<double>(view.row[k])) : 0, style.dark);
}

void Sheet::line_text(double x, double top, double height, std::string_view text, const TextLook& look) { svg.text(x, baseline(top, height, look.px), text, look); }

void Sheet::title(std::string_view strong, std::string_view rest, std::string_view right, Paint colour) {
  const auto group = svg.group("title");
  const double height = type.title * 1.5, gap = type.title * 0.6;
  const double right_width = right.empty() ? 0 : text_width(right, type.body) * kFaceSlack;
  const bool beside = right_width <= width * 0.55;
  const double room = width - (beside && !right.empty() ? right_width + gap : 0);
  const std::string name = cut_text(strong, type.title, true, room);
  const double name_width = text_width(name, type.title, true) * kFaceSlack;
  const double base = baseline(y, height, type.title);
  const double rest_room = room - name_width - gap;
  const bool one = text_width(rest, type.body) * kFaceSlack <= rest_room;
  svg.text(left, base, name, {.px = type.title, .colour = colour, .bold = true}, one ? rest : std::string_view(), {.px = type.body, .colour = ink3()}, gap);
  if (beside) svg.text(left + width, base, right, {.px = type.body, .colour = ink3(), .anchor = Anchor::end});
  y += height;
  if (!one) paragraph(rest, type.body, ink3());
  if (!beside) paragraph(right, type.body, ink3());
  y += type.label * 0.3;
}

void Sheet::row_title() {
  std::string rest = in.one_output ? std::string() : words.fill(Word::place, {{"n", words.count(view.query + 1)}, {"count", words.count(in.shown->queries)}});
  if (predicts_known(view.query)) rest += ", " + words.fill(Word::after, {{"token", isolated(token_name(*in.shown, grid, view.query, false, words(Word::patch)))}});
  title(query_name(view.query), rest, unit(), accent());
}

void Sheet::token_box(const Box& b, int key, std::string_view name, double px, bool ring) {
  if (text_width(name, px) * kFaceSlack > b.w) px = type.small;
  const std::string text = cut_text(name, px, false, b.w);
  const double radius = std::min(3.0, b.h / 4);
  const TextLook look{.px = px, .colour = ink(), .anchor = Anchor::middle, .room = b.w};
  TextLook words_look = look;
  if (!sees(key)) {
    svg.rect(b, kNone, radius, {palette.line}, 0.75);
    words_look.colour = ink3();
  } else if (!has_value(key)) {
    svg.rect(b, {palette.well}, radius, {palette.line}, 0.75);
    svg.hatch(b, {palette.line}, 4, radius);
    words_look.colour = ink2();
  } else if (sink(key)) {
    svg.hatch(b, {palette.sink}, 4, radius);
    const double w = std::min(b.w - 2, text_width(text, px) * kFaceSlack + px * 0.5);
    if (!text.empty()) svg.rect({b.middle_x() - w / 2, b.y + 1.5, w, b.h - 3}, {palette.panel}, 2);
    svg.rect(b, kNone, radius, {palette.sink}, 1);
  } else {
    const Rgb colour = heat(key);
    svg.rect(b, paint(colour), radius);
    words_look.colour = paint(text_on(colour));
  }
  if (!text.empty()) svg.text(b.middle_x(), baseline(b.y, b.h, px), text, words_look);
  if (ring && itself(key)) svg.rect({b.x - 1.5, b.y - 1.5, b.w + 3, b.h + 3}, kNone, radius + 1.5, accent(), 1.25);
}

void Sheet::legend(const ColourScale& s, bool percents, bool sinks, std::string_view note) {
  const auto group = svg.group("scale");
  const double px = type.small, h = px * 1.6;
  const auto number = [&](double v) { return percents ? percent(v, words.decimal()) : significant(v, words.decimal()); };
  std::string high = number(s.high);
  if (percents) high += "\u00A0%";
  const std::string low = s.curve == ScaleCurve::linear && s.low == 0 ? "0" : number(s.low);
  double x = left;
  svg.text(x, baseline(y, h, px), low, {.px = px, .colour = ink2()});
  x += text_width(low, px) * kFaceSlack + px * 0.6;
  const double bar = std::min(std::max(70.0, width * 0.25), 160.0), bar_h = px * 0.95;
  const Box b{x, y + (h - bar_h) / 2, bar, bar_h};
  std::vector<Paint> steps;  // those of the colormaps (scene/colormap.h)
  const int last = s.two_sided ? 14 : 15;
  for (int i = 0; i <= last; ++i) steps.push_back(paint(s.colour(static_cast<double>(i) / last, style.dark)));
  svg.gradient(b, steps);
  svg.rect(b, kNone, 0, {palette.line2}, 0.75);
  x = b.right() + px * 0.6;
  svg.text(x, baseline(y, h, px), high, {.px = px, .colour = ink2()});
  x += text_width(high, px) * kFaceSlack + px * 1.4;
  const auto item = [&](std::string_view text, double mark) {
    const double w = mark + text_width(text, px) * kFaceSlack;
    if (x + w > left + width) x = left, y += h;
    return w;
  };
  if (!note.empty()) {
    const double w = item(note, 0);
    svg.text(x, baseline(y, h, px), note, {.px = px, .colour = ink3()});
    x += w + px * 1.4;
  }
  if (sinks) {
    const double w = item(words(Word::sink_off), px * 2.2);
    const Box hatched{x, y + (h - bar_h) / 2, px * 1.6, bar_h};
    svg.hatch(hatched, {palette.sink}, 4);
    svg.rect(hatched, kNone, 1, {palette.sink}, 0.75);
    svg.text(hatched.right() + px * 0.6, baseline(y, h, px), words(Word::sink_off), {.px = px, .colour = ink3()});
    x += w;
  }
  y += h;
}

void Sheet::paragraph(std::string_view text, double px, Paint colour, bool bold) {
  const double line = px * 1.4;
  for (const auto& words : wrapped(text, px, bold, width)) {
    svg.text(left, baseline(y, line, px), words, {.px = px, .colour = colour, .bold = bold});
    y += line;
  }
}

std::string Sheet::closing(const Recipe& r) const {
  const MethodTraits& t = traits(r.method);
  const std::string mark(words(t.mark == Mark::published ? Word::mark_published : t.mark == Mark::corrected ? Word::mark_corrected : Word::mark_ours));
  if (!t.attention) return words.fill(Word::closing, {{"mark", mark}});
  Word leaves = in.stored->kind == StreamKind::cross && r.method == Method::raw ? Word::leaves_cross : Word::leaves;
  if (r.method == Method::norm_rollout) leaves = r.source == "value_norms" ? Word::leaves_value_norms : Word::leaves_norms;
  return words.fill(Word::closing_leaves, {{"mark", mark}, {"leaves", std::string(words(leaves))}});
}

Figure Sheet::finish(std::string_view title, std::span<const std::string> notes, bool of_recipe) {
  const std::string sentence = of_recipe ? recipe_sentence(*in.stored, view.recipe) : std::string();
  std::string text = style.caption.value_or(sentence);
  const bool silent = style.caption && style.caption->empty();
  if (silent) text = sentence;
  for (const std::string& note : notes) text += (text.empty() ? "" : " ") + note;
  if (of_recipe) text += " " + closing(view.recipe);
  const std::vector<std::string> limits = of_recipe ? style.limits : std::vector<std::string>();
  if (!silent) {
    const auto group = svg.group("caption");
    y += type.label * 0.6;
    svg.line(left, y, left + width, y, {palette.line}, 0.75);
    y += type.label * 0.5;
    paragraph(text, type.label, ink2());
    for (const std::string& limit : limits) paragraph(limit, type.label, {palette.warn});
  }
  Svg::Document d;
  d.width = style.width.px;
  d.height = std::ceil(y + kMargin);
  // The height in the unit of the width.
  const auto unit = style.width.text.substr(style.width.text.find_first_not_of("0123456789."));
  const double number = std::strtod(style.width.text.c_str(), nullptr);
  d.size = "width=\"" + style.width.text + "\" height=\"" + Svg::number(d.height * number / d.width) + unit + "\"";
  d.language = words.language();
  d.title = title;
  d.description = text;
  for (const std::string& limit : limits) d.description += " " + limit;
  d.metadata = style.metadata;
  if (style.ground) d.ground = {palette.panel};
  Figure out;
  out.width = d.width;
  out.height = d.height;
  out.svg = svg.finish(d);
  return out;
}

Figure draw(View view, const Inputs& inputs, const Style& style) {
  Sheet sheet(inputs, style);
  switch (view) {
    case View::row: return draw_row(sheet);
    case View::matrix: return draw_matrix(sheet);
    case View::graph: return draw_graph(sheet);
    case View::heads: return draw_heads(sheet);
    case View::depth: return draw_depth(sheet);
    case View::compare: break;
  }
  return draw_compare(sheet);
}

}  // namespace rollscope::figure
