// The status line (panels.h): scale, what is hidden, sizes, memory; a file that is being read.
#include <algorithm>
#include <cmath>

#include "ui/draw.h"
#include "ui/graph_panel.h"
#include "ui/legend.h"
#include "ui/matrix_panel.h"
#include "ui/names.h"
#include "ui/panels.h"

namespace rollscope::ui {
namespace {

using SlotRuns = std::vector<std::pair<std::string_view, Run>>;

Rich scale_part(Ui& ui, const Ink& plain, const Ink& strong) {
  Rich r;
  SlotRuns slots{{"scale", {scale_words(ui), {}, false}}, {"curve", {curve_words(ui), {}, false}}};
  if (!ui.view()->sinks.empty()) {
    slots.push_back({"sink", {sinks_words(ui), plain, true}});
    return r.words(ui, "ui.status.scale_sink", plain, strong, slots);
  }
  return r.words(ui, ui.own_past_scale() >= 0 && ui.state().view != ViewKind::matrix ? "ui.status.scale_own" : "ui.status.scale", plain, strong, slots);
}

Rich hidden_part(Ui& ui, const Ink& plain, const Ink& strong) {
  Rich r;
  const AppState& s = ui.state();
  if (s.view == ViewKind::graph) {
    const GraphPanel& g = *ui.graph;
    if (g.key.trace >= 0)
      return r.words(ui, "ui.status.traced", plain, strong, {{"key", {ui.token(g.key.trace, true), strong, true}}, {"query", {asked_name(ui), strong, true}}});
    double least = 1;
    for (float x : g.layout.shown) least = std::min(least, static_cast<double>(x));
    const auto share = static_cast<int>(std::floor(std::min(1.0, least) * 100 + 1e-6));
    if (g.layout.edges_hidden == 0 || kept_part(ui) > 0.99) r.words(ui, "ui.status.all_shown", plain, strong, {});
    else r.words(ui, "ui.status.shown", plain, strong, {{"share", {std::to_string(std::max(share, static_cast<int>(std::lround(s.graph.keep * 100)))) + "\u00A0%", {}, false}}});
    if (g.layout.bundle > 1)
      r.add(" · ", plain).words(ui, "ui.status.columns", plain, strong, {{"columns", {ui.words.count(static_cast<long long>(g.layout.column_x.size())), {}, false}}, {"tokens", {ui.words.count(ui.stream().keys), {}, false}}});
    return r;
  }
  if (s.view == ViewKind::heads && ui.app.wall()) return r.words(ui, ui.app.wall()->row.empty() ? "ui.status.heads" : "ui.status.heads_own", plain, strong, {});
  const MatrixData* m = ui.app.matrix();
  if (!m || s.view != ViewKind::matrix) return r;
  return r.words(ui, "ui.status.cells", plain, strong, {{"rows", {ui.words.count(m->rows), {}, false}}, {"columns", {ui.words.count(m->columns), {}, false}}});
}

}  // namespace

void draw_status_line(Ui& ui, const Box& box) {
  fill(ui, box, ui.theme.ground);
  rule_h(ui, box.x, box.y, box.w, ui.theme.line);
  const Ink plain{12, Weight::regular, ui.theme.ink2}, strong{12, Weight::semibold, ui.theme.ink}, quiet{12, Weight::regular, ui.theme.ink3};
  const float base = baseline(box.y + 1, box.h - 1, 12);
  float right = box.right() - 16;
  const std::string_view stays = ui.words("ui.status.local");
  if (box.w > 900) right -= text_right(ui, right, base, stays, quiet) + 16;

  std::vector<Rich> parts;
  if (!ui.reading.name.empty()) {
    const Reading& r = ui.reading;
    Rich p;
    p.words(ui, r.total > 0 ? "ui.status.reading" : "ui.status.reading_plain", plain, strong,
            {{"name", {r.name, strong, true}}, {"done", {ui.words.count(std::lround(r.bytes / 1e6)), {}, false}}, {"total", {ui.words.count(std::lround(r.total / 1e6)), {}, false}}});
    parts.push_back(std::move(p));
    if (r.layers > 0) {
      Rich l;
      parts.push_back(l.words(ui, "ui.status.reading_layer", plain, strong, {{"layer", {std::to_string(r.layer), {}, false}}, {"layers", {std::to_string(r.layers), {}, false}}}));
    }
    if (r.fraction >= 0) {
      const Box track{box.x, box.y, box.w, 2};
      fill(ui, {track.x, track.y, track.w * static_cast<float>(std::clamp(r.fraction, 0.0, 1.0)), 2}, ui.theme.accent);
    }
  } else if (ui.waiting) {
    parts.push_back(Rich().add(ui.words("ui.status.waiting"), strong));
  }
  if (!ui.failed.empty()) parts.push_back(Rich().add(ui.failed, {12, Weight::regular, ui.theme.err}));
  if (ui.app.has_dump() && ui.view()) {
    parts.push_back(scale_part(ui, plain, strong));
    Rich hidden = hidden_part(ui, plain, strong);
    if (!hidden.empty()) parts.push_back(std::move(hidden));
    const Stream& s = ui.stream();
    SlotRuns slots{{"layers", {ui.words.count(s.layers()), {}, false}}, {"heads", {ui.words.count(std::max(1, s.heads)), {}, false}}, {"tokens", {ui.words.count(s.keys), {}, false}}, {"queries", {ui.words.count(s.queries), {}, false}}};
    Rich sizes;
    parts.push_back(sizes.words(ui, s.queries != s.keys ? "ui.status.sizes_two" : s.heads == 0 ? "ui.status.sizes_fused" : "ui.status.sizes", plain, strong, slots));
  }
  if (ui.heap_bytes > 0) {
    Rich memory;
    parts.push_back(memory.words(ui, "ui.status.memory", plain, strong, {{"mb", {ui.words.count(std::lround(ui.heap_bytes / 1048576)), {}, false}}}));
  }
  float x = box.x + 16;
  bool first = true;
  for (const Rich& p : parts) {
    const float w = p.width(ui);
    if (x + w > right) break;
    if (!first) rule_v(ui, x - 16, box.y + 7, box.h - 13, ui.theme.line);
    p.line(ui, x, base);
    x += w + 32;
    first = false;
  }
}

}  // namespace rollscope::ui
