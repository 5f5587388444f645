#include "scene/graph_layout.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "scene_fixture.h"

using namespace rollscope;

namespace {

constexpr GraphRect kArea{70, 40, 800, 420};

// Widths of the ribbons that meet at a node, by (level, token), above and below.
struct Sums {
  std::map<std::pair<int, int>, double> down, up;  // leaving downwards from a node, arriving from above
};
Sums sums_of(const GraphLayout& g) {
  Sums s;
  for (const Ribbon& r : g.ribbons) {
    s.down[{r.gap + 1, r.from}] += r.width0;
    s.up[{r.gap, r.to}] += r.width1;
  }
  return s;
}

}  // namespace

TEST_CASE("ribbon widths at a node add up to its mass, above and below") {
  for (const auto& [n, layers] : {std::pair{5, 3}, {12, 4}, {128, 3}}) {
    CAPTURE(n);
    const auto maps = test::random_maps(layers, n, 7);
    const ViewData v = test::explain(maps, n, n / 2, 0.5);
    const GraphLayout g = layout_graph(v, kArea, 1.0, {});
    CHECK(g.bundle == (n == 128 ? g.bundle : 1));
    CHECK((n == 128) == (g.bundle > 1));
    Sums s = sums_of(g);
    for (const GraphNode& node : g.nodes) {
      // Own attention under 0.3 px is left out.
      const auto full = [&](double width) { return std::abs(width - node.mass * g.unit) < 0.31; };
      CAPTURE(node.level);
      CAPTURE(node.token);
      if (node.level > 0) CHECK(full(s.down[{node.level, node.token}]));
      if (node.level < layers) CHECK(full(s.up[{node.level, node.token}]));
    }
    for (float shown : g.shown) CHECK(shown == doctest::Approx(1));
  }
}

TEST_CASE("ribbons lie inside their nodes, side by side") {
  for (int n : {9, 100}) {
    const ViewData v = test::explain(test::random_maps(3, n, 3), n, 2, 0.5);
    const GraphLayout g = layout_graph(v, kArea, 1.0, {});
    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> at;  // spans along each node's underside
    for (const Ribbon& r : g.ribbons)
      if (r.width0 > 0.05) at[{r.gap + 1, r.from}].push_back({r.x0 - r.width0 / 2, r.x0 + r.width0 / 2});
    for (const GraphNode& node : g.nodes) {
      auto spans = at[{node.level, node.token}];
      std::sort(spans.begin(), spans.end());
      for (std::size_t i = 0; i < spans.size(); ++i) {
        CHECK(spans[i].first >= node.x - node.mass * g.unit / 2 - 0.02);
        CHECK(spans[i].second <= node.x + node.mass * g.unit / 2 + 0.02);
        if (i) CHECK(spans[i].first >= spans[i - 1].second - 0.02);
      }
    }
  }
}

TEST_CASE("own attention follows the residual at its right") {
  const ViewData v = test::explain(test::random_maps(1, 4, 5), 4, 1, 0.5);
  const GraphLayout g = layout_graph(v, kArea, 1.0, {});
  const Ribbon *residual = nullptr, *own = nullptr;
  for (const Ribbon& r : g.ribbons) {
    if (r.kind == RibbonKind::residual) residual = &r;
    if (r.kind == RibbonKind::own) own = &r;
  }
  REQUIRE(residual);
  REQUIRE(own);
  CHECK(own->x0 - own->width0 / 2 == doctest::Approx(residual->x0 + residual->width0 / 2));
  CHECK(own->x1 - own->width1 / 2 == doctest::Approx(residual->x1 + residual->width1 / 2));
}

TEST_CASE("the filter keeps the strongest edges of each layer and says what it hides") {
  const ViewData v = test::explain(test::random_maps(4, 12, 11), 12, 0, 0.5);
  const GraphLayout all = layout_graph(v, kArea, 1.0, {});
  const GraphLayout some = layout_graph(v, kArea, 0.6, {});
  CHECK(some.edges_drawn < all.edges_drawn);
  CHECK(some.edges_drawn + some.edges_hidden == all.edges_drawn);
  CHECK(all.edges_hidden == 0);
  for (std::size_t l = 0; l < v.gaps.size(); ++l) {
    CHECK(some.shown[l] >= 0.6f - 1e-4f);
    float weakest_drawn = 1, drawn = 0;
    for (const Ribbon& r : some.ribbons)
      if (r.gap == static_cast<int>(l) && r.kind == RibbonKind::attention) weakest_drawn = std::min(weakest_drawn, r.weight), drawn += r.weight;
    CHECK(drawn / v.gaps[l].others == doctest::Approx(some.shown[l]).epsilon(1e-4));
    // Without its weakest edge the layer would show too little.
    CHECK((drawn - weakest_drawn) / v.gaps[l].others < 0.6);
  }
}

TEST_CASE("paths to the sink are drawn first and are told apart") {
  ViewData v = test::explain(test::random_maps(2, 6, 2), 6, 3, 0.5);
  v.sinks = {0};
  const GraphLayout g = layout_graph(v, kArea, 1.0, {});
  bool others = false;
  int sinks = 0;
  for (const Ribbon& r : g.ribbons) {
    CHECK((r.kind == RibbonKind::sink) == (r.to == 0 && r.kind != RibbonKind::residual));
    if (r.kind == RibbonKind::sink) CHECK_FALSE(others);
    sinks += r.kind == RibbonKind::sink;
    others = others || r.kind != RibbonKind::sink;
  }
  CHECK(sinks > 5);
}

TEST_CASE("bundles leave sinks and the chosen token's neighbours alone") {
  ViewData v = test::explain(test::random_maps(1, 222, 2), 222, 173, 0.5);
  v.sinks = {0};
  const GraphLayout g = layout_graph(v, kArea, 0.75, {});
  CHECK(g.bundle > 1);
  CHECK(g.column >= 16);
  const auto tokens = [&](int token) {
    const auto c = static_cast<std::size_t>(column_of(g, token));
    return g.column_first[c + 1] - g.column_first[c];
  };
  CHECK(tokens(0) == 1);
  for (int t = 165; t <= 181; ++t) CHECK(tokens(t) == 1);
  CHECK(tokens(50) == g.bundle);
  CHECK(g.column_first.front() == 0);
  CHECK(g.column_first.back() == 222);
  for (int t = 0; t < 222; ++t) {
    const auto c = static_cast<std::size_t>(column_of(g, t));
    CHECK(g.column_first[c] <= t);
    CHECK(t < g.column_first[c + 1]);
  }
  double mass = 0;
  for (const GraphNode& n : g.nodes) mass += n.level == 0 ? n.mass : 0;
  CHECK(mass == doctest::Approx(1).epsilon(1e-4));
}

TEST_CASE("zooming in dissolves bundles") {
  const ViewData v = test::explain(test::random_maps(1, 128, 2), 128, 5, 0.5);
  const GraphLayout g = layout_graph(v, kArea, 0.75, {.x = 0.5, .y = 0.5, .zoom = 4});
  CHECK(g.bundle == 1);
  CHECK(g.column == doctest::Approx(25));
  // The middle of the content lies in the middle of the area.
  CHECK((g.column_x[63] + g.column_x[64]) / 2 == doctest::Approx(kArea.x + kArea.w / 2));
}

TEST_CASE("the pointer finds the ribbon that was drawn there, and nodes before ribbons") {
  const ViewData v = test::explain(test::random_maps(3, 8, 9), 8, 4, 0.5);
  const GraphLayout g = layout_graph(v, kArea, 1.0, {});
  int found = 0;
  for (std::size_t i = 0; i < g.ribbons.size(); ++i)
    for (float t : {0.2f, 0.35f, 0.5f, 0.65f, 0.8f}) {
      const GraphPoint p = ribbon_point(g.ribbons[i], t);
      const GraphHit hit = pick_graph(g, p.x, p.y);
      REQUIRE(hit.node == -1);
      REQUIRE(hit.ribbon >= 0);
      // Where two cross, the upper one is meant; it must be a ribbon that covers the point.
      const Ribbon& r = g.ribbons[static_cast<std::size_t>(hit.ribbon)];
      CHECK(r.gap == g.ribbons[i].gap);
      CHECK(hit.ribbon >= static_cast<int>(i));
      found += hit.ribbon == static_cast<int>(i);
    }
  CHECK(found > static_cast<int>(g.ribbons.size()));  // each is found somewhere, on average
  for (std::size_t i = 0; i < g.nodes.size(); ++i) CHECK(pick_graph(g, g.nodes[i].x, g.nodes[i].y).node == static_cast<int>(i));
  CHECK(pick_graph(g, kArea.x + kArea.w + 50, kArea.y + 30).ribbon == -1);
}

TEST_CASE("curves leave and arrive vertically, and the pick follows the curve, not the chord") {
  Ribbon r{.x0 = 0, .y0 = 0, .x1 = 100, .y1 = 80, .width0 = 2, .width1 = 2, .weight = 0.1f, .kind = RibbonKind::attention, .gap = 0, .edge = 0, .from = 0, .to = 1};
  const GraphPoint early = ribbon_point(r, 0.01f);
  CHECK(early.y > 20 * early.x);
  const GraphPoint middle = ribbon_point(r, 0.5f);
  CHECK(middle.x == doctest::Approx(50));
  CHECK(middle.y == doctest::Approx(40));
  GraphLayout g;
  g.ribbons = {r};
  CHECK(pick_graph(g, 2, 14).ribbon == 0);
  CHECK(pick_graph(g, 17.5f, 14).ribbon == -1);  // on the straight line between the ends
}

TEST_CASE("traced paths to an input carry its weight through every layer") {
  for (int n : {7, 90}) {
    const ViewData v = test::explain(test::random_maps(4, n, 21), n, 3, 0.5);
    const GraphLayout g = layout_graph(v, kArea, 1.0, {});
    const int key = n - 2;
    const auto parts = trace_paths(v, g, key);
    REQUIRE(parts.size() == g.ribbons.size());
    std::vector<double> per_gap(4, 0);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      CHECK(parts[i] <= g.ribbons[i].weight * 1.0001f);
      per_gap[static_cast<std::size_t>(g.ribbons[i].gap)] += parts[i];
    }
    for (double sum : per_gap) CHECK(sum == doctest::Approx(v.row[static_cast<std::size_t>(key)]).epsilon(0.03));
  }
}

TEST_CASE("hidden edges still carry their part of a traced path") {
  const ViewData v = test::explain(test::random_maps(3, 8, 4), 8, 0, 0.5);
  const auto all = layout_graph(v, kArea, 1.0, {});
  const auto some = layout_graph(v, kArea, 0.3, {});
  const auto a = trace_paths(v, all, 5), b = trace_paths(v, some, 5);
  for (std::size_t i = 0; i < some.ribbons.size(); ++i)
    for (std::size_t k = 0; k < all.ribbons.size(); ++k)
      if (all.ribbons[k].gap == some.ribbons[i].gap && all.ribbons[k].kind == some.ribbons[i].kind && all.ribbons[k].from == some.ribbons[i].from && all.ribbons[k].to == some.ribbons[i].to)
        CHECK(a[k] == doctest::Approx(b[i]));
}

TEST_CASE("cross attention joins tokens of two texts") {
  ViewData v;
  v.query = 1;
  v.states = {{0.2f, 0.5f, 0.2f, 0.1f}, {0, 1, 0}};
  Gap gap;
  gap.others = 1;
  gap.residual_at = gap.own_at = gap.residual_from_offset = gap.residual_to_offset = {0, 0, 0, 0};
  gap.edges = {{1, 1, 0.5f, 0.2f, 0}, {1, 0, 0.2f, 0, 0}, {1, 2, 0.2f, 0.7f, 0}, {1, 3, 0.1f, 0.9f, 0}};
  v.gaps = {gap};
  const GraphLayout g = layout_graph(v, kArea, 1.0, {});
  REQUIRE(g.ribbons.size() == 4);
  CHECK(g.query_x.size() == 3);
  CHECK(g.column_x.size() == 4);
  CHECK(g.edges_drawn == 4);
  double width = 0;
  for (const Ribbon& r : g.ribbons) {
    width += r.width0;
    CHECK(std::abs(r.x0 - g.query_x[1]) <= g.unit / 2);
  }
  CHECK(width == doctest::Approx(g.unit));
  const auto parts = trace_paths(v, g, 2);
  CHECK(std::accumulate(parts.begin(), parts.end(), 0.0) == doctest::Approx(0.2));
}

TEST_CASE("a plan that is kept while the camera moves gives the picture that a new one gives") {
  const auto same = [](const GraphLayout& a, const GraphLayout& b) {
    const auto ribbon = [](const Ribbon& x, const Ribbon& y) {
      return x.x0 == y.x0 && x.y0 == y.y0 && x.x1 == y.x1 && x.y1 == y.y1 && x.width0 == y.width0 && x.width1 == y.width1 && x.weight == y.weight && x.kind == y.kind && x.gap == y.gap && x.edge == y.edge && x.from == y.from && x.to == y.to;
    };
    const auto node = [](const GraphNode& x, const GraphNode& y) { return x.x == y.x && x.y == y.y && x.width == y.width && x.mass == y.mass && x.level == y.level && x.token == y.token; };
    return a.column_x == b.column_x && a.column_first == b.column_first && a.bundle == b.bundle && a.shown == b.shown && a.edges_drawn == b.edges_drawn && a.edges_hidden == b.edges_hidden &&
           std::equal(a.ribbons.begin(), a.ribbons.end(), b.ribbons.begin(), b.ribbons.end(), ribbon) && std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), node);
  };
  for (int n : {12, 222}) {
    const ViewData v = test::explain(test::random_maps(3, n, 8), n, n / 2, 0.5);
    GraphPlan plan;
    PathTrace trace;
    std::size_t strands = 0;
    for (const Camera& camera : {Camera{}, {.x = 0.3, .y = 0.5, .zoom = 2}, {.x = 0.31, .y = 0.4, .zoom = 2}, {.x = 0.31, .y = 0.4, .zoom = 9}, {.x = 0.7, .y = 0.4, .zoom = 9}, {}})
      for (const auto& [keep, most] : {std::pair{0.75, 0}, {0.75, 0}, {0.5, 0}, {0.5, 2}, {0.75, 0}})
        for (int key : {1, n - 1}) {
          const GraphLayout kept = layout_graph(v, kArea, keep, camera, most, plan), fresh = layout_graph(v, kArea, keep, camera, most);
          CHECK(same(kept, fresh));
          CHECK(trace.parts(v, kept, key) == trace_paths(v, fresh, key));
          strands = std::max(strands, plan.strands.size());
          CHECK(kept.ribbons.size() <= plan.strands.size());
        }
    CHECK(strands > 20);
  }
}

TEST_CASE("an empty view has an empty graph") {
  CHECK(layout_graph({}, kArea, 0.5, {}).ribbons.empty());
  const ViewData v = test::explain(test::random_maps(2, 3, 1), 3, 0, 0.5);
  CHECK(layout_graph(v, {0, 0, 0, 0}, 0.5, {}).nodes.empty());
}
