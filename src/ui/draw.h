// Drawing by the rules of look.md: text by its baseline, labels of tokens through the atlas, hatches, icons.
// Colours are ImU32; positions CSS pixels. Text is never a format string and never an ImGui id.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/ui.h"

namespace rollscope::ui {

struct Ink {
  float px = 13;
  Weight weight = Weight::regular;
  ImU32 colour = 0;
};

[[nodiscard]] float snap(const Ui& ui, float v);  // to a whole device pixel
// Baseline of text of `px` in the middle of a line box, as CSS sets it.
[[nodiscard]] float baseline(float top, float line_height, float px);

// Interface text; each returns its advance.
[[nodiscard]] float text_width(Ui& ui, std::string_view text, const Ink& ink);
float text(Ui& ui, float x, float base, std::string_view text, const Ink& ink);
float text_right(Ui& ui, float right, float base, std::string_view text, const Ink& ink);
float text_centre(Ui& ui, float middle, float base, std::string_view text, const Ink& ink);
float text_fit(Ui& ui, float x, float base, float max_width, std::string_view text, const Ink& ink);  // ellipsis at the end

// Token text of any script. `bold` is weight 600.
[[nodiscard]] float label_width(Ui& ui, std::string_view text, float px, bool bold);
[[nodiscard]] std::string label_cut(Ui& ui, std::string_view text, float px, bool bold, float max_width);  // with an ellipsis
float label(Ui& ui, float x, float base, std::string_view text, float px, bool bold, ImU32 colour);
float label_right(Ui& ui, float right, float base, std::string_view text, float px, bool bold, ImU32 colour);
float label_centre(Ui& ui, float middle, float base, std::string_view text, float px, bool bold, ImU32 colour);
// Rotated about (x, y), where the start (or, `from_end`, the end) of the baseline lies. Degrees, clockwise.
void label_rotated(Ui& ui, float x, float y, float degrees, bool from_end, std::string_view text, float px, bool bold, ImU32 colour);

// Shapes.
void fill(Ui& ui, const Box& b, ImU32 colour, float radius = 0);
void frame(Ui& ui, const Box& b, ImU32 colour, float thickness = 1, float radius = 0);  // inside the box
void ring(Ui& ui, const Box& b, ImU32 colour, float gap, float thickness, float radius);  // outside the box
void rule_h(Ui& ui, float x, float y, float w, ImU32 colour);  // one CSS pixel, on whole device pixels
void rule_v(Ui& ui, float x, float y, float h, ImU32 colour);
void hatch(Ui& ui, const Box& b, ImU32 colour, float period = 5, float thickness = 1.2f);
void dashed_h(Ui& ui, float x0, float x1, float y, ImU32 colour, float on = 2, float off = 2);
void arrow_down(Ui& ui, float x, float y, ImU32 colour, float size = 3.5f);  // the mark of a choice, centred
void heat_bar(Ui& ui, const Box& b, bool vertical, bool two_sided = false);  // the colormap itself

enum class Icon { maximise, minimise, fit, plus, minus, warning, check, back, close };
void icon(Ui& ui, Icon which, float cx, float cy, ImU32 colour);

// Text on a heat colour.
[[nodiscard]] ImU32 ink_on(Rgb ground);

// Text made of differently inked runs, tokens among them: laid out in one line or wrapped. Names of slots come from
// the locale's text; values are runs.
struct Run {
  std::string text;
  Ink ink;
  bool token = false;  // through the label atlas
};
class Rich {
 public:
  Rich& add(std::string_view text, const Ink& ink);
  Rich& token(std::string_view text, const Ink& ink);
  // The text of `id` in `base`, ** as semibold in `strong`; slots by name.
  Rich& words(Ui& ui, std::string_view id, const Ink& base, const Ink& strong, std::vector<std::pair<std::string_view, Run>> slots = {});
  Rich& words(Ui& ui, std::string_view id, const Ink& base, std::vector<std::pair<std::string_view, Run>> slots = {});
  Rich& markup(std::string_view text, const Ink& base, const Ink& strong);  // ** alone
  [[nodiscard]] bool empty() const { return runs_.empty(); }
  [[nodiscard]] float width(Ui& ui) const;
  float line(Ui& ui, float x, float base) const;
  // Wrapped into `w`; returns the height. draw false: measures.
  float wrap(Ui& ui, float x, float top, float w, float line_height, bool draw = true, int max_lines = 0) const;

 private:
  std::vector<Run> runs_;
};

}  // namespace rollscope::ui
