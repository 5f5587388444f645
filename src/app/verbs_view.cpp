// What the page draws: one chosen output, one matrix, small pictures of every layer. Answers are archives.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/explain_view.h"
#include "analysis/measures.h"
#include "app/verbs.h"
#include "base/text.h"

namespace rollscope {
namespace {

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();
constexpr int kThumbSide = 64;

// Copies a matrix and measures its columns and rows.
void fill(MatrixData& out, const Stream& stream, ConstMatrixView matrix, const std::vector<std::uint8_t>& empty) {
  out.rows = std::min(matrix.rows, real_queries(stream));
  out.columns = matrix.columns;
  out.causal = lower_triangle(stream) && matrix.rows == matrix.columns;
  out.values.reserve(static_cast<std::size_t>(out.rows) * static_cast<std::size_t>(out.columns));
  const auto columns = static_cast<std::size_t>(out.columns);
  std::vector<double> sums(columns, 0.0), row(columns);
  std::vector<int> seen(columns, 0);
  for (int i = 0; i < out.rows; ++i) {
    const auto from = matrix.row(i);
    if (!empty.empty() && empty[static_cast<std::size_t>(i)]) {
      out.values.insert(out.values.end(), columns, kNoValue);
      out.row_spread.push_back(kNoValue);
      continue;
    }
    for (std::size_t j = 0; j < columns; ++j) {
      out.values.push_back(static_cast<float>(from[j]));
      row[j] = static_cast<double>(from[j]);
      if (out.causal && static_cast<int>(j) > i) continue;
      sums[j] += row[j];
      ++seen[j];
    }
    out.row_spread.push_back(static_cast<float>(spread(row)));
  }
  for (std::size_t j = 0; j < columns; ++j) out.column_mean.push_back(seen[j] ? static_cast<float>(sums[j] / seen[j]) : kNoValue);
}

// All rows of the answer.
void fill_result(MatrixData& out, const Question& q) {
  const bool one = q.result->view.rows == 1 && q.shown.queries != 1;  // stored for one output
  const int rows = one ? 1 : q.shown.queries;
  const auto columns = static_cast<std::size_t>(q.shown.keys);
  std::vector<Real> all;
  all.reserve(static_cast<std::size_t>(rows) * columns);
  for (int i = 0; i < rows; ++i)
    for (const double x : q.row(i)) all.push_back(static_cast<Real>(x));
  fill(out, q.shown, {all.data(), rows, q.shown.keys}, {});
}

std::vector<float> max_pooled(ConstMatrixView m, int rows, int columns) {
  std::vector<float> out(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), 0.0f);
  for (int i = 0; i < m.rows; ++i)
    for (int j = 0; j < m.columns; ++j) {
      const auto at = static_cast<std::size_t>(static_cast<long long>(i) * rows / m.rows * columns + static_cast<long long>(j) * columns / m.columns);
      out[at] = std::max(out[at], static_cast<float>(m(i, j)));
    }
  return out;
}

// The result after each layer of the range, made smaller as it goes by.
class ThumbWork final : public Work {
 public:
  ThumbWork(std::shared_ptr<Question> question, std::shared_ptr<ThumbData> out) : q_(std::move(question)), out_(std::move(out)) {}
  Result<bool> step() override {
    if (layers_.empty()) layers_ = q_->chain();
    const int rows = layers_[0].rows, columns = layers_[0].columns;
    out_->rows = std::min(kThumbSide, rows);
    out_->columns = std::min(kThumbSide, columns);
    if (!multiplies(q_->info(), q_->recipe)) {
      out_->layers.push_back(max_pooled(layers_[out_->layers.size()], out_->rows, out_->columns));
      return out_->layers.size() == layers_.size();
    }
    if (!work_) {
      auto memory = RealBuffer::make(layers_[0].size());
      if (!memory) return tl::unexpected(std::move(memory.error()));
      memory_ = std::move(*memory);
      auto work = RolloutWork::start({layers_}, q_->residual(), lower_triangle(q_->info()) && q_->recipe.merge == Merge::pieces, memory_.matrix(0, rows, columns));
      if (!work) return tl::unexpected(std::move(work.error()));
      work_ = std::make_unique<RolloutWork>(std::move(*work));
      return false;
    }
    const bool done = work_->step();
    if (work_->completed() >= 0) out_->layers.push_back(max_pooled(work_->completed_matrix(), out_->rows, out_->columns));
    return done;
  }
  JobProgress progress() const override { return {work_ ? work_->fraction() : 0}; }

 private:
  std::shared_ptr<Question> q_;
  std::shared_ptr<ThumbData> out_;
  std::vector<ConstMatrixView> layers_;
  RealBuffer memory_;
  std::unique_ptr<RolloutWork> work_;
};

// The row under other residual weights, a layer at a time.
class SweepWork final : public Work {
 public:
  SweepWork(RolloutSweep sweep, std::shared_ptr<std::unique_ptr<RolloutSweep>> out) : sweep_(std::move(sweep)), out_(std::move(out)) {}
  Result<bool> step() override {
    if (!sweep_.step()) return false;
    *out_ = std::make_unique<RolloutSweep>(std::move(sweep_));
    return true;
  }

 private:
  RolloutSweep sweep_;
  std::shared_ptr<std::unique_ptr<RolloutSweep>> out_;
};

}  // namespace

Result<std::unique_ptr<Job>> make_view_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("view", {"recipe", "query", "rows", "level"}); !known) return tl::unexpected(std::move(known.error()));
  auto question = question_of(std::move(open), args);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  auto query = args.integer("query", 0);
  if (!query) return tl::unexpected(std::move(query.error()));
  if (*query < 0 || *query >= q->shown.queries) return out_of_range("query", *query, q->shown.queries);
  auto rows = args.integers("rows");
  if (!rows) return tl::unexpected(std::move(rows.error()));
  std::sort(rows->begin(), rows->end());
  rows->erase(std::unique(rows->begin(), rows->end()), rows->end());
  for (const int row : *rows)
    if (row < 0 || row >= q->shown.queries) return out_of_range("rows", row, q->shown.queries);
  if (!rows->empty()) query = rows->front();
  if (rows->size() < 2) rows->clear();
  if (!rows->empty())
    if (auto fits = check_flow(*q, -1); !fits) return tl::unexpected(std::move(fits.error()));
  auto level = args.integer("level", -1);
  if (!level) return tl::unexpected(std::move(level.error()));
  if (*level < -1 || *level > q->depth) return out_of_range("level", *level, q->depth + 1);
  q->depth = question_depth(q->info(), q->recipe, *level);

  Recipe looked = q->recipe;  // the layers that the question looks through
  looked.end_layer = looked.first_layer + q->depth;
  if (looked.end_layer < q->recipe.end_layer) looked.head = -1;  // of the top layer alone
  const auto swept = std::make_shared<std::unique_ptr<RolloutSweep>>();
  const auto sweep = [q, swept, query = *query, one = rows->empty()]() -> Result<std::unique_ptr<Work>> {
    if (!one || !has_residual_range(q->recipe) || q->depth == 0) return nullptr;
    const auto layers = q->chain();
    return std::make_unique<SweepWork>(RolloutSweep({layers}, query, residual_steps()), swept);
  };
  auto stages = stack_stages(q);
  stages.push_back(by_max_stage(q));
  stages.push_back(attention_stage(q));
  stages.push_back(q->is_flow() && !rows->empty() ? result_stage(q, looked) : rows_stage(q, looked, *query));
  stages.push_back(sweep);
  return verb_job(*q->open, std::move(stages), [q, swept, query = *query, rows = *rows]() -> Result<JobResult> {
    const bool attention = traits(q->recipe.method).attention;
    const auto keys = attention ? strong_keys(q->info(), q->recipe, q->data().stats) : StrongKeys{};
    const auto layers = q->stack ? q->chain() : std::vector<ConstMatrixView>{};
    ViewInputs in;
    in.stream = &q->info();
    in.shown = &q->shown;
    in.recipe = q->recipe;
    in.query = query;
    in.depth = q->depth;
    in.rows = rows;
    in.row_of = [&](int row) { return q->row(row); };
    in.row = rows.empty() ? q->row(query) : q->row(rows);
    in.uniform = q->chance(query);
    for (std::size_t i = 1; i < rows.size() && !in.uniform.empty(); ++i) {
      const auto one = q->chance(rows[i]);
      for (std::size_t j = 0; j < one.size(); ++j) in.uniform[j] += one[j];
    }
    if (!rows.empty())
      for (double& x : in.uniform) x /= static_cast<double>(rows.size());
    in.visible = q->visible(rows.empty() ? query : rows.back());
    if (is_chain(q->info(), q->recipe)) {
      in.chain = {layers};
      in.residual = q->residual();
      in.start = rows.empty() ? q->start(query) : q->start(rows);
    }
    if (q->merged_after()) in.groups = q->groups;
    if (q->attention) in.fused = q->attention->view();
    if (q->by_max) in.by_max = q->by_max->view();
    if (attention) in.keys = &keys;
    in.rows_distance = q->result && !q->minus ? q->result->distance : -1;
    in.sweep = swept->get();
    FlowFacts flow;
    if (q->is_flow() && (q->flow_row || (q->result && !q->merged_after()))) {
      std::vector<FlowFacts> each;
      for (const int row : rows) each.push_back(q->result->flow[static_cast<std::size_t>(row)]);
      flow = !rows.empty() ? flow_facts(each) : q->flow_row ? q->flow_row->facts : q->result->flow[static_cast<std::size_t>(query)];
      in.flow = &flow;
    }
    if (q->stack && traits(q->recipe.method).gradients) in.gradients = &q->stack->gradients;
    auto view = explain_view(in);
    return archived(view);
  });
}

Result<std::unique_ptr<Job>> make_matrix_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("matrix", {"recipe", "kind", "layer", "head"}); !known) return tl::unexpected(std::move(known.error()));
  auto question = question_of(std::move(open), args);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  auto kind_name = args.text("kind", "result");
  auto layer = args.integer("layer", 0);
  auto head = args.integer("head", 0);
  if (!kind_name) return tl::unexpected(std::move(kind_name.error()));
  if (!layer) return tl::unexpected(std::move(layer.error()));
  if (!head) return tl::unexpected(std::move(head.error()));
  constexpr std::string_view kKinds[] = {"result", "after_layer", "fused_layer", "head"};
  const auto found = std::find(std::begin(kKinds), std::end(kKinds), *kind_name);
  if (found == std::end(kKinds))
    return fail(ErrorCode::bad_value, {{"option", "kind"}, {"value", *kind_name}, {"allowed", "result, after_layer, fused_layer or head"}});
  const auto kind = static_cast<MatrixKind>(found - std::begin(kKinds));
  const Stream& s = q->info();
  if (kind != MatrixKind::result && (*layer < 0 || *layer >= s.layers())) return out_of_range("layer", *layer, s.layers());
  if (kind == MatrixKind::head && (*head < 0 || *head >= std::max(1, s.heads))) return out_of_range("head", *head, std::max(1, s.heads));
  Recipe recipe = q->recipe;
  if (kind == MatrixKind::after_layer) {
    if (*layer < recipe.first_layer || *layer >= recipe.end_layer)
      return fail(ErrorCode::out_of_range, {{"option", "layer"}, {"value", std::to_string(*layer)},
                                            {"allowed", formatted("%d to %d", recipe.first_layer, recipe.end_layer - 1)}});
    recipe.end_layer = *layer + 1;
    if (recipe.end_layer < q->recipe.end_layer) recipe.head = -1;  // of the top layer alone
  }
  const bool whole = kind == MatrixKind::result || kind == MatrixKind::after_layer;
  if (whole && q->is_flow() && std::max(s.queries, s.keys) > kFlowAtOnce)
    return fail(ErrorCode::usage, {{"detail", formatted("The flow of all pairs is computed for at most %d tokens, and there are %d", kFlowAtOnce, std::max(s.queries, s.keys))}});
  std::vector<VerbJob::Stage> stages;
  if (kind != MatrixKind::head) stages = stack_stages(q);
  if (kind == MatrixKind::fused_layer) stages = {attention_stage(q)};
  if (whole) stages.push_back(result_stage(q, recipe));
  q->depth = recipe.end_layer - recipe.first_layer;
  return verb_job(*q->open, std::move(stages), [q, kind, layer = *layer, head = *head]() -> Result<JobResult> {
    const Stream& stream = q->info();
    MatrixData out;
    out.kind = kind;
    out.layer = layer;
    out.head = head;
    std::vector<std::uint8_t> empty(static_cast<std::size_t>(stream.queries), 0);
    if (q->result) {
      fill_result(out, *q);
      out.rows_distance = q->minus ? -1 : q->result->distance;
      return archived(out);
    }
    if (kind == MatrixKind::fused_layer) {
      const auto matrix = q->attention->view()[layer];
      for (int i = 0; i < matrix.rows; ++i) {
        const auto row = matrix.row(i);
        empty[static_cast<std::size_t>(i)] = std::all_of(row.begin(), row.end(), [](Real x) { return x == 0; });
      }
      fill(out, stream, matrix, empty);
      return archived(out);
    }
    auto memory = RealBuffer::make(static_cast<std::size_t>(stream.queries) * static_cast<std::size_t>(stream.keys));
    if (!memory) return tl::unexpected(std::move(memory.error()));
    const auto matrix = memory->matrix(0, stream.queries, stream.keys);
    if (auto read = read_normalised_head(*q->open, q->stream, layer, head, matrix); !read) return tl::unexpected(std::move(read.error()));
    for (int i = 0; i < stream.queries; ++i) empty[static_cast<std::size_t>(i)] = row_is_empty(*q->open, q->stream, layer, head, i);
    fill(out, stream, matrix, empty);
    return archived(out);
  });
}

Result<std::unique_ptr<Job>> make_thumbs_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("thumbs", {"recipe"}); !known) return tl::unexpected(std::move(known.error()));
  auto question = question_of(std::move(open), args);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  auto out = std::make_shared<ThumbData>();
  const auto thumbs = [q, out]() -> Result<std::unique_ptr<Work>> { return std::make_unique<ThumbWork>(q, out); };
  if (!q->stack && !is_chain(q->info(), q->recipe) && q->recipe.method != Method::raw) return verb_job(*q->open, {}, [out]() -> Result<JobResult> { return archived(*out); });
  auto stages = stack_stages(q);
  stages.push_back(thumbs);
  return verb_job(*q->open, std::move(stages), [out]() -> Result<JobResult> { return archived(*out); });
}

}  // namespace rollscope
