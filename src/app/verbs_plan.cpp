// plan: which tokens to take away, in which order, so that the user's model can say what each removal does
// (analysis/removal_plan.h). The answer is the plan itself, to be filled in and read back by `rollscope faithfulness`.
#include "analysis/removal_plan.h"

#include <algorithm>

#include "analysis/comparison.h"
#include "app/verbs.h"
#include "base/text.h"

namespace rollscope {
namespace {

// A plan for n tokens holds some hundreds of masks of n numbers, and n more.
constexpr int kPlanTokens = 4096, kRandomOrders = 100;

// Tokens that no step removes: those that were asked to stay, and those that the row cannot see.
Result<std::vector<int>> kept_tokens(const Args& args, const Question& q, int row) {
  const int keys = real_keys(q.shown);
  std::vector<std::uint8_t> keep(static_cast<std::size_t>(keys), 0);
  if (!args.has("keep") || args.shown("keep") == "specials") {
    for (std::size_t k = 0; k < keep.size() && k < q.shown.key_tokens.size(); ++k) keep[k] = q.shown.key_tokens[k].special;
  } else if (args.shown("keep") != "none") {
    const auto asked = args.integers("keep");
    if (!asked) return fail(ErrorCode::bad_value, {{"option", "keep"}, {"value", args.shown("keep")}, {"allowed", "specials, none, or tokens counted from 0: 0,12"}});
    for (const int k : *asked) {
      if (k < 0 || k >= keys) return out_of_range("keep", k, keys);
      keep[static_cast<std::size_t>(k)] = 1;
    }
  }
  std::vector<int> out;
  for (int k = 0; k < keys; ++k)
    if (keep[static_cast<std::size_t>(k)] || k >= q.seen(row)) out.push_back(k);
  return out;
}

}  // namespace

Result<std::unique_ptr<Job>> make_plan_job(std::shared_ptr<OpenDump> open, const Args& args) {
  auto question = make_question(std::move(open), "plan", args, {"row", "random", "seed", "keep"});
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  auto row = asked_row(args, *q, first_row(*q));
  if (!row) return tl::unexpected(std::move(row.error()));
  if (*row < 0) return fail(ErrorCode::bad_value, {{"option", "row"}, {"value", "all"}, {"allowed", "one row: a plan removes tokens for one output"}});
  if (auto fits = check_flow(*q, *row); !fits) return tl::unexpected(std::move(fits.error()));
  auto random = args.integer("random", RemovalOptions{}.random_orders);
  if (!random) return tl::unexpected(std::move(random.error()));
  if (*random < 0 || *random > kRandomOrders)
    return fail(ErrorCode::bad_value, {{"option", "random"}, {"value", std::to_string(*random)}, {"allowed", formatted("0 to %d orders", kRandomOrders)}});
  auto seed = args.number("seed", 0, 9007199254740992.0, 1);
  if (!seed) return tl::unexpected(std::move(seed.error()));
  if (*seed != std::floor(*seed)) return fail(ErrorCode::bad_value, {{"option", "seed"}, {"value", args.shown("seed")}, {"allowed", "a whole number from 0 on"}});
  const int keys = real_keys(q->shown);
  if (keys > kPlanTokens) return fail(ErrorCode::usage, {{"detail", formatted("A removal plan holds at most %d tokens, and there are %d: merge them, --merge words", kPlanTokens, keys)}});
  auto kept = kept_tokens(args, *q, *row);
  if (!kept) return tl::unexpected(std::move(kept.error()));
  if (static_cast<int>(kept->size()) == keys) return fail(ErrorCode::usage, {{"detail", "There is no token that may be removed: --keep none lets special tokens go too"}});

  RemovalOptions options;
  options.always_kept = std::move(*kept);
  options.random_orders = *random;
  options.seed = static_cast<std::uint64_t>(*seed);
  auto stages = stack_stages(q);
  stages.push_back(rows_stage(q, q->recipe, *row));
  return verb_job(*q->open, std::move(stages), [q, row = *row, options]() -> Result<JobResult> {
    auto weights = q->row(row);
    weights.resize(static_cast<std::size_t>(real_keys(q->shown)));
    if (q->is_flow()) tie_equal(weights);
    std::vector<std::string> tokens;
    for (std::size_t k = 0; k < weights.size(); ++k) tokens.push_back(token_label(q->shown.key_tokens, k));
    RemovalPlan plan = removal_plan(weights, tokens, options);
    plan.dump = q->open->dump.info.file;
    plan.query = row;
    plan.method = q->recipe.method == Method::attribution ? "attribution:" + q->recipe.source : std::string(method_name(q->recipe.method));
    plan.recipe = recipe_sentence(q->info(), q->recipe);
    return JobResult{removal_plan_json(plan), {}};
  });
}

}  // namespace rollscope
