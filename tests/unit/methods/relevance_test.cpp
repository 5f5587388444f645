#include "methods/relevance.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "methods/gradients.h"
#include "support/relatives.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

// R grows with depth, and single precision with it; double holds what is asked of every vector.
constexpr double kGrown = sizeof(Real) == 8 ? kTolerance : 10 * kTolerance;

// E_h (grad . attention)+ of one layer [H][Q][K].
struct Layer {
  std::vector<Real> data;
  int rows = 0, columns = 0;
  [[nodiscard]] ConstMatrixView view() const { return {data.data(), rows, columns}; }
};

Layer weighted(const Numbers& attn, const Numbers& grad, std::size_t first, std::size_t heads) {
  Layer out;
  out.rows = static_cast<int>(attn.shape[attn.shape.size() - 2]);
  out.columns = static_cast<int>(attn.shape.back());
  out.data.resize(static_cast<std::size_t>(out.rows * out.columns));
  GradientFuser fuser({out.data.data(), out.rows, out.columns}, GradientKind::positive, nullptr);
  for (std::size_t h = first; h < first + heads; ++h) {
    auto a = matrix_at(attn, h), g = matrix_at(grad, h);
    fuser.add(view_of(a, out.rows, out.columns), view_of(g, out.rows, out.columns));
  }
  fuser.finish();
  return out;
}

Layer weighted(const Vector& v, const std::string& where) {
  const auto attn = v.get(where + "/attn");
  return weighted(attn, v.get(where + "/grad"), 0, attn.size(0));
}

std::vector<Layer> all_layers(const Numbers& attn, const Numbers& grad) {
  std::vector<Layer> out;
  for (std::size_t l = 0; l < attn.size(0); ++l) out.push_back(weighted(attn, grad, l * attn.size(1), attn.size(1)));
  return out;
}

void finish(Relevance& r) {
  while (!r.step()) {}
}

std::vector<Real> values(ConstMatrixView m) { return {m.data, m.data + m.size()}; }

// The encoder-decoder of the vector; `last_row` scales what the last target token reads of the source.
Relevance encoder_decoder(const Vector& v, CrossRule rule, double last_row = 1) {
  auto r = Relevance::start(7, 5, rule);
  REQUIRE(r);
  for (const auto& layer : all_layers(v.get("inputs/enc_attn"), v.get("inputs/enc_grad"))) {
    r->self_i(layer.view());
    finish(*r);
  }
  const auto self = all_layers(v.get("inputs/dec_attn"), v.get("inputs/dec_grad"));
  auto cross = all_layers(v.get("inputs/cross_attn"), v.get("inputs/cross_grad"));
  for (std::size_t l = 0; l < self.size(); ++l) {
    for (std::size_t j = 30; j < 35; ++j) cross[l].data[j] = static_cast<Real>(last_row * static_cast<double>(cross[l].data[j]));
    r->self_t(self[l].view());
    finish(*r);
    r->cross_t(cross[l].view());
    finish(*r);
  }
  return std::move(*r);
}

}  // namespace

TEST_CASE("co-attention relevance agrees with the reference: both directions from the old matrices, text only at the end") {
  const Vector v("chefer_comodal_4x5");
  auto r = Relevance::start(4, 5, CrossRule::published);
  REQUIRE(r);
  const auto text = weighted(v, "inputs/text/0"), image = weighted(v, "inputs/image/0");
  r->self_t(text.view());
  finish(*r);
  r->self_i(image.view());
  finish(*r);
  for (const std::string layer : {"0", "1"}) {
    const auto where = "inputs/cross/" + layer;
    const auto ti = weighted(v, where + "/t2i"), it = weighted(v, where + "/i2t");
    const auto tt = weighted(v, where + "/tself"), ii = weighted(v, where + "/iself");
    if (layer == "0") r->cross_both(ti.view(), it.view());
    else r->cross_t(ti.view());
    finish(*r);
    r->self_t(tt.view());
    finish(*r);
    if (layer != "0") continue;
    r->self_i(ii.view());
    finish(*r);
  }
  CHECK(largest_difference(values(r->tt()), v.get("expected/R_tt").values) <= kGrown);
  CHECK(largest_difference(values(r->ti()), v.get("expected/R_ti").values) <= kTolerance);
  CHECK(largest_difference(values(r->ii()), v.get("expected/R_ii").values) <= kGrown);
  CHECK(largest_difference(values(r->it()), v.get("expected/R_it").values) <= kTolerance);
}

TEST_CASE("encoder-decoder relevance agrees with the reference under every cross rule") {
  const Vector v("encdec_5x7");
  const auto published = encoder_decoder(v, CrossRule::published);
  CHECK(largest_difference(values(published.ii()), v.get("expected/chefer/published/R_ii").values) <= kTolerance);
  CHECK(largest_difference(values(published.tt()), v.get("expected/chefer/published/R_qq").values) <= kTolerance);
  CHECK(largest_difference(values(published.ti()), v.get("expected/chefer/published/R_qi").values) <= kTolerance);
  CHECK(largest_difference(values(published.it()), std::vector<double>(35)) == 0);
  const auto causal = encoder_decoder(v, CrossRule::causal);
  CHECK(largest_difference(values(causal.ti()), v.get("expected/chefer/no_transpose/R_qi").values) <= kTolerance);
  const auto plain = encoder_decoder(v, CrossRule::unnormalised);
  CHECK(largest_difference(values(plain.ti()), v.get("expected/chefer/no_normalise/R_qi").values) <= kTolerance);
}

TEST_CASE("what the last target token reads changes earlier rows under the published rule, and only its own under the causal one") {
  const Vector v("encdec_5x7");
  for (const auto rule : {CrossRule::published, CrossRule::causal}) {
    const auto before = encoder_decoder(v, rule), after = encoder_decoder(v, rule, 3);
    for (int i = 0; i < 7; ++i) {
      double change = 0;
      for (int j = 0; j < 5; ++j) change = std::max(change, std::abs(static_cast<double>(before.ti()(i, j) - after.ti()(i, j))));
      if (i == 6) CHECK(change > 1e-3);
      else if (rule == CrossRule::causal) CHECK(change == 0);
      else CHECK(change > 1e-4);
    }
  }
}

TEST_CASE("relevance without any positive gradient stays where it is") {
  for (const auto rule : {CrossRule::published, CrossRule::causal}) {
    auto r = Relevance::start(2, 3, rule);
    REQUIRE(r);
    const Layer self{std::vector<Real>(4), 2, 2}, cross{as_real(std::vector{1.0, 0.0, 0.0, 0.0, 0.0, 2.0}), 2, 3};
    r->self_t(self.view());
    finish(*r);
    CHECK(values(r->tt()) == as_real(std::vector{1.0, 0.0, 0.0, 1.0}));
    r->cross_t(cross.view());  // R~ = I on both sides: 0 / 0 counts as 0
    finish(*r);
    CHECK(values(r->ti()) == cross.data);
    CHECK(values(r->tt()) == as_real(std::vector{1.0, 0.0, 0.0, 1.0}));
  }
}

TEST_CASE("normalised relevance: self apart, the rest in shares, also where sums overflow") {
  const double huge = static_cast<double>(std::numeric_limits<Real>::max());
  auto r = as_real(std::vector{1.0, 0.0, 0.0, 1.0, 2.0, 3.0, huge, huge, 1.0});
  normalise_relevance(view_of(r, 3, 3));
  CHECK(largest_difference(r, {1, 0, 0, 0.2, 1.2, 0.6, 0.5, 0.5, 1}) <= kTolerance);
}

TEST_CASE("a moved relevance goes on where it was") {
  const Vector v("encdec_5x7");
  const auto layers = all_layers(v.get("inputs/enc_attn"), v.get("inputs/enc_grad"));
  auto first = Relevance::start(7, 5, CrossRule::published);
  REQUIRE(first);
  first->self_i(layers[0].view());
  Relevance second = std::move(*first);
  finish(second);
  second.self_i(layers[1].view());
  finish(second);
  CHECK(largest_difference(values(second.ii()), v.get("expected/chefer/published/R_ii").values) <= kTolerance);
}

// The reference's last cross layer updates the text only, so that the image's own growth shows nowhere else.
TEST_CASE("both sides of a co-attention layer follow the same rule: exchanged inputs exchange the results") {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> weight(0, 0.5);
  const auto layer = [&](int rows, int columns) {
    Layer out{{}, rows, columns};
    for (int k = 0; k < rows * columns; ++k) out.data.push_back(static_cast<Real>(weight(random)));
    return out;
  };
  for (const auto rule : {CrossRule::published, CrossRule::causal, CrossRule::unnormalised}) {
    auto r = Relevance::start(3, 5, rule), exchanged = Relevance::start(5, 3, rule);
    REQUIRE(r);
    REQUIRE(exchanged);
    for (int l = 0; l < 3; ++l) {
      const auto ti = layer(3, 5), it = layer(5, 3), tt = layer(3, 3), ii = layer(5, 5);
      r->cross_both(ti.view(), it.view());
      finish(*r);
      exchanged->cross_both(it.view(), ti.view());
      finish(*exchanged);
      r->self_t(tt.view());
      finish(*r);
      r->self_i(ii.view());
      finish(*r);
      exchanged->self_i(tt.view());
      finish(*exchanged);
      exchanged->self_t(ii.view());
      finish(*exchanged);
    }
    CHECK(values(r->tt()) == values(exchanged->ii()));
    CHECK(values(r->ti()) == values(exchanged->it()));
    CHECK(values(r->ii()) == values(exchanged->tt()));
    CHECK(values(r->it()) == values(exchanged->ti()));
    CHECK(static_cast<double>(r->ii()(4, 0)) > 1e-3);
  }
}
