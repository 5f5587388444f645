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

// A recipe as asked for: what is missing takes the default of the contracts.
struct RecipeRequest {
  std::optional<Method> method;  // rollout; raw where a rollout is impossible
  std::string stream;            // the first of self, encoder, decoder, cross that is present
  Fusion fusion = Fusion::mean;
  std::vector<int> heads;        // all
  double residual = 0.5;
  std::optional<std::pair<int, int>> layers;  // all; a raw picture that was not asked for shows the last layer
};

// Checks every index against the dump and fills in the defaults: the stream is named, end_layer is set, heads are
// ascending, and empty when they are all of them.
// Errors: no_such_stream, out_of_range, method_not_for_stream (a rollout over cross attention alone, or over
// matrices that are not square).
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

}  // namespace rollscope
