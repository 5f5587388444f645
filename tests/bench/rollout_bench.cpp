// How fast the rollout is, as a ratio to something else measured in the same run: machines differ, and a shared one
// differs from itself. Prints a table, writes build/bench.json (contracts: bench.schema.json). Exit status 1: a
// target was missed.
#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/progress.h"
#include "methods/rollout.h"

using namespace rollscope;

namespace {

using RowMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Stack {
  std::vector<std::vector<Real>> numbers;
  std::vector<ConstMatrixView> views;
  [[nodiscard]] StackView view() const { return {views}; }
};

Stack random_stack(int layers, int n, bool causal) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> value(0.0, 1.0);
  Stack out;
  for (int l = 0; l < layers; ++l) {
    std::vector<Real> m(static_cast<std::size_t>(n) * n);
    for (int i = 0; i < n; ++i) {
      const int seen = causal ? i + 1 : n;
      double sum = 0;
      for (int j = 0; j < seen; ++j) sum += m[static_cast<std::size_t>(i) * n + j] = static_cast<Real>(value(random));
      for (int j = 0; j < seen; ++j) m[static_cast<std::size_t>(i) * n + j] /= static_cast<Real>(sum);
    }
    out.numbers.push_back(std::move(m));
  }
  for (auto& m : out.numbers) out.views.push_back({m.data(), n, n});
  return out;
}

// The two in turn, five times after a warm-up; the least of each, in milliseconds.
std::pair<double, double> pair_ms(const std::function<void()>& ours, const std::function<void()>& theirs) {
  const auto once = [](const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  ours();
  theirs();
  double a = 1e300, b = 1e300;
  for (int i = 0; i < 5; ++i) {
    a = std::min(a, once(ours));
    b = std::min(b, once(theirs));
  }
  return {a, b};
}

struct Row {
  std::string name, against;
  double ours, theirs, target;
  [[nodiscard]] double ratio() const { return theirs / ours; }
};

Row against_eigen(int layers, int n, bool causal, double target) {
  const Stack stack = random_stack(layers, n, causal);
  std::vector<Real> r(static_cast<std::size_t>(n) * n);
  NoProgress none;
  RowMatrix product;
  const auto [ours, theirs] = pair_ms(
      [&] { (void)rollout(stack.view(), 0.5, causal, {r.data(), n, n}, none); },
      [&] {
        product = RowMatrix::Identity(n, n);
        for (const auto& m : stack.numbers) {
          const Eigen::Map<const RowMatrix> f(m.data(), n, n);
          const RowMatrix step = Real(0.5) * product + Real(0.5) * (f * product);
          product = step;
        }
      });
  const auto name = "rollout, all rows, " + std::to_string(layers) + " x " + std::to_string(n) + (causal ? ", causal" : "");
  return {name, "the plain product with Eigen", ours, theirs, target};
}

Row one_row(int layers, int n, double target) {
  const Stack stack = random_stack(layers, n, false);
  std::vector<Real> r(static_cast<std::size_t>(n) * n);
  std::vector<double> row(static_cast<std::size_t>(n));
  NoProgress none;
  const auto [ours, theirs] = pair_ms([&] { rollout_row(stack.view(), n / 2, 0.5, row); },
                                      [&] { (void)rollout(stack.view(), 0.5, false, {r.data(), n, n}, none); });
  return {"rollout, one row, " + std::to_string(layers) + " x " + std::to_string(n), "all rows", ours, theirs, target};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Row> rows{against_eigen(12, 256, false, 0.4), against_eigen(12, 256, true, 1.0), one_row(12, 512, 20)};
  std::FILE* file = std::fopen(argc > 1 ? argv[1] : "build/bench.json", "w");
  if (!file) return std::perror("bench.json"), 1;
  std::fprintf(file, "{\"machine\": {\"cores\": %u, \"real\": %zu}, \"rows\": [", std::thread::hardware_concurrency(), sizeof(Real));
  int missed = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const bool met = row.ratio() >= row.target;
    missed += !met;
    std::printf("%-36s %9.2f ms, %s %9.2f ms: %6.2f times as fast (at least %g) %s\n", row.name.c_str(), row.ours, row.against.c_str(),
                row.theirs, row.ratio(), row.target, met ? "" : "MISSED");
    std::fprintf(file, "%s\n  {\"name\": \"%s\", \"where\": \"native\", \"ours\": %.6g, \"unit\": \"ms\", \"against\": \"%s\", \"theirs\": %.6g, "
                 "\"ratio\": %.6g, \"target\": %g, \"met\": %s}", i ? "," : "", row.name.c_str(), row.ours, row.against.c_str(), row.theirs,
                 row.ratio(), row.target, met ? "true" : "false");
  }
  std::fprintf(file, "\n]}\n");
  std::fclose(file);
  std::printf("%d passed, %d failed\n", static_cast<int>(rows.size()) - missed, missed);
  return missed ? 1 : 0;
}
