// A large block of numbers that may fail to come: in the page memory is short and operator new would end the program.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/matrix_view.h"

namespace rollscope {

template <class T>
class Buffer {
 public:
  Buffer() = default;
  // `count` zeros. Errors: out_of_memory.
  [[nodiscard]] static Result<Buffer> make(std::size_t count) {
    Buffer buffer;
    buffer.data_.reset(static_cast<T*>(std::calloc(count ? count : 1, sizeof(T))));
    if (!buffer.data_)
      return fail(ErrorCode::out_of_memory, {{"needed", std::to_string((count * sizeof(T) >> 20) + 1) + " MB"}});
    buffer.size_ = count;
    return buffer;
  }
  [[nodiscard]] T* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  // Matrix number `index` of matrices of this shape lying one after the other.
  [[nodiscard]] BasicMatrixView<T> matrix(std::size_t index, int rows, int columns) const {
    return {data_.get() + index * static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), rows, columns};
  }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

using RealBuffer = Buffer<Real>;

}  // namespace rollscope
