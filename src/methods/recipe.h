// What is computed: every number and picture names its recipe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rollscope {

enum class Method : std::uint8_t {
  raw,
  rollout,
  rollout_reversed,             // the product as some texts print it: for comparison with them alone
  vit_explain,                  // as published, bug for bug
  vit_explain_corrected,
  gradient_rollout,             // clamp each head, then average
  gradient_rollout_mean_first,  // average, then clamp
  relevance,                    // Chefer et al. 2021, generic rules
  relevance_causal,             // the same without the transposed factor, which leaks the future in a causal decoder
  grad_sam,
  attention_gradient,
  norm_rollout,
  flow,
  flow_normalised,
  joint,                        // encoder-decoder: columns are source, then target tokens
  cdam,
  attribution,
};
inline constexpr int kMethods = 17;

enum class Mark : std::uint8_t { published, corrected, ours };
enum class Fusion : std::uint8_t { mean, max, min };
// What becomes of attention sinks: nothing; the row without them, divided by the rest; their columns gone before the
// product; each weight over that of uniform attention.
enum class SinkMode : std::uint8_t { keep, renormalise, remove, lift };
// Rows and columns: tokens, or their words or segments (keys summed).
enum class Merge : std::uint8_t { pieces, words, segments };
enum class MergeQueries : std::uint8_t { mean, last };
enum class MergeTime : std::uint8_t { after, before };  // the product
// Where the residual weight comes from: stated; per token from stored norms, |x| / (|x| + |attention|); their mean over
// each layer; per token from stored mixing ratios (W_RES of GlobEnc: attention to oneself counts as residual).
enum class ResidualFrom : std::uint8_t { stated, norms, norms_mean, mixing };

// What a method is, in one row of a table: recipe.cpp.
struct MethodTraits {
  std::string_view name;  // contracts: --method
  Mark mark;
  std::string_view unit;  // "rollout weight"
  bool chain;         // a product of one matrix per layer: tokens have a mass in every layer, and a result after each
  bool residual;      // the residual weight enters
  bool heads_fused;   // the fusion (mean, max, min) enters
  bool gradients;     // needs attention_grads
  bool unit_rows;     // rows sum to 1, up to empty ones
  bool is_signed;
  bool attention;     // reads attention: a sink may take its part; false for stored scores
};
[[nodiscard]] const MethodTraits& traits(Method method);
[[nodiscard]] std::string_view method_name(Method method);
[[nodiscard]] std::string_view mark_name(Mark mark);
[[nodiscard]] std::string_view fusion_name(Fusion fusion);
[[nodiscard]] std::string_view sink_mode_name(SinkMode mode);
[[nodiscard]] std::string_view merge_name(Merge merge);
[[nodiscard]] std::string_view residual_from_name(ResidualFrom from);  // "stated", "norms", "norms-mean", "mixing"

struct Recipe {
  Method method = Method::rollout;
  std::string stream;       // name of the stream; "": the first
  Fusion fusion = Fusion::mean;
  std::vector<int> heads;   // ascending, from 0; empty: all
  double residual = 0.5;    // r of A~ = r I + (1 - r) F, in [0, 1]; methods without residual ignore it
  int first_layer = 0;      // stored layers, from 0 at the input, included
  int end_layer = -1;       // excluded; -1: all
  int head = -1;            // rollout of one head: the top layer of the range is this head alone, those below are fused; -1: none
  ResidualFrom residual_from = ResidualFrom::stated;
  std::vector<double> residuals;  // one for each layer of the range, instead of `residual`; empty: it holds for all
  SinkMode sink = SinkMode::keep;
  Merge merge = Merge::pieces;
  MergeQueries merge_queries = MergeQueries::mean;
  MergeTime merge_time = MergeTime::after;
  std::string class_name;   // behind attention_grads/
  std::string minus;        // class or scores whose rows are taken from those of class_name or source: a signed difference; "": none
  std::string source;       // of norm_rollout: behind norms/, or "value_norms"; of attribution, cdam: behind attr/, scores/
  double discard = 0.9;     // of vit_explain: the share of each layer's smallest entries that is set to 0

  bool operator==(const Recipe&) const = default;
};

template <class A> void fields(A& a, Recipe& r) {
  a(r.method, r.stream, r.fusion, r.heads, r.residual, r.first_layer, r.end_layer, r.head, r.residual_from, r.residuals, r.sink, r.merge,
    r.merge_queries, r.merge_time, r.class_name, r.minus, r.source, r.discard);
}

// Without what this method does not read, so that recipes that give the same numbers are equal.
[[nodiscard]] Recipe plain_recipe(Recipe recipe);

// What the recipe's rows are: a difference has both signs and sums to nothing in particular.
[[nodiscard]] inline bool has_sign(const Recipe& recipe) { return traits(recipe.method).is_signed || !recipe.minus.empty(); }
[[nodiscard]] inline bool has_unit_rows(const Recipe& recipe) { return traits(recipe.method).unit_rows && recipe.minus.empty(); }

}  // namespace rollscope
