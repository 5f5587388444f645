#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/measures.h"
#include "analysis/recipe_text.h"
#include "analysis/shown_stream.h"
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

// Of all heads, by mean: what opening a dump leaves.
bool is_mean(const Recipe& key) { return key == stack_key(Recipe{}); }

void keep_stack(StreamData& data, std::shared_ptr<const FusedStack> stack) {
  if (is_mean(stack->key)) {
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

Recipe stack_key(const Recipe& recipe) {
  const Recipe plain = plain_recipe(recipe);
  Recipe key;
  key.stream.clear();
  key.heads = plain.heads;
  key.fusion = plain.heads.size() == 1 ? Fusion::mean : plain.fusion;  // nothing to fuse
  key.method = Method::raw;
  switch (recipe.method) {
    case Method::vit_explain:
    case Method::vit_explain_corrected:
      key.method = plain.method;
      key.discard = plain.discard;
      break;
    case Method::gradient_rollout:
    case Method::gradient_rollout_mean_first:
    case Method::grad_sam:
    case Method::attention_gradient:
    case Method::relevance:
    case Method::relevance_causal:
      key.method = plain.method == Method::relevance_causal ? Method::relevance : plain.method;
      key.class_name = plain.class_name;
      break;
    case Method::norm_rollout:
      key.method = plain.method;
      key.source = plain.source;
      break;
    default: break;
  }
  if (plain.residual_from != ResidualFrom::stated) {
    key.method = Method::rollout;
    key.residual_from = plain.residual_from;
  } else if (!plain.residuals.empty()) {
    key.method = key.method == Method::raw ? Method::rollout : key.method;
    key.residuals = plain.residuals;
    key.first_layer = plain.first_layer;
    key.end_layer = plain.end_layer;
  }
  if (plain.head >= 0) {
    key.head = plain.head;
    key.end_layer = plain.end_layer;
  }
  if (plain.merge != Merge::pieces && plain.merge_time == MergeTime::before) {
    key.merge = plain.merge;
    key.merge_time = plain.merge_time;
    key.merge_queries = plain.merge_queries;
  }
  if (plain.sink == SinkMode::remove) {  // which keys: by the range of layers
    key.sink = plain.sink;
    key.first_layer = plain.first_layer;
    key.end_layer = plain.end_layer;
  }
  return key;
}

namespace {

bool residual_inside(const DumpInfo& info) {
  const auto said = info.meta.find("residual_inside");
  return said != info.meta.end() && said->second == "true";
}

}  // namespace

double chain_residual(const DumpInfo& info, const Recipe& recipe) {
  const MethodTraits& t = traits(recipe.method);
  if (!t.residual || recipe.residual_from != ResidualFrom::stated || !recipe.residuals.empty()) return 0;
  if (recipe.method == Method::norm_rollout && recipe.source != "value_norms" && residual_inside(info)) return 0;
  return recipe.residual;
}

std::vector<int> keys_set_aside(const Stream& stream, const Recipe& recipe, const StackStats& stats) {
  auto keys = strong_keys(stream, recipe, stats).sinks;
  if (keys.empty() && stream.causal) keys.push_back(0);
  return keys;
}

StackWork::StackWork(std::shared_ptr<OpenDump> open, int stream, const Recipe& recipe, bool joined)
    : open_(std::move(open)), stream_(stream), key_(stack_key(recipe)), joined_(joined && traits(recipe.method).gradients) {
  const Stream& s = stream_of(*open_, stream_);
  read_ = recipe_heads(s, key_);
  const StreamData& data = open_->streams[static_cast<std::size_t>(stream_)];
  if (is_mean(key_)) stack_ = data.mean;
  for (const auto& other : data.others)
    if (other->key == key_ && other->joined == joined_) stack_ = other;
  if (key_.sink == SinkMode::remove && !stack_) aside_ = keys_set_aside(s, recipe, data.stats);
}

ExtraNumbers* StackWork::extra(ExtraKind kind, const std::string& name) const {
  const int at = open_->dump.info.find_extra(kind, stream_of(*open_, stream_).name, &name);
  return at < 0 ? nullptr : &open_->dump.extras[static_cast<std::size_t>(at)];
}

MatrixView StackWork::layer_matrix(int layer) const {
  const Stream& s = stream_of(*open_, stream_);
  return building_->data.matrix(static_cast<std::size_t>(layer), s.queries, s.keys);
}

Result<void> StackWork::begin() {
  const Stream& s = stream_of(*open_, stream_);
  StreamData& data = open_->streams[static_cast<std::size_t>(stream_)];
  const std::size_t size = head_size(s) * static_cast<std::size_t>(s.layers());
  if (traits(key_.method).gradients) {
    ExtraNumbers* found = extra(ExtraKind::gradients, key_.class_name);
    if (!found) return fail(ErrorCode::usage, {{"detail", "There is no gradient of " + key_.class_name + " for the stream " + s.name}});
    gradients_ = found->stack.get();
  }
  if (key_.method == Method::norm_rollout && key_.source != "value_norms") {
    ExtraNumbers* found = extra(ExtraKind::norms, key_.source == "value_weighted_norms" ? "" : key_.source);
    if (!found) found = extra(ExtraKind::norms, key_.source);
    if (!found) return fail(ErrorCode::usage, {{"detail", "There are no norms " + key_.source + " for the stream " + s.name}});
    norms_ = found->stack.get();
    read_ = {0};
  }
  if (size * sizeof(Real) > kOtherStacksBytes) {  // no room for two: the old one goes before the new one comes
    data.others.clear();
    data.mean.reset();
  }
  auto memory = RealBuffer::make(size);
  auto scratch = RealBuffer::make(head_size(s));
  if (!memory) return tl::unexpected(about(std::move(memory.error()), *open_));
  if (!scratch) return tl::unexpected(about(std::move(scratch.error()), *open_));
  if (gradients_) {
    auto second = RealBuffer::make(head_size(s));
    if (!second) return tl::unexpected(about(std::move(second.error()), *open_));
    gradient_scratch_ = std::move(*second);
  }
  building_ = std::make_shared<FusedStack>();
  building_->key = key_;
  building_->joined = joined_;
  building_->data = std::move(*memory);
  int rows = s.queries, columns = s.keys;
  if (key_.merge != Merge::pieces) {
    const MergeGroups groups = merge_groups(s, key_);
    queries_ = group_tokens(groups.queries);
    keys_ = group_tokens(groups.keys);
    rows = queries_.count;
    columns = keys_.count;
  }
  for (int l = 0; l < s.layers(); ++l) building_->layers.push_back({layer_matrix(l).data, rows, columns});
  scratch_ = std::move(*scratch);
  return {};
}

Result<void> StackWork::add_head(int layer, int head, bool first, bool last) {
  const Stream& s = stream_of(*open_, stream_);
  StreamData& data = open_->streams[static_cast<std::size_t>(stream_)];
  const auto scratch = scratch_.matrix(0, s.queries, s.keys);
  if (key_.head >= 0 && layer + 1 == key_.end_layer) {  // this layer is one head, whichever are fused below it
    if (!first) return {};
    head = key_.head;
    last = true;
  }
  if (norms_ || gradients_ || is_further(key_.method)) return add_further_head(layer, head, first, last);
  if (first) fuser_ = std::make_unique<LayerFuser>(layer_matrix(layer), key_.fusion, nullptr);
  if (data.has_heads && aside_.empty()) {
    fuser_->add_normalised(data.heads.matrix(static_cast<std::size_t>(layer * std::max(1, s.heads) + head), s.queries, s.keys));
  } else {
    if (auto done = read_normalised_head(*open_, stream_, layer, head, scratch); !done) return done;
    if (!aside_.empty()) remove_keys(scratch, aside_);
    fuser_->add_normalised(scratch);
  }
  if (last) fuser_->finish();
  return {};
}

// The layer over words or segments instead of tokens, in the place of the layer.
void StackWork::merge_layer(int layer) {
  const MatrixView from = layer_matrix(layer);
  const MatrixView scratch = scratch_.matrix(0, from.rows, from.columns);
  std::copy(from.data, from.data + from.size(), scratch.data);
  const MatrixView to = building_->layer(layer);
  merge_tokens(scratch, queries_, keys_, key_.merge_queries == MergeQueries::last ? QueryMerge::last : QueryMerge::mean, to);
}

void StackWork::finish_layer(int layer) {
  if (is_further(key_.method)) finish_further_layer(layer);
  if (key_.merge != Merge::pieces) merge_layer(layer);
  if (key_.residual_from != ResidualFrom::stated || !key_.residuals.empty()) mix_further_residual(layer);
}

Result<bool> StackWork::step() {
  if (stack_) return true;
  if (!building_)
    if (auto begun = begin(); !begun) return tl::unexpected(std::move(begun.error()));
  const Stream& s = stream_of(*open_, stream_);
  StreamData& data = open_->streams[static_cast<std::size_t>(stream_)];
  // Heads in memory cost little: a whole layer in a step.
  const std::size_t heads = data.has_heads && !gradients_ ? read_.size() : 1;
  for (std::size_t k = 0; k < heads; ++k, ++at_) {
    const int layer = static_cast<int>(at_ / read_.size());
    const std::size_t place = at_ % read_.size();
    const bool last = place + 1 == read_.size();
    if (auto done = add_head(layer, read_[place], place == 0, last); !done) return tl::unexpected(std::move(done.error()));
    if (last) finish_layer(layer);
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

}  // namespace rollscope
