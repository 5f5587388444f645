#include "ui/token_box.h"

#include <cmath>

#include "ui/tooltip.h"

namespace rollscope::ui {
namespace {

ImDrawFlags corners(const TokenLook& l) {
  return l.joins_left && l.joins_right ? ImDrawFlags_RoundNone
         : l.joins_left                ? ImDrawFlags_RoundRight
         : l.joins_right               ? ImDrawFlags_RoundLeft
                                       : ImDrawFlags_RoundAll;
}

void rings(Ui& ui, const Box& b, const TokenLook& look) {
  if (look.chosen) ring(ui, b, ui.theme.accent, 2, 2, look.radius);
  else if (look.hovered) frame(ui, {b.x - 1, b.y - 1, b.w + 2, b.h + 2}, ui.theme.ink, 2, look.radius + 1);
  if (look.pinned) ui.dl->AddRectFilled({b.x, b.bottom() - 3}, {b.right(), b.bottom()}, ui.theme.accent, look.radius, ImDrawFlags_RoundBottom);
}

}  // namespace

bool has_no_value(const Ui& ui, int key) {
  const auto k = static_cast<std::size_t>(key);
  return ui.view() && k < ui.view()->row.size() && std::isnan(ui.view()->row[k]);
}

int rank_of(const ViewData& v, int key) {
  int rank = 1;
  const auto size = [&](float w) { return v.is_signed ? std::abs(w) : w; };
  const float mine = size(v.row[static_cast<std::size_t>(key)]);
  for (float w : v.row) rank += size(w) > mine;
  return rank;
}

void draw_key(Ui& ui, const Box& b, int key, std::string_view words, const TokenLook& look) {
  const float base = baseline(b.y, b.h, look.px);
  if (!ui.visible(key)) {  // later than the chosen token: no weight is possible
    frame(ui, b, faded(ui.theme.line, look.faded), 1, look.radius);
    label_centre(ui, b.middle_x(), base, words, look.px, look.bold, faded(ui.theme.ink3, look.faded));
  } else if (has_no_value(ui, key)) {
    fill(ui, b, faded(ui.theme.well, look.faded), look.radius);
    hatch(ui, b, faded(ui.theme.line, look.faded));
    frame(ui, b, faded(ui.theme.line, look.faded), 1, look.radius);
    label_centre(ui, b.middle_x(), base, words, look.px, look.bold, faded(ui.theme.ink2, look.faded));
  } else if (ui.is_sink(key)) {
    hatch(ui, b, faded(ui.theme.sink, look.faded));
    const float w = label_width(ui, words, look.px, look.bold) + 6;
    fill(ui, Box{b.middle_x() - w / 2, b.y + 2, w, b.h - 4}, ui.theme.panel, 3);
    frame(ui, b, faded(ui.theme.sink, look.faded), 1.25f, look.radius);
    label_centre(ui, b.middle_x(), base, words, look.px, look.bold, faded(ui.theme.ink, look.faded));
  } else {
    const Rgb heat = ui.heat(key);
    ui.dl->AddRectFilled({b.x, b.y}, {b.right(), b.bottom()}, packed(heat, look.faded), look.radius, corners(look));
    const ImU32 ink = look.faded < 1 ? faded(ui.theme.ink3, 0.8f) : ink_on(heat);
    label_centre(ui, b.middle_x(), base, words, look.px, look.bold, ink);
  }
  rings(ui, b, look);
}

void draw_query(Ui& ui, const Box& b, std::string_view words, const TokenLook& look) {
  fill(ui, b, look.chosen ? ui.theme.accentbg : look.hovered ? ui.theme.raised : ui.theme.panel, look.radius);
  frame(ui, b, look.chosen ? ui.theme.accent : ui.theme.line2, look.chosen ? 2 : 1, look.radius);
  label_centre(ui, b.middle_x(), baseline(b.y, b.h, look.px), words, look.px, look.bold || look.chosen, look.chosen ? ui.theme.accent : ui.theme.ink);
  if (look.hovered && !look.chosen) frame(ui, {b.x - 1, b.y - 1, b.w + 2, b.h + 2}, ui.theme.ink, 2, look.radius + 1);
}

void key_tooltip(Ui& ui, const Box& b, int key) {
  const ViewData& v = *ui.view();
  const auto k = static_cast<std::size_t>(key);
  if (k >= v.row.size()) return;
  if (!ui.visible(key)) {
    tooltip(ui, b, {Rich().token(ui.token(key, true), tip_ink(ui, true)), Rich().add(ui.words("ui.tip.later"), tip_quiet(ui))});
    return;
  }
  if (std::isnan(v.row[k])) {
    tooltip(ui, b, {Rich().token(ui.token(key, true), tip_ink(ui, true)), Rich().add(ui.words("ui.tip.no_value"), tip_quiet(ui))});
    return;
  }
  tooltip_weight(ui, b, v.rows.empty() ? v.query : -1, key, v.row[k], rank_of(v, key), v.visible, ui.percents());
}

}  // namespace rollscope::ui
