// The menu of methods (recipe_menus.h): all of them in groups, each with its mark and what it does; what the file lacks is
// greyed and says what it needs.
#include <algorithm>
#include <cmath>

#include "imgui_internal.h"
#include "scene/json.h"
#include "scene/recipe_fit.h"
#include "ui/names.h"
#include "ui/recipe_menus.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

constexpr float kHeading = 26, kLeast = 250, kMost = 380;

struct Entry {
  Recipe recipe;  // method and source
  std::string id, name, note;
  Lacking lacking = Lacking::nothing;
};
struct Group {
  std::string_view title;  // "": follows the one before
  std::vector<Entry> entries;
};

Entry entry(const Ui& ui, Method method, const std::string& source = {}) {
  Entry e;
  e.recipe.method = method;
  e.recipe.source = source;
  const std::string name(method_name(method));
  e.id = "recipe.method/" + name + (source.empty() ? "" : ":" + source);
  e.name = method == Method::attribution && source.empty() ? std::string(ui.words("ui.method.attribution")) : method_words(ui, e.recipe);
  const Stream& now = ui.app.stored_stream();
  const Stream* stream = stream_for(ui.app.dump(), now, method);
  if (!stream) {
    e.lacking = lacking(ui.app.dump(), now, method);
    e.note = lacking_words(ui, e.lacking);
  } else if (stream != &now && method != Method::joint) {
    e.note = ui.words.fill("ui.method.elsewhere", {{"stream", stream_words(ui, *stream)}});
  } else {
    e.note = std::string(ui.words("ui.method." + name + ".note"));
  }
  return e;
}

std::vector<Group> groups_of(const Ui& ui) {
  const auto all = [&](std::string_view title, std::initializer_list<Method> methods) {
    Group g{title, {}};
    for (const Method m : methods) g.entries.push_back(entry(ui, m));
    return g;
  };
  std::vector<Group> out;
  out.push_back(all("ui.methods.attention", {Method::rollout, Method::raw, Method::flow, Method::flow_normalised, Method::vit_explain, Method::vit_explain_corrected}));
  out.push_back(all("ui.methods.compare", {Method::rollout_reversed}));
  out.push_back(all("ui.methods.sides", {Method::joint, Method::relevance_causal}));
  out.push_back(all("ui.methods.gradients", {Method::gradient_rollout, Method::gradient_rollout_mean_first, Method::relevance, Method::grad_sam, Method::attention_gradient}));
  out.push_back(all("ui.methods.norms", {Method::norm_rollout}));
  Group file = all("ui.methods.file", {Method::cdam});
  const Stream* stored = stream_for(ui.app.dump(), ui.app.stored_stream(), Method::attribution);
  const auto shown = stored ? source_names(ui.app.dump(), *stored, Method::cdam) : std::vector<std::string>{};
  if (stored)
    for (const std::string& name : source_names(ui.app.dump(), *stored, Method::attribution))
      if (std::find(shown.begin(), shown.end(), name) == shown.end()) file.entries.push_back(entry(ui, Method::attribution, name));
  if (!stored) file.entries.push_back(entry(ui, Method::attribution));
  out.push_back(std::move(file));
  return out;
}

float row_height(const Ui& ui) { return ui.touch ? 52 : 40; }

float height_of(const Ui& ui, const std::vector<Group>& groups) {
  float h = 0;
  for (const Group& g : groups) h += kHeading + row_height(ui) * static_cast<float>(g.entries.size());
  return h;
}

float width_of(Ui& ui, const std::vector<Group>& groups) {
  float w = kLeast;
  for (const Group& g : groups)
    for (const Entry& e : g.entries) {
      w = std::max(w, 26 + text_width(ui, e.name, {13, Weight::semibold, 0}) + text_width(ui, mark_words(ui, e.recipe.method), {12, Weight::regular, 0}) + 40);
      w = std::max(w, 26 + text_width(ui, e.note, {12, Weight::regular, 0}) + 14);
    }
  return std::min(w, kMost);
}

bool is_chosen(const Ui& ui, const Entry& e) {
  const Recipe& r = ui.app.state().recipe;
  return r.method == e.recipe.method && (r.method != Method::attribution || r.source == e.recipe.source);
}

// Returns whether it was chosen.
bool draw_entry(Ui& ui, const Entry& e, const Box& row) {
  const bool possible = e.lacking == Lacking::nothing, chosen = is_chosen(ui, e);
  const Press p = press(ui, e.id.c_str(), row, true, 4);
  if (chosen) ImGui::SetItemDefaultFocus();
  if (possible && (p.hovered || p.held || p.focused)) fill(ui, row, p.held ? ui.theme.well : ui.theme.raised, 4);
  const ImU32 ink = !possible ? ui.theme.ink3 : chosen ? ui.theme.accent : ui.theme.ink;
  const float middle = row.middle_y() - 8;  // of the first line
  if (chosen) icon(ui, Icon::check, row.x + 12, middle, ink);
  float right = row.right() - 10;
  const std::string mark = mark_words(ui, e.recipe.method);
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  right -= text_right(ui, right, baseline(middle - 9, 18, 12), mark, quiet) + 12;
  text_fit(ui, row.x + 26, baseline(middle - 9, 18, 13), right - row.x - 26, e.name, {13, chosen ? Weight::semibold : Weight::medium, ink});
  text_fit(ui, row.x + 26, baseline(middle + 8, 16, 12), row.right() - row.x - 36, e.note, quiet);
  if (!possible && p.hovered) {
    ui.cursor("default");
    if (text_width(ui, e.note, quiet) > row.right() - row.x - 36) tooltip(ui, row, {Rich().add(e.note, tip_ink(ui))});
  }
  return p.clicked && possible;
}

}  // namespace

void draw_method_menu(Ui& ui, const Box& anchor) {
  constexpr const char* id = "recipe.method";
  if (!menu_is_open(id)) return;
  const auto groups = groups_of(ui);
  const float column = width_of(ui, groups), room = std::max(ui.screen.bottom() - anchor.bottom(), anchor.y - ui.screen.y) - 36;
  // Side by side where one list would have to scroll; cut before the group that makes the columns most alike.
  const float whole = height_of(ui, groups);
  std::size_t cut = groups.size();
  float height = whole;
  if (whole > room && ui.screen.w >= 2 * column + 56)
    for (std::size_t k = 1; k < groups.size(); ++k) {
      const float left = height_of(ui, {groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(k)});
      if (const float h = std::max(left, whole - left); h < height) height = h, cut = k;
    }
  const bool two = cut < groups.size();
  const float want = two ? 2 * column + 12 : std::min(column, ui.screen.w - 40);
  Box c;
  if (!begin_menu(ui, id, anchor, want + 16, height + 16, c)) return;
  const float width = two ? column : std::min(column, c.w);
  float x = c.x, y = c.y;
  const Entry* picked = nullptr;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (g == cut) x += column + 12, y = c.y;
    text_fit(ui, x + 8, baseline(y + 2, kHeading, 12), width - 16, ui.words(groups[g].title), {12, Weight::semibold, ui.theme.ink2});
    y += kHeading;
    for (const Entry& e : groups[g].entries) {
      if (draw_entry(ui, e, {x, y, width, row_height(ui)})) picked = &e;
      y += row_height(ui);
    }
  }
  if (two) rule_v(ui, std::round(c.x + column + 6), c.y + 4, height - 8, ui.theme.line);
  if (picked) {
    ImGui::CloseCurrentPopup();
    JsonWriter j;
    std::string name(method_name(picked->recipe.method));
    if (!picked->recipe.source.empty()) name += ":" + picked->recipe.source;
    ui.app.run("recipe.method", j.object().field("method", name).end().text());
  }
  end_menu(ui, height);
}

}  // namespace rollscope::ui
