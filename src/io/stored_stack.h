// The numbers of one stream, read from stored arrays head by head: any order of axes, either byte order, every
// number type, rows and columns left out (padding), exchanged, pushed through a softmax, or given a virtual sink.
#pragma once

#include <memory>
#include <vector>

#include "dump/dump.h"
#include "io/container.h"

namespace rollscope {

struct RowPiece;

// Where the matrices of one layer lie: entry [h][q][k] is element base + h * head + q * query + k * key.
struct LayerPlace {
  std::shared_ptr<const StoredArray> array;
  std::uint64_t base = 0, head = 0, query = 0, key = 0;  // in elements
  std::vector<LayerPlace> heads;  // one place for each head instead, where each is an array of its own
  std::vector<RowPiece> pieces;   // rows apart instead, as generate() gives them; `array` is that of the first
};

// Some rows of a layer in an array of their own. Their other columns, and rows that no piece holds, are zero.
struct RowPiece {
  LayerPlace place;  // of rows x keys matrices
  int first_row = 0, rows = 0;
  int first_key = 0, keys = 0;  // columns
};

struct StackPlan {
  std::vector<LayerPlace> layers;
  int heads = 0;             // 0: one matrix a layer
  int queries = 0, keys = 0; // stored
  std::vector<int> rows, columns;  // what is kept, ascending; empty: all
  bool softmax = false;
  bool sink = false;  // adds a key that takes what each row lacks to 1, and where square a query that keeps itself

  [[nodiscard]] int kept_rows() const { return rows.empty() ? queries : static_cast<int>(rows.size()); }
  [[nodiscard]] int kept_columns() const { return columns.empty() ? keys : static_cast<int>(columns.size()); }
  [[nodiscard]] bool square() const { return kept_rows() == kept_columns(); }
  [[nodiscard]] int out_rows() const { return kept_rows() + (sink && square() ? 1 : 0); }
  [[nodiscard]] int out_columns() const { return kept_columns() + (sink ? 1 : 0); }
};

// Layers in pieces are held whole, up to this size, so that a head needs no thousand reads.
inline constexpr std::uint64_t kPiecesLimit = 64'000'000;

// Arrays whose matrices are scattered (Fortran order) are held whole, up to this size.
inline constexpr std::uint64_t kScatteredLimit = 256'000'000;

// `places[l]` must lie inside their arrays (axes.cpp sees to it).
// Cost of a head: one pass over its bytes, 1 MB of scratch; scattered layouts keep one array.
// Errors of read_head: read_failed, truncated_data, bad_header (damaged packing), too_big (scattered and large).
[[nodiscard]] std::unique_ptr<StackSource> make_stored_stack(StackPlan plan);

// Numbers of any type to Real. `in`: count * dtype_size(type) bytes. bool: 0 or 1.
void convert_numbers(const std::uint8_t* in, std::size_t count, DType type, bool big_endian, Real* out);

}  // namespace rollscope
