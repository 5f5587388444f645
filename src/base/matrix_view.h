// Row-major matrices that belong to somebody else. Row = query, column = key, everywhere.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>

#include "base/real.h"

namespace rollscope {

template <class T>
struct BasicMatrixView {
  T* data = nullptr;
  int rows = 0;
  int columns = 0;

  [[nodiscard]] std::span<T> row(int i) const {
    assert(i >= 0 && i < rows);
    return {data + static_cast<std::size_t>(i) * columns, static_cast<std::size_t>(columns)};
  }
  [[nodiscard]] T& operator()(int i, int j) const {
    assert(i >= 0 && i < rows && j >= 0 && j < columns);
    return data[static_cast<std::size_t>(i) * columns + j];
  }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(rows) * columns; }
  operator BasicMatrixView<const T>() const { return {data, rows, columns}; }
};

using MatrixView = BasicMatrixView<Real>;
using ConstMatrixView = BasicMatrixView<const Real>;

// [L][Q][K]: the matrices of L layers, the layer next to the input first. Layers need not lie side by side.
struct StackView {
  std::span<const ConstMatrixView> layers;

  [[nodiscard]] int depth() const { return static_cast<int>(layers.size()); }
  [[nodiscard]] ConstMatrixView operator[](int layer) const { return layers[static_cast<std::size_t>(layer)]; }
  [[nodiscard]] StackView slice(int first, int end) const {
    return {layers.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first))};
  }
};

}  // namespace rollscope
