#include "methods/flow_solver.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace rollscope {
namespace {

// An arc with less room than this is full. Capacities are of order 1, and a sum of a few hundred leftovers stays far
// below the 1e-9 to which flows are compared.
constexpr double kFull = 1e-12;

double usable(Real x) { return x > 0 && std::isfinite(x) ? static_cast<double>(x) : 0.0; }

}  // namespace

Result<FlowSolver> FlowSolver::make(int depth, int tokens) {
  assert(depth >= 0 && tokens >= 0 && tokens <= std::numeric_limits<std::uint16_t>::max());
  FlowSolver s;
  s.n_ = tokens;
  s.depth_ = depth;
  const auto n = static_cast<std::size_t>(tokens), levels = static_cast<std::size_t>(depth) + 1;
  const double bytes = 26.0 * static_cast<double>(depth) * tokens * tokens;
  if (bytes > 0.5 * static_cast<double>(std::numeric_limits<std::size_t>::max()))
    return fail(ErrorCode::out_of_memory, {{"needed", std::to_string(static_cast<long long>(bytes / 1048576)) + " MB"}});
  const std::size_t arcs = static_cast<std::size_t>(depth) * n * n;
  for (auto* buffer : {&s.capacity_, &s.down_, &s.up_}) {
    auto made = Buffer<double>::make(arcs);
    if (!made) return tl::unexpected(made.error());
    *buffer = std::move(*made);
  }
  auto columns = Buffer<std::uint16_t>::make(arcs);
  if (!columns) return tl::unexpected(columns.error());
  s.columns_ = std::move(*columns);
  s.words_ = (n + 63) / 64;
  s.arcs_.resize(static_cast<std::size_t>(depth) * n);
  s.leads_.resize(levels * n * s.words_);
  for (std::size_t j = 0; j < n; ++j) s.leads_[j * s.words_ + j / 64] |= std::uint64_t{1} << j % 64;
  s.input_sums_.resize(n);
  s.below_output_.resize(levels * n);
  s.nodes_.resize(levels);
  s.waiting_.resize(levels);
  for (auto* row : {&s.limit_, &s.left_, &s.sent_, &s.excess_, &s.excess_above_}) row->resize(n);
  s.distance_.resize(levels * n);
  s.current_.resize(levels * n);
  s.source_side_.resize(levels * n);
  s.cut_by_layer_.resize(static_cast<std::size_t>(depth));
  return s;
}

void FlowSolver::add_layer(ConstMatrixView fused, double residual) {
  assert(added_ < depth_ && fused.rows == n_ && fused.columns == n_ && residual >= 0 && residual <= 1);
  const int l = added_++;
  std::vector<std::uint64_t> seen(words_);
  for (int i = 0; i < n_; ++i) {
    const auto from = fused.row(i);
    double* to = capacity_.data() + at(l, i);
    bool empty = true;
    for (std::size_t j = 0; j < from.size(); ++j) {
      const double x = usable(from[j]);
      empty = empty && x == 0;
      to[j] = (1 - residual) * x;
    }
    if (empty) {  // ruling 1, as in methods/rollout.cpp
      to[i] = residual > 0 ? 1 : 0;
    } else {
      to[i] += residual;
    }
    std::uint16_t* columns = columns_.data() + at(l, i);
    int count = 0;
    std::fill(seen.begin(), seen.end(), 0);
    for (int j = 0; j < n_; ++j) {
      if (to[j] <= 0) continue;
      columns[count++] = static_cast<std::uint16_t>(j);
      seen[static_cast<std::size_t>(j) / 64] |= std::uint64_t{1} << j % 64;
      if (l == 0) input_sums_[static_cast<std::size_t>(j)] += to[j];
    }
    arcs_[node(l, i)] = count;
    for (int j = 0; j < n_; ++j) {
      const std::uint64_t* below = &leads_[node(l, j) * words_];
      for (std::size_t w = 0; w < words_; ++w)
        if (seen[w] & below[w]) {
          leads_[node(l + 1, j) * words_ + static_cast<std::size_t>(i) / 64] |= std::uint64_t{1} << i % 64;
          break;
        }
    }
  }
}

bool FlowSolver::leads_to(int level, int token, int input) const {
  return leads_[node(level, input) * words_ + static_cast<std::size_t>(token) / 64] >> (token % 64) & 1;
}

void FlowSolver::begin(int output) {
  assert(added_ == depth_ && output >= 0 && output < n_);
  output_ = output;
  std::copy(capacity_.data(), capacity_.data() + capacity_.size(), down_.data());
  std::fill(up_.data(), up_.data() + up_.size(), 0.0);
  std::fill(sent_.begin(), sent_.end(), 0.0);
  std::fill(below_output_.begin(), below_output_.end(), std::uint8_t{0});
  below_output_[node(depth_, output)] = 1;
  for (int l = depth_ - 1; l >= 0; --l)
    for (int a = 0; a < n_; ++a)
      if (below_output_[node(l + 1, a)])
        for (int k = 0; k < arcs_[node(l, a)]; ++k) below_output_[node(l, columns_.data()[at(l, a, k)])] = 1;
  output_sum_ = 0;
  if (depth_ > 0) {
    const double* top = capacity_.data() + at(depth_ - 1, output);
    output_sum_ = std::accumulate(top, top + n_, 0.0);
  }
  work += 2.0 * static_cast<double>(capacity_.size());
}

// The nodes on some path of the pair; the two end cuts over them.
void FlowSolver::find_nodes() {
  for (int level = 0; level <= depth_; ++level) {
    auto& list = nodes_[static_cast<std::size_t>(level)];
    list.clear();
    for (int a = 0; a < n_; ++a)
      if (below_output_[node(level, a)] && leads_to(level, a, input_)) list.push_back(a);
  }
  reachable_ = !nodes_[static_cast<std::size_t>(depth_)].empty();
  work += static_cast<double>(distance_.size());
}

double FlowSolver::solve(int input) {
  assert(added_ == depth_ && input >= 0 && input < n_);
  input_ = input;
  find_nodes();
  std::fill(cut_by_layer_.begin(), cut_by_layer_.end(), 0.0);
  cut_value_ = value_ = 0;
  if (depth_ == 0) {  // no layer between them: the token is its own input
    return cut_value_ = reachable_ ? 1 : 0;
  }
  if (depth_ > 2) {
    std::fill(limit_.begin(), limit_.end(), 0.0);
    if (reachable_)
      for (const int k : nodes_[1]) limit_[static_cast<std::size_t>(k)] = capacity_.data()[at(0, k, input)];
    take_back();
  }
  if (!reachable_) return 0;
  const double* top = capacity_.data() + at(depth_ - 1, output_);
  if (depth_ <= 2) {  // closed forms; the cut lies on the smaller arc of each way, the upper one of equals
    std::fill(source_side_.begin(), source_side_.end(), std::uint8_t{0});
    source_side_[node(depth_, output_)] = 1;
    if (depth_ == 1) {
      value_ = cut_by_layer_[0] = top[input];
    } else {
      for (const int k : nodes_[1]) {
        const double above = top[k], below = capacity_.data()[at(0, k, input)];
        source_side_[node(1, k)] = below < above;
        cut_by_layer_[below < above ? 0 : 1] += std::min(above, below);
        value_ += std::min(above, below);
      }
    }
    return cut_value_ = value_;
  }
  double above = 0, below = 0;
  for (const int k : nodes_[static_cast<std::size_t>(depth_) - 1]) above += top[k];
  for (const int k : nodes_[1]) below += limit_[static_cast<std::size_t>(k)];
  bound_ = std::min(above, below);
  while (bound_ - value_ > kFull && label_from_input()) augment();
  find_cut();
  return value_;
}

// Takes back, level by level from the bottom up, what the flow of the input before sends through level 1 and the new
// input cannot take. value_: what remains.
void FlowSolver::take_back() {
  bool any = false;
  for (std::size_t k = 0; k < limit_.size(); ++k) {
    excess_[k] = std::max(0.0, sent_[k] - limit_[k]);
    any = any || excess_[k] > 0;
    sent_[k] = std::min(sent_[k], limit_[k]);
    left_[k] = limit_[k] - sent_[k];
    value_ += sent_[k];
  }
  for (int level = 1; any && level < depth_; ++level) {
    std::fill(excess_above_.begin(), excess_above_.end(), 0.0);
    for (int b = 0; b < n_; ++b) {
      double excess = excess_[static_cast<std::size_t>(b)];
      if (excess <= 0) continue;
      double* flow = up_.data() + at(level, b);
      for (int a = 0; a < n_ && excess > 0; ++a) {
        if (flow[a] <= 0) continue;
        const double x = std::min(excess, flow[a]);
        flow[a] -= x;
        excess -= x;
        down_.data()[at(level, a, b)] += x;
        excess_above_[static_cast<std::size_t>(a)] += x;
      }
      work += n_;
    }
    excess_.swap(excess_above_);
  }
}

// Distances to the input in the residual graph, breadth first. False: the output cannot reach it any more.
bool FlowSolver::label_from_input() {
  std::fill(distance_.begin(), distance_.end(), -1);
  for (int level = 1; level < depth_; ++level) waiting_[static_cast<std::size_t>(level)] = nodes_[static_cast<std::size_t>(level)];
  queue_.clear();
  const auto label = [&](int level, int distance, auto&& open) {
    auto& list = waiting_[static_cast<std::size_t>(level)];
    std::size_t kept = 0;
    work += static_cast<double>(list.size());
    for (const int a : list) {
      if (open(static_cast<std::size_t>(a))) {
        distance_[node(level, a)] = distance;
        queue_.push_back(node(level, a));
      } else {
        list[kept++] = a;
      }
    }
    list.resize(kept);
  };
  label(1, 1, [&](std::size_t k) { return left_[k] > kFull; });
  const auto n = static_cast<std::size_t>(n_);
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const std::size_t v = queue_[head];
    const int level = static_cast<int>(v / n), b = static_cast<int>(v % n), distance = distance_[v] + 1;
    if (level + 1 == depth_) {
      if (down_.data()[at(level, output_, b)] > kFull) {
        distance_[node(depth_, output_)] = distance;
        return true;
      }
    } else {
      const double* column = down_.data() + at(level, 0, b);
      label(level + 1, distance, [&](std::size_t a) { return column[a * n] > kFull; });
    }
    if (level > 1) {
      const double* column = up_.data() + at(level - 1, 0, b);
      label(level - 1, distance, [&](std::size_t c) { return column[c * n] > kFull; });
    }
  }
  return false;
}

// A blocking flow along arcs that go one step nearer, depth first with current arcs; an explicit path, because it may
// become as long as there are nodes. Trying the arcs of a row from the largest capacity down did not pay.
void FlowSolver::augment() {
  std::fill(current_.begin(), current_.end(), 0);
  const std::size_t source = node(depth_, output_);
  const auto n = static_cast<std::size_t>(n_);
  path_.assign(1, source);
  hops_.clear();
  while (!path_.empty()) {
    const std::size_t v = path_.back();
    if (distance_[v] == 1) {
      push(v);
      if (bound_ - value_ <= kFull) return;
      continue;
    }
    const int level = static_cast<int>(v / n), a = static_cast<int>(v % n);
    const int nearer = distance_[v] - 1, arcs = arcs_[node(level - 1, a)];
    int& k = current_[v];
    const int first = k;
    bool found = false;
    if (level > 1) {
      const std::uint16_t* columns = columns_.data() + at(level - 1, a);
      double* row = down_.data() + at(level - 1, a);
      const int* distance = distance_.data() + node(level - 1, 0);
      for (; k < arcs; ++k) {
        const auto b = columns[k];
        if (distance[b] != nearer || row[b] <= kFull) continue;
        path_.push_back(node(level - 1, b));
        hops_.push_back({row + b, up_.data() + at(level - 1, b, a)});
        found = true;
        break;
      }
    } else {
      k = std::max(k, arcs);
    }
    if (!found && level + 1 < depth_) {
      double* row = up_.data() + at(level, a);
      const int* distance = distance_.data() + node(level + 1, 0);
      for (; k < arcs + n_; ++k) {
        const int c = k - arcs;
        if (distance[c] != nearer || row[c] <= kFull) continue;
        path_.push_back(node(level + 1, c));
        hops_.push_back({row + c, down_.data() + at(level, c, a)});
        found = true;
        break;
      }
    }
    work += k - first + 1;
    if (found) continue;
    distance_[v] = -1;  // nothing leads on from here in this phase
    path_.pop_back();
    if (!hops_.empty()) hops_.pop_back();
  }
}

// Sends along the path, which ends at `last` just above the input, what its narrowest arc takes; shortens the path to
// the tail of the first arc that is full now.
void FlowSolver::push(std::size_t last) {
  const auto k = last % static_cast<std::size_t>(n_);
  double x = std::min(left_[k], bound_ - value_);
  for (const Hop& hop : hops_) x = std::min(x, *hop.left);
  std::size_t keep = hops_.size();
  for (std::size_t h = hops_.size(); h-- > 0;) {
    *hops_[h].left -= x;
    *hops_[h].back += x;
    if (*hops_[h].left <= kFull) keep = h;
  }
  left_[k] -= x;
  sent_[k] += x;
  value_ += x;
  work += static_cast<double>(hops_.size());
  if (left_[k] <= kFull) {
    distance_[last] = -1;
    if (keep == hops_.size() && keep > 0) --keep;
  }
  hops_.resize(keep);
  path_.resize(keep + 1);
}

// The minimum cut nearest to the output: what the residual graph still reaches from there, against the rest.
void FlowSolver::find_cut() {
  std::fill(source_side_.begin(), source_side_.end(), std::uint8_t{0});
  for (int level = 1; level < depth_; ++level) waiting_[static_cast<std::size_t>(level)] = nodes_[static_cast<std::size_t>(level)];
  queue_.assign(1, node(depth_, output_));
  source_side_[queue_[0]] = 1;
  const auto visit = [&](int level, const double* row) {
    auto& list = waiting_[static_cast<std::size_t>(level)];
    std::size_t kept = 0;
    work += static_cast<double>(list.size());
    for (const int a : list) {
      if (row[a] > kFull) {
        source_side_[node(level, a)] = 1;
        queue_.push_back(node(level, a));
      } else {
        list[kept++] = a;
      }
    }
    list.resize(kept);
  };
  const auto n = static_cast<std::size_t>(n_);
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const int level = static_cast<int>(queue_[head] / n), a = static_cast<int>(queue_[head] % n);
    if (level > 1) visit(level - 1, down_.data() + at(level - 1, a));
    if (level + 1 < depth_) visit(level + 1, up_.data() + at(level, a));
  }
  // Capacities as given, not what the flow left of them: so the sum proves the value.
  for (const std::size_t v : queue_) {
    const int level = static_cast<int>(v / n), a = static_cast<int>(v % n);
    double& cut = cut_by_layer_[static_cast<std::size_t>(level) - 1];
    if (level == 1) {
      cut += limit_[static_cast<std::size_t>(a)];
      continue;
    }
    const double* row = capacity_.data() + at(level - 1, a);
    for (const int b : waiting_[static_cast<std::size_t>(level) - 1]) cut += row[b];
    work += static_cast<double>(waiting_[static_cast<std::size_t>(level) - 1].size());
  }
  cut_value_ = std::accumulate(cut_by_layer_.begin(), cut_by_layer_.end(), 0.0);
}

}  // namespace rollscope
