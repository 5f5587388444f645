// compare: two recipes of the open dump, or one and uniform attention, row by row.
#include "app/verbs_compare.h"

#include <algorithm>
#include <iterator>

#include "app/verbs.h"
#include "base/text.h"

namespace rollscope {
namespace {

// Above this many tokens the rows of two recipes do not fit beside each other: one row at a time.
constexpr int kAllRows = 2048;

struct Asked {
  std::shared_ptr<Question> a, b;  // b null: uniform attention
  std::vector<int> queries;
  std::vector<std::vector<double>> rows_a, rows_b;
  std::vector<int> without;
  int k = kTopCompared;
  ComparedRecipes out;
};

// Takes the rows of one side, then lets go of its matrices: those of two recipes need not fit into memory together.
class CollectWork final : public Work {
 public:
  CollectWork(std::shared_ptr<Asked> asked, std::shared_ptr<Question> question, std::vector<std::vector<double>>& out)
      : asked_(std::move(asked)), q_(std::move(question)), out_(out) {}
  Result<bool> step() override {
    const int query = asked_->queries[out_.size()];
    out_.push_back(q_->row(query));
    if (q_->is_flow()) tie_equal(out_.back());
    if (!asked_->b) asked_->rows_b.push_back(q_->chance(query));
    if (out_.size() < asked_->queries.size()) return false;
    q_->stack = q_->encoder = q_->decoder = nullptr;
    q_->result = nullptr;
    q_->flow_row = nullptr;
    return true;
  }
  JobProgress progress() const override { return {static_cast<double>(out_.size()) / static_cast<double>(asked_->queries.size())}; }

 private:
  std::shared_ptr<Asked> asked_;
  std::shared_ptr<Question> q_;
  std::vector<std::vector<double>>& out_;
};

class CompareWork final : public Work {
 public:
  explicit CompareWork(std::shared_ptr<Asked> asked) : asked_(std::move(asked)) {}
  Result<bool> step() override {
    Asked& w = *asked_;
    if (w.queries.empty()) return true;
    const std::size_t at = w.out.rows.size();
    const int query = w.queries[at];
    // What a row cannot see is 0 on both sides, and no agreement.
    const auto seen = static_cast<std::size_t>(w.a->seen(query));
    std::vector<int> without = w.without;
    std::erase_if(without, [&](int key) { return static_cast<std::size_t>(key) >= seen; });
    const auto part = [&](const std::vector<double>& row) { return std::span(row).first(std::min(seen, row.size())); };
    w.out.rows.push_back({query, query, token_label(w.a->shown.query_tokens, static_cast<std::size_t>(query)),
                          compare(part(w.rows_a[at]), part(w.rows_b[at]), without, w.k)});
    return w.out.rows.size() == w.queries.size();
  }
  JobProgress progress() const override { return {static_cast<double>(asked_->out.rows.size()) / static_cast<double>(std::max<std::size_t>(1, asked_->queries.size()))}; }

 private:
  std::shared_ptr<Asked> asked_;
};

Result<std::shared_ptr<Question>> side(std::shared_ptr<OpenDump> open, const Args& args, std::string_view name) {
  auto recipe = args.object(name);
  if (!recipe) return tl::unexpected(std::move(recipe.error()));
  if (auto known = recipe->only("compare", kRecipeOptions); !known) return tl::unexpected(std::move(known.error()));
  return make_question(std::move(open), *recipe);
}

Result<void> same_keys(const Question& a, const Question& b) {
  bool same = a.shown.keys == b.shown.keys && a.shown.queries == b.shown.queries;
  for (std::size_t k = 0; same && k < a.shown.key_tokens.size(); ++k) same = token_label(a.shown.key_tokens, k) == token_label(b.shown.key_tokens, k);
  if (same) return {};
  return fail(ErrorCode::usage, {{"detail", formatted("The two recipes give rows over other tokens, %d and %d of them: choose the same stream and merge on both sides", a.shown.keys, b.shown.keys)}});
}

// Stages of one side: its layers, its rows, and out with them.
void add_side(const std::shared_ptr<Asked>& asked, std::shared_ptr<Question> q, int row, std::vector<std::vector<double>>& rows, std::vector<VerbJob::Stage>& stages) {
  for (auto& stage : stack_stages(q)) stages.push_back(std::move(stage));
  stages.push_back(row < 0 ? result_stage(q, q->recipe) : rows_stage(q, q->recipe, row));
  stages.push_back([asked, q, &rows]() -> Result<std::unique_ptr<Work>> {
    if (asked->queries.empty()) return nullptr;
    return std::make_unique<CollectWork>(asked, q, rows);
  });
}

}  // namespace

Result<std::unique_ptr<Job>> make_compare_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("compare", {"a", "b", "row", "k", "without", "item"}); !known) return tl::unexpected(std::move(known.error()));
  const auto asked = std::make_shared<Asked>();
  auto a = side(open, args, "a");
  if (!a) return tl::unexpected(std::move(a.error()));
  asked->a = *a;
  if (auto item = check_item(args, asked->a->info()); !item) return tl::unexpected(std::move(item.error()));
  if (!args.has("b")) return fail(ErrorCode::bad_value, {{"option", "b"}, {"value", "nothing"}, {"allowed", "a recipe, or uniform"}});
  if (args.shown("b") != "uniform") {
    auto b = side(open, args, "b");
    if (!b) return tl::unexpected(std::move(b.error()));
    asked->b = *b;
    if (auto same = same_keys(*asked->a, *asked->b); !same) return tl::unexpected(std::move(same.error()));
  }
  auto row = asked_row(args, *asked->a, -1);
  if (!row) return tl::unexpected(std::move(row.error()));
  auto k = args.integer("k", kTopCompared);
  if (!k) return tl::unexpected(std::move(k.error()));
  if (*k < 1) return fail(ErrorCode::bad_value, {{"option", "k"}, {"value", std::to_string(*k)}, {"allowed", "a number from 1 on"}});
  asked->k = *k;
  for (const auto& q : {asked->a, asked->b})
    if (q)
      if (auto fits = check_flow(*q, *row); !fits) return tl::unexpected(std::move(fits.error()));
  const int rows = real_queries(asked->a->shown);
  if (*row < 0 && rows > kAllRows)
    return fail(ErrorCode::usage, {{"detail", formatted("All rows are compared for at most %d tokens, and there are %d: ask for one output with --row", kAllRows, rows)}});
  for (int i = 0; i < rows; ++i)
    if (*row < 0 || *row == i) asked->queries.push_back(i);

  const std::string without = args.has("without") ? args.shown("without") : "none";
  if (std::find(std::begin(kWithout), std::end(kWithout), without) == std::end(kWithout))
    return fail(ErrorCode::bad_value, {{"option", "without"}, {"value", without}, {"allowed", "none, specials or sinks"}});
  if (without == "specials")
    for (std::size_t key = 0; key < asked->a->shown.key_tokens.size(); ++key)
      if (asked->a->shown.key_tokens[key].special) asked->without.push_back(static_cast<int>(key));
  if (without == "sinks") asked->without = asked->a->sinks();

  ComparedRecipes& out = asked->out;
  const DumpInfo& info = asked->a->open->dump.info;
  out.a = {info.file, recipe_json(asked->a->info(), asked->a->recipe, *row), ""};
  out.report = info.report;
  out.without = asked->without;
  for (int key = 0; key < real_keys(asked->a->shown); ++key) out.keys.push_back(token_label(asked->a->shown.key_tokens, static_cast<std::size_t>(key)));
  std::vector<VerbJob::Stage> stages;
  add_side(asked, asked->a, *row, asked->rows_a, stages);
  if (asked->b) {
    out.b = {info.file, recipe_json(asked->b->info(), asked->b->recipe, *row), ""};
    out.differs = recipe_differences(asked->a->recipe, asked->b->recipe);
    add_residual_fact(asked->a->recipe, asked->b->recipe, out.facts);
    add_side(asked, asked->b, *row, asked->rows_b, stages);
  } else {
    if (rows > 0 && asked->a->chance(0).empty())
      return fail(ErrorCode::usage, {{"detail", "Uniform attention has no row in this recipe: chance is defined for rollout and raw attention with a stated residual weight"}});
    out.b = {info.file, "", "uniform"};
    out.facts.push_back({NarrationId::compare_uniform, {}});
  }
  stages.push_back([asked]() -> Result<std::unique_ptr<Work>> { return std::make_unique<CompareWork>(asked); });
  return verb_job(*asked->a->open, std::move(stages), [asked]() -> Result<JobResult> { return JobResult{comparison_json(asked->out), {}}; });
}

}  // namespace rollscope
