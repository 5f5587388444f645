// depth: what every further layer does to the rollout (analysis/depth.h), and from which layer on tokens no longer differ.
#include <algorithm>

#include "analysis/depth.h"
#include "analysis/measures.h"
#include "app/verbs.h"
#include "base/text.h"

namespace rollscope {
namespace {

// The product layer by layer; after each, its numbers. The distances between all rows come in blocks.
class DepthWork final : public Work {
 public:
  DepthWork(std::shared_ptr<Question> question, std::vector<int> sinks, std::shared_ptr<std::vector<DepthDiagnostics>> out)
      : q_(std::move(question)), sinks_(std::move(sinks)), out_(std::move(out)), product_(multiplies(q_->info(), q_->recipe)) {
    options_.causal = q_->shown.causal;
    options_.rows = real_queries(q_->shown);
    options_.sinks = sinks_;
    options_.distances = false;
  }

  Result<bool> step() override {
    if (layers_.empty()) layers_ = q_->chain();
    if (matrix_.data) return measure();
    if (!product_) {
      begin(layers_[out_->size()]);
      return false;
    }
    if (!work_) {
      const int rows = layers_[0].rows, columns = layers_[0].columns;
      auto memory = RealBuffer::make(layers_[0].size());
      if (!memory) return tl::unexpected(std::move(memory.error()));
      memory_ = std::move(*memory);
      auto work = RolloutWork::start({layers_}, q_->residual(), lower_triangle(q_->info()) && q_->recipe.merge == Merge::pieces, memory_.matrix(0, rows, columns));
      if (!work) return tl::unexpected(std::move(work.error()));
      work_.emplace(std::move(*work));
      return false;
    }
    work_->step();
    if (work_->completed() >= 0) begin(work_->completed_matrix());
    return false;
  }

  JobProgress progress() const override {
    JobProgress p;
    p.layers = q_->depth;
    p.layer = std::min(p.layers, static_cast<int>(out_->size()) + 1);
    const double rows = std::max(1, options_.rows);
    p.fraction = (static_cast<double>(out_->size()) + (matrix_.data ? row_ / rows : 0)) / std::max(1, q_->depth);
    return p;
  }

 private:
  void begin(ConstMatrixView matrix) {
    matrix_ = matrix;
    row_ = 0;
    now_ = depth_diagnostics(matrix, options_);
    if (std::isnan(now_.top_share)) row_ = options_.rows;  // no rows, or a value that is no number: no distance either
    else now_.dobrushin_tv = now_.rows_distance = 0;
  }

  // True: all layers are measured.
  bool measure() {
    const int rows = options_.rows;
    if (row_ < rows) {
      const int second = rows_distance_first(rows, options_.causal);
      const double pair = static_cast<double>(rows) * matrix_.columns;
      int end = std::min(rows, row_ + std::max(1, static_cast<int>(2e7 / pair)));
      if (row_ < second) end = std::min(end, second);  // pairs of the second half are counted apart
      const double block = rollscope::rows_distance(matrix_, row_, end, rows);
      now_.dobrushin_tv = std::max(now_.dobrushin_tv, block);
      if (row_ >= second) now_.rows_distance = std::max(now_.rows_distance, block);
      row_ = end;
      if (row_ < rows) return false;
    }
    out_->push_back(std::move(now_));
    matrix_ = {};
    return out_->size() == layers_.size();
  }

  std::shared_ptr<Question> q_;
  std::vector<int> sinks_;
  std::shared_ptr<std::vector<DepthDiagnostics>> out_;
  bool product_;
  DepthOptions options_;
  std::vector<ConstMatrixView> layers_;
  RealBuffer memory_;
  std::optional<RolloutWork> work_;
  ConstMatrixView matrix_;
  DepthDiagnostics now_;
  int row_ = 0;
};

constexpr std::pair<std::string_view, double DepthDiagnostics::*> kNumbers[] = {
    {"row_entropy_mean", &DepthDiagnostics::row_entropy_mean},
    {"row_entropy_normalised_mean", &DepthDiagnostics::row_entropy_normalised_mean},
    {"perplexity_mean", &DepthDiagnostics::perplexity_mean},
    {"effective_rank", &DepthDiagnostics::effective_rank},
    {"stable_rank", &DepthDiagnostics::stable_rank},
    {"rank1_energy", &DepthDiagnostics::rank1_energy},
    {"dong_residual", &DepthDiagnostics::dong_residual_1inf},
    {"residual_fro_rel", &DepthDiagnostics::residual_fro_rel},
    {"dobrushin", &DepthDiagnostics::dobrushin_tv},
    {"rows_distance", &DepthDiagnostics::rows_distance},
    {"gini_mean", &DepthDiagnostics::gini_mean},
    {"top_share", &DepthDiagnostics::top_share},
    {"sink_mass", &DepthDiagnostics::sink_mass},
};

// The stored layer that step `k` of the chain applied.
int layer_of(const Question& q, int k) {
  return q.recipe.method == Method::rollout_reversed ? q.recipe.end_layer - 1 - k : q.recipe.first_layer + k;
}

std::vector<Fact> verdict_facts(const Question& q, const DepthVerdict& verdict, const std::vector<double>& distances) {
  const auto from = [&](NarrationId id, int step, double limit) -> Fact {
    const double most = *std::max_element(distances.begin() + step, distances.end());
    const int number = q.info().layer_numbers[static_cast<std::size_t>(layer_of(q, step))];
    return {id, {{"layer", Slot::count(number + 1)}, {"distance", Slot::number(most, 3)}, {"limit", Slot::number(limit, 2)}}};
  };
  std::vector<Fact> facts;
  if (verdict.collapsed_from >= 0) facts.push_back(from(NarrationId::depth_collapsed_from, verdict.collapsed_from, kRowsCollapsed));
  else if (verdict.similar_from >= 0) facts.push_back(from(NarrationId::depth_alike_from, verdict.similar_from, kRowsSimilar));
  else if (std::isfinite(distances.back())) facts.push_back({NarrationId::depth_differ, {{"distance", Slot::number(distances.back(), 3)}}});
  if (q.shown.causal && !facts.empty()) facts.push_back({NarrationId::depth_causal_rows, {}});
  return facts;
}

std::string depth_json(const Question& q, const std::vector<DepthDiagnostics>& layers, const std::vector<int>& sinks) {
  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  json.name("recipe");
  write_recipe(json, q.info(), q.recipe, kNoRow);
  json.field("of", multiplies(q.info(), q.recipe) ? "product" : "layer");
  json.name("layers");
  json.StartArray();
  std::vector<double> distances;
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const int layer = layer_of(q, static_cast<int>(k));
    const auto& d = layers[k];
    distances.push_back(d.rows_distance);
    json.StartObject();
    json.field("layer", layer);
    json.field("number", q.info().layer_numbers[static_cast<std::size_t>(layer)]);
    for (const auto& [name, number] : kNumbers) json.field(name, d.*number);
    json.index("top_key", d.top_key);
    json.field("top_label", d.top_key < 0 ? std::string() : token_label(q.shown.key_tokens, static_cast<std::size_t>(d.top_key)));
    json.EndObject();
  }
  json.EndArray();
  json.name("sinks");
  write_ints(json, sinks);
  std::vector<Fact> facts;
  json.name("verdict");
  if (is_chain(q.info(), q.recipe)) {
    const auto verdict = depth_verdict(distances);
    facts = verdict_facts(q, verdict, distances);
    json.StartObject();
    json.index("collapsed_from", verdict.collapsed_from < 0 ? -1 : layer_of(q, verdict.collapsed_from));
    json.index("similar_from", verdict.similar_from < 0 ? -1 : layer_of(q, verdict.similar_from));
    json.field("collapsed_limit", kRowsCollapsed);
    json.field("similar_limit", kRowsSimilar);
    json.EndObject();
  } else {
    json.Null();
  }
  json.name("narration");
  write_narration(json, facts);
  json.name("report");
  write_report(json, q.open->dump.info.report);
  json.field("engine", ROLLSCOPE_VERSION);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

Result<std::unique_ptr<Job>> make_depth_job(std::shared_ptr<OpenDump> open, const Args& args) {
  auto question = make_question(std::move(open), "depth", args, {});
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  if (!multiplies(q->info(), q->recipe) && q->recipe.method != Method::raw)
    return fail(ErrorCode::usage, {{"detail", formatted("There is no result after each layer for %s: depth is measured on a product of layers, or on raw attention", std::string(method_name(q->recipe.method)).c_str())}});
  if (q->minus) return fail(ErrorCode::usage, {{"detail", "Depth is measured on one product, and a difference of two classes is none: leave out --minus"}});
  if (q->merged_after() || q->recipe.sink == SinkMode::renormalise || q->recipe.sink == SinkMode::lift)
    return fail(ErrorCode::usage, {{"detail", "Depth is measured on the product itself: leave out --sink renormalise and lift, and merge with --merge-time before"}});
  const auto layers = std::make_shared<std::vector<DepthDiagnostics>>();
  const auto sinks = q->sinks();
  auto stages = stack_stages(q);
  stages.push_back([q, layers, sinks]() -> Result<std::unique_ptr<Work>> { return std::make_unique<DepthWork>(q, sinks, layers); });
  return verb_job(*q->open, std::move(stages), [q, layers, sinks]() -> Result<JobResult> { return JobResult{depth_json(*q, *layers, sinks), {}}; });
}

}  // namespace rollscope
