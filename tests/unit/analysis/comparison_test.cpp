#include "analysis/comparison.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "support/vectors.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

constexpr double kExact = 1e-12;  // double whatever Real is

double plain_tau_b(const std::vector<double>& a, const std::vector<double>& b) {
  double score = 0, untied_a = 0, untied_b = 0;
  const auto sign = [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; };
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      score += sign(a[i] - a[j]) * sign(b[i] - b[j]);
      untied_a += a[i] != a[j];
      untied_b += b[i] != b[j];
    }
  return score / std::sqrt(untied_a * untied_b);
}

}  // namespace

TEST_CASE("measures between two rows with ties are those of the reference") {
  const Vector v("compare_and_faithfulness");
  const auto x = v.get("inputs/x").values, y = v.get("inputs/y").values;
  const auto c = compare(x, y, {}, 3);
  const std::pair<std::string, double> found[] = {
      {"spearman_average_ranks", c.spearman}, {"pearson", c.pearson}, {"kendall_tau_b", c.kendall_tau_b}, {"js_nats", c.js_nats},
      {"js_bits", c.js_bits}, {"js_distance_sqrt_nats", c.js_distance}, {"kl_pq_nats", c.kl_nats}, {"tv", c.total_variation},
      {"cosine", c.cosine}, {"top3_jaccard", c.top_jaccard}, {"top3_overlap", c.top_overlap},
      {"spearman_dense_d2_formula", spearman_dense_ranks_published(x, y)}, {"gini_x", gini(x)}, {"entropy_x_nats", entropy(x)}};
  for (const auto& [key, value] : found) {
    const std::string name = key;
    CAPTURE(name);
    CHECK(std::abs(value - v.at("expected/" + name).GetDouble()) <= kExact);
  }
  CHECK(std::vector<double>(c.top_a.begin(), c.top_a.end()) == v.get("expected/top3_x").values);
  CHECK(std::vector<double>(c.top_b.begin(), c.top_b.end()) == v.get("expected/top3_y").values);
  CHECK(v.at("expected").MemberCount() == std::size(found) + 3);  // and "faithfulness"
  CHECK(c.spearman_absolute == c.spearman);
  CHECK(c.tied_a == 3);
  CHECK(c.tied_b == 4);
  CHECK(c.cut_a);  // keys 1, 2 and 5 of x are equal: any could be third
  CHECK(!c.cut_b);
}

TEST_CASE("Kendall's tau by sorting is the one by counting pairs") {
  std::mt19937 random(4);
  for (const int levels : {2, 5, 1000})
    for (const std::size_t n : {2u, 3u, 10u, 57u}) {
      std::vector<double> a, b;
      for (std::size_t i = 0; i < n; ++i) {
        a.push_back(static_cast<double>(random() % static_cast<unsigned>(levels)));
        b.push_back(static_cast<double>(random() % static_cast<unsigned>(levels)));
      }
      const double fast = kendall_tau_b(a, b), plain = plain_tau_b(a, b);
      if (std::isnan(plain)) CHECK(std::isnan(fast));
      else CHECK(std::abs(fast - plain) <= kExact);
    }
}

TEST_CASE("what is undefined is NaN and not 0") {
  const std::vector<double> flat{0.1, 0.1, 0.1}, slope{0.1, 0.2, 0.7}, zero{0, 0, 0};
  for (const double x : {pearson(flat, slope), pearson(slope, flat), kendall_tau_b(flat, slope), cosine(zero, slope), js_nats(zero, slope),
                         kl_nats(slope, zero), total_variation(zero, zero), gini(zero), gini({}), entropy(zero),
                         pearson(std::vector{1.0}, std::vector{2.0}), spearman_dense_ranks_published(std::vector{1.0}, std::vector{2.0})})
    CHECK(std::isnan(x));
  const auto c = compare(flat, slope, {}, 2);
  CHECK(std::isnan(c.spearman));
  CHECK(c.tied_a == 3);
  CHECK(c.total_variation > 0);
  const auto none = compare({}, {}, {}, 3);
  CHECK(none.k == 0);
  CHECK(std::isnan(none.top_jaccard));
}

TEST_CASE("divergences take their ends: equal rows 0, disjoint rows ln 2, missing weight infinity") {
  const std::vector<double> a{1, 0, 0}, b{0, 0.5, 0.5}, twice{2, 0, 0};
  CHECK(js_nats(a, b) == doctest::Approx(std::log(2.0)).epsilon(kExact));
  CHECK(js_bits(a, b) == doctest::Approx(1).epsilon(kExact));
  CHECK(total_variation(a, b) == 1);
  CHECK(std::isinf(kl_nats(a, b)));
  CHECK(js_nats(a, twice) == 0);  // rows are divided by their sums
  CHECK(cosine(a, twice) == 1);
  CHECK(gini(a) == doctest::Approx(2.0 / 3).epsilon(kExact));
}

TEST_CASE("signed attributions: order by value and by size, divergence and top k by size") {
  const std::vector<double> a{-4, 1, 2, 3}, b{4, 1, 2, 3};
  const auto c = compare(a, b, {}, 1);
  CHECK(c.spearman == doctest::Approx(-0.2));
  CHECK(c.spearman_absolute == doctest::Approx(1));
  CHECK(c.js_nats == 0);
  CHECK(c.top_a == std::vector{0});
  CHECK(c.top_jaccard == 1);
  CHECK(c.cosine == doctest::Approx(-2.0 / 30));
}

TEST_CASE("keys left out and values that are not finite do not count, and keys keep their numbers") {
  const double nan = std::nan("");
  const std::vector<double> a{9, 1, 2, nan, 3}, b{0, 1, 2, 5, 3};
  const auto c = compare(a, b, std::vector{0}, 2);
  CHECK(c.keys == 3);
  CHECK(c.not_finite == 1);
  CHECK(c.pearson == doctest::Approx(1));
  CHECK(c.top_a == std::vector{4, 2});
  CHECK(compare(a, b, {}, 99).k == 4);
}

TEST_CASE("the published rank formula is right without ties and wrong with them") {
  const std::vector<double> a{1, 2, 3, 4}, b{2, 1, 4, 3}, tied{1, 1, 1, 2};
  CHECK(spearman_dense_ranks_published(a, b) == doctest::Approx(spearman(a, b)));
  CHECK(std::abs(spearman_dense_ranks_published(a, tied) - spearman(a, tied)) > 0.1);
}

TEST_CASE("values that only rounding tells apart are tied before they are ranked") {
  std::vector<double> row{0.5, 1.0, 1.0 - 1e-13, NAN, 0.5 + 1e-13, 1.0 + 1e-13, 0.25};
  tie_equal(row);
  CHECK(row[1] == row[2]);
  CHECK(row[1] == row[5]);
  CHECK(row[0] == row[4]);
  CHECK(row[6] == 0.25);
  CHECK(std::isnan(row[3]));
  CHECK(row[0] != row[1]);
}
