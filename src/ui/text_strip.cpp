// The text strip (panels.h): running text, two rows for cross-attention, a small map for patches of an image.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "imgui_internal.h"
#include "ui/legend.h"
#include "ui/names.h"
#include "ui/panels.h"
#include "ui/token_box.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"

namespace rollscope::ui {

struct StripType {
  float px, pad, height, pitch;
  bool numbers;
};

struct StripPlace {
  Box box;
  int token;
  bool left = false, right = false;  // touches its neighbour: pieces of one word
};

// Where the tokens of a text stand. A thousand are not laid out in every frame.
struct StripLayout {
  std::uint64_t view = 0;
  const Token* tokens = nullptr;
  float width = 0;
  bool phone = false;
  std::string lang;

  StripType type;
  int lines = 1;
  std::vector<StripPlace> places;
};

namespace {

constexpr int kLookedFor = 60;  // tokens from which on a word is looked for, not read off

constexpr float kSeamPad = 1;
constexpr float kQuestion = 132, kLegend = 150, kPadX = 16;

constexpr StripType kOneLine{18, 7, 28, 46, true}, kTwoLines{16, 6, 28, 34, false}, kMany{15, 3.5f, 22, 26, false}, kPhone{18, 8, 33, 41, false};

using Type = StripType;
using Place = StripPlace;

// Token boxes as running text from (0, 0); returns the lines.
int flow(Ui& ui, const std::vector<Token>& tokens, const Type& t, float width, std::vector<Place>& out, bool keys, bool measure_only = false) {
  float x = 0;
  int line = 0;
  const auto n = tokens.size();
  float word = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string name = ui.token(static_cast<int>(i), keys);
    const bool joined = i > 0 && !tokens[i].starts_word && !tokens[i].special && !tokens[i - 1].special;
    const bool continued = i + 1 < n && !tokens[i + 1].starts_word && !tokens[i + 1].special && !tokens[i].special;
    // Pieces of a word stand as close as its letters.
    const float pads = (joined ? kSeamPad : t.pad) + (continued ? kSeamPad : t.pad);
    const float w = std::max(std::round(label_width(ui, name, t.px, false) + pads), t.numbers && !joined && !continued ? 24.0f : pads + 4);
    if (!joined) {
      // The whole word moves to the next line, unless it is wider than a line.
      word = w;
      for (std::size_t k = i + 1; k < n && !tokens[k].starts_word && !tokens[k].special && word <= width; ++k)
        word += 1 + std::round(label_width(ui, ui.token(static_cast<int>(k), keys), t.px, false) + 2 * kSeamPad);
    }
    const float gap = i == 0 || x == 0 ? 0 : joined ? 1 : 4;
    if (x > 0 && x + gap + (joined || word > width ? w : word) > width) {
      x = 0;
      ++line;
    } else {
      x += gap;
    }
    if (!measure_only) {
      if (joined && x > 0) out.back().right = true;
      out.push_back({{x, static_cast<float>(line) * t.pitch, std::min(w, width), t.height}, static_cast<int>(i), joined && x > 0, false});
    }
    x += w;
  }
  return line + 1;
}

float text_room(const Ui& ui, float width) {
  if (ui.phone) return width - 24;
  return width - kPadX - kQuestion - (width > 760 ? kLegend + 32 : kPadX);
}

Type type_for(Ui& ui, float width, int* lines) {
  std::vector<Place> none;
  const auto& tokens = ui.stream().key_tokens;
  if (ui.phone) {
    *lines = flow(ui, tokens, kPhone, width, none, true, true);
    return kPhone;
  }
  // A long text is not measured three times.
  if (tokens.size() < 160) {
    *lines = flow(ui, tokens, kOneLine, width, none, true, true);
    if (*lines == 1) return kOneLine;
    *lines = flow(ui, tokens, kTwoLines, width, none, true, true);
    if (*lines == 2) return kTwoLines;
  }
  *lines = flow(ui, tokens, kMany, width, none, true, true);
  return kMany;
}

const StripLayout& layout(Ui& ui, float width) {
  const auto& tokens = ui.stream().key_tokens;
  if (!ui.strip) ui.strip = std::make_shared<StripLayout>();
  StripLayout& s = *ui.strip;
  if (s.view == ui.app.view_version() && s.tokens == tokens.data() && s.width == width && s.phone == ui.phone && s.lang == ui.words.lang()) return s;
  s.type = type_for(ui, width, &s.lines);
  s.places.clear();
  flow(ui, tokens, s.type, width, s.places, true);
  s.view = ui.app.view_version();
  s.tokens = tokens.data();
  s.width = width;
  s.phone = ui.phone;
  s.lang = ui.words.lang();
  return s;
}

constexpr float kLegendLine = 24;
// Of all lines with the air above and below.
float content_height(const Type& t, int lines) { return 20 + t.pitch * static_cast<float>(lines - 1) + t.height; }

void choose_query(Ui& ui, int query) {
  char json[40];
  std::snprintf(json, sizeof json, R"({"query":%d})", query);
  ui.app.run("select.query", json);
}

void choose_key(Ui& ui, int key) {
  char json[40];
  std::snprintf(json, sizeof json, R"({"key":%d})", ui.app.state().selection.key == key ? -1 : key);
  ui.app.run("select.key", json);
}

// Pointer over a token: hover, tooltip, choice.
void token_input(Ui& ui, const Box& box, const Box& clip, int index, bool key) {
  const Box hit{box.x - 2, box.y - 2, box.w + 4, box.h + 4};
  if (!ui.mouse_in(hit) || !ui.mouse_in(clip)) return;
  ui.cursor("pointer");
  (key ? ui.hover_next.key : ui.hover_next.query) = index;
  if (key) key_tooltip(ui, box, index);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) ui.drag_id.clear(), ui.dragged = false;
  const ImVec2 moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0);
  if (!ImGui::IsMouseReleased(ImGuiMouseButton_Left) || ui.dragged || std::fabs(moved.x) + std::fabs(moved.y) > 8) return;
  if (ImGui::GetIO().MouseClickedPos[0].x < clip.x || !clip.contains(ImGui::GetIO().MouseClickedPos[0].x, ImGui::GetIO().MouseClickedPos[0].y)) return;
  const bool shift = ImGui::GetIO().KeyShift;
  if (key && (shift || ui.two_sided() || ui.app.for_one_output())) choose_key(ui, index);
  else choose_query(ui, index);
}

void draw_question(Ui& ui, const Box& b) {
  const ViewData& v = *ui.view();
  const int depth = (v.recipe.end_layer < 0 ? ui.stream().layers() : v.recipe.end_layer) - v.recipe.first_layer;
  const bool inner = ui.app.chain() && v.level > 0 && v.level < depth;
  const char* id = ui.app.for_one_output() ? "ui.strip.stored" : predicts_known(ui, v.query) ? "ui.strip.cross" : ui.stream().kind == StreamKind::cross || !v.rows.empty() ? "ui.strip.cross_after" : inner ? "ui.strip.inner" : "ui.strip.question";
  const Slots slots{{"n", ui.words.count(v.query + 1)}, {"count", ui.words.count(ui.stream().queries)},
                    {"layer", std::to_string(ui.layer_number(v.recipe.first_layer + std::max(1, v.level) - 1))}};
  std::string_view rest = ui.words(id);
  float y = b.y + 9;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line == "{token}") {
      label(ui, b.x, baseline(y, 24, 19), label_cut(ui, asked_name(ui), 19, true, b.w), 19, true, ui.theme.accent);
      y += 24;
      continue;
    }
    Rich rich;
    std::vector<std::pair<std::string_view, Run>> runs;
    for (const auto& [name, value] : slots) runs.emplace_back(name, Run{value, {}, false});
    for (const Piece& p : split_pieces(line)) {
      if (!p.slot) rich.add(p.text, {12, Weight::regular, ui.theme.ink3});
      else
        for (const auto& [name, run] : runs)
          if (name == p.text) rich.add(run.text, {12, Weight::regular, ui.theme.ink3});
    }
    y += rich.wrap(ui, b.x, y, b.w, 16);
  }
}

void token_row(Ui& ui, const Box& area, const Box& clip, const std::vector<Place>& places, const Type& t, bool keys, float scroll) {
  const AppState& s = ui.state();
  const ViewData& v = *ui.view();
  for (const Place& p : places) {
    const Box b{std::round(area.x + p.box.x), area.y + p.box.y - scroll, p.box.w, p.box.h};
    if (b.bottom() < clip.y - 20 || b.y > clip.bottom() + 20) continue;
    const bool chosen = keys ? ui.itself(p.token) : p.token == v.query;
    TokenLook look{.px = t.px, .chosen = chosen, .hovered = (keys ? ui.app.hover.key : ui.app.hover.query) == p.token,
                   .pinned = keys && s.selection.key == p.token, .joins_left = p.left, .joins_right = p.right, .radius = t.height < 26 ? 4.0f : 5.0f};
    const std::string name = keys ? ui.token(p.token, true) : query_name(ui, p.token);
    const std::string cut = label_width(ui, name, t.px, false) > b.w ? label_cut(ui, name, t.px, false, b.w - 4) : name;
    if (keys) draw_key(ui, b, p.token, cut, look);
    else draw_query(ui, b, cut, look);
    ui.record.tokens.push_back({b, p.token, keys ? 0 : 1});
    if (keys && t.numbers) {
      const auto k = static_cast<std::size_t>(p.token);
      std::string n = ui.visible(p.token) ? ui.amount_bare(v.row[k]) : "–";
      if (!ui.percents() && ui.visible(p.token) && text_width(ui, n, {12, Weight::semibold, 0}) > b.w - 2) n = ui.words.plain(v.row[k], 2);
      const Ink ink{12, chosen ? Weight::semibold : Weight::regular, chosen ? ui.theme.accent : ui.theme.ink2};
      const float w = text_width(ui, n, ink);
      if (w <= b.w + (ui.percents() ? 3.0f : -2.0f) || chosen || look.hovered) text(ui, b.middle_x() - w / 2, baseline(b.bottom() + 4, 16, 12), n, ink);
    }
    token_input(ui, b, clip, p.token, keys);
  }
}

// All lines of a long text as a heat barcode with the part in sight framed; a press or drag scrolls.
void minimap(Ui& ui, const Box& b, const std::vector<Place>& places, float content, float seen, float room) {
  const float scale = b.h / content;
  fill(ui, b, ui.theme.well, 2);
  for (const Place& p : places) {
    const float x0 = b.x + p.box.x / room * b.w, x1 = b.x + p.box.right() / room * b.w;
    const ImU32 c = ui.is_sink(p.token) ? ui.theme.sink : packed(ui.heat(p.token));
    ui.dl->AddRectFilled({x0, b.y + p.box.y * scale}, {std::max(x1, x0 + 0.75f), b.y + (p.box.y + p.box.h) * scale}, c);
  }
  const Box view{b.x - 2, b.y + ui.strip_scroll * scale, b.w + 4, seen * scale};
  frame(ui, view, ui.theme.ink2, 1.5f, 2);
  const Press p = press(ui, "strip.map", {b.x - 6, b.y, b.w + 12, b.h}, false);
  if (p.held) {
    ui.strip_scroll = (ImGui::GetIO().MousePos.y - b.y) / scale - seen / 2;
    ui.wake();
  }
}

void scroll_into_view(Ui& ui, const std::vector<Place>& places, float seen, float pitch) {
  const int query = ui.view()->query, key = ui.state().selection.key;
  const bool asks = ui.strip_query != query, reads = ui.strip_key != key && key >= 0;
  ui.strip_query = query;
  ui.strip_key = key;
  const int token = reads ? key : asks && !ui.two_sided() ? query : -1;
  for (const Place& p : places)
    if (p.token == token) {
      // By whole lines, with one more line to read on where the end is near.
      const float lines = std::floor((seen - 6) / pitch);
      const float line = std::round(p.box.y / pitch);
      if (p.box.y < ui.strip_scroll) ui.strip_scroll = std::max(0.0f, line - 1) * pitch;
      if (p.box.bottom() > ui.strip_scroll + seen - 12) ui.strip_scroll = std::max(0.0f, line - lines + 2) * pitch;
    }
}

// --- the patches of an image

void draw_patches(Ui& ui, Box b) {
  const PatchGrid g = ui.app.grid();
  const ViewData& v = *ui.view();
  Box rest = b;
  // What is no patch (a class token) stands before the map, with its number.
  for (int i = 0; i < ui.stream().keys; ++i) {
    if (ui.is_patch(i, true) || rest.w < 200) continue;
    const std::string name = ui.token(i, true);
    const float w = label_width(ui, name, 18, false) + 14;
    const Box t{rest.x, b.y + 9, w, 28};
    const bool chosen = ui.itself(i);
    draw_key(ui, t, i, name, {.px = 18, .chosen = chosen, .hovered = ui.app.hover.key == i, .pinned = ui.state().selection.key == i});
    text_centre(ui, t.middle_x(), baseline(t.bottom() + 4, 16, 12), ui.amount_bare(v.row[static_cast<std::size_t>(i)]),
                {12, chosen ? Weight::semibold : Weight::regular, chosen ? ui.theme.accent : ui.theme.ink2});
    ui.record.tokens.push_back({t, i, 0});
    token_input(ui, t, b, i, true);
    rest.cut_left(w + 14);
  }
  const float cell = std::floor(std::clamp(std::min((b.h - 14) / static_cast<float>(g.rows), rest.w / static_cast<float>(g.columns)), 2.0f, 30.0f));
  const Box map{std::round(rest.x), std::round(b.y + (b.h - cell * static_cast<float>(g.rows)) / 2), cell * static_cast<float>(g.columns), cell * static_cast<float>(g.rows)};
  frame(ui, {map.x - 1, map.y - 1, map.w + 1, map.h + 1}, ui.theme.line, 1, 0);
  const float seam = cell >= 6 ? 1 : 0;
  Box chosen_box, hover_box, pinned_box;
  for (int r = 0; r < g.rows; ++r)
    for (int c = 0; c < g.columns; ++c) {
      const int i = g.prefix + r * g.columns + c;
      const Box t{map.x + static_cast<float>(c) * cell, map.y + static_cast<float>(r) * cell, cell - seam, cell - seam};
      if (has_no_value(ui, i)) fill(ui, t, ui.theme.well), hatch(ui, t, ui.theme.line, 4);
      else if (ui.is_sink(i)) hatch(ui, t, ui.theme.sink, 4);
      else fill(ui, t, packed(ui.heat(i)));
      ui.record.tokens.push_back({t, i, 0});
      if (ui.itself(i) || (!v.rows.empty() && i == v.query)) chosen_box = t;
      if (!v.rows.empty() && i == v.rows.back()) chosen_box.w = t.right() - chosen_box.x, chosen_box.h = t.bottom() - chosen_box.y;
      if (i == ui.app.hover.key) hover_box = t;
      if (i == ui.state().selection.key) pinned_box = t;
      if (ui.mouse_in(t)) token_input(ui, t, map, i, true);
    }
  if (!chosen_box.empty()) ring(ui, chosen_box, ui.theme.accent, 1, 2, 1);
  if (!pinned_box.empty()) frame(ui, pinned_box, ui.theme.accent, 2, 0);
  if (!hover_box.empty()) frame(ui, {hover_box.x - 1, hover_box.y - 1, hover_box.w + 2, hover_box.h + 2}, ui.theme.ink, 2, 0);
  // The strongest patches in words.
  rest.cut_left(map.w + 18);
  std::vector<int> order;
  for (int i = 0; i < g.rows * g.columns; ++i)
    if (!ui.is_sink(g.prefix + i) && !has_no_value(ui, g.prefix + i)) order.push_back(g.prefix + i);
  const auto size = [&](int i) { return v.is_signed ? std::abs(v.row[static_cast<std::size_t>(i)]) : v.row[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return size(x) > size(y); });
  const int lines = std::min(static_cast<int>((b.h - 14) / 20), 5);
  float y = std::round(b.middle_y() - static_cast<float>(lines) * 10);
  for (int n = 0; n < lines && n < static_cast<int>(order.size()) && rest.w > 150; ++n, y += 20) {
    const int i = order[static_cast<std::size_t>(n)];
    const Box row{rest.x, y, std::min(rest.w, 240.0f), 20};
    fill(ui, {row.x, y + 4, 12, 12}, packed(ui.heat(i)), 2);
    label(ui, row.x + 20, baseline(y, 20, 13), ui.token(i, true), 13, false, ui.theme.ink);
    text_right(ui, row.right(), baseline(y, 20, 13), ui.amount(v.row[static_cast<std::size_t>(i)]), {13, Weight::regular, ui.theme.ink});
    if (ui.mouse_in(row)) ui.hover_next.key = i;
  }
}

// --- cross-attention: what is predicted above, what is read below

void draw_two_rows(Ui& ui, const Box& b) {
  const Ink quiet{12, Weight::regular, ui.theme.ink3};
  const float name = std::max(text_width(ui, ui.words("ui.strip.target"), quiet), text_width(ui, ui.words("ui.strip.source"), quiet)) + 12;
  const bool close = ui.phone && ui.app.border() > 0;  // two texts in one row
  const Type above{15, 7, 25, 30, false}, below{15, close ? 3.5f : 7.0f, 25, 30, true};
  const Box room{b.x + name, b.y, b.w - name, b.h};
  std::vector<Place> queries, keys;
  flow(ui, ui.stream().query_tokens, above, 100000, queries, false);
  // Queries go by what they predict.
  float x = 0;
  for (Place& p : queries) {
    p.box.w = std::round(label_width(ui, query_name(ui, p.token), above.px, true) + 14);
    p.box.x = x;
    p.left = p.right = false;
    x += p.box.w + 6;
  }
  flow(ui, ui.stream().key_tokens, below, 100000, keys, true);
  const int border = ui.app.border();  // of a joint rollout: what follows was written already
  const float gap_at_border = close ? 12 : 22;
  for (Place& p : keys)
    if (border > 0 && p.token >= border) p.box.x += gap_at_border;
  // Each row scrolls sideways as far as its chosen token needs.
  auto shift = [&](std::vector<Place>& row, int chosen) {
    float s = 0;
    for (const Place& p : row)
      if (p.token == chosen && p.box.right() > room.w - 30) s = p.box.middle_x() - room.w / 2;
    for (Place& p : row) p.box.x -= s;
  };
  shift(queries, ui.view()->query);
  shift(keys, ui.state().selection.key >= 0 ? ui.state().selection.key : ui.view()->first);
  text(ui, b.x, baseline(b.y + 7, 25, 12), ui.words("ui.strip.target"), quiet);
  text(ui, b.x, baseline(b.y + 38, 25, 12), ui.words("ui.strip.source"), quiet);
  ImGui::PushClipRect({room.x - 4, b.y}, {room.right(), b.bottom()}, true);
  token_row(ui, {room.x, b.y + 7, room.w, 25}, room, queries, above, false, 0);
  token_row(ui, {room.x, b.y + 38, room.w, 25}, room, keys, below, true, 0);
  if (border > 0 && border < static_cast<int>(keys.size()))
    rule_v(ui, std::round(room.x + keys[static_cast<std::size_t>(border)].box.x - gap_at_border / 2 - 2), b.y + 36, 44, ui.theme.line2);
  ImGui::PopClipRect();
}

}  // namespace

float strip_height(Ui& ui, float width, float room) {
  if (!ui.app.has_dump() || !ui.view()) return 84;
  int lines = 1;
  const float most = ui.phone ? room < 460 ? 57.0f : std::max(58.0f, room * 0.26f) : room < 420 ? 84 : 150;
  float h = 84;
  if (ui.two_sided()) return ui.phone ? 84.0f + kLegendLine : 84;
  if (ui.patches()) {
    h = ui.phone ? std::clamp(static_cast<float>(ui.app.dump().grid.rows) * 16 + 24, 84.0f, 150.0f) : std::clamp(static_cast<float>(ui.app.dump().grid.rows) * 18 + 14, 84.0f, 150.0f);
    return std::min(h, std::max(most, 84.0f)) + (ui.phone ? 20 : 0);
  }
  const StripLayout& laid = layout(ui, text_room(ui, width));
  const Type& t = laid.type;
  lines = laid.lines;
  if (ui.phone) return std::min(content_height(t, lines) + kLegendLine, most + kLegendLine);
  if (lines > 2) h = std::min(content_height(t, lines) + 1, most);
  return std::max(h, 84.0f);
}

void draw_text_strip(Ui& ui, const Box& box) {
  fill(ui, box, ui.theme.panel);
  rule_h(ui, box.x, box.bottom() - 1, box.w, ui.theme.line);
  ui.record.strip = box;
  if (!ui.app.has_dump() || !ui.view()) return;
  Box b = box;
  b.h -= 1;
  if (ui.phone) {
    Box legend = b.cut_bottom(kLegendLine);
    draw_legend_line(ui, {legend.x + 12, legend.y, legend.w - 24, 18});
    b = {b.x + 12, b.y, b.w - 24, b.h};
  } else {
    b.cut_left(kPadX);
    const Box lead = b.cut_left(kQuestion - 12);
    draw_question(ui, lead);
    if (ui.stream().keys > kLookedFor && lead.h >= 130) {
      const std::string find(ui.words("ui.strip.find"));
      if (button(ui, "find", {lead.x, lead.y + 96, text_width(ui, find, {13, Weight::medium, 0}) + 20, 26}, find)) ui.app.run("find");
    }
    b.cut_left(12);
  }
  if (ui.patches() || ui.two_sided()) {
    if (!ui.phone && box.w > 760) {
      Box legend = b.cut_right(kLegend + kPadX);
      draw_legend(ui, {legend.x, legend.y + 9, kLegend, 64});
      b.cut_right(16);
    }
    if (ui.patches()) draw_patches(ui, b);
    else draw_two_rows(ui, b);
    return;
  }

  int lines = 1;
  const float room = text_room(ui, box.w);
  const StripLayout& laid = layout(ui, room);
  const Type& t = laid.type;
  lines = laid.lines;
  const std::vector<Place>& places = laid.places;
  const float content = content_height(t, lines);
  const bool scrolls = content > b.h + 4 && t.pitch < 46;
  if (!ui.phone && box.w > 760) {
    Box right = b.cut_right(kLegend + kPadX);
    if (scrolls) {  // the legend makes room for the map of the whole text
      draw_legend(ui, {right.x, right.y + 9, kLegend - 40, 64});
      right = right.cut_right(kPadX + 20);
      right.w = 20;
    } else {
      draw_legend(ui, {right.x, right.y + 9, kLegend, 64});
    }
    if (scrolls) minimap(ui, {right.x, b.y + 9, 20, b.h - 18}, places, content, b.h, room);
  }
  scroll_into_view(ui, places, b.h, t.pitch);
  if (Wheel* w = ui.wheel_in(box)) ui.strip_scroll += w->dy, ui.wake();
  if (scrolls && ui.touch && ui.mouse_in(b) && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 6)) {
    ui.strip_scroll -= ImGui::GetIO().MouseDelta.y;
    ui.dragged = true;
    ui.wake();
  }
  ui.strip_scroll = scrolls ? std::clamp(ui.strip_scroll, 0.0f, content - b.h) : 0;
  const float top = ui.phone ? 10 : t.pitch > 40 ? 9 : scrolls || lines > 2 ? 9 : std::max(9.0f, (b.h - static_cast<float>(lines) * t.pitch + (t.pitch - t.height)) / 2);
  // What is left of a line above is cut away; of one below it says that there is more.
  const float cut = ui.strip_scroll > 0 ? std::max(0.0f, top - 4) : 0;
  ImGui::PushClipRect({b.x - 6, box.y + cut}, {b.x + room + 6, b.bottom()}, true);
  token_row(ui, {b.x, b.y + top, room, b.h}, {b.x - 6, box.y, room + 12, b.h + (b.y - box.y)}, places, t, true, std::round(ui.strip_scroll));
  ImGui::PopClipRect();
}

}  // namespace rollscope::ui
