// One dump of several whose rows are set beside each other: opened, its recipe resolved, its rows computed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/recipe_text.h"
#include "app/cli_dump.h"

namespace rollscope {

struct DumpSide {
  CliDump dump;
  Recipe recipe;
  Stream stream, shown;                   // of the layers; of the answer
  int row = -1;                           // that was read; -1: all
  std::vector<std::vector<double>> rows;  // [1 or Q][K]
  [[nodiscard]] std::span<const double> at(int query) const { return rows[row < 0 ? static_cast<std::size_t>(query) : 0]; }
};

// options: of a recipe. Errors: those of opening, and the usage errors.
[[nodiscard]] Result<DumpSide> open_side(const CommandLine& command, const std::string& file, const Options& options);
// Row `row` of the recipe, -1: all of them. Flows that only rounding tells apart are made equal.
[[nodiscard]] Result<void> read_rows(DumpSide& side, Options options, int row);
// A number given as an option; nothing where it was not given, or "all". Errors: bad_value.
[[nodiscard]] Result<std::optional<int>> asked_number(const CommandLine& command, std::string_view name);

}  // namespace rollscope
