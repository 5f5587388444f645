// One open dump and what is asked of it: the engine without a screen. The command line, the worker of the page and
// the tests all speak to this class, so an answer is the same everywhere.
//
// Work that can take long is a Job, advanced in small steps: the worker looks at its messages between two steps, so
// progress is true and cancelling needs no thread. A job that fails or is cancelled changes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/view_data.h"
#include "base/byte_source.h"
#include "base/error.h"
#include "io/importer.h"

namespace rollscope {

struct JobProgress {
  double fraction = 0;       // in [0, 1]
  std::uint64_t bytes = 0;   // read so far
  std::uint64_t total = 0;   // to be read
  int layer = 0, layers = 0; // "layer 5 of 12"
  std::uint64_t kept = 0;    // opening: bytes that stay in memory once heads are fused; 0 elsewhere
};

// What a finished job has to say: JSON text for scripts (contracts), an archive for the page, or both.
struct JobResult {
  std::string json;
  std::vector<std::uint8_t> blob;
};

class Job {
 public:
  virtual ~Job() = default;
  // Does a piece of work of a few milliseconds (one head, one block of rows). True: finished.
  [[nodiscard]] virtual Result<bool> step() = 0;
  [[nodiscard]] virtual JobProgress progress() const = 0;
  [[nodiscard]] virtual JobResult result() = 0;  // after step() returned true, once
  // What can be shown before the end, as JSON text; "" while there is nothing new since the last call. Opening gives,
  // after each layer of the stream that is shown first, one row of the rollout through the layers read so far; a cross
  // stream alone: the raw row of the newest layer. At most 4096 tokens; with longer texts there is nothing. Who never
  // calls this does not pay for it.
  //   {"stream": "self", "query": 0, "layers": 3, "of": 12, "tokens": ["[CLS]", ..], "weights": [0.61, ..]}
  [[nodiscard]] virtual std::string partial() { return ""; }
};

inline constexpr std::uint64_t kMemoryLimit = std::uint64_t{1} << 31;
inline constexpr std::uint64_t kPreviewBytes = std::uint64_t{64} << 20;

class Session {
 public:
  // memory_limit: bytes that a dump may take, opened and with all rows of one recipe computed. More is refused with
  // too_big before anything is allocated.
  explicit Session(std::uint64_t memory_limit = kMemoryLimit);
  ~Session();

  // Opens a dump beside the one that is open; only the finished job replaces it.
  //   args: {"name": "...", "assume": {...}, "item": 0, "beside": [{"name": "tokens.txt", "text": "..."}]}
  // Result: info.schema.json, and a DumpInfo archive. With "describe": true a transposed or logit dump is described
  // instead of refused (`rollscope info`). With "preview": true nothing is replaced: the blob is then a MatrixData
  // archive of the rollout of the stream that opens first, so that two readings can be shown side by side; files over
  // kPreviewBytes are refused with too_big.
  [[nodiscard]] Result<std::unique_ptr<Job>> open(std::shared_ptr<ByteSource> source, const std::string& args);

  // Answers a question about the open dump. Verbs, with args as JSON objects:
  //   info     {}                 -> info.schema.json
  //   explain  contracts' options -> explain.schema.json
  //   view     ViewRequest        -> ViewData archive     {"recipe": {...}, "query": 0, "level": -1}
  //                                                       "rows": [9, 10] for "query": the mean of their rows
  //   matrix   MatrixRequest      -> MatrixData archive   {"recipe": {...}, "kind": "result", "layer": 0, "head": 0}
  //            kinds: result, after_layer, fused_layer, head
  //   thumbs   {"recipe": {...}}  -> ThumbData archive
  //   wall     {"recipe": {...}, "query": -1}  -> WallData archive: every head of the stream
  //   layers   {"recipe": {...}, "query": 0}   -> DepthData archive: the result after each layer
  //   picture  {}                              -> Picture archive
  //   heads    {"stream", "heads", "layers", "height"}  -> JSON, and a HeadTable archive (analysis/head_table.h)
  //   depth    a recipe                                 -> JSON: measures after each layer, and the verdict
  //   compare  {"a": recipe, "b": recipe | "uniform", "row": 8 | "all", "k": 5, "without": "none" | "specials" | "sinks"}
  //   plan     a recipe, and "row", "random", "seed", "keep": "specials" | "none" | [0, 12]  -> analysis/removal_plan.h
  //   audit    a recipe, and "row", "k"                 -> one sheet about one row, with the file's SHA-256
  //   link     {"recipe", "query", "state", "text": true, "base", "budget", "payload", "src"}  -> link.schema.json, with the
  //            ladder of links and what fits which budget. "state": JSON that the link carries as it is
  //   unlink   {"link": text, "weights": true}          -> what a link holds; no dump need be open
  //   figure   {"recipe": {...}, "query", "view": "row" | "matrix" | "graph" | "heads" | "depth" | "compare"}
  //            -> {"view", "query", "width", "height", "svg"}: the view as SVG (figure/figure.h). Further: "theme": "light" | "dark",
  //            "ground": "theme" | "transparent", "width": "85mm" | "170mm" | 640, "language": "en" | "fr" | "ja",
  //            "caption": "none", or words in the recipe's place, "limits": sentences, one a line; "keep" (graph);
  //            "curve": "linear" | "log" | "per_row", "kind", "layer", "head" (matrix); "b": a recipe (compare)
  // A recipe is {"method", "stream", "fusion", "heads": [0, 3], "residual", "layers": [0, 4]}; what is missing takes
  // the default of the contracts, an end of -1 is the last layer.
  // Errors: no_dump, and the usage errors.
  [[nodiscard]] Result<std::unique_ptr<Job>> ask(const std::string& verb, const std::string& args);

  [[nodiscard]] bool has_dump() const;

  struct State;  // app/session_state.h

 private:
  std::shared_ptr<State> state_;
};

// Runs a job to its end.
[[nodiscard]] Result<JobResult> finish(Job& job);

}  // namespace rollscope
