#include "methods/sinks.h"

#include <cassert>

#include "methods/row_share.h"

namespace rollscope {
namespace {

template <class T>
void clear_and_divide(std::span<T> row, std::span<const int> keys) {
  for (const int key : keys) {
    assert(key >= 0 && key < static_cast<int>(row.size()));
    row[static_cast<std::size_t>(key)] = 0;
  }
  divide_by_total(row);
}

}  // namespace

void renormalise_without(std::span<double> row, std::span<const int> keys) { clear_and_divide(row, keys); }

void renormalise_without(MatrixView matrix, std::span<const int> keys) {
  for (int i = 0; i < matrix.rows; ++i) clear_and_divide(matrix.row(i), keys);
}

void remove_keys(MatrixView head, std::span<const int> keys) { renormalise_without(head, keys); }

void lift(std::span<double> row, std::span<const double> uniform) {
  assert(row.size() == uniform.size());
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = uniform[j] > 0 ? row[j] / uniform[j] : 0;
}

}  // namespace rollscope
