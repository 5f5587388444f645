#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/measures.h"
#include "analysis/recipe_text.h"
#include "app/session_state.h"
#include "methods/raw.h"

namespace rollscope {
namespace {

const Stream& stream_of(const OpenDump& open, int stream) { return open.dump.info.streams[static_cast<std::size_t>(stream)]; }

std::size_t head_size(const Stream& s) { return static_cast<std::size_t>(s.queries) * static_cast<std::size_t>(s.keys); }

Error about(Error error, const OpenDump& open) {
  error.params.emplace("file", open.dump.info.file);
  return error;
}

void keep_stack(StreamData& data, std::shared_ptr<const FusedStack> stack) {
  if (stack->fusion == Fusion::mean && stack->heads.empty()) {
    data.mean = std::move(stack);
    return;
  }
  std::size_t bytes = stack->data.bytes();
  for (const auto& other : data.others) bytes += other->data.bytes();
  while (!data.others.empty() && bytes > kOtherStacksBytes) {
    bytes -= data.others.front()->data.bytes();
    data.others.erase(data.others.begin());
  }
  data.others.push_back(std::move(stack));
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

// Recipes that give the same matrix are one entry: raw attention has no residual.
bool same_result(const Recipe& a, const Recipe& b) {
  return a.method == b.method && a.fusion == b.fusion && a.heads == b.heads && a.first_layer == b.first_layer &&
         a.end_layer == b.end_layer && (a.method == Method::raw || a.residual == b.residual);
}

}  // namespace

bool row_is_empty(const OpenDump& open, int stream, int layer, int head, int query) {
  const Stream& s = stream_of(open, stream);
  const auto at = static_cast<std::size_t>(layer * std::max(1, s.heads) + head);
  return open.streams[static_cast<std::size_t>(stream)].stats.empty[at * static_cast<std::size_t>(s.queries) + static_cast<std::size_t>(query)] != 0;
}

Result<void> read_normalised_head(OpenDump& open, int stream, int layer, int head, MatrixView out) {
  const StreamData& data = open.streams[static_cast<std::size_t>(stream)];
  const Stream& s = stream_of(open, stream);
  if (data.has_heads) {
    const auto from = data.heads.matrix(static_cast<std::size_t>(layer * std::max(1, s.heads) + head), s.queries, s.keys);
    std::copy(from.data, from.data + from.size(), out.data);
    return {};
  }
  if (auto read = open.dump.stacks[static_cast<std::size_t>(stream)]->read_head(layer, head, out); !read)
    return tl::unexpected(about(std::move(read.error()), open));
  normalise_head(out, nullptr);
  return {};
}

StackWork::StackWork(std::shared_ptr<OpenDump> open, int stream, Fusion fusion, std::vector<int> heads)
    : open_(std::move(open)), stream_(stream), fusion_(fusion), heads_(std::move(heads)) {
  const Stream& s = stream_of(*open_, stream_);
  Recipe recipe;
  recipe.heads = heads_;
  read_ = recipe_heads(s, recipe);
  if (read_.size() == 1) fusion_ = Fusion::mean;  // nothing to fuse
  const StreamData& data = open_->streams[static_cast<std::size_t>(stream_)];
  if (fusion_ == Fusion::mean && heads_.empty()) stack_ = data.mean;
  for (const auto& other : data.others)
    if (other->fusion == fusion_ && other->heads == heads_) stack_ = other;
}

Result<void> StackWork::begin() {
  const Stream& s = stream_of(*open_, stream_);
  StreamData& data = open_->streams[static_cast<std::size_t>(stream_)];
  const std::size_t size = head_size(s) * static_cast<std::size_t>(s.layers());
  if (size * sizeof(Real) > kOtherStacksBytes) {  // no room for two: the old one goes before the new one comes
    data.others.clear();
    data.mean.reset();
  }
  auto memory = RealBuffer::make(size);
  auto scratch = RealBuffer::make(head_size(s));
  if (!memory) return tl::unexpected(about(std::move(memory.error()), *open_));
  if (!scratch) return tl::unexpected(about(std::move(scratch.error()), *open_));
  building_ = std::make_shared<FusedStack>();
  building_->fusion = fusion_;
  building_->heads = heads_;
  building_->data = std::move(*memory);
  for (int l = 0; l < s.layers(); ++l) building_->layers.push_back(building_->data.matrix(static_cast<std::size_t>(l), s.queries, s.keys));
  scratch_ = std::move(*scratch);
  return {};
}

Result<bool> StackWork::step() {
  if (stack_) return true;
  if (!building_)
    if (auto begun = begin(); !begun) return tl::unexpected(std::move(begun.error()));
  const Stream& s = stream_of(*open_, stream_);
  StreamData& data = open_->streams[static_cast<std::size_t>(stream_)];
  // Heads in memory cost little: a whole layer in a step.
  const std::size_t heads = data.has_heads ? read_.size() : 1;
  for (std::size_t k = 0; k < heads; ++k, ++at_) {
    const int layer = static_cast<int>(at_ / read_.size());
    const int head = read_[at_ % read_.size()];
    if (at_ % read_.size() == 0)
      fuser_ = std::make_unique<LayerFuser>(building_->data.matrix(static_cast<std::size_t>(layer), s.queries, s.keys), fusion_, nullptr);
    const auto scratch = scratch_.matrix(0, s.queries, s.keys);
    if (data.has_heads) {
      fuser_->add_normalised(data.heads.matrix(static_cast<std::size_t>(layer * std::max(1, s.heads) + head), s.queries, s.keys));
    } else {
      if (auto read = read_normalised_head(*open_, stream_, layer, head, scratch); !read) return tl::unexpected(std::move(read.error()));
      fuser_->add_normalised(scratch);
    }
    if ((at_ + 1) % read_.size() == 0) fuser_->finish();
  }
  if (at_ < read_.size() * static_cast<std::size_t>(s.layers())) return false;
  stack_ = std::move(building_);
  keep_stack(data, stack_);
  return true;
}

JobProgress StackWork::progress() const {
  const Stream& s = stream_of(*open_, stream_);
  const std::size_t all = read_.size() * static_cast<std::size_t>(s.layers());
  const std::uint64_t bytes = head_size(s) * dtype_size(s.dtype);
  JobProgress p;
  p.fraction = stack_ ? 1 : static_cast<double>(at_) / static_cast<double>(all);
  p.bytes = bytes * at_;
  p.total = bytes * all;
  p.layer = std::min(s.layers(), static_cast<int>(at_ / read_.size()) + 1);
  p.layers = s.layers();
  return p;
}

std::shared_ptr<const ResultMatrix> ResultWork::find(const OpenDump& open, int stream, const Recipe& recipe) {
  for (const auto& result : open.streams[static_cast<std::size_t>(stream)].results)
    if (same_result(result->recipe, recipe)) return result;
  return nullptr;
}

ResultWork::ResultWork(std::shared_ptr<OpenDump> open, int stream, Recipe recipe, std::shared_ptr<const FusedStack> stack)
    : open_(std::move(open)), stream_(stream), recipe_(std::move(recipe)), stack_(std::move(stack)), result_(find(*open_, stream_, recipe_)) {}

Result<bool> ResultWork::step() {
  if (result_) return true;
  const Stream& s = stream_of(*open_, stream_);
  const StackView range = stack_->view().slice(recipe_.first_layer, recipe_.end_layer);
  if (!building_) {
    auto memory = RealBuffer::make(head_size(s));
    if (!memory) return tl::unexpected(about(std::move(memory.error()), *open_));
    building_ = std::make_shared<ResultMatrix>();
    building_->recipe = recipe_;
    building_->data = std::move(*memory);
    building_->view = building_->data.matrix(0, s.queries, s.keys);
    if (recipe_.method == Method::rollout) {
      auto work = RolloutWork::start(range, recipe_.residual, lower_triangle(s), building_->view);
      if (!work) return tl::unexpected(about(std::move(work.error()), *open_));
      rollout_ = std::make_unique<RolloutWork>(std::move(*work));
    }
    return false;
  }
  if (!computed_) {
    if (rollout_) {
      computed_ = rollout_->step();
    } else {
      raw_matrix(range, building_->view);
      computed_ = true;
    }
    if (computed_) {
      rollout_.reset();
      row_ = rows_distance_first(real_queries(s), s.causal);
    }
    return false;
  }
  const int rows = real_queries(s);
  if (row_ < rows - 1) {
    const double pair = static_cast<double>(rows) * s.keys;
    const int end = std::min(rows, row_ + std::max(1, static_cast<int>(2e7 / pair)));
    building_->distance = std::max(building_->distance, rows_distance(building_->view, row_, end, rows));
    row_ = end;
    if (row_ < rows - 1) return false;
  }
  result_ = std::move(building_);
  keep_result(open_->streams[static_cast<std::size_t>(stream_)], result_);
  return true;
}

JobProgress ResultWork::progress() const {
  JobProgress p;
  p.fraction = result_ ? 1 : computed_ ? 0.9 : rollout_ ? 0.9 * rollout_->fraction() : 0;
  p.layers = recipe_.end_layer - recipe_.first_layer;
  p.layer = rollout_ ? std::min(p.layers, static_cast<int>(rollout_->fraction() * p.layers) + 1) : p.layers;
  return p;
}

}  // namespace rollscope
