// What a session holds: the open dump, its fused stacks and the matrices made from them. Private to src/app.
//
// Memory: one fused stack of the default fusion stays ([L][Q][K] of Real); another fusion lies beside it while all
// of those take at most 64 MB, else it takes its place and is read again on the way back. Single heads stay only
// where the whole stream takes at most 32 MB. Jobs hold what they use, so that nothing is freed under them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/limits.h"
#include "app/session.h"
#include "dump/dump.h"
#include "methods/buffer.h"
#include "methods/fusion.h"
#include "methods/recipe.h"
#include "methods/rollout.h"

namespace rollscope {

struct FusedStack {
  Fusion fusion = Fusion::mean;
  std::vector<int> heads;  // as in a resolved recipe
  RealBuffer data;
  std::vector<ConstMatrixView> layers;
  [[nodiscard]] StackView view() const { return {layers}; }
};

// All rows of one recipe.
struct ResultMatrix {
  Recipe recipe;
  RealBuffer data;
  MatrixView view;
  double distance = -1;
};

struct StreamData {
  StackStats stats;
  std::shared_ptr<const FusedStack> mean;                 // of all heads
  std::vector<std::shared_ptr<const FusedStack>> others;  // the newest last
  RealBuffer heads;        // [L][H][Q][K], rows normalised
  bool has_heads = false;  // whether `heads` holds them
  std::vector<std::shared_ptr<const ResultMatrix>> results;  // the newest last
};

struct OpenDump {
  Dump dump;
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

// A piece of work inside a job: done in steps, knows how far it is.
class Work {
 public:
  virtual ~Work() = default;
  [[nodiscard]] virtual Result<bool> step() = 0;
  [[nodiscard]] virtual JobProgress progress() const { return {}; }
};

// The fused stack of a recipe: found in memory, or read head by head.
class StackWork final : public Work {
 public:
  StackWork(std::shared_ptr<OpenDump> open, int stream, Fusion fusion, std::vector<int> heads);
  Result<bool> step() override;
  JobProgress progress() const override;
  [[nodiscard]] const std::shared_ptr<const FusedStack>& stack() const { return stack_; }

 private:
  Result<void> begin();
  std::shared_ptr<OpenDump> open_;
  int stream_;
  Fusion fusion_;
  std::vector<int> heads_, read_;
  std::shared_ptr<const FusedStack> stack_;
  std::shared_ptr<FusedStack> building_;
  std::unique_ptr<LayerFuser> fuser_;
  RealBuffer scratch_;
  std::size_t at_ = 0;
};

// All rows of a recipe, and the largest distance between two of them.
class ResultWork final : public Work {
 public:
  ResultWork(std::shared_ptr<OpenDump> open, int stream, Recipe recipe, std::shared_ptr<const FusedStack> stack);
  Result<bool> step() override;
  JobProgress progress() const override;
  [[nodiscard]] const std::shared_ptr<const ResultMatrix>& result() const { return result_; }
  // The matrix where it is in memory already; null otherwise.
  [[nodiscard]] static std::shared_ptr<const ResultMatrix> find(const OpenDump& open, int stream, const Recipe& recipe);

 private:
  std::shared_ptr<OpenDump> open_;
  int stream_;
  Recipe recipe_;
  std::shared_ptr<const FusedStack> stack_;
  std::shared_ptr<const ResultMatrix> result_;
  std::shared_ptr<ResultMatrix> building_;
  std::unique_ptr<RolloutWork> rollout_;
  bool computed_ = false;
  int row_ = -1;  // next row of the distance
};

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
