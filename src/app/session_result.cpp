// All rows of a recipe, and one row of a flow: what the session computes from its stacks.
#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/measures.h"
#include "analysis/recipe_text.h"
#include "analysis/shown_stream.h"
#include "app/session_state.h"
#include "methods/raw.h"

namespace rollscope {
namespace {

const Stream& stream_of(const OpenDump& open, int stream) { return open.dump.info.streams[static_cast<std::size_t>(stream)]; }

Error about(Error error, const OpenDump& open) {
  error.params.emplace("file", open.dump.info.file);
  return error;
}

void keep_result(StreamData& data, std::shared_ptr<const ResultMatrix> result) {
  std::size_t bytes = result->data.bytes();
  for (const auto& other : data.results) bytes += other->data.bytes();
  while (!data.results.empty() && bytes > kResultsBytes) {
    bytes -= data.results.front()->data.bytes();
    data.results.erase(data.results.begin());
  }
  data.results.push_back(std::move(result));
}

// Rows before sinks are set aside and tokens merged: what a ResultMatrix holds.
Recipe result_key(const Recipe& recipe) {
  Recipe key = plain_recipe(recipe);
  if (key.sink != SinkMode::remove) key.sink = SinkMode::keep;
  if (key.merge_time != MergeTime::before) {
    key.merge = Merge::pieces;
    key.merge_queries = MergeQueries::mean;
  }
  if (key.method == Method::flow_normalised) key.method = Method::flow;
  return key;
}

// The extra that holds the stored scores of a recipe; -1: none.
int source_index(const DumpInfo& info, const Stream& s, const Recipe& recipe) {
  if (recipe.method == Method::cdam) return info.find_extra(ExtraKind::scores, s.name, &recipe.source);
  const int attribution = info.find_extra(ExtraKind::attribution, s.name, &recipe.source);
  return attribution >= 0 ? attribution : info.find_extra(ExtraKind::scores, s.name, &recipe.source);
}

// Stored scores as rows over the tokens; a map over the grid leaves the other tokens without a value.
std::vector<double> on_tokens(const DumpInfo& info, const Stream& s, const Extra& extra, const std::vector<double>& values) {
  const PatchGrid& grid = info.grid;
  const auto keys = static_cast<std::size_t>(s.keys);
  const bool map = extra.shape.size() == 2 && extra.shape[0] == grid.rows && extra.shape[1] == grid.columns && extra.shape[1] != s.keys;
  const std::size_t columns = map ? values.size() : static_cast<std::size_t>(extra.shape.back());
  const std::size_t first = map ? static_cast<std::size_t>(grid.prefix) : 0;
  std::vector<double> out((values.size() / std::max<std::size_t>(1, columns)) * keys, NAN);  // a virtual sink has no score
  for (std::size_t k = 0; k < values.size(); ++k)
    if (k % columns + first < keys) out[k / columns * keys + k % columns + first] = values[k];
  return out;
}

// A result in the making: `out` is filled step by step.
class Making {
 public:
  virtual ~Making() = default;
  virtual bool step() = 0;  // true: finished
  [[nodiscard]] virtual double fraction() const { return 0; }
  [[nodiscard]] virtual std::vector<FlowFacts> facts() const { return {}; }
};

class MakingRaw final : public Making {
 public:
  MakingRaw(std::vector<ConstMatrixView> layers, MatrixView out) : layers_(std::move(layers)), out_(out) {}
  bool step() override {
    raw_matrix({layers_}, out_);
    return true;
  }

 private:
  std::vector<ConstMatrixView> layers_;
  MatrixView out_;
};

class MakingChain final : public Making {
 public:
  explicit MakingChain(RolloutWork work) : work_(std::move(work)) {}
  bool step() override { return work_.step(); }
  double fraction() const override { return work_.fraction(); }

 private:
  RolloutWork work_;
};

class MakingFlow final : public Making {
 public:
  explicit MakingFlow(FlowWork work) : work_(std::move(work)) {}
  bool step() override { return work_.step(); }
  double fraction() const override { return work_.fraction(); }
  std::vector<FlowFacts> facts() const override { return work_.facts(); }

 private:
  FlowWork work_;
};

// R_ti of the rules of two sides: the encoder's layers, then each decoder layer's self- and cross-attention.
class MakingRelevance final : public Making {
 public:
  MakingRelevance(Relevance rules, std::vector<ConstMatrixView> encoder, std::vector<ConstMatrixView> decoder, std::vector<ConstMatrixView> cross, MatrixView out)
      : rules_(std::move(rules)), encoder_(std::move(encoder)), decoder_(std::move(decoder)), cross_(std::move(cross)), out_(out) {}
  bool step() override {
    if (running_) {
      if (!rules_.step()) return false;
      running_ = false;
      ++done_;
    }
    const std::size_t e = encoder_.size();
    if (done_ < e) rules_.self_i(encoder_[done_]);
    else if (done_ < e + 2 * decoder_.size()) (done_ - e) % 2 == 0 ? rules_.self_t(decoder_[(done_ - e) / 2]) : rules_.cross_t(cross_[(done_ - e) / 2]);
    else {
      const ConstMatrixView r = rules_.ti();
      std::copy(r.data, r.data + r.size(), out_.data);
      return true;
    }
    running_ = true;
    return false;
  }
  double fraction() const override { return static_cast<double>(done_) / static_cast<double>(encoder_.size() + 2 * decoder_.size() + 1); }

 private:
  Relevance rules_;
  std::vector<ConstMatrixView> encoder_, decoder_, cross_;
  MatrixView out_;
  std::size_t done_ = 0;
  bool running_ = false;
};

class MakingJoint final : public Making {
 public:
  MakingJoint(RealBuffer memory, RolloutWork encoder, ConstMatrixView rolled, std::vector<ConstMatrixView> self, std::vector<ConstMatrixView> cross, double residual, MatrixView out)
      : memory_(std::move(memory)), encoder_(std::move(encoder)), rolled_(rolled), self_(std::move(self)), cross_(std::move(cross)), residual_(residual), out_(out) {}
  bool step() override {
    if (!rolled_out_) {
      rolled_out_ = encoder_.step();
      return false;
    }
    if (!joint_) {
      auto work = JointWork::start(rolled_, {self_}, {cross_}, {residual_, residual_}, out_);
      if (!work) {
        failed_ = true;
        return true;
      }
      joint_.emplace(std::move(*work));
    }
    return joint_->step();
  }
  double fraction() const override { return joint_ ? 0.3 + 0.7 * joint_->fraction() : 0.3 * encoder_.fraction(); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  RealBuffer memory_;
  RolloutWork encoder_;
  ConstMatrixView rolled_;
  std::vector<ConstMatrixView> self_, cross_;
  double residual_;
  MatrixView out_;
  std::optional<JointWork> joint_;
  bool rolled_out_ = false, failed_ = false;
};

}  // namespace

std::vector<ConstMatrixView> chain_layers(const FusedStack& stack, const Recipe& recipe) {
  std::vector<ConstMatrixView> out(stack.layers.begin() + recipe.first_layer, stack.layers.begin() + recipe.end_layer);
  if (recipe.method == Method::rollout_reversed) std::reverse(out.begin(), out.end());
  return out;
}

bool rows_are_many(const Recipe& recipe, const Stream& shown) {
  const bool flow = recipe.method == Method::flow || recipe.method == Method::flow_normalised;
  return std::max(shown.queries, shown.keys) > (flow ? kFlowAtOnce : kResultAtOnce);
}

struct ResultWork::Maker {
  std::unique_ptr<Making> making;
};

std::shared_ptr<const ResultMatrix> ResultWork::find(const OpenDump& open, int stream, const Recipe& recipe) {
  const Recipe key = result_key(recipe);
  for (const auto& result : open.streams[static_cast<std::size_t>(stream)].results)
    if (result->recipe == key) return result;
  return nullptr;
}

ResultWork::ResultWork(std::shared_ptr<OpenDump> open, int stream, Recipe recipe, ResultInputs inputs)
    : open_(std::move(open)), stream_(stream), recipe_(std::move(recipe)), inputs_(std::move(inputs)), result_(find(*open_, stream_, recipe_)) {}

ResultWork::~ResultWork() = default;
ResultWork::ResultWork(ResultWork&&) noexcept = default;

Result<void> ResultWork::begin() {
  const DumpInfo& info = open_->dump.info;
  const Stream& s = stream_of(*open_, stream_);
  int rows = s.queries, columns = s.keys;
  const MethodTraits& t = traits(recipe_.method);
  const int stored = t.attention ? -1 : source_index(info, s, recipe_);
  if (recipe_.method == Method::joint) columns = inputs_.encoder->layers[0].rows + inputs_.decoder->layers[0].rows;
  else if (recipe_.merge != Merge::pieces && recipe_.merge_time == MergeTime::before) rows = columns = inputs_.stack->layers[0].rows;
  else if (stored >= 0 && info.extras[static_cast<std::size_t>(stored)].shape != std::vector<int>{rows, columns}) rows = 1;
  auto memory = RealBuffer::make(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  if (!memory) return tl::unexpected(about(std::move(memory.error()), *open_));
  building_ = std::make_shared<ResultMatrix>();
  building_->recipe = result_key(recipe_);
  building_->data = std::move(*memory);
  building_->view = building_->data.matrix(0, rows, columns);
  maker_ = std::make_unique<Maker>();
  if (stored >= 0) {
    const std::vector<double>& values = open_->dump.extras[static_cast<std::size_t>(stored)].values;
    const std::vector<double> row = on_tokens(info, s, info.extras[static_cast<std::size_t>(stored)], values);
    std::transform(row.begin(), row.end(), building_->view.data, [](double x) { return static_cast<Real>(x); });
    return {};
  }
  const auto start = [&](auto work, auto make) -> Result<void> {
    if (!work) return tl::unexpected(about(std::move(work.error()), *open_));
    maker_->making = make(std::move(*work));
    return {};
  };
  auto layers = chain_layers(*inputs_.stack, recipe_);
  const double residual = chain_residual(info, recipe_);
  const bool causal = lower_triangle(s) && recipe_.merge_time == MergeTime::after;
  if (recipe_.method == Method::flow || recipe_.method == Method::flow_normalised)
    return start(FlowWork::start({layers}, residual, building_->view), [](FlowWork work) { return std::make_unique<MakingFlow>(std::move(work)); });
  if (recipe_.method == Method::joint) {
    const auto sides = inputs_.encoder->layers[0].rows;
    auto rolled = RealBuffer::make(static_cast<std::size_t>(sides) * static_cast<std::size_t>(sides));
    if (!rolled) return tl::unexpected(about(std::move(rolled.error()), *open_));
    const MatrixView r = rolled->matrix(0, sides, sides);
    std::vector<ConstMatrixView> self(inputs_.decoder->layers.begin() + recipe_.first_layer, inputs_.decoder->layers.begin() + recipe_.end_layer);
    return start(RolloutWork::start(inputs_.encoder->view(), residual, false, r), [&](RolloutWork work) {
      return std::make_unique<MakingJoint>(std::move(*rolled), std::move(work), r, std::move(self), std::move(layers), residual, building_->view);
    });
  }
  if (inputs_.encoder) {
    std::vector<ConstMatrixView> self(inputs_.decoder->layers.begin() + recipe_.first_layer, inputs_.decoder->layers.begin() + recipe_.end_layer);
    const CrossRule rule = recipe_.method == Method::relevance ? CrossRule::published : CrossRule::causal;
    return start(Relevance::start(rows, columns, rule), [&](Relevance rules) {
      return std::make_unique<MakingRelevance>(std::move(rules), inputs_.encoder->layers, std::move(self), std::move(layers), building_->view);
    });
  }
  if (!t.chain) {
    maker_->making = std::make_unique<MakingRaw>(std::move(layers), building_->view);
    return {};
  }
  return start(RolloutWork::start({layers}, residual, causal, building_->view), [](RolloutWork work) { return std::make_unique<MakingChain>(std::move(work)); });
}

Result<bool> ResultWork::step() {
  if (result_) return true;
  if (!building_) {
    if (auto begun = begin(); !begun) return tl::unexpected(std::move(begun.error()));
    return false;
  }
  if (!computed_) {
    computed_ = !maker_->making || maker_->making->step();
    if (!computed_) return false;
    if (maker_->making) building_->flow = maker_->making->facts();
    maker_.reset();
    const Stream& s = stream_of(*open_, stream_);
    const int rows = compared_rows();
    row_ = recipe_.method == Method::joint ? 0 : rows_distance_first(rows, s.causal);
    return false;
  }
  const int rows = compared_rows();
  if (row_ < rows - 1) {
    const double pair = static_cast<double>(rows) * building_->view.columns;
    const int end = std::min(rows, row_ + std::max(1, static_cast<int>(2e7 / pair)));
    building_->distance = std::max(building_->distance, distance(row_, end, rows));
    row_ = end;
    if (row_ < rows - 1) return false;
  }
  result_ = std::move(building_);
  keep_result(open_->streams[static_cast<std::size_t>(stream_)], result_);
  return true;
}

// Rows whose differences mean something: distributions over keys.
int ResultWork::compared_rows() const {
  const MethodTraits& t = traits(recipe_.method);
  if (!t.attention || (!t.unit_rows && recipe_.method != Method::flow)) return 0;
  const Stream& s = stream_of(*open_, stream_);
  const int rows = building_->view.rows;
  return rows == s.queries ? real_queries(s) : rows;
}

// Joint: of the source parts, each divided by its sum. Flow: of rows divided by their sums.
double ResultWork::distance(int first, int end, int rows) const {
  const bool joint = recipe_.method == Method::joint, flow = recipe_.method == Method::flow;
  if (!joint && !flow) return rows_distance(building_->view, first, end, rows);
  const int columns = joint ? inputs_.encoder->layers[0].rows : building_->view.columns;
  std::vector<Real> parts;
  for (int i = 0; i < rows; ++i) {
    const auto row = building_->view.row(i).first(static_cast<std::size_t>(columns));
    double sum = 0;
    for (const Real x : row) sum += static_cast<double>(x);
    for (const Real x : row) parts.push_back(sum > 0 ? static_cast<Real>(static_cast<double>(x) / sum) : Real{0});
  }
  return rows_distance(ConstMatrixView{parts.data(), rows, columns}, first, end, rows);
}

JobProgress ResultWork::progress() const {
  JobProgress p;
  const double made = maker_ && maker_->making ? maker_->making->fraction() : 0;
  p.fraction = result_ ? 1 : computed_ ? 0.9 : 0.9 * made;
  p.layers = recipe_.end_layer - recipe_.first_layer;
  p.layer = computed_ || result_ ? p.layers : std::min(p.layers, static_cast<int>(made * p.layers) + 1);
  return p;
}

FlowRowWork::FlowRowWork(std::shared_ptr<OpenDump> open, int stream, Recipe recipe, int query, std::shared_ptr<const FusedStack> stack)
    : open_(std::move(open)), stream_(stream), recipe_(std::move(recipe)), query_(query), stack_(std::move(stack)) {
  const Recipe key = result_key(recipe_);
  for (const auto& row : open_->streams[static_cast<std::size_t>(stream_)].flow_rows)
    if (row->recipe == key && row->query == query_) row_ = row;
}

Result<bool> FlowRowWork::step() {
  if (row_) return true;
  if (!building_) {
    building_ = std::make_shared<FlowRow>();
    building_->recipe = result_key(recipe_);
    building_->query = query_;
    building_->row.resize(static_cast<std::size_t>(stack_->layers[0].columns));
    const auto layers = chain_layers(*stack_, recipe_);
    auto work = FlowWork::start_row({layers}, chain_residual(open_->dump.info, recipe_), query_, building_->row);
    if (!work) return tl::unexpected(about(std::move(work.error()), *open_));
    work_ = std::make_unique<FlowWork>(std::move(*work));
    return false;
  }
  if (!work_->step()) return false;
  building_->facts = work_->facts().front();
  row_ = std::move(building_);
  auto& rows = open_->streams[static_cast<std::size_t>(stream_)].flow_rows;
  if (rows.size() >= kFlowRows) rows.erase(rows.begin());
  rows.push_back(row_);
  return true;
}

JobProgress FlowRowWork::progress() const {
  JobProgress p;
  p.fraction = row_ ? 1 : work_ ? work_->fraction() : 0;
  return p;
}

}  // namespace rollscope
