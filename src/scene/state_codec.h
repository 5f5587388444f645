// AppState to JSON and back, for setState() and, later, links. Each field is read on its own: one that cannot be
// read costs itself and a name in `ignored`, never its neighbours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scene/state.h"

namespace rollscope {

// {"recipe": {...the options of `explain`...}, "query", "key", "level", "view", "keep", "matrix": {...}, ...}
[[nodiscard]] std::string state_to_json(const AppState& state);
// Fields that are absent keep their value in `state`.
void state_from_json(std::string_view json, AppState& state, std::vector<std::string>& ignored);
[[nodiscard]] std::string_view view_name(ViewKind view);
[[nodiscard]] std::string_view matrix_kind_name(MatrixKind kind);  // "after_layer"
// The recipe as the engine's arguments (app/verbs_args.h), without what its method does not read.
[[nodiscard]] std::string recipe_to_json(const Recipe& recipe);

}  // namespace rollscope
