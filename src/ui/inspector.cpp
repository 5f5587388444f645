// The inspector (panels.h): the chosen output's largest weights with their chance, what this can tell, other recipes.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "imgui_internal.h"
#include "ui/bars.h"
#include "ui/compare_panel.h"
#include "ui/heads_panel.h"
#include "ui/names.h"
#include "ui/panels.h"
#include "ui/prediction.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

constexpr float kRow = 21, kLine = 20;

struct Pen {
  Box box;
  float y;
  bool draw;
};

void bar_row(Ui& ui, Pen& pen, int key, double scale) {
  const ViewData& v = *ui.view();
  const auto i = static_cast<std::size_t>(key);
  const Box row{pen.box.x, pen.y, pen.box.w, kRow};
  pen.y += kRow;
  if (!pen.draw) return;
  const bool mine = ui.itself(key), sink = ui.is_sink(key);
  const bool hovered = ui.app.hover.key == key;
  if (hovered) fill(ui, {row.x - 6, row.y, row.w + 12, row.h}, ui.theme.raised, 4);
  const float number = 62;
  const float name_room = std::clamp(row.w * 0.355f, 70.0f, 150.0f) - 8;
  const float base = baseline(row.y, kRow - 3, 13);
  const Ink small{12, Weight::regular, ui.theme.ink3};
  std::string note;
  if (mine) note = ui.words("ui.row.itself");
  else if (sink) note = ui.words("ui.row.sink");
  else if (ui.app.border() > 0 && key >= ui.app.border()) note = ui.words("ui.row.target");
  else if (const int n = ui.repeated(key, true)) note = ui.words.count(n);
  const float note_width = note.empty() ? 0 : text_width(ui, note, small) + 5;
  const bool pinned = ui.state().selection.key == key;
  const std::string name = label_cut(ui, ui.token(key, true), 13, mine || pinned, std::max(20.0f, name_room - note_width));
  const float w = label(ui, row.x, base, name, 13, mine || pinned, mine ? ui.theme.accent : ui.theme.ink);
  text(ui, row.x + w + 5, base, note, small);

  const Box track{row.x + name_room + 8, row.y + 4, row.w - name_room - 8 - number, 9};
  Bar bar;
  bar.weight = v.row[i];
  if (i < v.uniform.size()) bar.chance = v.uniform[i];
  if (i < v.low.size() && i < v.high.size()) bar.low = v.low[i], bar.high = v.high[i];
  bar.sink = sink;
  bar.two_sided = v.is_signed;
  bar.colour = ui.heat(key);
  draw_bar(ui, track, bar, scale);
  text_right(ui, row.right(), base, ui.amount(v.row[i]), {13, Weight::regular, ui.theme.ink});

  if (ui.mouse_in(row)) {
    ui.hover_next.key = key;
    std::vector<Rich> lines;
    const Ink plain = tip_ink(ui), strong = tip_ink(ui, true), quiet = tip_quiet(ui);
    lines.push_back(Rich().words(ui, "ui.tip.weight", plain, strong, {{"query", {asked_name(ui), strong, true}}, {"key", {ui.token(key, true), strong, true}}, {"weight", {ui.amount_fine(v.row[i]), strong}}}));
    if (bar.chance >= 0) lines.push_back(Rich().words(ui, "ui.tip.chance", plain, strong, {{"chance", {ui.amount_fine(bar.chance), strong}}}));
    if (bar.low >= 0) lines.push_back(Rich().words(ui, "ui.tip.range", plain, strong, {{"low", {ui.amount(bar.low), strong}}, {"high", {ui.amount(bar.high), strong}}}));
    if (ui.percents()) lines.push_back(Rich().add(ui.words.number(v.row[i], 5), quiet));
    tooltip(ui, row, std::move(lines));
    ui.cursor("pointer");
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !ui.dragged && row.contains(ImGui::GetIO().MouseClickedPos[0].x, ImGui::GetIO().MouseClickedPos[0].y)) {
      char json[40];
      std::snprintf(json, sizeof json, R"({"key":%d})", ui.app.state().selection.key == key ? -1 : key);
      ui.app.run("select.key", json);
    }
  }
}

void heading(Ui& ui, Pen& pen, std::string_view words, std::string_view middle = {}, std::string_view right = {}, float middle_x = 0) {
  pen.y += 6;
  if (pen.draw) {
    const float base = baseline(pen.y, 18, 12);
    text(ui, pen.box.x, base, words, {12, Weight::semibold, ui.theme.ink});
    if (!middle.empty()) text(ui, middle_x, base, middle, {12, Weight::regular, ui.theme.ink3});
    text_right(ui, pen.box.right(), base, right, {12, Weight::regular, ui.theme.ink3});
  }
  pen.y += 20;
}

void weights(Ui& ui, Pen& pen, int most) {
  const ViewData& v = *ui.view();
  const RowList r = list_row(v, ui.stream(), ui.app.border(), ui.itself(v.query) ? v.query : -1, most);
  const std::string head = weight_words(ui);
  heading(ui, pen, head, {}, ui.words(!ui.percents() ? v.is_signed ? "ui.for_against" : "ui.no_shares" : v.stochastic ? "ui.of_hundred" : "ui.not_hundred"));
  pen.y -= 1;
  const bool key = !v.uniform.empty() || !v.low.empty();
  if (pen.draw && key) {  // of tick and whisker
    const float base = baseline(pen.y, 16, 12);
    const Ink quiet{12, Weight::regular, ui.theme.ink3};
    float x = pen.box.x;
    if (!v.uniform.empty()) {
      fill(ui, {x, pen.y + 1, 2, 14}, ui.theme.ink);
      x += 8 + text(ui, x + 8, base, ui.words("ui.key.chance"), quiet) + 14;
    }
    if (!v.low.empty()) {
      const float y = std::round(pen.y + 8);
      ui.dl->AddLine({x, y}, {x + 22, y}, ui.theme.ink3, 1.25f);
      ui.dl->AddLine({x, y - 2.5f}, {x, y + 2.5f}, ui.theme.ink3, 1.25f);
      ui.dl->AddLine({x + 22, y - 2.5f}, {x + 22, y + 2.5f}, ui.theme.ink3, 1.25f);
      text(ui, x + 29, base, ui.words("ui.key.range"), quiet);
    }
  }
  pen.y += key ? 18 : 4;
  for (int k : r.keys) bar_row(ui, pen, k, r.scale);
  auto total = [&](const std::string& name, double w, Weight weight, ImU32 ink) {
    if (pen.draw) {
      const float base = baseline(pen.y, kRow - 3, 13);
      text_fit(ui, pen.box.x, base, pen.box.w - 80, name, {13, weight == Weight::semibold ? Weight::regular : weight, ink});
      if (!std::isnan(w)) text_right(ui, pen.box.right(), base, ui.amount(w), {13, weight, ui.theme.ink});
    }
    pen.y += kRow;
  };
  const bool sums = adds_up(v.recipe);
  if (r.others > 0) total(ui.words.plural("ui.others", r.others), sums ? r.others_weight : NAN, Weight::regular, ui.theme.ink2);
  if (r.unknown > 0) total(ui.words.plural("ui.unknown", r.unknown), NAN, Weight::regular, ui.theme.ink3);
  for (std::size_t i = 0; i < r.sinks.size() && i < 3; ++i) bar_row(ui, pen, r.sinks[i], r.scale);
  if (!sums) return;
  if (pen.draw) rule_h(ui, pen.box.x, pen.y, pen.box.w, ui.theme.line);
  pen.y += 4;
  total(std::string(ui.words("ui.sum")), v.sum, Weight::semibold, ui.theme.ink);
}

// "Spread      6.4 of 13; without “terrible” 10.2 of 12"
void fact(Ui& ui, Pen& pen, std::string_view id, const Rich& value) {
  const Ink quiet{13, Weight::regular, ui.theme.ink2};
  const float name = text_width(ui, ui.words(id), quiet), w = value.width(ui);
  const bool two = name + 14 + w > pen.box.w;
  if (pen.draw) text_fit(ui, pen.box.x, baseline(pen.y, kLine, 13), pen.box.w, ui.words(id), quiet);
  if (!two) {
    if (pen.draw) value.line(ui, pen.box.right() - w, baseline(pen.y, kLine, 13));
    pen.y += kLine;
    return;
  }
  pen.y += kLine;
  if (w <= pen.box.w) {
    if (pen.draw) value.line(ui, pen.box.right() - w, baseline(pen.y, kLine - 2, 13));
    pen.y += kLine;
  } else {
    pen.y += value.wrap(ui, pen.box.x, pen.y, pen.box.w, 18, pen.draw) + 2;
  }
}

void what_this_can_tell(Ui& ui, Pen& pen) {
  const ViewData& v = *ui.view();
  if (v.is_signed) return;  // neither spread nor chance nor a first one is defined for and against at once
  heading(ui, pen, ui.words("ui.tell"));
  const Ink plain{13, Weight::regular, ui.theme.ink}, warn{13, Weight::regular, ui.theme.warn};
  auto quoted = [&](int key) { return ui.words.quoted(ui.token(key, true)); };
  if (adds_up(v.recipe)) {
    Rich r;
    std::vector<std::pair<std::string_view, Run>> slots{{"spread", {ui.words.number(v.spread, 1), {}, false}}, {"visible", {ui.words.count(v.visible), {}, false}}};
    if (v.left_out >= 0 && v.spread_without > 0) {
      slots.push_back({"token", {ui.is_sink(v.left_out) ? ui.token(v.left_out, true) : quoted(v.left_out), plain, true}});
      slots.push_back({"spread_without", {ui.words.number(v.spread_without, 1), {}, false}});
      slots.push_back({"visible_without", {ui.words.count(v.visible - 1), {}, false}});
      r.words(ui, "ui.spread.without", plain, plain, slots);
    } else {
      r.words(ui, "ui.spread.plain", plain, plain, slots);
    }
    fact(ui, pen, "ui.spread", r);
  }
  if (v.rows_distance >= 0) {
    const bool alike = has_limit(v, ReportCode::rows_similar) || has_limit(v, ReportCode::rollout_collapsed);
    fact(ui, pen, alike ? "ui.rows.alike" : "ui.rows.differ", Rich().add(ui.words.number(v.rows_distance, 2), alike ? warn : plain));
  }
  if (has_limit(v, ReportCode::below_uniform)) fact(ui, pen, "ui.above_chance", Rich().add(ui.words("ui.none"), warn));
  if (v.first >= 0 && v.first < static_cast<int>(v.row.size())) {
    Rich r;
    std::vector<std::pair<std::string_view, Run>> slots{{"token", {ui.token(v.first, true), plain, true}}};
    if (v.itself_from > 0) {
      slots.push_back({"r", {ui.words.number(v.itself_from, 2), {}, false}});
      r.words(ui, "ui.first.itself", plain, plain, slots);
    } else if (v.first_other >= 0 && v.first_other != v.query) {
      slots.push_back({"other", {ui.token(v.first_other, true), plain, true}});
      r.words(ui, "ui.first.other", plain, plain, slots);
    } else if (!v.low.empty()) {
      r.words(ui, "ui.first.always", plain, plain, slots);
    } else {
      r.token(ui.token(v.first, true), plain);
    }
    fact(ui, pen, "ui.first", r);
  }
}

// Limits that no line above says.
void notes(Ui& ui, Pen& pen) {
  const ViewData& v = *ui.view();
  for (const ReportItem& item : v.limits) {
    switch (item.code) {
      case ReportCode::sink:
      case ReportCode::rows_similar:
      case ReportCode::below_uniform:
      case ReportCode::residual_sensitive: continue;
      default: break;
    }
    const Ink body{12, Weight::regular, ui.theme.ink}, strong{12, Weight::semibold, ui.theme.ink};
    Rich r;
    const std::string title = "ui.note." + std::string(report_name(item.code));
    if (ui.words.has(title)) r.add(ui.words(title), strong).add(" ", body);
    r.add(limit_words(ui, item), body);
    const float w = pen.box.w - 24;
    const float h = r.wrap(ui, 0, 0, w, 16, false) + 12;
    pen.y += 4;
    if (pen.draw) {
      const Box card{pen.box.x, pen.y, pen.box.w, h};
      fill(ui, card, ui.theme.warnbg);
      fill(ui, {card.x, card.y, 3, card.h}, ui.theme.warn);
      r.wrap(ui, card.x + 12, card.y + 6, w, 16);
    }
    pen.y += h + 4;
  }
}

void other_recipes(Ui& ui, Pen& pen) {
  const ViewData& v = *ui.view();
  if (v.others.empty()) return;
  const float first_x = pen.box.x + pen.box.w * 0.46f;
  heading(ui, pen, ui.words("ui.other"), ui.words("ui.other.first"), ui.words(v.sinks.empty() ? "ui.other.rho" : "ui.other.rho_sink"), first_x);
  pen.y -= 1;
  for (const OtherRecipe& o : v.others) {
    if (pen.draw) {
      const float base = baseline(pen.y, 19, 13);
      const Box track{pen.box.right() - 90, pen.y, 46, 19};
      text_fit(ui, pen.box.x, base, first_x - pen.box.x - 8, other_recipe_words(ui, o.recipe), {13, Weight::regular, ui.theme.ink});
      if (o.first >= 0) label(ui, first_x, base, label_cut(ui, ui.token(o.first, true), 12, false, track.x - first_x - 6), 12, false, ui.theme.ink2);
      draw_rho(ui, track, o.rho);
      text_right(ui, pen.box.right(), base, ui.words.number(o.rho, 2), {13, Weight::regular, ui.theme.ink});
    }
    pen.y += 19;
  }
  pen.y += 4;
}

void title(Ui& ui, Pen& pen) {
  const ViewData& v = *ui.view();
  const std::string name = label_cut(ui, asked_name(ui), 21, true, pen.box.w);
  const std::string place = place_words(ui);
  const Ink quiet{13, Weight::regular, ui.theme.ink3};
  const float w = label_width(ui, name, 21, true), pw = text_width(ui, place, quiet);
  const bool one = w + 10 + pw <= pen.box.w;
  const float base = baseline(pen.y, 28, 21);
  if (pen.draw) {
    label(ui, pen.box.x, base, name, 21, true, ui.theme.accent);
    if (one) text(ui, pen.box.x + w + 10, base, place, quiet);
  }
  pen.y += 28;
  if (!one) {
    pen.y += Rich().add(place, quiet).wrap(ui, pen.box.x, pen.y, pen.box.w, 18, pen.draw);
  }
  const Prediction p = find_prediction(ui.app.dump(), ui.stream(), v.query);
  if (!p.label.empty()) {
    const Ink ink{13, Weight::regular, ui.theme.ink2}, strong{13, Weight::semibold, ui.theme.ink};
    Rich r;
    const char* id = p.next ? (p.probability >= 0 ? "ui.predicts" : "ui.predicts.plain") : p.probability >= 0 ? "ui.says" : "ui.says.plain";
    r.words(ui, id, ink, strong, {{"label", {p.label, strong, true}}, {"p", {p.probability >= 0 ? ui.words.number(p.probability * 100, 2) + "\u00A0%" : "", {}, false}}});
    pen.y += r.wrap(ui, pen.box.x, pen.y, pen.box.w, 18, pen.draw);
  }
}

std::string closing_words(const Ui& ui) {
  const ViewData& v = *ui.view();
  const std::string own = "ui.closing." + std::string(method_name(v.recipe.method));
  if (v.recipe.sink == SinkMode::lift) return std::string(ui.words("ui.closing.lift"));
  if (v.recipe.method != Method::raw && v.recipe.method != Method::rollout && ui.words.has(own)) return std::string(ui.words(own));
  const char* id = v.recipe.method == Method::raw                    ? (v.recipe.end_layer - v.recipe.first_layer > 1 ? "ui.closing.raw_mean" : "ui.closing.raw")
                   : has_limit(v, ReportCode::below_uniform)         ? "ui.closing.below"
                   : has_limit(v, ReportCode::absorbing_first_token) ? "ui.closing.causal"
                                                                     : "ui.closing.rollout";
  return std::string(ui.words(id));
}

float content(Ui& ui, const Box& box, float top, bool draw, int most) {
  Pen pen{box, top, draw};
  title(ui, pen);
  weights(ui, pen, most);
  what_this_can_tell(ui, pen);
  notes(ui, pen);
  other_recipes(ui, pen);
  return pen.y - top;
}

void scroll(Ui& ui, const Box& b, float height) {
  if (Wheel* w = ui.wheel_in(b)) ui.inspector_scroll += w->dy, ui.wake();
  if (ui.touch && ui.mouse_in(b) && ui.drag_id != "drawer" && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 6)) {
    ui.inspector_scroll -= ImGui::GetIO().MouseDelta.y;
    ui.dragged = true;
    ui.wake();
  }
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && ui.mouse_in(b)) ui.dragged = false;
  ui.inspector_scroll = std::clamp(ui.inspector_scroll, 0.0f, std::max(0.0f, height - b.h));
  if (height > b.h + 1) {
    const Box bar{b.right() - 4, b.y + ui.inspector_scroll / height * b.h, 4, std::max(20.0f, b.h / height * b.h)};
    fill(ui, bar, faded(ui.theme.line2, 0.7f), 2);
  }
}

void scrolled(Ui& ui, const Box& b, int most, bool foot) {
  const Box inner{b.x + 16, b.y, b.w - 32, b.h};
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  Rich closing = Rich().add(closing_words(ui), quiet);
  const std::string leaves = leaves_out_words(ui), mark = mark_words(ui, ui.state().recipe.method);
  if (!ui.said_mark || (!ui.said_leaves_out && !leaves.empty()))
    closing.add(" ", quiet).add(ui.words.fill(leaves.empty() ? "ui.closing.mark" : "ui.closing.mark_leaves", {{"mark", mark}, {"leaves", leaves}}), quiet);
  const float closing_height = foot ? closing.wrap(ui, 0, 0, inner.w, 16, false) + 20 : 0;
  const float height = content(ui, inner, 0, false, most) + 24 + closing_height;
  scroll(ui, b, height);
  ui.inspector_height = height;
  ImGui::PushClipRect({b.x, b.y}, {b.right(), b.bottom()}, true);
  const float top = b.y + 12 - std::round(ui.inspector_scroll);
  content(ui, inner, top, true, most);
  if (foot) {
    const float y = std::max(b.bottom() - closing_height + 2, top + height - closing_height - 12);
    rule_h(ui, inner.x, y, inner.w, ui.theme.line);
    closing.wrap(ui, inner.x, y + 8, inner.w, 16);
  }
  ImGui::PopClipRect();
}

}  // namespace

void draw_inspector(Ui& ui, const Box& box) {
  fill(ui, box, ui.theme.panel);
  rule_v(ui, box.x, box.y, box.h, ui.theme.line);
  ui.record.inspector = box;
  if (!ui.view()) return;
  scrolled(ui, {box.x + 1, box.y, box.w - 1, box.h}, box.h > 760 ? 8 : 5, true);
}

void draw_drawer(Ui& ui, const Box& box, float handle) {
  ui.dl->AddRectFilled({box.x, box.y}, {box.right(), box.bottom() + 20}, ui.theme.panel, 14, ImDrawFlags_RoundTop);
  ui.dl->AddRect({box.x - 1, box.y}, {box.right() + 1, box.bottom() + 20}, ui.theme.line, 14, 1);
  ui.record.inspector = box;
  const Box grip{box.x, box.y, box.w, handle};
  const Press p = press(ui, "drawer", grip, true, 8);
  fill(ui, {box.middle_x() - 18, box.y + 8, 36, 4}, ui.theme.line2, 2);
  if (p.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
    ui.drag_id = "drawer";
    ui.drawer = ui.screen.bottom() - ImGui::GetIO().MousePos.y + handle / 2;
  }
  if (p.released && ui.drag_id == "drawer") {
    ui.drag_id.clear();
    AppState next = ui.app.state();
    next.drawer = ui.drawer > ui.screen.h * 0.42f;
    ui.drawer = -1;
    ui.app.set(next);
  } else if (p.clicked) {
    AppState next = ui.app.state();
    next.drawer = !next.drawer;
    ui.app.set(next);
  }
  if (!ui.view() || box.h < handle + 30) return;
  if (shows_head_inspector(ui)) {
    draw_head_inspector(ui, {box.x, box.y + handle, box.w, box.h - handle});
    ui.record.inspector = box;
    return;
  }
  if (shows_compare_inspector(ui)) {
    draw_compare_inspector(ui, {box.x, box.y + handle, box.w, box.h - handle});
    ui.record.inspector = box;
    return;
  }
  scrolled(ui, {box.x, box.y + handle, box.w, box.h - handle}, ui.state().drawer ? 8 : 3, ui.state().drawer);
}

}  // namespace rollscope::ui
