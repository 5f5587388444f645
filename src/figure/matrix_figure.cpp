// All rows as a heat map: row = output, down; column = input, across. Sinks are hatched and off the scale, cells above a
// causal diagonal do not exist, cells without a value are crossed.
#include <algorithm>
#include <cmath>
#include <map>

#include "figure/png.h"
#include "figure/sheet.h"
#include "figure/text_width.h"
#include "scene/heatmap.h"

namespace rollscope::figure {
namespace {

constexpr int kMostCells = 64 * 64;    // as shapes; more become one picture
constexpr int kMostPixels = 1024;      // of its longer side, or the cells are pooled
constexpr double kSlant = 50;          // degrees
constexpr double kScreenLabel = 12;    // px of a label where scene/heatmap.h's distances hold

struct Plan {
  Box cells;
  double cell = 0;
  int row_step = 1, column_step = 1;
  bool slanted = false, values = false;
  double row_room = 0, column_room = 0;  // of labels
};

bool exists(const MatrixData& m, int r, int c) { return !(m.causal && c > r); }
float value(const MatrixData& m, int r, int c) { return m.values[static_cast<std::size_t>(r) * static_cast<std::size_t>(m.columns) + static_cast<std::size_t>(c)]; }

// What all names but a few need: long ones among many are cut.
double usual(std::vector<double> widths) {
  std::sort(widths.begin(), widths.end());
  return widths.empty() ? 0 : widths[widths.size() - 1 - (widths.size() > 24 ? widths.size() / 12 : 0)];
}

std::string row_name(const Sheet& s, int row) {
  if (s.in.matrix->rows == 1 && s.in.one_output) return s.query_name(row);
  if (s.in.shown->kind != StreamKind::cross) return s.query_name(row, true);
  return s.query_name(row);
}

Plan plan_for(Sheet& s, bool numbers) {
  const MatrixData& m = *s.in.matrix;
  const double px = s.type.label;
  std::vector<double> rows, columns;
  for (int r = 0; r < m.rows; ++r) rows.push_back(text_width(row_name(s, r), px, r == s.view.query) * kFaceSlack);
  for (int c = 0; c < m.columns; ++c) columns.push_back(text_width(s.key_name(c, true), px) * kFaceSlack);
  Plan p;
  const auto room_for = [&](const std::vector<double>& widths, double most) {
    const double all = *std::max_element(widths.begin(), widths.end());
    return std::min({std::max(usual(widths), px * 4.5), all + 0.1, most});
  };
  p.row_room = std::max(px, room_for(rows, std::min(s.width * 0.26, px * 13)));
  const double longest = std::max(px, room_for(columns, px * 9));
  const double axis = px * 1.5;  // the word "output" beside, "input" above
  const double sine = std::sin(kSlant * 3.14159265 / 180), cosine = std::cos(kSlant * 3.14159265 / 180);
  double room = s.width - axis - p.row_room - px * 0.7;
  const double height = std::max(s.width, 240.0) * 1.1;
  // Cells no larger than they need to be for their names and numbers.
  const double most = px * 4.2;
  double cell = std::min({room / m.columns, height / m.rows, most});
  p.slanted = longest + px * 0.6 > cell;
  if (p.slanted) {
    room -= longest * cosine;  // the last name leans out
    cell = std::min({room / m.columns, height / m.rows, most});
  }
  p.column_room = p.slanted ? longest * sine + px : px * 1.5;
  const double zoom = px / kScreenLabel;
  const auto w = static_cast<float>(cell * m.columns / zoom), h = static_cast<float>(cell * m.rows / zoom);
  const MatrixLayout layout = layout_matrix(m.rows, m.columns, {0, 0, w, h}, Camera{}, p.slanted ? 1e4f : static_cast<float>(longest / zoom));
  p.row_step = layout.label_step_rows;
  p.column_step = layout.label_step_columns;
  p.cell = cell;
  p.values = numbers && cell >= s.type.small * 2.6;
  p.cells = {s.left + axis + p.row_room + px * 0.7, s.y + axis + p.column_room, cell * m.columns, cell * m.rows};
  return p;
}

void labels(Sheet& s, const Plan& p) {
  const MatrixData& m = *s.in.matrix;
  const double px = s.type.label;
  const bool one = m.rows == 1 && s.in.one_output;
  {
    const auto group = s.svg.group("outputs");
    const double x = s.left + px, y = p.cells.middle_y();
    s.svg.text(x, y, s.words(Word::output), {.px = px, .colour = s.ink3(), .anchor = Anchor::middle, .rotate = -90});
    for (int r = 0; r < m.rows; ++r) {
      const bool chosen = !one && r == s.view.query;
      // The chosen row's name stands whatever its place; its neighbours give way.
      const bool near = std::abs(r - s.view.query) * p.cell < px * 1.3 && !chosen;
      if ((r % p.row_step || (near && p.row_step > 1)) && !chosen) continue;
      s.line_text(p.cells.x - px * 0.5, p.cells.y + r * p.cell, p.cell, cut_text(row_name(s, r), px, chosen, p.row_room),
                  {.px = px, .colour = chosen ? s.accent() : s.ink2(), .bold = chosen, .anchor = Anchor::end});
    }
  }
  const auto group = s.svg.group("inputs");
  s.svg.text(p.cells.x, s.y + px, s.words(s.two_sided && s.border == 0 ? Word::source : Word::input), {.px = px, .colour = s.ink3()});
  const double room = p.slanted ? (p.column_room - px) / std::sin(kSlant * 3.14159265 / 180) : p.cell * p.column_step - px * 0.3;
  for (int c = 0; c < m.columns; c += p.column_step) {
    const double x = p.cells.x + (c + 0.5) * p.cell;
    const Paint colour = s.ink2();
    const std::string name = cut_text(s.key_name(c, true), px, false, room);
    if (p.slanted) s.svg.text(x + px * 0.25, p.cells.y - px * 0.45, name, {.px = px, .colour = colour, .rotate = -kSlant});
    else s.svg.text(x, p.cells.y - px * 0.5, name, {.px = px, .colour = colour, .anchor = Anchor::middle, .room = room});
  }
}

void as_shapes(Sheet& s, const Plan& p, const ColourScale& scale, const std::vector<float>& row_most) {
  const MatrixData& m = *s.in.matrix;
  const double seam = p.cell > 6 ? 0.6 : 0;
  std::vector<std::uint8_t> lut(256 * 4);
  weight_lut(s.style.dark, lut, scale.two_sided);
  // One path for each colour: the file stays small, and each colour can be picked.
  std::map<std::uint32_t, std::string> paths;
  const std::string side = Svg::number(p.cell - seam);
  for (int r = 0; r < m.rows; ++r)
    for (int c = 0; c < m.columns; ++c) {
      if (!exists(m, r, c)) continue;
      const double x = p.cells.x + c * p.cell, y = p.cells.y + r * p.cell;
      const auto v = static_cast<double>(value(m, r, c));
      if (std::isnan(v)) {
        const Box b{x, y, p.cell - seam, p.cell - seam};
        s.svg.rect(b, {s.palette.well});
        s.svg.line(b.x + 1, b.y + 1, b.right() - 1, b.bottom() - 1, s.ink3(), 0.5);
        s.svg.line(b.x + 1, b.bottom() - 1, b.right() - 1, b.y + 1, s.ink3(), 0.5);
        continue;
      }
      if (s.sink(c)) continue;
      const double most = row_most.empty() ? 1 : static_cast<double>(row_most[static_cast<std::size_t>(r)]);
      const double t = row_most.empty() ? scale.position(v) : most > 0 ? scale.position(v / most) : scale.position(0);
      const auto i = static_cast<std::size_t>(std::lround(t * 255)) * 4;
      const std::uint32_t rgb = static_cast<std::uint32_t>(lut[i]) << 16 | static_cast<std::uint32_t>(lut[i + 1]) << 8 | lut[i + 2];
      paths[rgb] += "M" + Svg::number(x) + " " + Svg::number(y) + "h" + side + "v" + side + "h-" + side + "z";
    }
  for (const auto& [rgb, d] : paths) s.svg.fill_path(d, {rgb}, seam == 0);
}

void as_picture(Sheet& s, const Plan& p, const ColourScale& scale, const std::vector<float>& row_most, std::vector<std::string>& notes) {
  const MatrixData& m = *s.in.matrix;
  std::vector<float> values = m.values;
  // Each row by its largest before cells are pooled.
  if (!row_most.empty())
    for (int r = 0; r < m.rows; ++r)
      for (int c = 0; c < m.columns; ++c) {
        float& v = values[static_cast<std::size_t>(r) * static_cast<std::size_t>(m.columns) + static_cast<std::size_t>(c)];
        const float most = row_most[static_cast<std::size_t>(r)];
        if (!std::isnan(v)) v = most > 0 ? v / most : 0;
      }
  const auto levels = make_pyramid(values, m.rows, m.columns, scale.two_sided);
  std::size_t level = 0;
  while (std::max(levels[level].rows, levels[level].columns) > kMostPixels) ++level;
  const int rows = levels[level].rows, columns = levels[level].columns;
  if (level > 0) notes.push_back(s.words.fill(Word::pooled, {{"n", std::to_string(1 << level)}}));
  // Readers that smooth pictures anyhow blur the seam of two pixels, not whole cells.
  const int times = std::clamp(kMostPixels / std::max(rows, columns), 1, 6);
  std::vector<std::uint8_t> lut(256 * 4);
  weight_lut(s.style.dark, lut, scale.two_sided);
  std::vector<std::uint8_t> rgba(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * static_cast<std::size_t>(times * times) * 4, 0);
  const auto width = static_cast<std::size_t>(columns * times);
  for (int y = 0; y < rows * times; ++y)
    for (int x = 0; x < columns * times; ++x) {
      const int r = y / times, c = x / times;
      if (m.causal && c > r) continue;
      const float v = levels[level].cells[static_cast<std::size_t>(r) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)];
      std::uint8_t* to = &rgba[4 * (static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x))];
      if (std::isnan(v)) {
        to[0] = static_cast<std::uint8_t>(s.palette.well >> 16), to[1] = static_cast<std::uint8_t>(s.palette.well >> 8), to[2] = static_cast<std::uint8_t>(s.palette.well);
      } else {
        const auto i = static_cast<std::size_t>(std::lround(scale.position(static_cast<double>(v)) * 255)) * 4;
        std::copy(&lut[i], &lut[i] + 3, to);
      }
      to[3] = 255;
    }
  s.svg.image(p.cells, png_file(rgba, columns * times, rows * times));
}

void sinks(Sheet& s, const Plan& p) {
  const MatrixData& m = *s.in.matrix;
  const double seam = p.cell > 6 ? 0.6 : 0;
  for (const int c : s.view.sinks) {
    if (c >= m.columns) continue;
    const int first = m.causal ? c : 0;
    const Box b{p.cells.x + c * p.cell, p.cells.y + first * p.cell, std::max(0.75, p.cell - seam), (m.rows - first) * p.cell - seam};
    s.svg.rect(b, {s.palette.panel});
    s.svg.hatch(b, {s.palette.sink}, std::clamp(p.cell * 0.4, 2.0, 4.0));
  }
}

void cell_numbers(Sheet& s, const Plan& p, const ColourScale& scale, const std::vector<float>& row_most, bool percents) {
  const auto group = s.svg.group("numbers");
  const MatrixData& m = *s.in.matrix;
  const double px = s.type.small;
  for (int r = 0; r < m.rows; ++r)
    for (int c = 0; c < m.columns; ++c) {
      const auto v = static_cast<double>(value(m, r, c));
      if (!exists(m, r, c) || std::isnan(v)) continue;
      std::string n = percents ? percent(v, s.words.decimal()) : significant(v, s.words.decimal());
      if (!percents && text_width(n, px) > p.cell - 2) n = significant(v, s.words.decimal(), 2);
      const double w = text_width(n, px);
      if (w > p.cell - 1) continue;
      const Box b{p.cells.x + c * p.cell, p.cells.y + r * p.cell, p.cell, p.cell};
      Paint ink = s.ink2();
      if (s.sink(c)) {
        s.svg.rect({b.middle_x() - w / 2 - 1.5, b.middle_y() - px * 0.6, w + 3, px * 1.2}, {s.palette.panel, 0.85}, 1.5);
      } else {
        const double most = row_most.empty() ? 1 : static_cast<double>(row_most[static_cast<std::size_t>(r)]);
        ink = paint(text_on(scale.colour(scale.position(row_most.empty() ? v : most > 0 ? v / most : 0), s.style.dark)));
      }
      s.line_text(b.middle_x(), b.y, b.h, n, {.px = px, .colour = ink, .anchor = Anchor::middle, .room = p.cell - 1});
    }
}

}  // namespace

Figure draw_matrix(Sheet& s) {
  const MatrixData& m = *s.in.matrix;
  const bool percents = s.percents();
  const ColourScale scale = matrix_scale(m, s.view.sinks, s.style.matrix, s.view.is_signed);
  std::vector<float> row_most;
  if (scale.curve == ScaleCurve::per_row) row_most = row_maxima(m, s.view.sinks);

  const std::string unit = s.unit();
  s.title(unit, {}, {}, s.ink());

  std::vector<std::string> notes;
  const bool shapes = static_cast<long long>(m.rows) * m.columns <= kMostCells;
  const Plan p = plan_for(s, s.style.matrix.values && shapes);
  labels(s, p);
  {
    const auto group = s.svg.group("cells");
    if (shapes) as_shapes(s, p, scale, row_most);
    else as_picture(s, p, scale, row_most, notes);
    sinks(s, p);
  }
  if (p.values) cell_numbers(s, p, scale, row_most, percents);
  if (s.view.query < m.rows && !(m.rows == 1 && s.in.one_output)) {
    const auto group = s.svg.group("chosen");
    const double seam = p.cell > 6 ? 0.6 : 0;
    const int seen = m.causal ? std::min(m.columns, s.view.query + 1) : m.columns;
    s.svg.rect({p.cells.x - 1.25, p.cells.y + s.view.query * p.cell - 1.25, seen * p.cell - seam + 2.5, p.cell - seam + 2.5}, kNone, 1.5, s.accent(), 1.25);
  }
  if (s.border > 0 && s.border < m.columns) {  // the source's tokens, then the target's
    const double x = p.cells.x + s.border * p.cell - 0.3;
    s.svg.line(x, p.cells.y - 3, x, p.cells.bottom() + 3, s.ink2(), 1.25);
  }
  s.y = p.cells.bottom() + s.type.label * 0.9;
  std::string note;
  if (scale.curve == ScaleCurve::log) note = s.words(Word::logarithmic);
  if (scale.curve == ScaleCurve::per_row) note = s.words(Word::of_row);
  s.legend(scale, percents || scale.curve == ScaleCurve::per_row, !s.view.sinks.empty(), note);
  return s.finish(unit, notes);
}

}  // namespace rollscope::figure
