#include "analysis/comparison.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "analysis/key_tokens.h"

namespace rollscope {
namespace {

constexpr double kNone = Comparison::kNone;

double absolute_sum(std::span<const double> row) {
  return std::accumulate(row.begin(), row.end(), 0.0, [](double sum, double x) { return sum + std::abs(x); });
}

std::vector<std::size_t> order_of(std::span<const double> row) {
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return row[x] < row[y]; });
  return order;
}

// Calls run(first, end) for every run of entries that are equal.
template <class Equal, class Run>
void for_runs(std::size_t count, const Equal& equal, const Run& run) {
  for (std::size_t i = 0; i < count;) {
    std::size_t end = i + 1;
    while (end < count && equal(i, end)) ++end;
    run(i, end);
    i = end;
  }
}

double pairs(std::size_t n) { return 0.5 * static_cast<double>(n) * (static_cast<double>(n) - 1); }

// Pairs out of order in values[first, end); sorts them.
double exchanges(std::vector<double>& values, std::vector<double>& scratch, std::size_t first, std::size_t end) {
  if (end - first < 2) return 0;
  const std::size_t middle = first + (end - first) / 2;
  double count = exchanges(values, scratch, first, middle) + exchanges(values, scratch, middle, end);
  std::size_t l = first, r = middle;
  for (std::size_t to = first; to < end; ++to) {
    if (r == end || (l < middle && values[l] <= values[r])) {
      scratch[to] = values[l++];
    } else {
      scratch[to] = values[r++];
      count += static_cast<double>(middle - l);
    }
  }
  std::copy(scratch.begin() + static_cast<std::ptrdiff_t>(first), scratch.begin() + static_cast<std::ptrdiff_t>(end),
            values.begin() + static_cast<std::ptrdiff_t>(first));
  return count;
}

std::vector<double> absolute(std::span<const double> row) {
  std::vector<double> out;
  out.reserve(row.size());
  for (const double x : row) out.push_back(std::abs(x));
  return out;
}

// Keys whose value occurs more than once.
int tied(std::span<const double> row) {
  const auto order = order_of(row);
  std::size_t count = 0;
  for_runs(order.size(), [&](std::size_t i, std::size_t j) { return row[order[i]] == row[order[j]]; },
           [&](std::size_t first, std::size_t end) { count += end - first > 1 ? end - first : 0; });
  return static_cast<int>(count);
}

std::vector<double> dense_ranks(std::span<const double> row) {
  const auto order = order_of(row);
  std::vector<double> ranks(row.size());
  double rank = 0;
  for_runs(order.size(), [&](std::size_t i, std::size_t j) { return row[order[i]] == row[order[j]]; },
           [&](std::size_t first, std::size_t end) {
             ++rank;
             for (std::size_t i = first; i < end; ++i) ranks[order[i]] = rank;
           });
  return ranks;
}

}  // namespace

double pearson(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  if (a.size() < 2) return kNone;
  // Rounding leaves a constant row a variance of its own, so it is looked for first.
  const auto constant = [](std::span<const double> x) { return std::all_of(x.begin(), x.end(), [&](double v) { return v == x[0]; }); };
  if (constant(a) || constant(b)) return kNone;
  const auto n = static_cast<double>(a.size());
  const double ma = std::accumulate(a.begin(), a.end(), 0.0) / n, mb = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    ab += (a[j] - ma) * (b[j] - mb);
    aa += (a[j] - ma) * (a[j] - ma);
    bb += (b[j] - mb) * (b[j] - mb);
  }
  const double scale = std::sqrt(aa) * std::sqrt(bb);
  return scale > 0 ? std::clamp(ab / scale, -1.0, 1.0) : kNone;
}

double kendall_tau_b(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  std::vector<std::size_t> order(a.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return a[x] != a[y] ? a[x] < a[y] : b[x] < b[y]; });
  const auto same_a = [&](std::size_t i, std::size_t j) { return a[order[i]] == a[order[j]]; };
  const auto same_both = [&](std::size_t i, std::size_t j) { return same_a(i, j) && b[order[i]] == b[order[j]]; };
  double tied_a = 0, tied_b = 0, tied_both = 0;
  for_runs(order.size(), same_a, [&](std::size_t first, std::size_t end) { tied_a += pairs(end - first); });
  for_runs(order.size(), same_both, [&](std::size_t first, std::size_t end) { tied_both += pairs(end - first); });
  std::vector<double> values, scratch(order.size());
  values.reserve(order.size());
  for (const std::size_t i : order) values.push_back(b[i]);
  const double discordant = exchanges(values, scratch, 0, values.size());
  for_runs(values.size(), [&](std::size_t i, std::size_t j) { return values[i] == values[j]; },
           [&](std::size_t first, std::size_t end) { tied_b += pairs(end - first); });
  const double all = pairs(a.size());
  const double scale = std::sqrt(all - tied_a) * std::sqrt(all - tied_b);
  return scale > 0 ? std::clamp((all - tied_a - tied_b + tied_both - 2 * discordant) / scale, -1.0, 1.0) : kNone;
}

double spearman_dense_ranks_published(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  if (a.size() < 2) return kNone;
  const auto x = dense_ranks(a), y = dense_ranks(b);
  double squares = 0;
  for (std::size_t j = 0; j < x.size(); ++j) squares += (x[j] - y[j]) * (x[j] - y[j]);
  const auto n = static_cast<double>(a.size());
  return 1 - 6 * squares / (n * (n * n - 1));
}

double cosine(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    ab += a[j] * b[j];
    aa += a[j] * a[j];
    bb += b[j] * b[j];
  }
  const double scale = std::sqrt(aa) * std::sqrt(bb);
  return scale > 0 ? std::clamp(ab / scale, -1.0, 1.0) : kNone;
}

double kl_nats(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  const double sa = absolute_sum(a), sb = absolute_sum(b);
  if (!(sa > 0) || !(sb > 0)) return kNone;
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double p = std::abs(a[j]) / sa, q = std::abs(b[j]) / sb;
    if (p > 0) sum += p * std::log(p / q);
  }
  return std::max(0.0, sum);
}

double js_nats(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  const double sa = absolute_sum(a), sb = absolute_sum(b);
  if (!(sa > 0) || !(sb > 0)) return kNone;
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double p = std::abs(a[j]) / sa, q = std::abs(b[j]) / sb, m = 0.5 * (p + q);
    if (p > 0) sum += 0.5 * p * std::log(p / m);
    if (q > 0) sum += 0.5 * q * std::log(q / m);
  }
  return std::max(0.0, sum);
}

double js_bits(std::span<const double> a, std::span<const double> b) { return js_nats(a, b) / std::log(2.0); }
double js_distance(std::span<const double> a, std::span<const double> b) { return std::sqrt(js_nats(a, b)); }

double total_variation(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  const double sa = absolute_sum(a), sb = absolute_sum(b);
  if (!(sa > 0) || !(sb > 0)) return kNone;
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += std::abs(std::abs(a[j]) / sa - std::abs(b[j]) / sb);
  return 0.5 * sum;
}

double gini(std::span<const double> row) {
  auto sorted = absolute(row);
  std::sort(sorted.begin(), sorted.end());
  double sum = 0, weighted = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    weighted += static_cast<double>(i + 1) * sorted[i];
  }
  const auto n = static_cast<double>(sorted.size());
  return sum > 0 ? std::max(0.0, 2 * weighted / (n * sum) - (n + 1) / n) : kNone;
}

std::vector<int> top_keys(std::span<const double> row, int k) {
  std::vector<int> keys;
  for (std::size_t j = 0; j < row.size(); ++j)
    if (!std::isnan(row[j])) keys.push_back(static_cast<int>(j));
  const auto size = [&](int key) { return std::abs(row[static_cast<std::size_t>(key)]); };
  std::stable_sort(keys.begin(), keys.end(), [&](int a, int b) { return size(a) > size(b); });
  keys.resize(std::min(keys.size(), static_cast<std::size_t>(std::max(0, k))));
  return keys;
}

TopOverlap top_overlap(std::span<const int> a, std::span<const int> b) {
  std::vector<int> x(a.begin(), a.end()), y(b.begin(), b.end()), shared;
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(shared));
  const auto both = static_cast<double>(shared.size()), any = static_cast<double>(x.size() + y.size()) - both;
  if (x.empty() && y.empty()) return {kNone, kNone};
  return {both / any, both / static_cast<double>(std::max(x.size(), y.size()))};
}

void tie_equal(std::vector<double>& row) {
  const auto order = top_keys(row, static_cast<int>(row.size()));
  const auto value = [&](std::size_t at) -> double& { return row[static_cast<std::size_t>(order[at])]; };
  if (order.empty()) return;
  const double step = kTie * std::abs(value(0));
  double before = value(0);
  for (std::size_t at = 1; at < order.size(); ++at) {
    const double own = value(at);
    if (std::abs(before - own) <= step) value(at) = value(at - 1);
    before = own;
  }
}

Comparison compare(std::span<const double> a, std::span<const double> b, std::span<const int> without, int k) {
  assert(a.size() == b.size());
  Comparison out;
  std::vector<double> x, y;
  std::vector<int> keys;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const auto key = static_cast<int>(j);
    if (std::find(without.begin(), without.end(), key) != without.end()) continue;
    if (!std::isfinite(a[j]) || !std::isfinite(b[j])) {
      ++out.not_finite;
      continue;
    }
    keys.push_back(key);
    x.push_back(a[j]);
    y.push_back(b[j]);
  }
  out.keys = static_cast<int>(keys.size());
  out.tied_a = tied(x);
  out.tied_b = tied(y);
  out.spearman = spearman(x, y);
  out.spearman_absolute = spearman(absolute(x), absolute(y));
  out.kendall_tau_b = kendall_tau_b(x, y);
  out.pearson = pearson(x, y);
  out.cosine = cosine(x, y);
  out.js_nats = js_nats(x, y);
  out.js_bits = js_bits(x, y);
  out.js_distance = js_distance(x, y);
  out.kl_nats = kl_nats(x, y);
  out.total_variation = total_variation(x, y);
  out.k = std::clamp(k, 0, out.keys);
  const auto top = [&](const std::vector<double>& row, std::vector<int>& to, bool& cut) {
    to = top_keys(row, out.k + 1);
    const auto value = [&](int at) { return std::abs(row[static_cast<std::size_t>(to[static_cast<std::size_t>(at)])]); };
    cut = out.k > 0 && out.k < out.keys && value(out.k - 1) == value(out.k);
    to.resize(static_cast<std::size_t>(out.k));
    for (int& key : to) key = keys[static_cast<std::size_t>(key)];
  };
  top(x, out.top_a, out.cut_a);
  top(y, out.top_b, out.cut_b);
  const auto overlap = top_overlap(out.top_a, out.top_b);
  out.top_jaccard = overlap.jaccard;
  out.top_overlap = overlap.overlap;
  return out;
}

}  // namespace rollscope
