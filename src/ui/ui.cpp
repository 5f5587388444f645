#include "ui/ui.h"

#include <algorithm>
#include <cmath>

#include "imgui_internal.h"
#include "scene/recipe_fit.h"
#include "scene/shown_row.h"
#include "ui/graph_panel.h"
#include "ui/compare_panel.h"
#include "ui/heads_panel.h"
#include "ui/image_panel.h"
#include "ui/matrix_panel.h"
#include "ui/tooltip.h"

namespace rollscope::ui {
namespace {

constexpr double kEaseMs = 120;

}  // namespace

Ui::Ui(App& a, gpu::Gpu& g, gpu::LabelAtlas& l, Services s) : app(a), gpu(g), atlas(l), services(std::move(s)), theme(make_theme(false)) {
  tip = std::make_unique<Tip>();
  graph = std::make_unique<GraphPanel>();
  matrix = std::make_unique<MatrixPanel>();
  heads = std::make_unique<HeadsPanel>();
  image = std::make_unique<ImagePanel>();
  compare = std::make_unique<ComparePanel>();
  app.set_words([this](std::string_view key) { return words.has(key) ? std::string(words(key)) : std::string(); });
}
Ui::~Ui() = default;

const Stream& Ui::stream() const { return app.stream(); }

bool Ui::is_sink(int key) const { return view() && rollscope::is_sink(*view(), key); }

int Ui::own_past_scale() const { return view() ? rollscope::own_past_scale(*view(), stream()) : -1; }

bool Ui::two_sided() const { return rollscope::two_sided(stream()); }

bool Ui::itself(int key) const { return !two_sided() && view() && view()->rows.empty() && key == view()->query && !app.for_one_output(); }

bool Ui::percents() const { return in_percent(view() ? view()->recipe : state().recipe); }

bool Ui::is_patch(int index, bool key) const { return rollscope::is_patch(stream(), app.grid(), index, key); }

bool Ui::patches() const {
  const PatchGrid g = app.grid();
  return g.rows > 0 && g.prefix + g.rows * g.columns <= stream().keys && g.rows * g.columns * 2 > stream().keys;
}

std::string Ui::token(int index, bool key) const { return app.token_name(index, key, false); }
std::string Ui::token_short(int index, bool key) const { return app.token_name(index, key, true); }

std::string Ui::raw_token(int index, bool key) const {
  const auto& tokens = key ? stream().key_tokens : stream().query_tokens;
  return index >= 0 && index < static_cast<int>(tokens.size()) ? tokens[static_cast<std::size_t>(index)].raw : std::string();
}

int Ui::repeated(int index, bool key) const { return repeated_token(stream(), app.grid(), index, key); }

int Ui::layer_number(int stored) const {
  const auto& numbers = stream().layer_numbers;
  return stored >= 0 && stored < static_cast<int>(numbers.size()) ? numbers[static_cast<std::size_t>(stored)] + 1 : stored + 1;
}

bool Ui::visible(int key) const { return !view() || sees_key(*view(), stream(), app.border(), key); }

Rgb Ui::heat(int key) const {
  const auto k = static_cast<std::size_t>(key);
  return scale.colour(k < shade.size() ? shade[k] : scale.position(0), theme.dark);
}
Rgb Ui::heat_of(double weight) const { return scale.colour(scale.position(weight), theme.dark); }

const MatrixExtremes& Ui::extremes() {
  const std::vector<int> none, &without = view() ? view()->sinks : none;
  if (measured_of != app.matrix_version() || measured_without != without) {
    measured = matrix_extremes(*app.matrix(), without);
    measured_of = app.matrix_version();
    measured_without = without;
  }
  return measured;
}

void Ui::refresh() {
  const ViewData* v = app.has_dump() ? view() : nullptr;
  if (!v) {
    shade.clear();
    shade_to.clear();
    return;
  }
  // One value, one colour: the view that is open owns the scale. A matrix of single layers or heads shows other
  // weights than the row, which then keeps its own.
  const AppState& s = state();
  scale = view_scale(*v, stream());
  const bool same = s.matrix.kind == MatrixKind::result || (s.matrix.kind == MatrixKind::after_layer && v->level == s.matrix.layer - s.recipe.first_layer + 1);
  if (shows(s, ViewKind::matrix) && same && app.matrix() && s.matrix.scale != ScaleCurve::per_row)
    scale = matrix_scale(extremes(), s.matrix, v->is_signed);

  std::vector<float> goal(v->row.size());
  for (std::size_t i = 0; i < goal.size(); ++i) goal[i] = is_sink(static_cast<int>(i)) ? 0.0f : static_cast<float>(scale.position(v->row[i]));
  if (goal != shade_to) {
    shade_from = shade.size() == goal.size() ? shade : goal;
    shade_to = std::move(goal);
    shade_start = now;
  }
  const double part = reduced ? 1 : std::clamp((now - shade_start) / kEaseMs, 0.0, 1.0);
  const auto eased = static_cast<float>(1 - (1 - part) * (1 - part));
  shade.resize(shade_to.size());
  bool moving = false;
  for (std::size_t i = 0; i < shade.size(); ++i) {
    shade[i] = shade_from[i] + (shade_to[i] - shade_from[i]) * eased;
    moving |= shade_from[i] != shade_to[i];
  }
  if (moving && part < 1) animating = true;
  if (part >= 1) shade = shade_to;
}

bool Ui::mouse_in(const Box& box) const {
  const ImVec2 m = ImGui::GetIO().MousePos;
  return !popup_open && box.contains(m.x, m.y);
}

Wheel* Ui::wheel_in(const Box& box) {
  if (popup_open) return nullptr;
  for (Wheel& w : wheels)
    if (!w.used && box.contains(w.x, w.y)) {
      w.used = true;
      return &w;
    }
  return nullptr;
}

}  // namespace rollscope::ui
