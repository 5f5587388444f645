// Two recipes about one output: the weights of each token under A and under B on one scale, and what B has more.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/recipe_text.h"
#include "figure/sheet.h"
#include "figure/text_width.h"
#include "scene/recipe_fit.h"

namespace rollscope::figure {
namespace {

constexpr int kMostRows = 16;

// Rows that are no shares are divided by their sums, so that both lie on one scale.
std::vector<double> divided(const std::vector<float>& row, bool by_sum) {
  std::vector<double> out(row.begin(), row.end());
  if (!by_sum) return out;
  double sum = 0;
  for (const double x : out)
    if (std::isfinite(x)) sum += std::abs(x);
  if (sum > 0)
    for (double& x : out) x /= sum;
  return out;
}

}  // namespace

Figure draw_compare(Sheet& s) {
  const BesideData& d = *s.in.beside;
  const bool by_sum = !in_percent(d.a) || !in_percent(d.b);
  const auto a = divided(d.row_a, by_sum), b = divided(d.row_b, by_sum);
  const auto aside = [&](int key) { return std::binary_search(d.sinks.begin(), d.sinks.end(), key); };
  const auto size = [](double x) { return std::isfinite(x) ? std::abs(x) : 0.0; };

  s.title(s.words.fill(Word::beside_title, {{"token", isolated(s.query_name(d.query))}}), {}, {}, s.ink());
  const Rgb colours[] = {signed_colour(0.06, s.style.dark), signed_colour(0.94, s.style.dark)};
  const std::string sentences[] = {"A: " + recipe_sentence(*s.in.stored, d.a) + " " + s.closing(d.a), "B: " + recipe_sentence(*s.in.stored, d.b) + " " + s.closing(d.b)};
  for (int side = 0; side < 2; ++side) s.paragraph(sentences[side], s.type.label, paint(colours[side]));
  s.y += s.type.label * 0.6;

  // The keys that either side weighs most, in the order of the text where they are few.
  std::vector<int> order(a.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
    const auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y);
    if (aside(x) != aside(y)) return aside(y);
    return std::max(size(a[i]), size(b[i])) > std::max(size(a[j]), size(b[j]));
  });
  if (order.size() > kMostRows) order.resize(kMostRows);
  std::sort(order.begin(), order.end());
  double most = 1e-9, most_less = 0, most_more = 0, names = 0;  // B has less than A, or more
  const double px = s.type.body, small = s.type.small;
  for (const int key : order) {
    const auto k = static_cast<std::size_t>(key);
    names = std::max(names, text_width(s.key_name(key), px) * kFaceSlack + px);
    if (aside(key)) continue;
    most = std::max({most, size(a[k]), size(b[k])});
    if (!std::isfinite(b[k] - a[k])) continue;
    most_less = std::max(most_less, a[k] - b[k]);
    most_more = std::max(most_more, b[k] - a[k]);
  }
  names = std::clamp(names, px * 4, s.width * 0.28);
  const double number = small * 3.4, third = (s.width - names) * 0.38, row = px * 2.1;
  const double bars = s.width - names - third - number;
  {
    const auto group = s.svg.group("rows");
    // Numbers stand at the outer ends.
    const double reach_all = third - (most_less > 0 ? number : 0) - (most_more > 0 ? number : 0);
    const double unit = reach_all / std::max(1e-9, most_less + most_more);
    const double middle = s.left + s.width - third + (most_less > 0 ? number : 0) + most_less * unit;
    s.line_text(s.left + s.width - third / 2, s.y, small * 1.6, s.words(Word::beside_difference), {.px = small, .colour = s.ink3(), .anchor = Anchor::middle});
    s.line_text(s.left + names, s.y, small * 1.6, s.words.fill(Word::unit_percent, {{"unit", "A, B"}}), {.px = small, .colour = s.ink3()});
    s.y += small * 1.8;
    for (const int key : order) {
      const auto k = static_cast<std::size_t>(key);
      const bool mine = s.itself(key);
      s.line_text(s.left, s.y, row, cut_text(s.key_name(key), px, mine, names - px * 0.5), {.px = px, .colour = mine ? s.accent() : s.ink(), .bold = mine});
      const double h = row * 0.36;
      for (int side = 0; side < 2; ++side) {
        const double weight = side == 0 ? a[k] : b[k];
        const Box t{s.left + names, s.y + row * 0.1 + side * (h + 1), std::max(1.0, bars * std::min(1.0, size(weight) / most)), h};
        if (aside(key)) s.svg.hatch(t, {s.palette.sink}, 3), s.svg.rect(t, kNone, 0, {s.palette.sink}, 0.5);
        else s.svg.rect(t, paint(colours[side]), 1);
        s.line_text(t.right() + 3, t.y, t.h, percent(weight, s.words.decimal()), {.px = small, .colour = s.ink2()});
      }
      const double difference = b[k] - a[k], reach = size(difference) * unit;
      if (!aside(key) && std::isfinite(difference)) {
        s.svg.rect({difference < 0 ? middle - reach : middle, s.y + row * 0.25, std::max(0.5, reach), row * 0.45}, paint(colours[difference < 0 ? 0 : 1]), 1);
        const std::string points = (difference > 0 ? "+" : "") + s.words.number(difference * 100, 1);
        s.line_text(difference < 0 ? middle - reach - 3 : middle + reach + 3, s.y + row * 0.25, row * 0.45, points, {.px = small, .colour = s.ink2(), .anchor = difference < 0 ? Anchor::end : Anchor::start});
      }
      s.y += row;
    }
    s.svg.line(middle, s.y - row * static_cast<double>(order.size()), middle, s.y, {s.palette.line2}, 0.75);
  }
  std::vector<std::string> notes{s.words.fill(Word::beside_measures, {{"rho", s.words.number(d.row.spearman, 2)}, {"tv", s.words.number(d.row.total_variation, 2)}, {"k", std::to_string(kBesideTop)}, {"top", s.words.number(d.row.top, 0)}})};
  if (order.size() < a.size()) notes.push_back(s.words.fill(Word::other_many, {{"n", s.words.count(static_cast<long long>(a.size() - order.size()))}}) + ".");
  return s.finish(s.words.fill(Word::beside_title, {{"token", s.query_name(d.query)}}), notes, false);
}

}  // namespace rollscope::figure
