// Attention Flow: how much one output could draw from one input if the attention weights were the widths of pipes.
//
//   nodes (l, i), l = 0 (inputs) ... L (outputs); arcs (l + 1, i) -> (l, j) of capacity A~_l[i][j]
//   A~_l = r I + (1 - r) F_l, exactly as for the rollout (methods/rollout.h): a row that is empty in F is e_i when
//   r > 0 and stays empty when r = 0
//   F[i][j] = maximum flow from (L, i) to (0, j), one independent problem per pair
//
// Source: Abnar & Zuidema, ACL 2020, arXiv 2005.00928, section 3. Maximum flow: Dinic 1970, on dense layer matrices.
//
// F[i][j] lies in [0, 1] where the rows of A~ sum to 1, and R[i][j] <= F[i][j] <= both end cuts: the sum of output i's
// row of the top layer and the sum of input j's column of the first layer. The pairs of one output are separate
// problems, so a row does not sum to 1: flow ranks, it does not apportion. Where the layers mix enough the flow sits at
// an end cut and says nothing about what lies between; whoever draws it also draws FlowFacts.
//
// A flow to an intermediate level, or from one (a row of F for the state after layer k), is the flow of that slice of
// the stack. Matrices that already hold their residual (norm-based ones, products) enter with residual 0.
//
// Values in double, with arcs narrower than 1e-12 counted as full: exact to about 1e-12 times the arcs of the cut.
// Entries of F that are not positive and finite carry nothing; sums of rows and columns must be finite.
// Layers are positions in the given stack. Where a function takes `residual`, a span [L] gives one for each layer.
//
// Cost, all inputs of one output: about L N^3 with few phases, each of which looks at an arc once; measured on a busy
// 2-core Xeon, 12 layers: 5 to 20 ms at N = 64, 25 to 110 ms at N = 128, .2 to .8 s at N = 256.
// All rows: N times that. Memory: 26 L N^2 bytes, whatever is asked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/matrix_view.h"

namespace rollscope {

class FlowSolver;

// Which end cut a flow reaches. Where both do, the output's.
enum class FlowEnd : std::uint8_t {
  none,    // below both: the narrow place lies inside
  output,  // the whole row of the output in the top layer flows
  input    // everything that the first layer reads of the input flows
};

// An arc of a minimum cut: layer `layer` lets token `from` (above) read token `to` (below) with this weight.
struct FlowArc {
  int layer = 0, from = 0, to = 0;
  double capacity = 0;
};

// One pair. The cut is the minimum cut nearest to the output: between the nodes that the residual graph of the finished
// flow still reaches from the output, and the others. Its arcs together are the bottleneck: every path runs through
// one of them, and each is full. The cut is the same whatever maximum flow was found.
struct FlowPair {
  double value = 0;
  FlowEnd end = FlowEnd::none;   // |value - end cut| <= 1e-9, end cuts over all tokens
  double certificate_error = 0;  // |value - capacity of the cut|: how far from proven optimal
  int cut_layer = -1;            // layer that holds most of the cut's capacity, the upper one of equals; -1: no path
  std::vector<double> cut_share; // [L] share of the cut's capacity in each layer, sums to 1; zeros: no path
  std::vector<FlowArc> cut;      // top layer first, rows in order; paths only, so at an end the arcs of that end
};

// What limits the pairs of one output, or of many.
struct FlowFacts {
  int pairs = 0;       // inputs times outputs
  int connected = 0;   // pairs with a path (causal: the inputs up to the output)
  int at_end_cut = 0;  // pairs whose flow is an end cut (FlowPair::end)
  // The range of the flow over connected inputs without the largest, the widest span over outputs for many; NaN where
  // fewer than two inputs are connected. Where it is narrow the row says that one token stands out, and nothing more.
  double lowest = 0, highest = 0;
  double certificate_error = 0;     // the worst
  std::vector<double> cut_share;    // [L] mean over connected pairs of FlowPair::cut_share: where the minimum cuts lie
  std::vector<int> cut_layer_pairs; // [L] connected pairs by FlowPair::cut_layer
  // Share of all pairs at an end cut, in [0, 1].
  [[nodiscard]] double saturation() const { return pairs > 0 ? static_cast<double>(at_end_cut) / pairs : 0.0; }
  // The same among connected pairs: causal rows have inputs that no path can reach. In [0, 1].
  [[nodiscard]] double connected_saturation() const {
    return connected > 0 ? static_cast<double>(at_end_cut) / connected : 0.0;
  }
};

// One pair with its cut. fused [L][N][N]. Errors: out_of_memory. Cost: L N^3 / 64 to find which tokens are connected,
// then a few L N^2.
[[nodiscard]] Result<FlowPair> flow_pair(StackView fused, double residual, int output, int input);
[[nodiscard]] Result<FlowPair> flow_pair(StackView fused, std::span<const double> residuals, int output, int input);

// All inputs of the outputs [first, end), in short steps, for callers that have other things to do in between: first the
// layers, one a step, then output by output. Longest step seen, 12 layers, on a busy machine: 11 ms at N = 64, 16 ms at
// N = 128, 19 ms at N = 256.
class FlowWork {
 public:
  // One output: row [N], the caller's memory. The layers must stay where they are until the last step.
  // Errors: out_of_memory.
  [[nodiscard]] static Result<FlowWork> start_row(StackView fused, double residual, int output, std::span<double> row);
  [[nodiscard]] static Result<FlowWork> start_row(StackView fused, std::span<const double> residuals, int output,
                                                  std::span<double> row);
  // All outputs: flow [N][N], the caller's memory, filled row by row. Errors: out_of_memory.
  [[nodiscard]] static Result<FlowWork> start(StackView fused, double residual, MatrixView flow);
  [[nodiscard]] static Result<FlowWork> start(StackView fused, std::span<const double> residuals, MatrixView flow);
  ~FlowWork();
  FlowWork(FlowWork&&) noexcept;
  FlowWork& operator=(FlowWork&&) noexcept;

  // True: finished.
  bool step();
  // Pairs done, in [0, 1].
  [[nodiscard]] double fraction() const;
  // Facts of each finished output, in order; one for a row.
  [[nodiscard]] const std::vector<FlowFacts>& facts() const { return facts_; }

 private:
  FlowWork() = default;
  [[nodiscard]] static Result<FlowWork> make(StackView fused, std::span<const double> residuals, int first, int end);
  void finish_input(double value);
  void finish_output();

  std::unique_ptr<FlowSolver> solver_;
  std::vector<ConstMatrixView> layers_;
  std::vector<double> residuals_;
  std::span<double> row_;      // where a single row goes
  MatrixView flow_;            // where all rows go
  std::vector<double> values_; // [N] the output in work
  std::vector<FlowFacts> facts_;
  FlowFacts current_;
  int first_ = 0, end_ = 0, output_ = 0, input_ = 0;
};

// Facts of many outputs as one.
[[nodiscard]] FlowFacts flow_facts(std::span<const FlowFacts> rows);

// The row divided by its sum, as the authors print it (mark P, `flow-normalised`): shares by force, no decomposition of
// anything. A row without a positive, finite sum is left as it is.
void flow_normalise(std::span<double> row);

}  // namespace rollscope
