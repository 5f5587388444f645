#include "io/stored_stack.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.h"

namespace rollscope {
namespace {

constexpr std::size_t kBlock = 1 << 20;

template <class U>
U swapped(U v) {
  U out = 0;
  for (std::size_t i = 0; i < sizeof(U); ++i, v = static_cast<U>(v >> 4 >> 4)) out = static_cast<U>((out << 4 << 4) | (v & 0xff));
  return out;
}

// Every machine that this is built for is little endian, so the common order is a plain load.
static_assert(std::endian::native == std::endian::little);

template <class U, class F>
void convert_each(const std::uint8_t* in, std::size_t count, bool big_endian, Real* out, F to_real) {
  for (std::size_t i = 0; i < count; ++i) {
    U v;
    std::memcpy(&v, in + i * sizeof(U), sizeof(U));
    out[i] = static_cast<Real>(to_real(big_endian ? swapped(v) : v));
  }
}

void softmax_row(std::span<Real> row) {
  double top = -std::numeric_limits<double>::infinity();
  for (const Real x : row) {
    if (std::isnan(x)) return;  // stays visible as NaN
    top = std::max(top, static_cast<double>(x));
  }
  if (std::isinf(top)) {  // all masked: an empty row; +inf is left as it is
    if (top < 0) std::fill(row.begin(), row.end(), Real{0});
    return;
  }
  double sum = 0;
  for (Real& x : row) {
    const double e = std::exp(static_cast<double>(x) - top);
    x = static_cast<Real>(e);
    sum += e;
  }
  for (Real& x : row) x = static_cast<Real>(static_cast<double>(x) / sum);
}

bool as_stored(const StoredArray& a) { return !a.big_endian && a.dtype == (sizeof(Real) == sizeof(float) ? DType::f32 : DType::f64); }

class StoredStack final : public StackSource {
 public:
  explicit StoredStack(StackPlan plan) : plan_(std::move(plan)) {}

  Result<void> read_head(int layer, int head, MatrixView out) override {
    assert(layer >= 0 && layer < static_cast<int>(plan_.layers.size()));
    assert(head >= 0 && head < std::max(plan_.heads, 1));
    assert(out.rows == plan_.out_rows() && out.columns == plan_.out_columns());
    const LayerPlace& stored = plan_.layers[static_cast<std::size_t>(layer)];
    const bool apart = !stored.heads.empty();
    const LayerPlace& place = apart ? stored.heads[static_cast<std::size_t>(head)] : stored;
    const std::uint64_t base = place.base + (apart ? 0 : place.head * static_cast<std::uint64_t>(head));
    const auto done = stored.pieces.empty() ? read_matrix(place, base, plan_.queries, plan_.rows, plan_.keys, plan_.columns, out)
                                            : read_pieces(layer, head, out);
    if (!done) return done;
    const int rows = plan_.kept_rows(), columns = plan_.kept_columns();
    if (plan_.softmax)
      for (int i = 0; i < rows; ++i) softmax_row(out.row(i).first(static_cast<std::size_t>(columns)));
    if (plan_.sink) add_sink(out, rows, columns);
    return {};
  }

 private:
  Result<void> read_matrix(const LayerPlace& place, std::uint64_t base, int queries, const std::vector<int>& rows, int keys,
                           const std::vector<int>& columns, MatrixView out) {
    if (place.key == 1) return read_lines(place, base, place.query, queries, rows, keys, columns, out, false);
    if (place.query == 1) return read_lines(place, base, place.key, keys, columns, queries, rows, out, true);
    return gather(place, base, queries, rows, keys, columns, out);
  }

  // The arrays of a layer are kept while its heads are asked for: each holds a row or two of every head.
  Result<void> read_pieces(int layer, int head, MatrixView out) {
    const LayerPlace& stored = plan_.layers[static_cast<std::size_t>(layer)];
    if (pieces_of_ != layer) {
      pieces_of_ = layer;
      pieces_.clear();
      whole_of_ = nullptr;  // may have been one of them
      std::uint64_t total = 0;
      for (const RowPiece& p : stored.pieces) total += p.place.array->span() * dtype_size(p.place.array->dtype);
      for (const RowPiece& p : stored.pieces) {
        if (total > kPiecesLimit) break;
        const StoredArray& a = *p.place.array;
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(a.span()) * dtype_size(a.dtype));
        if (auto done = a.bytes->read(0, bytes); !done) {
          pieces_of_ = -1;
          return done;
        }
        auto held = std::make_shared<StoredArray>(a);
        held->bytes = std::make_shared<MemorySource>(std::move(bytes));
        pieces_.push_back(std::move(held));
      }
    }
    std::fill(out.data, out.data + out.size(), Real{0});
    for (std::size_t n = 0; n < stored.pieces.size(); ++n) {
      const RowPiece& p = stored.pieces[n];
      LayerPlace place = p.place;
      if (!pieces_.empty()) place.array = pieces_[n];
      piece_.resize(static_cast<std::size_t>(p.rows) * static_cast<std::size_t>(p.keys));
      const MatrixView part{piece_.data(), p.rows, p.keys};
      if (auto done = read_matrix(place, place.base + place.head * static_cast<std::uint64_t>(head), p.rows, {}, p.keys, {}, part); !done) return done;
      const auto kept = [](const std::vector<int>& all, int at) { return all.empty() ? at : all[static_cast<std::size_t>(at)]; };
      for (int i = first_from(plan_.rows, p.first_row); i < plan_.kept_rows(); ++i) {
        const int row = kept(plan_.rows, i) - p.first_row;
        if (row >= p.rows) break;
        for (int j = first_from(plan_.columns, p.first_key); j < plan_.kept_columns(); ++j) {
          const int column = kept(plan_.columns, j) - p.first_key;
          if (column >= p.keys) break;
          out(i, j) = part(row, column);
        }
      }
    }
    return {};
  }

  // The place of the first number of `kept` (empty: all) that is `from` or more.
  static int first_from(const std::vector<int>& kept, int from) {
    return kept.empty() ? std::max(from, 0) : static_cast<int>(std::lower_bound(kept.begin(), kept.end(), from) - kept.begin());
  }

  // Numbers that lie side by side form a line: a row, or (`across`) a column. Lines are read in blocks.
  Result<void> read_lines(const LayerPlace& place, std::uint64_t base, std::uint64_t line_stride, int lines,
                          const std::vector<int>& kept_lines, int length, const std::vector<int>& kept, MatrixView out, bool across) {
    const StoredArray& a = *place.array;
    const std::size_t item = dtype_size(a.dtype);
    const auto n = static_cast<std::size_t>(length);
    const bool dense = line_stride == n;
    const int total = kept_lines.empty() ? lines : static_cast<int>(kept_lines.size());
    const int per_block = dense ? static_cast<int>(std::clamp<std::size_t>(kBlock / (n * item), 1, static_cast<std::size_t>(total))) : 1;
    numbers_.resize(n);
    for (int at = 0; at < total;) {
      const int first = kept_lines.empty() ? at : kept_lines[static_cast<std::size_t>(at)];
      int count = 1;
      while (count < per_block && at + count < total &&
             (kept_lines.empty() || kept_lines[static_cast<std::size_t>(at + count)] == first + count))
        ++count;
      const std::uint64_t element = base + line_stride * static_cast<std::uint64_t>(first);
      if (!across && kept.empty() && out.columns == length && as_stored(a)) {  // the numbers are Reals already
        const auto wanted = static_cast<std::size_t>(count) * n * item;
        if (auto done = a.bytes->read(element * item, {reinterpret_cast<std::uint8_t*>(out.row(at).data()), wanted}); !done) return done;
        at += count;
        continue;
      }
      bytes_.resize(static_cast<std::size_t>(count) * n * item);
      if (auto done = a.bytes->read(element * item, bytes_); !done) return done;
      for (int i = 0; i < count; ++i, ++at) {
        const bool direct = !across && kept.empty();
        Real* to = direct ? out.row(at).data() : numbers_.data();
        convert_numbers(bytes_.data() + static_cast<std::size_t>(i) * n * item, n, a.dtype, a.big_endian, to);
        if (direct) continue;
        const int wanted = kept.empty() ? length : static_cast<int>(kept.size());
        for (int j = 0; j < wanted; ++j) {
          const Real x = numbers_[static_cast<std::size_t>(kept.empty() ? j : kept[static_cast<std::size_t>(j)])];
          (across ? out(j, at) : out(at, j)) = x;
        }
      }
    }
    return {};
  }

  // Neighbours lie far apart: the array is loaded whole, once.
  Result<void> gather(const LayerPlace& place, std::uint64_t base, int queries, const std::vector<int>& rows, int keys,
                      const std::vector<int>& columns, MatrixView out) {
    const StoredArray& a = *place.array;
    const std::size_t item = dtype_size(a.dtype);
    const std::uint64_t size = a.span() * item;
    if (whole_of_ != place.array.get()) {
      whole_of_ = nullptr;
      if (size > kScatteredLimit)
        return fail(ErrorCode::too_big, {{"needed", human_bytes(static_cast<double>(size))},
                                         {"limit", human_bytes(static_cast<double>(kScatteredLimit))},
                                         {"detail", "in this order of axes a matrix lies scattered over the whole array; save numpy.ascontiguousarray(A)"}});
      whole_.resize(static_cast<std::size_t>(size));
      if (auto done = a.bytes->read(0, whole_); !done) return done;
      whole_of_ = place.array.get();
    }
    const int kept_rows = rows.empty() ? queries : static_cast<int>(rows.size());
    const int kept_columns = columns.empty() ? keys : static_cast<int>(columns.size());
    for (int i = 0; i < kept_rows; ++i) {
      const auto q = static_cast<std::uint64_t>(rows.empty() ? i : rows[static_cast<std::size_t>(i)]);
      for (int j = 0; j < kept_columns; ++j) {
        const auto k = static_cast<std::uint64_t>(columns.empty() ? j : columns[static_cast<std::size_t>(j)]);
        const std::uint64_t element = base + q * place.query + k * place.key;
        convert_numbers(whole_.data() + element * item, 1, a.dtype, a.big_endian, &out(i, j));
      }
    }
    return {};
  }

  static void add_sink(MatrixView out, int rows, int columns) {
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int j = 0; j < columns; ++j) sum += static_cast<double>(out(i, j));
      out(i, columns) = static_cast<Real>(std::isnan(sum) ? 0.0 : std::max(0.0, 1.0 - sum));
    }
    for (int i = rows; i < out.rows; ++i)
      for (int j = 0; j <= columns; ++j) out(i, j) = j == columns ? Real{1} : Real{0};
  }

  StackPlan plan_;
  std::vector<std::uint8_t> bytes_, whole_;
  std::vector<Real> numbers_, piece_;
  const StoredArray* whole_of_ = nullptr;
  int pieces_of_ = -1;  // the layer whose arrays are held in pieces_; none are where they would take too much
  std::vector<std::shared_ptr<const StoredArray>> pieces_;
};

}  // namespace

void convert_numbers(const std::uint8_t* in, std::size_t count, DType type, bool big_endian, Real* out) {
  const auto same = [](auto v) { return v; };
  switch (type) {
    case DType::f16: convert_each<std::uint16_t>(in, count, big_endian, out, half_to_float); break;
    case DType::bf16: convert_each<std::uint16_t>(in, count, big_endian, out, bfloat16_to_float); break;
    case DType::f32: convert_each<std::uint32_t>(in, count, big_endian, out, [](std::uint32_t v) { return std::bit_cast<float>(v); }); break;
    case DType::f64: convert_each<std::uint64_t>(in, count, big_endian, out, [](std::uint64_t v) { return std::bit_cast<double>(v); }); break;
    case DType::f8_e4m3: convert_each<std::uint8_t>(in, count, false, out, float8_e4m3_to_float); break;
    case DType::f8_e5m2: convert_each<std::uint8_t>(in, count, false, out, float8_e5m2_to_float); break;
    case DType::u8: convert_each<std::uint8_t>(in, count, false, out, same); break;
    case DType::i8: convert_each<std::uint8_t>(in, count, false, out, [](std::uint8_t v) { return static_cast<std::int8_t>(v); }); break;
    case DType::u16: convert_each<std::uint16_t>(in, count, big_endian, out, same); break;
    case DType::i16: convert_each<std::uint16_t>(in, count, big_endian, out, [](std::uint16_t v) { return static_cast<std::int16_t>(v); }); break;
    case DType::u32: convert_each<std::uint32_t>(in, count, big_endian, out, same); break;
    case DType::i32: convert_each<std::uint32_t>(in, count, big_endian, out, [](std::uint32_t v) { return static_cast<std::int32_t>(v); }); break;
    case DType::u64: convert_each<std::uint64_t>(in, count, big_endian, out, same); break;
    case DType::i64: convert_each<std::uint64_t>(in, count, big_endian, out, [](std::uint64_t v) { return static_cast<std::int64_t>(v); }); break;
    case DType::boolean: convert_each<std::uint8_t>(in, count, false, out, [](std::uint8_t v) { return v ? 1 : 0; }); break;
  }
}

Result<std::vector<Real>> read_numbers(const StoredArray& a) {
  const std::size_t item = dtype_size(a.dtype);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(a.span()) * item);
  if (auto done = a.bytes->read(0, bytes); !done) return tl::unexpected(done.error());
  std::vector<Real> out(static_cast<std::size_t>(a.elements));
  if (a.strides.empty() && !a.fortran_order) {
    convert_numbers(bytes.data(), out.size(), a.dtype, a.big_endian, out.data());
    return out;
  }
  const std::vector<std::uint64_t> strides = strides_of(a);
  std::vector<std::uint64_t> index(a.shape.size(), 0);
  std::uint64_t at = 0;
  for (Real& x : out) {
    convert_numbers(bytes.data() + at * item, 1, a.dtype, a.big_endian, &x);
    for (std::size_t axis = a.shape.size(); axis-- > 0;) {
      at += strides[axis];
      if (++index[axis] < a.shape[axis]) break;
      at -= strides[axis] * a.shape[axis];
      index[axis] = 0;
    }
  }
  return out;
}

std::vector<std::uint64_t> strides_of(const StoredArray& a) {
  if (!a.strides.empty()) return a.strides;
  std::vector<std::uint64_t> out(a.shape.size(), 1);
  std::uint64_t step = 1;  // products fit: the shape's product does
  for (std::size_t i = 0; i < a.shape.size(); ++i) {
    const std::size_t axis = a.fortran_order ? i : a.shape.size() - 1 - i;
    out[axis] = step;
    step *= a.shape[axis];
  }
  return out;
}

std::unique_ptr<StackSource> make_stored_stack(StackPlan plan) { return std::make_unique<StoredStack>(std::move(plan)); }

}  // namespace rollscope
