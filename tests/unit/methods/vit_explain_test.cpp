#include "methods/vit_explain.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "methods/gradients.h"
#include "support/relatives.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

// inputs/attn_jittered_rule: no two entries of a matrix are equal, so the discarded set does not hang on the sort.
Numbers jittered(const Vector& v) {
  auto attn = v.get("inputs/attn");
  const std::size_t heads = attn.size(1), n = attn.size(2);
  for (std::size_t m = 0; m < attn.size(0) * heads; ++m) {
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      const auto row = attn.values.begin() + static_cast<std::ptrdiff_t>((m * n + i) * n);
      for (std::size_t j = 0; j < n; ++j) {
        row[static_cast<std::ptrdiff_t>(j)] += static_cast<double>((i * n + j) % 977 + 1) / 67108864.0 * static_cast<double>(1 + m);
        sum += row[static_cast<std::ptrdiff_t>(j)];
      }
      for (std::size_t j = 0; j < n; ++j) row[static_cast<std::ptrdiff_t>(j)] /= sum;
    }
  }
  return attn;
}

void apply(MatrixView f, const VitExplainOptions& options) {
  std::vector<Real> scratch(f.size());
  vit_explain_layer(f, options, scratch);
}

Stack attention_layers(const Numbers& attn, Fusion fusion, const VitExplainOptions& options) {
  return make_stack(3, 25, 25, [&](int l, MatrixView to) {
    StoredFuser fuser(to, fusion);
    for (std::size_t h = 0; h < 2; ++h) {
      auto head = matrix_at(attn, static_cast<std::size_t>(l) * 2 + h);
      fuser.add(view_of(head, 25, 25));
    }
    fuser.finish();
    apply(to, options);
  });
}

Stack gradient_layers(const Numbers& attn, const Numbers& grad, bool reversed, const VitExplainOptions& options) {
  return make_stack(3, 25, 25, [&](int l, MatrixView to) {
    GradientFuser fuser(to, GradientKind::mean_first, nullptr);
    for (std::size_t h = 0; h < 2; ++h) {
      auto a = matrix_at(attn, static_cast<std::size_t>(l) * 2 + h);
      auto g = matrix_at(grad, static_cast<std::size_t>(reversed ? 2 - l : l) * 2 + h);
      fuser.add(view_of(a, 25, 25), view_of(g, 25, 25));
    }
    fuser.finish();
    apply(to, options);
  });
}

std::vector<Real> layer(std::vector<double> f, const VitExplainOptions& options) {
  auto data = as_real(f);
  const int n = static_cast<int>(std::lround(std::sqrt(static_cast<double>(f.size()))));
  apply(view_of(data, n, n), options);
  return data;
}

}  // namespace

// The jitter is 1e-8 of a weight: single precision cannot carry it, and would discard others than the reference.
constexpr bool kCarriesJitter = sizeof(Real) == 8;

TEST_CASE("vit-explain's class row agrees with the reference in every setting") {
  const Vector v("vit_1p24");
  const auto attn = jittered(v);
  for (const std::string fusion : {"mean", "max", "min"}) {
    const auto kind = fusion == "mean" ? Fusion::mean : fusion == "max" ? Fusion::max : Fusion::min;
    for (const std::string ratio : {"0", "0.5", "0.9"}) {
      if (!kCarriesJitter && ratio != "0") continue;
      CAPTURE(fusion);
      CAPTURE(ratio);
      const auto where = "expected/vit_explain_cls_row/" + fusion + "_" + ratio + "/";
      auto options = kVitExplainPublished;
      options.discard = std::stod(ratio);
      check_product(attention_layers(attn, kind, options).view(), v.get(where + "keep_only_cls_cls_broadcast_bug"));
      options.division = RowDivision::by_row;
      check_product(attention_layers(attn, kind, options).view(), v.get(where + "keep_only_cls_cls_correct_norm"));
      if (ratio != "0.9") continue;
      check_product(attention_layers(attn, kind, kVitExplainCorrected).view(), v.get(where + "keep_cls_row_and_column_correct_norm"));
    }
  }
}

TEST_CASE("vit-explain's gradient variant agrees with the reference, gradients paired as they belong and as published") {
  const Vector v("vit_1p24");
  const auto attn = jittered(v), grad = v.get("inputs/grad");
  for (const std::string ratio : {"0", "0.9"}) {
    if (!kCarriesJitter && ratio != "0") continue;
    for (const bool bug : {false, true}) {
      for (const bool reversed : {false, true}) {
        const auto name = ratio + (bug ? "_bug_" : "_correct_") + (reversed ? "reversed_grads" : "aligned_grads");
        CAPTURE(name);
        auto options = kVitExplainGradientPublished;
        options.discard = std::stod(ratio);
        if (!bug) options.division = RowDivision::by_row;
        check_product(gradient_layers(attn, grad, reversed, options).view(), v.get("expected/vit_explain_grad_cls_row/" + name));
      }
    }
  }
}

TEST_CASE("the published division takes the sum of the column's own row") {
  const std::vector<double> f{0.5, 0.5, 0.25, 1.25};  // (F + I) / 2 has row sums 1 and 1.25
  CHECK(largest_difference(layer(f, {0, KeptEntries::class_entry, RowDivision::by_column_index}), {0.75, 0.2, 0.125, 0.9}) <= kTolerance);
  CHECK(largest_difference(layer(f, {0, KeptEntries::class_entry, RowDivision::by_row}), {0.75, 0.25, 0.1, 0.9}) <= kTolerance);
}

TEST_CASE("what is kept uses up its place among the smallest, and the whole class row and column can be kept") {
  const std::vector<double> f{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  const auto zeros = [&](double discard, KeptEntries keep) {
    std::string out;
    for (const Real x : layer(f, {discard, keep, RowDivision::by_row})) out += x == 0 ? '0' : '1';
    return out;
  };
  CHECK(zeros(0, KeptEntries::none) == "111111111");
  CHECK(zeros(0.34, KeptEntries::none) == "100111111");  // floor(9 x 0.34) = 3; I fills the diagonal again
  CHECK(zeros(0.34, KeptEntries::class_entry) == "100111111");
  CHECK(zeros(0.34, KeptEntries::class_row_and_column) == "111111111");
  CHECK(zeros(0.9, KeptEntries::class_row_and_column) == "111110101");
  CHECK(zeros(1, KeptEntries::none) == "100010001");
  const auto entry = layer(f, {0.34, KeptEntries::class_entry, RowDivision::by_row});
  const auto none = layer(f, {0.34, KeptEntries::none, RowDivision::by_row});
  CHECK(entry == none);  // alone in its row, (0, 0) is 1 either way ...
  const auto some = layer(f, {0.2, KeptEntries::class_row_and_column, RowDivision::by_row});
  CHECK(static_cast<double>(some[0]) == doctest::Approx(1.1 / 1.6));  // ... and here 1.1 beside .2 and .3
}

TEST_CASE("of equal values the first are discarded, as a stable sort would") {
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    const int n = 1 + static_cast<int>(random() % 6);
    std::vector<double> f(static_cast<std::size_t>(n * n));
    for (double& x : f) x = static_cast<double>(random() % 3) / 4;
    const double discard = static_cast<double>(random() % 11) / 10;
    std::vector<std::size_t> order(f.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return f[a] < f[b]; });
    auto expected = f;
    for (std::size_t k = 0; k < static_cast<std::size_t>(static_cast<double>(f.size()) * discard); ++k) expected[order[k]] = 0;
    CHECK(layer(f, {discard, KeptEntries::none, RowDivision::by_row}) == layer(expected, {0, KeptEntries::none, RowDivision::by_row}));
  }
}

TEST_CASE("heads are taken as they are stored, but for rows that are not finite") {
  auto a = as_real(std::vector{2.0, 4.0, 1.0, 1.0}), b = as_real(std::vector{4.0, 2.0, std::nan(""), 8.0});
  const auto fused = [&](Fusion fusion) {
    std::vector<Real> out(4);
    StoredFuser fuser(view_of(out, 2, 2), fusion);
    fuser.add(view_of(a, 2, 2));
    fuser.add(view_of(b, 2, 2));
    fuser.finish();
    return out;
  };
  CHECK(fused(Fusion::mean) == as_real(std::vector{3.0, 3.0, 0.5, 0.5}));
  CHECK(fused(Fusion::max) == as_real(std::vector{4.0, 4.0, 1.0, 1.0}));
  CHECK(fused(Fusion::min) == as_real(std::vector{2.0, 2.0, 0.0, 0.0}));
}

TEST_CASE("numbers that are not finite, zeros and negative numbers leave finite layers") {
  const double inf = std::numeric_limits<double>::infinity();
  for (const auto& options : {kVitExplainPublished, kVitExplainCorrected, kVitExplainGradientPublished}) {
    for (const std::vector<double>& f : {std::vector<double>(9), {std::nan(""), inf, -inf, 1, 2, 3, -4, -5, -6}}) {
      for (const Real x : layer(f, options)) CHECK(std::isfinite(x));
    }
    CHECK(largest_difference(layer(std::vector<double>(4), options), {1, 0, 0, 1}) == 0);
  }
}
