#include "analysis/recipe_text.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rollscope {
namespace {

const Stream* default_stream(const DumpInfo& dump) {
  for (const auto kind : {StreamKind::self, StreamKind::encoder, StreamKind::decoder, StreamKind::cross})
    for (const auto& stream : dump.streams)
      if (stream.kind == kind) return &stream;
  return dump.streams.empty() ? nullptr : &dump.streams.front();
}

const Stream* named_stream(const DumpInfo& dump, const std::string& name) {
  if (const Stream* stream = dump.find(name)) return stream;
  for (const auto& stream : dump.streams)
    if (stream_kind_name(stream.kind) == name) return &stream;
  return nullptr;
}

Result<void> check_rollout(const Stream& stream) {
  Params params{{"method", "rollout"}, {"stream", stream.name}, {"remedy", "Ask for raw attention (--method raw)."}};
  if (stream.kind == StreamKind::cross) {
    params["detail"] = "cross-attention alone does not lead back to the input; that needs the encoder's and the decoder's maps";
    return fail(ErrorCode::method_not_for_stream, std::move(params));
  }
  if (stream.queries != stream.keys) {
    params["detail"] = formatted("its matrices are %d x %d, and layers can only be multiplied where they are square",
                                 stream.queries, stream.keys);
    return fail(ErrorCode::method_not_for_stream, std::move(params));
  }
  return {};
}

std::string number_list(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i] + 1);
  return text;
}

std::string stream_words(const Stream& stream) {
  switch (stream.kind) {
    case StreamKind::self: return "self-attention";
    case StreamKind::encoder: return "encoder self-attention";
    case StreamKind::decoder: return "decoder self-attention";
    case StreamKind::cross: return "cross-attention";
    case StreamKind::contributions: break;
  }
  return "contributions " + stream.name;
}

std::string heads_words(const Stream& stream, const Recipe& recipe) {
  if (stream.heads == 0) return "heads fused in the file";
  if (recipe.heads.empty())
    return stream.heads == 1 ? "one head" : "heads fused by " + std::string(fusion_name(recipe.fusion)) + " of " + std::to_string(stream.heads);
  if (recipe.heads.size() == 1) return formatted("head %d of %d", recipe.heads[0] + 1, stream.heads);
  return formatted("heads %s of %d fused by %s", number_list(recipe.heads).c_str(), stream.heads, fusion_name(recipe.fusion).data());
}

}  // namespace

Result<Recipe> resolve_recipe(const DumpInfo& dump, const RecipeRequest& request) {
  const Stream* stream = request.stream.empty() ? default_stream(dump) : named_stream(dump, request.stream);
  if (!stream) {
    std::string names;
    for (const auto& s : dump.streams) names += (names.empty() ? "" : ", ") + s.name;
    return fail(ErrorCode::no_such_stream, {{"value", request.stream}, {"allowed", names}});
  }
  Recipe recipe;
  recipe.stream = stream->name;
  recipe.fusion = request.fusion;
  recipe.residual = request.residual;
  recipe.end_layer = stream->layers();
  const auto can_roll = check_rollout(*stream);
  recipe.method = request.method.value_or(can_roll ? Method::rollout : Method::raw);
  if (recipe.method == Method::rollout && !can_roll) return tl::unexpected(can_roll.error());
  if (!request.method && !can_roll) recipe.first_layer = stream->layers() - 1;

  if (request.layers) {
    auto [first, end] = *request.layers;
    if (end == -1) end = stream->layers();
    if (first < 0 || end > stream->layers() || first >= end)
      return fail(ErrorCode::out_of_range, {{"option", "layers"},
                                            {"value", formatted("%d:%d", first, end)},
                                            {"allowed", formatted("0:%d and ranges inside it", stream->layers())}});
    recipe.first_layer = first;
    recipe.end_layer = end;
  }
  recipe.heads = request.heads;
  std::sort(recipe.heads.begin(), recipe.heads.end());
  recipe.heads.erase(std::unique(recipe.heads.begin(), recipe.heads.end()), recipe.heads.end());
  for (const int head : recipe.heads) {
    if (head >= 0 && head < std::max(1, stream->heads)) continue;
    return fail(ErrorCode::out_of_range,
                {{"option", "heads"}, {"value", std::to_string(head)},
                 {"allowed", stream->heads > 1 ? formatted("0 to %d", stream->heads - 1) : std::string("head 0 alone")}});
  }
  if (static_cast<int>(recipe.heads.size()) == std::max(1, stream->heads)) recipe.heads.clear();
  return recipe;
}

std::vector<int> recipe_heads(const Stream& stream, const Recipe& recipe) {
  if (!recipe.heads.empty()) return recipe.heads;
  std::vector<int> heads(static_cast<std::size_t>(std::max(1, stream.heads)));
  for (std::size_t h = 0; h < heads.size(); ++h) heads[h] = static_cast<int>(h);
  return heads;
}

int real_queries(const Stream& stream) {
  return stream.queries - (stream.virtual_sink && stream.queries == stream.keys ? 1 : 0);
}
int real_keys(const Stream& stream) { return stream.keys - (stream.virtual_sink ? 1 : 0); }

int first_query(const DumpInfo& dump, const Stream& stream) {
  const int last = real_queries(stream) - 1;
  const bool causal = stream.causal || stream.kind == StreamKind::decoder;
  if (causal) {
    if (const auto it = dump.meta.find("prompt_len"); it != dump.meta.end()) {
      int n = 0;
      for (const char c : it->second) n = c >= '0' && c <= '9' && n < 100000000 ? n * 10 + (c - '0') : n;
      if (n > 0) return std::min(n - 1, last);
    }
    return last;
  }
  return stream.kind == StreamKind::cross ? last : std::min(0, last);
}

bool same_tokens(const Stream& stream) { return stream.kind != StreamKind::cross && stream.queries == stream.keys; }

std::string recipe_sentence(const Stream& stream, const Recipe& recipe) {
  const int first = stream.layer_numbers[static_cast<std::size_t>(recipe.first_layer)] + 1;
  const int last = stream.layer_numbers[static_cast<std::size_t>(recipe.end_layer - 1)] + 1;
  const bool one = recipe.end_layer - recipe.first_layer == 1;
  const auto what = stream_words(stream);
  const auto heads = heads_words(stream, recipe);
  if (recipe.method == Method::rollout) {
    const auto over = one ? formatted("in layer %d", first) : formatted("over layers %d to %d", first, last);
    const double hundredths = recipe.residual * 100;
    const bool short_form = std::abs(hundredths - static_cast<int>(hundredths + 0.5)) < 1e-9;
    const auto residual = short_form ? formatted("%.2f", recipe.residual) : formatted("%g", recipe.residual);
    return fill("Rollout of {what} {over}, {heads}, residual {residual}.", {{"what", std::string(what)}, {"over", over}, {"heads", heads}, {"residual", residual}});
  }
  if (one) return fill("Raw attention: {what} in layer {first}, {heads}.", {{"what", std::string(what)}, {"first", std::to_string(first)}, {"heads", heads}});
  return fill("Raw attention: {what}, mean over layers {first} to {last}, {heads}.", {{"what", std::string(what)}, {"first", std::to_string(first)}, {"last", std::to_string(last)}, {"heads", heads}});
}

std::vector<std::string> recipe_leaves_out(const Stream& stream, const Recipe&) {
  if (stream.kind == StreamKind::cross) return {"values", "output projection", "encoder mixing", "MLP", "layer norm"};
  return {"values", "output projection", "MLP", "layer norm"};
}

std::string_view recipe_unit(const Recipe& recipe) {
  return recipe.method == Method::rollout ? "rollout weight" : "attention weight";
}

}  // namespace rollscope
