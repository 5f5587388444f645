#include "ui/tooltip.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "imgui_internal.h"
#include "ui/names.h"

namespace rollscope::ui {
namespace {

constexpr double kDelayMs = 500;
constexpr float kLine = 18, kPadX = 10, kPadY = 7, kWidest = 320;

}  // namespace

Ink tip_ink(const Ui& ui, bool strong) { return {12, strong ? Weight::semibold : Weight::regular, ui.theme.panel}; }
Ink tip_quiet(const Ui& ui) { return {12, Weight::regular, faded(ui.theme.panel, 0.78f)}; }

void tooltip(Ui& ui, const Box& anchor, std::vector<Rich> lines) {
  ui.tip->asked = true;
  ui.tip->anchor = anchor;
  ui.tip->lines = std::move(lines);
}

void tooltip_later(Ui& ui, const char* control, const Box& anchor, std::string_view text) {
  if (ui.touch || ui.tip_wanted) return;  // one at a time: two that take turns would never rest
  ui.tip_wanted = true;
  if (ui.tip_control != control) {
    ui.tip_control = control;
    ui.tip_since = ui.now;
  }
  const double left = kDelayMs - (ui.now - ui.tip_since);
  if (left > 1) {
    ui.services.frame_in(left);
    return;
  }
  tooltip(ui, anchor, {Rich().add(text, tip_ink(ui))});
}

void tooltip_weight(Ui& ui, const Box& anchor, int query, int key, double weight, int rank, int visible, bool percent) {
  const Ink plain = tip_ink(ui), strong = tip_ink(ui, true), quiet = tip_quiet(ui);
  const bool mean = query < 0;
  std::vector<Rich> lines;
  lines.push_back(Rich().words(ui, "ui.tip.weight", plain, strong,
                               {{"query", {mean ? asked_name(ui) : ui.app.for_one_output() ? query_name(ui, query) : ui.token(query, false), strong, true}},
                                {"key", {ui.token(key, true), strong, true}},
                                {"weight", {percent ? ui.words.percent_fine(weight) : ui.words.plain(weight), strong}}}));
  const std::string raw = percent ? ui.words.number(weight, 5) : ui.words.plain(weight, 6);
  Slots slots{{"row", ui.words.count(query + 1)}, {"column", ui.words.count(key + 1)}, {"raw", raw}};
  if (rank > 0) {
    slots.emplace_back("rank", ui.words.count(rank));
    slots.emplace_back("visible", ui.words.count(visible));
  }
  // A patch is a row and column already.
  const char* id = rank <= 0 ? "ui.tip.place_unranked" : mean || ui.is_patch(key, true) ? "ui.tip.place_patch" : "ui.tip.place";
  lines.push_back(Rich().add(ui.words.fill(id, slots), quiet));
  if (ui.is_sink(key)) lines.push_back(Rich().add(ui.words("ui.tip.sink"), quiet));
  tooltip(ui, anchor, std::move(lines));
}

void draw_tooltip(Ui& ui) {
  if (!ui.tip->asked) return;
  ui.tip->asked = false;
  const float widest = std::min(kWidest, ui.screen.w - 24 - 2 * kPadX);
  float w = 0, h = 0;
  for (const Rich& l : ui.tip->lines) w = std::max(w, std::min(l.width(ui), widest));
  for (const Rich& l : ui.tip->lines) h += l.wrap(ui, 0, 0, w, kLine, false);
  const Box& a = ui.tip->anchor;
  Box b{a.x, a.bottom() + 8, w + 2 * kPadX, h + 2 * kPadY};
  if (b.bottom() > ui.screen.bottom() - 4) b.y = a.y - b.h - 8;
  if (b.y < ui.screen.y + 4) {  // neither below nor above: beside
    b.y = std::clamp(a.y, ui.screen.y + 4, std::max(ui.screen.y + 4, ui.screen.bottom() - 4 - b.h));
    b.x = a.right() + 8 + b.w < ui.screen.right() ? a.right() + 8 : a.x - 8 - b.w;
  }
  b.x = std::clamp(b.x, ui.screen.x + 4, std::max(ui.screen.x + 4, ui.screen.right() - 4 - b.w));
  b.x = snap(ui, b.x), b.y = snap(ui, b.y);
  ImDrawList* before = ui.dl;
  ui.dl = ImGui::GetForegroundDrawList();
  fill(ui, b, ui.theme.ink, 6);
  float y = b.y + kPadY;
  for (const Rich& l : ui.tip->lines) y += l.wrap(ui, b.x + kPadX, y, w, kLine);
  ui.dl = before;
}

}  // namespace rollscope::ui
