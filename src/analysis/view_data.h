// All that a screen needs to know about one chosen output under one recipe: the row, its chance, its doubt, the
// paths behind it. Made by the engine in one go (analysis/explain_view.h), so that the first frame after a click
// carries the final numbers and geometry; sent to the page as an archive (base/archive.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dump/dump.h"
#include "methods/paths.h"
#include "methods/recipe.h"

namespace rollscope {

struct ViewRequest {
  Recipe recipe;
  int query = 0;   // the chosen output: a row of the stream
  // The state asked about: 0 is the input, depth (layers in the range) the output; -1: the output. A node clicked
  // inside the graph asks the same question from that layer.
  int level = -1;
};

// A second opinion on the same question.
struct OtherRecipe {
  Recipe recipe;
  int first = -1;   // key with the largest weight
  double rho = 0;   // Spearman, average ranks, against the row; sinks left out of both; NaN: undefined
};
template <class A> void fields(A& a, OtherRecipe& o) { a(o.recipe, o.first, o.rho); }

struct ViewData {
  Recipe recipe;  // resolved: stream named, end_layer set
  int query = 0;
  std::vector<int> rows;  // averaged: `row` is the mean of theirs, `query` the first of them; empty: the row of `query` alone
  int level = 0;       // of the state that is explained; depth() for the output
  bool stochastic = true;  // the row sums to 1 within 1e-3: percentages are shares of 100
  bool is_signed = false;  // numbers below zero mean something
  std::vector<float> row;      // [K]
  std::vector<float> uniform;  // [K] chance: uniform attention, same mask and residual; empty: not defined
  std::vector<float> low, high;  // [K] range over residual .25 to .9; empty for raw attention
  double sum = 0;              // of the row
  std::vector<std::vector<float>> states;  // [level + 1][N] mass of every node, sinks included. One matrix: [2]; scores
                                           // that are no shares are divided by the largest
  std::vector<Gap> gaps;       // [level]; gaps[l] joins level l + 1 to level l. One matrix: one

  std::vector<int> sinks;      // keys that the colour scale leaves out (analysis/limits.h)
  double spread = 0;           // perplexity of the row: "6.4 of 13"
  int visible = 0;             // keys that the row can see
  double spread_without = 0;   // without sinks, or without the dominant token; 0: nothing to leave out
  int left_out = -1;           // the key left out for it; -1: none
  double rows_distance = -1;   // largest total variation between two rows of the matrix; -1: not known yet
  int first = -1;              // key with the largest weight
  double itself_from = -1;     // residual in (.25, .9] from which the token itself is first; -1: never, or already
  int first_other = -1;        // another key that comes first for some residual in the range; -1: none
  std::vector<OtherRecipe> others;
  Report limits;               // what this picture cannot say
};
template <class A> void fields(A& a, ViewData& v) {
  a(v.recipe, v.query, v.rows, v.level, v.stochastic, v.is_signed, v.row, v.uniform, v.low, v.high, v.sum, v.states, v.gaps, v.sinks, v.spread,
    v.visible, v.spread_without, v.left_out, v.rows_distance, v.first, v.itself_from, v.first_other, v.others, v.limits);
}

// One matrix for the heatmap.
enum class MatrixKind : std::uint8_t { result, after_layer, fused_layer, head };
struct MatrixRequest {
  Recipe recipe;
  MatrixKind kind = MatrixKind::result;
  int layer = 0;  // stored layer, for all but result
  int head = 0;
};
struct MatrixData {
  MatrixKind kind = MatrixKind::result;
  int layer = 0, head = 0;
  int rows = 0, columns = 0;
  bool causal = false;         // cells above the diagonal do not exist
  std::vector<float> values;   // [rows][columns]; NaN: no value
  std::vector<float> column_mean;  // [columns], over the rows that can see the key
  std::vector<float> row_spread;   // [rows] perplexity
  double rows_distance = -1;   // as in ViewData
};
template <class A> void fields(A& a, MatrixData& m) {
  a(m.kind, m.layer, m.head, m.rows, m.columns, m.causal, m.values, m.column_mean, m.row_spread, m.rows_distance);
}

// Small pictures of the rollout after each layer, max-pooled to at most 64 x 64.
struct ThumbData {
  int rows = 0, columns = 0;
  std::vector<std::vector<float>> layers;  // [depth][rows * columns]
};
template <class A> void fields(A& a, ThumbData& t) { a(t.rows, t.columns, t.layers); }

// The wall: every head of a stream as a small picture, with what it does.
struct HeadNote {
  std::uint8_t role = 0;   // HeadRole (analysis/head_scores.h)
  float score = 0;         // mean weight on the role's keys; mixed: of the most read key
  int key = -1;            // the key that it reads most, over all rows
  float share = 0;         // its mean weight
  float spread = 0;        // entropy over that of uniform attention, in [0, 1]
  float distance = 0;      // tokens
  float previous = 0, next = 0, self = 0, first = 0, delimiter = 0, duplicate = 0, induction = 0;  // mean weight; NaN: no such rows
};
template <class A> void fields(A& a, HeadNote& n) {
  a(n.role, n.score, n.key, n.share, n.spread, n.distance, n.previous, n.next, n.self, n.first, n.delimiter, n.duplicate, n.induction);
}
inline constexpr double kWallPower = 0.6;  // cells hold 255 w^power: weak weights stay apart
struct WallData {
  int layers = 0, heads = 0;
  int rows = 0, columns = 0;          // of a picture: the matrix, max-pooled
  std::vector<std::uint8_t> cells;    // [layers][heads][rows][columns]
  std::vector<HeadNote> notes;        // [layers][heads]
  std::vector<float> row;             // [layers][heads][keys] weights of one row, where the wall was asked for one; else empty
  int keys = 0;
};
template <class A> void fields(A& a, WallData& w) { a(w.layers, w.heads, w.rows, w.columns, w.cells, w.notes, w.row, w.keys); }

// Measures of the result after each layer of the range (analysis/depth.h).
struct DepthData {
  int first_layer = 0;
  std::vector<float> entropy, perplexity, effective_rank, distance, dobrushin, top_share, sink_mass, gini;  // [depth]; NaN: not measured
  std::vector<int> top_key;
  std::vector<std::vector<float>> rows;  // [depth][K] the chosen row after each layer
  int collapsed_from = -1, similar_from = -1;
};
template <class A> void fields(A& a, DepthData& d) {
  a(d.first_layer, d.entropy, d.perplexity, d.effective_rank, d.distance, d.dobrushin, d.top_share, d.sink_mass, d.gini, d.top_key, d.rows,
    d.collapsed_from, d.similar_from);
}

// The strongest keys of every row of every head of one layer, as the two columns of the Lines view join them.
inline constexpr int kLineKeys = 8;
struct LinesData {
  int layer = 0, heads = 0, queries = 0, keys = 0;
  int most = 0;                // keys kept of a row: at most kLineKeys
  std::vector<int> key;        // [heads][queries][most], the heaviest first; -1: none
  std::vector<float> weight;   // [heads][queries][most]
};
template <class A> void fields(A& a, LinesData& l) { a(l.layer, l.heads, l.queries, l.keys, l.most, l.key, l.weight); }

// The heads that make one edge of the graph.
struct EdgeData {
  int layer = 0, query = 0, key = 0;
  std::vector<float> heads;  // [heads] weight that each gives to that key
};
template <class A> void fields(A& a, EdgeData& e) { a(e.layer, e.query, e.key, e.heads); }

// The bottleneck of one flow (methods/flow.h, FlowPair): the arcs of its minimum cut, the widest first, at most kCutArcs.
inline constexpr std::size_t kCutArcs = 64;
struct CutArc {
  int layer = 0, from = 0, to = 0;  // stored layer; tokens above and below
  double capacity = 0;
};
template <class A> void fields(A& a, CutArc& c) { a(c.layer, c.from, c.to, c.capacity); }
struct CutData {
  int query = 0, key = 0;
  double flow = 0;
  std::uint8_t end = 0;  // FlowEnd: 0 inside, 1 at the output, 2 at the input
  int layer = -1;        // stored layer that holds most of the cut; -1: no path
  int arcs_all = 0;
  std::vector<CutArc> arcs;
};
template <class A> void fields(A& a, CutData& c) { a(c.query, c.key, c.flow, c.end, c.layer, c.arcs_all, c.arcs); }

// Two recipes about the same tokens, A and B. Sinks of A or B are left out of the measures, as everywhere on screen.
struct Measures {
  double spearman = 0, kendall = 0, cosine = 0, js_bits = 0, total_variation = 0, top = 0;  // NaN: undefined; top: keys in common
  int keys = 0, tied_a = 0, tied_b = 0;  // compared; with an equal on their own side
};
template <class A> void fields(A& a, Measures& m) {
  a(m.spearman, m.kendall, m.cosine, m.js_bits, m.total_variation, m.top, m.keys, m.tied_a, m.tied_b);
}
inline constexpr int kBesideTop = 3;
inline constexpr int kBesideSide = 512;  // rows and keys up to which both matrices come whole
struct BesideData {
  Recipe a, b;               // resolved
  int query = 0, query_b = 0;             // the outputs compared: the same, unless B's is held
  std::vector<float> row_a, row_b;        // [K]
  std::vector<int> sinks;                 // keys left out of the measures
  Measures row, rows;                     // of the chosen output; the mean over all, where the matrices are here
  int queries = 0, keys = 0;              // of the matrices; 0: too many
  bool causal = false;
  std::vector<float> matrix_a, matrix_b;  // [queries][keys]
};
template <class A> void fields(A& a, BesideData& b) {
  a(b.a, b.b, b.query, b.query_b, b.row_a, b.row_b, b.sinks, b.row, b.rows, b.queries, b.keys, b.causal, b.matrix_a, b.matrix_b);
}

}  // namespace rollscope
