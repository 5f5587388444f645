#include "methods/relevance.h"

#include <algorithm>
#include <cassert>

#include "methods/row_share.h"

namespace rollscope {
namespace {

void add_to(MatrixView r, ConstMatrixView increase) {
  for (std::size_t k = 0; k < r.size(); ++k) r.data[k] += increase.data[k];
}

void set_identity(MatrixView r) {
  std::fill(r.data, r.data + r.size(), Real{0});
  for (int i = 0; i < r.rows; ++i) r(i, i) = 1;
}

}  // namespace

void normalise_relevance(MatrixView r) {
  assert(r.rows == r.columns);
  for (int i = 0; i < r.rows; ++i) {
    r(i, i) -= 1;
    divide_by_total(r.row(i));
    r(i, i) += 1;
  }
}

Result<Relevance> Relevance::start(int t, int i, CrossRule rule) {
  assert(t > 0 && i > 0);
  auto queue = ProductQueue::start(std::max(t, i));
  if (!queue) return tl::unexpected(queue.error());
  const auto nt = static_cast<std::size_t>(t), ni = static_cast<std::size_t>(i);
  auto memory = RealBuffer::make(2 * (nt + ni) * (nt + ni) + nt * ni);
  if (!memory) return tl::unexpected(memory.error());
  Relevance out(std::move(*queue));
  out.memory_ = std::move(*memory);
  out.rule_ = rule;
  Real* next = out.memory_.data();
  const auto take = [&next](int rows, int columns) {
    const MatrixView view{next, rows, columns};
    next += view.size();
    return view;
  };
  out.t_ = {take(t, t), take(t, i), take(t, t), take(t, i), true};
  out.i_ = {take(i, i), take(i, t), take(i, i), take(i, t), true};
  out.between_ = next;
  set_identity(out.t_.own);
  set_identity(out.i_.own);
  return out;
}

void Relevance::self(Side& s, ConstMatrixView a) {
  assert(queue_.empty() && a.rows == s.own.rows && a.columns == s.own.columns);
  queue_.product(a, s.own, s.square);
  if (!s.other_is_zero) queue_.product(a, s.other, s.increase);
  apply(s, true, !s.other_is_zero);
}

void Relevance::normalise() {
  if (rule_ == CrossRule::unnormalised) return;
  for (const Side* side : {&t_, &i_})
    queue_.then([from = side->own, to = side->square] {
      std::copy(from.data, from.data + from.size(), to.data);
      normalise_relevance(to);
    });
}

void Relevance::cross(Side& s, const Side& q, ConstMatrixView a) {
  assert(a.rows == s.own.rows && a.columns == q.own.rows);
  const bool plain = rule_ == CrossRule::unnormalised;
  const ConstMatrixView left = plain ? s.own : s.square, right = plain ? q.own : q.square;
  if (rule_ == CrossRule::causal) {
    queue_.product(a, right, s.increase);
  } else {
    const MatrixView between{between_, s.other.rows, s.other.columns};
    queue_.product(a, right, between);
    queue_.product(left, between, s.increase, true);
  }
}

void Relevance::grow_own(const Side& s, const Side& q, ConstMatrixView a) { queue_.product(a, q.other, s.square); }

void Relevance::apply(Side& s, bool own, bool other) {
  queue_.then([s, own, other] {
    if (own) add_to(s.own, s.square);
    if (other) add_to(s.other, s.increase);
  });
}

void Relevance::self_t(ConstMatrixView tt) { self(t_, tt); }
void Relevance::self_i(ConstMatrixView ii) { self(i_, ii); }

void Relevance::cross_t(ConstMatrixView ti) {
  assert(queue_.empty());
  normalise();
  cross(t_, i_, ti);
  const bool own = !i_.other_is_zero;
  if (own) grow_own(t_, i_, ti);
  apply(t_, own, true);
  t_.other_is_zero = false;
}

void Relevance::cross_both(ConstMatrixView ti, ConstMatrixView it) {
  assert(queue_.empty());
  normalise();
  cross(t_, i_, ti);
  cross(i_, t_, it);
  // From here on the scratch of R~ is free for what R_tt and R_ii grow by; nothing is added before both are known.
  const bool own_t = !i_.other_is_zero, own_i = !t_.other_is_zero;
  if (own_t) grow_own(t_, i_, ti);
  if (own_i) grow_own(i_, t_, it);
  apply(t_, own_t, true);
  apply(i_, own_i, true);
  t_.other_is_zero = i_.other_is_zero = false;
}

bool Relevance::step() { return queue_.step(); }
double Relevance::fraction() const { return queue_.fraction(); }

}  // namespace rollscope
