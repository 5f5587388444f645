// What the Compare view draws: two recipes about the same tokens, their rows, their matrices where they are small, and
// how far they agree. The answer is an archive.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/comparison.h"
#include "app/verbs.h"

namespace rollscope {
namespace {

struct Pair {
  std::shared_ptr<Question> a, b;
  int query = 0, query_b = 0;
  bool whole = false;  // all rows of both
  std::vector<std::vector<double>> rows_a, rows_b;  // all, or the chosen one
  BesideData out;
};

Result<std::shared_ptr<Question>> side(std::shared_ptr<OpenDump> open, const Args& args, std::string_view name) {
  auto recipe = args.object(name);
  if (!recipe) return tl::unexpected(std::move(recipe.error()));
  if (auto known = recipe->only("beside", kRecipeOptions); !known) return tl::unexpected(std::move(known.error()));
  return make_question(std::move(open), *recipe);
}

Measures measured(const Comparison& c) {
  return {c.spearman, c.kendall_tau_b, c.cosine, c.js_bits, c.total_variation, c.top_overlap * c.k, c.keys, c.tied_a, c.tied_b};
}

// Takes the rows of one side, then lets go of its matrices.
class RowsWork final : public Work {
 public:
  RowsWork(std::shared_ptr<Pair> pair, std::shared_ptr<Question> question, std::vector<std::vector<double>>& out) : pair_(std::move(pair)), q_(std::move(question)), out_(out) {}
  Result<bool> step() override {
    const int first = pair_->whole ? 0 : q_ == pair_->b ? pair_->query_b : pair_->query, end = pair_->whole ? real_queries(q_->shown) : first + 1;
    for (int i = 0; i < 16 && static_cast<int>(out_.size()) < end - first; ++i) {
      out_.push_back(q_->row(first + static_cast<int>(out_.size())));
      if (q_->is_flow()) tie_equal(out_.back());
    }
    if (static_cast<int>(out_.size()) < end - first) return false;
    q_->stack = q_->encoder = q_->decoder = nullptr;
    q_->result = nullptr;
    q_->flow_row = nullptr;
    return true;
  }

 private:
  std::shared_ptr<Pair> pair_;
  std::shared_ptr<Question> q_;
  std::vector<std::vector<double>>& out_;
};

// Keys that are compared stand before `seen`, sinks apart.
Measures compare_rows(const Pair& p, int query, int query_b, const std::vector<double>& a, const std::vector<double>& b) {
  const auto seen = std::min({static_cast<std::size_t>(p.a->seen(query)), static_cast<std::size_t>(p.b->seen(query_b)), a.size(), b.size()});
  std::vector<int> without = p.out.sinks;
  std::erase_if(without, [&](int key) { return static_cast<std::size_t>(key) >= seen; });
  return measured(compare(std::span(a).first(seen), std::span(b).first(seen), without, kBesideTop));
}

void finish(Pair& p) {
  BesideData& out = p.out;
  out.a = p.a->recipe;
  out.b = p.b->recipe;
  out.query = p.query;
  out.query_b = p.query_b;
  const auto at = static_cast<std::size_t>(p.whole ? p.query : 0), at_b = static_cast<std::size_t>(p.whole ? p.query_b : 0);
  out.row_a.assign(p.rows_a[at].begin(), p.rows_a[at].end());
  out.row_b.assign(p.rows_b[at_b].begin(), p.rows_b[at_b].end());
  out.row = compare_rows(p, p.query, p.query_b, p.rows_a[at], p.rows_b[at_b]);
  if (!p.whole) return;
  out.queries = static_cast<int>(p.rows_a.size());
  out.keys = static_cast<int>(p.rows_a[0].size());
  out.causal = lower_triangle(p.a->info()) && out.queries == out.keys;
  double Measures::*const kMeans[] = {&Measures::spearman, &Measures::kendall, &Measures::cosine, &Measures::js_bits, &Measures::total_variation, &Measures::top};
  std::vector<Measures> all;
  for (std::size_t i = 0; i < p.rows_a.size(); ++i) {
    all.push_back(compare_rows(p, static_cast<int>(i), static_cast<int>(i), p.rows_a[i], p.rows_b[i]));
    out.matrix_a.insert(out.matrix_a.end(), p.rows_a[i].begin(), p.rows_a[i].end());
    out.matrix_b.insert(out.matrix_b.end(), p.rows_b[i].begin(), p.rows_b[i].end());
  }
  // Rows where a measure is undefined (one key, all alike) do not enter its mean.
  for (const auto mean : kMeans) {
    double sum = 0;
    int n = 0;
    for (const Measures& m : all)
      if (std::isfinite(m.*mean)) sum += m.*mean, ++n;
    out.rows.*mean = n ? sum / n : std::numeric_limits<double>::quiet_NaN();
  }
  out.rows.keys = static_cast<int>(all.size());
}

void add_side(const std::shared_ptr<Pair>& pair, std::shared_ptr<Question> q, std::vector<std::vector<double>>& rows, std::vector<VerbJob::Stage>& stages) {
  for (auto& stage : stack_stages(q)) stages.push_back(std::move(stage));
  stages.push_back(pair->whole ? result_stage(q, q->recipe) : rows_stage(q, q->recipe, q == pair->b ? pair->query_b : pair->query));
  stages.push_back([pair, q, &rows]() -> Result<std::unique_ptr<Work>> { return std::make_unique<RowsWork>(pair, q, rows); });
}

}  // namespace

Result<std::unique_ptr<Job>> make_beside_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("beside", {"a", "b", "query", "query_b"}); !known) return tl::unexpected(std::move(known.error()));
  const auto pair = std::make_shared<Pair>();
  for (const auto& [name, to] : {std::pair("a", &pair->a), std::pair("b", &pair->b)}) {
    auto q = side(open, args, name);
    if (!q) return tl::unexpected(std::move(q.error()));
    *to = *q;
  }
  const Stream &a = pair->a->shown, &b = pair->b->shown;
  if (a.keys != b.keys || a.queries != b.queries || (a.name != b.name && pair->a->recipe.merge == Merge::pieces))
    return fail(ErrorCode::usage, {{"detail", "The two recipes give rows over other tokens: choose the same stream and merge on both sides"}});
  auto query = args.integer("query", first_row(*pair->a));
  if (!query) return tl::unexpected(std::move(query.error()));
  if (*query < 0 || *query >= a.queries) return out_of_range("query", *query, a.queries);
  auto query_b = args.integer("query_b", *query);
  if (!query_b) return tl::unexpected(std::move(query_b.error()));
  if (*query_b < 0 || *query_b >= a.queries) return out_of_range("query_b", *query_b, a.queries);
  pair->query = *query;
  pair->query_b = *query_b;
  const auto small = [](const Question& q) { return !rows_are_many(q.recipe, q.shown); };
  pair->whole = std::max(a.keys, a.queries) <= kBesideSide && small(*pair->a) && small(*pair->b) && std::max(*query, *query_b) < real_queries(a);
  for (const auto& q : {pair->a, pair->b}) {
    if (auto fits = check_flow(*q, q == pair->b ? *query_b : *query); !fits) return tl::unexpected(std::move(fits.error()));
    for (const int key : q->sinks()) pair->out.sinks.push_back(key);
  }
  auto& sinks = pair->out.sinks;
  std::sort(sinks.begin(), sinks.end());
  sinks.erase(std::unique(sinks.begin(), sinks.end()), sinks.end());
  std::vector<VerbJob::Stage> stages;
  add_side(pair, pair->a, pair->rows_a, stages);
  add_side(pair, pair->b, pair->rows_b, stages);
  return verb_job(*pair->a->open, std::move(stages), [pair]() -> Result<JobResult> {
    finish(*pair);
    return archived(pair->out);
  });
}

}  // namespace rollscope
