#include <algorithm>

#include "app/session_state.h"
#include "app/verbs.h"
#include "methods/raw.h"

namespace rollscope {
namespace {

constexpr int kMostTokens = 4096;
constexpr std::size_t kStepNumbers = std::size_t{4} << 20;  // a few milliseconds

}  // namespace

PartialRow::PartialRow(const DumpInfo& info, const Recipe& recipe)
    : stream_(*info.find(recipe.stream)), recipe_(recipe), query_(first_query(info, stream_)), useful_(stream_.keys <= kMostTokens && query_ >= 0) {}

void PartialRow::layer_read(StackView fused) {
  if (!wanted_ || !useful_) return;
  ++since_;
  const std::size_t walk = fused[0].size() * static_cast<std::size_t>(fused.depth());
  const std::size_t read = fused[0].size() * static_cast<std::size_t>(std::max(1, stream_.heads) * since_);
  if (walk > kStepNumbers && walk > 4 * read) return;
  since_ = 0;
  layers_ = fused.depth();
  if (recipe_.method == Method::rollout) {
    walk_.emplace(fused, query_, std::vector{recipe_.residual});
    return;
  }
  std::vector<double> row(static_cast<std::size_t>(stream_.keys));
  raw_row(fused.slice(layers_ - 1, layers_), query_, row);
  write(row);
}

void PartialRow::step() {
  for (std::size_t numbers = 0; walk_ && numbers < kStepNumbers; numbers += static_cast<std::size_t>(stream_.queries) * static_cast<std::size_t>(stream_.keys)) {
    if (!walk_->step()) continue;
    write(walk_->rows());
    walk_.reset();
  }
}

void PartialRow::write(std::span<const double> row) {
  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  json.name("stream");
  json.text(stream_.name);
  json.name("query");
  json.Int(query_);
  json.name("layers");
  json.Int(layers_);
  json.name("of");
  json.Int(stream_.layers());
  json.name("tokens");
  json.StartArray();
  for (std::size_t j = 0; j < row.size(); ++j) json.text(token_label(stream_.key_tokens, j));
  json.EndArray();
  json.name("weights");
  json.StartArray();
  for (const double x : row) json.number(x);
  json.EndArray();
  json.EndObject();
  text_.assign(buffer.GetString(), buffer.GetSize());
}

std::string PartialRow::take() {
  wanted_ = true;
  return std::exchange(text_, {});
}

}  // namespace rollscope
