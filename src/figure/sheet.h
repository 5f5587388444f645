// The page that every figure is drawn on: sizes of type, colours, names of tokens, and what all figures have in common:
// title, colour scale, caption. Private to src/figure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "figure/figure.h"
#include "figure/svg.h"
#include "figure/words.h"
#include "scene/colormap.h"
#include "scene/shown_row.h"
#include "theme_tokens.h"

namespace rollscope::figure {

// px; 8 px are 6 pt.
struct Type {
  double small = 8, label = 8.5, body = 9.33, title = 11;
};

class Sheet {
 public:
  Sheet(const Inputs& inputs, const Style& style);

  const Inputs& in;
  const Style& style;
  const ViewData& view;
  Svg svg;
  Words words;
  theme::Palette palette;
  Type type;
  PatchGrid grid;
  int border = 0;       // joint rollout: keys from here on are the target's
  bool two_sided = false;
  ColourScale scale;    // of the row
  double left = 0, width = 0;  // of what is drawn on
  double y = 0;         // down to here it is full

  // --- names
  [[nodiscard]] std::string key_name(int key, bool short_form = false) const { return token_name(*in.shown, grid, key, true, words(short_form ? Word::patch_short : Word::patch)); }
  [[nodiscard]] std::string query_name(int query, bool short_form = false) const;  // of cross-attention what the row predicts
  [[nodiscard]] bool predicts_known(int query) const;
  [[nodiscard]] int layer_number(int stored) const;  // as printed, from 1
  [[nodiscard]] std::string layers_text() const;     // "1–4", "3"
  [[nodiscard]] std::string unit() const;            // "rollout weight, %"
  // --- numbers of the row
  [[nodiscard]] bool percents() const;
  [[nodiscard]] std::string amount(double weight) const { return percents() ? words.percent_sign(weight) : significant(weight, words.decimal()); }
  [[nodiscard]] std::string amount_bare(double weight) const { return percents() ? percent(weight, words.decimal()) : significant(weight, words.decimal()); }
  [[nodiscard]] bool sink(int key) const { return is_sink(view, key); }
  [[nodiscard]] bool itself(int key) const { return !two_sided && !in.one_output && key == view.query; }
  [[nodiscard]] bool sees(int key) const { return sees_key(view, *in.shown, border, key); }
  [[nodiscard]] bool has_value(int key) const;
  [[nodiscard]] Rgb heat(int key) const;  // on the scale of the row
  // --- colours
  [[nodiscard]] Paint ink() const { return {palette.ink}; }
  [[nodiscard]] Paint ink2() const { return {palette.ink2}; }
  [[nodiscard]] Paint ink3() const { return {palette.ink3}; }
  [[nodiscard]] Paint accent() const { return {palette.accent}; }

  // --- parts
  // Words in the middle of the height of a line at `top`.
  void line_text(double x, double top, double height, std::string_view text, const TextLook& look);
  // What the picture is about, what that is in grey, and at the right the unit. The accent is for the chosen token alone.
  void title(std::string_view strong, std::string_view rest, std::string_view right, Paint colour);
  void row_title();
  // A key's box: heat, hatch or nothing, and words on it, smaller or cut where they do not fit.
  void token_box(const Box& box, int key, std::string_view words, double px, bool ring = true);
  // low [colours] high, and the hatch of sinks. low, high: numbers at the ends; "": as the scale says.
  void legend(const ColourScale& scale, bool percents, bool sinks, std::string_view note = {});
  void paragraph(std::string_view text, double px, Paint colour, bool bold = false);  // wrapped, over the whole width
  // of_recipe: the picture hangs on the recipe, whose sentence, mark and limits are said; else the notes alone.
  [[nodiscard]] Figure finish(std::string_view title, std::span<const std::string> notes = {}, bool of_recipe = true);
  // The method's mark, and what it leaves out.
  [[nodiscard]] std::string closing(const Recipe& recipe) const;
};

// Lines of at most `room` px: broken at spaces, and between characters of Chinese and Japanese; a word that is wider is cut up.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, double px, bool bold, double room);
// Baseline of words that stand in the middle of a line.
[[nodiscard]] inline double baseline(double top, double height, double px) { return top + height / 2 + px * 0.35; }

[[nodiscard]] Figure draw_row(Sheet& sheet);
[[nodiscard]] Figure draw_matrix(Sheet& sheet);
[[nodiscard]] Figure draw_graph(Sheet& sheet);
[[nodiscard]] Figure draw_heads(Sheet& sheet);
[[nodiscard]] Figure draw_depth(Sheet& sheet);
[[nodiscard]] Figure draw_compare(Sheet& sheet);

}  // namespace rollscope::figure
