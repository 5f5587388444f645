// explain with pairs: the flow between chosen outputs and inputs, each with the cut that holds it up. All pairs of a long
// text would take too long, and a whole row may be more than is asked.
#include <algorithm>
#include <cmath>

#include "app/verbs_explain_parts.h"
#include "app/verbs_row.h"
#include "base/text.h"

namespace rollscope {
namespace {

constexpr std::size_t kMostPairs = 1024;

struct Pair {
  int row = 0, key = 0;
  FlowPair flow;
};

// One pair after the other.
class PairsWork final : public Work {
 public:
  PairsWork(std::shared_ptr<Question> question, std::shared_ptr<std::vector<Pair>> pairs) : q_(std::move(question)), pairs_(std::move(pairs)) {}
  Result<bool> step() override {
    Pair& pair = (*pairs_)[at_];
    const auto layers = q_->chain();
    auto flow = flow_pair({layers}, q_->residual(), pair.row, pair.key);
    if (!flow) return tl::unexpected(std::move(flow.error()));
    pair.flow = std::move(*flow);
    return ++at_ == pairs_->size();
  }
  JobProgress progress() const override { return {static_cast<double>(at_) / static_cast<double>(pairs_->size())}; }

 private:
  std::shared_ptr<Question> q_;
  std::shared_ptr<std::vector<Pair>> pairs_;
  std::size_t at_ = 0;
};

std::string pairs_json(const Question& q, const std::vector<Pair>& pairs) {
  const Stream& stream = q.info();
  std::vector<int> queries;
  for (const Pair& p : pairs) queries.push_back(p.row);
  std::sort(queries.begin(), queries.end());
  queries.erase(std::unique(queries.begin(), queries.end()), queries.end());
  std::vector<std::vector<double>> rows(queries.size(), std::vector<double>(static_cast<std::size_t>(q.shown.keys), NAN));
  double error = 0;
  int at_end = 0, connected = 0;
  for (const Pair& p : pairs) {
    const auto r = static_cast<std::size_t>(std::lower_bound(queries.begin(), queries.end(), p.row) - queries.begin());
    rows[r][static_cast<std::size_t>(p.key)] = p.flow.value;
    error = std::max(error, p.flow.certificate_error);
    if (p.flow.cut_layer < 0) continue;
    ++connected;
    at_end += p.flow.end != FlowEnd::none;
  }

  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  json.name("recipe");
  write_recipe(json, stream, q.recipe, kNoRow);
  json.name("queries");
  write_labels(json, q.shown.query_tokens, queries);
  json.name("keys");
  std::vector<int> all(static_cast<std::size_t>(q.shown.keys));
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = static_cast<int>(j);
  write_labels(json, q.shown.key_tokens, all);
  json.name("matrix");  // what was not asked for has no value
  write_matrix(json, rows);
  json.field("signed", false);
  json.name("diagnostics");
  json.StartObject();
  json.name("visible");
  json.StartArray();
  for (const int i : queries) json.Int(q.visible(i));
  json.EndArray();
  json.field("saturation_connected", connected > 0 ? static_cast<double>(at_end) / connected : NAN);
  json.field("certificate_error", error);
  json.name("pairs");
  json.StartArray();
  for (const Pair& p : pairs) {
    json.StartObject();
    json.field("row", p.row);
    json.field("key", p.key);
    json.field("query_label", token_label(q.shown.query_tokens, static_cast<std::size_t>(p.row)));
    json.field("key_label", token_label(q.shown.key_tokens, static_cast<std::size_t>(p.key)));
    json.field("flow", p.flow.value);
    write_cut(json, q, p.flow);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  const auto strong = strong_keys(stream, q.recipe, q.data().stats);
  json.name("report");
  write_report(json, recipe_report(q, strong));
  json.field("engine", ROLLSCOPE_VERSION);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

Result<std::unique_ptr<Job>> make_pairs_job(std::shared_ptr<Question> q, const Args& args) {
  const auto excluded = [](std::string detail) { return fail(ErrorCode::usage, {{"detail", std::move(detail)}}); };
  if (q->recipe.method != Method::flow)
    return excluded("pairs are asked of flow, whose every pair is a question of its own; " + std::string(method_name(q->recipe.method)) + " is given by rows (--row)");
  if (args.has("row")) return excluded("pairs name their rows themselves: leave out row");
  if (args.has("region")) return excluded("A region is judged on a whole row, and pairs are parts of rows: leave out one of them");
  if (q->merged_after()) return excluded("The flow of a word is a sum over its pairs: merge before the product (--merge-time before), or ask for a row");
  if (q->recipe.sink == SinkMode::renormalise) return excluded("A row without its sinks is divided by its sum, which pairs do not give: ask for a row");
  auto asked = args.pairs("pairs", "outputs and inputs, counted from 0: 5:0,7:2");
  if (!asked) return tl::unexpected(std::move(asked.error()));
  if (asked->size() > kMostPairs) return excluded(formatted("At most %d pairs at once, and there are %d: ask for rows", static_cast<int>(kMostPairs), static_cast<int>(asked->size())));
  const auto pairs = std::make_shared<std::vector<Pair>>();
  const int rows = real_queries(q->shown), keys = q->shown.keys;
  for (const auto& [row, key] : *asked) {
    if (row < 0 || row >= rows) return out_of_range("pairs", row, rows);
    if (key < 0 || key >= keys) return out_of_range("pairs", key, keys);
    pairs->push_back({row, key, {}});
  }
  auto stages = stack_stages(q);
  stages.push_back([q, pairs]() -> Result<std::unique_ptr<Work>> { return std::make_unique<PairsWork>(q, pairs); });
  return verb_job(*q->open, std::move(stages), [q, pairs]() -> Result<JobResult> { return JobResult{pairs_json(*q, *pairs), {}}; });
}

}  // namespace rollscope
