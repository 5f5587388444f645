// A look at some of the numbers, to tell attention weights from scores, rows from columns, and padding from text.
// What only all numbers can tell is found later, while they are loaded.
#pragma once

#include <vector>

#include "dump/dump.h"
#include "io/stored_stack.h"

namespace rollscope {

struct Sample {
  std::uint64_t rows = 0;         // looked at: all numbers finite, some not zero
  std::uint64_t rows_one = 0;     // of these: sum to 1 within what the type allows
  std::uint64_t columns = 0, columns_one = 0;  // the same across; 0 where matrices are too large to be read whole
  std::uint64_t log_rows = 0;     // rows whose exponentials sum to 1
  std::uint64_t infinite = 0, nan = 0;
  double sum_low = 0, sum_high = 0, sum_mean = 0;  // of the row sums
  double low = 0, high = 0;       // of the finite numbers
  DType precision = DType::f32;   // the narrowest floating type that holds every number seen; else the file's
  bool below_zero = false;        // more than rounding explains
  int heads = 0;             // matrices looked at
  bool whole = false;        // all their rows were
  double zero_share = 0;     // of the numbers in used columns (causal: below the diagonal too), those that are zero
  int band = 0;              // rows of a band, [left .. own .. right]: how many left places are empty in row 0; 0: no band
  bool causal = false;            // square, and nothing above the diagonal
  std::vector<bool> column_used;  // [K] some number is not zero and not NaN
  std::vector<bool> row_used;
  std::vector<bool> row_even;     // every number of the row is the same, as a softmax over a full mask gives
  std::vector<int> first_reader, last_reader;  // [K] rows that read a column; -1: none

  [[nodiscard]] bool rows_are_one() const { return rows > 0 && 2 * rows_one >= rows; }
  [[nodiscard]] bool columns_are_one() const { return columns > 0 && 10 * columns_one >= 9 * columns; }
  [[nodiscard]] bool logs_are_one() const { return rows > 0 && 10 * log_rows >= 9 * rows; }
  // Weights that were rounded, dropped out, scaled or averaged: no sign, and sums of one size.
  [[nodiscard]] bool could_be_weights() const { return !below_zero && (sum_high <= 3 || sum_high <= 1.5 * sum_low); }
};

// Reads up to four heads, 16 MB of numbers at most. `plan` without softmax and sink.
// Errors: those of StackSource::read_head.
[[nodiscard]] Result<Sample> take_sample(const StackPlan& plan, DType shown);

}  // namespace rollscope
