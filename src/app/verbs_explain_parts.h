// Parts of an explanation that only some methods or questions have; each writes members into the object that is open.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/region_chance.h"
#include "app/verbs.h"
#include "methods/flow.h"

namespace rollscope {

// Facts about the flow of the rows that were asked for: of one, or, with row -1, of all together.
[[nodiscard]] FlowFacts facts_of(const Question& q, int row);
// They, and of one row what it is held up by: the narrowest cut to each of the inputs that come first.
void write_flow(JsonWriter17& json, const Question& q, const FlowFacts& facts, int row, std::span<const double> weights);
// "end", "layer" and "arcs" of a minimum cut.
void write_cut(JsonWriter17& json, const Question& q, const FlowPair& pair);
// What the file says about a stored attribution (metadata `attr`, by name or for all), and how far its numbers are from
// what they should sum to: the gap of its completeness, value - value at the baseline - sum.
void write_attribution(JsonWriter17& json, const Question& q, std::span<const double> row);
// Joint rows, source and target apart: what the residual weight alone decides, and the parts each divided by their sums.
void write_parts(JsonWriter17& json, const Question& q, const std::vector<std::vector<double>>& rows);
// Both classes of a difference beside it, and the number that one scale for all three ends with.
void write_difference(JsonWriter17& json, const Question& q, std::span<const int> queries, const std::vector<std::vector<double>>& rows);
// Of each row with uniform attention beside it: whether any word has more than that gives (contracts: below_uniform).
void write_chance(JsonWriter17& json, const Question& q, std::span<const int> queries, const std::vector<std::vector<double>>& rows,
                  const std::vector<std::vector<double>>& uniform);
// The option "region": keys of the answer. Errors: bad_value, out_of_range.
[[nodiscard]] Result<std::optional<std::vector<int>>> asked_region(const Args& args, const Question& question);
// The weight on that region beside shuffled maps (analysis/region_chance.h). Places: the patches of an image, else the
// tokens that the row can see and that are not special; the region is always among them.
void write_region(JsonWriter17& json, const Question& q, std::span<const int> region, std::span<const int> queries, const std::vector<std::vector<double>>& rows);

// A job that answers with pairs of a flow (verbs_pairs.cpp), asked for by the option "pairs".
[[nodiscard]] Result<std::unique_ptr<Job>> make_pairs_job(std::shared_ptr<Question> question, const Args& args);

}  // namespace rollscope
