// How far A and B agree about the chosen output, in the place of the inspector: what each puts first, the measures, the
// largest differences, and what no measure can say.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/compare_panel.h"
#include "ui/draw.h"
#include "ui/names.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

int first_of(const BesideData& d, const std::vector<float>& row) {
  int best = -1;
  for (int j = 0; j < static_cast<int>(row.size()); ++j)
    if (!std::binary_search(d.sinks.begin(), d.sinks.end(), j) && std::isfinite(row[static_cast<std::size_t>(j)]) &&
        (best < 0 || std::abs(row[static_cast<std::size_t>(j)]) > std::abs(row[static_cast<std::size_t>(best)])))
      best = j;
  return best;
}

// Rank correlations of .7 and more count as agreement, below .3 as none.
const char* verdict(double rho) { return std::isnan(rho) ? "ui.compare.title" : rho >= 0.7 ? "ui.compare.agree" : rho < 0.3 ? "ui.compare.disagree" : "ui.compare.partly"; }

}  // namespace

bool shows_compare_inspector(const Ui& ui) { return shows(ui.state(), ViewKind::compare) && comparison_here(ui) && !ui.compare->a.empty(); }

void draw_compare_inspector(Ui& ui, const Box& box) {
  fill(ui, box, ui.theme.panel);
  rule_v(ui, box.x, box.y, box.h, ui.theme.line);
  ui.record.inspector = box;
  const BesideData& d = *ui.app.beside();
  const ComparePanel& p = *ui.compare;
  Box b{box.x + 16, box.y + 12, box.w - 32, box.h - 24};
  const Ink body{13, Weight::regular, ui.theme.ink2}, strong{13, Weight::semibold, ui.theme.ink}, quiet{12, Weight::regular, ui.theme.ink3};
  const Rich caveat = Rich().add(ui.words("ui.compare.caveat"), quiet);
  const float foot_height = caveat.wrap(ui, 0, 0, b.w, 17, false);
  const Box foot = b.cut_bottom(b.h > 320 ? foot_height + 10 : 0);
  float y = b.y;
  const Ink title{18, Weight::semibold, ui.theme.ink}, accent{18, Weight::semibold, ui.theme.accent};
  y += Rich().words(ui, verdict(d.row.spearman), title, title, {{"token", {query_name(ui, d.query), accent, true}}}).wrap(ui, b.x, y, b.w, 26) + 4;
  const int a = first_of(d, p.a), bb = first_of(d, p.b);
  if (a >= 0 && bb >= 0)
    y += Rich().words(ui, a == bb ? "ui.compare.same_first" : "ui.compare.firsts", body, strong, {{"a", {ui.token(a, true), strong, true}}, {"b", {ui.token(bb, true), strong, true}}}).wrap(ui, b.x, y, b.w, 19) + 12;

  const bool all = d.queries > 1;
  const float second = b.right(), first = all ? second - 66 : second;
  text(ui, b.x, baseline(y, 20, 13), ui.words("ui.compare.measures"), strong);
  label_right(ui, first, baseline(y, 20, 12), label_cut(ui, query_name(ui, d.query), 12, false, 70), 12, false, ui.theme.ink3);
  if (all) text_right(ui, second, baseline(y, 20, 12), ui.words("ui.compare.all_rows"), quiet);
  y += 22;
  const auto line = [&](const char* id, const std::string& one, const std::string& mean) {
    if (y + 24 > b.bottom()) return;
    rule_h(ui, b.x, y, b.w, ui.theme.line);
    text_fit(ui, b.x, baseline(y, 25, 13), first - b.x - 60, ui.words(id), {13, Weight::regular, ui.theme.ink});
    text_right(ui, first, baseline(y, 25, 13), one, strong);
    if (all) text_right(ui, second, baseline(y, 25, 13), mean, {13, Weight::regular, ui.theme.ink2});
    y += 25;
  };
  const auto number = [&](double x) { return std::isfinite(x) ? ui.words.number(x, 2) : std::string("–"); };
  const auto of_top = [&](double x, int decimals) {
    return std::isfinite(x) ? ui.words.fill("ui.compare.of", {{"n", ui.words.number(x, decimals)}, {"all", std::to_string(std::min(kBesideTop, std::max(1, d.row.keys)))}}) : std::string("–");
  };
  line("ui.compare.rho", number(d.row.spearman), number(d.rows.spearman));
  line("ui.compare.top", of_top(d.row.top, 0), of_top(d.rows.top, 1));
  line("ui.compare.tv", number(d.row.total_variation), number(d.rows.total_variation));
  if (ui.compare_more) {
    line("ui.compare.js", number(d.row.js_bits), number(d.rows.js_bits));
    line("ui.compare.tau", number(d.row.kendall), number(d.rows.kendall));
    line("ui.compare.cosine", number(d.row.cosine), number(d.rows.cosine));
  }
  y += 4;
  text_fit(ui, b.x, baseline(y, 18, 12), b.w,
           ui.words.fill("ui.compare.counted", {{"n", ui.words.count(d.row.keys)}, {"tied", ui.words.count(std::max(d.row.tied_a, d.row.tied_b))}}), quiet);
  y += 20;
  const std::string more(ui.words(ui.compare_more ? "ui.compare.fewer" : "ui.compare.more"));
  const float mw = text_width(ui, more, {13, Weight::medium, 0}) + 20;
  if (y + 26 < b.bottom()) {
    if (button(ui, "compare.more", {b.x, y, mw, 26}, more)) ui.compare_more = !ui.compare_more, ui.wake();
    y += 36;
  }

  std::vector<int> order(p.a.size());
  std::iota(order.begin(), order.end(), 0);
  const auto apart = [&](int j) { return static_cast<double>(p.b[static_cast<std::size_t>(j)]) - static_cast<double>(p.a[static_cast<std::size_t>(j)]); };
  std::erase_if(order, [&](int j) { return !(std::abs(apart(j)) >= 5e-4); });  // "0.0" is no difference
  const std::size_t shown = std::min<std::size_t>(6, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(), [&](int i, int j) { return std::abs(apart(i)) > std::abs(apart(j)); });
  if (shown > 0 && y + 44 < b.bottom()) {
    text(ui, b.x, baseline(y, 18, 13), ui.words("ui.compare.largest"), strong);
    text_right(ui, b.right(), baseline(y, 18, 12), ui.words("ui.compare.in_points"), quiet);
    y += 22;
    const double most = std::max(1e-12, std::abs(apart(order[0])));
    for (std::size_t k = 0; k < shown && y + 20 < b.bottom(); ++k) {
      const int j = order[k];
      const double x = apart(j);
      const float middle = b.x + b.w * 0.52f, reach = b.w * 0.22f;
      label(ui, b.x, baseline(y, 20, 13), label_cut(ui, ui.token(j, true), 13, false, b.w * 0.28f), 13, false, ui.theme.ink);
      const float w = reach * static_cast<float>(std::abs(x) / most);
      const Box bar{x < 0 ? middle - w : middle, y + 5, std::max(1.0f, w), 10};
      fill(ui, bar, packed(signed_colour(x < 0 ? 0.06 : 0.94, ui.theme.dark)), 2);
      rule_v(ui, middle, y + 2, 16, ui.theme.line2);
      const std::string words = ui.words.number(100 * x, 1);
      text_right(ui, b.right(), baseline(y, 20, 13), x > 0 ? "+" + words : words, {13, Weight::regular, ui.theme.ink});
      y += 21;
    }
  }
  if (foot.h > 0) {
    rule_h(ui, foot.x, foot.y, foot.w, ui.theme.line);
    caveat.wrap(ui, foot.x, foot.y + 8, foot.w, 17);
  }
}

}  // namespace rollscope::ui
