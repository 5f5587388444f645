// Curves over the layers: how spread, how alike and how taken by one token the rows are after each layer.
#include <algorithm>
#include <cmath>

#include "ui/draw.h"
#include "ui/names.h"
#include "ui/panels.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

constexpr double kPlayMs = 700;
constexpr const char* kNames[kDepthMeasures] = {"entropy", "distance", "top_share", "sink_mass", "effective_rank", "key"};

// The key whose weight is followed: the chosen one, else the strongest that is no sink.
int followed_key(const Ui& ui) {
  if (ui.state().selection.key >= 0) return ui.state().selection.key;
  const ViewData& v = *ui.view();
  int best = -1;
  for (int j = 0; j < static_cast<int>(v.row.size()); ++j)
    if (!ui.is_sink(j) && (best < 0 || v.row[static_cast<std::size_t>(j)] > v.row[static_cast<std::size_t>(best)])) best = j;
  return best;
}

std::vector<float> curve(const Ui& ui, const DepthData& d, int measure) {
  switch (measure) {
    case 0: return d.entropy;
    case 1: return d.distance;
    case 2: return d.top_share;
    case 3: return d.sink_mass;
    case 4: return d.effective_rank;
    default: break;
  }
  std::vector<float> out;
  const int key = followed_key(ui);
  for (const auto& row : d.rows) out.push_back(key >= 0 && static_cast<std::size_t>(key) < row.size() ? row[static_cast<std::size_t>(key)] : NAN);
  return out;
}

std::string measure_words(const Ui& ui, int measure) {
  if (measure == 5) return ui.words.fill("ui.depth.key", {{"token", ui.token(followed_key(ui), true)}});
  return std::string(ui.words("ui.depth." + std::string(kNames[measure])));
}

// Shares of 1, or a number of tokens.
std::string value_text(const Ui& ui, int measure, double x) {
  if (!std::isfinite(x)) return "–";
  if (measure == 4) return ui.words.number(x, 1);
  if (measure == 1) return ui.words.number(x, 2);
  return ui.words.percent_sign(x);
}

double nice_top(double most, int measure) {
  if (measure == 0 || measure == 1) return 1;
  for (const double step : {0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0})
    if (most <= step) return step;
  return most;
}

void verdict(Ui& ui, const Box& b, const DepthData& d) {
  const bool collapsed = d.collapsed_from >= 0;
  const int from = collapsed ? d.collapsed_from : d.similar_from;
  if (from < 0) {
    Rich().add(ui.words("ui.depth.differ"), {13, Weight::regular, ui.theme.ink2}).wrap(ui, b.x, b.y, b.w, 18);
    return;
  }
  const std::string words = ui.words.fill(collapsed ? "ui.depth.collapsed" : "ui.depth.similar", {{"layer", std::to_string(ui.layer_number(d.first_layer + from))}});
  Rich().add(words, {13, Weight::medium, ui.theme.warn}).wrap(ui, b.x, b.y, b.w, 18);
}

void small(Ui& ui, const Box& b, const DepthData& d, int measure) {
  const bool on = ui.app.state().depth.measure == measure;
  const std::string id = std::string("depth.measure/") + kNames[measure];
  const Press p = press(ui, id.c_str(), b, true, 6);
  fill(ui, b, on ? ui.theme.accentbg : p.hovered ? ui.theme.raised : ui.theme.panel, 6);
  if (!on) frame(ui, b, ui.theme.line, 1, 6);
  const std::string words = measure_words(ui, measure);
  label(ui, b.x + 10, baseline(b.y + 5, 18, 12), label_cut(ui, words, 12, false, b.w - 20), 12, false, on ? ui.theme.accent : ui.theme.ink2);
  const auto values = curve(ui, d, measure);
  double most = 0;
  for (const float x : values)
    if (std::isfinite(x)) most = std::max(most, static_cast<double>(x));
  const double top = nice_top(most, measure);
  const Box area{b.x + 10, b.y + 26, b.w - 20, b.h - 36};
  std::vector<ImVec2> points;
  for (std::size_t l = 0; l < values.size(); ++l) {
    if (!std::isfinite(values[l])) continue;
    const float x = area.x + (values.size() > 1 ? area.w * static_cast<float>(l) / static_cast<float>(values.size() - 1) : area.w / 2);
    points.push_back({x, area.bottom() - area.h * static_cast<float>(static_cast<double>(values[l]) / top)});
  }
  if (points.size() > 1) ui.dl->AddPolyline(points.data(), static_cast<int>(points.size()), on ? ui.theme.accent : ui.theme.node, 1.5f);
  if (points.empty()) text(ui, area.x, baseline(area.y, area.h, 12), ui.words("ui.depth.not_measured"), {12, Weight::regular, ui.theme.ink3});
  if (p.clicked) ui.app.run("depth.measure", std::string("{\"measure\":\"") + kNames[measure] + "\"}");
}

void large(Ui& ui, Box b, const DepthData& d, int measure) {
  const auto values = curve(ui, d, measure);
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  double most = 0;
  for (const float x : values)
    if (std::isfinite(x)) most = std::max(most, static_cast<double>(x));
  const double top = nice_top(most, measure);
  b.cut_top(8);
  const Box axis = b.cut_bottom(40);
  b.cut_left(58);
  b.cut_right(16);
  ui.record.graph = b;
  const int lines = b.h < 90 ? 4 : 1;  // every line, or the ends
  for (int k = 0; k <= 4; k += lines) {
    const float y = b.bottom() - b.h * static_cast<float>(k) / 4;
    rule_h(ui, b.x, y, b.w, ui.theme.line);
    text_right(ui, b.x - 8, baseline(y - 8, 16, 12), value_text(ui, measure, top * k / 4), quiet);
  }
  const auto x_of = [&](std::size_t l) { return b.x + (values.size() > 1 ? b.w * static_cast<float>(l) / static_cast<float>(values.size() - 1) : b.w / 2); };
  const auto y_of = [&](double v) { return b.bottom() - b.h * static_cast<float>(std::clamp(v / top, 0.0, 1.0)); };
  if (measure == 1) {  // where rows count as similar, and as the same
    for (const double limit : {0.05, 0.15}) dashed_h(ui, b.x, b.right(), y_of(limit), ui.theme.warn, 4, 4);
  }
  std::vector<ImVec2> run;
  const auto flush = [&] {
    if (run.size() > 1) ui.dl->AddPolyline(run.data(), static_cast<int>(run.size()), ui.theme.accent, 2.0f);
    run.clear();
  };
  for (std::size_t l = 0; l < values.size(); ++l) {
    if (!std::isfinite(values[l])) flush();
    else run.push_back({x_of(l), y_of(static_cast<double>(values[l]))});
  }
  flush();
  const int step = values.size() > 48 ? 10 : values.size() > 24 ? 5 : values.size() > 14 ? 2 : 1;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool inside = ui.mouse_in({b.x - 10, b.y, b.w + 20, b.h + 20});
  for (std::size_t l = 0; l < values.size(); ++l) {
    const float x = x_of(l);
    const int layer = d.first_layer + static_cast<int>(l);
    if (static_cast<int>(l) % step == 0 || l + 1 == values.size()) text_centre(ui, x, baseline(axis.y + 4, 16, 12), std::to_string(ui.layer_number(layer)), quiet);
    if (!std::isfinite(values[l])) continue;
    const float y = y_of(static_cast<double>(values[l]));
    const float reach = values.size() > 1 ? b.w / static_cast<float>(values.size() - 1) / 2 : b.w;
    const bool near = inside && std::abs(mouse.x - x) <= reach;
    if (values.size() <= 48 || near) ui.dl->AddCircleFilled({x, y}, near ? 5.0f : 3.5f, ui.theme.accent);
    ui.record.nodes.push_back({{x - 4, y - 4, 8, 8}, layer, layer});
    if (near) {
      std::vector<Rich> lines;
      lines.push_back(Rich().add(ui.words.fill("ui.graph.layer", {{"layer", std::to_string(ui.layer_number(layer))}}), tip_ink(ui, true)));
      lines.push_back(Rich().token(measure_words(ui, measure) + ": " + value_text(ui, measure, static_cast<double>(values[l])), tip_ink(ui)));
      const int key = d.top_key[l];
      if (measure == 2 && key >= 0) lines.push_back(Rich().token(ui.token(key, true), tip_quiet(ui)));
      tooltip(ui, {x - 6, y - 6, 12, 12}, std::move(lines));
    }
  }
  text_centre(ui, b.middle_x(), baseline(axis.y + 20, 16, 12), ui.words("ui.depth.layers"), quiet);
  // The range of the recipe ends at a layer; a click sets the end.
  const Recipe& recipe = ui.app.state().recipe;
  const int end = recipe.end_layer - 1 - d.first_layer;
  if (end >= 0 && end + 1 < static_cast<int>(values.size())) {
    const float x = x_of(static_cast<std::size_t>(end));
    fill(ui, {x, b.y, b.right() - x, b.h}, faded(ui.theme.well, 0.5f));
    rule_v(ui, x, b.y, b.h, ui.theme.accent);
  }
  const Press p = press(ui, "depth.curve", {b.x - 10, b.y, b.w + 20, b.h + 20}, true, 2);
  if (!ui.app.chain()) return;
  if (p.hovered) ui.cursor("pointer");
  const auto go = [&](int layer) {
    layer = std::clamp(layer, 0, static_cast<int>(values.size()) - 1);
    ui.app.run("recipe.layers", "{\"layers\":[" + std::to_string(d.first_layer) + "," + std::to_string(d.first_layer + layer + 1) + "]}");
  };
  if (p.clicked && values.size() > 1) {
    ui.app.playing = false;
    go(static_cast<int>(std::lround((mouse.x - b.x) / b.w * static_cast<float>(values.size() - 1))));
  }
  if (p.focused) {
    ui.takes_arrows = true;
    if (ui.arrows != 0) go(end + ui.arrows);
  }
}

// One layer more every kPlayMs, to the last.
void play(Ui& ui) {
  if (!ui.app.playing) return;
  if (ui.play_next == 0) ui.play_next = ui.now + kPlayMs;
  const Recipe& recipe = ui.app.state().recipe;
  if (ui.now >= ui.play_next && ui.app.settled()) {
    ui.play_next = ui.now + kPlayMs;
    if (recipe.end_layer < ui.app.stored_stream().layers())
      ui.app.run("recipe.layers", "{\"layers\":[" + std::to_string(recipe.first_layer) + "," + std::to_string(recipe.end_layer + 1) + "]}");
    else
      ui.app.playing = false;
  }
  if (ui.app.playing) ui.wake(std::max(16.0, ui.play_next - ui.now));
  else ui.play_next = 0;
}

}  // namespace

void draw_depth_view(Ui& ui, const Box& box) {
  const DepthData* d = ui.app.layers();
  Box b = box;
  if (!d || d->distance.empty()) {
    text_centre(ui, b.middle_x(), b.middle_y(), ui.words("ui.depth.pending"), {13, Weight::regular, ui.theme.ink3});
    return;
  }
  b.cut_left(16);
  b.cut_right(16);
  b.cut_top(10);
  Box top = b.cut_top(b.w < 420 ? 40 : 28);
  if (ui.app.chain() && d->distance.size() > 1) {
    const std::string words(ui.words(ui.app.playing ? "ui.depth.stop" : "ui.depth.play"));
    const float w = text_width(ui, words, {13, Weight::medium, 0}) + 20;
    if (button(ui, "depth.play", {top.right() - w, top.y - 2, w, 26}, words)) ui.play_next = 0, ui.app.run("depth.play");
    top.cut_right(w + 12);
  }
  verdict(ui, top, *d);
  play(ui);
  const int across = b.w > 620 ? 3 : 2, down = kDepthMeasures / across;
  const float height = std::clamp(b.h * 0.16f, 58.0f, 92.0f);
  const Box strip = b.cut_bottom(static_cast<float>(down) * (height + 8) + 4);
  const int measure = std::clamp(ui.state().depth.measure, 0, kDepthMeasures - 1);
  const Box title = b.cut_top(22);
  label(ui, title.x, baseline(title.y, 20, 14), label_cut(ui, measure_words(ui, measure), 14, true, title.w), 14, true, ui.theme.ink);
  const std::string note = "ui.depth.note." + std::string(kNames[measure]);
  if (b.h > 200) b.cut_top(Rich().add(ui.words(note), {12, Weight::regular, ui.theme.ink3}).wrap(ui, b.x, b.y, b.w, 16) + 2);
  large(ui, b, *d, measure);
  for (int k = 0; k < kDepthMeasures; ++k) {
    const float w = (strip.w - 8 * static_cast<float>(across - 1)) / static_cast<float>(across);
    small(ui, {strip.x + static_cast<float>(k % across) * (w + 8), strip.y + static_cast<float>(k / across) * (height + 8), w, height}, *d, k);
  }
  ui.showed_picture = true;
}

}  // namespace rollscope::ui
