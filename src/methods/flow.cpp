#include "methods/flow.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "methods/flow_solver.h"

namespace rollscope {
namespace {

// Flows are compared with end cuts to this; methods/flow_solver.cpp is exact to far less.
constexpr double kSame = 1e-9;
// Arcs looked at in one step: 2 to 7 ms. From N = 256 on, starting an output or one hard pair takes longer by itself.
constexpr double kStepWork = 1e6;

FlowEnd end_of(const FlowSolver& solver, int input, double value) {
  if (solver.depth() == 0) return FlowEnd::none;
  const double output_sum = solver.output_sum(), input_sum = solver.input_sum(input);
  if (std::abs(value - std::min(output_sum, input_sum)) > kSame) return FlowEnd::none;
  return std::abs(value - output_sum) <= kSame ? FlowEnd::output : FlowEnd::input;
}

int cut_layer_of(const FlowSolver& solver) {
  const auto cut = solver.cut_by_layer();
  int layer = -1;
  double most = 0;
  for (int l = solver.depth() - 1; l >= 0; --l)
    if (const double c = cut[static_cast<std::size_t>(l)]; c > most) most = c, layer = l;
  return layer;
}

std::vector<double> same_for_all(StackView fused, double residual) {
  return std::vector<double>(static_cast<std::size_t>(fused.depth()), residual);
}

}  // namespace

Result<FlowPair> flow_pair(StackView fused, std::span<const double> residuals, int output, int input) {
  assert(fused.depth() > 0 && static_cast<int>(residuals.size()) == fused.depth());
  auto made = FlowSolver::make(fused.depth(), fused[0].rows);
  if (!made) return tl::unexpected(made.error());
  FlowSolver& solver = *made;
  for (int l = 0; l < fused.depth(); ++l) solver.add_layer(fused[l], residuals[static_cast<std::size_t>(l)]);
  solver.begin(output);
  FlowPair pair;
  pair.value = solver.solve(input);
  pair.end = end_of(solver, input, pair.value);
  pair.certificate_error = std::abs(pair.value - solver.cut_value());
  pair.cut_layer = cut_layer_of(solver);
  pair.cut_share.assign(solver.cut_by_layer().begin(), solver.cut_by_layer().end());
  if (solver.cut_value() > 0)
    for (double& share : pair.cut_share) share /= solver.cut_value();
  solver.each_cut_arc([&](int layer, int from, int to, double capacity) { pair.cut.push_back({layer, from, to, capacity}); });
  return pair;
}

Result<FlowPair> flow_pair(StackView fused, double residual, int output, int input) {
  return flow_pair(fused, same_for_all(fused, residual), output, input);
}

FlowWork::~FlowWork() = default;
FlowWork::FlowWork(FlowWork&&) noexcept = default;
FlowWork& FlowWork::operator=(FlowWork&&) noexcept = default;

Result<FlowWork> FlowWork::make(StackView fused, std::span<const double> residuals, int first, int end) {
  assert(fused.depth() > 0 && static_cast<int>(residuals.size()) == fused.depth());
  assert(first >= 0 && first <= end && end <= fused[0].rows);
  auto solver = FlowSolver::make(fused.depth(), fused[0].rows);
  if (!solver) return tl::unexpected(solver.error());
  FlowWork work;
  work.solver_ = std::make_unique<FlowSolver>(std::move(*solver));
  work.layers_.assign(fused.layers.begin(), fused.layers.end());
  work.residuals_.assign(residuals.begin(), residuals.end());
  work.values_.resize(static_cast<std::size_t>(fused[0].rows));
  work.first_ = work.output_ = first;
  work.end_ = end;
  return work;
}

Result<FlowWork> FlowWork::start_row(StackView fused, std::span<const double> residuals, int output, std::span<double> row) {
  assert(fused.depth() > 0 && static_cast<int>(row.size()) == fused[0].rows);
  auto work = make(fused, residuals, output, output + 1);
  if (work) work->row_ = row;
  return work;
}

Result<FlowWork> FlowWork::start_row(StackView fused, double residual, int output, std::span<double> row) {
  return start_row(fused, same_for_all(fused, residual), output, row);
}

Result<FlowWork> FlowWork::start(StackView fused, std::span<const double> residuals, MatrixView flow) {
  assert(fused.depth() > 0 && flow.rows == fused[0].rows && flow.columns == fused[0].rows);
  auto work = make(fused, residuals, 0, flow.rows);
  if (work) work->flow_ = flow;
  return work;
}

Result<FlowWork> FlowWork::start(StackView fused, double residual, MatrixView flow) {
  return start(fused, same_for_all(fused, residual), flow);
}

double FlowWork::fraction() const {
  const double n = static_cast<double>(values_.size()), pairs = n * (end_ - first_);
  return pairs > 0 ? ((output_ - first_) * n + input_) / pairs : 1.0;
}

bool FlowWork::step() {
  if (output_ == end_) return true;
  if (const int l = solver_->layers_added(); l < solver_->depth()) {
    solver_->add_layer(layers_[static_cast<std::size_t>(l)], residuals_[static_cast<std::size_t>(l)]);
    return false;
  }
  for (solver_->work = 0; solver_->work < kStepWork;) {
    if (input_ == 0) {
      solver_->begin(output_);
      current_ = {};
      current_.cut_share.assign(layers_.size(), 0.0);
      current_.cut_layer_pairs.assign(layers_.size(), 0);
    }
    finish_input(solver_->solve(input_));
    if (++input_ < solver_->tokens()) continue;
    finish_output();
    input_ = 0;
    if (++output_ == end_) return true;
  }
  return false;
}

void FlowWork::finish_input(double value) {
  const FlowSolver& solver = *solver_;
  const bool connected = solver.reachable();
  values_[static_cast<std::size_t>(input_)] = value;
  ++current_.pairs;
  if (end_of(solver, input_, value) != FlowEnd::none) ++current_.at_end_cut;
  current_.certificate_error = std::max(current_.certificate_error, std::abs(value - solver.cut_value()));
  if (!connected) return;
  ++current_.connected;
  if (const int layer = cut_layer_of(solver); layer >= 0) ++current_.cut_layer_pairs[static_cast<std::size_t>(layer)];
  if (solver.cut_value() > 0)
    for (std::size_t l = 0; l < current_.cut_share.size(); ++l)
      current_.cut_share[l] += solver.cut_by_layer()[l] / solver.cut_value();
}

void FlowWork::finish_output() {
  // Connected inputs are those with a positive flow: every arc of a path has room.
  double first = -1, second = -1, lowest = std::numeric_limits<double>::infinity();
  for (const double x : values_) {
    if (x <= 0) continue;
    lowest = std::min(lowest, x);
    second = std::max(second, std::min(first, x));
    first = std::max(first, x);
  }
  const bool some = second > 0;
  current_.lowest = some ? lowest : std::nan("");
  current_.highest = some ? second : std::nan("");
  for (double& share : current_.cut_share)
    if (current_.connected > 0) share /= current_.connected;
  facts_.push_back(std::move(current_));
  if (!row_.empty()) {
    std::copy(values_.begin(), values_.end(), row_.begin());
  } else {
    std::transform(values_.begin(), values_.end(), flow_.row(output_).begin(), [](double x) { return static_cast<Real>(x); });
  }
}

FlowFacts flow_facts(std::span<const FlowFacts> rows) {
  FlowFacts all;
  all.lowest = all.highest = std::nan("");
  for (const FlowFacts& row : rows) {
    all.pairs += row.pairs;
    all.at_end_cut += row.at_end_cut;
    all.connected += row.connected;
    all.lowest = std::fmin(all.lowest, row.lowest);  // fmin and fmax pass over NaN
    all.highest = std::fmax(all.highest, row.highest);
    all.certificate_error = std::max(all.certificate_error, row.certificate_error);
    all.cut_share.resize(row.cut_share.size());
    all.cut_layer_pairs.resize(row.cut_layer_pairs.size());
    for (std::size_t l = 0; l < row.cut_share.size(); ++l) {
      all.cut_share[l] += row.connected * row.cut_share[l];
      all.cut_layer_pairs[l] += row.cut_layer_pairs[l];
    }
  }
  for (double& share : all.cut_share)
    if (all.connected > 0) share /= all.connected;
  return all;
}

void flow_normalise(std::span<double> row) {
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  if (!(sum > 0) || !std::isfinite(sum)) return;
  for (double& x : row) x /= sum;
}

}  // namespace rollscope
