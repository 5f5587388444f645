#include "methods/cdam.h"

#include <doctest/doctest.h>

#include <limits>

#include "support/relatives.h"

using namespace rollscope;
using namespace rollscope::test;

TEST_CASE("CDAM scores of a ViT agree with the reference, per token and on the grid of patches") {
  const Vector v("vit_1p24");
  auto tokens = matrix_at(v.get("inputs/cdam_tokens"), 0), gradients = matrix_at(v.get("inputs/cdam_token_grads"), 0);
  std::vector<double> scores(25);
  CHECK(cdam_scores(view_of(tokens, 25, 4), view_of(gradients, 25, 4), scores) == 0);
  CHECK(largest_difference(scores, v.get("expected/cdam/per_token").values) <= kTolerance);
  scores.erase(scores.begin());
  CHECK(largest_difference(scores, v.get("expected/cdam/patch_map").values) <= kTolerance);
}

TEST_CASE("terms that are not finite are left out and counted, and signs stay") {
  auto tokens = as_real(std::vector{1.0, 2.0, std::nan(""), 1.0}), gradients = as_real(std::vector{-1.0, 0.25, 1.0, std::numeric_limits<double>::infinity()});
  std::vector<double> scores(2, 9.0);
  CHECK(cdam_scores(view_of(tokens, 2, 2), view_of(gradients, 2, 2), scores) == 2);
  CHECK(scores == std::vector{-0.5, 0.0});
}
