#include "app/verbs.h"

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

}  // namespace

Result<bool> VerbJob::step() {
  auto done = advance();
  if (!done) done.error().params.emplace("file", file_);
  return done;
}

Result<bool> VerbJob::advance() {
  if (work_) {
    auto done = work_->step();
    if (!done) return done;
    if (!*done) return false;
    work_.reset();
    ++at_;
  }
  // Stages that have nothing to do cost no step.
  while (at_ < stages_.size()) {
    auto work = stages_[at_]();
    if (!work) return tl::unexpected(std::move(work.error()));
    work_ = std::move(*work);
    if (work_) return false;
    ++at_;
  }
  auto result = answer_();
  if (!result) return tl::unexpected(std::move(result.error()));
  result_ = std::move(*result);
  return true;
}

JobProgress VerbJob::progress() const {
  JobProgress p;
  if (work_) p = work_->progress();
  p.fraction = (static_cast<double>(at_) + p.fraction) / static_cast<double>(stages_.size() + 1);
  return p;
}

Result<std::shared_ptr<Question>> make_question(std::shared_ptr<OpenDump> open, const Args& args) {
  auto request = recipe_request(args);
  if (!request) return tl::unexpected(std::move(request.error()));
  auto recipe = resolve_recipe(open->dump.info, *request);
  if (!recipe) return tl::unexpected(std::move(recipe.error()));
  auto question = std::make_shared<Question>();
  question->stream = open->dump.info.index_of(recipe->stream);
  question->recipe = std::move(*recipe);
  question->open = std::move(open);
  return question;
}

VerbJob::Stage stack_stage(std::shared_ptr<Question> q) {
  return [q]() -> Result<std::unique_ptr<Work>> {
    StackWork work(q->open, q->stream, q->recipe.fusion, q->recipe.heads);
    q->stack = work.stack();
    if (q->stack) return nullptr;
    return storing(std::move(work), [q](const StackWork& done) { q->stack = done.stack(); });
  };
}

VerbJob::Stage by_max_stage(std::shared_ptr<Question> q) {
  return [q]() -> Result<std::unique_ptr<Work>> {
    // Only where it costs no reading: a second opinion must not delay the first.
    if (!q->data().has_heads || q->recipe.fusion == Fusion::max || recipe_heads(q->info(), q->recipe).size() < 2) return nullptr;
    StackWork work(q->open, q->stream, Fusion::max, q->recipe.heads);
    q->by_max = work.stack();
    if (q->by_max) return nullptr;
    return storing(std::move(work), [q](const StackWork& done) { q->by_max = done.stack(); });
  };
}

VerbJob::Stage result_stage(std::shared_ptr<Question> q, Recipe recipe) {
  return [q, recipe]() -> Result<std::unique_ptr<Work>> {
    ResultWork work(q->open, q->stream, recipe, q->stack);
    q->result = work.result();
    if (q->result) return nullptr;
    return storing(std::move(work), [q](const ResultWork& done) { q->result = done.result(); });
  };
}

Result<std::unique_ptr<Job>> make_verb_job(std::shared_ptr<OpenDump> open, const std::string& verb, const std::string& text) {
  auto args = Args::parse(text);
  if (!args) return tl::unexpected(std::move(args.error()));
  if (verb == "info") return make_info_job(std::move(open), *args);
  if (verb == "explain") return make_explain_job(std::move(open), *args);
  if (verb == "view") return make_view_job(std::move(open), *args);
  if (verb == "matrix") return make_matrix_job(std::move(open), *args);
  if (verb == "thumbs") return make_thumbs_job(std::move(open), *args);
  return fail(ErrorCode::usage, {{"detail", "There is no verb " + verb}});
}

}  // namespace rollscope
