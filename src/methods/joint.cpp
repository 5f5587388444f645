#include "methods/joint.h"

#include <algorithm>
#include <cassert>

#include "methods/kernels/rows.h"
#include "methods/raw.h"
#include "methods/rollout.h"
#include "methods/row_share.h"

namespace rollscope {
namespace {

bool is_empty(std::span<const Real> row) {
  return std::all_of(row.begin(), row.end(), [](Real x) { return x == 0; });
}

// d <- a d + (1 - a) read, row by row; `read` fills the first columns, the others read nothing. A row whose attention
// was empty keeps itself, or loses everything without a residual.
void mix(MatrixView d, ConstMatrixView read, ConstMatrixView attention, double residual) {
  const auto a = static_cast<Real>(residual), rest = static_cast<Real>(1 - residual);
  for (int i = 0; i < d.rows; ++i) {
    const auto row = d.row(i);
    if (is_empty(attention.row(i))) {
      if (residual == 0) std::fill(row.begin(), row.end(), Real{0});
      continue;
    }
    const auto from = read.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = a * row[j] + (j < from.size() ? rest * from[j] : Real{0});
  }
}

}  // namespace

Result<JointWork> JointWork::start(ConstMatrixView encoder, StackView self, StackView cross, JointResiduals residuals,
                                   MatrixView d) {
  assert(self.depth() == cross.depth() && encoder.rows == encoder.columns && d.columns == encoder.rows + d.rows);
  auto queue = ProductQueue::start(0);  // no product here is square on both sides
  if (!queue) return tl::unexpected(queue.error());
  auto scratch = RealBuffer::make(d.size());
  if (!scratch) return tl::unexpected(scratch.error());
  JointWork work(std::move(*queue));
  work.encoder_ = encoder;
  work.self_.assign(self.layers.begin(), self.layers.end());
  work.cross_.assign(cross.layers.begin(), cross.layers.end());
  work.residuals_ = residuals;
  work.d_ = d;
  work.scratch_ = std::move(*scratch);
  std::fill(d.data, d.data + d.size(), Real{0});
  for (int i = 0; i < d.rows; ++i) d(i, encoder.rows + i) = 1;
  return work;
}

void JointWork::queue_layer() {
  const ConstMatrixView self = self_[static_cast<std::size_t>(layer_)], cross = cross_[static_cast<std::size_t>(layer_)];
  assert(self.rows == d_.rows && self.columns == d_.rows && cross.rows == d_.rows && cross.columns == encoder_.rows);
  const MatrixView read = scratch_.matrix(0, d_.rows, d_.columns);
  const MatrixView source = scratch_.matrix(0, d_.rows, encoder_.columns);  // the same memory, later
  queue_.product(self, d_, read);
  queue_.then([=, d = d_, a = residuals_.self] { mix(d, read, self, a); });
  queue_.product(cross, encoder_, source);
  queue_.then([=, d = d_, a = residuals_.cross] { mix(d, source, cross, a); });
}

bool JointWork::step() {
  completed_ = -1;
  const int depth = static_cast<int>(self_.size());
  if (layer_ == depth) return true;
  if (queue_.empty()) queue_layer();
  if (!queue_.step()) return false;
  completed_ = layer_;
  return ++layer_ == depth;
}

double JointWork::fraction() const {
  if (self_.empty()) return 1;
  const double current = queue_.empty() ? 0 : queue_.fraction();
  return (layer_ + current) / static_cast<double>(self_.size());
}

JointStates joint_states(StackView encoder, double encoder_residual, StackView self, StackView cross,
                         JointResiduals residuals, int query) {
  assert(self.depth() == cross.depth() && self.depth() > 0);
  const auto depth = static_cast<std::size_t>(self.depth()), below = static_cast<std::size_t>(encoder.depth());
  const auto nt = static_cast<std::size_t>(self[0].rows), ns = static_cast<std::size_t>(cross[0].columns);
  JointStates out;
  out.target.assign((depth + 1) * nt, 0.0);
  out.between.assign(depth * nt, 0.0);
  out.crossing.assign(depth * ns, 0.0);
  out.source.assign((below + 1) * ns, 0.0);
  const auto part = [](std::vector<double>& all, std::size_t index, std::size_t n) {
    return std::span<double>(all).subspan(index * n, n);
  };
  const auto arrived = part(out.source, below, ns);
  part(out.target, depth, nt)[static_cast<std::size_t>(query)] = 1;
  for (std::size_t l = depth; l-- > 0;) {
    const auto above = part(out.target, l + 1, nt);
    const auto between = part(out.between, l, nt);
    const auto crossing = part(out.crossing, l, ns);
    const ConstMatrixView c = cross[static_cast<int>(l)];
    for (std::size_t i = 0; i < nt; ++i) {
      if (above[i] == 0) continue;
      const auto row = c.row(static_cast<int>(i));
      if (is_empty(row)) {
        between[i] = residuals.cross > 0 ? above[i] : 0;
        continue;
      }
      between[i] = residuals.cross * above[i];
      add_scaled_row(above[i] * (1 - residuals.cross), row.data(), ns, crossing.data());
    }
    for (std::size_t j = 0; j < ns; ++j) arrived[j] += crossing[j];
    rollout_step(between, self[static_cast<int>(l)], residuals.self, part(out.target, l, nt));
  }
  for (std::size_t m = below; m-- > 0;)
    rollout_step(part(out.source, m + 1, ns), encoder[static_cast<int>(m)], encoder_residual, part(out.source, m, ns));
  return out;
}

void joint_row(const JointStates& states, std::span<double> row) {
  const std::size_t nt = states.target.size() - states.between.size(), ns = row.size() - nt;  // L + 1 levels less L layers
  std::copy_n(states.source.begin(), ns, row.begin());
  std::copy_n(states.target.begin(), nt, row.begin() + static_cast<std::ptrdiff_t>(ns));
}

void normalise_parts(std::span<double> row, int sources) {
  divide_by_total(row.first(static_cast<std::size_t>(sources)));
  divide_by_total(row.subspan(static_cast<std::size_t>(sources)));
}

void normalise_parts(MatrixView d, int sources) {
  for (int i = 0; i < d.rows; ++i) {
    divide_by_total(d.row(i).first(static_cast<std::size_t>(sources)));
    divide_by_total(d.row(i).subspan(static_cast<std::size_t>(sources)));
  }
}

double source_share(std::span<const double> row, int sources) {
  const double total = row_total(row);
  return total > 0 ? row_total(row.first(static_cast<std::size_t>(sources))) / total : 0;
}

Result<CrossLookWork> CrossLookWork::start(CrossLook look, StackView cross, ConstMatrixView encoder,
                                           ConstMatrixView decoder, MatrixView out) {
  assert(cross.depth() > 0 && out.columns == encoder.rows && out.rows == cross[0].rows);
  auto queue = ProductQueue::start(std::min(out.rows, out.columns));
  if (!queue) return tl::unexpected(queue.error());
  auto scratch = RealBuffer::make(out.size());
  if (!scratch) return tl::unexpected(scratch.error());
  CrossLookWork work(std::move(*queue));
  work.scratch_ = std::move(*scratch);
  const MatrixView between = work.scratch_.matrix(0, out.rows, out.columns);
  const ConstMatrixView last = cross[cross.depth() - 1];
  if (look == CrossLook::last_layer) {
    work.queue_.product(last, encoder, out);
  } else if (look == CrossLook::mean_layers) {
    raw_matrix(cross, between);
    work.queue_.product(between, encoder, out);
  } else {
    assert(decoder.rows == out.rows && decoder.columns == out.rows);
    work.queue_.product(last, encoder, between);
    work.queue_.product(decoder, between, out, look == CrossLook::chefer_baseline);
  }
  return work;
}

}  // namespace rollscope
