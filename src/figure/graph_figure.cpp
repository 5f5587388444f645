// The token graph: every path from the chosen output down to the inputs, as the screen draws it (scene/graph_layout.h).
#include <algorithm>
#include <cmath>

#include "analysis/recipe_text.h"
#include "figure/sheet.h"
#include "figure/text_width.h"
#include "scene/graph_layout.h"

namespace rollscope::figure {
namespace {

constexpr double kScreenLabel = 12;   // px of a label where graph_layout.h's distances hold
constexpr double kSlant = 50;         // degrees
constexpr int kMostEdges = 4000;      // 110 bytes each
constexpr double kFloor = 0.6;        // px of the thinnest ribbon
constexpr float kCrowd = 110;         // ribbons of a layer that can be told apart; of more the thin ones grow paler

struct Frame {
  double zoom = 1;        // px of the page for one of the layout
  Box area;               // of nodes and ribbons
  double shares = 0;      // x of the layers' shares; 0: not drawn
  bool slanted = false;   // names under the inputs
};

std::string number(double x) { return Svg::number(x); }

// The middle of a ribbon, or where its ends differ in width its outline.
void draw_ribbon(Sheet& s, const Frame& f, const Ribbon& r, Paint colour, std::string_view dash) {
  const double x0 = r.x0 * f.zoom, y0 = r.y0 * f.zoom, x1 = r.x1 * f.zoom, y1 = r.y1 * f.zoom, half = (y0 + y1) / 2;
  const double w0 = std::max(kFloor, r.width0 * f.zoom), w1 = std::max(kFloor, r.width1 * f.zoom);
  const auto curve = [&](double from, double to) {
    return "C" + number(from) + " " + number(half) + " " + number(to) + " " + number(half) + " " + number(to) + " ";
  };
  if (std::abs(w0 - w1) < 0.15 * std::max(w0, w1) || !dash.empty()) {
    s.svg.stroke_path("M" + number(x0) + " " + number(y0) + curve(x0, x1) + number(y1), colour, (w0 + w1) / 2, dash);
    return;
  }
  s.svg.fill_path("M" + number(x0 - w0 / 2) + " " + number(y0) + curve(x0 - w0 / 2, x1 - w1 / 2) + number(y1) + "H" + number(x1 + w1 / 2) + curve(x1 + w1 / 2, x0 + w0 / 2) + number(y0) + "z", colour);
}

void ribbons(Sheet& s, const Frame& f, const GraphLayout& g) {
  const double largest = largest_ribbon(g);
  const float crowd = static_cast<float>(g.ribbons.size()) / static_cast<float>(std::max<std::size_t>(1, g.shown.size()));
  const float pale = std::clamp(kCrowd / crowd, 0.1f, 1.0f);
  constexpr std::pair<RibbonKind, std::string_view> kGroups[] = {{RibbonKind::sink, "to-sinks"}, {RibbonKind::residual, "residual"}, {RibbonKind::own, "own-attention"}, {RibbonKind::attention, "attention"}};
  for (const auto& [kind, id] : kGroups) {
    const auto group = s.svg.group(id);
    for (const Ribbon& r : g.ribbons) {
      if (r.kind != kind) continue;
      const double thin = static_cast<double>(pale + (1 - pale) * std::clamp(r.width0 / 2, 0.0f, 1.0f));
      if (kind == RibbonKind::residual) draw_ribbon(s, f, r, {s.palette.kept, 0.85}, {});
      else if (kind == RibbonKind::sink) draw_ribbon(s, f, r, {s.palette.sink, thin}, "1 2");
      else {
        const RibbonTone tone = ribbon_tone(static_cast<double>(r.weight), largest, s.style.dark, s.scale.two_sided);
        draw_ribbon(s, f, r, paint(tone.colour, static_cast<double>(tone.alpha) * thin), {});
      }
    }
  }
}

void nodes(Sheet& s, const Frame& f, const GraphLayout& g) {
  const auto group = s.svg.group("nodes");
  const int top = static_cast<int>(g.level_y.size()) - 1;
  for (const GraphNode& n : g.nodes) {
    const bool chosen = n.level == top && n.token == s.view.query;
    const double h = (n.mass > 0 ? 6 : 2.5) * f.zoom, w = std::max(2.0, n.width * f.zoom);
    const std::uint32_t c = chosen ? s.palette.accent : n.mass <= 0 ? s.palette.line2 : n.level < top && s.sink(n.token) ? s.palette.sink : s.palette.node;
    s.svg.rect({n.x * f.zoom - w / 2, n.y * f.zoom - h / 2, w, h}, {c}, 1.5);
  }
}

bool keeps_all(const ViewData& v) {
  double sum = 0;
  for (const float m : v.states.front()) sum += static_cast<double>(m);
  return std::abs(sum - 1) <= 1e-3;
}

std::string layer_words(const Sheet& s, int gap) {
  const Recipe& r = s.view.recipe;
  if (!traits(r.method).attention) return {};  // stored scores come from no layer
  if (is_chain(*s.in.stored, r)) return s.words.fill(Word::layer, {{"layer", std::to_string(s.layer_number(r.first_layer + gap))}});
  return s.words.fill(r.end_layer - r.first_layer == 1 ? Word::layer : Word::layers, {{"layer", s.layers_text()}, {"layers", s.layers_text()}});
}

// Names of layers at the left; at the right how each divides its weight between residual, attention and sinks.
void layers(Sheet& s, const Frame& f, const GraphLayout& g) {
  const auto group = s.svg.group("layers");
  const double px = s.type.label;
  for (const float y : g.level_y) s.svg.line(f.area.x - 4, y * f.zoom, f.area.right() + 4, y * f.zoom, {s.palette.line}, 0.75);
  const double pitch = g.level_y.size() > 1 ? (g.level_y[0] - g.level_y[1]) * f.zoom : 0;
  const int step = pitch >= px * 1.25 ? 1 : pitch >= px * 0.6 ? 2 : 4;
  for (std::size_t l = 0; l + 1 < g.level_y.size(); ++l) {
    if (static_cast<int>(l) % step) continue;
    const double middle = (g.level_y[l] + g.level_y[l + 1]) / 2 * f.zoom;
    s.svg.text(s.left, middle + px * 0.35, layer_words(s, static_cast<int>(l)), {.px = px, .colour = s.ink3()});
    if (f.shares <= 0 || l >= s.view.gaps.size()) continue;
    const Gap& gap = s.view.gaps[l];
    const double total = static_cast<double>(gap.residual + gap.own + gap.others);
    if (!(total > 0)) continue;
    const Box bar{f.shares, middle - px * 0.35, s.left + s.width - f.shares, px * 0.7};
    const double residual = static_cast<double>(gap.residual) / total * bar.w, sink = static_cast<double>(gap.sink) / total * bar.w;
    s.svg.rect({bar.x, bar.y, residual, bar.h}, {s.palette.kept});
    s.svg.rect({bar.x + residual, bar.y, bar.w - residual - sink, bar.h}, paint(ribbon_tone(0.36, 1, s.style.dark, false).colour));
    if (sink > 0.5) {
      const Box hatched{bar.right() - sink, bar.y, sink, bar.h};
      s.svg.hatch(hatched, {s.palette.sink}, 3);
      s.svg.rect(hatched, kNone, 0, {s.palette.sink}, 0.5);
    }
  }
}

// --- names

struct Column {
  double x;
  int first, end;  // tokens
};
std::vector<Column> columns_of(const GraphLayout& g, double zoom, bool keys) {
  std::vector<Column> out;
  if (!keys && !g.query_x.empty()) {
    for (std::size_t i = 0; i < g.query_x.size(); ++i) out.push_back({g.query_x[i] * zoom, static_cast<int>(i), static_cast<int>(i) + 1});
    return out;
  }
  for (std::size_t c = 0; c < g.column_x.size(); ++c) out.push_back({g.column_x[c] * zoom, g.column_first[c], g.column_first[c + 1]});
  return out;
}

std::string column_name(const Sheet& s, const Column& c) {
  const std::string first = s.key_name(c.first, true);
  if (c.end - c.first == 1) return first;
  if (is_patch(*s.in.shown, s.grid, c.first, true)) return first + " \u2026 " + s.key_name(c.end - 1, true);
  const auto& tokens = s.in.shown->key_tokens;
  const auto second = static_cast<std::size_t>(c.first) + 1;
  const std::string two = first + (second < tokens.size() && tokens[second].starts_word ? " " : "") + s.key_name(c.first + 1, true);
  return c.first + 2 < c.end ? two + " \u2026" : two;
}

void outputs(Sheet& s, const Frame& f, const GraphLayout& g, double top, double height) {
  const auto group = s.svg.group("outputs");
  const double px = s.type.label;
  const auto columns = columns_of(g, f.zoom, false);
  const double pitch = columns.size() > 1 ? columns[1].x - columns[0].x : g.column * f.zoom;
  Box chosen{};
  std::string name;
  for (const Column& c : columns) {
    if (s.view.query < c.first || s.view.query >= c.end) continue;
    name = cut_text(s.query_name(s.view.query, true), px, true, f.area.w * 0.6);
    const double w = text_width(name, px, true) * kFaceSlack + px * 0.9;
    chosen = {std::clamp(c.x - w / 2, s.left, std::max(s.left, s.left + s.width - w)), top, w, height - px * 0.5};
  }
  for (const Column& c : columns) {
    if (f.slanted || s.in.one_output || (s.view.query >= c.first && s.view.query < c.end)) continue;
    const std::string whole = s.two_sided ? s.query_name(c.first, true) : column_name(s, c);
    const double size = text_width(whole, px) * kFaceSlack > pitch - 2 ? s.type.small : px;
    const std::string other = cut_text(whole, size, false, pitch - 2);
    const double w = text_width(other, size) * kFaceSlack;
    if (c.x + w / 2 > chosen.x - 2 && c.x - w / 2 < chosen.right() + 2) continue;  // gives way to the chosen name
    s.line_text(c.x, top, chosen.h, other, {.px = size, .colour = s.ink2(), .anchor = Anchor::middle});
  }
  s.svg.rect(chosen, {s.palette.accentbg}, 3, s.accent(), 1.25);
  s.line_text(chosen.middle_x(), chosen.y, chosen.h, name, {.px = px, .colour = s.accent(), .bold = true, .anchor = Anchor::middle, .room = chosen.w - 3});
  const std::string_view side = s.words(Word::output);
  if (s.left + text_width(side, px) * kFaceSlack < std::min(chosen.x, f.area.x)) s.line_text(s.left, top, chosen.h, side, {.px = px, .colour = s.ink3()});
}

// A bundle: its tokens as a barcode of heat.
void barcode(Sheet& s, const Box& b, const Column& c) {
  const double w = b.w / (c.end - c.first);
  for (int t = c.first; t < c.end; ++t) {
    const Box cell{b.x + w * (t - c.first), b.y, w, b.h};
    if (!s.has_value(t)) s.svg.rect(cell, {s.palette.well});
    else if (s.sink(t)) s.svg.hatch(cell, {s.palette.sink}, 3);
    else if (s.sees(t)) s.svg.rect(cell, paint(s.heat(t)));
  }
  s.svg.rect(b, kNone, 1.5, {s.palette.line2, 0.6}, 0.5);
}

double column_mass(const Sheet& s, const Column& c) {
  double mass = 0;
  for (int t = c.first; t < c.end; ++t) {
    const auto w = static_cast<double>(s.view.row[static_cast<std::size_t>(t)]);
    if (std::isnan(w) && c.end - c.first > 1) continue;
    mass = adds_up(s.view.recipe) ? mass + w : std::max(mass, w);
  }
  return mass;
}

// Boxes with their names in or under them; returns how far down they reach.
double inputs(Sheet& s, const Frame& f, const GraphLayout& g, double top) {
  const auto group = s.svg.group("inputs");
  const double px = s.type.label, height = px * 1.8, pitch = g.column * f.zoom;
  const auto columns = columns_of(g, f.zoom, true);
  const double sine = std::sin(kSlant * 3.14159265 / 180), cosine = std::cos(kSlant * 3.14159265 / 180);
  const int step = pitch < px * 1.1 ? static_cast<int>(std::ceil(px * 1.1 / pitch)) : 1;
  double reach = top + height;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& c = columns[i];
    const bool bundle = c.end - c.first > 1, mine = !bundle && s.itself(c.first);
    const std::string name = column_name(s, c);
    const double widest = f.slanted || bundle ? px * 6.5 : std::max(px * 6.5, text_width(name, px) * kFaceSlack + px);
    const double w = std::max(1.0, std::min(pitch - (pitch < px * 2.2 ? 1.2 : 1.6), widest));
    const Box b{c.x - w / 2, top, w, height};
    const bool seen = bundle || (s.sees(c.first) && s.has_value(c.first));
    std::string amount = seen ? s.amount_bare(column_mass(s, c)) : std::string("\u2013");
    if (s.percents() && column_mass(s, c) >= 0.095 && text_width(amount, s.type.small) * kFaceSlack > w + 1) amount = s.words.number(column_mass(s, c) * 100, 0);
    const bool fits = text_width(amount, s.type.small) * kFaceSlack <= (f.slanted ? w + 1 : pitch - 1);
    if (bundle) barcode(s, b, c);
    else s.token_box(b, c.first, f.slanted ? std::string() : name, px);
    if (f.slanted) {
      if (fits && !bundle && seen && !s.sink(c.first))
        s.line_text(b.middle_x(), b.y, b.h, amount, {.px = s.type.small, .colour = paint(text_on(s.heat(c.first))), .anchor = Anchor::middle, .room = w + 1});
      if (static_cast<int>(i) % step && !mine) continue;
      const double room = std::min(px * 8, (b.middle_x() - s.left) / cosine - px * 0.5);
      const std::string cut = cut_text(name, px, mine, std::max(room, px * 2.2));
      s.svg.text(b.middle_x() + px * 0.3, b.bottom() + px * 0.8, cut, {.px = px, .colour = mine ? s.accent() : s.ink2(), .bold = mine, .anchor = Anchor::end, .rotate = -kSlant});
      reach = std::max(reach, b.bottom() + px + text_width(cut, px, mine) * kFaceSlack * sine);
    } else {
      if (fits) s.line_text(c.x, b.bottom() + 2, s.type.small * 1.4, amount, {.px = s.type.small, .colour = mine ? s.accent() : s.ink2(), .bold = mine, .anchor = Anchor::middle, .room = pitch});
      reach = std::max(reach, b.bottom() + 2 + s.type.small * 1.5);
    }
  }
  const std::string_view side = s.words(s.two_sided && s.border == 0 ? Word::source : Word::input);
  if (s.left + text_width(side, px) * kFaceSlack < f.area.x - 2) s.line_text(s.left, top, height, side, {.px = px, .colour = s.ink3()});
  if (s.border > 0 && s.border < s.in.shown->keys && !columns.empty()) {  // the source's tokens, then the target's
    const double x = columns[static_cast<std::size_t>(column_of(g, s.border))].x - pitch / 2;
    s.svg.line(x, f.area.bottom() - 20, x, top + height + 3, {s.palette.line2}, 1.25);
    const double h = s.type.small * 1.3, y = f.area.bottom() - 8 - h;
    for (const Word word : {Word::source, Word::target}) {
      const double w = text_width(s.words(word), s.type.small) * kFaceSlack + 4, from = word == Word::source ? x - 3 - w : x + 3;
      s.svg.rect({from, y, w, h}, {s.palette.panel, 0.9}, 2);
      s.line_text(from + w / 2, y, h, s.words(word), {.px = s.type.small, .colour = s.ink3(), .anchor = Anchor::middle});
    }
  }
  return reach;
}

// What ribbons mean.
void key(Sheet& s) {
  const auto group = s.svg.group("key");
  const double px = s.type.small, h = px * 1.6;
  const bool chain = is_chain(*s.in.stored, s.view.recipe), attention = chain || s.view.recipe.method == Method::raw, residual = chain && traits(s.view.recipe.method).residual;
  const auto tone = [&](double w) { return paint(ribbon_tone(w, 1, s.style.dark, s.scale.two_sided).colour); };
  double x = s.left;
  const auto item = [&](Word word, auto swatch) {
    const double mark = px * 1.7, w = mark + px * 0.5 + text_width(s.words(word), px) * kFaceSlack;
    if (x > s.left && x + w > s.left + s.width) x = s.left, s.y += h;
    swatch(Box{x, s.y + h * 0.2, mark, h * 0.6});
    s.line_text(x + mark + px * 0.5, s.y, h, s.words(word), {.px = px, .colour = s.ink2()});
    x += w + px * 1.6;
  };
  const auto filled = [&](Paint colour) { return [&s, colour](const Box& b) { s.svg.rect(b, colour, 1); }; };
  if (residual) item(Word::key_residual, filled({s.palette.kept}));
  if (attention && !s.two_sided)
    item(Word::key_own, [&](const Box& b) {
      if (residual) s.svg.rect({b.x, b.y, b.w * 0.4, b.h}, {s.palette.kept});
      s.svg.rect({b.x + b.w * 0.6, b.y, b.w * 0.4, b.h}, tone(residual ? 1 : 0.36));
    });
  item(!attention ? s.view.is_signed ? Word::key_scores : Word::key_row : s.two_sided ? Word::key_cross : Word::key_others, filled(tone(0.36)));
  if (!s.view.sinks.empty())
    item(Word::key_sink, [&](const Box& b) {
      for (double k = 0; k < b.w; k += 3) s.svg.rect({b.x + k, b.y, 1, b.h}, {s.palette.sink});
    });
  s.y += h;
}

// What all names but a few need.
double usual_name(const Sheet& s) {
  std::vector<double> widths;
  for (int i = 0; i < s.in.shown->keys; ++i) widths.push_back(text_width(s.key_name(i, true), s.type.label) * kFaceSlack);
  std::sort(widths.begin(), widths.end());
  return widths.empty() ? 0 : widths[widths.size() - 1 - widths.size() / 8];
}

}  // namespace

Figure draw_graph(Sheet& s) {
  const ViewData& v = s.view;
  s.row_title();
  const double px = s.type.label;
  Frame f;
  f.zoom = px / kScreenLabel;
  double names = 0;
  const int gaps = std::max<int>(1, static_cast<int>(v.states.size()) - 1);
  for (int l = 0; l < gaps; ++l) names = std::max(names, text_width(layer_words(s, l), px) * kFaceSlack);
  const double side = std::max(names + px, px * 2);
  const bool shares = s.width > 480 && is_chain(*s.in.stored, v.recipe) && keeps_all(v);
  const double right = shares ? px * 6.5 : px * 0.5;
  if (shares) f.shares = s.left + s.width - px * 5;
  const double top = s.y, head = px * 2.6;
  if (shares) s.line_text(f.shares, top, head - px * 0.5, s.words(Word::each_layer), {.px = s.type.small, .colour = s.ink3()});
  const double gap_height = std::clamp(470.0 / gaps, 16.0, 130.0) * f.zoom;
  f.area = {s.left + side, top + head, s.width - side - right, gap_height * gaps};

  const GraphRect room{static_cast<float>(f.area.x / f.zoom), static_cast<float>(f.area.y / f.zoom), static_cast<float>(f.area.w / f.zoom), static_cast<float>(f.area.h / f.zoom)};
  double keep = !is_chain(*s.in.stored, v.recipe) && s.in.shown->keys <= 64 ? 0.998 : s.style.keep;  // one row alone is shown whole while it is short
  GraphLayout g = layout_graph(v, room, keep, Camera{});
  while (g.edges_drawn > kMostEdges && keep > 0.05) g = layout_graph(v, room, keep *= 0.85, Camera{});
  f.slanted = g.bundle > 1 || usual_name(s) > g.column * f.zoom - 3;

  outputs(s, f, g, top, head);
  layers(s, f, g);
  ribbons(s, f, g);
  nodes(s, f, g);
  s.y = inputs(s, f, g, f.area.bottom() + px * 0.9) + px * 0.7;
  s.legend(s.scale, s.percents(), !v.sinks.empty());
  key(s);

  std::vector<std::string> notes;
  const float shown = g.shown.empty() ? 1 : *std::min_element(g.shown.begin(), g.shown.end());
  if (shown < 0.9975f) notes.push_back(s.words.fill(Word::ribbons, {{"share", s.words.number(std::floor(static_cast<double>(shown) * 100 + 1e-4), 0)}}));
  if (g.bundle > 1) notes.push_back(s.words.fill(Word::bundled, {{"columns", s.words.count(static_cast<long long>(g.column_x.size()))}, {"tokens", s.words.count(s.in.shown->keys)}}));
  return s.finish(s.query_name(v.query) + " \u2013 " + s.unit(), notes);
}

}  // namespace rollscope::figure
