// The paths behind one explanation: how much of the backward walk from an output passes each token of each layer,
// and each connection between two layers.
//
//   v_L = e_i,  v_{l-1} = v_l A~_l            mass of the tokens, level by level (methods/rollout.h)
//   edge (l + 1, a) -> (l, b) weighs v_{l+1}[a] (1 - r) F_l[a][b]
//
// An edge's weight is the chance that a backward random walk from the output takes it: not conserved information.
// Levels count states: 0 is the input, L the output. Residual and own attention (a = b) stand apart from the edges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix_view.h"

namespace rollscope {

// A path weight between a token of level l + 1 and one of level l, from != to (cross attention: any two).
// The offsets say where the ribbon leaves and arrives, as weight counted from the node's left end: both ends are
// packed in token order, hidden edges included, so widths at a node add up to its mass.
struct Edge {
  std::int32_t from = 0, to = 0;
  float weight = 0;
  float from_offset = 0, to_offset = 0;
};
template <class A> void fields(A& a, Edge& e) { a(e.from, e.to, e.weight, e.from_offset, e.to_offset); }

// What passes between level l + 1 and level l.
struct Gap {
  float residual = 0;   // summed weight that stays in place by the residual connection
  float own = 0;        // summed attention of tokens to themselves
  float others = 0;     // summed attention to other tokens, the sink included
  float sink = 0;       // part of others + own that goes to a sink key
  // For row-stochastic recipes residual + own + others = 1; where empty rows lose weight it is the total that is printed.
  std::vector<float> residual_at, own_at;                // [N] per token, from = to; cross attention: [max(Q, K)] zeros
  std::vector<float> residual_from_offset, residual_to_offset;  // [N] as in Edge; own attention follows at its right
  std::vector<Edge> edges;  // the strongest first; as many as carry 99.9 % of `others`, at most kMaxEdges
};
template <class A> void fields(A& a, Gap& g) {
  a(g.residual, g.own, g.others, g.sink, g.residual_at, g.own_at, g.residual_from_offset, g.residual_to_offset, g.edges);
}
inline constexpr int kMaxEdges = 16384;  // of one gap: 128 tokens all to all; of 222 tokens 4096 carry 58 % of a layer

// The gap below the tokens `above`.
//   above [Q] mass of each token of level l + 1; fused [Q][K]; sinks: keys that count as sinks
//   same_tokens: row j and column j are one token: the diagonal is own attention (cross attention: false)
// Cost: Q K, and the sorting of at most 2 kMaxEdges edges now and then.
[[nodiscard]] Gap path_gap(std::span<const double> above, ConstMatrixView fused, double residual, bool same_tokens,
                           std::span<const int> sinks);

}  // namespace rollscope
