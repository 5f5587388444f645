#include "methods/joint.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "support/relatives.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

struct Model {
  Stack encoder, self, cross;
  std::vector<Real> encoder_rollout, decoder_rollout;
  int ns = 0, nt = 0;
  [[nodiscard]] ConstMatrixView r_enc() const { return {encoder_rollout.data(), ns, ns}; }
  [[nodiscard]] ConstMatrixView r_dec() const { return {decoder_rollout.data(), nt, nt}; }
};

Model model(const Numbers& encoder, const Numbers& self, const Numbers& cross) {
  Model m{fuse(encoder), fuse(self), fuse(cross), {}, {}, static_cast<int>(encoder.shape.back()), static_cast<int>(self.shape.back())};
  m.encoder_rollout = product_of(m.encoder.view(), 0.5);
  m.decoder_rollout = product_of(m.self.view(), 0.5);
  return m;
}

Model model_of_vector(const Vector& v) { return model(v.get("inputs/enc_attn"), v.get("inputs/dec_attn"), v.get("inputs/cross_attn")); }

std::vector<Real> joint(const Model& m, JointResiduals residuals, std::vector<double>* layers = nullptr) {
  std::vector<Real> d(static_cast<std::size_t>(m.nt * (m.ns + m.nt)), Real{9});
  auto work = JointWork::start(m.r_enc(), m.self.view(), m.cross.view(), residuals, view_of(d, m.nt, m.ns + m.nt));
  REQUIRE(work);
  int next = 0;
  for (bool done = false; !done;) {
    const double before = work->fraction();
    done = work->step();
    CHECK(work->fraction() >= before);
    if (work->completed() < 0) continue;
    CHECK(work->completed() == next++);
    if (layers) layers->insert(layers->end(), d.begin(), d.end());
  }
  CHECK(next == m.self.depth());
  CHECK(work->fraction() == 1);
  return d;
}

// The same rows one by one, down the vector chain.
std::vector<double> joint_rows(const Model& m, JointResiduals residuals) {
  std::vector<double> row(static_cast<std::size_t>(m.ns + m.nt)), rows;
  for (int i = 0; i < m.nt; ++i) {
    joint_row(joint_states(m.encoder.view(), 0.5, m.self.view(), m.cross.view(), residuals, i), row);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

std::vector<Real> look(const Model& m, CrossLook kind) {
  std::vector<Real> out(static_cast<std::size_t>(m.nt * m.ns), Real{9});
  auto work = CrossLookWork::start(kind, m.cross.view(), m.r_enc(), m.r_dec(), view_of(out, m.nt, m.ns));
  REQUIRE(work);
  while (!work->step()) {}
  return out;
}

Numbers random_rows(std::size_t layers, std::size_t q, std::size_t k, unsigned seed) {
  std::mt19937 random(seed);
  std::gamma_distribution<double> weight(0.5);
  Numbers out{{layers, 1, q, k}, {}};
  for (std::size_t m = 0; m < layers * q * k; ++m) out.values.push_back(weight(random) + 1e-6);
  return out;
}

}  // namespace

TEST_CASE("the joint rollout agrees with the reference after every layer, whole and row by row") {
  const Vector v("encdec_5x7");
  const auto m = model_of_vector(v);
  std::vector<double> layers;
  const auto d = joint(m, {}, &layers);
  CHECK(largest_difference(d, v.get("expected/joint").values) <= kTolerance);
  CHECK(largest_difference(layers, v.get("expected/joint_per_layer").values) <= kTolerance);
  CHECK(largest_difference(joint_rows(m, {}), v.get("expected/joint").values) <= kTolerance);
  const JointResiduals other{0.3, 0.7};
  CHECK(largest_difference(joint(m, other), v.get("expected/joint_residual_0.3_0.7").values) <= kTolerance);
  CHECK(largest_difference(joint_rows(m, other), v.get("expected/joint_residual_0.3_0.7").values) <= kTolerance);
}

TEST_CASE("source and target parts of the joint rollout, each by its own sum, agree with the reference") {
  const Vector v("encdec_5x7");
  auto d = joint(model_of_vector(v), {});
  std::vector<double> shares, source, target;
  for (int i = 0; i < 7; ++i) {
    std::vector<double> row(d.begin() + i * 12, d.begin() + (i + 1) * 12);
    shares.push_back(source_share(row, 5));
    normalise_parts(row, 5);
    source.insert(source.end(), row.begin(), row.begin() + 5);
    target.insert(target.end(), row.begin() + 5, row.end());
  }
  CHECK(largest_difference(shares, v.get("expected/joint_source_share").values) <= kTolerance);
  CHECK(largest_difference(source, v.get("expected/joint_source_normalised").values) <= kTolerance);
  CHECK(largest_difference(target, v.get("expected/joint_target_normalised").values) <= kTolerance);
  normalise_parts(view_of(d, 7, 12), 5);
  CHECK(static_cast<double>(d[12 * 3 + 4]) == doctest::Approx(source[5 * 3 + 4]).epsilon(1e-5));
  CHECK(static_cast<double>(d[12 * 3 + 9]) == doctest::Approx(target[7 * 3 + 4]).epsilon(1e-5));
}

TEST_CASE("quick looks through the cross-attention agree with the reference") {
  const Vector v("encdec_5x7");
  const auto m = model_of_vector(v);
  CHECK(largest_difference(look(m, CrossLook::last_layer), v.get("expected/cross_last_layer_only").values) <= kTolerance);
  CHECK(largest_difference(look(m, CrossLook::mean_layers), v.get("expected/cross_mean_layers").values) <= kTolerance);
  CHECK(largest_difference(look(m, CrossLook::chefer_baseline), v.get("expected/chefer_baseline_rollout_RqqT_C_Rii").values) <= kTolerance);
  CHECK(largest_difference(look(m, CrossLook::decoder_path), v.get("expected/dec_rollout_C_enc_rollout").values) <= kTolerance);
}

TEST_CASE("the share of the source is 1 - a_c^L in every row, whatever the attention") {
  const auto m = model(random_rows(2, 9, 9, 1), random_rows(5, 6, 6, 2), random_rows(5, 6, 9, 3));
  for (const JointResiduals residuals : {JointResiduals{0.5, 0.5}, {0.2, 0.9}, {0, 0}, {1, 0.25}, {0.5, 1}}) {
    const auto d = joint(m, residuals);
    for (int i = 0; i < m.nt; ++i) {
      const std::vector<double> row(d.begin() + i * 15, d.begin() + (i + 1) * 15);
      double total = 0;
      for (const double x : row) total += x;
      CHECK(total == doctest::Approx(1).epsilon(kTolerance));
      CHECK(source_share(row, 9) == doctest::Approx(1 - std::pow(residuals.cross, 5)).epsilon(kTolerance));
    }
    CHECK(largest_difference(joint_rows(m, residuals), {d.begin(), d.end()}) <= kTolerance);
  }
}

TEST_CASE("masses on the way down add up at every level") {
  const auto m = model(random_rows(3, 4, 4, 4), random_rows(2, 6, 6, 5), random_rows(2, 6, 4, 6));
  const auto s = joint_states(m.encoder.view(), 0.5, m.self.view(), m.cross.view(), {0.4, 0.6}, 5);
  REQUIRE(s.target.size() == 18);
  REQUIRE(s.between.size() == 12);
  REQUIRE(s.crossing.size() == 8);
  REQUIRE(s.source.size() == 16);
  const auto sum = [](const std::vector<double>& all, std::size_t index, std::size_t n) {
    double total = 0;
    for (std::size_t j = 0; j < n; ++j) total += all[index * n + j];
    return total;
  };
  CHECK(s.target[12 + 5] == 1);
  double crossed = 0;
  for (std::size_t l = 2; l-- > 0;) {
    CHECK(sum(s.between, l, 6) + sum(s.crossing, l, 4) == doctest::Approx(sum(s.target, l + 1, 6)));
    CHECK(sum(s.target, l, 6) == doctest::Approx(sum(s.between, l, 6)));
    crossed += sum(s.crossing, l, 4);
    CHECK(crossed + sum(s.target, l, 6) == doctest::Approx(1));
  }
  for (std::size_t level = 0; level < 4; ++level) CHECK(sum(s.source, level, 4) == doctest::Approx(crossed));
  const auto without = joint_states({}, 0.5, m.self.view(), m.cross.view(), {0.4, 0.6}, 5);
  CHECK(without.source == std::vector<double>(s.source.begin() + 12, s.source.end()));
}

TEST_CASE("empty rows of self or cross attention keep what they have, or lose it without a residual") {
  auto cross = random_rows(2, 3, 4, 7), self = random_rows(2, 3, 3, 8);
  for (std::size_t j = 0; j < 4; ++j) cross.values[4 + j] = 0;  // layer 0, target 1
  for (std::size_t j = 0; j < 3; ++j) self.values[9 + 6 + j] = 0;  // layer 1, target 2
  const auto m = model(random_rows(1, 4, 4, 9), self, cross);
  for (const JointResiduals residuals : {JointResiduals{0.5, 0.5}, {0, 0.5}, {0.5, 0}, {0, 0}}) {
    const auto d = joint(m, residuals);
    CHECK(largest_difference(joint_rows(m, residuals), {d.begin(), d.end()}) <= kTolerance);
    double total = 0;
    for (const Real x : d) total += static_cast<double>(x);
    // Without a residual at the self-attention, target 2 is emptied, and then reads half a row of the source.
    if (residuals.self > 0 && residuals.cross > 0) CHECK(total == doctest::Approx(3).epsilon(kTolerance));
    if (residuals.self == 0 && residuals.cross > 0) CHECK(total == doctest::Approx(2.5).epsilon(kTolerance));
  }
  std::vector<double> zeros(7);
  CHECK(source_share(zeros, 4) == 0);
  normalise_parts(zeros, 4);
  CHECK(zeros == std::vector<double>(7));
}
