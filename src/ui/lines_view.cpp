// Two columns of tokens, queries at the left and keys at the right, joined by the strongest weights of one layer: one
// colour a head. The view that BertViz users know, for any length: rows scroll, and only what is in sight is joined.
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/draw.h"
#include "ui/names.h"
#include "ui/panels.h"
#include "ui/tooltip.h"
#include "ui/view_tools.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

constexpr std::size_t kMostLines = 8000;  // drawn in one frame; the heaviest
constexpr float kRow = 20, kLabels = 150;

ImU32 head_colour(const Ui& ui, int head, float alpha = 1) {
  const auto k = static_cast<std::size_t>(head) % 8;
  return packed(ui.theme.dark ? theme::kHeadsDark[k] : theme::kHeadsLight[k], alpha);
}

int segment_of(const std::vector<Token>& tokens, int index) {
  return static_cast<std::size_t>(index) < tokens.size() ? tokens[static_cast<std::size_t>(index)].segment : -1;
}

bool pair_of_texts(const Ui& ui) {
  const auto& tokens = ui.app.stored_stream().key_tokens;
  return std::any_of(tokens.begin(), tokens.end(), [](const Token& t) { return t.segment == 1; });
}

bool head_shown(const LinesState& s, int head) { return s.heads.empty() || std::find(s.heads.begin(), s.heads.end(), head) != s.heads.end(); }

bool in_block(const Ui& ui, int query, int key) {
  const int block = ui.state().lines.block;
  if (block < 0) return true;
  const Stream& s = ui.app.stored_stream();
  return segment_of(s.query_tokens, query) == block / 2 && segment_of(s.key_tokens, key) == block % 2;
}

std::string stored_name(const Ui& ui, int index, bool key) {
  const Stream& s = ui.app.stored_stream();
  if (ui.stream().keys == s.keys) return ui.token(index, key);  // patches by their place
  const auto& tokens = key ? s.key_tokens : s.query_tokens;
  return static_cast<std::size_t>(index) < tokens.size() ? tokens[static_cast<std::size_t>(index)].label : std::to_string(index + 1);
}

void show(Ui& ui, const std::string& field) { ui.app.run("lines.show", "{" + field + "}"); }

std::string heads_json(const std::vector<int>& heads) {
  std::string out = "\"heads\":[";
  for (std::size_t k = 0; k < heads.size(); ++k) out += (k ? "," : "") + std::to_string(heads[k]);
  return out + "]";
}

// One square a head: a click shows or hides it, a second one right after leaves it alone on the screen.
void head_chips(Ui& ui, float& x, const Box& bar, float right, int heads) {
  const LinesState& s = ui.app.state().lines;
  const std::string all(ui.words("ui.lines.all"));
  const float all_width = text_width(ui, all, {13, Weight::medium, 0}) + 18;
  const float side = std::clamp((right - x - all_width - 8) / static_cast<float>(heads), 5.0f, 22.0f);
  if (x + all_width < right) {
    const Box b{x, bar.middle_y() - 12, all_width, 24};
    const Press p = press(ui, "lines.heads/all", b, true, 12);
    const bool on = s.heads.empty();
    fill(ui, b, on ? ui.theme.accentbg : p.hovered ? ui.theme.raised : ui.theme.panel, 12);
    if (!on) frame(ui, b, ui.theme.line, 1, 12);
    text_centre(ui, b.middle_x(), baseline(b.y, b.h, 13), all, {13, Weight::medium, on ? ui.theme.accent : ui.theme.ink2});
    if (p.clicked && !on) show(ui, "\"heads\":\"all\"");
    x += all_width + 8;
  }
  for (int h = 0; h < heads && x + side <= right; ++h, x += side) {
    const Box b{x + 1, bar.middle_y() - side / 2 + 1, side - 2, side - 2};
    const std::string id = "lines.head/" + std::to_string(h);
    const Press p = press(ui, id.c_str(), b, true, 3);
    const bool on = head_shown(s, h);
    if (on) fill(ui, b, head_colour(ui, h), 3);
    else frame(ui, b, head_colour(ui, h, 0.7f), 1, 3);
    if (p.hovered) ring(ui, b, ui.theme.ink, 1, 1, 4);
    if (side >= 20) text_centre(ui, b.middle_x(), baseline(b.y, b.h, 12), std::to_string(h + 1), {12, Weight::medium, on ? ui.theme.panel : ui.theme.ink2});
    if (p.hovered) tooltip_later(ui, id.c_str(), b, ui.words.fill("ui.matrix.head", {{"head", std::to_string(h + 1)}}));
    if (p.twice) {
      show(ui, heads_json({h}));
    } else if (p.clicked) {
      std::vector<int> next;
      if (s.heads.empty()) {
        next = {h};
      } else {
        next = s.heads;
        if (on) std::erase(next, h);
        else next.push_back(h);
        std::sort(next.begin(), next.end());
      }
      show(ui, heads_json(next));
    }
  }
}

float toolbar(Ui& ui, const Box& bar) {
  const LinesState& s = ui.app.state().lines;
  const Stream& stream = ui.app.stored_stream();
  const float middle = bar.middle_y();
  float x = bar.x + 16, right = bar.right() - 16;
  const int layer = s.layer < 0 ? stream.layers() - 1 : s.layer;
  const std::string layer_text = ui.words.fill("ui.matrix.layer", {{"layer", std::to_string(ui.layer_number(layer))}});
  const float w = picker_width(ui, layer_text);
  if (picker(ui, "lines.layer", x, middle, layer_text, menu_is_open("lines.layer"))) open_menu(ui, "lines.layer");
  std::vector<MenuRow> rows;
  for (int l = 0; l < stream.layers(); ++l) rows.push_back({ui.words.fill("ui.matrix.layer", {{"layer", std::to_string(ui.layer_number(l))}}), ""});
  if (const int picked = menu(ui, "lines.layer", {x, middle - 12, w, 24}, rows, layer); picked >= 0) show(ui, "\"layer\":" + std::to_string(picked));
  x += w + 12;

  constexpr int kTops[] = {1, 3, kLineKeys};
  std::vector<std::string> names;
  for (const int top : kTops) names.push_back(std::to_string(top));
  const std::vector<Segment> tops{{"lines.top/1", names[0]}, {"lines.top/3", names[1]}, {"lines.top/8", names[2]}};
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  const std::string lead(ui.words("ui.lines.top"));
  const float tw = segments_width(ui, tops), lw = text_width(ui, lead, quiet) + 8;
  if (right - x > tw + 120) {
    int now = 0;
    while (now < 2 && kTops[now] < s.top) ++now;
    const int picked = segments(ui, right - tw, middle, tops, now);
    if (picked >= 0 && kTops[picked] != s.top) show(ui, "\"top\":" + std::to_string(kTops[picked]));
    right -= tw + 8;
    if (right - x > lw + 220) text(ui, right - lw + 4, baseline(middle - 8, 16, 12), lead, quiet), right -= lw;
    right -= 8;
  }
  if (right - x > 360) {
    const Box track{right - 80, middle - 8, 80, 16};
    double keep = s.keep;
    const Slide moved = slider(ui, "lines.keep", track, keep, 0.1, 1, 0.05);
    const std::string words = ui.words.fill("ui.lines.keep", {{"share", std::to_string(std::lround(s.keep * 100))}});
    text_right(ui, track.x - 10, baseline(middle - 8, 16, 12), words, quiet);
    if (moved.changed || moved.done) {
      AppState next = ui.app.state();
      next.lines.keep = keep;
      ui.app.set(next, moved.done);
    }
    right = track.x - 10 - text_width(ui, words, quiet) - 14;
  }
  if (pair_of_texts(ui) && right - x > 200) {
    constexpr const char* kIds[] = {"ui.lines.block.all", "ui.lines.block.aa", "ui.lines.block.ab", "ui.lines.block.ba", "ui.lines.block.bb"};
    std::vector<MenuRow> blocks;
    for (const char* id : kIds) blocks.push_back({std::string(ui.words(id)), ""});
    const std::string& shown = blocks[static_cast<std::size_t>(std::clamp(s.block + 1, 0, 4))].words;
    const float bw = picker_width(ui, shown);
    if (picker(ui, "lines.block", right - bw, middle, shown, menu_is_open("lines.block"))) open_menu(ui, "lines.block");
    if (const int picked = menu(ui, "lines.block", {right - bw, middle - 12, bw, 24}, blocks, std::clamp(s.block + 1, 0, 4)); picked >= 0) show(ui, "\"block\":" + std::to_string(picked - 1));
    right -= bw + 12;
  }
  head_chips(ui, x, bar, right, std::max(1, stream.heads));
  return right;
}

struct Line {
  int query, key, head;
  float weight;
};

// Lines of the rows [first, end); `share`: the part of their weight that the lines carry.
std::vector<Line> lines_of(const Ui& ui, const LinesData& d, int first, int end, int query, int key, double& share) {
  const LinesState& s = ui.state().lines;
  std::vector<Line> out;
  double all = 0, drawn = 0;
  for (int h = 0; h < d.heads; ++h) {
    if (!head_shown(s, h)) continue;
    for (int i = first; i < end; ++i) {
      if (query >= 0 && i != query) continue;
      const auto row = (static_cast<std::size_t>(h) * static_cast<std::size_t>(d.queries) + static_cast<std::size_t>(i)) * static_cast<std::size_t>(d.most);
      double sum = 0;
      all += 1;
      for (int k = 0; k < std::min(s.top, d.most) && sum < s.keep - 1e-9; ++k) {
        const int j = d.key[row + static_cast<std::size_t>(k)];
        const float weight = d.weight[row + static_cast<std::size_t>(k)];
        if (j < 0) break;
        sum += static_cast<double>(weight);
        if ((key >= 0 && j != key) || !in_block(ui, i, j)) continue;
        drawn += static_cast<double>(weight);
        out.push_back({i, j, h, weight});
      }
    }
  }
  share = all > 0 ? drawn / all : 0;
  if (out.size() > kMostLines) {
    std::nth_element(out.begin(), out.begin() + kMostLines, out.end(), [](const Line& a, const Line& b) { return a.weight > b.weight; });
    double cut = 0;
    for (std::size_t k = kMostLines; k < out.size(); ++k) cut += static_cast<double>(out[k].weight);
    out.resize(kMostLines);
    share = all > 0 ? (drawn - cut) / all : 0;
  }
  std::sort(out.begin(), out.end(), [](const Line& a, const Line& b) { return a.weight < b.weight; });
  return out;
}

void tip_of(Ui& ui, const Box& row, const std::vector<Line>& lines, int query, int key) {
  std::vector<Rich> out;
  const bool asks = query >= 0;
  out.push_back(Rich().token(stored_name(ui, asks ? query : key, !asks), tip_ink(ui, true)));
  for (std::size_t k = 0; k < std::min<std::size_t>(5, lines.size()); ++k) {
    const Line& l = lines[lines.size() - 1 - k];
    const std::string number = ui.words.percent_sign(static_cast<double>(l.weight));
    out.push_back(Rich().token(stored_name(ui, asks ? l.key : l.query, asks) + " " + number, tip_ink(ui)).add(" · " + ui.words.fill("ui.matrix.head", {{"head", std::to_string(l.head + 1)}}), tip_quiet(ui)));
  }
  tooltip(ui, row, std::move(out));
}

}  // namespace

void draw_lines_view(Ui& ui, const Box& box) {
  Box b = box;
  const LinesData* d = ui.app.lines();
  const Box bar = b.cut_top(ui.phone ? 44 : 36);
  toolbar(ui, bar);
  const LinesState& s = ui.state().lines;
  if (!d || d->queries == 0 || d->layer != (s.layer < 0 ? ui.app.stored_stream().layers() - 1 : s.layer)) {
    text_centre(ui, b.middle_x(), b.middle_y(), ui.words("ui.heads.pending"), {13, Weight::regular, ui.theme.ink3});
    return;
  }
  b.cut_left(16);
  b.cut_right(16);
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  const Box head = b.cut_top(20), foot = b.cut_bottom(22);
  const float labels = std::min(kLabels, b.w * 0.3f);
  const float x0 = b.x + labels, x1 = b.right() - labels;
  text_right(ui, x0 - 8, baseline(head.y, 18, 12), ui.words("ui.lines.asks"), quiet);
  text(ui, x1 + 8, baseline(head.y, 18, 12), ui.words("ui.lines.read"), quiet);

  const float row = std::clamp(b.h / static_cast<float>(std::max(d->queries, d->keys)), kRow, 28.0f);
  const float most = std::max(0.0f, row * static_cast<float>(std::max(d->queries, d->keys)) - b.h);
  if (Wheel* wheel = ui.wheel_in(b)) {
    wheel->used = true;
    ui.lines_scroll += wheel->dy;
    ui.wake();
  }
  const Press over = press(ui, "lines.columns", b, true, 2);
  // The chosen output comes into sight when it changes from elsewhere.
  const bool same_tokens = ui.stream().queries == ui.app.stored_stream().queries && ui.stream().keys == ui.app.stored_stream().keys;
  const int chosen = same_tokens ? ui.state().selection.query : -1, chosen_key = same_tokens ? ui.state().selection.key : -1;
  if (chosen != ui.lines_query && chosen >= 0) {
    const float y = row * static_cast<float>(chosen);
    if (y < ui.lines_scroll || y + row > ui.lines_scroll + b.h) ui.lines_scroll = y - b.h / 2;
    ui.lines_query = chosen;
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (over.held && over.hovered && ui.touch) ui.lines_scroll -= ImGui::GetIO().MouseDelta.y;
  ui.lines_scroll = std::clamp(ui.lines_scroll, 0.0f, most);
  const auto y_of = [&](int i) { return b.y + row * (static_cast<float>(i) + 0.5f) - ui.lines_scroll; };
  const int first = std::clamp(static_cast<int>(ui.lines_scroll / row), 0, d->queries);
  const int end = std::clamp(static_cast<int>((ui.lines_scroll + b.h) / row) + 1, first, d->queries);
  const int at = static_cast<int>(std::floor((mouse.y - b.y + ui.lines_scroll) / row));
  const int query = over.hovered && mouse.x < x0 + 12 && at >= 0 && at < d->queries ? at : -1;
  const int key = over.hovered && mouse.x > x1 - 12 && at >= 0 && at < d->keys ? at : -1;

  double share = 0;
  // A key is read from anywhere: with one under the pointer, rows out of sight count too.
  const auto lines = lines_of(ui, *d, key >= 0 ? 0 : first, key >= 0 ? d->queries : end, query, key, share);
  ImGui::PushClipRect({b.x, b.y}, {b.right(), b.bottom()}, true);
  const bool alone = query >= 0 || key >= 0;
  for (const Line& l : lines) {
    const float alpha = std::clamp(0.12f + 0.88f * std::sqrt(l.weight), 0.0f, 1.0f) * (alone || chosen < 0 || l.query == chosen ? 1.0f : 0.55f);
    ui.dl->AddLine({x0, y_of(l.query)}, {x1, y_of(l.key)}, head_colour(ui, l.head, alpha), 1 + 2 * l.weight);
  }
  ui.record.edges_drawn = static_cast<int>(lines.size());
  ui.record.graph = ui.record.matrix = b;
  // What the row under the pointer reads, as bars of heat behind the tokens.
  std::vector<float> heat;
  if (alone) {
    heat.assign(static_cast<std::size_t>(query >= 0 ? d->keys : d->queries), 0.0f);
    int heads = 0;
    for (int h = 0; h < d->heads; ++h) heads += head_shown(s, h);
    for (const Line& l : lines) heat[static_cast<std::size_t>(query >= 0 ? l.key : l.query)] += l.weight / static_cast<float>(std::max(1, heads));
  }
  for (int side = 0; side < 2; ++side) {
    const int count = side == 0 ? d->queries : d->keys;
    for (int i = std::clamp(static_cast<int>(ui.lines_scroll / row), 0, count); i < count && y_of(i) - row / 2 < b.bottom(); ++i) {
      const Box place{side == 0 ? b.x : x1 + 2, y_of(i) - row / 2, labels - 2, row};
      const bool here = side == 0 ? i == query : i == key, own = side == 0 ? i == chosen : i == chosen_key;
      ImU32 ink = own ? ui.theme.accent : ui.theme.ink;
      if (here) fill(ui, place.inset(0, 1), ui.theme.raised, 4);
      if (alone && (side == 1) == (query >= 0) && heat[static_cast<std::size_t>(i)] > 0.004f) {
        const Rgb colour = weight_colour(std::sqrt(std::min(1.0, static_cast<double>(heat[static_cast<std::size_t>(i)]))), ui.theme.dark);
        fill(ui, place.inset(0, 1), packed(colour), 4);
        ink = ink_on(colour);
      }
      const std::string words = stored_name(ui, i, side == 1);
      const bool bold = own || here;
      const std::string cut = label_cut(ui, words, 14, bold, labels - 16);
      if (side == 0) label_right(ui, x0 - 8, baseline(place.y, row, 14), cut, 14, bold, ink);
      else label(ui, x1 + 8, baseline(place.y, row, 14), cut, 14, bold, ink);
      (side == 0 ? ui.record.outputs : ui.record.inputs).push_back({place, i, 0});
      if (here) tip_of(ui, place, lines, query, key);
    }
  }
  ImGui::PopClipRect();
  if (most > 0) {
    const float bar_h = std::max(24.0f, b.h * b.h / (b.h + most));
    fill(ui, {box.right() - 8, b.y + (b.h - bar_h) * ui.lines_scroll / most, 4, bar_h}, ui.theme.line2, 2);
  }
  text_fit(ui, b.x, baseline(foot.y, 20, 12), b.w, ui.words.fill("ui.lines.drawn", {{"n", ui.words.count(static_cast<long long>(lines.size()))}, {"share", ui.words.percent_sign(share)}}), quiet);

  if (same_tokens && alone) ui.cursor("pointer");
  if (over.clicked && same_tokens && query >= 0) ui.app.run("select.query", "{\"query\":" + std::to_string(query) + "}");
  if (over.clicked && same_tokens && key >= 0) ui.app.run("select.key", "{\"key\":" + std::to_string(key == chosen_key ? -1 : key) + "}");
  if (same_tokens && query >= 0) ui.hover_next.query = query;
  if (same_tokens && key >= 0) ui.hover_next.key = key;
  if (over.focused && same_tokens) {
    ui.takes_arrows = true;
    if (ui.arrows != 0) ui.app.run("select.query", "{\"query\":" + std::to_string(std::clamp(chosen - ui.arrows, 0, d->queries - 1)) + "}");
  }
  ui.showed_picture = true;
}

}  // namespace rollscope::ui
