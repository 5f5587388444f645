// One chosen row as every picture shows it: what tokens are called, which inputs it can see, its colour scale, which of
// them stand in the list of bars. The panels of ui/ and the figures of figure/ both ask here, so that they agree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/view_data.h"
#include "scene/colormap.h"

namespace rollscope {

// `shown`: the stream as the recipe's results have it (analysis/shown_stream.h).

// Queries and keys are different tokens (cross-attention).
[[nodiscard]] bool two_sided(const Stream& shown);
// The grid of patches among the keys; rows 0: none, also where merging has moved them.
[[nodiscard]] PatchGrid shown_grid(const DumpInfo& dump, const Stream& stored, const Stream& shown, const Recipe& recipe);
[[nodiscard]] bool is_patch(const Stream& shown, const PatchGrid& grid, int index, bool key);
// A token's label; a patch without a name of its own is `patch_words` with {row} and {column} filled, counted from 1.
[[nodiscard]] std::string token_name(const Stream& shown, const PatchGrid& grid, int index, bool key, std::string_view patch_words);
// The position from 1, where another token of the same side has the same label; else 0.
[[nodiscard]] int repeated_token(const Stream& shown, const PatchGrid& grid, int index, bool key);
// Of a joint rollout: keys from here on are the target's; 0: none.
[[nodiscard]] int joint_border(const Stream& stored, const Recipe& recipe);

// The chosen row can see the key (no causal mask between).
[[nodiscard]] bool sees_key(const ViewData& view, const Stream& shown, int border, int key);
[[nodiscard]] bool is_sink(const ViewData& view, int key);
// Relevance begins as the identity: the token itself holds 1 and more, and would leave the scale to nobody else. -1: none.
[[nodiscard]] int own_past_scale(const ViewData& view, const Stream& shown);
// 0 to the largest weight outside sinks and what lies past the scale.
[[nodiscard]] ColourScale view_scale(const ViewData& view, const Stream& shown);

// Whether adding numbers of a row up means something: flows share their edges, and a lift is a ratio.
[[nodiscard]] bool adds_up(const Recipe& recipe);
// What the numbers of a recipe are: "attention", "rollout", "relevance", "flow", "attribution", "lift".
[[nodiscard]] std::string_view unit_name(const Recipe& recipe);

// The keys worth a bar: the largest outside sinks, and the token itself in its place.
struct RowList {
  std::vector<int> keys;   // in order
  std::vector<int> sinks;
  int others = 0, unknown = 0;  // unknown: keys without a value
  double others_weight = 0;
  double scale = 1;        // weight at the end of a bar: one length for all
};
// itself: the key that is the chosen output; -1: none is. most: bars besides the sinks'.
[[nodiscard]] RowList list_row(const ViewData& view, const Stream& shown, int border, int itself, int most);

}  // namespace rollscope
