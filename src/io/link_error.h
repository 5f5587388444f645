// What a link changes: rows as they were beside rows as a reader will have them.
#pragma once

#include <span>
#include <vector>

namespace rollscope {

struct LinkError {
  int rows = 0;                   // that were compared
  double largest = 0;             // difference of a weight
  double largest_without_sink = 0;
  double total_variation = 0;     // half the sum of the differences of a row: the largest of all rows
  int top3_kept = 0;              // rows whose first three, sinks apart, keep their order
  bool first_kept = true;         // in every row, sinks apart
  int new_ties = 0;               // neighbours in the order of a row, sinks apart, that differed and are equal now
};

// Adds a row: [K] each. `sinks`: keys that are set aside for the order, ascending.
void compare_row(std::span<const double> before, std::span<const double> after, std::span<const int> sinks, LinkError& error);

}  // namespace rollscope
