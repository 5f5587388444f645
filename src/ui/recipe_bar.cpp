// The recipe bar (panels.h): one sentence per method and language, its slots are the controls.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "imgui_internal.h"
#include "scene/json.h"
#include "ui/names.h"
#include "ui/panels.h"
#include "ui/recipe_menus.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

constexpr float kPx = 14, kLine = 28, kPadX = 16;

// The sentence of the recipe in force, as an id of the locale.
std::string sentence(const Ui& ui) {
  const Recipe& r = ui.app.state().recipe;
  const bool sink = ui.view() && !ui.view()->sinks.empty();
  const int end = r.end_layer < 0 ? ui.stream().layers() : r.end_layer;
  std::string id = r.method == Method::rollout ? "ui.recipe.rollout" : end - r.first_layer == 1 ? "ui.recipe.raw_one" : "ui.recipe.raw_range";
  if (sink) id += ".sink";
  // On a phone what cannot be chosen is not said.
  if (ui.phone && ui.app.dump().streams.size() < 2 && ui.words.has(id + ".short")) id += ".short";
  return id;
}

struct Word {
  std::string_view slot;  // "" for plain words
  std::string text;
  float width = 0;
  bool fixed = false;
};

std::vector<Word> words_of(Ui& ui) {
  const Recipe& r = ui.app.state().recipe;
  std::vector<Word> out;
  const Ink plain{kPx, Weight::regular, ui.theme.ink2};
  const std::string id = sentence(ui);
  for (const Piece& p : ui.words.pieces(id)) {
    if (!p.slot) {
      // One entry per word, so that a narrow bar can wrap.
      std::string_view rest = p.text;
      while (!rest.empty()) {
        auto n = rest.find(' ', 1);
        n = n == std::string_view::npos ? rest.size() : n;
        out.push_back({"", std::string(rest.substr(0, n)), text_width(ui, rest.substr(0, n), plain)});
        rest.remove_prefix(n);
      }
      continue;
    }
    Word w{p.text, "", 0, false};
    if (p.text == "method") w.text = method_words(ui, r.method), w.fixed = !can_roll_out(ui);
    else if (p.text == "stream") w.text = stream_words(ui, ui.stream()), w.fixed = ui.app.dump().streams.size() < 2;
    else if (p.text == "layers") w.text = layers_words(ui, r), w.fixed = ui.stream().layers() < 2;
    else if (p.text == "fusion") w.text = fusion_words(ui, r), w.fixed = ui.stream().heads < 2;
    else if (p.text == "residual") w.text = ui.words.number(r.residual, 2);
    else if (p.text == "sink") w.text = sinks_words(ui), w.fixed = true;
    w.width = p.text == "residual" ? text_width(ui, w.text, {kPx, Weight::semibold, 0})
              : p.text == "sink"   ? label_width(ui, w.text, kPx, true)
                                   : choice_width(ui, w.text, kPx, w.fixed);
    out.push_back(std::move(w));
  }
  return out;
}


bool breaks_before(const Word& w) { return w.slot.empty() && !w.text.empty() && w.text[0] == ' '; }

// Lines that the sentence takes in `width`; places are the x and line of every word.
int lay_out(const std::vector<Word>& words, float width, float space, std::vector<std::pair<float, int>>& places) {
  float x = 0;
  int line = 0;
  places.clear();
  for (std::size_t i = 0; i < words.size(); ++i) {
    // What hangs together: this word and all that follow without a space before them.
    float run = words[i].width;
    if (i == 0 || breaks_before(words[i]) || (i > 0 && !words[i - 1].text.empty() && words[i - 1].text.back() == ' ')) {
      for (std::size_t k = i + 1; k < words.size() && !breaks_before(words[k]) && words[k - 1].text.back() != ' '; ++k) run += words[k].width;
      if (x > 0 && x + run > width) x = 0, ++line;
    }
    // A line does not begin with a space.
    const float lead = x == 0 && line > 0 && breaks_before(words[i]) ? space : 0;
    places.emplace_back(x - lead, line);
    x += words[i].width - lead;
  }
  return line + 1;
}

float space_width(Ui& ui) { return text_width(ui, " ", {kPx, Weight::regular, 0}); }
float mark_width(Ui& ui) { return text_width(ui, ui.words("ui.mark.published"), {12, Weight::medium, 0}) + 16; }
float badge_width(Ui& ui, std::string_view words) { return words.empty() ? 0 : text_width(ui, words, {13, Weight::semibold, 0}) + 44; }

std::string badge_words(Ui& ui) {
  const ViewData* v = ui.view();
  if (!v || v->limits.empty()) return {};
  const auto n = static_cast<long long>(v->limits.size());
  return ui.phone ? ui.words.count(n) : ui.words.plural("ui.limits", n);
}

void draw_badge(Ui& ui, const Box& b, std::string_view words) {
  const Press p = press(ui, "recipe.limits", b, true, b.h / 2);
  fill(ui, b, ui.theme.warnbg, b.h / 2);
  if (p.hovered) frame(ui, b, ui.theme.warn, 1, b.h / 2);
  icon(ui, Icon::warning, b.x + 17, b.middle_y(), ui.theme.warn);
  text(ui, b.x + 30, baseline(b.y, b.h, 13), words, {13, Weight::semibold, ui.theme.warn});
  if (p.clicked) ui.app.run("limits");
}

// Right part: mark, what is left out, badge; what does not fit goes, the badge last. Returns its left edge.
float draw_right(Ui& ui, const Box& box, float sentence_right, float middle) {
  const std::string badge = badge_words(ui);
  float right = box.right() - kPadX;
  if (!badge.empty()) {
    const float w = badge_width(ui, badge);
    draw_badge(ui, {right - w, middle - 12, w, 24}, badge);
    right -= w + 14;
  }
  const std::string out = leaves_out_words(ui);
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  const float out_width = text_width(ui, out, quiet), mark = mark_width(ui);
  if (right - out_width - 8 - mark > sentence_right + 20) {
    text_right(ui, right, baseline(middle - 8, 16, 12), out, quiet);
    right -= out_width + 8;
  }
  if (right - mark > sentence_right + 16) {
    const Box b{std::round(right - mark), middle - 10, mark, 20};
    frame(ui, b, ui.theme.line2, 1, 5);
    text_centre(ui, b.middle_x(), baseline(b.y, b.h, 12), ui.words("ui.mark.published"), {12, Weight::medium, ui.theme.ink2});
    if (ui.mouse_in(b)) tooltip(ui, b, {Rich().add(ui.words("ui.mark.published.tip"), tip_ink(ui)), Rich().add(out, tip_quiet(ui))});
    right -= mark;
  }
  return right;
}

void residual_number(Ui& ui, float x, float base, const Word& w) {
  const Box b{x - 2, base - kPx * 1.15f, w.width + 4, kPx * 1.75f};
  const Press p = press(ui, "recipe.residual.number", b, true, 4);
  const ImU32 c = p.hovered || p.held ? ui.theme.accent : ui.theme.ink;
  text(ui, x, base, w.text, {kPx, Weight::semibold, c});
  ui.dl->AddRectFilled({x, snap(ui, base + kPx * 0.5f)}, {x + w.width, snap(ui, base + kPx * 0.5f) + 1.5f}, p.hovered ? ui.theme.accent : ui.theme.line2);
  if (p.hovered) {
    ui.cursor("ew-resize");
    tooltip_later(ui, "recipe.residual.number", b, ui.words("ui.residual.tip"));
  }
  AppState next = ui.app.state();
  // Sideways: a hundredth every two pixels. A double click or Enter types it.
  if (p.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 3)) {
    if (ui.drag_id != "recipe.residual.number") {
      ui.drag_id = "recipe.residual.number";
      ui.drag_value = next.recipe.residual;
    }
    const double v = ui.drag_value + std::round(ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0).x / 2) / 100;
    next.recipe.residual = std::clamp(std::round(v * 100) / 100, 0.0, 1.0);
    if (!(next == ui.app.state())) ui.app.set(next, false);
  } else if (p.released && ui.drag_id == "recipe.residual.number") {
    ui.drag_id.clear();
    ui.app.set(next, true);
  } else if (p.twice || (p.clicked && p.focused)) {
    JsonWriter j;
    j.object().field("x", double(b.x)).field("y", double(b.y - 2)).field("w", double(b.w + 12)).field("h", double(b.h + 4));
    j.field("value", next.recipe.residual).field("min", 0.0).field("max", 1.0).field("command", "recipe.residual").field("argument", "residual");
    ui.services.tell("edit", j.end().text());
  }
  if (p.focused) {
    ui.takes_arrows = true;
    if (ui.arrows != 0) {
      next.recipe.residual = std::clamp(std::round((next.recipe.residual + ui.arrows * 0.05) * 20) / 20, 0.0, 1.0);
      ui.arrows = 0;
      ui.app.set(next, true);
    }
  }
}

void draw_phone(Ui& ui, const Box& box) {
  const auto words = words_of(ui);
  const std::string badge = badge_words(ui);
  const float badge_room = badge.empty() ? 0 : badge_width(ui, badge) + 10;
  const Box whole{box.x, box.y, box.w - badge_room - 8, box.h};
  const Press p = press(ui, "recipe.sheet", whole, true, 4);
  if (p.held || menu_is_open("recipe_sheet")) fill(ui, whole.inset(4, 3), ui.theme.well, 6);
  Rich rich;
  for (const Word& w : words) {
    if (w.slot == "sink") rich.token(w.text, {13, Weight::semibold, ui.theme.ink});
    else rich.add(w.text, {13, w.slot.empty() ? Weight::regular : Weight::semibold, w.slot.empty() ? ui.theme.ink2 : ui.theme.ink});
  }
  const float h = rich.wrap(ui, 0, 0, whole.w - 16, 20, false, 3);
  rich.wrap(ui, box.x + 12, std::round(box.middle_y() - h / 2), whole.w - 16, 20, true, 3);
  if (!badge.empty()) draw_badge(ui, {box.right() - badge_room - 2, box.middle_y() - 16, badge_room - 10, 32}, badge);
  if (p.clicked) open_menu(ui, "recipe_sheet");
  draw_recipe_sheet(ui, box);
}

}  // namespace

bool can_roll_out(const Ui& ui) {
  const Stream& s = ui.stream();
  return s.kind != StreamKind::cross && s.queries == s.keys;
}

float recipe_height(Ui& ui, float width) {
  if (!ui.app.has_dump()) return 44;
  if (ui.phone) {
    float total = 0;
    const auto words = words_of(ui);
    for (const Word& w : words) total += w.width * 13 / kPx;
    const float room = width - 28 - badge_width(ui, badge_words(ui)) - 10;
    const int lines = std::clamp(static_cast<int>(std::ceil(total * 1.06f / std::max(60.0f, room))), 1, ui.screen.h < 420 ? 2 : 3);
    return 18 + 20 * static_cast<float>(lines);
  }
  std::vector<std::pair<float, int>> places;
  const float right = badge_width(ui, badge_words(ui)) + kPadX * 2 + 20;
  const float slider_room = ui.app.state().recipe.method == Method::rollout ? 60.0f : 0;
  const int lines = lay_out(words_of(ui), width - right - slider_room, space_width(ui), places);
  return 16 + kLine * static_cast<float>(lines);
}

void draw_recipe_bar(Ui& ui, const Box& box) {
  fill(ui, box, ui.theme.ground);
  rule_h(ui, box.x, box.bottom() - 1, box.w, ui.theme.line);
  if (!ui.app.has_dump()) return;
  if (ui.phone) return draw_phone(ui, box);

  const auto words = words_of(ui);
  const bool rollout = ui.app.state().recipe.method == Method::rollout;
  std::vector<std::pair<float, int>> places;
  const float badge = badge_width(ui, badge_words(ui)) + kPadX * 2 + 20;
  const int lines = lay_out(words, box.w - badge - (rollout ? 60.0f : 0), space_width(ui), places);
  const float top = box.y + (box.h - 1 - kLine * static_cast<float>(lines)) / 2;
  auto base_of = [&](int line) { return baseline(top + kLine * static_cast<float>(line), kLine, kPx); };

  // The slider follows its number where the sentence has room for it, else the whole sentence.
  float sentence_right = 0;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (places[i].second == 0) sentence_right = std::max(sentence_right, places[i].first + words[i].width);
  sentence_right += box.x + kPadX;
  const bool one_line = lines == 1;
  const float room = box.right() - badge - sentence_right;
  float slider_width = rollout ? std::clamp(room - 24, 40.0f, 92.0f) : 0;
  float push = 0;  // words after the number move right to make room
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& w = words[i];
    const float x = box.x + kPadX + places[i].first + (places[i].second == lines - 1 || one_line ? push : 0);
    const float base = base_of(places[i].second);
    if (w.slot.empty()) {
      // Where the slider stands between the number and what follows, it is the comma.
      if (rollout && i > 0 && words[i - 1].slot == "residual" && (w.text == "," || w.text.starts_with("、"))) {
        if (w.text == ",") continue;
        push -= text_width(ui, "、", {kPx, Weight::regular, 0});
        text(ui, x, base, std::string_view(w.text).substr(3), {kPx, Weight::regular, ui.theme.ink2});
        continue;
      }
      text(ui, x, base, w.text, {kPx, Weight::regular, ui.theme.ink2});
    } else if (w.slot == "residual") {
      residual_number(ui, x, base, w);
      if (rollout) {
        AppState next = ui.app.state();
        const Slide s = slider(ui, "recipe.residual", {x + w.width + 12, base - 15, slider_width, 20}, next.recipe.residual, 0, 1, 0.05, {0.5});
        if (s.changed || s.done) ui.app.set(next, s.done);
        push += slider_width + 22;
      }
    } else if (w.slot == "sink") {
      label(ui, x, base, w.text, kPx, true, ui.theme.ink);
      dashed_h(ui, x, x + w.width, snap(ui, base + kPx * 0.5f), ui.theme.line2, 1.5f, 2);
      const Box b{x, base - 16, w.width, 24};
      if (ui.mouse_in(b)) tooltip(ui, b, {Rich().add(ui.words("ui.sink.tip"), tip_ink(ui))});
    } else {
      const std::string id = "recipe." + std::string(w.slot);
      if (choice(ui, id.c_str(), x, base, w.text, kPx, w.fixed, menu_is_open(id.c_str()))) open_menu(ui, id.c_str());
      draw_recipe_menu(ui, w.slot, {x, base - 18, w.width, 26});
    }
  }
  draw_right(ui, box, sentence_right + push, top + kLine / 2);
}

}  // namespace rollscope::ui
