// The rows and columns that a recipe's results have: those of its stream, or the words or segments that they are merged
// to, or, for a joint rollout, source and target tokens in one row.
#pragma once

#include <vector>

#include "dump/dump.h"
#include "methods/recipe.h"

namespace rollscope {

// Which row or column of the result a token belongs to; [Q] and [K], numbers ascending without gaps. Empty: each is its own.
struct MergeGroups {
  std::vector<int> queries, keys;
};
// Words: neighbours that share Token::word; a token of no word, and a virtual sink, stands alone. Segments: Token::segment.
[[nodiscard]] MergeGroups merge_groups(const Stream& stream, const Recipe& recipe);
// Whether the tokens say of which segment they are, and there is more than one.
[[nodiscard]] bool has_segments(const Stream& stream);

// The stream with its sides and tokens as the recipe's results have them; all else as in the dump.
// `recipe`: resolved. Cost: O(Q + K).
[[nodiscard]] Stream shown_stream(const DumpInfo& dump, const Recipe& recipe);

}  // namespace rollscope
