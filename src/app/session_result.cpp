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

bool all_finite(ConstMatrixView m) {
  for (int i = 0; i < m.rows; ++i)
    for (const Real x : m.row(i))
      if (!std::isfinite(x)) return false;
  return true;
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

class MakingRaw final : public Making {
 public:
  MakingRaw(std::vector<ConstMatrixView> layers, MatrixView out) : layers_(std::move(layers)), out_(out) {}
  Result<bool> step() override {
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
  Result<bool> step() override { return work_.step(); }
  double fraction() const override { return work_.fraction(); }

 private:
  RolloutWork work_;
};

}  // namespace

Recipe result_key(const Recipe& recipe) {
  Recipe key = plain_recipe(recipe);
  key.minus.clear();  // the rows of each class stand alone
  if (key.sink != SinkMode::remove) key.sink = SinkMode::keep;
  if (key.merge_time != MergeTime::before) {
    key.merge = Merge::pieces;
    key.merge_queries = MergeQueries::mean;
  }
  if (key.method == Method::flow_normalised) key.method = Method::flow;
  return key;
}

std::shared_ptr<const FlowRow> find_flow_row(const OpenDump& open, int stream, const Recipe& recipe, int query) {
  const Recipe key = result_key(recipe);
  for (const auto& row : open.streams[static_cast<std::size_t>(stream)].flow_rows)
    if (row->recipe == key && row->query == query) return row;
  return nullptr;
}

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

// Those of raw attention and of a product are made here; the rest in sets/all_methods.cpp.
bool is_further_result(const Recipe& recipe, const ResultInputs& inputs) {
  return recipe.method == Method::flow || recipe.method == Method::flow_normalised || recipe.method == Method::joint || inputs.encoder != nullptr;
}

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
  if (is_further_result(recipe_, inputs_)) {
    auto making = make_further_result({recipe_, inputs_, std::move(layers), residual, building_->view});
    if (!making) return tl::unexpected(about(std::move(making.error()), *open_));
    maker_->making = std::move(*making);
    return {};
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
    if (maker_->making) {
      auto made = maker_->making->step();
      if (!made) return tl::unexpected(about(std::move(made.error()), *open_));
      if (!*made) return false;
    }
    // Relevance is not divided and grows with every layer: what overflowed has no order to show.
    if (maker_->making && !all_finite(building_->view))
      return fail(ErrorCode::overflow, {{"method", std::string(method_name(recipe_.method))}, {"file", open_->dump.info.file}});
    computed_ = true;
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

}  // namespace rollscope
