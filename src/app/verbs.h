// The questions that a session answers (app/session.h), each a Job. Private to src/app.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "analysis/shown_stream.h"
#include "app/session.h"
#include "app/session_state.h"
#include "app/verbs_args.h"
#include "app/verbs_json.h"
#include "base/archive.h"

namespace rollscope {

[[nodiscard]] std::string info_json(const DumpInfo& info);    // info.schema.json

// A verb in three parts: stages that need time, and an answer at the end.
class VerbJob final : public Job {
 public:
  using Stage = std::function<Result<std::unique_ptr<Work>>()>;  // made when its turn comes; null: nothing to do
  using Answer = std::function<Result<JobResult>()>;
  VerbJob(std::string file, std::vector<Stage> stages, Answer answer)
      : file_(std::move(file)), stages_(std::move(stages)), answer_(std::move(answer)) {}
  Result<bool> step() override;
  JobProgress progress() const override;
  JobResult result() override { return std::move(result_); }

 private:
  Result<bool> advance();
  std::string file_;
  std::vector<Stage> stages_;
  Answer answer_;
  std::unique_ptr<Work> work_;
  std::size_t at_ = 0;
  JobResult result_;
};

// What every question about numbers starts from.
struct Question {
  std::shared_ptr<OpenDump> open;
  int stream = 0;
  Recipe recipe;  // resolved
  int depth = 0;  // layers that the question looks through: those of the range, or below the state that is asked about
  Stream shown;   // rows and columns of the answer (analysis/shown_stream.h)
  MergeGroups groups;
  std::shared_ptr<const FusedStack> stack, by_max, encoder, decoder;
  std::shared_ptr<const FusedStack> attention;  // all heads by mean, to compare with; may be null
  std::shared_ptr<const ResultMatrix> result;
  std::shared_ptr<const FlowRow> flow_row;
  std::shared_ptr<Question> minus;  // the same question about the class that is subtracted; null: none is
  [[nodiscard]] const Stream& info() const { return open->dump.info.streams[static_cast<std::size_t>(stream)]; }
  [[nodiscard]] StreamData& data() const { return open->streams[static_cast<std::size_t>(stream)]; }
  [[nodiscard]] std::vector<ConstMatrixView> chain() const {
    auto layers = chain_layers(*stack, recipe);
    layers.resize(static_cast<std::size_t>(depth));
    return layers;
  }
  [[nodiscard]] double residual() const { return chain_residual(open->dump.info, recipe); }
  [[nodiscard]] bool is_flow() const { return recipe.method == Method::flow || recipe.method == Method::flow_normalised; }
  // Merged layers are multiplied; otherwise results are merged.
  [[nodiscard]] bool merged_after() const { return recipe.merge != Merge::pieces && recipe.merge_time == MergeTime::after; }
  // Rows of the stream that make row `query` of the answer, with their weights: [Q of the layers].
  [[nodiscard]] std::vector<double> start(int query) const;
  // Row `query` of the answer: sinks set aside, tokens merged, divided, the second class subtracted, as the recipe says. [K shown]
  [[nodiscard]] std::vector<double> row(int query) const;
  // The same before anything is subtracted.
  [[nodiscard]] std::vector<double> own_row(int query) const;
  // The same for several rows: the mean of their rows, and where its walk begins.
  [[nodiscard]] std::vector<double> start(std::span<const int> queries) const;
  [[nodiscard]] std::vector<double> row(std::span<const int> queries) const;
  // What uniform attention gives in its place; empty where that is not defined.
  [[nodiscard]] std::vector<double> chance(int query) const;
  // Keys of the answer that row `query` can see.
  [[nodiscard]] int visible(int query) const;
  // The same without a virtual sink: tokens, the first so many.
  [[nodiscard]] int seen(int query) const { return visible(query) - (shown.virtual_sink ? 1 : 0); }
  // Attention sinks, as keys of the answer, ascending; none where the method reads no attention, or in a joint row.
  [[nodiscard]] std::vector<int> sinks() const;
  // The row of a walk that begins at `above`; what is no sum is set right for output `query`.
  [[nodiscard]] std::vector<double> row_from(const std::vector<double>& above, int query) const;
  // A row over the layers' own keys, as row() gives it.
  [[nodiscard]] std::vector<double> finished(std::vector<double> row, int query) const;
};
[[nodiscard]] Result<std::shared_ptr<Question>> make_question(std::shared_ptr<OpenDump> open, const RecipeRequest& request);
[[nodiscard]] Result<std::shared_ptr<Question>> make_question(std::shared_ptr<OpenDump> open, const Args& recipe);
// The same for a verb that takes the options of a recipe beside its own: checks their names, and the item. Errors: unknown_option, usage, those of a recipe.
[[nodiscard]] Result<std::shared_ptr<Question>> make_question(std::shared_ptr<OpenDump> open, std::string_view verb, const Args& args,
                                                              std::initializer_list<std::string_view> own);
// The same for the option "recipe" of a verb of the page, an object.
[[nodiscard]] Result<std::shared_ptr<Question>> question_of(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<void> check_item(const Args& args, const Stream& stream);
// The option "row": a row of the answer; `otherwise` where it is missing; -1: all. Errors: bad_value, out_of_range.
[[nodiscard]] Result<int> asked_row(const Args& args, const Question& question, int otherwise);
// The row that is shown first, in rows of the answer.
[[nodiscard]] int first_row(const Question& question);
// Errors: usage, where the flow of all pairs (row -1, or merged rows) would take too long.
[[nodiscard]] Result<void> check_flow(const Question& question, int row);
[[nodiscard]] tl::unexpected<Error> out_of_range(std::string_view option, int value, int end);
// A job that answers about that dump.
[[nodiscard]] std::unique_ptr<Job> verb_job(const OpenDump& open, std::vector<VerbJob::Stage> stages, VerbJob::Answer answer);
// The text that a writer wrote.
[[nodiscard]] inline JobResult written(const rapidjson::StringBuffer& buffer) { return {{buffer.GetString(), buffer.GetSize()}, {}}; }
// The archive of a message of the page (analysis/view_data.h).
template <class Message>
[[nodiscard]] JobResult archived(Message& message) {
  ArchiveWriter archive;
  archive(message);
  return {{}, archive.take()};
}
// Stages that fill `stack` (with `encoder` and `decoder` where the method joins them), `by_max`, `result` and `flow_row`.
[[nodiscard]] std::vector<VerbJob::Stage> stack_stages(std::shared_ptr<Question> question);
[[nodiscard]] VerbJob::Stage by_max_stage(std::shared_ptr<Question> question);
// `attention`: the stack of the plain recipe with these heads; left out where its layers would have to be read again.
[[nodiscard]] VerbJob::Stage attention_stage(std::shared_ptr<Question> question);
[[nodiscard]] VerbJob::Stage result_stage(std::shared_ptr<Question> question, Recipe recipe);
// What one row of the answer needs beyond the stacks: the flow of that output; all rows where they are few, or where
// the method has no row without the others.
[[nodiscard]] VerbJob::Stage rows_stage(std::shared_ptr<Question> question, Recipe recipe, int query);

[[nodiscard]] Result<std::unique_ptr<Job>> make_verb_job(std::shared_ptr<OpenDump> open, const std::string& verb, const std::string& args);
// Those that a first visit does not ask: sets/all_verbs.cpp; in the small engine (sets/first_verbs.cpp) they fail with
// more_needed, and the page takes the whole one. A program links one of the two.
[[nodiscard]] Result<std::unique_ptr<Job>> make_further_verb_job(std::shared_ptr<OpenDump> open, const std::string& verb, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_info_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_explain_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_view_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_matrix_job(std::shared_ptr<OpenDump> open, const Args& args);
// wall {"recipe", "query": a row or -1} -> WallData; layers {"recipe", "query"} -> DepthData; picture {} -> Picture
// lines {"recipe", "layer"} -> LinesData; beside {"a": recipe, "b": recipe, "query", "query_b"} -> BesideData
[[nodiscard]] Result<std::unique_ptr<Job>> make_lines_job(std::shared_ptr<OpenDump> open, const Args& args);
// edge {"recipe", "layer", "query", "key"} -> EdgeData
[[nodiscard]] Result<std::unique_ptr<Job>> make_edge_job(std::shared_ptr<OpenDump> open, const Args& args);
// cut {"recipe": of a flow, "query", "key"} -> CutData
[[nodiscard]] Result<std::unique_ptr<Job>> make_cut_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_beside_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_wall_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_layers_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_picture_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_thumbs_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_heads_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_depth_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_compare_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_plan_job(std::shared_ptr<OpenDump> open, const Args& args);
// figure {"recipe", "query", "view", ...} -> JSON with the SVG text (app/session.h)
[[nodiscard]] Result<std::unique_ptr<Job>> make_figure_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_audit_job(std::shared_ptr<OpenDump> open, const Args& args);

}  // namespace rollscope
