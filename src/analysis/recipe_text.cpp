#include "analysis/recipe_text.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>

namespace rollscope {
namespace {

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

namespace {

// What the method does, before "self-attention over layers 1 to 4".
std::string_view method_words(Method method) {
  switch (method) {
    case Method::raw: return "Raw attention";
    case Method::rollout: return "Rollout";
    case Method::rollout_reversed: return "Rollout with the product reversed (wrong for rows that are queries)";
    case Method::vit_explain: return "Rollout as vit-explain publishes it";
    case Method::vit_explain_corrected: return "Rollout after vit-explain, corrected";
    case Method::gradient_rollout: return "Gradient rollout (heads clamped, then averaged)";
    case Method::gradient_rollout_mean_first: return "Gradient rollout (heads averaged, then clamped)";
    case Method::relevance: return "Relevance by the generic rules";
    case Method::relevance_causal: return "Relevance by the generic rules for causal decoders";
    case Method::grad_sam: return "Grad-SAM";
    case Method::attention_gradient: return "Attention times its mean gradient";
    case Method::norm_rollout: return "Rollout of vector norms";
    case Method::flow: return "Attention flow";
    case Method::flow_normalised: return "Attention flow, rows divided by their sums";
    case Method::joint: return "Joint rollout of encoder and decoder";
    case Method::cdam: return "CDAM scores from the file";
    case Method::attribution: return "Attribution from the file";
  }
  return "";
}

std::string shown_number(double x) {
  const double hundredths = x * 100;
  const bool short_form = std::abs(hundredths - static_cast<int>(hundredths + 0.5)) < 1e-9;
  return short_form ? formatted("%.2f", x) : formatted("%g", x);
}

}  // namespace

std::string residual_text(const Recipe& recipe) {
  if (recipe.residual_from == ResidualFrom::norms) return "measured from norms";
  if (recipe.residual_from == ResidualFrom::norms_mean) return "measured from norms, mean of each layer";
  if (recipe.residual_from == ResidualFrom::mixing) return "measured from mixing ratios";
  if (recipe.residuals.empty()) return shown_number(recipe.residual);
  std::string out;
  for (const double r : recipe.residuals) out += (out.empty() ? "" : ", ") + shown_number(r);
  return out;
}

std::string recipe_sentence(const Stream& stream, const Recipe& recipe) {
  const MethodTraits& t = traits(recipe.method);
  std::string out(method_words(recipe.method));
  if (!t.attention) {
    if (!recipe.source.empty()) out += " (" + recipe.source + (recipe.minus.empty() ? "" : " minus " + recipe.minus) + ")";
    return out + ": " + stream_words(stream) + ".";
  }
  const int first = stream.layer_numbers[static_cast<std::size_t>(recipe.first_layer)] + 1;
  const int last = stream.layer_numbers[static_cast<std::size_t>(recipe.end_layer - 1)] + 1;
  const bool one = recipe.end_layer - recipe.first_layer == 1;
  const bool mean = recipe.method == Method::raw || recipe.method == Method::grad_sam || recipe.method == Method::attention_gradient;
  const std::string over = one ? formatted("in layer %d", first) : formatted("over layers %d to %d", first, last);
  if (recipe.method == Method::raw) out += ": " + stream_words(stream) + (one ? " " + over : ", mean " + over);
  else if (recipe.method == Method::joint) out += " " + over;
  else if (mean) out += ": " + stream_words(stream) + (one ? " " : ", mean ") + over;
  else out += " of " + stream_words(stream) + " " + over;
  if (t.heads_fused && !(recipe.head >= 0 && one)) out += ", " + heads_words(stream, recipe);
  else if (!recipe.heads.empty()) out += formatted(", heads %s of %d", number_list(recipe.heads).c_str(), stream.heads);
  if (recipe.head >= 0) out += formatted(", head %d of %d alone in layer %d", recipe.head + 1, stream.heads, last);
  if (!recipe.source.empty()) out += ", norms " + recipe.source;
  if (!recipe.class_name.empty()) out += ", gradient of " + recipe.class_name;
  if (!recipe.minus.empty()) out += (recipe.class_name.empty() ? ", minus the rows of " : " minus that of ") + recipe.minus;
  if (t.residual) out += ", residual " + residual_text(recipe);
  if (recipe.method == Method::vit_explain || recipe.method == Method::vit_explain_corrected) out += ", discarding the smallest " + shown_number(recipe.discard);
  switch (recipe.sink) {
    case SinkMode::keep: break;
    case SinkMode::renormalise: out += ", sinks left out of each row"; break;
    case SinkMode::remove: out += ", sinks removed before the product"; break;
    case SinkMode::lift: out += ", over uniform attention"; break;
  }
  if (recipe.merge != Merge::pieces) {
    out += recipe.merge == Merge::words ? ", merged to words" : ", merged to segments";
    if (recipe.merge_time == MergeTime::before) out += " before the product";
    if (recipe.merge_queries == MergeQueries::last) out += " (last query)";
  }
  return out + ".";
}

std::vector<std::string> recipe_leaves_out(const Stream& stream, const Recipe& recipe) {
  if (recipe.method == Method::norm_rollout) return recipe.source == "value_norms" ? std::vector<std::string>{"directions of the values", "MLP", "layer norm"} : std::vector<std::string>{"MLP"};
  if (!traits(recipe.method).attention) return {};
  if (stream.kind == StreamKind::cross && recipe.method == Method::raw) return {"values", "output projection", "encoder mixing", "MLP", "layer norm"};
  return {"values", "output projection", "MLP", "layer norm"};
}

std::string_view recipe_unit(const Recipe& recipe) { return traits(recipe.method).unit; }

}  // namespace rollscope
