// What a session holds: the open dump, its fused stacks and the matrices made from them. Private to src/app.
//
// Memory: one fused stack of the default fusion stays ([L][Q][K] of Real); another fusion lies beside it while all
// of those take at most 64 MB, else it takes its place and is read again on the way back. Single heads stay only
// where the whole stream takes at most 32 MB. Jobs hold what they use, so that nothing is freed under them.
#pragma once

#include <memory>
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
