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
  std::vector<std::uint64_t> strides;  // in elements, one for each axis; empty: dense in the order above
  bool packed = false;         // deflated: bytes come in ascending order or start over
  std::vector<std::uint64_t> shape;
  std::uint64_t elements = 0;
  std::vector<int> present;  // of the first axis, where some entries are null; empty: all
  Source bytes;              // from element [0, 0 ..] on, at least span() * dtype_size(dtype)

  // Elements from the first to the farthest, both counted: `elements` in a dense array, less or more in a view.
  // The reader that set `strides` has seen to it that this fits.
  [[nodiscard]] std::uint64_t span() const;
};

// Elements from one entry of an axis to the next, for each axis.
[[nodiscard]] std::vector<std::uint64_t> strides_of(const StoredArray& array);

// All numbers of an array in row-major order. Cost: one pass over span(). Precondition: it is small enough to hold.
[[nodiscard]] Result<std::vector<Real>> read_numbers(const StoredArray& array);

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
  std::string format;  // as in info.schema.json: "npy", "npz", "safetensors", "torch", "pickle", "json", "bertviz-html", "csv", "link"
  std::vector<StoredArray> arrays;
  std::vector<StoredText> texts;
  std::vector<RefusedArray> refused;
  std::vector<std::string> nulls;  // names whose value is None
  std::size_t records = 0;  // dumps in a row that the reader told apart, of which it read the wanted item; 0: it did not look
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
// Any zip archive: .npz, or what torch.save writes (then read_torch_container).
[[nodiscard]] Result<Container> read_zip_container(const Source& source);
[[nodiscard]] Result<Container> read_safetensors_container(const Source& source);
// `item`: which of several dumps in a list, where it is one.
[[nodiscard]] Result<Container> read_json_container(const Source& source, std::uint64_t memory_limit, int item = 0);
// torch.save: the archive of 1.6 and later, and the pickles in a row of before.
[[nodiscard]] Result<Container> read_torch_container(const Source& source, const struct ZipDirectory& directory);
[[nodiscard]] Result<Container> read_torch_legacy_container(const Source& source);
[[nodiscard]] Result<Container> read_pickle_container(const Source& source);
// A page that BertViz wrote, alone or as the output of a notebook: the JSON in its script.
[[nodiscard]] Result<Container> read_html_container(const Source& source, std::uint64_t memory_limit);
// CSV or TSV of one matrix, with or without names of rows and columns.
[[nodiscard]] Result<Container> read_table_container(const Source& source);
// A share link, alone in the file (io/link.h).
[[nodiscard]] Result<Container> read_link_container(const Source& source);
[[nodiscard]] Container link_container(const struct LinkData& data);

}  // namespace rollscope
