// The stages of a question: what has to be read and computed before rows can be told.
#include "app/verbs.h"

#include <cmath>

namespace rollscope {
namespace {

// A Work that stores what it found in the question when it is done.
template <class Inner, class Store>
class StoringWork final : public Work {
 public:
  StoringWork(Inner inner, Store store) : inner_(std::move(inner)), store_(std::move(store)) {}
  Result<bool> step() override {
    auto done = inner_.step();
    if (done && *done) store_(inner_);
    return done;
  }
  JobProgress progress() const override { return inner_.progress(); }

 private:
  Inner inner_;
  Store store_;
};

template <class Inner, class Store>
std::unique_ptr<Work> storing(Inner inner, Store store) {
  return std::make_unique<StoringWork<Inner, Store>>(std::move(inner), std::move(store));
}

using StackSlot = std::shared_ptr<const FusedStack> Question::*;

VerbJob::Stage stack_stage(std::shared_ptr<Question> q, int stream, const Recipe& recipe, bool joined, StackSlot slot) {
  return [q, stream, recipe, joined, slot]() -> Result<std::unique_ptr<Work>> {
    StackWork work(q->open, stream, recipe, joined);
    (*q).*slot = work.stack();
    if ((*q).*slot) return nullptr;
    return storing(std::move(work), [q, slot](const StackWork& done) { (*q).*slot = done.stack(); });
  };
}

// Whether the method joins encoder, decoder and cross-attention.
bool joins(const Question& q) {
  const Method m = q.recipe.method;
  return m == Method::joint || (q.info().kind == StreamKind::cross && (m == Method::relevance || m == Method::relevance_causal));
}

}  // namespace

std::vector<VerbJob::Stage> stack_stages(std::shared_ptr<Question> q) {
  if (!traits(q->recipe.method).attention) return {};
  std::vector<VerbJob::Stage> out;
  const bool joined = joins(*q);
  if (joined) {
    const EncoderDecoder sides = encoder_decoder(q->open->dump.info);
    out.push_back(stack_stage(q, sides.encoder, q->recipe, true, &Question::encoder));
    out.push_back(stack_stage(q, sides.decoder, q->recipe, true, &Question::decoder));
  }
  out.push_back(stack_stage(q, q->stream, q->recipe, joined, &Question::stack));
  if (q->minus)
    for (auto& stage : stack_stages(q->minus)) out.push_back(std::move(stage));
  return out;
}

VerbJob::Stage by_max_stage(std::shared_ptr<Question> q) {
  return [q]() -> Result<std::unique_ptr<Work>> {
    // Only where it costs no reading: a second opinion must not delay the first.
    const bool compared = q->recipe.method == Method::rollout || q->recipe.method == Method::raw;
    if (!compared || q->recipe.merge != Merge::pieces || !q->data().has_heads || q->recipe.fusion == Fusion::max || recipe_heads(q->info(), q->recipe).size() < 2) return nullptr;
    Recipe by_max = q->recipe;
    by_max.fusion = Fusion::max;
    by_max.head = -1;
    StackWork work(q->open, q->stream, by_max, false);
    q->by_max = work.stack();
    if (q->by_max) return nullptr;
    return storing(std::move(work), [q](const StackWork& done) { q->by_max = done.stack(); });
  };
}

VerbJob::Stage attention_stage(std::shared_ptr<Question> q) {
  return [q]() -> Result<std::unique_ptr<Work>> {
    Recipe plain;
    const Method m = q->recipe.method;
    if (m == Method::rollout || m == Method::raw) {
      plain.fusion = q->recipe.fusion;
      plain.heads = q->recipe.heads;
    }
    StackWork work(q->open, q->stream, plain, false);
    q->attention = work.stack();
    if (q->attention) return nullptr;
    return storing(std::move(work), [q](const StackWork& done) { q->attention = done.stack(); });
  };
}

namespace {

// Stages one after the other, as one.
class ChainedWork final : public Work {
 public:
  explicit ChainedWork(std::vector<VerbJob::Stage> stages) : stages_(std::move(stages)) {}
  Result<bool> step() override {
    while (!work_ && at_ < stages_.size()) {
      auto work = stages_[at_]();
      if (!work) return tl::unexpected(std::move(work.error()));
      work_ = std::move(*work);
      if (!work_) ++at_;
    }
    if (!work_) return true;
    auto done = work_->step();
    if (!done || !*done) return done;
    work_.reset();
    return ++at_ == stages_.size();
  }
  JobProgress progress() const override {
    JobProgress p;
    if (work_) p = work_->progress();
    p.fraction = (static_cast<double>(at_) + p.fraction) / static_cast<double>(stages_.size());
    return p;
  }

 private:
  std::vector<VerbJob::Stage> stages_;
  std::unique_ptr<Work> work_;
  std::size_t at_ = 0;
};

// The recipe of what is subtracted, over the same layers.
Recipe subtracted(const Question& q, const Recipe& recipe) {
  Recipe out = q.minus->recipe;
  out.first_layer = recipe.first_layer;
  out.end_layer = recipe.end_layer;
  return out;
}

VerbJob::Stage one_result_stage(std::shared_ptr<Question> q, Recipe recipe) {
  return [q, recipe]() -> Result<std::unique_ptr<Work>> {
    ResultWork work(q->open, q->stream, recipe, {q->stack, q->encoder, q->decoder});
    q->result = work.result();
    if (q->result) return nullptr;
    return storing(std::move(work), [q](const ResultWork& done) { q->result = done.result(); });
  };
}

}  // namespace

VerbJob::Stage result_stage(std::shared_ptr<Question> q, Recipe recipe) {
  if (!q->minus) return one_result_stage(q, std::move(recipe));
  const Recipe other = subtracted(*q, recipe);
  return [q, recipe, other]() -> Result<std::unique_ptr<Work>> {
    return std::make_unique<ChainedWork>(std::vector<VerbJob::Stage>{one_result_stage(q, recipe), one_result_stage(q->minus, other)});
  };
}

VerbJob::Stage rows_stage(std::shared_ptr<Question> q, Recipe recipe, int query) {
  return [q, recipe, query]() -> Result<std::unique_ptr<Work>> {
    if (recipe.end_layer == recipe.first_layer) return nullptr;
    if (q->is_flow()) {
      q->result = ResultWork::find(*q->open, q->stream, recipe);
      if (q->result || q->merged_after()) return q->result ? nullptr : result_stage(q, recipe)();
      q->flow_row = find_flow_row(*q->open, q->stream, recipe, query);
      if (q->flow_row) return nullptr;
      return make_flow_row_work(q->open, q->stream, recipe, query, q->stack, [q](std::shared_ptr<const FlowRow> row) { q->flow_row = std::move(row); });
    }
    const bool only_whole = joins(*q) || !traits(recipe.method).attention;
    if (only_whole || !rows_are_many(recipe, q->info())) return result_stage(q, recipe)();
    q->result = ResultWork::find(*q->open, q->stream, recipe);
    if (q->minus) q->minus->result = ResultWork::find(*q->open, q->stream, subtracted(*q, recipe));
    // Rows of a sum of 1 cannot overflow; the others are looked at here, as ResultWork looks at all rows.
    for (const Question* side : {q.get(), q->minus.get()}) {
      if (!side || side->result || traits(recipe.method).unit_rows) continue;
      for (const double x : side->own_row(query))
        if (!std::isfinite(x)) return fail(ErrorCode::overflow, {{"method", std::string(method_name(recipe.method))}});
    }
    return nullptr;
  };
}

}  // namespace rollscope
