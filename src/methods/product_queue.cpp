#include "methods/product_queue.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "methods/kernels/product.h"
#include "methods/kernels/product_wide.h"

namespace rollscope {

// About how many multiply-adds a step should do: a few milliseconds.
static constexpr double kStepWork = 5e7;

Result<ProductQueue> ProductQueue::start(int largest) {
  ProductQueue queue;
  auto panel = RealBuffer::make(product_scratch(largest));
  if (!panel) return tl::unexpected(panel.error());
  queue.panel_ = std::move(*panel);
  return queue;
}

void ProductQueue::product(ConstMatrixView a, ConstMatrixView b, MatrixView c, bool transposed) {
  assert(c.data != a.data && c.data != b.data);
  tasks_.push_back({a, b, c, transposed, {}});
  queued_ += static_cast<double>(c.size()) * b.rows;
}

void ProductQueue::then(std::function<void()> work) { tasks_.push_back({{}, {}, {}, false, std::move(work)}); }

bool ProductQueue::step() {
  if (tasks_.empty()) return true;
  const Task& task = tasks_.front();
  bool finished = true;
  if (task.work) {
    task.work();
  } else {
    const double row_work = std::max(1.0, static_cast<double>(task.b.rows) * task.c.columns);
    const int rows = std::max(8, static_cast<int>(std::min(kStepWork / row_work, 1e9)) / 4 * 4);
    const int end = task.c.rows - row_ > rows ? row_ + rows : task.c.rows;
    const bool square = !task.transposed && task.a.rows == task.a.columns && task.b.rows == task.b.columns;
    if (square && product_scratch(task.b.rows) <= panel_.size())
      product_rows(task.a, task.b, task.c, row_, end, false, panel_.data());
    else
      product_wide_rows(task.a, task.transposed, task.b, task.c, row_, end);
    done_ += (end - row_) * row_work;
    row_ = end;
    finished = row_ == task.c.rows;
  }
  if (!finished) return false;
  row_ = 0;
  tasks_.pop_front();
  if (tasks_.empty()) done_ = queued_ = 0;
  return tasks_.empty();
}

double ProductQueue::fraction() const { return queued_ > 0 ? std::min(1.0, done_ / queued_) : 1.0; }

}  // namespace rollscope
