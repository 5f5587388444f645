// A comparison of two recipes as JSON, for rows of one dump (the verb) or of two (the command line). Private to src/app.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/comparison.h"
#include "app/verbs_json.h"
#include "base/narration.h"

namespace rollscope {

// The same output on both sides.
struct ComparedRow {
  int a = 0, b = 0;   // row numbers
  std::string label;
  Comparison numbers;
};
struct ComparedSide {
  std::string file;
  std::string recipe;   // JSON text of the recipe, or, of a control without one, ""
  std::string control;  // "uniform", or a name that was given; "": none
};
struct ComparedRecipes {
  ComparedSide a, b;
  std::vector<std::string> differs;
  std::vector<std::string> keys;     // labels of the compared keys, as Comparison numbers them
  bool merged = false;               // the token lists differ: keys are the parts that both share
  std::vector<int> without;          // keys left out of every row
  std::vector<ComparedRow> rows;
  std::vector<Fact> facts;
  Report report;
};
[[nodiscard]] std::string comparison_json(const ComparedRecipes& compared);

// Names of what differs between two recipes, as the options name it: "method", "residual". What a method does not read
// makes no difference; a residual weight differs only where both sides have one.
[[nodiscard]] std::vector<std::string> recipe_differences(const Recipe& a, const Recipe& b);
// The sentence that says so of residual weights; none where they are the same.
void add_residual_fact(const Recipe& a, const Recipe& b, std::vector<Fact>& facts);
// The recipe as explain.schema.json has it.
[[nodiscard]] std::string recipe_json(const Stream& stream, const Recipe& recipe, int row);

// Which keys are left out of a comparison besides those that a row cannot see.
inline constexpr std::string_view kWithout[] = {"none", "specials", "sinks"};
inline constexpr int kTopCompared = 5;

}  // namespace rollscope
