// Reads .npy, format 1.0 to 3.0 (numpy/lib/format.py): a magic, a Python dict literal that names type, order and
// shape, then the numbers. The literal is parsed by a fixed grammar and never evaluated. Also the members of a .npz.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "dump/dump.h"

namespace rollscope {

struct NpyHeader {
  enum class Kind : std::uint8_t { number, utf32, bytes };  // <U: fixed width UTF-32; |S: fixed width bytes
  Kind kind = Kind::number;
  DType dtype = DType::f32;     // of numbers
  std::uint64_t item_size = 4;  // bytes of one element
  bool big_endian = false;
  bool fortran_order = false;  // first index fastest
  std::vector<std::uint64_t> shape;
  std::uint64_t elements = 1;     // product of the shape
  std::uint64_t data_offset = 0;  // where the elements start
};

// Longer headers are refused: numpy itself refuses past 10000 characters unless told otherwise.
inline constexpr std::uint64_t kNpyHeaderLimit = 65536;

[[nodiscard]] bool sniff_npy(std::span<const std::uint8_t> head);

// Reads the header; the elements stay untouched.
//   name  of the array, for messages; "" for a file of its own
// Errors: bad_header, truncated_data (also when fewer bytes follow than the shape needs), object_array,
// unsupported_dtype, read_failed. Allocates at most 64 KiB whatever the header says.
[[nodiscard]] Result<NpyHeader> read_npy_header(ByteSource& source, const std::string& name);

// The type that a name such as "<f4" stands for: kind, dtype, item_size and big_endian of `out`.
//   array  for messages
// Errors: object_array, unsupported_dtype, bad_header.
[[nodiscard]] Result<void> read_npy_type(const std::string& descr, const std::string& array, NpyHeader& out);

// All elements of a text array, UTF-8; trailing NULs dropped. Invalid code points become U+FFFD.
// Errors: read_failed, too_big (more than 32 MB of text).
[[nodiscard]] Result<std::vector<std::string>> read_npy_texts(ByteSource& source, const NpyHeader& header);

}  // namespace rollscope
