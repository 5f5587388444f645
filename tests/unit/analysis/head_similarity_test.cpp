#include "analysis/head_similarity.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support/vectors.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

struct Heads {
  std::vector<Real> memory;
  std::vector<ConstMatrixView> views;
};

Heads heads_of(const Numbers& attn) {
  const auto n = attn.size(2), k = attn.size(3), count = attn.size(0) * attn.size(1);
  Heads out{{attn.values.begin(), attn.values.end()}, {}};
  for (std::size_t m = 0; m < count; ++m) out.views.push_back({out.memory.data() + m * n * k, static_cast<int>(n), static_cast<int>(k)});
  return out;
}

// Points in space and their distances.
std::vector<double> point_distances(int count, int dimensions, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> points, d;
  for (int i = 0; i < count * dimensions; ++i) points.push_back(normal(random) / (1 + i % dimensions));
  const auto at = [&](int i, int k) { return points[static_cast<std::size_t>(i * dimensions + k)]; };
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      double sum = 0;
      for (int k = 0; k < dimensions; ++k) sum += (at(i, k) - at(j, k)) * (at(i, k) - at(j, k));
      d.push_back(std::sqrt(sum));
    }
  return d;
}

// The plain version: join the two clusters with the smallest mean distance, again and again.
std::vector<ClusterMerge> plain_linkage(const std::vector<double>& d, int n) {
  std::vector<std::pair<int, std::vector<int>>> clusters;
  for (int i = 0; i < n; ++i) clusters.push_back({i, {i}});
  std::vector<ClusterMerge> out;
  while (clusters.size() > 1) {
    std::size_t best_a = 0, best_b = 1;
    double best = INFINITY;
    for (std::size_t a = 0; a < clusters.size(); ++a)
      for (std::size_t b = a + 1; b < clusters.size(); ++b) {
        double sum = 0;
        for (const int i : clusters[a].second)
          for (const int j : clusters[b].second) sum += d[static_cast<std::size_t>(i * n + j)];
        const double mean = sum / static_cast<double>(clusters[a].second.size() * clusters[b].second.size());
        if (mean < best) best = mean, best_a = a, best_b = b;
      }
    auto& [name, members] = clusters[best_a];
    const auto& [other, more] = clusters[best_b];
    members.insert(members.end(), more.begin(), more.end());
    out.push_back({std::min(name, other), std::max(name, other), best, static_cast<int>(members.size())});
    name = n + static_cast<int>(out.size()) - 1;
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(best_b));
  }
  return out;
}

}  // namespace

TEST_CASE("divergences between the heads of a decoder are those of the reference, read at once or one by one") {
  const Vector v("causal_6x4x3");
  const auto expected = v.get("expected/head_js").values;
  const auto heads = heads_of(v.get("inputs/attn"));
  NoProgress progress;
  const auto rows = sampled_rows(6, 0);
  const auto js = head_js(heads.views, rows, progress);
  REQUIRE(js);
  CHECK(largest_difference(*js, expected) <= kTolerance);
  auto streamed = HeadJs::start(12, 6, rows);
  REQUIRE(streamed);
  for (int m = 0; m < 12; ++m) streamed->add(m, heads.views[static_cast<std::size_t>(m)]);
  double before = -1;
  for (bool done = false; !done;) {
    CHECK(streamed->fraction() > before);
    before = streamed->fraction();
    done = streamed->step();
  }
  CHECK(streamed->fraction() == 1);
  CHECK(streamed->take() == *js);
}

TEST_CASE("heads that share no key are ln 2 apart, equal heads 0, and dead rows are left out") {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  std::vector<Real> a{1, 0, 0, 1}, b{0, 1, 1, 0}, half{1, 0, 0, 0}, broken{nan, nan, 0, 0};
  const std::vector<ConstMatrixView> heads{{a.data(), 2, 2}, {b.data(), 2, 2}, {half.data(), 2, 2}, {broken.data(), 2, 2}};
  NoProgress progress;
  const auto js = head_js(heads, sampled_rows(2, 0), progress);
  REQUIRE(js);
  CHECK((*js)[1] == doctest::Approx(std::log(2.0)));
  CHECK((*js)[2] == 0);  // the one row that both have is the same
  CHECK(std::isnan((*js)[3]));
  CHECK(js_distances(*js)[3] == doctest::Approx(std::sqrt(std::log(2.0))));
  CHECK(row_js(heads[0].row(0), heads[1].row(0)) == doctest::Approx(std::log(2.0)));
}

TEST_CASE("a sample of rows is spread over the text and holds the last one") {
  CHECK(sampled_rows(5, 0) == std::vector{0, 1, 2, 3, 4});
  CHECK(sampled_rows(5, 9) == std::vector{0, 1, 2, 3, 4});
  CHECK(sampled_rows(10, 3) == std::vector{2, 5, 9});
  CHECK(sampled_rows(10, 1) == std::vector{9});
}

TEST_CASE("comparing heads can be cancelled") {
  struct Stop final : Progress {
    bool advance(double) override { return false; }
  } stop;
  std::vector<Real> a{1, 0, 0, 1};
  const std::vector<ConstMatrixView> heads{{a.data(), 2, 2}, {a.data(), 2, 2}};
  const auto cancelled = head_js(heads, sampled_rows(2, 0), stop);
  REQUIRE(!cancelled);
  CHECK(cancelled.error().code == ErrorCode::cancelled);
}

TEST_CASE("the tree of heads is the one that joining the closest pair gives") {
  for (const int n : {1, 2, 3, 7, 20, 41}) {
    CAPTURE(n);
    const auto d = point_distances(n, 3, static_cast<unsigned>(n));
    const auto tree = average_linkage(d, n), plain = plain_linkage(d, n);
    REQUIRE(tree.size() == plain.size());
    for (std::size_t k = 0; k < tree.size(); ++k) {
      CHECK(tree[k].a == plain[k].a);
      CHECK(tree[k].b == plain[k].b);
      CHECK(tree[k].size == plain[k].size);
      CHECK(tree[k].height == doctest::Approx(plain[k].height).epsilon(1e-12));
    }
    auto order = leaf_order(tree, n);
    CHECK(static_cast<int>(order.size()) == n);
    std::sort(order.begin(), order.end());
    for (int i = 0; i < n; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
  }
}

TEST_CASE("equal distances end in a tree all the same") {
  const std::vector<double> d(25, 1.0);
  const auto tree = average_linkage(d, 5);
  REQUIRE(tree.size() == 4);
  CHECK(tree.back().size == 5);
  for (const auto& m : tree) CHECK(m.height == 1);
  CHECK(clusters_below(tree, 5, 0.5) == std::vector{0, 1, 2, 3, 4});
  CHECK(clusters_below(tree, 5, 1) == std::vector{0, 0, 0, 0, 0});
}

TEST_CASE("a cut of the tree finds the groups, numbered by their first head") {
  // On a line: 0 and 10, 0.1, 10.1, 5
  const std::vector<double> x{0, 10, 0.1, 10.1, 5};
  std::vector<double> d;
  for (const double a : x)
    for (const double b : x) d.push_back(std::abs(a - b));
  const auto tree = average_linkage(d, 5);
  CHECK(clusters_below(tree, 5, 1) == std::vector{0, 1, 0, 1, 2});
  CHECK(clusters_below(tree, 5, 0) == std::vector{0, 1, 2, 3, 4});
  const auto order = leaf_order(tree, 5);
  const auto place = [&](int head) { return std::find(order.begin(), order.end(), head) - order.begin(); };
  CHECK(std::abs(place(0) - place(2)) == 1);
  CHECK(std::abs(place(1) - place(3)) == 1);
}

TEST_CASE("points of a plane come back at their distances") {
  for (const int n : {3, 10, 60}) {
    const auto d = point_distances(n, 2, 5);
    const auto map = plane_map(d, n);
    CHECK(map.share == doctest::Approx(1));
    double worst = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
      for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j)
        worst = std::max(worst, std::abs(std::hypot(map.x[i] - map.x[j], map.y[i] - map.y[j]) - d[i * static_cast<std::size_t>(n) + j]));
    CHECK(worst < 1e-9);
  }
  CHECK(plane_map(std::vector{0.0}, 1).share == 0);
  const auto alike = plane_map(std::vector<double>(9, 0.0), 3);
  CHECK(alike.share == 0);
  CHECK(alike.x == std::vector{0.0, 0.0, 0.0});
}

TEST_CASE("the map by iteration is the map by full decomposition") {
  const auto d = point_distances(150, 40, 9);
  const auto exact = plane_map(d, 150), iterated = plane_map(d, 150, 0);
  CHECK(exact.share < 0.99);
  CHECK(iterated.share == doctest::Approx(exact.share).epsilon(1e-9));
  CHECK(largest_difference(iterated.x, exact.x) < 1e-7);
  CHECK(largest_difference(iterated.y, exact.y) < 1e-7);
}
