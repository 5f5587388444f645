// One head of the wall, in the place of the inspector: its picture, its scores, and what can be done with it.
#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/head_scores.h"
#include "ui/bars.h"
#include "ui/draw.h"
#include "ui/heads_panel.h"
#include "ui/names.h"
#include "ui/widgets.h"

namespace rollscope::ui {
namespace {

// What the head does, in a sentence or two.
Rich does_words(Ui& ui, const HeadNote& n) {
  const auto role = static_cast<HeadRole>(std::min<int>(n.role, kHeadRoles - 1));
  const Ink ink{13, Weight::regular, ui.theme.ink2}, strong{13, Weight::semibold, ui.theme.ink};
  const std::string share = ui.words.percent_sign(static_cast<double>(n.score));
  Rich out;
  if (role != HeadRole::mixed) return out.words(ui, "ui.heads.does." + std::string(head_role_name(role)), ink, strong, {{"share", {share, strong, false}}});
  if (n.spread >= 0.9f) out.words(ui, "ui.heads.does.diffuse", ink, strong).add(" ", ink);
  return out.words(ui, "ui.heads.does.key", ink, strong, {{"token", {n.key >= 0 ? ui.token(n.key, true) : "", strong, true}}, {"share", {share, strong, false}}});
}

void scores(Ui& ui, const Box& b, float& y, const HeadNote& n) {
  std::pair<const char*, float> rows[] = {{"previous", n.previous}, {"next", n.next}, {"self", n.self}, {"first", n.first},
                                                {"delimiter", n.delimiter}, {"duplicate", n.duplicate}, {"induction", n.induction}};
  if (b.bottom() - y < 7 * 20 + 22)  // not all have room: the largest have
    std::stable_sort(std::begin(rows), std::end(rows), [](const auto& a, const auto& c) { return a.second > c.second || (std::isnan(c.second) && !std::isnan(a.second)); });
  const Ink ink{13, Weight::regular, ui.theme.ink}, quiet{12, Weight::regular, ui.theme.ink3};
  text(ui, b.x, baseline(y, 18, 13), ui.words("ui.heads.scores"), {13, Weight::semibold, ui.theme.ink});
  text_right(ui, b.right(), baseline(y, 18, 12), ui.words("ui.heads.mean_weight"), quiet);
  y += 22;
  for (const auto& [role, weight] : rows) {
    if (std::isnan(weight) || y + 20 > b.bottom()) continue;
    const Box track{b.x + 118, y + 4, std::max(20.0f, b.w - 118 - 44), 11};
    text_fit(ui, b.x, baseline(y, 19, 13), 112, ui.words("ui.heads.score." + std::string(role)), ink);
    Bar bar;
    bar.weight = static_cast<double>(weight);
    bar.colour = weight_colour(0.2 + 0.8 * static_cast<double>(weight), ui.theme.dark);
    draw_bar(ui, track, bar, 1);
    text_right(ui, b.right(), baseline(y, 19, 13), ui.words.number(static_cast<double>(weight), 2), ink);
    y += 20;
  }
  y += 6;
}

// Heads whose scores lie nearest: they do alike.
void similar(Ui& ui, const Box& b, float& y, int chosen) {
  const WallData& w = *ui.app.wall();
  const auto vector = [&](int i) {
    const HeadNote& n = w.notes[static_cast<std::size_t>(i)];
    return std::array<float, 7>{n.previous, n.next, n.self, n.first, n.delimiter, n.spread, n.share};
  };
  const auto own = vector(chosen);
  std::vector<std::pair<float, int>> near;
  for (int i = 0; i < static_cast<int>(w.notes.size()); ++i) {
    if (i == chosen) continue;
    const auto other = vector(i);
    float sum = 0;
    for (std::size_t k = 0; k < own.size(); ++k)
      if (!std::isnan(own[k]) && !std::isnan(other[k])) sum += (own[k] - other[k]) * (own[k] - other[k]);
    near.emplace_back(std::sqrt(sum), i);
  }
  const std::size_t count = std::min<std::size_t>(3, near.size());
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end());
  if (count == 0 || y + 40 > b.bottom()) return;
  text(ui, b.x, baseline(y, 18, 13), ui.words("ui.heads.alike"), {13, Weight::semibold, ui.theme.ink});
  y += 21;
  for (std::size_t k = 0; k < count && y + 20 < b.bottom(); ++k) {
    const int i = near[k].second;
    const std::string name = ui.words.fill("ui.heads.name", {{"layer", std::to_string(ui.layer_number(i / w.heads))}, {"head", std::to_string(i % w.heads + 1)}});
    const std::string id = "heads.alike/" + std::to_string(k);
    const Box row{b.x - 4, y, b.w + 8, 19};
    const Press p = press(ui, id.c_str(), row, true, 4);
    if (p.hovered) fill(ui, row, ui.theme.raised, 4);
    text(ui, b.x, baseline(y, 19, 13), name, {13, Weight::regular, ui.theme.ink});
    const std::string role = role_words(ui, w.notes[static_cast<std::size_t>(i)]);
    label_right(ui, b.right(), baseline(y, 19, 12), label_cut(ui, role, 12, false, b.w - text_width(ui, name, {13, Weight::regular, 0}) - 10), 12, false, ui.theme.ink3);
    if (p.clicked) ui.app.run("heads.choose", "{\"layer\":" + std::to_string(i / w.heads) + ",\"head\":" + std::to_string(i % w.heads) + "}");
    y += 20;
  }
}

}  // namespace

bool shows_head_inspector(const Ui& ui) {
  return shows(ui.state(), ViewKind::heads) && ui.state().heads.head >= 0 && ui.app.wall() && ui.heads->atlas &&
         ui.state().heads.layer * ui.app.wall()->heads + ui.state().heads.head < static_cast<int>(ui.app.wall()->notes.size());
}

void draw_head_inspector(Ui& ui, const Box& box) {
  fill(ui, box, ui.theme.panel);
  rule_v(ui, box.x, box.y, box.h, ui.theme.line);
  ui.record.inspector = box;
  const WallData& w = *ui.app.wall();
  const HeadsPanel& panel = *ui.heads;
  const int chosen = ui.state().heads.layer * w.heads + ui.state().heads.head;
  const HeadNote& n = w.notes[static_cast<std::size_t>(chosen)];
  Box b{box.x + 16, box.y + 12, box.w - 32, box.h - 24};
  const Box foot = b.cut_bottom(40);
  float y = b.y;
  const std::string name = ui.words.fill("ui.heads.name", {{"layer", std::to_string(ui.layer_number(ui.state().heads.layer))}, {"head", std::to_string(ui.state().heads.head + 1)}});
  text(ui, b.x, baseline(y, 28, 20), name, {20, Weight::semibold, ui.theme.ink});
  const float used = text_width(ui, name, {20, Weight::semibold, 0});
  if (used + 60 < b.w) text(ui, b.x + used + 10, baseline(y, 28, 13), "L" + std::to_string(ui.state().heads.layer) + "H" + std::to_string(ui.state().heads.head), {13, Weight::mono, ui.theme.ink3});
  y += 30;
  y += does_words(ui, n).wrap(ui, b.x, y, b.w, 18) + 8;
  const float side = std::min({b.w, b.h * 0.34f, 190.0f});
  if (side > 60) {
    const Box t{b.x, y, side * static_cast<float>(panel.side_w) / static_cast<float>(std::max(panel.side_w, panel.side_h)), side * static_cast<float>(panel.side_h) / static_cast<float>(std::max(panel.side_w, panel.side_h))};
    const float u0 = static_cast<float>(chosen % panel.across * panel.side_w) / static_cast<float>(panel.width), v0 = static_cast<float>(chosen / panel.across * panel.side_h) / static_cast<float>(panel.height);
    ui.dl->AddImage(static_cast<ImTextureID>(panel.atlas), {t.x, t.y}, {t.right(), t.bottom()}, {u0, v0},
                    {u0 + static_cast<float>(panel.side_w) / static_cast<float>(panel.width), v0 + static_cast<float>(panel.side_h) / static_cast<float>(panel.height)});
    frame(ui, t, ui.theme.line, 1);
    y = t.bottom() + 12;
  }
  scores(ui, b, y, n);
  similar(ui, b, y, chosen);
  const std::string chosen_head = "{\"layer\":" + std::to_string(ui.state().heads.layer) + ",\"head\":" + std::to_string(ui.state().heads.head) + "}";
  const std::string open(ui.words("ui.heads.open")), fuse(ui.words("ui.heads.fuse"));
  const float ow = text_width(ui, open, {13, Weight::medium, 0}) + 24, fw = text_width(ui, fuse, {13, Weight::medium, 0}) + 24;
  if (button(ui, "heads.open", {foot.x, foot.bottom() - 30, ow, 30}, open)) ui.app.run("heads.open", chosen_head);
  if (foot.x + ow + 8 + fw <= foot.right() && button(ui, "heads.fuse", {foot.x + ow + 8, foot.bottom() - 30, fw, 30}, fuse)) ui.app.run("heads.fuse", "{\"head\":" + std::to_string(ui.state().heads.head) + "}");
}

}  // namespace rollscope::ui
