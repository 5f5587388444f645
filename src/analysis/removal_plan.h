// Which tokens to take away, in which order, so that a user's own model can say what each removal does to its output:
// what a faithfulness test needs and attention weights cannot give. analysis/faithfulness.h makes numbers of the answers.
//
//   deletion    the k most important tokens removed         occlusion  one token removed
//   insertion   only the k most important tokens kept       random     deletion and insertion in random orders: the
//                                                           baseline without which no curve means anything
// ERASER's comprehensiveness and sufficiency (DeYoung et al. 2020, arXiv 1911.03429) are the deletion and the insertion of
// k = max(1, ceil(f m)) tokens for f = 1, 5, 10, 20, 50 %; those k stand on the curves. (ceil and the 1 are our choice.)
//
// JSON, written by removal_plan_json() and read back by read_removal_plan() with every "p" filled in:
//
//   {"format": "rollscope-removal-plan", "version": 1,
//    "dump": "cat.npz", "query": 0, "method": "rollout",   what the order was made from; "query" counts from 0
//    "recipe": "Rollout of self-attention over ...",       the same as a sentence; may be missing
//    "tokens": ["The", "cat", ...],                        n of them
//    "weights": [0.4, 0.1, ...],                           n: the row
//    "order": [0, 3, ...],                                 m <= n positions, the most important first; others always stay
//    "random_orders": [[2, 0, ...], ...], "seed": 1,
//    "fractions": [0.01, 0.05, 0.1, 0.2, 0.5],
//    "curve": [0, 1, 2, ..., m],                           the k of the curves, ascending, 0 and m included
//    "steps": [{"id": "deletion/0", "kind": "deletion", "k": 0, "keep": [1, 1, ...], "p": null}, ...]}
//
// For each step run the model on the tokens whose "keep" is 1 (the others deleted or replaced by the mask token: the same
// way for all, and say which) and write the probability of the output in question, that of "deletion/0", as "p". No mask
// stands twice: a step answers for every place where its mask is needed (insertion/0 is deletion/m). "id" is for people;
// numbers are found by "keep", so steps may come back in any order and with more fields.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rollscope {

using TokenMask = std::vector<std::uint8_t>;  // [n] 1: the token stays

struct RemovalStep {
  std::string id;    // "deletion/3", "insertion/2", "occlusion/7", "random/0/deletion/3", ...
  std::string kind;  // "deletion", "insertion", "occlusion", "random"
  int k = 0;         // tokens removed (deletion, occlusion: 1) or kept (insertion), of the m that can be removed
  TokenMask keep;
  std::optional<double> p;  // the model's output; empty: not filled in
};

struct RemovalPlan {
  std::string dump, method, recipe;
  int query = 0;
  std::vector<std::string> tokens;  // [n]
  std::vector<double> weights;      // [n]
  std::vector<int> order;           // [m]
  std::vector<std::vector<int>> random_orders;  // [orders][m]
  std::uint64_t seed = 1;
  std::vector<double> fractions;
  std::vector<int> curve;
  std::vector<RemovalStep> steps;
};

struct RemovalOptions {
  std::vector<int> always_kept = {};  // positions that no step removes: [CLS], [SEP], a prompt
  int curve_points = 20;         // k on each curve besides those of the fractions, evenly spread; every k where m <= that
  int random_orders = 10;
  std::uint64_t seed = 1;  // at most 2^53, so that JSON keeps it
  std::vector<double> fractions{0.01, 0.05, 0.10, 0.20, 0.50};  // each in (0, 1], of at most 6 decimals
};

// Tokens by weight, the largest first, the lower position of equals first; a weight that is NaN comes last. Signed weights
// go by value: what speaks for the output comes first, what speaks against it last. `always_kept` left out.
[[nodiscard]] std::vector<int> removal_order(std::span<const double> row, std::span<const int> always_kept);

// Tokens behind a fraction: max(1, ceil(fraction m)), 0 where m = 0.
[[nodiscard]] int tokens_of_fraction(double fraction, int m);

// Masks of the first k of `order` removed, or, of all that are in it, alone kept.
[[nodiscard]] TokenMask deletion_mask(std::span<const int> order, int k, std::size_t tokens);
[[nodiscard]] TokenMask insertion_mask(std::span<const int> order, int k, std::size_t tokens);

// The plan for one row: row [n], tokens [n]. dump, query, method and recipe are the caller's to fill.
// Steps: about (2 + 2 random_orders) curve_points + m, each of n numbers: 10 random orders and 100 tokens give 540 runs of
// the model, 110 kB of JSON. Set random_orders lower before curve_points.
[[nodiscard]] RemovalPlan removal_plan(std::span<const double> row, std::span<const std::string> tokens, const RemovalOptions& options);

// The plan as JSON, as above, a step a line.
[[nodiscard]] std::string removal_plan_json(const RemovalPlan& plan);

// A plan that came back. Untrusted text: every index, length and number is checked; `p` may still be missing or wrong,
// evaluate() in faithfulness.h says so. Precision: `weights` that of Real, `fractions` 6 decimals, `p` double.
// Errors: bad_json; bad_plan, with what is wrong and where.
[[nodiscard]] Result<RemovalPlan> read_removal_plan(std::string_view json);

}  // namespace rollscope
