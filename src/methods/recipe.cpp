#include "methods/recipe.h"

#include <array>

namespace rollscope {
namespace {

constexpr std::array<MethodTraits, kMethods> kTraits{{
    // name                        mark             unit                   chain  resid. fusion grads  sum 1  signed attention
    {"raw", Mark::published, "attention weight", false, false, true, false, true, false, true},
    {"rollout", Mark::published, "rollout weight", true, true, true, false, true, false, true},
    {"rollout-reversed", Mark::published, "rollout weight", true, true, true, false, true, false, true},
    {"vit-explain", Mark::published, "relative relevance", true, false, true, false, false, false, true},
    {"vit-explain-corrected", Mark::corrected, "rollout weight", true, false, true, false, true, false, true},
    {"gradient-rollout", Mark::published, "relative relevance", true, false, false, true, true, false, true},
    {"gradient-rollout-mean-first", Mark::published, "relative relevance", true, false, false, true, true, false, true},
    {"relevance", Mark::published, "relative relevance", true, false, false, true, false, false, true},
    {"relevance-causal", Mark::corrected, "relative relevance", true, false, false, true, false, false, true},
    {"grad-sam", Mark::published, "relative relevance", false, false, false, true, false, false, true},
    {"attention-gradient", Mark::published, "relative relevance", false, false, false, true, false, false, true},
    {"norm-rollout", Mark::published, "rollout weight", true, true, false, false, true, false, true},
    {"flow", Mark::published, "max-flow", false, true, true, false, false, false, true},
    {"flow-normalised", Mark::published, "max-flow", false, true, true, false, true, false, true},
    {"joint", Mark::ours, "rollout weight", false, true, true, false, true, false, true},
    {"cdam", Mark::published, "attribution", false, false, false, false, false, true, false},
    {"attribution", Mark::published, "attribution", false, false, false, false, false, true, false},
}};

}  // namespace

const MethodTraits& traits(Method method) { return kTraits[static_cast<std::size_t>(method)]; }

std::string_view method_name(Method method) { return traits(method).name; }

std::string_view mark_name(Mark mark) {
  constexpr std::array<std::string_view, 3> names{"published", "corrected", "ours"};
  return names[static_cast<std::size_t>(mark)];
}

std::string_view fusion_name(Fusion fusion) {
  constexpr std::array<std::string_view, 3> names{"mean", "max", "min"};
  return names[static_cast<std::size_t>(fusion)];
}

std::string_view sink_mode_name(SinkMode mode) {
  constexpr std::array<std::string_view, 4> names{"keep", "renormalise", "remove", "lift"};
  return names[static_cast<std::size_t>(mode)];
}

std::string_view merge_name(Merge merge) {
  constexpr std::array<std::string_view, 3> names{"pieces", "words", "segments"};
  return names[static_cast<std::size_t>(merge)];
}

std::string_view residual_from_name(ResidualFrom from) {
  constexpr std::array<std::string_view, 4> names{"stated", "norms", "norms-mean", "mixing"};
  return names[static_cast<std::size_t>(from)];
}

Recipe plain_recipe(Recipe recipe) {
  const MethodTraits& t = traits(recipe.method);
  const Recipe standard;
  if (!t.residual) {
    recipe.residual = standard.residual;
    recipe.residuals.clear();
    recipe.residual_from = ResidualFrom::stated;
  }
  if (recipe.residual_from != ResidualFrom::stated || !recipe.residuals.empty()) recipe.residual = standard.residual;
  if (recipe.residual_from != ResidualFrom::stated) recipe.residuals.clear();
  if (!t.heads_fused) recipe.fusion = standard.fusion;
  if (recipe.method != Method::rollout) recipe.head = -1;
  if (!t.gradients) recipe.class_name.clear();
  if (!t.gradients && t.attention) recipe.minus.clear();
  if (!t.attention) {
    recipe.heads.clear();
    recipe.first_layer = 0;
    recipe.end_layer = -1;
    recipe.sink = SinkMode::keep;
  }
  if (recipe.method != Method::norm_rollout && t.attention) recipe.source.clear();
  if (recipe.method != Method::vit_explain && recipe.method != Method::vit_explain_corrected) recipe.discard = standard.discard;
  if (recipe.merge == Merge::pieces) {
    recipe.merge_queries = standard.merge_queries;
    recipe.merge_time = standard.merge_time;
  }
  return recipe;
}

}  // namespace rollscope
