// What every container comes down to: named arrays of numbers, named lists of text, metadata. What they mean is
// decided elsewhere (io/shapes.h), so a new container needs one reader and nothing more.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dump/dump.h"
#include "io/bytes.h"
#include "io/json.h"

namespace rollscope {

// An array somewhere in the file; its numbers are read when they are asked for.
struct StoredArray {
  std::string name;  // "" for a file that is one array
  DType dtype = DType::f32;  // of the bytes
  DType shown = DType::f32;  // of the file: a JSON number is f64, in whatever width it is kept
  bool big_endian = false;
  bool fortran_order = false;  // first index fastest
  bool packed = false;         // deflated: bytes come in ascending order or start over
  std::vector<std::uint64_t> shape;
  std::uint64_t elements = 0;
  std::vector<int> present;  // of the first axis, where some entries are null; empty: all
  Source bytes;              // from the first element on, at least elements * dtype_size(dtype)
};

struct StoredText {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<std::string> texts;  // row-major
};

// An array that is there and cannot be read: matters only if it is the one that is needed.
struct RefusedArray {
  std::string name;
  Error error;
};

struct Container {
  std::string format;  // "npy", "npz", "safetensors", "json"
  std::vector<StoredArray> arrays;
  std::vector<StoredText> texts;
  std::vector<RefusedArray> refused;
  std::vector<std::string> nulls;  // names whose value is None
  std::map<std::string, JsonValue, std::less<>> meta;
  std::vector<Real> meta_numbers;  // pool of the values in `meta`
  Report report;

  // Merges the members of a JSON object; a key that is there stays.
  void add_meta(const JsonDocument& document);
  void add_meta(const JsonValue& object, const std::vector<Real>& pool);
  // One text value, which may itself be JSON (as in safetensors): then it is parsed.
  void add_meta_text(const std::string& key, const std::string& text);
};

// The kind of value of a name under `meta`: one that carries attn-dump v1 as a whole.
[[nodiscard]] bool is_meta_name(std::string_view name);

[[nodiscard]] Result<Container> read_npy_container(const Source& source);
[[nodiscard]] Result<Container> read_npz_container(const Source& source);
[[nodiscard]] Result<Container> read_safetensors_container(const Source& source);
[[nodiscard]] Result<Container> read_json_container(const Source& source, std::uint64_t memory_limit);

}  // namespace rollscope
