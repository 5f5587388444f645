// What a session holds: the open dump, its fused stacks and the matrices made from them. Private to src/app.
//
// Memory: one fused stack of the default fusion stays ([L][Q][K] of Real); another fusion lies beside it while all
// of those take at most 64 MB, else it takes its place and is read again on the way back. Single heads stay only
// where the whole stream takes at most 32 MB. Jobs hold what they use, so that nothing is freed under them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/limits.h"
#include "app/session.h"
#include "dump/dump.h"
#include "methods/buffer.h"
#include "methods/flow.h"
#include "methods/fusion.h"
#include "methods/gradients.h"
#include "methods/joint.h"
#include "methods/norms.h"
#include "methods/recipe.h"
#include "methods/relevance.h"
#include "methods/residual.h"
#include "methods/rollout.h"
#include "methods/sinks.h"
#include "methods/vit_explain.h"
#include "methods/words.h"

namespace rollscope {

// One matrix per layer: fused attention F, or the transfer matrix of another method (T, to be multiplied as it is).
struct FusedStack {
  Recipe key;  // stack_key() of the recipes that it serves
  bool joined = false;
  GradientStats gradients;
  RealBuffer data;
  std::vector<ConstMatrixView> layers;
  [[nodiscard]] StackView view() const { return {layers}; }
  [[nodiscard]] MatrixView layer(int l) const {
    const ConstMatrixView& m = layers[static_cast<std::size_t>(l)];
    return {const_cast<Real*>(m.data), m.rows, m.columns};  // of `data`
  }
};

// All rows of one recipe, before sinks are set aside and tokens merged.
struct ResultMatrix {
  Recipe recipe;
  RealBuffer data;
  MatrixView view;
  double distance = -1;
  std::vector<FlowFacts> flow;  // of each row, where the method is a flow
};

// The flow of one output.
struct FlowRow {
  Recipe recipe;
  int query = 0;
  std::vector<double> row;
  FlowFacts facts;
};

// The recipe that a stack was made for, without what does not matter to it.
[[nodiscard]] Recipe stack_key(const Recipe& recipe);
// Residual weight with which the layers of that stack are multiplied; 0 where they hold it already.
[[nodiscard]] double chain_residual(const DumpInfo& info, const Recipe& recipe);
// Keys that the recipe's sink mode acts on: the sinks, or where there are none the first token of a causal stream,
// which the mask alone makes absorb.
[[nodiscard]] std::vector<int> keys_set_aside(const Stream& stream, const Recipe& recipe, const StackStats& stats);

struct StreamData {
  StackStats stats;
  std::shared_ptr<const FusedStack> mean;                 // of all heads
  std::vector<std::shared_ptr<const FusedStack>> others;  // the newest last
  RealBuffer heads;        // [L][H][Q][K], rows normalised
  bool has_heads = false;  // whether `heads` holds them
  std::vector<std::shared_ptr<const ResultMatrix>> results;  // the newest last
  std::vector<std::shared_ptr<const FlowRow>> flow_rows;     // the newest last
};

struct OpenDump {
  Dump dump;
  std::shared_ptr<ByteSource> source;  // the file itself
  std::vector<StreamData> streams;  // parallel to dump.info.streams
};

struct Session::State {
  std::uint64_t memory_limit = kMemoryLimit;
  std::shared_ptr<OpenDump> open;
};

inline constexpr std::size_t kOtherStacksBytes = std::size_t{64} << 20;
inline constexpr std::size_t kHeadsBytes = std::size_t{32} << 20;
inline constexpr std::size_t kResultsBytes = std::size_t{24} << 20;
inline constexpr int kResultAtOnce = 512;  // tokens up to which every view is given the distance between its rows
inline constexpr std::size_t kFlowRows = 16;  // rows of flow that stay in memory

// A piece of work inside a job: done in steps, knows how far it is.
class Work {
 public:
  virtual ~Work() = default;
  [[nodiscard]] virtual Result<bool> step() = 0;
  [[nodiscard]] virtual JobProgress progress() const { return {}; }
};

// The stack of a recipe: found in memory, or read head by head, with the gradients beside it where it needs them.
class StackWork final : public Work {
 public:
  // `recipe`: resolved, but for its stream: of an encoder-decoder's three each has its own stack.
  // `joined`: for the rules that join them, which take the layers as they are, not as transfer matrices.
  StackWork(std::shared_ptr<OpenDump> open, int stream, const Recipe& recipe, bool joined);
  Result<bool> step() override;
  JobProgress progress() const override;
  [[nodiscard]] const std::shared_ptr<const FusedStack>& stack() const { return stack_; }

 private:
  Result<void> begin();
  Result<void> add_head(int layer, int head, bool first, bool last);
  void finish_layer(int layer);
  void merge_layer(int layer);
  // Of methods beyond fused attention (is_further): sets/all_methods.cpp.
  Result<void> add_further_head(int layer, int head, bool first, bool last);
  void finish_further_layer(int layer);
  void mix_further_residual(int layer);
  [[nodiscard]] MatrixView layer_matrix(int layer) const;
  [[nodiscard]] ExtraNumbers* extra(ExtraKind kind, const std::string& name) const;
  std::shared_ptr<OpenDump> open_;
  int stream_;
  Recipe key_;
  std::vector<int> read_;  // heads
  StackSource* gradients_ = nullptr;
  StackSource* norms_ = nullptr;
  std::shared_ptr<const FusedStack> stack_;
  std::shared_ptr<FusedStack> building_;
  std::unique_ptr<LayerFuser> fuser_;
  std::unique_ptr<GradientFuser> gradient_fuser_;
  std::unique_ptr<StoredFuser> stored_fuser_;
  std::unique_ptr<ValueNormFuser> norm_fuser_;
  std::vector<int> aside_;  // keys that are removed
  TokenGroups queries_, keys_;  // that are merged
  bool joined_ = false;
  RealBuffer scratch_, gradient_scratch_;
  std::size_t at_ = 0;
};

// The layers that a result is made from.
struct ResultInputs {
  std::shared_ptr<const FusedStack> stack;             // of the recipe's stream
  std::shared_ptr<const FusedStack> encoder, decoder;  // of methods that join them
};

// All rows of a recipe, and the largest distance between two of them.
class ResultWork final : public Work {
 public:
  ResultWork(std::shared_ptr<OpenDump> open, int stream, Recipe recipe, ResultInputs inputs);
  ~ResultWork() override;
  ResultWork(ResultWork&&) noexcept;
  Result<bool> step() override;
  JobProgress progress() const override;
  [[nodiscard]] const std::shared_ptr<const ResultMatrix>& result() const { return result_; }
  // The matrix where it is in memory already; null otherwise.
  [[nodiscard]] static std::shared_ptr<const ResultMatrix> find(const OpenDump& open, int stream, const Recipe& recipe);

 private:
  struct Maker;
  Result<void> begin();
  [[nodiscard]] int compared_rows() const;
  [[nodiscard]] double distance(int first, int end, int rows) const;
  std::shared_ptr<OpenDump> open_;
  int stream_;
  Recipe recipe_;
  ResultInputs inputs_;
  std::shared_ptr<const ResultMatrix> result_;
  std::shared_ptr<ResultMatrix> building_;
  std::unique_ptr<Maker> maker_;
  bool computed_ = false;
  int row_ = -1;  // next row of the distance
};

// A result in the making: its matrix is filled step by step.
class Making {
 public:
  virtual ~Making() = default;
  virtual Result<bool> step() = 0;  // true: finished
  [[nodiscard]] virtual double fraction() const { return 0; }
  [[nodiscard]] virtual std::vector<FlowFacts> facts() const { return {}; }
};
struct MakingInputs {
  const Recipe& recipe;
  const ResultInputs& stacks;
  std::vector<ConstMatrixView> layers;  // chain_layers(), of the recipe's stream
  double residual = 0;
  MatrixView out;
};

// --- What the small engine of a first visit does without: sets/all_methods.cpp, or the stubs of sets/first_methods.cpp.

// Whether this program has every method. Where it has not, questions about the others fail with more_needed.
[[nodiscard]] bool has_all_methods();
// Whether a stack is made of more than the attention's heads.
[[nodiscard]] bool is_further(Method method);
// Flow, joint rollout, relevance of two sides. Errors: out_of_memory.
[[nodiscard]] Result<std::unique_ptr<Making>> make_further_result(MakingInputs inputs);
// The flow of one output, which stays in memory and is handed to `done`.
[[nodiscard]] std::unique_ptr<Work> make_flow_row_work(std::shared_ptr<OpenDump> open, int stream, Recipe recipe, int query, std::shared_ptr<const FusedStack> stack,
                                                       std::function<void(std::shared_ptr<const FlowRow>)> done);

// --- Both have these.

// The flow of one output where it is in memory already; null otherwise.
[[nodiscard]] std::shared_ptr<const FlowRow> find_flow_row(const OpenDump& open, int stream, const Recipe& recipe, int query);
// The recipe of rows before sinks are set aside and tokens merged: what a ResultMatrix and a FlowRow hold.
[[nodiscard]] Recipe result_key(const Recipe& recipe);
[[nodiscard]] bool is_further_result(const Recipe& recipe, const ResultInputs& inputs);
// The layers that a chain multiplies, the one next to the input first.
[[nodiscard]] std::vector<ConstMatrixView> chain_layers(const FusedStack& stack, const Recipe& recipe);
// Whether all rows are more than a question about one of them may wait for.
[[nodiscard]] bool rows_are_many(const Recipe& recipe, const Stream& shown);

// What opening these streams takes, in bytes. A double holds any product of sizes.
struct OpenPlan {
  double total = 0;   // numbers to be read
  double kept = 0;    // fused stacks, and heads where they are few enough
  double needed = 0;  // with the two matrices of the largest stream that reading a head or rolling out needs besides
};
[[nodiscard]] OpenPlan plan_of(const std::vector<Stream>& streams);
// Whether the heads of a stream stay in memory beside its fused stack.
[[nodiscard]] bool keeps_heads(const Stream& stream);
// Errors: too_big, with what would fit: fewer layers, or fewer tokens. Number types and heads make no difference here.
[[nodiscard]] Result<void> check_memory(const std::vector<Stream>& streams, std::uint64_t limit);

// What can be shown while a stream is read: the row that the page shows first, through the layers read so far.
//
// A walk through k layers passes k matrices. It is left out where that would more than double the time of reading:
// where few heads have been read since the last one, and the matrices are large.
class PartialRow {
 public:
  // `recipe`: the default one of the stream, resolved. Nothing is computed before take() was called once: only who
  // asks pays. `info` must stay where it is.
  PartialRow(const DumpInfo& info, const Recipe& recipe);
  // `fused`: the layers read so far; they must stay where they are while it is walking().
  void layer_read(StackView fused);
  [[nodiscard]] bool walking() const { return walk_.has_value(); }
  void step();  // goes on for a few milliseconds
  // Job::partial().
  [[nodiscard]] std::string take();

 private:
  void write(std::span<const double> row);
  const Stream& stream_;
  Recipe recipe_;
  int query_, layers_ = 0, since_ = 0;
  bool useful_, wanted_ = false;
  std::optional<RolloutSweep> walk_;
  std::string text_;
};

// Reads one head and divides its rows by their sums; from memory where the heads are kept.
[[nodiscard]] Result<void> read_normalised_head(OpenDump& open, int stream, int layer, int head, MatrixView out);
// Whether this layer and head had no value in row `query`.
[[nodiscard]] bool row_is_empty(const OpenDump& open, int stream, int layer, int head, int query);
// A matrix below the diagonal, all of it: what the product may skip.
[[nodiscard]] inline bool lower_triangle(const Stream& stream) { return stream.causal && !stream.virtual_sink; }

// The open job (session_open.cpp) and the verbs (verbs_*.cpp).
[[nodiscard]] Result<std::unique_ptr<Job>> make_open_job(std::shared_ptr<Session::State> state, std::shared_ptr<ByteSource> source,
                                                         const std::string& args);

}  // namespace rollscope
