// What the views of heads, depth and images draw. Answers are archives.
#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/depth.h"
#include "analysis/head_scores.h"
#include "analysis/measures.h"
#include "app/verbs.h"
#include "base/text.h"

namespace rollscope {
namespace {

constexpr std::size_t kWallCells = 4'000'000;  // of all heads
constexpr int kWallSide = 64, kWallLeast = 8;

// Numbers for equal tokens.
std::vector<int> token_ids(const Stream& s) {
  std::vector<int> out;
  std::map<std::string, int, std::less<>> number;
  for (const Token& t : s.key_tokens) out.push_back(number.emplace(t.raw.empty() ? t.label : t.raw, static_cast<int>(number.size())).first->second);
  return out;
}

float mean(const PooledMean& m) { return static_cast<float>(m.value()); }

// One head after the other: its picture, its scores, the row that was asked for.
class WallWork final : public Work {
 public:
  WallWork(std::shared_ptr<Question> question, int query, std::shared_ptr<WallData> out)
      : q_(std::move(question)), query_(query), out_(std::move(out)) {
    const Stream& s = q_->info();
    out_->layers = s.layers();
    out_->heads = std::max(1, s.heads);
    const double all = static_cast<double>(out_->layers) * out_->heads;
    const int side = std::clamp(static_cast<int>(std::sqrt(static_cast<double>(kWallCells) / all)), kWallLeast, kWallSide);
    out_->rows = std::min(side, real_queries(s));
    out_->columns = std::min(side, s.keys);
    out_->keys = query_ >= 0 ? s.keys : 0;
    ids_ = token_ids(s);
    for (int j = 0; j < s.keys; ++j) {
      const auto k = static_cast<std::size_t>(j);
      delimiters_.push_back(k < s.key_tokens.size() && j > 0 && (s.key_tokens[k].special || is_punctuation(s.key_tokens[k].label)));
    }
  }

  Result<bool> step() override {
    const Stream& s = q_->info();
    if (!memory_.size()) {
      auto memory = RealBuffer::make(static_cast<std::size_t>(s.queries) * static_cast<std::size_t>(s.keys));
      if (!memory) return tl::unexpected(std::move(memory.error()));
      memory_ = std::move(*memory);
    }
    const int layer = at_ / out_->heads, head = at_ % out_->heads;
    const auto matrix = memory_.matrix(0, s.queries, s.keys);
    if (auto read = read_normalised_head(*q_->open, q_->stream, layer, head, matrix); !read) return tl::unexpected(std::move(read.error()));
    add(matrix);
    return ++at_ == out_->layers * out_->heads;
  }

  JobProgress progress() const override {
    JobProgress p;
    p.fraction = static_cast<double>(at_) / (out_->layers * out_->heads);
    return p;
  }

 private:
  void add(ConstMatrixView m) {
    const Stream& s = q_->info();
    const int rows = real_queries(s);
    const std::size_t base = out_->cells.size();
    const auto columns = static_cast<std::size_t>(out_->columns);
    out_->cells.resize(base + static_cast<std::size_t>(out_->rows) * columns, 0);
    std::vector<double> received(static_cast<std::size_t>(s.keys), 0.0);
    std::vector<int> readers(received.size(), 0);
    std::vector<float> most(static_cast<std::size_t>(out_->rows) * columns, 0.0f);
    for (int i = 0; i < rows; ++i) {
      const auto row = m.row(i);
      const std::size_t to = static_cast<std::size_t>(static_cast<long long>(i) * out_->rows / rows) * columns;
      for (int j = 0; j < s.keys; ++j) {
        const auto w = static_cast<float>(row[static_cast<std::size_t>(j)]);
        float& cell = most[to + static_cast<std::size_t>(static_cast<long long>(j) * out_->columns / s.keys)];
        cell = std::max(cell, w);
        if (s.causal && j > i) continue;
        received[static_cast<std::size_t>(j)] += static_cast<double>(w);
        ++readers[static_cast<std::size_t>(j)];
      }
    }
    for (std::size_t k = 0; k < most.size(); ++k)
      out_->cells[base + k] = static_cast<std::uint8_t>(std::lround(255 * std::pow(std::clamp(static_cast<double>(most[k]), 0.0, 1.0), kWallPower)));

    HeadScoresOptions options;
    options.causal = s.causal;
    options.same_tokens = same_tokens(s);
    options.virtual_sink = s.virtual_sink;
    options.grid = q_->open->dump.info.grid;
    options.delimiters = delimiters_;
    const HeadScores scores = head_scores(m, ids_, options);
    HeadNote note;
    const HeadRole role = suggested_role(scores);
    note.role = static_cast<std::uint8_t>(role);
    for (int j = 0; j < real_keys(s); ++j) {
      const auto k = static_cast<std::size_t>(j);
      const double share = readers[k] > 0 ? received[k] / readers[k] : 0;
      // Under a causal mask a late key has few readers: it counts from four on.
      if (share > static_cast<double>(note.share) && (!s.causal || readers[k] >= std::min(4, rows))) {
        note.share = static_cast<float>(share);
        note.key = j;
      }
    }
    note.score = role == HeadRole::mixed ? note.share : mean(role_score(scores, role).score);
    note.spread = mean(scores.entropy_normalised_mean);
    note.distance = mean(scores.mean_distance);
    note.previous = mean(scores.previous_token);
    note.next = mean(scores.next_token);
    note.self = mean(scores.diagonal);
    note.first = mean(scores.first_token_excl_row0);
    note.delimiter = mean(scores.delimiter);
    note.duplicate = mean(scores.duplicate_rows_mean);
    note.induction = mean(scores.induction_rows_mean);
    out_->notes.push_back(note);
    if (query_ >= 0)
      for (const Real x : m.row(query_)) out_->row.push_back(static_cast<float>(x));
  }

  std::shared_ptr<Question> q_;
  int query_;
  std::shared_ptr<WallData> out_;
  std::vector<int> ids_;
  std::vector<std::uint8_t> delimiters_;
  RealBuffer memory_;
  int at_ = 0;
};

// The result after each layer, measured.
class DepthWork final : public Work {
 public:
  DepthWork(std::shared_ptr<Question> question, int query, std::shared_ptr<DepthData> out) : q_(std::move(question)), query_(query), out_(std::move(out)) {
    out_->first_layer = q_->recipe.first_layer;
  }

  Result<bool> step() override {
    if (layers_.empty()) layers_ = q_->chain();
    const int rows = layers_[0].rows, columns = layers_[0].columns;
    if (!memory_.size()) {
      auto memory = RealBuffer::make(layers_[0].size());
      if (!memory) return tl::unexpected(std::move(memory.error()));
      memory_ = std::move(*memory);
      if (multiplies(q_->info(), q_->recipe)) {
        auto work = RolloutWork::start({layers_}, q_->residual(), lower_triangle(q_->info()) && q_->recipe.merge == Merge::pieces, memory_.matrix(0, rows, columns));
        if (!work) return tl::unexpected(std::move(work.error()));
        work_ = std::make_unique<RolloutWork>(std::move(*work));
      }
      return false;
    }
    if (!work_) {
      measure(layers_[out_->distance.size()]);
      return finished(out_->distance.size() == layers_.size());
    }
    const bool done = work_->step();
    if (work_->completed() >= 0) measure(work_->completed_matrix());
    return finished(done);
  }

  JobProgress progress() const override { return {work_ ? work_->fraction() : 0}; }

 private:
  bool finished(bool done) {
    if (!done) return false;
    const std::vector<double> distances(out_->distance.begin(), out_->distance.end());
    const DepthVerdict verdict = depth_verdict(distances);
    out_->collapsed_from = verdict.collapsed_from;
    out_->similar_from = verdict.similar_from;
    return true;
  }

  void measure(ConstMatrixView r) {
    const Stream& s = q_->info();
    const auto sinks = strong_keys(s, q_->recipe, q_->data().stats).sinks;
    DepthOptions options;
    options.causal = s.causal;
    options.rows = r.rows == s.queries ? real_queries(s) : r.rows;
    options.sinks = sinks;
    options.singular_values = r.rows <= kRankRows;
    const DepthDiagnostics d = depth_diagnostics(r, options);
    const auto put = [](std::vector<float>& to, double x) { to.push_back(static_cast<float>(x)); };
    put(out_->entropy, d.row_entropy_normalised_mean);
    put(out_->perplexity, d.perplexity_mean);
    put(out_->effective_rank, d.effective_rank);
    put(out_->distance, d.rows_distance);
    put(out_->dobrushin, d.dobrushin_tv);
    put(out_->top_share, d.top_share);
    put(out_->sink_mass, d.sink_mass);
    put(out_->gini, d.gini_mean);
    out_->top_key.push_back(d.top_key);
    const auto row = r.row(std::min(query_, r.rows - 1));
    out_->rows.emplace_back(row.begin(), row.end());
  }

  static constexpr int kRankRows = 128;  // tokens up to which ranks are computed without being asked for
  std::shared_ptr<Question> q_;
  int query_;
  std::shared_ptr<DepthData> out_;
  std::vector<ConstMatrixView> layers_;
  RealBuffer memory_;
  std::unique_ptr<RolloutWork> work_;
};

Result<int> row_of(const Args& args, const Stream& stream, int otherwise) {
  auto query = args.integer("query", otherwise);
  if (!query) return query;
  if (*query < otherwise || *query >= stream.queries)
    return fail(ErrorCode::out_of_range, {{"option", "query"}, {"value", std::to_string(*query)}, {"allowed", formatted("0 to %d", stream.queries - 1)}});
  return query;
}

}  // namespace

Result<std::unique_ptr<Job>> make_wall_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("wall", {"recipe", "query"}); !known) return tl::unexpected(std::move(known.error()));
  auto question = question_of(std::move(open), args);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  auto query = row_of(args, q->info(), -1);
  if (!query) return tl::unexpected(std::move(query.error()));
  const auto out = std::make_shared<WallData>();
  const auto wall = [q, query = *query, out]() -> Result<std::unique_ptr<Work>> { return std::make_unique<WallWork>(q, query, out); };
  return std::unique_ptr<Job>(std::make_unique<VerbJob>(q->open->dump.info.file, std::vector<VerbJob::Stage>{wall}, [out]() -> Result<JobResult> { return archived(*out); }));
}

Result<std::unique_ptr<Job>> make_layers_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("layers", {"recipe", "query"}); !known) return tl::unexpected(std::move(known.error()));
  auto question = question_of(std::move(open), args);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  auto query = row_of(args, q->shown, 0);
  if (!query) return tl::unexpected(std::move(query.error()));
  const auto out = std::make_shared<DepthData>();
  auto stages = stack_stages(q);
  if (q->minus || stages.empty() || (!multiplies(q->info(), q->recipe) && q->recipe.method != Method::raw))
    return fail(ErrorCode::usage, {{"detail", std::string(method_name(q->recipe.method)) + " has no result after each layer"}});
  stages.push_back([q, query = *query, out]() -> Result<std::unique_ptr<Work>> { return std::make_unique<DepthWork>(q, query, out); });
  return std::unique_ptr<Job>(std::make_unique<VerbJob>(q->open->dump.info.file, std::move(stages), [out]() -> Result<JobResult> { return archived(*out); }));
}

Result<std::unique_ptr<Job>> make_picture_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("picture", {}); !known) return tl::unexpected(std::move(known.error()));
  return std::unique_ptr<Job>(std::make_unique<VerbJob>(open->dump.info.file, std::vector<VerbJob::Stage>{}, [open]() -> Result<JobResult> {
    Picture out = open->dump.picture;
    return archived(out);
  }));
}

}  // namespace rollscope
