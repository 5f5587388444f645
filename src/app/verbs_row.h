// All that is known about one row of an answer: what `explain` prints, what the audit sheet holds. Private to src/app.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/key_tokens.h"
#include "app/verbs.h"
#include "base/narration.h"

namespace rollscope {

struct RowAnswer {
  std::vector<double> weights, uniform;  // [K]; uniform empty: chance is not defined
  double spread = 0;                     // NaN: signed rows have none
  double sum = 0;
  std::optional<ResidualRange> range;
  Report limits;                         // of this row alone
};
// `ranged`: whether the residual weight is varied, where the recipe has one.
[[nodiscard]] RowAnswer row_answer(const Question& question, int row, bool ranged);
// Stored for one output, whichever it is.
[[nodiscard]] bool stored_for_one(const Question& question);
[[nodiscard]] std::string query_label(const Question& question, int row);
// Limits of the dump, the recipe and its gradients, whatever the row.
[[nodiscard]] Report recipe_report(const Question& question, const StrongKeys& strong);
[[nodiscard]] std::vector<Fact> row_facts(const Question& question, int row, const RowAnswer& answer);
// {"tokens": [{"key", "label", "weight", "share", "cumulative", "rank", "tied"}], "tied_with_last"}
void write_key_tokens(JsonWriter17& json, const Question& question, const std::vector<double>& weights, int count);
void write_residual_range(JsonWriter17& json, const ResidualRange& range);  // an object

}  // namespace rollscope
