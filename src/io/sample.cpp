#include "io/sample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace rollscope {
namespace {

constexpr std::uint64_t kSampleBytes = 16'000'000;

// How far from 1 the sum of a softmax row may be once it went through the type. Generous: this only sorts kinds.
double tolerance(DType type) {
  switch (type) {
    case DType::f64: return 0.02;  // JSON is often rounded to two or three digits
    case DType::f32: return 0.01;
    case DType::f16: return 0.02;
    case DType::bf16: return 0.04;
    default: return 0.15;
  }
}

struct Sums {
  double sum = 0;
  double exps = 0;
  bool finite = true;
  bool any = false;
};

// The first rows of a band have no left neighbours: row i starts with (width - 1) / 2 - i zeros, and no more.
int band_of(MatrixView m) {
  const int half = (m.columns - 1) / 2;
  if (m.columns % 2 == 0 || half < 1 || m.rows <= m.columns) return 0;
  for (int i = 0; i <= half; ++i) {
    for (int j = 0; j < half - i; ++j)
      if (m(i, j) != 0) return 0;
    if (m(i, half) == 0) return 0;
  }
  return half;
}

// Whether numbers went through a narrower type on their way: .float() does not bring back what was rounded off.
struct Rounded {
  bool bf16 = true, f16 = true;
  std::uint64_t numbers = 0;
  void see(Real x) {
    const auto wide = static_cast<float>(x);
    if (x == 0 || x == 1 || !std::isfinite(wide)) return;
    const auto bits = std::bit_cast<std::uint32_t>(wide);
    ++numbers;
    bf16 = bf16 && (bits & 0xffff) == 0;
    const float size = std::abs(wide);  // a half has ten bits behind its leading one, and steps of 2^-24 near zero
    f16 = f16 && size <= 65504 && (size >= 0x1p-14f ? (bits & 0x1fff) == 0 : size * 0x1p24f == std::floor(size * 0x1p24f));
  }
  [[nodiscard]] DType type(DType shown) const {
    if (numbers < 64 || (shown != DType::f32 && shown != DType::f64)) return shown;
    return bf16 ? DType::bf16 : f16 ? DType::f16 : shown;
  }
};

void look(MatrixView m, double tol, bool whole, const std::vector<int>& row_numbers, Sample& out, Rounded& rounded) {
  ++out.heads;
  const int band = whole ? band_of(m) : 0;
  out.band = out.heads == 1 ? band : std::min(out.band, band);
  std::vector<Sums> columns(static_cast<std::size_t>(m.columns));
  for (int i = 0; i < m.rows; ++i) {
    Sums row;
    for (int j = 0; j < m.columns; ++j) {
      const double x = static_cast<double>(m(i, j));
      Sums& column = columns[static_cast<std::size_t>(j)];
      if (std::isnan(x)) {
        ++out.nan;
        row.finite = column.finite = false;
        continue;
      }
      if (std::isinf(x)) {
        ++out.infinite;
        row.finite = column.finite = false;
        if (x > 0) row.exps = std::numeric_limits<double>::infinity();
        continue;
      }
      out.low = std::min(out.low, x);
      out.high = std::max(out.high, x);
      row.sum += x;
      column.sum += x;
      row.exps += std::exp(std::min(x, 700.0));
      rounded.see(m(i, j));
      if (x != 0) {
        row.any = column.any = true;
        const auto column_number = static_cast<std::size_t>(j);
        const int reader = row_numbers.empty() ? i : row_numbers[static_cast<std::size_t>(i)];
        int& first = out.first_reader[column_number];
        int& last = out.last_reader[column_number];
        out.column_used[column_number] = true;
        first = first < 0 ? reader : std::min(first, reader);
        last = std::max(last, reader);
        if (whole && j > i) out.causal = false;
      }
    }
    const std::size_t row_number = static_cast<std::size_t>(row_numbers.empty() ? i : row_numbers[static_cast<std::size_t>(i)]);
    for (int j = 1; j < m.columns && out.row_even[row_number]; ++j)
      if (m(i, j) != m(i, 0)) out.row_even[row_number] = false;
    if (!row.any) continue;
    out.row_used[static_cast<std::size_t>(row_numbers.empty() ? i : row_numbers[static_cast<std::size_t>(i)])] = true;
    // -inf marks what a mask hides: such rows count among the logarithms only.
    if (std::abs(row.exps - 1) <= tol) ++out.log_rows;
    if (!row.finite) {
      if (std::isfinite(row.exps) && row.exps > 0) ++out.rows;
      continue;
    }
    if (out.rows == 0) out.sum_low = out.sum_high = row.sum;
    ++out.rows;
    if (std::abs(row.sum - 1) <= tol) ++out.rows_one;
    out.sum_low = std::min(out.sum_low, row.sum);
    out.sum_high = std::max(out.sum_high, row.sum);
    out.sum_mean += row.sum;
  }
  if (!whole) return;
  for (const Sums& column : columns) {
    if (!column.finite || !column.any) continue;
    ++out.columns;
    if (std::abs(column.sum - 1) <= tol) ++out.columns_one;
  }
}

// Zeros where a softmax leaves none: in columns and rows that are used, below the diagonal of a causal matrix.
void count_zeros(StackSource& stack, std::pair<int, int> head, MatrixView m, Sample& out) {
  if (!stack.read_head(head.first, head.second, m)) return;
  double zeros = 0, all = 0;
  for (int i = 0; i < m.rows; ++i) {
    if (!out.row_used[static_cast<std::size_t>(i)]) continue;
    for (int j = 0; j < (out.causal ? std::min(i + 1, m.columns) : m.columns); ++j) {
      if (!out.column_used[static_cast<std::size_t>(j)]) continue;
      ++all;
      zeros += m(i, j) == 0;
    }
  }
  out.zero_share = all > 0 ? zeros / all : 1;
}

}  // namespace

Result<Sample> take_sample(const StackPlan& plan, DType shown) {
  Sample out;
  const auto rows = static_cast<std::uint64_t>(plan.kept_rows()), columns = static_cast<std::uint64_t>(plan.kept_columns());
  out.low = std::numeric_limits<double>::infinity();
  out.high = -out.low;
  out.causal = rows == columns && rows > 1;
  out.column_used.assign(static_cast<std::size_t>(columns), false);
  out.first_reader.assign(static_cast<std::size_t>(columns), -1);
  out.last_reader.assign(static_cast<std::size_t>(columns), -1);
  out.row_even.assign(static_cast<std::size_t>(rows), true);
  out.row_used.assign(static_cast<std::size_t>(rows), false);

  const std::uint64_t item = dtype_size(plan.layers[0].array->dtype);
  const std::uint64_t head_bytes = static_cast<std::uint64_t>(plan.queries) * static_cast<std::uint64_t>(plan.keys) * item;
  const bool whole = head_bytes <= kSampleBytes / 4;
  StackPlan part = plan;
  std::vector<int> row_numbers;
  if (!whole) {  // some rows of large matrices; their columns stay unknown
    const std::uint64_t line = static_cast<std::uint64_t>(plan.keys) * item;
    const std::uint64_t wanted = std::clamp<std::uint64_t>(kSampleBytes / 4 / std::max<std::uint64_t>(line, 1), 1, std::min<std::uint64_t>(rows, 64));
    for (std::uint64_t i = 0; i < wanted; ++i) row_numbers.push_back(static_cast<int>((2 * i + 1) * rows / (2 * wanted)));
    part.rows.clear();
    for (const int i : row_numbers) part.rows.push_back(plan.rows.empty() ? i : plan.rows[static_cast<std::size_t>(i)]);
    out.causal = false;
  }

  // A packed array is inflated up to the head that is asked for, so stay near its start.
  const int layers = static_cast<int>(plan.layers.size()), heads = std::max(plan.heads, 1);
  const auto& a = *plan.layers[0].array;
  const bool near = a.packed && a.elements * item > kSampleBytes;
  std::vector<std::pair<int, int>> wanted;
  if (near) wanted = {{0, 0}, {0, std::min(1, heads - 1)}};
  else wanted = {{0, 0}, {0, heads - 1}, {layers / 2, heads / 2}, {layers - 1, heads - 1}};
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());

  Rounded rounded;
  const auto stack = make_stored_stack(part);
  std::vector<Real> numbers(static_cast<std::size_t>(part.kept_rows()) * static_cast<std::size_t>(columns));
  const MatrixView view{numbers.data(), part.kept_rows(), static_cast<int>(columns)};
  for (const auto& [layer, head] : wanted) {
    if (auto done = stack->read_head(layer, head, view); !done) return tl::unexpected(done.error());
    look(view, tolerance(shown), whole, row_numbers, out, rounded);
  }
  out.whole = whole;
  out.precision = rounded.type(shown);
  if (whole) count_zeros(*stack, wanted.front(), view, out);
  if (out.low > out.high) out.low = out.high = 0;
  if (out.rows > 0) out.sum_mean /= static_cast<double>(out.rows);
  out.below_zero = out.low < -1e-3 || (out.infinite > 0 && !out.rows_are_one());
  return out;
}

}  // namespace rollscope
