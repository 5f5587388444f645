#include "scene/heatmap.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace rollscope;

TEST_CASE("each cell of the pyramid is the largest number under it, at odd sizes and around holes") {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(0, 1);
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 9}, {5, 7}, {8, 8}, {33, 17}}) {
    std::vector<float> v(static_cast<std::size_t>(rows) * columns);
    for (auto& x : v) x = random() % 5 == 0 ? NAN : value(random);
    const auto levels = make_pyramid(v, rows, columns);
    REQUIRE(levels.back().rows == 1);
    REQUIRE(levels.back().columns == 1);
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const auto& level = levels[k];
      const int size = 1 << k;
      REQUIRE(level.rows == (rows + size - 1) / size);
      REQUIRE(level.columns == (columns + size - 1) / size);
      for (int i = 0; i < level.rows; ++i)
        for (int j = 0; j < level.columns; ++j) {
          float most = NAN;
          for (int y = i * size; y < std::min(rows, (i + 1) * size); ++y)
            for (int x = j * size; x < std::min(columns, (j + 1) * size); ++x) most = std::fmax(most, v[static_cast<std::size_t>(y) * columns + x]);
          const float got = level.cells[static_cast<std::size_t>(i) * level.columns + j];
          CHECK((std::isnan(most) ? std::isnan(got) : got == most));
        }
    }
  }
}

TEST_CASE("a matrix fits its room at zoom 1, square, and no cell passes 96 px") {
  const MatrixLayout m = layout_matrix(13, 13, {100, 50, 900, 400}, {}, 60);
  CHECK(m.cell == doctest::Approx(400.0 / 13));
  CHECK(m.area.w == doctest::Approx(400));
  CHECK(m.left == 0);
  CHECK(m.values);
  CHECK(m.rotate_columns);
  CHECK(m.label_step_rows == 1);
  CHECK(layout_matrix(3, 3, {0, 0, 900, 900}, {}, 10).cell == 96);
  CHECK(layout_matrix(100, 100, {0, 0, 500, 500}, {.zoom = 1000}, 10).cell == 96);
  CHECK(layout_matrix(0, 0, {0, 0, 500, 500}, {}, 10).cell == 0);
}

TEST_CASE("labels thin out to every 2nd, 5th, 10th before they touch") {
  const auto rows = [](int n) { return layout_matrix(n, n, {0, 0, 400, 400}, {}, 60).label_step_rows; };
  CHECK(rows(20) == 1);
  CHECK(rows(30) == 2);
  CHECK(rows(100) == 5);
  CHECK(rows(200) == 10);
  CHECK(rows(400) == 20);
  CHECK(rows(1000) == 50);
  for (int n = 1; n < 3000; n += 7) {
    const MatrixLayout m = layout_matrix(n, n, {0, 0, 400, 400}, {}, 60);
    CHECK(m.label_step_rows * m.cell >= 16);
    CHECK(m.label_step_columns * m.cell >= 16);
  }
}

TEST_CASE("zooming keeps the cell under the pointer, at any place, until an edge is met") {
  const GraphRect room{40, 30, 600, 350};
  std::mt19937 random(4);
  std::uniform_real_distribution<float> part(0, 1);
  for (const auto& [rows, columns] : {std::pair{222, 222}, {64, 300}, {1000, 20}}) {
    Camera camera{.x = 0.5, .y = 0.5, .zoom = 3};
    for (int i = 0; i < 60; ++i) {
      const MatrixLayout before = layout_matrix(rows, columns, room, camera, 50);
      const float x = before.area.x + part(random) * before.area.w, y = before.area.y + part(random) * before.area.h;
      const double column = before.left + (x - before.area.x) / before.cell, row = before.top + (y - before.area.y) / before.cell;
      const Camera next = zoom_matrix(before, rows, columns, camera, 1.3, x, y);
      const MatrixLayout after = layout_matrix(rows, columns, room, next, 50);
      // Zooming in never meets an edge, but for a side that is seen whole: it starts at the room's corner.
      if (after.cell * columns > room.w) CHECK(after.left + (x - after.area.x) / after.cell == doctest::Approx(column).epsilon(1e-4));
      if (after.cell * rows > room.h) CHECK(after.top + (y - after.area.y) / after.cell == doctest::Approx(row).epsilon(1e-4));
      CHECK(after.cell == doctest::Approx(std::min(96.0, before.cell * 1.3)));
      camera = zoom_matrix(after, rows, columns, next, 1 / 1.25, x, y);
    }
    // All the way out is the fit.
    for (int i = 0; i < 60; ++i) camera = zoom_matrix(layout_matrix(rows, columns, room, camera, 50), rows, columns, camera, 0.8, 300, 200);
    CHECK(camera == Camera{});
  }
}

TEST_CASE("panning moves by pixels and stops at the edge") {
  const GraphRect room{0, 0, 500, 500};
  const Camera camera{.x = 0.5, .y = 0.5, .zoom = 4};
  const MatrixLayout before = layout_matrix(100, 100, room, camera, 50);
  const MatrixLayout after = layout_matrix(100, 100, room, pan_matrix(before, 100, 100, camera, -40, 60), 50);
  CHECK(after.left == doctest::Approx(before.left + 2));
  CHECK(after.top == doctest::Approx(before.top - 3));
  const MatrixLayout end = layout_matrix(100, 100, room, pan_matrix(before, 100, 100, camera, -1e6f, 1e6f), 50);
  CHECK(end.left == doctest::Approx(75));
  CHECK(end.top == doctest::Approx(0));
}

TEST_CASE("the pointer finds the cell that lies there") {
  const GraphRect room{40, 30, 600, 350};
  const MatrixLayout m = layout_matrix(222, 222, room, {.x = 0.3, .y = 0.8, .zoom = 9}, 50);
  for (int i = 0; i < 222; i += 3)
    for (int j = 0; j < 222; j += 3) {
      const auto x = static_cast<float>(m.area.x + (j + 0.5 - m.left) * m.cell), y = static_cast<float>(m.area.y + (i + 0.5 - m.top) * m.cell);
      int row = 0, column = 0;
      pick_cell(m, 222, 222, x, y, row, column);
      const bool inside = x >= m.area.x && x < m.area.x + m.area.w && y >= m.area.y && y < m.area.y + m.area.h;
      CHECK(row == (inside ? i : -1));
      CHECK(column == (inside ? j : -1));
    }
}

TEST_CASE("the matrix scale leaves sinks and the upper triangle out; handles override it") {
  MatrixData m;
  m.rows = m.columns = 3;
  m.causal = true;
  m.values = {0.9f, 5, 5, 0.8f, 0.1f, 5, 0.7f, 0.02f, NAN};
  const std::vector<int> sinks = {0};
  MatrixState s;
  CHECK(matrix_scale(m, sinks, s).high == doctest::Approx(0.1));
  CHECK(matrix_scale(m, {}, s).high == doctest::Approx(0.9));
  s.scale = ScaleCurve::log;
  CHECK(matrix_scale(m, sinks, s).low == doctest::Approx(0.02));
  s.low = 0.05, s.high = 0.08;
  CHECK(matrix_scale(m, sinks, s).low == 0.05);
  CHECK(matrix_scale(m, sinks, s).high == 0.08);
  s.scale = ScaleCurve::per_row;
  CHECK(matrix_scale(m, sinks, s).high == 1);
  CHECK(row_maxima(m, {})[1] == 0.8f);
  CHECK(row_maxima(m, sinks)[0] == 0);

  const auto counts = histogram(m, sinks, matrix_scale(m, sinks, {}), 4);
  CHECK(counts[0] == 1);
  CHECK(counts[3] == 1);
  CHECK(std::accumulate(counts.begin(), counts.end(), 0) == 2);
}

TEST_CASE("lines lie before another segment and around words of several tokens, for rows and columns apart") {
  // [CLS] un ##believ ##able . [SEP] | a ##way [SEP]: the words of a vocabulary that cuts them
  const auto tokens = [](std::vector<std::pair<int, int>> words) {
    std::vector<Token> out;
    for (const auto& [word, segment] : words) {
      out.emplace_back();
      out.back().word = word;
      out.back().segment = segment;
    }
    return out;
  };
  const auto pair = tokens({{-1, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0}, {-1, 0}, {2, 1}, {2, 1}, {-1, 1}});
  const TokenLines lines = token_lines(pair, 9, Merge::pieces);
  CHECK(lines.segments == std::vector{6});
  CHECK(lines.words == std::vector{1, 4, 8});  // 6 is the segment's
  // Rows of a decoder have other words than the columns of its encoder.
  const auto target = tokens({{0, -1}, {1, -1}, {1, -1}});
  CHECK(token_lines(target, 3, Merge::pieces).words == std::vector{1});
  CHECK(token_lines(target, 3, Merge::pieces).segments.empty());
  // A token between two segments that says nothing belongs to the first.
  CHECK(token_lines(tokens({{0, 0}, {-1, -1}, {1, 1}}), 3, Merge::pieces).segments == std::vector{2});
  // A virtual sink has a column and no token; a matrix may have fewer rows than tokens.
  CHECK(token_lines(pair, 10, Merge::pieces).words == lines.words);
  CHECK(token_lines(pair, 6, Merge::pieces).words == std::vector{1, 4});
  CHECK(token_lines(pair, 6, Merge::pieces).segments.empty());
  // Merged, words are rows and columns themselves.
  const auto merged = tokens({{-1, 0}, {0, 0}, {1, 0}, {-1, 0}, {2, 1}, {-1, 1}});
  CHECK(token_lines(merged, 6, Merge::words).words.empty());
  CHECK(token_lines(merged, 6, Merge::words).segments == std::vector{4});
  CHECK(token_lines(tokens({{0, 0}, {0, 1}}), 2, Merge::segments).segments.empty());
  CHECK(token_lines(tokens({{0, 0}, {1, 0}, {2, 0}}), 3, Merge::pieces).words.empty());
}
