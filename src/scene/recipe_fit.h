// From the recipe that somebody chose to one that the dump can have. The rules are those of analysis/recipe_text.h,
// resolve_recipe(); here is what the page does about them: which stream and layers go with a method, which class is
// meant when none is named, and what gives way where two choices exclude each other.
#pragma once

#include <optional>
#include <string>

#include "analysis/recipe_text.h"

namespace rollscope {

// What opening the stream shows: `method` where it can have it, else rollout, else raw attention.
[[nodiscard]] Recipe default_recipe(const DumpInfo& dump, const Stream& stream, std::optional<Method> method = std::nullopt);
// The stream to look at for a method: `now` if it can have it, else the first that can; nullptr: none.
[[nodiscard]] const Stream* stream_for(const DumpInfo& dump, const Stream& now, Method method);
// The class of a gradient that is meant when none is named: what the model predicts, else the first.
[[nodiscard]] std::string predicted_class(const DumpInfo& dump, const Stream& stream);
// Why the dump cannot have this recipe; nothing: it can.
[[nodiscard]] std::optional<Error> misfit(const DumpInfo& dump, const Recipe& recipe);
// The nearest recipe that it can have: stream named, indices in range, class and source filled in. Where two choices
// exclude each other the sink gives way first, then the merging, then a measured residual.
[[nodiscard]] Recipe fitted(const DumpInfo& dump, Recipe recipe);

// Numbers are parts of 100 %, up to empty rows.
[[nodiscard]] bool in_percent(const Recipe& recipe);
// The flow of all pairs is not computed for so many tokens: the chosen row alone is.
[[nodiscard]] bool one_row_at_a_time(const Stream& stream, const Recipe& recipe);
// Stored scores that explain one output, whichever row is chosen.
[[nodiscard]] bool for_one_output(const DumpInfo& dump, const Recipe& recipe);

}  // namespace rollscope
