// Curves over the layers: how spread, how alike and how taken by one token the rows are after each layer.
#include <algorithm>
#include <cmath>

#include "analysis/recipe_text.h"
#include "figure/sheet.h"
#include "figure/text_width.h"

namespace rollscope::figure {
namespace {

struct Curve {
  std::string name;
  std::vector<float> values;
  enum Kind : std::uint8_t { share, distance, rank } kind;
};

// The key whose weight is followed: the strongest that is no sink.
int followed_key(const Sheet& s) {
  int best = -1;
  for (int j = 0; j < static_cast<int>(s.view.row.size()); ++j)
    if (!s.sink(j) && s.has_value(j) && (best < 0 || s.view.row[static_cast<std::size_t>(j)] > s.view.row[static_cast<std::size_t>(best)])) best = j;
  return best;
}

std::vector<Curve> curves(const Sheet& s) {
  const DepthData& d = *s.in.layers;
  std::vector<Curve> out{{std::string(s.words(Word::depth_entropy)), d.entropy, Curve::share}, {std::string(s.words(Word::depth_distance)), d.distance, Curve::distance},
                         {std::string(s.words(Word::depth_top_share)), d.top_share, Curve::share}, {std::string(s.words(Word::depth_sink_mass)), d.sink_mass, Curve::share},
                         {std::string(s.words(Word::depth_effective_rank)), d.effective_rank, Curve::rank}};
  if (const int key = followed_key(s); key >= 0) {
    Curve own{s.words.fill(Word::depth_key, {{"token", isolated(s.key_name(key))}}), {}, Curve::share};
    for (const auto& row : d.rows) own.values.push_back(static_cast<std::size_t>(key) < row.size() ? row[static_cast<std::size_t>(key)] : NAN);
    out.push_back(std::move(own));
  }
  return out;
}

double nice_top(double most, const Curve& c) {
  if (c.kind == Curve::distance) return 1;
  for (const double step : {0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0})
    if (most <= step) return step;
  return most;
}

std::string value_text(const Sheet& s, const Curve& c, double x) {
  if (c.kind == Curve::rank) return s.words.number(x, x == std::floor(x) ? 0 : 1);
  if (c.kind == Curve::distance) return s.words.number(x, x == std::floor(x) ? 0 : 2);
  return s.words.number(x * 100, x * 100 == std::floor(x * 100) ? 0 : 1) + "\u00A0%";
}

void chart(Sheet& s, const Box& box, const Curve& c) {
  const DepthData& d = *s.in.layers;
  const double px = s.type.label, small = s.type.small;
  s.line_text(box.x, box.y, px * 1.6, cut_text(c.name, px, true, box.w), {.px = px, .colour = s.ink(), .bold = true});
  double most = 0;
  int known = 0;
  for (const float v : c.values)
    if (std::isfinite(v)) most = std::max(most, static_cast<double>(v)), ++known;
  if (known == 0) {
    s.line_text(box.x, box.y + px * 1.6, px * 2, s.words(Word::depth_missing), {.px = small, .colour = s.ink3()});
    return;
  }
  const double top = nice_top(most, c);
  const Box plot{box.x + small * 3.6, box.y + px * 2.5, box.w - small * 4.4, box.h - px * 2.5 - small * 1.9};
  for (int k = 0; k <= 2; ++k) {
    const double y = plot.bottom() - plot.h * k / 2;
    s.svg.line(plot.x, y, plot.right(), y, {s.palette.line}, 0.75);
    s.svg.text(plot.x - small * 0.45, y + small * 0.35, value_text(s, c, top * k / 2), {.px = small, .colour = s.ink3(), .anchor = Anchor::end});
  }
  const auto n = c.values.size();
  const auto x_of = [&](std::size_t l) { return n > 1 ? plot.x + plot.w * static_cast<double>(l) / static_cast<double>(n - 1) : plot.middle_x(); };
  const auto y_of = [&](double v) { return plot.bottom() - plot.h * std::clamp(v / top, 0.0, 1.0); };
  if (c.kind == Curve::distance)  // where rows count as similar, and as the same
    for (const double limit : {0.05, 0.15}) s.svg.line(plot.x, y_of(limit), plot.right(), y_of(limit), {s.palette.warn}, 0.75, "3 2");
  std::string path;
  bool pen = false;
  for (std::size_t l = 0; l < n; ++l) {
    const bool value = std::isfinite(c.values[l]);
    if (value) path += (pen ? "L" : "M") + Svg::number(x_of(l)) + " " + Svg::number(y_of(static_cast<double>(c.values[l])));
    pen = value;
  }
  s.svg.stroke_path(path, s.accent(), 1.25);
  // As many numbers as fit side by side.
  const double need = text_width("00", small) * kFaceSlack * 1.5;
  int step = 1;
  for (const int next : {2, 5, 10, 20, 50, 100})
    if (n > 1 && plot.w / static_cast<double>(n - 1) * step < need) step = next;
  for (std::size_t l = 0; l < n; ++l) {
    if (n <= 32 && std::isfinite(c.values[l])) s.svg.circle(x_of(l), y_of(static_cast<double>(c.values[l])), 1.9, s.accent());
    const bool last = l + 1 == n, crowded = n > 1 && plot.w / static_cast<double>(n - 1) * static_cast<double>((n - 1) % static_cast<std::size_t>(step)) < need && (n - 1) % static_cast<std::size_t>(step) != 0;
    if (static_cast<int>(l) % step == 0 || (last && !crowded))
      s.svg.text(x_of(l), plot.bottom() + small * 1.3, std::to_string(s.layer_number(d.first_layer + static_cast<int>(l))), {.px = small, .colour = s.ink3(), .anchor = Anchor::middle});
  }
}

}  // namespace

Figure draw_depth(Sheet& s) {
  const DepthData& d = *s.in.layers;
  const int from = d.collapsed_from >= 0 ? d.collapsed_from : d.similar_from;
  const std::string verdict = from < 0 ? std::string(s.words(Word::depth_differ))
                                       : s.words.fill(d.collapsed_from >= 0 ? Word::depth_collapsed : Word::depth_similar, {{"layer", std::to_string(s.layer_number(d.first_layer + from))}});
  s.title(s.words(Word::depth_title), {}, {}, s.ink());
  s.paragraph(verdict, s.type.body, from < 0 ? s.ink2() : Paint{s.palette.warn});
  s.y += s.type.label * 0.5;
  const auto all = curves(s);
  const int across = s.width > 480 ? 3 : 2;
  const double gap = s.type.label * 1.4, w = (s.width - gap * (across - 1)) / across, h = std::max(w * 0.62, s.type.label * 10);
  {
    const auto group = s.svg.group("curves");
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto column = static_cast<double>(k % static_cast<std::size_t>(across)), row = static_cast<double>(k / static_cast<std::size_t>(across));
      chart(s, {s.left + column * (w + gap), s.y + row * (h + gap * 0.6), w, h}, all[k]);
    }
  }
  s.y += static_cast<double>((all.size() + static_cast<std::size_t>(across) - 1) / static_cast<std::size_t>(across)) * (h + gap * 0.6);
  s.line_text(s.left + s.width / 2, s.y - gap * 0.4, s.type.label * 1.4, s.words(Word::depth_axis), {.px = s.type.small, .colour = s.ink3(), .anchor = Anchor::middle});
  s.y += s.type.label;
  const bool chain = is_chain(*s.in.stored, s.view.recipe);
  std::vector<std::string> notes{std::string(s.words(Word::depth_limits))};
  if (!chain) notes.insert(notes.begin(), std::string(s.words(Word::depth_alone)));
  return s.finish(s.words(Word::depth_title), notes, chain);
}

}  // namespace rollscope::figure
