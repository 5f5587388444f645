// From what was asked to a recipe that can be computed, and the sentence that captions every picture of it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "dump/dump.h"
#include "methods/recipe.h"

namespace rollscope {

inline constexpr int kFlowAtOnce = 64;  // tokens up to which the flow of all pairs is computed; above, row by row

// A recipe as asked for: what is missing takes the default of the contracts.
struct RecipeRequest {
  std::optional<Method> method;  // rollout; raw where a rollout is impossible
  std::string stream;            // the first of self, encoder, decoder, cross that is present, and can have the method
  Fusion fusion = Fusion::mean;
  std::vector<int> heads;        // all
  double residual = 0.5;
  std::vector<double> residuals; // one for each layer of the range
  std::optional<ResidualFrom> measured;  // norms or mixing; `stated` here: whichever the file has
  std::optional<std::pair<int, int>> layers;  // all; a raw picture that was not asked for shows the last layer
  std::optional<std::pair<int, int>> head;  // layer and head: the range ends with that layer, which is this head alone; layer -1: the top one
  SinkMode sink = SinkMode::keep;
  Merge merge = Merge::pieces;
  MergeQueries merge_queries = MergeQueries::mean;
  MergeTime merge_time = MergeTime::after;
  std::optional<std::string> class_name;  // the only one
  std::string minus;             // a second class, or second scores, that is subtracted
  std::string source;            // norm-rollout: value_weighted_norms, else the first there is; attribution: has to be named
  double discard = 0.9;
};

// Why a method cannot be had of a stream.
enum class Lacking : std::uint8_t {
  nothing,
  encoder_and_decoder,  // cross-attention alone does not lead back to the input
  square,               // layers can only be multiplied where they are square
  gradients,
  norms,
  cross,                // joint: encoder, decoder and cross-attention
  cdam_scores,
  attributions,
  layers,               // a result that came in a link: what it was made of is not there
};
[[nodiscard]] Lacking lacking(const DumpInfo& dump, const Stream& stream, Method method);
[[nodiscard]] std::string_view lacking_name(Lacking what);

// The three streams of an encoder-decoder, where they fit each other; -1: it is none.
struct EncoderDecoder {
  int encoder = -1, decoder = -1, cross = -1;
  [[nodiscard]] bool complete() const { return encoder >= 0; }
};
[[nodiscard]] EncoderDecoder encoder_decoder(const DumpInfo& dump);

// Whether the recipe is a product of one matrix per layer ...
[[nodiscard]] bool multiplies(const Stream& stream, const Recipe& recipe);
// ... whose rows sum to 1, the layer applied first on the right: then tokens have a mass in every layer, and connections
// a weight.
[[nodiscard]] bool is_chain(const Stream& stream, const Recipe& recipe);
// Whether uniform attention gives a chance to compare with.
[[nodiscard]] bool has_chance(const Recipe& recipe);
// Names behind attention_grads/ of this stream; of norms, attributions and scores that a method can take.
[[nodiscard]] std::vector<std::string> class_names(const DumpInfo& dump, const Stream& stream);
[[nodiscard]] std::vector<std::string> source_names(const DumpInfo& dump, const Stream& stream, Method method);
// The residual weights that the file measures, and the share that they put on the residual is per token.
[[nodiscard]] bool has_measured_residual(const DumpInfo& dump, const Stream& stream, ResidualFrom from);

// Checks every index against the dump and fills in the defaults: the stream is named, end_layer is set, heads are
// ascending, and empty when they are all of them.
// Errors: no_such_stream, out_of_range, bad_value (a class or source that is not there, residuals that are not one for
// each layer), usage (options that exclude each other), method_not_for_stream (lacking()).
[[nodiscard]] Result<Recipe> resolve_recipe(const DumpInfo& dump, const RecipeRequest& request);

// The heads of a resolved recipe, one by one; {0} for a stream whose heads are fused already.
[[nodiscard]] std::vector<int> recipe_heads(const Stream& stream, const Recipe& recipe);
// Rows that are real tokens: all but the virtual sink's.
[[nodiscard]] int real_queries(const Stream& stream);
[[nodiscard]] int real_keys(const Stream& stream);
// The row that is shown first: of a causal stream the last one, or where a prompt of known length ends the last of the
// prompt; of cross attention the last; else row 0, where a classifier's token stands if there is one. -1: no rows.
[[nodiscard]] int first_query(const DumpInfo& dump, const Stream& stream);
// Row j and key j are one token.
[[nodiscard]] bool same_tokens(const Stream& stream);

// "Rollout of self-attention over layers 1 to 4, heads fused by mean of 4, residual 0.50." Counts from 1, as people do.
[[nodiscard]] std::string recipe_sentence(const Stream& stream, const Recipe& recipe);
// What the method leaves out of account, for the caption.
[[nodiscard]] std::vector<std::string> recipe_leaves_out(const Stream& stream, const Recipe& recipe);
[[nodiscard]] std::string_view recipe_unit(const Recipe& recipe);  // "rollout weight"
// Residual weight as it is written: "0.50", "measured from norms", "0.2, 0.4".
[[nodiscard]] std::string residual_text(const Recipe& recipe);

}  // namespace rollscope
