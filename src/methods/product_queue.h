// Matrix products to be done one after the other, a few milliseconds at a time, for methods whose layers take several
// products and whose callers have other things to do in between.
#pragma once

#include <deque>
#include <functional>

#include "base/error.h"
#include "base/matrix_view.h"
#include "methods/buffer.h"

namespace rollscope {

class ProductQueue {
 public:
  // `largest`: rows of the largest square factor that will come; scratch for the fast product of such.
  // Errors: out_of_memory.
  [[nodiscard]] static Result<ProductQueue> start(int largest);
  // c = op(a) b, overwritten; transposed: op(a) is the transpose of a. The memory stays where it is until it is done;
  // c is neither a nor b.
  void product(ConstMatrixView a, ConstMatrixView b, MatrixView c, bool transposed = false);
  // Something short, about as many operations as a matrix has elements.
  void then(std::function<void()> work);
  // Does the next block of rows. True: nothing is left.
  bool step();
  [[nodiscard]] bool empty() const { return tasks_.empty(); }
  [[nodiscard]] double fraction() const;  // of the multiply-adds queued since the queue was last empty, in [0, 1]

 private:
  struct Task {
    ConstMatrixView a, b;
    MatrixView c;
    bool transposed = false;
    std::function<void()> work;
  };
  std::deque<Task> tasks_;
  RealBuffer panel_;
  int row_ = 0;
  double done_ = 0, queued_ = 0;
};

}  // namespace rollscope
