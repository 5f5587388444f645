// Exact maximum flow through the layers of a stack, one (output, input) pair at a time; methods/flow.h is the door.
//
// Level l = 0 (inputs) ... L (outputs) has N nodes; layer l has the arcs (l + 1, i) -> (l, j) of capacity A~_l[i][j].
// Dinic's algorithm with current arcs on dense layer matrices. What makes it fast:
//   - the inputs of one output differ only in the capacities of the last arcs, column j of layer 0. So the flow of the
//     input before is kept, what no longer fits is taken back, and the rest is found by augmenting. (The flows that
//     can leave level 1 form a polymatroid, so what fits is never undone.) Starting from zero took 1.3 to 2.6 times as
//     long (12 layers, N = 64 to 256);
//   - a pair is finished as soon as its flow reaches one of the two end cuts.
// After every pair the nodes that the residual graph reaches from the output are found, so each value comes with its
// minimum cut: an independent proof of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/matrix_view.h"
#include "methods/buffer.h"

namespace rollscope {

class FlowSolver {
 public:
  // Errors: out_of_memory. Memory: 26 bytes for each of the L N^2 arcs.
  [[nodiscard]] static Result<FlowSolver> make(int depth, int tokens);

  // Layers in order, the one next to the input first; all of them before begin(). `fused` [N][N], read only here;
  // entries that are not positive and finite carry nothing. Cost: N^2 (1 + N / 64).
  void add_layer(ConstMatrixView fused, double residual);
  [[nodiscard]] int layers_added() const { return added_; }
  [[nodiscard]] int depth() const { return depth_; }
  [[nodiscard]] int tokens() const { return n_; }

  // The output of the pairs that follow. Cost: L N^2.
  void begin(int output);
  // The value for `input`, in [0, smaller end cut]. Its cut can be asked for until the next call.
  double solve(int input);

  // Of the last pair:
  [[nodiscard]] bool reachable() const { return reachable_; }  // some path leads from the output to the input
  [[nodiscard]] double cut_value() const { return cut_value_; }
  [[nodiscard]] std::span<const double> cut_by_layer() const { return cut_by_layer_; }  // [L] capacity in each layer
  // Calls arc(layer, from, to, capacity) for every arc of the cut, from the top layer down, rows in order.
  template <class F> void each_cut_arc(F&& arc) const;
  // Whole end cuts, over all tokens, whether a path leads there or not.
  [[nodiscard]] double output_sum() const { return output_sum_; }
  [[nodiscard]] double input_sum(int input) const { return input_sums_[static_cast<std::size_t>(input)]; }

  // Arcs looked at so far: a measure of time, about 1 to 3 ns each. The caller may set it back.
  double work = 0;

 private:
  FlowSolver() = default;
  struct Hop {
    double *left, *back;
  };
  [[nodiscard]] std::size_t at(int layer, int row, int column = 0) const {
    const auto n = static_cast<std::size_t>(n_);
    return (static_cast<std::size_t>(layer) * n + static_cast<std::size_t>(row)) * n + static_cast<std::size_t>(column);
  }
  [[nodiscard]] std::size_t node(int level, int token) const {
    return static_cast<std::size_t>(level) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(token);
  }
  [[nodiscard]] bool leads_to(int level, int token, int input) const;
  void find_nodes();
  void take_back();
  bool label_from_input();
  void augment();
  void push(std::size_t last);
  void find_cut();

  int n_ = 0, depth_ = 0, added_ = 0, output_ = 0, input_ = 0;
  std::size_t words_ = 0;                    // 64-bit words of a set of tokens
  Buffer<double> capacity_;                  // [L][N][N]
  Buffer<double> down_;                      // [L][N][N] capacity left
  Buffer<double> up_;                        // [L][N][N] flow, transposed: up(l, b, a) on (l + 1, a) -> (l, b)
  Buffer<std::uint16_t> columns_;            // [L][N][N] columns with a positive capacity, first of each row
  std::vector<int> arcs_;                    // [L][N] how many they are
  std::vector<std::uint64_t> leads_;         // [L + 1][N][words] tokens of a level from which an input can be reached
  std::vector<double> input_sums_;           // [N]
  std::vector<std::uint8_t> below_output_;   // [L + 1][N] reached from the output
  std::vector<std::vector<int>> nodes_;      // [L + 1] tokens of each level on some path of the pair
  std::vector<double> limit_, left_, sent_;  // [N] arcs of layer 0 into the input: capacity, rest, flow
  std::vector<double> excess_, excess_above_;
  std::vector<int> distance_, current_;      // [L + 1][N]; distance to the input, -1: none or given up
  std::vector<std::size_t> queue_, path_;    // nodes
  std::vector<Hop> hops_;
  std::vector<std::vector<int>> waiting_;    // [L + 1] tokens not yet labelled
  std::vector<std::uint8_t> source_side_;    // [L + 1][N] of the last minimum cut
  std::vector<double> cut_by_layer_;
  double output_sum_ = 0, bound_ = 0, value_ = 0, cut_value_ = 0;
  bool reachable_ = false;
};

template <class F> void FlowSolver::each_cut_arc(F&& arc) const {
  if (!reachable_) return;
  for (int l = depth_ - 1; l >= 0; --l)
    for (const int a : nodes_[static_cast<std::size_t>(l) + 1]) {
      if (!source_side_[node(l + 1, a)]) continue;
      for (const int b : nodes_[static_cast<std::size_t>(l)])
        if (const double c = capacity_.data()[at(l, a, b)]; !source_side_[node(l, b)] && c > 0) arc(l, a, b, c);
    }
}

}  // namespace rollscope
