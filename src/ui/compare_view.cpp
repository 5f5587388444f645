// Two recipes side by side: the chosen row under A and under B on one scale, what B has more, and both matrices.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "scene/json.h"
#include "scene/recipe_fit.h"
#include "scene/state_codec.h"
#include "ui/compare_panel.h"
#include "ui/draw.h"
#include "ui/names.h"
#include "ui/panels.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

constexpr float kCell = 34;  // narrower cells carry no numbers

bool is_aside(const BesideData& d, int key) { return std::binary_search(d.sinks.begin(), d.sinks.end(), key); }

Rgb side_colour(const Ui& ui, int side) { return signed_colour(side == 0 ? 0.06 : 0.94, ui.theme.dark); }

void chip(Ui& ui, float x, float middle, int side) {
  const Rgb colour = side_colour(ui, side);
  const Box b{x, middle - 11, 22, 22};
  fill(ui, b, packed(colour), 6);
  text_centre(ui, b.middle_x(), baseline(b.y, b.h, 13), side == 0 ? "A" : "B", {13, Weight::semibold, ink_on(colour)});
}

double nice(double x) {
  if (!(x >= 1e-3)) return 1e-3;  // alike: the scale still has two ends
  const double ten = std::pow(10.0, std::floor(std::log10(x)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 5.0, 10.0})
    if (x <= step * ten * (1 + 1e-9)) return step * ten;
  return x;
}

std::vector<float> divided(const std::vector<float>& row, bool by_sum) {
  std::vector<float> out = row;
  if (!by_sum) return out;
  double sum = 0;
  for (const float x : row)
    if (std::isfinite(x)) sum += std::abs(static_cast<double>(x));
  if (sum > 0)
    for (float& x : out) x = static_cast<float>(static_cast<double>(x) / sum);
  return out;
}

void update(Ui& ui) {
  ComparePanel& p = *ui.compare;
  const BesideData& d = *ui.app.beside();
  if (p.version == ui.app.beside_version() && p.dark == ui.theme.dark && (d.queries == 0 || p.picture[0])) return;
  forget_compare(ui, false);
  p.divided = !in_percent(d.a) || !in_percent(d.b);
  p.a = divided(d.row_a, p.divided);
  p.b = divided(d.row_b, p.divided);
  std::vector<float> a = d.matrix_a, b = d.matrix_b;
  const auto keys = static_cast<std::size_t>(std::max(1, d.keys));
  if (p.divided)
    for (std::vector<float>* m : {&a, &b})
      for (std::size_t at = 0; at + keys <= m->size(); at += keys) {
        const auto row = divided({m->begin() + static_cast<std::ptrdiff_t>(at), m->begin() + static_cast<std::ptrdiff_t>(at + keys)}, true);
        std::copy(row.begin(), row.end(), m->begin() + static_cast<std::ptrdiff_t>(at));
      }
  double high = 0, apart = 0;
  const auto widen = [&](float x, float y, int key) {
    if (is_aside(d, key)) return;
    if (std::isfinite(x)) high = std::max(high, std::abs(static_cast<double>(x)));
    if (std::isfinite(y)) high = std::max(high, std::abs(static_cast<double>(y)));
    if (std::isfinite(x) && std::isfinite(y)) apart = std::max(apart, std::abs(static_cast<double>(y) - static_cast<double>(x)));
  };
  for (std::size_t j = 0; j < p.a.size(); ++j) widen(p.a[j], p.b[j], static_cast<int>(j));
  for (std::size_t k = 0; k < a.size(); ++k) widen(a[k], b[k], static_cast<int>(k % keys));
  p.high = high > 0 ? high : 1;
  p.limit = nice(apart);
  if (d.queries > 0) {
    // A texel is filtered where it is enlarged: cells are several texels wide, so that their edges stay sharp.
    const int texels = std::clamp(400 / std::max(d.queries, d.keys), 1, 24);
    const auto width = keys * static_cast<std::size_t>(texels);
    std::vector<std::uint8_t> rgba(a.size() * 4 * static_cast<std::size_t>(texels) * static_cast<std::size_t>(texels), 0);
    for (int which = 0; which < 3; ++which) {
      for (std::size_t k = 0; k < a.size(); ++k) {
        const int key = static_cast<int>(k % keys), query = static_cast<int>(k / keys);
        const bool unseen = d.causal && key > query;
        const double value = which == 0 ? static_cast<double>(a[k]) : which == 1 ? static_cast<double>(b[k]) : static_cast<double>(b[k]) - static_cast<double>(a[k]);
        const Rgb c = which < 2 ? weight_colour(std::clamp(std::abs(value) / p.high, 0.0, 1.0), ui.theme.dark) : signed_colour(std::clamp(0.5 + value / p.limit / 2, 0.0, 1.0), ui.theme.dark);
        const auto byte = [](float x) { return static_cast<std::uint8_t>(std::lround(x * 255)); };
        const std::uint8_t texel[4] = {byte(c.r), byte(c.g), byte(c.b), static_cast<std::uint8_t>(unseen || !std::isfinite(value) || is_aside(d, key) ? 0 : 255)};
        for (int y = 0; y < texels; ++y)
          for (int x = 0; x < texels; ++x) std::copy(texel, texel + 4, &rgba[4 * (static_cast<std::size_t>(query * texels + y) * width + static_cast<std::size_t>(key * texels + x))]);
      }
      p.picture[static_cast<std::size_t>(which)] = ui.gpu.create_texture(d.keys * texels, d.queries * texels, false, false);
      ui.gpu.update_texture(p.picture[static_cast<std::size_t>(which)], 0, 0, d.keys * texels, d.queries * texels, rgba);
    }
  }
  p.version = ui.app.beside_version();
  p.dark = ui.theme.dark;
}

std::string points(const Ui& ui, double difference) {
  const std::string number = ui.words.number(100 * difference, 1);
  return difference > 0 && number != ui.words.number(0, 1) ? "+" + number : number;
}

std::string recipe_words(const Ui& ui, const Recipe& r) {
  std::string out = method_words(ui, r);
  if (traits(r.method).attention) out += " · " + ui.words.fill(r.end_layer - r.first_layer == 1 ? "ui.compare.layer" : "ui.compare.layers", {{"layers", layers_words(ui, r)}});
  if (traits(r.method).attention) out += " · " + fusion_words(ui, r);
  if (r.method != Method::raw && multiplies(ui.app.stored_stream(), r)) out += " · " + ui.words.fill("ui.compare.residual", {{"residual", residual_words(ui, r)}});
  if (r.sink != SinkMode::keep) out += " · " + std::string(ui.words("ui.sink.say." + std::string(sink_mode_name(r.sink))));
  if (r.merge != Merge::pieces) out += " · " + merge_words(ui, r);
  return out;
}

// Methods that B could be here, as (method, source).
std::vector<Recipe> possible(const Ui& ui) {
  std::vector<Recipe> out;
  const Stream& now = ui.app.stored_stream();
  for (int m = 0; m < kMethods; ++m) {
    const auto method = static_cast<Method>(m);
    if (method == Method::attribution || method == Method::joint || stream_for(ui.app.dump(), now, method) != &now) continue;
    Recipe r;
    r.method = method;
    out.push_back(r);
  }
  if (const Stream* stored = stream_for(ui.app.dump(), now, Method::attribution); stored == &now)
    for (const std::string& name : source_names(ui.app.dump(), *stored, Method::attribution)) {
      Recipe r;
      r.method = Method::attribution;
      r.source = name;
      out.push_back(r);
    }
  return out;
}

// "A  Rollout · layers 1-6 · mean of 12"; at B's end what it can be changed to.
void recipe_rows(Ui& ui, Box b) {
  const Ink ink{14, Weight::medium, ui.theme.ink};
  const AppState& s = ui.app.state();
  const Recipe other = ui.app.other_recipe(s);
  const Box first = b.cut_top(30), second = b.cut_top(30);
  chip(ui, first.x, first.middle_y(), 0);
  text_fit(ui, first.x + 32, baseline(first.y, first.h, 14), first.w - 32, recipe_words(ui, s.recipe), ink);
  chip(ui, second.x, second.middle_y(), 1);
  float right = second.right();
  const auto act = [&](const char* id, std::string_view key) {
    const std::string words(ui.words(key));
    const float w = text_width(ui, words, {13, Weight::medium, 0}) + 20;
    if (right - w < second.x + 150) return false;
    right -= w;
    const bool hit = button(ui, id, {right, second.middle_y() - 13, w, 26}, words);
    right -= 8;
    return hit;
  };
  if (act("compare.swap", "ui.compare.swap")) ui.app.run("compare.swap");
  if (act("compare.pin", "ui.compare.pin")) ui.app.run("compare.pin");
  if (s.compare.query >= 0) {
    const std::string held = ui.words.fill("ui.compare.held", {{"token", query_name(ui, s.compare.query)}});
    const float w = std::min(220.0f, label_width(ui, held, 13, false) + 44);
    if (right - w > second.x + 150) {
      right -= w;
      const Box b{right, second.middle_y() - 13, w, 26};
      const Press p = press(ui, "compare.hold", b, true, 13);
      fill(ui, b, ui.theme.accentbg, 13);
      if (p.hovered) frame(ui, b, ui.theme.accent, 1, 13);
      label(ui, b.x + 12, baseline(b.y, b.h, 13), label_cut(ui, held, 13, false, w - 40), 13, false, ui.theme.accent);
      icon(ui, Icon::close, b.right() - 15, b.middle_y(), ui.theme.accent);
      if (p.clicked) ui.app.run("compare.hold", R"({"query":-1})");
      right -= 8;
    }
  } else if (act("compare.hold", "ui.compare.hold")) {
    ui.app.run("compare.hold");
  }
  const auto methods = possible(ui);
  std::vector<MenuRow> rows;
  int chosen = -1;
  for (std::size_t k = 0; k < methods.size(); ++k) {
    rows.push_back({method_words(ui, methods[k]), mark_words(ui, methods[k].method)});
    if (methods[k].method == other.method && (other.method != Method::attribution || methods[k].source == other.source)) chosen = static_cast<int>(k);
  }
  const std::string name = method_words(ui, other);
  float x = second.x + 32;
  const float w = picker_width(ui, name);
  if (picker(ui, "compare.method", x, second.middle_y(), name, menu_is_open("compare.method"))) open_menu(ui, "compare.method");
  if (const int picked = menu(ui, "compare.method", {x, second.middle_y() - 12, w, 24}, rows, chosen); picked >= 0) {
    const Recipe& r = methods[static_cast<std::size_t>(picked)];
    JsonWriter j;
    const std::string method(method_name(r.method));
    ui.app.run("compare.recipe", j.object().field("method", r.source.empty() ? method : method + ":" + r.source).end().text());
  }
  x += w + 8;
  if (other.method == Method::raw && ui.app.stored_stream().layers() > 1) {
    const std::string layer = other.end_layer - other.first_layer == 1 ? ui.words.fill("ui.matrix.layer", {{"layer", std::to_string(ui.layer_number(other.first_layer))}}) : ui.words.fill("ui.compare.layers", {{"layers", layers_words(ui, other)}});
    const float lw = picker_width(ui, layer);
    if (x + lw < right) {
      if (picker(ui, "compare.layer", x, second.middle_y(), layer, menu_is_open("compare.layer"))) open_menu(ui, "compare.layer");
      std::vector<MenuRow> layers;
      for (int l = 0; l < ui.app.stored_stream().layers(); ++l) layers.push_back({ui.words.fill("ui.matrix.layer", {{"layer", std::to_string(ui.layer_number(l))}}), ""});
      if (const int picked = menu(ui, "compare.layer", {x, second.middle_y() - 12, lw, 24}, layers, other.first_layer); picked >= 0)
        ui.app.run("compare.recipe", "{\"layers\":[" + std::to_string(picked) + "," + std::to_string(picked + 1) + "]}");
      x += lw + 8;
    }
  }
  // What no picker says: fusion, layers, residual.
  const std::string words = recipe_words(ui, other);
  const auto cut = words.find(" · ");
  if (cut != words.npos) text_fit(ui, x + 4, baseline(second.y, second.h, 13), right - x - 8, words.substr(cut + 4), {13, Weight::regular, ui.theme.ink2});
}

// The chosen row under both, token by token; where cells are too narrow for numbers, the strongest of each.
void strips(Ui& ui, Box b) {
  const ComparePanel& p = *ui.compare;
  const BesideData& d = *ui.app.beside();
  const int keys = static_cast<int>(p.a.size());
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  const float lead = b.w > 520 ? 96.0f : 56.0f;
  const Box words = b.cut_top(24);
  text_fit(ui, words.x, baseline(words.y, 22, 12), lead - 6, ui.words.fill("ui.compare.on", {{"token", ui.words.quoted(query_name(ui, d.query))}}), quiet);
  const float room = b.w - lead;
  std::vector<float> widths(static_cast<std::size_t>(keys));
  float wide = 0;
  for (int j = 0; j < keys; ++j) {
    widths[static_cast<std::size_t>(j)] = std::max(kCell + 8, label_width(ui, ui.token_short(j, true), 13, j == d.query) + 14);
    wide += widths[static_cast<std::size_t>(j)];
  }
  const bool roomy = wide <= room;
  if (!roomy) std::fill(widths.begin(), widths.end(), room / static_cast<float>(std::max(1, keys)));
  const float gap = roomy ? 3.0f : widths[0] > 4 ? 1.0f : 0.0f;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Press over = press(ui, "compare.strip", {b.x + lead, words.y, room, 24 + 3 * 34}, true, 2);
  for (int line = 0; line < 3; ++line) {
    const Box row = b.cut_top(34);
    if (line < 2) chip(ui, row.x, row.middle_y(), line);
    else text_fit(ui, row.x, baseline(row.y, row.h, 13), lead - 6, ui.words("ui.compare.difference"), {13, Weight::semibold, ui.theme.ink});
    if (line < 2 && lead > 90) text(ui, row.x + 30, baseline(row.y, row.h, 12), p.divided ? "" : "%", quiet);
    float x = row.x + lead;
    for (int j = 0; j < keys; ++j) {
      const auto k = static_cast<std::size_t>(j);
      const Box cell{x, row.y + 3, std::max(0.5f, widths[k] - gap), 28};
      x += widths[k];
      const double a = static_cast<double>(p.a[k]), bb = static_cast<double>(p.b[k]), value = line == 0 ? a : line == 1 ? bb : bb - a;
      const bool aside = is_aside(d, j);
      if (line == 0) {
        const bool mine = j == d.query && !ui.two_sided();
        if (!roomy && cell.w >= 24) label_centre(ui, cell.middle_x(), baseline(words.y, 22, 12), label_cut(ui, ui.token_short(j, true), 12, mine, cell.w), 12, mine, mine ? ui.theme.accent : ui.theme.ink2);
        if (roomy) label_centre(ui, cell.middle_x(), baseline(words.y, 22, 13), ui.token_short(j, true), 13, mine, mine ? ui.theme.accent : ui.theme.ink);
        ui.record.inputs.push_back({cell, j, 0});
      } else {
        ui.record.nodes.push_back({cell, j, line});
      }
      if (!std::isfinite(value)) continue;
      const Rgb colour = line < 2 ? weight_colour(std::clamp(std::abs(value) / p.high, 0.0, 1.0), ui.theme.dark) : signed_colour(std::clamp(0.5 + value / p.limit / 2, 0.0, 1.0), ui.theme.dark);
      if (aside) {
        if (roomy) frame(ui, cell, ui.theme.sink, 1, 4);
        hatch(ui, cell, ui.theme.sink);
      } else {
        fill(ui, cell, packed(colour), roomy ? 4.0f : 0.0f);
      }
      if (roomy) {
        const std::string number = line == 2 ? points(ui, value) : ui.words.percent(value);
        const float w = text_width(ui, number, {13, Weight::regular, 0});
        if (aside) fill(ui, {cell.middle_x() - w / 2 - 3, cell.y + 5, w + 6, cell.h - 10}, ui.theme.panel, 2);
        text_centre(ui, cell.middle_x(), baseline(cell.y, cell.h, 13), number, {13, Weight::regular, aside ? ui.theme.ink : ink_on(colour)});
      }
      if (over.hovered && mouse.x >= cell.x && mouse.x < cell.x + widths[k] && line == 2) {
        if (!roomy || mouse.y >= words.y) {
          std::vector<Rich> lines;
          lines.push_back(Rich().token(ui.token(j, true), tip_ink(ui, true)));
          lines.push_back(Rich().add("A " + ui.words.percent_fine(a) + "   B " + ui.words.percent_fine(bb), tip_ink(ui)));
          lines.push_back(Rich().add(ui.words.fill("ui.compare.points", {{"points", points(ui, bb - a)}}), tip_quiet(ui)));
          tooltip(ui, {cell.x, words.y, cell.w, 24 + 3 * 34}, std::move(lines));
        }
        ui.hover_next.key = j;
        ui.cursor("pointer");
        if (over.clicked) ui.app.run("select.key", "{\"key\":" + std::to_string(j == ui.state().selection.key ? -1 : j) + "}");
      }
    }
  }
}

void scale_bar(Ui& ui, const Box& b, bool two_sided) {
  const ComparePanel& p = *ui.compare;
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  text_fit(ui, b.x, baseline(b.y, 16, 12), b.w, ui.words(two_sided ? "ui.compare.scale_difference" : p.divided ? "ui.compare.scale_divided" : "ui.compare.scale"), quiet);
  heat_bar(ui, {b.x, b.y + 18, b.w, 9}, false, two_sided);
  const float base = baseline(b.y + 29, 16, 12);
  if (two_sided) {
    text(ui, b.x, base, points(ui, -p.limit), quiet);
    text_centre(ui, b.middle_x(), base, "0", quiet);
    text_right(ui, b.right(), base, points(ui, p.limit), quiet);
  } else {
    text(ui, b.x, base, "0", quiet);
    text_right(ui, b.right(), base, ui.words.percent_sign(p.high), quiet);
  }
}

void matrices(Ui& ui, Box b) {
  const ComparePanel& p = *ui.compare;
  const BesideData& d = *ui.app.beside();
  const bool narrow = b.w < 620;
  const int first = narrow ? 2 : 0, count = narrow ? 1 : 3;
  const float labels = b.w > 420 ? 84.0f : 0.0f;
  const Box heads = b.cut_top(30);
  const Box foot = b.cut_bottom(50);
  const float gap = 22;
  const float wide = (b.w - labels - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
  const float cell = std::min(wide / static_cast<float>(d.keys), b.h / static_cast<float>(d.queries));
  if (cell * static_cast<float>(d.queries) < 110) return;
  const float w = cell * static_cast<float>(d.keys), h = cell * static_cast<float>(d.queries);
  const bool named = cell >= 13;
  const float y = b.y;
  const Press over = press(ui, "compare.matrices", {b.x, y, b.w, h}, true, 2);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (int n = 0; n < count; ++n) {
    const int which = first + n;
    const Box m{std::round(b.x + labels + static_cast<float>(n) * (w + gap)), std::round(y), w, h};
    if (which < 2) chip(ui, m.x, heads.middle_y(), which);
    const std::string title = which == 0 ? method_words(ui, d.a) : which == 1 ? method_words(ui, d.b) : std::string(ui.words("ui.compare.difference_title"));
    text_fit(ui, m.x + (which < 2 ? 30.0f : 0.0f), baseline(heads.y, heads.h, 13), w - 30, title, {13, Weight::semibold, ui.theme.ink});
    for (const int sink : d.sinks) hatch(ui, {m.x + cell * static_cast<float>(sink), m.y, cell, h}, ui.theme.line2);
    ui.dl->AddImage(static_cast<ImTextureID>(p.picture[static_cast<std::size_t>(which)]), {m.x, m.y}, {m.right(), m.bottom()});
    if (cell >= 8) {
      for (int i = 1; i < d.queries; ++i) rule_h(ui, m.x, m.y + cell * static_cast<float>(i), w, ui.theme.panel);
      for (int j = 1; j < d.keys; ++j) rule_v(ui, m.x + cell * static_cast<float>(j), m.y, h, ui.theme.panel);
    }
    frame(ui, m, ui.theme.line, 1);
    ring(ui, {m.x, m.y + cell * static_cast<float>(d.query), w, std::max(2.0f, cell)}, ui.theme.accent, 0, 2, 2);
    if (which == 1 && d.query_b != d.query) ring(ui, {m.x, m.y + cell * static_cast<float>(d.query_b), w, std::max(2.0f, cell)}, ui.theme.accent, 0, 1, 2);
    if (n == 0) ui.record.matrix = m, ui.record.cell = cell, ui.record.left = 0, ui.record.top = 0;
    if (over.hovered && m.contains(mouse.x, mouse.y)) {
      const int i = std::clamp(static_cast<int>((mouse.y - m.y) / cell), 0, d.queries - 1), j = std::clamp(static_cast<int>((mouse.x - m.x) / cell), 0, d.keys - 1);
      const auto k = static_cast<std::size_t>(i) * static_cast<std::size_t>(d.keys) + static_cast<std::size_t>(j);
      const double a = static_cast<double>(d.matrix_a[k]), bb = static_cast<double>(d.matrix_b[k]);
      std::vector<Rich> lines;
      lines.push_back(Rich().token(query_name(ui, i) + " · " + ui.token(j, true), tip_ink(ui, true)));
      lines.push_back(Rich().add(p.divided ? "A " + ui.words.plain(a) + "   B " + ui.words.plain(bb) : "A " + ui.words.percent_fine(a) + "   B " + ui.words.percent_fine(bb), tip_ink(ui)));
      if (!p.divided) lines.push_back(Rich().add(ui.words.fill("ui.compare.points", {{"points", points(ui, bb - a)}}), tip_quiet(ui)));
      tooltip(ui, {m.x + cell * static_cast<float>(j), m.y + cell * static_cast<float>(i), cell, cell}, std::move(lines));
      ui.hover_next.query = i;
      ui.hover_next.key = j;
      ui.cursor("pointer");
      if (over.clicked) ui.app.run("select.query", "{\"query\":" + std::to_string(i) + "}");
    }
  }
  if (labels > 0) {
    const int step = named ? 1 : std::max(1, static_cast<int>(std::ceil(14 / cell)));
    for (int i = 0; i < d.queries; ++i) {
      const bool mine = i == d.query;
      if (!mine && (i % step != 0 || std::abs(i - d.query) < step)) continue;
      const Box place{b.x, y + cell * static_cast<float>(i), labels - 8, cell};
      label_right(ui, place.right(), baseline(place.middle_y() - 8, 16, 12), label_cut(ui, query_name(ui, i), 12, mine, labels - 10), 12, mine, mine ? ui.theme.accent : ui.theme.ink2);
      ui.record.outputs.push_back({place, i, 0});
    }
  }
  const float left = b.x + labels;
  const Box scale{left, std::min(foot.y, y + h + 10), narrow ? w : 2 * w + gap, 46};
  scale_bar(ui, scale, narrow);
  if (!narrow) scale_bar(ui, {left + 2 * (w + gap), scale.y, w, 46}, true);
}

}  // namespace

void forget_compare(Ui& ui, bool lost) {
  ComparePanel& p = *ui.compare;
  for (gpu::Texture& t : p.picture) {
    if (!lost && t) ui.gpu.destroy_texture(t);
    t = 0;
  }
  p.version = 0;
}

bool comparison_here(const Ui& ui) {
  const BesideData* d = ui.app.beside();
  return d && ui.view() && d->query == ui.state().selection.query && d->query_b == (ui.state().compare.query >= 0 ? ui.state().compare.query : d->query) && d->row_a.size() == ui.view()->row.size() && d->row_b.size() == d->row_a.size();
}

void draw_compare_view(Ui& ui, const Box& box) {
  Box b = box.inset(16, 8);
  recipe_rows(ui, b.cut_top(62));
  if (!comparison_here(ui)) {
    const bool failed = !ui.app.beside_failed().empty();
    Rich words;
    words.add(ui.words(failed ? "ui.compare.impossible" : "ui.compare.pending"), {13, Weight::regular, failed ? ui.theme.err : ui.theme.ink3});
    words.wrap(ui, b.x, b.y + 24, b.w, 19);
    return;
  }
  update(ui);
  rule_h(ui, box.x, b.y, box.w, ui.theme.line);
  b.cut_top(8);
  strips(ui, b.cut_top(130));
  if (b.h > 120 && ui.app.beside()->queries > 1) {
    rule_h(ui, box.x, b.y, box.w, ui.theme.line);
    b.cut_top(6);
    matrices(ui, b);
  }
  ui.showed_picture = true;
}

}  // namespace rollscope::ui
