// Smaller choices of the recipe (recipe_menus.h): class, norms, sink, merging, where the residual weight comes from.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/shown_stream.h"
#include "imgui_internal.h"
#include "scene/json.h"
#include "scene/recipe_fit.h"
#include "ui/names.h"
#include "ui/recipe_menus.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

constexpr SinkMode kSinks[] = {SinkMode::keep, SinkMode::renormalise, SinkMode::remove, SinkMode::lift};
constexpr Merge kMerges[] = {Merge::pieces, Merge::words, Merge::segments};

float row_height(const Ui& ui) { return ui.touch ? 44 : 28; }

void run_name(Ui& ui, const char* command, const char* field, std::string_view value) {
  JsonWriter j;
  ui.app.run(command, j.object().field(field, value).end().text());
}

// A row and the reason why it cannot be chosen; "": it can.
struct Option {
  std::string id, words, reason;
  bool chosen = false;
};

float widest(Ui& ui, const std::vector<Option>& all) {
  float w = 0;
  for (const Option& o : all) {
    const float reason = o.reason.empty() ? 0 : text_width(ui, o.reason, {12, Weight::regular, 0}) + 20;
    w = std::max(w, text_width(ui, o.words, {13, Weight::semibold, 0}) + reason + 40);
  }
  return w;
}

// Rows from `y` on; returns the one that was picked, or -1.
int rows(Ui& ui, const Box& c, float& y, const std::vector<Option>& all) {
  int picked = -1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Option& o = all[i];
    const Box row{c.x, y, c.w, row_height(ui)};
    y += row.h;
    if (o.reason.empty()) {
      if (menu_row(ui, o.id.c_str(), row, o.words, o.chosen)) picked = static_cast<int>(i);
      continue;
    }
    const Press p = press(ui, o.id.c_str(), row, true, 4);
    if (p.hovered) ui.cursor("default"), tooltip(ui, row, {Rich().add(o.reason, tip_ink(ui))});
    const float w = text(ui, row.x + 26, baseline(row.y, row.h, 13), o.words, {13, Weight::regular, ui.theme.ink3});
    text_right(ui, row.right() - 10, baseline(row.y, row.h, 12), row.w - w > text_width(ui, o.reason, {12, Weight::regular, 0}) + 50 ? o.reason : "", {12, Weight::regular, ui.theme.ink3});
  }
  return picked;
}

int option_menu(Ui& ui, const char* id, const Box& anchor, const std::vector<Option>& all) {
  if (!menu_is_open(id)) return -1;
  const float height = row_height(ui) * static_cast<float>(all.size());
  Box c;
  if (!begin_menu(ui, id, anchor, std::max(140.0f, widest(ui, all)) + 16, height + 16, c)) return -1;
  float y = c.y;
  const int picked = rows(ui, c, y, all);
  if (picked >= 0) ImGui::CloseCurrentPopup();
  end_menu(ui, height);
  return picked;
}

std::vector<Option> sink_options(const Ui& ui) {
  const Recipe& r = ui.app.state().recipe;
  std::vector<Option> out;
  for (const SinkMode mode : kSinks) {
    const std::string name(sink_mode_name(mode));
    Recipe next = r;
    next.sink = mode;
    if (mode == SinkMode::lift) next.merge = Merge::pieces;
    const bool fits = !misfit(ui.app.dump(), next);
    out.push_back({"recipe.sink/" + name, std::string(ui.words("ui.sink." + name)), fits ? "" : std::string(ui.words("ui.sink." + name + ".not")), r.sink == mode});
  }
  return out;
}

bool tells_words(const Stream& s) { return std::any_of(s.key_tokens.begin(), s.key_tokens.end(), [](const Token& t) { return !t.starts_word; }); }

std::vector<Option> merge_options(const Ui& ui) {
  const Recipe& r = ui.app.state().recipe;
  const Stream& stored = ui.app.stored_stream();
  std::vector<Option> out;
  for (const Merge merge : kMerges) {
    const std::string name(merge_name(merge));
    Recipe next = r;
    next.merge = merge;
    next.merge_time = MergeTime::after;
    if (merge != Merge::pieces && next.sink == SinkMode::lift) next.sink = SinkMode::keep;
    std::string reason;
    if (merge == Merge::words && !tells_words(stored) && r.merge != merge) reason = ui.words("ui.merge.no_words");
    else if (merge == Merge::segments && !has_segments(stored)) reason = ui.words("ui.merge.no_segments");
    else if (misfit(ui.app.dump(), next)) reason = ui.words("ui.merge.not");
    out.push_back({"recipe.merge/" + name, std::string(ui.words("ui.merge." + name)), std::move(reason), r.merge == merge});
  }
  return out;
}

void pick_sink(Ui& ui, int picked) {
  if (picked >= 0) run_name(ui, "recipe.sink", "sink", sink_mode_name(kSinks[picked]));
}
void pick_merge(Ui& ui, int picked) {
  if (picked >= 0) run_name(ui, "recipe.merge", "merge", merge_name(kMerges[picked]));
}

// What a merged row is, and when tokens are merged; shown while they are.
float merge_details(Ui& ui, const Box& c, float y, bool draw) {
  const Recipe& r = ui.app.state().recipe;
  if (r.merge == Merge::pieces) return 0;
  Recipe before = r;
  before.merge_time = MergeTime::before;
  const bool can = !misfit(ui.app.dump(), before);
  float h = 0;
  const auto line = [&](const char* command, const char* field, std::string_view title, const std::vector<Segment>& all, const char* const* names, int chosen) {
    if (draw) {
      text(ui, c.x + 8, baseline(y + h, 24, 12), title, {12, Weight::regular, ui.theme.ink3});
      JsonWriter j;
      if (const int picked = segments(ui, c.x + 8, y + h + 36, all, chosen); picked >= 0 && picked != chosen)
        ui.app.run(command, j.object().field("merge", merge_name(r.merge)).field(field, names[picked]).end().text());
    }
    h += 24 + (ui.touch ? 40 : 32);
  };
  constexpr const char* kQueries[] = {"mean", "last"};
  constexpr const char* kTimes[] = {"after", "before"};
  line("recipe.merge", "merge_queries", ui.words("ui.merge.row"), {{"recipe.merge_queries/mean", ui.words("ui.merge.row.mean")}, {"recipe.merge_queries/last", ui.words("ui.merge.row.last")}},
       kQueries, static_cast<int>(r.merge_queries));
  if (can) line("recipe.merge", "merge_time", ui.words("ui.merge.time"), {{"recipe.merge_time/after", ui.words("ui.merge.time.after")}, {"recipe.merge_time/before", ui.words("ui.merge.time.before")}},
                kTimes, static_cast<int>(r.merge_time));
  return h;
}

std::vector<Option> names_of(const std::vector<std::string>& names, const std::string& chosen, const char* command, const std::function<std::string(const std::string&)>& words) {
  std::vector<Option> out;
  for (std::size_t i = 0; i < names.size(); ++i) out.push_back({std::string(command) + "/" + std::to_string(i), words(names[i]), "", names[i] == chosen});
  return out;
}

std::vector<ResidualFrom> measured(const Ui& ui) {
  std::vector<ResidualFrom> out;
  for (const auto from : {ResidualFrom::norms, ResidualFrom::norms_mean, ResidualFrom::mixing}) {
    Recipe next = ui.app.state().recipe;
    next.residual_from = from;
    next.residuals.clear();
    next.merge_time = MergeTime::after;
    if (has_measured_residual(ui.app.dump(), ui.app.stored_stream(), from) && !misfit(ui.app.dump(), next)) out.push_back(from);
  }
  return out;
}

}  // namespace

std::string class_words(const Ui& ui, const std::string& name) { return name.empty() ? std::string(ui.words("ui.class.unnamed")) : name; }

bool residual_has_menu(const Ui& ui) {
  const Recipe& r = ui.app.state().recipe;
  return r.residual_from != ResidualFrom::stated || !r.residuals.empty() || !measured(ui).empty();
}

void draw_class_menu(Ui& ui, const Box& anchor) {
  const auto names = class_names(ui.app.dump(), ui.app.stored_stream());
  const int picked = option_menu(ui, "recipe.class", anchor, names_of(names, ui.app.state().recipe.class_name, "recipe.class", [&](const std::string& n) { return class_words(ui, n); }));
  if (picked >= 0) run_name(ui, "recipe.class", "class", names[static_cast<std::size_t>(picked)]);
}

void draw_norms_menu(Ui& ui, const Box& anchor) {
  const auto names = source_names(ui.app.dump(), ui.app.stored_stream(), Method::norm_rollout);
  const int picked = option_menu(ui, "recipe.norms", anchor, names_of(names, ui.app.state().recipe.source, "recipe.norms", [&](const std::string& n) { return source_words(ui, n); }));
  if (picked >= 0) run_name(ui, "recipe.source", "source", names[static_cast<std::size_t>(picked)]);
}

void draw_sink_menu(Ui& ui, const Box& anchor) { pick_sink(ui, option_menu(ui, "recipe.sink", anchor, sink_options(ui))); }

void draw_residual_menu(Ui& ui, const Box& anchor) {
  const Recipe& r = ui.app.state().recipe;
  const auto from = measured(ui);
  const bool plain = r.residual_from == ResidualFrom::stated && r.residuals.empty();
  std::vector<Option> all{{"recipe.residual/stated", ui.words.fill("ui.residual.stated", {{"r", ui.words.number(plain ? r.residual : 0.5, 2)}}), "", plain}};
  for (const ResidualFrom f : from) all.push_back({"recipe.residual/" + std::string(residual_from_name(f)), std::string(ui.words("ui.residual." + std::string(residual_from_name(f)))), "", r.residual_from == f});
  const int picked = option_menu(ui, "recipe.residual.menu", anchor, all);
  if (picked == 0 && !plain) ui.app.run("recipe.residual", R"({"residual":0.5})");
  if (picked > 0) run_name(ui, "recipe.residual", "residual", residual_from_name(from[static_cast<std::size_t>(picked) - 1]));
}

float more_choices(Ui& ui, const Box& c, float y, bool draw) {
  const bool attention = traits(ui.app.state().recipe.method).attention;
  const float top = y;
  const auto heading = [&](std::string_view id) {
    if (draw) text_fit(ui, c.x + 8, baseline(y, 26, 12), c.w - 16, ui.words(id), {12, Weight::semibold, ui.theme.ink2});
    y += 26;
  };
  const auto options = [&](const std::vector<Option>& all, void (*pick)(Ui&, int)) {
    if (draw) pick(ui, rows(ui, c, y, all));
    else y += row_height(ui) * static_cast<float>(all.size());
  };
  if (attention) {
    heading("ui.more.sink");
    options(sink_options(ui), pick_sink);
  }
  heading("ui.more.merge");
  options(merge_options(ui), pick_merge);
  y += merge_details(ui, c, y, draw);
  return y - top;
}

void draw_more_menu(Ui& ui, const char* id, const Box& anchor) {
  if (!menu_is_open(id)) return;
  auto all = merge_options(ui);
  if (traits(ui.app.state().recipe.method).attention)
    for (auto& o : sink_options(ui)) all.push_back(std::move(o));
  const float w = std::max(260.0f, widest(ui, all)), height = more_choices(ui, {}, 0, false) + 4;
  Box c;
  if (!begin_menu(ui, id, anchor, w + 16, height + 16, c)) return;
  more_choices(ui, c, c.y, true);
  end_menu(ui, height);
}

}  // namespace rollscope::ui
