// Heads apart, in one layer: the strongest keys of every row of each (the Lines view), and what each gives to one key
// (an edge of the graph); and the arcs that hold up a flow. Answers are archives.
#include <algorithm>
#include <numeric>
#include <tuple>

#include "app/verbs.h"
#include "base/text.h"

namespace rollscope {
namespace {

// One head in each step.
class LinesWork final : public Work {
 public:
  LinesWork(std::shared_ptr<Question> question, std::shared_ptr<LinesData> out) : q_(std::move(question)), out_(std::move(out)) {
    const Stream& s = q_->info();
    out_->heads = std::max(1, s.heads);
    out_->queries = real_queries(s);
    out_->keys = real_keys(s);
    out_->most = std::min(kLineKeys, out_->keys);
  }

  Result<bool> step() override {
    const Stream& s = q_->info();
    if (!memory_.size()) {
      auto memory = RealBuffer::make(static_cast<std::size_t>(s.queries) * static_cast<std::size_t>(s.keys));
      if (!memory) return tl::unexpected(std::move(memory.error()));
      memory_ = std::move(*memory);
      const auto cells = static_cast<std::size_t>(out_->heads) * static_cast<std::size_t>(out_->queries) * static_cast<std::size_t>(out_->most);
      out_->key.reserve(cells);
      out_->weight.reserve(cells);
      order_.resize(static_cast<std::size_t>(out_->keys));
    }
    const auto matrix = memory_.matrix(0, s.queries, s.keys);
    if (auto read = read_normalised_head(*q_->open, q_->stream, out_->layer, at_, matrix); !read) return tl::unexpected(std::move(read.error()));
    for (int i = 0; i < out_->queries; ++i) add(ConstMatrixView(matrix).row(i));
    return ++at_ == out_->heads;
  }

  JobProgress progress() const override { return {static_cast<double>(at_) / out_->heads}; }

 private:
  void add(std::span<const Real> row) {
    std::iota(order_.begin(), order_.end(), 0);
    const auto weight = [&](int j) { return row[static_cast<std::size_t>(j)]; };
    std::partial_sort(order_.begin(), order_.begin() + out_->most, order_.end(), [&](int a, int b) { return weight(a) > weight(b) || (weight(a) == weight(b) && a < b); });
    for (int k = 0; k < out_->most; ++k) {
      const int j = order_[static_cast<std::size_t>(k)];
      out_->key.push_back(weight(j) > 0 ? j : -1);
      out_->weight.push_back(static_cast<float>(weight(j)));
    }
  }

  std::shared_ptr<Question> q_;
  std::shared_ptr<LinesData> out_;
  RealBuffer memory_;
  std::vector<int> order_;
  int at_ = 0;
};

class EdgeWork final : public Work {
 public:
  EdgeWork(std::shared_ptr<Question> question, std::shared_ptr<EdgeData> out) : q_(std::move(question)), out_(std::move(out)) {}
  Result<bool> step() override {
    const Stream& s = q_->info();
    if (!memory_.size()) {
      auto memory = RealBuffer::make(static_cast<std::size_t>(s.queries) * static_cast<std::size_t>(s.keys));
      if (!memory) return tl::unexpected(std::move(memory.error()));
      memory_ = std::move(*memory);
    }
    const auto matrix = memory_.matrix(0, s.queries, s.keys);
    if (auto read = read_normalised_head(*q_->open, q_->stream, out_->layer, static_cast<int>(out_->heads.size()), matrix); !read) return tl::unexpected(std::move(read.error()));
    out_->heads.push_back(static_cast<float>(ConstMatrixView(matrix)(out_->query, out_->key)));
    return static_cast<int>(out_->heads.size()) == std::max(1, s.heads);
  }

 private:
  std::shared_ptr<Question> q_;
  std::shared_ptr<EdgeData> out_;
  RealBuffer memory_;
};

// One of `count`. Errors: bad_value, out_of_range.
Result<int> one_of(const Args& args, std::string_view name, int count) {
  auto at = args.integer(name, count - 1);
  if (at && (*at < 0 || *at >= count)) return out_of_range(name, *at, count);
  return at;
}

CutData cut_of(const Question& q, int query, int key) {
  CutData out{query, key, 0, 0, -1, 0, {}};
  const auto layers = q.chain();
  const auto pair = flow_pair({layers}, q.residual(), query, key);
  if (!pair || pair->cut_layer < 0) return out;
  out.flow = pair->value;
  out.end = static_cast<std::uint8_t>(pair->end);
  out.layer = q.recipe.first_layer + pair->cut_layer;
  out.arcs_all = static_cast<int>(pair->cut.size());
  for (const FlowArc& arc : pair->cut) out.arcs.push_back({q.recipe.first_layer + arc.layer, arc.from, arc.to, arc.capacity});
  std::stable_sort(out.arcs.begin(), out.arcs.end(), [](const CutArc& a, const CutArc& b) { return a.capacity > b.capacity; });
  out.arcs.resize(std::min(out.arcs.size(), kCutArcs));
  return out;
}

}  // namespace

Result<std::unique_ptr<Job>> make_lines_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("lines", {"recipe", "layer"}); !known) return tl::unexpected(std::move(known.error()));
  auto question = question_of(std::move(open), args);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  auto layer = one_of(args, "layer", q->info().layers());
  if (!layer) return tl::unexpected(std::move(layer.error()));
  const auto out = std::make_shared<LinesData>();
  out->layer = *layer;
  return verb_job(*q->open, {[q, out]() -> Result<std::unique_ptr<Work>> { return std::make_unique<LinesWork>(q, out); }}, [out]() -> Result<JobResult> { return archived(*out); });
}

Result<std::unique_ptr<Job>> make_edge_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("edge", {"recipe", "layer", "query", "key"}); !known) return tl::unexpected(std::move(known.error()));
  auto question = question_of(std::move(open), args);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  const auto out = std::make_shared<EdgeData>();
  const Stream& s = q->info();
  for (const auto& [name, count, to] : {std::tuple("layer", s.layers(), &out->layer), std::tuple("query", s.queries, &out->query), std::tuple("key", s.keys, &out->key)}) {
    auto at = one_of(args, name, count);
    if (!at) return tl::unexpected(std::move(at.error()));
    *to = *at;
  }
  return verb_job(*q->open, {[q, out]() -> Result<std::unique_ptr<Work>> { return std::make_unique<EdgeWork>(q, out); }}, [out]() -> Result<JobResult> { return archived(*out); });
}

Result<std::unique_ptr<Job>> make_cut_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("cut", {"recipe", "query", "key"}); !known) return tl::unexpected(std::move(known.error()));
  auto question = question_of(std::move(open), args);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  if (!q->is_flow() || q->recipe.merge != Merge::pieces)
    return fail(ErrorCode::usage, {{"detail", "Only a flow between tokens has a bottleneck: ask with method flow and without merging"}});
  auto query = one_of(args, "query", q->info().queries), key = one_of(args, "key", q->info().keys);
  if (!query) return tl::unexpected(std::move(query.error()));
  if (!key) return tl::unexpected(std::move(key.error()));
  return verb_job(*q->open, stack_stages(q), [q, query = *query, key = *key]() -> Result<JobResult> {
    CutData out = cut_of(*q, query, key);
    return archived(out);
  });
}

}  // namespace rollscope
