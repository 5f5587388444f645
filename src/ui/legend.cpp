#include "ui/legend.h"

#include "ui/draw.h"
#include "ui/names.h"

namespace rollscope::ui {

std::string scale_words(const Ui& ui) {
  if (ui.scale.two_sided) return "±" + ui.words.plain(ui.scale.high);
  if (!ui.percents()) return ui.words.plain(ui.scale.low) + "–" + ui.words.plain(ui.scale.high);
  return ui.words.percent(ui.scale.low) + "–" + ui.words.percent(ui.scale.high) + "\u00A0%";
}

std::string curve_words(const Ui& ui) {
  return std::string(ui.words(ui.scale.curve == ScaleCurve::log ? "ui.scale.log" : ui.scale.curve == ScaleCurve::per_row ? "ui.scale.per_row" : "ui.scale.linear"));
}

void draw_legend(Ui& ui, const Box& b) {
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  const std::string unit = unit_words(ui, unit_name(ui.view() ? ui.view()->recipe : ui.state().recipe), ui.percents());
  const std::string curve(ui.words(ui.scale.curve == ScaleCurve::log ? "ui.curve.log" : "ui.curve.linear"));
  text_fit(ui, b.x, baseline(b.y, 16, 12), b.w, unit, quiet);
  if (text_width(ui, unit, quiet) + text_width(ui, curve, quiet) + 10 < b.w) text_right(ui, b.right(), baseline(b.y, 16, 12), curve, quiet);
  const Box bar{b.x, b.y + 20, b.w, 10};
  heat_bar(ui, bar, false, ui.scale.two_sided);
  frame(ui, bar, ui.theme.line2, 1, 1);
  text(ui, b.x, baseline(b.y + 33, 16, 12), ui.amount_bare(ui.scale.low), {12, Weight::regular, ui.theme.ink2});
  if (ui.scale.two_sided) text_centre(ui, b.middle_x(), baseline(b.y + 33, 16, 12), "0", {12, Weight::regular, ui.theme.ink2});
  text_right(ui, b.right(), baseline(b.y + 33, 16, 12), ui.amount_bare(ui.scale.high), {12, Weight::regular, ui.theme.ink2});
  if (ui.view() && !ui.view()->sinks.empty()) {
    const Box h{b.x, b.y + 54, 15, 10};
    hatch(ui, h, ui.theme.sink, 4);
    frame(ui, h, ui.theme.sink, 1, 2);
    text(ui, h.right() + 7, baseline(b.y + 51, 16, 12), ui.words("ui.legend.sink"), quiet);
  }
}

void draw_legend_line(Ui& ui, const Box& b) {
  const Ink quiet{12, Weight::regular, ui.theme.ink2};
  const float base = baseline(b.y, b.h, 12);
  float right = b.right();
  const ViewData* v = ui.view();
  if (v && !v->sinks.empty() && static_cast<std::size_t>(v->sinks[0]) < v->row.size()) {
    double mass = 0;
    for (int s : v->sinks) mass += v->row[static_cast<std::size_t>(s)];
    const std::string words = ui.words.fill("ui.legend.sink_share", {{"share", ui.amount(mass)}});
    right -= text_right(ui, right, base, words, quiet) + 7;
    const Box h{right - 15, b.middle_y() - 5, 15, 10};
    hatch(ui, h, ui.theme.sink, 4);
    frame(ui, h, ui.theme.sink, 1, 2);
    right = h.x - 8;
  }
  const float low = text(ui, b.x, base, ui.amount_bare(ui.scale.low), quiet);
  right -= text_right(ui, right, base, ui.amount(ui.scale.high), quiet) + 8;
  const Box bar{b.x + low + 8, b.middle_y() - 4, right - b.x - low - 8, 8};
  if (bar.w < 30) return;
  heat_bar(ui, bar, false, ui.scale.two_sided);
  frame(ui, bar, ui.theme.line2, 1, 1);
}

}  // namespace rollscope::ui
