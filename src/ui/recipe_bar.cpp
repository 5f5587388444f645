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

// The sentence of the recipe in force: a text of its method, and one for each choice that is not the usual one.
std::string sentence(const Ui& ui) {
  const Recipe& r = ui.app.state().recipe;
  const int end = r.end_layer < 0 ? ui.stream().layers() : r.end_layer;
  std::string id = "ui.recipe.";
  switch (r.method) {
    case Method::raw: id += end - r.first_layer == 1 ? "raw_one" : "raw_range"; break;
    case Method::vit_explain:
    case Method::vit_explain_corrected: id += "discard"; break;
    case Method::gradient_rollout:
    case Method::gradient_rollout_mean_first:
    case Method::relevance:
    case Method::relevance_causal: id += "gradient"; break;
    case Method::grad_sam:
    case Method::attention_gradient: id += "gradient_mean"; break;
    case Method::norm_rollout: id += r.source == "value_norms" ? "value_norms" : "norms"; break;
    case Method::joint: id += "joint"; break;
    case Method::cdam:
    case Method::attribution: id += "stored"; break;
    default: id += "rollout";
  }
  // On a phone what cannot be chosen is not said.
  if (ui.phone && ui.app.dump().streams.size() < 2 && ui.words.has(id + ".short")) id += ".short";
  std::string out(ui.words(id));
  const auto with = [&](std::string_view clause) { out = ui.words.fill("ui.recipe.join", {{"sentence", out}, {"clause", std::string(ui.words(clause))}}); };
  if (!r.class_name.empty() || class_names(ui.app.dump(), ui.app.stored_stream()).size() > 1)
    if (traits(r.method).gradients) with("ui.recipe.with.class");
  if (r.merge != Merge::pieces) with("ui.recipe.with.merge");
  if (r.sink != SinkMode::keep) with("ui.recipe.with.sink");
  else if (ui.view() && !ui.view()->sinks.empty()) with("ui.recipe.with.scale");
  return out;
}

struct Word {
  std::string_view slot;  // "" for plain words
  std::string text;
  float width = 0;
  bool fixed = false;
  float number = 0;  // of a residual weight: the number alone, before its slider
};
constexpr float kAirBefore = 12, kAirAfter = 16, kArrow = 20;  // about the slider

// Names that live as long as the program: the sentence that they are cut from does not.
std::string_view slot_of(std::string_view name) {
  for (const std::string_view known : {"method", "stream", "layers", "fusion", "residual", "discard", "class", "norms", "merge", "sink_mode", "sink"})
    if (known == name) return known;
  return "unknown";
}
bool is_number(std::string_view slot) { return slot == "residual" || slot == "discard"; }
bool stated(const Recipe& r) { return r.residual_from == ResidualFrom::stated && r.residuals.empty(); }
// The slider of the residual weight stands in the sentence.
bool has_slider(const Ui& ui) {
  const Recipe& r = ui.app.state().recipe;
  return traits(r.method).residual && stated(r);
}

// `slider`: the width that the slider of the residual weight is given in the sentence; 0: none.
std::vector<Word> words_of(Ui& ui, float slider) {
  const Recipe& r = ui.app.state().recipe;
  std::vector<Word> out;
  const Ink plain{kPx, Weight::regular, ui.theme.ink2};
  const std::string whole = sentence(ui);
  for (const Piece& p : split_pieces(whole)) {
    if (!p.slot) {
      // One entry per word, so that a narrow bar can wrap.
      std::string_view rest = p.text;
      if (slider > 0 && !out.empty() && out.back().number > 0)  // the slider stands where a comma would
        for (const std::string_view comma : {",", "、"})
          if (rest.starts_with(comma)) rest.remove_prefix(comma.size());
      while (!rest.empty()) {
        auto n = rest.find(' ', 1);
        n = n == std::string_view::npos ? rest.size() : n;
        out.push_back({"", std::string(rest.substr(0, n)), text_width(ui, rest.substr(0, n), plain)});
        rest.remove_prefix(n);
      }
      continue;
    }
    Word w{slot_of(p.text), "", 0, false};
    const Stream& stored = ui.app.stored_stream();
    if (p.text == "method") w.text = method_words(ui, r);
    else if (p.text == "stream") w.text = stream_words(ui, stored), w.fixed = ui.app.dump().streams.size() < 2;
    else if (p.text == "layers") w.text = layers_words(ui, r), w.fixed = stored.layers() < 2;
    else if (p.text == "fusion") w.text = fusion_words(ui, r), w.fixed = stored.heads < 2;
    else if (p.text == "residual") w.text = residual_words(ui, r);
    else if (p.text == "discard") w.text = ui.words.number(r.discard, 2);
    else if (p.text == "class") w.text = class_words(ui, r.class_name), w.fixed = class_names(ui.app.dump(), stored).size() < 2;
    else if (p.text == "norms") w.text = source_words(ui, r.source), w.fixed = source_names(ui.app.dump(), stored, r.method).size() < 2;
    else if (p.text == "merge") w.text = merge_words(ui, r);
    else if (p.text == "sink_mode") w.text = ui.words("ui.sink.say." + std::string(sink_mode_name(r.sink)));
    else if (p.text == "sink") w.text = sinks_words(ui);
    w.width = is_number(w.slot) && stated(r) ? text_width(ui, w.text, {kPx, Weight::semibold, 0})
              : w.slot == "sink"             ? label_width(ui, w.text, kPx, true) + 13
                                             : choice_width(ui, w.text, kPx, w.fixed);
    if (slider > 0 && w.slot == "residual") {
      w.number = w.width;
      w.width += kAirBefore + slider + kAirAfter + (residual_has_menu(ui) ? kArrow : 0);
    }
    out.push_back(std::move(w));
  }
  if (!ui.phone) {  // what stands at its usual choice is not said, but can be had
    out.push_back({"", "  ", text_width(ui, "  ", plain)});
    out.push_back({"more", std::string(ui.words("ui.recipe.more")), 0, false});
    out.back().width = choice_width(ui, out.back().text, kPx, false);
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

// The sentence in as few lines as it takes, with the widest slider that needs no more of them.
struct Sentence {
  std::vector<Word> words;
  std::vector<std::pair<float, int>> places;
  int lines = 1;
  float slider = 0;
};
float space_width(Ui& ui) { return text_width(ui, " ", {kPx, Weight::regular, 0}); }
float mark_width(Ui& ui) { return text_width(ui, mark_words(ui, ui.app.state().recipe.method), {12, Weight::medium, 0}) + 16; }
float badge_width(Ui& ui, std::string_view words) { return words.empty() ? 0 : text_width(ui, words, {13, Weight::semibold, 0}) + 44; }

std::string badge_words(Ui& ui);
Sentence compose(Ui& ui, float width) {
  const float room = width - badge_width(ui, badge_words(ui)) - kPadX * 2 - 20;
  Sentence best;
  for (const float slider : {40.0f, 64.0f, 92.0f}) {
    Sentence s;
    s.slider = has_slider(ui) ? slider : 0;
    s.words = words_of(ui, s.slider);
    s.lines = lay_out(s.words, room, space_width(ui), s.places);
    if (!best.words.empty() && s.lines > best.lines) break;
    best = std::move(s);
    if (best.slider == 0) break;
  }
  return best;
}

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
  if (!out.empty() && right - out_width - 8 - mark > sentence_right + 20) {
    text_right(ui, right, baseline(middle - 8, 16, 12), out, quiet);
    ui.said_leaves_out = true;
    right -= out_width + 8;
  }
  if (right - mark > sentence_right + 16) {
    const Box b{std::round(right - mark), middle - 10, mark, 20};
    frame(ui, b, ui.theme.line2, 1, 5);
    const Method method = ui.app.state().recipe.method;
    ui.said_mark = true;
    text_centre(ui, b.middle_x(), baseline(b.y, b.h, 12), mark_words(ui, method), {12, Weight::medium, ui.theme.ink2});
    if (ui.mouse_in(b)) {
      std::vector<Rich> lines{Rich().add(ui.words("ui.mark." + std::string(mark_name(traits(method).mark)) + ".tip"), tip_ink(ui))};
      const std::string own = "ui.method." + std::string(method_name(method)) + ".tip";
      if (ui.words.has(own)) lines.push_back(Rich().add(ui.words(own), tip_ink(ui)));
      if (!out.empty()) lines.push_back(Rich().add(out, tip_quiet(ui)));
      tooltip(ui, b, std::move(lines));
    }
    right -= mark;
  }
  return right;
}

// A number of the recipe: drawn sideways, stepped by arrows, typed after a double click.
void recipe_number(Ui& ui, const char* id, const char* command, const char* field, double Recipe::*member, float x, float base, const Word& w) {
  const Box b{x - 2, base - kPx * 1.15f, w.width + 4, kPx * 1.75f};
  const Press p = press(ui, id, b, true, 4);
  const ImU32 c = p.hovered || p.held ? ui.theme.accent : ui.theme.ink;
  text(ui, x, base, w.text, {kPx, Weight::semibold, c});
  ui.dl->AddRectFilled({x, snap(ui, base + kPx * 0.5f)}, {x + w.width, snap(ui, base + kPx * 0.5f) + 1.5f}, p.hovered ? ui.theme.accent : ui.theme.line2);
  if (p.hovered) {
    ui.cursor("ew-resize");
    tooltip_later(ui, id, b, ui.words("ui.residual.tip"));
  }
  AppState next = ui.app.state();
  double& value = next.recipe.*member;
  // Sideways: a hundredth every two pixels. A double click or Enter types it.
  if (p.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 3)) {
    if (ui.drag_id != id) {
      ui.drag_id = id;
      ui.drag_value = value;
    }
    const double v = ui.drag_value + std::round(ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0).x / 2) / 100;
    value = std::clamp(std::round(v * 100) / 100, 0.0, 1.0);
    if (!(next == ui.app.state())) ui.app.set(next, false);
  } else if (p.released && ui.drag_id == id) {
    ui.drag_id.clear();
    ui.app.set(next, true);
  } else if (p.twice || (p.clicked && p.focused)) {
    JsonWriter j;
    j.object().field("x", double(b.x)).field("y", double(b.y - 2)).field("w", double(b.w + 12)).field("h", double(b.h + 4));
    j.field("value", value).field("min", 0.0).field("max", 1.0).field("command", command).field("argument", field);
    ui.services.tell("edit", j.end().text());
  }
  if (p.focused) {
    ui.takes_arrows = true;
    if (ui.arrows != 0) {
      value = std::clamp(std::round((value + ui.arrows * 0.05) * 20) / 20, 0.0, 1.0);
      ui.arrows = 0;
      ui.app.set(next, true);
    }
  }
}

// A small arrow after the slider: where else the residual weight can come from.
void residual_arrow(Ui& ui, float x, float base) {
  const Box b{x - 8, base - 15, 16, 20};
  const Press p = press(ui, "recipe.residual.menu", b, true, 4);
  const bool open = menu_is_open("recipe.residual.menu");
  if (open || p.held) fill(ui, b, ui.theme.accentbg, 3);
  arrow_down(ui, x, base - kPx * 0.3f, open || p.hovered ? ui.theme.accent : ui.theme.ink2, 3.2f);
  if (p.clicked) open_menu(ui, "recipe.residual.menu");
  draw_residual_menu(ui, {b.x, base - 18, b.w, 26});
}

// The sinks by name, in the script of the tokens.
void sink_slot(Ui& ui, float x, float base, const Word& w) {
  const Box b{x - 2, base - kPx * 1.15f, w.width + 4, kPx * 1.75f};
  const Press p = press(ui, "recipe.sink", b, true, 4);
  const bool open = menu_is_open("recipe.sink");
  if (open || p.held) fill(ui, b, ui.theme.accentbg, 3);
  const ImU32 c = open || p.hovered ? ui.theme.accent : ui.theme.ink;
  label(ui, x, base, w.text, kPx, true, c);
  arrow_down(ui, x + w.width - 4, base - kPx * 0.3f, open || p.hovered ? ui.theme.accent : ui.theme.ink2, 3.2f);
  ui.dl->AddRectFilled({x, snap(ui, base + kPx * 0.5f)}, {x + w.width, snap(ui, base + kPx * 0.5f) + 1.5f}, open || p.hovered ? ui.theme.accent : ui.theme.line2);
  if (p.hovered && !open) tooltip(ui, b, {Rich().add(ui.words("ui.sink.tip"), tip_ink(ui))});
  if (p.clicked) open_menu(ui, "recipe.sink");
  draw_sink_menu(ui, {x, base - 18, w.width, 26});
}

void draw_phone(Ui& ui, const Box& box) {
  const auto words = words_of(ui, 0);
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

float recipe_height(Ui& ui, float width) {
  if (!ui.app.has_dump()) return 44;
  if (ui.phone) {
    float total = 0;
    const auto words = words_of(ui, 0);
    for (const Word& w : words) total += w.width * 13 / kPx;
    const float room = width - 28 - badge_width(ui, badge_words(ui)) - 10;
    const int lines = std::clamp(static_cast<int>(std::ceil(total * 1.06f / std::max(60.0f, room))), 1, ui.screen.h < 420 ? 2 : 3);
    return 18 + 20 * static_cast<float>(lines);
  }
  return 16 + kLine * static_cast<float>(compose(ui, width).lines);
}

void draw_recipe_bar(Ui& ui, const Box& box) {
  fill(ui, box, ui.theme.ground);
  rule_h(ui, box.x, box.bottom() - 1, box.w, ui.theme.line);
  if (!ui.app.has_dump()) return;
  if (ui.phone) return draw_phone(ui, box);

  const Sentence s = compose(ui, box.w);
  const float top = box.y + (box.h - 1 - kLine * static_cast<float>(s.lines)) / 2;
  float sentence_right = 0;
  for (std::size_t i = 0; i < s.words.size(); ++i)
    if (s.places[i].second == 0) sentence_right = std::max(sentence_right, s.places[i].first + s.words[i].width);
  for (std::size_t i = 0; i < s.words.size(); ++i) {
    const Word& w = s.words[i];
    const float x = box.x + kPadX + s.places[i].first;
    const float base = baseline(top + kLine * static_cast<float>(s.places[i].second), kLine, kPx);
    if (w.slot.empty()) {
      text(ui, x, base, w.text, {kPx, Weight::regular, ui.theme.ink2});
    } else if (w.slot == "residual" && w.number > 0) {
      Word number = w;
      number.width = w.number;
      recipe_number(ui, "recipe.residual.number", "recipe.residual", "residual", &Recipe::residual, x, base, number);
      AppState next = ui.app.state();
      const Slide slide = slider(ui, "recipe.residual", {x + w.number + kAirBefore, base - 15, s.slider, 20}, next.recipe.residual, 0, 1, 0.05, {0.5});
      if (slide.changed || slide.done) ui.app.set(next, slide.done);
      if (residual_has_menu(ui)) residual_arrow(ui, x + w.number + kAirBefore + s.slider + kArrow, base);
    } else if (w.slot == "residual") {
      if (choice(ui, "recipe.residual.menu", x, base, w.text, kPx, false, menu_is_open("recipe.residual.menu"))) open_menu(ui, "recipe.residual.menu");
      draw_residual_menu(ui, {x, base - 18, w.width, 26});
    } else if (w.slot == "sink") {
      sink_slot(ui, x, base, w);
    } else if (w.slot == "discard") {
      recipe_number(ui, "recipe.discard", "recipe.discard", "discard", &Recipe::discard, x, base, w);
    } else {
      const std::string id = w.slot == "sink_mode" ? "recipe.sink" : "recipe." + std::string(w.slot);
      if (choice(ui, id.c_str(), x, base, w.text, kPx, w.fixed, menu_is_open(id.c_str()))) open_menu(ui, id.c_str());
      draw_recipe_menu(ui, w.slot, {x, base - 18, w.width, 26});
    }
  }
  draw_right(ui, box, box.x + kPadX + sentence_right, top + kLine / 2);
}

}  // namespace rollscope::ui
