#include "analysis/head_similarity.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace rollscope {
namespace {

// x ln x, 0 at 0 and below.
double xlogx(double x) { return x > 0 ? x * std::log(x) : 0; }

// Sum of p ln p: minus the entropy. NaN: no value in this row.
double negative_entropy(std::span<const Real> row) {
  double sum = 0, entropy = 0;
  for (const Real p : row) {
    sum += static_cast<double>(p);
    entropy += xlogx(static_cast<double>(p));
  }
  return std::isfinite(sum) && sum > 0 ? entropy : std::numeric_limits<double>::quiet_NaN();
}

double mixed_negative_entropy(std::span<const Real> a, std::span<const Real> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += xlogx(0.5 * (static_cast<double>(a[j]) + static_cast<double>(b[j])));
  return sum;
}

double js_of(double mixed, double a, double b) { return std::max(0.0, 0.5 * (a + b) - mixed); }

// The two largest eigenvalues of B and their vectors, by subspace iteration. B is positive up to rounding.
void leading_pair(const Eigen::MatrixXd& b, Eigen::Vector2d& values, Eigen::MatrixXd& vectors) {
  constexpr Eigen::Index kWidth = 12;
  constexpr int kSteps = 300;
  constexpr double kAccuracy = 1e-9;
  Eigen::MatrixXd q(b.rows(), kWidth);
  for (Eigen::Index i = 0; i < q.rows(); ++i)  // any start that is not special; the same every time
    for (Eigen::Index k = 0; k < kWidth; ++k) q(i, k) = std::sin(1.0 + static_cast<double>(i * (2 * k + 3) + k * k));
  for (int step = 0;; ++step) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(q);
    q = qr.householderQ() * Eigen::MatrixXd::Identity(b.rows(), kWidth);
    const Eigen::MatrixXd bq = b * q;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> small(q.transpose() * bq);
    const Eigen::MatrixXd top = small.eigenvectors().rightCols(2).rowwise().reverse();
    values = small.eigenvalues().tail(2).reverse();
    vectors = q * top;
    const double residual = (bq * top - vectors * values.asDiagonal()).norm();
    if (residual <= kAccuracy * std::abs(values[0]) || step == kSteps) return;
    q = bq;
  }
}

}  // namespace

double row_js(std::span<const Real> a, std::span<const Real> b) {
  assert(a.size() == b.size());
  return js_of(mixed_negative_entropy(a, b), negative_entropy(a), negative_entropy(b));
}

std::vector<int> sampled_rows(int queries, int count) {
  if (count <= 0 || count > queries) count = queries;
  std::vector<int> rows;
  for (int k = 1; k <= count; ++k) rows.push_back(static_cast<int>(static_cast<long long>(queries) * k / count) - 1);
  return rows;
}

Result<HeadJs> HeadJs::start(int heads, int keys, std::vector<int> rows) {
  HeadJs out;
  out.heads_ = static_cast<std::size_t>(heads);
  out.keys_ = static_cast<std::size_t>(keys);
  auto kept = RealBuffer::make(out.heads_ * rows.size() * out.keys_);
  if (!kept) return tl::unexpected(std::move(kept.error()));
  out.kept_ = std::move(*kept);
  out.rows_ = std::move(rows);
  out.entropy_.resize(out.heads_ * out.rows_.size());
  out.js_.resize(out.heads_ * out.heads_);
  return out;
}

std::span<Real> HeadJs::row(std::size_t head, std::size_t r) const { return {kept_.data() + (head * rows_.size() + r) * keys_, keys_}; }

void HeadJs::add(int head, ConstMatrixView weights) {
  assert(static_cast<std::size_t>(weights.columns) == keys_);
  const auto m = static_cast<std::size_t>(head);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const auto from = weights.row(rows_[r]);
    std::copy(from.begin(), from.end(), row(m, r).begin());
    entropy_[m * rows_.size() + r] = negative_entropy(from);
  }
}

bool HeadJs::step() {
  const std::size_t a = at_, rows = rows_.size();
  for (std::size_t b = a + 1; b < heads_; ++b) {
    double sum = 0;
    std::size_t used = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const double ea = entropy_[a * rows + r], eb = entropy_[b * rows + r];
      if (std::isnan(ea) || std::isnan(eb)) continue;
      sum += js_of(mixed_negative_entropy(row(a, r), row(b, r)), ea, eb);
      ++used;
    }
    js_[a * heads_ + b] = js_[b * heads_ + a] = used > 0 ? sum / static_cast<double>(used) : std::numeric_limits<double>::quiet_NaN();
  }
  return ++at_ >= heads_;
}

double HeadJs::fraction() const {
  const double done = heads_ > 0 ? static_cast<double>(at_) / static_cast<double>(heads_) : 1;
  return done * (2 - done);
}

Result<std::vector<double>> head_js(std::span<const ConstMatrixView> heads, std::span<const int> rows, Progress& progress) {
  if (heads.empty()) return std::vector<double>{};
  auto work = HeadJs::start(static_cast<int>(heads.size()), heads[0].columns, {rows.begin(), rows.end()});
  if (!work) return tl::unexpected(std::move(work.error()));
  for (std::size_t m = 0; m < heads.size(); ++m) work->add(static_cast<int>(m), heads[m]);
  while (!work->step())
    if (!progress.advance(work->fraction())) return fail(ErrorCode::cancelled);
  progress.advance(1);
  return work->take();
}

std::vector<double> js_distances(std::span<const double> js) {
  std::vector<double> out;
  out.reserve(js.size());
  for (const double x : js) out.push_back(std::sqrt(std::isnan(x) ? std::log(2.0) : x));
  return out;
}

std::vector<ClusterMerge> average_linkage(std::span<const double> distances, int count) {
  const auto n = static_cast<std::size_t>(count);
  assert(distances.size() == n * n);
  std::vector<double> d(distances.begin(), distances.end());
  std::vector<int> size(n, 1);  // 0: joined to another
  std::vector<std::size_t> chain;
  std::vector<ClusterMerge> merges;  // by representatives first: a cluster is named by the place where its distances stand
  while (merges.size() + 1 < n) {
    if (chain.empty()) {
      std::size_t first = 0;
      while (size[first] == 0) ++first;
      chain.push_back(first);
    }
    const std::size_t at = chain.back();
    // The one before in the chain wins a tie, or the chain would not end.
    const std::size_t before = chain.size() > 1 ? chain[chain.size() - 2] : n;
    std::size_t nearest = before;
    for (std::size_t k = 0; k < n; ++k)
      if (k != at && size[k] > 0 && (nearest == n || d[at * n + k] < d[at * n + nearest])) nearest = k;
    if (nearest != before) {
      chain.push_back(nearest);
      continue;
    }
    const std::size_t a = std::min(at, before), b = std::max(at, before);
    merges.push_back({static_cast<int>(a), static_cast<int>(b), d[a * n + b], size[a] + size[b]});
    const double wa = size[a], wb = size[b];
    for (std::size_t k = 0; k < n; ++k)
      if (size[k] > 0 && k != a && k != b) d[a * n + k] = d[k * n + a] = (wa * d[a * n + k] + wb * d[b * n + k]) / (wa + wb);
    size[a] += size[b];
    size[b] = 0;
    chain.resize(chain.size() - 2);
  }
  // The chain finds merges out of order; then representatives become cluster numbers.
  std::stable_sort(merges.begin(), merges.end(), [](const ClusterMerge& x, const ClusterMerge& y) { return x.height < y.height; });
  std::vector<int> parent(n), number(n);  // parent: representative, by path halving
  std::iota(parent.begin(), parent.end(), 0);
  std::iota(number.begin(), number.end(), 0);
  std::vector<int> members(n, 1);
  const auto root = [&](int x) {
    while (parent[static_cast<std::size_t>(x)] != x) {
      auto& p = parent[static_cast<std::size_t>(x)];
      x = p = parent[static_cast<std::size_t>(p)];
    }
    return static_cast<std::size_t>(x);
  };
  for (std::size_t k = 0; k < merges.size(); ++k) {
    ClusterMerge& m = merges[k];
    const std::size_t a = root(m.a), b = root(m.b);
    m.a = std::min(number[a], number[b]);
    m.b = std::max(number[a], number[b]);
    m.size = members[a] += members[b];
    parent[b] = static_cast<int>(a);
    number[a] = count + static_cast<int>(k);
  }
  return merges;
}

std::vector<int> leaf_order(std::span<const ClusterMerge> merges, int count) {
  std::vector<int> order, open;
  if (count > 0) open.push_back(merges.empty() ? 0 : count + static_cast<int>(merges.size()) - 1);
  while (!open.empty()) {
    const int cluster = open.back();
    open.pop_back();
    if (cluster < count) {
      order.push_back(cluster);
      continue;
    }
    const ClusterMerge& m = merges[static_cast<std::size_t>(cluster - count)];
    open.push_back(m.b);
    open.push_back(m.a);
  }
  return order;
}

std::vector<int> clusters_below(std::span<const ClusterMerge> merges, int count, double height) {
  // Top down: what a cluster is told, it tells its two parts.
  std::vector<int> label(static_cast<std::size_t>(count) + merges.size(), -1);
  for (std::size_t k = merges.size(); k-- > 0;) {
    const ClusterMerge& m = merges[k];
    if (m.height > height) continue;
    int& own = label[static_cast<std::size_t>(count) + k];
    if (own < 0) own = count + static_cast<int>(k);
    label[static_cast<std::size_t>(m.a)] = label[static_cast<std::size_t>(m.b)] = own;
  }
  std::vector<int> out, names(label.size(), -1);
  int next = 0;
  for (int i = 0; i < count; ++i) {
    const int l = label[static_cast<std::size_t>(i)];
    int& name = names[static_cast<std::size_t>(l < 0 ? i : l)];
    if (name < 0) name = next++;
    out.push_back(name);
  }
  return out;
}

PlaneMap plane_map(std::span<const double> distances, int count, int exact_up_to) {
  const auto n = static_cast<std::size_t>(count);
  assert(distances.size() == n * n);
  PlaneMap map{std::vector<double>(n), std::vector<double>(n), 0};
  if (count < 2) return map;
  Eigen::MatrixXd b = Eigen::Map<const Eigen::MatrixXd>(distances.data(), count, count).array().square() * -0.5;
  const Eigen::VectorXd mean = b.colwise().mean();
  b.rowwise() -= mean.transpose();
  b.colwise() -= mean;
  b.array() += mean.mean();

  Eigen::Vector2d values;
  Eigen::MatrixXd vectors;
  if (count <= std::max(exact_up_to, 12)) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> all(b);
    values = all.eigenvalues().tail(2).reverse();
    vectors = all.eigenvectors().rightCols(2).rowwise().reverse();
  } else {
    leading_pair(b, values, vectors);
  }
  const double trace = b.trace();
  const auto axis = [&](int k, std::vector<double>& to) {
    Eigen::Index largest = 0;
    vectors.col(k).cwiseAbs().maxCoeff(&largest);
    const double scale = std::sqrt(std::max(0.0, values[k])) * (vectors(largest, k) < 0 ? -1 : 1);
    for (std::size_t i = 0; i < n; ++i) to[i] = scale * vectors(static_cast<Eigen::Index>(i), k);
  };
  axis(0, map.x);
  axis(1, map.y);
  if (trace > 0) map.share = std::min(1.0, (std::max(0.0, values[0]) + std::max(0.0, values[1])) / trace);
  return map;
}

}  // namespace rollscope
