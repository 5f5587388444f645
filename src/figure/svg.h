// A canvas that writes SVG 1.1: shapes, true text, embedded pictures, named groups. No layout here.
//
// Whatever a token holds, the file is well-formed XML 1.0: the five marks of XML are escaped, characters that XML cannot
// hold or that turn a line around (controls, lone surrogates, U+FFFE, bidi overrides) are written by name, as ‹U+202E›.
// FSI and PDI (U+2068, U+2069) pass where they are balanced: isolated() puts them about words in a sentence.
//
// Lengths are CSS pixels, 96 to the inch, y down. Attributes say what CSS could, so that LaTeX's converters, Inkscape
// and office programs read it too; no script, no style sheet, nothing from outside.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scene/colormap.h"

namespace rollscope::figure {

struct Box {
  double x = 0, y = 0, w = 0, h = 0;
  [[nodiscard]] double right() const { return x + w; }
  [[nodiscard]] double bottom() const { return y + h; }
  [[nodiscard]] double middle_x() const { return x + w / 2; }
  [[nodiscard]] double middle_y() const { return y + h / 2; }
};

struct Paint {
  std::uint32_t rgb = 0;  // 0xRRGGBB
  double alpha = 1;       // 0: nothing is painted
};
[[nodiscard]] Paint paint(Rgb colour, double alpha = 1);
inline constexpr Paint kNone{0, 0};

enum class Anchor : std::uint8_t { start, middle, end };

struct TextLook {
  double px = 10;
  Paint colour;
  bool bold = false;
  Anchor anchor = Anchor::start;
  double rotate = 0;  // degrees about (x, y), clockwise
  double room = 0;    // where a wider face could leave it, the text is held to its estimated width (textLength); 0: free
};

class Svg {
 public:
  // Closes its group at the end of the block.
  class Group {
   public:
    explicit Group(Svg& svg) : svg_(svg) {}
    ~Group() {
      svg_.body_ += "</g>\n";
      --svg_.open_;
    }
    Group(const Group&) = delete;

   private:
    Svg& svg_;
  };
  // id: letters, digits and '-', its own in the file. title: read out, and shown by browsers under the pointer; may be "".
  [[nodiscard]] Group group(std::string_view id, std::string_view title = {});

  void rect(const Box& box, Paint fill, double radius = 0, Paint stroke = kNone, double width = 1);
  void line(double x0, double y0, double x1, double y1, Paint stroke, double width = 1, std::string_view dash = {});
  // d: path data of the caller's own making.
  void fill_path(std::string_view d, Paint fill, bool crisp = false);
  void stroke_path(std::string_view d, Paint stroke, double width, std::string_view dash = {});
  void circle(double x, double y, double r, Paint fill);
  // Stripes at 45 degrees, every `pitch` px.
  void hatch(const Box& box, Paint colour, double pitch = 5, double radius = 0);
  // Colours from left to right, between equal steps.
  void gradient(const Box& box, std::span<const Paint> steps);
  void text(double x, double baseline, std::string_view words, const TextLook& look);
  // Words, and behind them others in their own look: they follow where the first end, whatever the face.
  void text(double x, double baseline, std::string_view words, const TextLook& look, std::string_view more, const TextLook& more_look, double gap);
  // A PNG file, stretched over the box without smoothing.
  void image(const Box& box, std::span<const std::uint8_t> png);

  struct Document {
    double width = 0, height = 0;  // of the drawing
    std::string size;      // attributes of the root: width="85mm" height="60mm"
    std::string language;  // of the words
    std::string title, description;
    std::string metadata;  // JSON text
    Paint ground = kNone;
  };
  // The whole file. What was drawn is moved out. Precondition: every group is closed.
  [[nodiscard]] std::string finish(const Document& document);

  // Text as it stands between tags or in an attribute (see above).
  [[nodiscard]] static std::string escaped(std::string_view text);
  // A coordinate: at most two decimals, no trailing zeros.
  [[nodiscard]] static std::string number(double x);

 private:
  void attribute(std::string_view name, double value);
  void begin_text(double x, double baseline, std::string_view words, const TextLook& look);
  void fill(Paint paint);
  void stroke(Paint paint, double width);
  std::string body_;
  std::map<std::string, std::string> definitions_;  // by id
  int open_ = 0;  // groups
};

// Words of a right-to-left script in a sentence, kept from turning what follows them; other words as they are.
[[nodiscard]] std::string isolated(std::string_view words);

}  // namespace rollscope::figure
