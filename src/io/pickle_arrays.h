// What the inert records of a pickle (pickle.h) stand for: tensors of torch, arrays and scalars of numpy, wherever
// their numbers lie.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/container.h"
#include "io/pickle.h"
#include "io/zip.h"

namespace rollscope {

// A view may repeat numbers (stride 0, expand); more than this many come from a file that means harm: too_big.
inline constexpr std::uint64_t kMostRepeated = 1ULL << 28;

// Where the storages of one torch file lie, by their keys.
struct TorchStorages {
  Source archive;                            // of the zip kind: members of this
  std::map<std::string, ZipMember> members;
  std::map<std::string, Source> ranges;      // of the kind before 1.6
  bool big_endian = false;
};

// A pickle with everything that it refers to.
struct PickleFile {
  PickleData data;
  std::map<std::uint32_t, TorchStorages> storages;   // by PickleRecord::source
  std::map<std::uint32_t, PickleValue> nested;       // torch files within byte strings, by the record that asks for them
  Report report;

  // What stands behind wrappers: the tensor of a parameter, the root of a nested torch file, the list of a set().
  [[nodiscard]] PickleValue resolve(PickleValue v);
  [[nodiscard]] PickleClass known(const PickleValue& v) const {
    const PickleName* name = data.callable(v);
    return name ? name->known : PickleClass::other;
  }

  std::map<std::uint32_t, PickleValue> retyped;      // calls made by resolve()
  std::map<std::string, bool> checked;               // storages whose checksum was looked at
  std::uint64_t checked_bytes = 0;
};

struct PickleArray {
  enum class Kind : std::uint8_t { none, numbers, texts, items, refused };
  Kind kind = Kind::none;                    // none: the value is no array
  StoredArray numbers;
  StoredText texts;
  std::vector<PickleValue> items;            // an object array: any values
  std::vector<std::uint64_t> shape;          // of `items`
  std::optional<Error> error;                // refused: an array of a kind that is not read
};

// The array that `v` (as resolve() gives it) stands for.
// Errors, which speak of a damaged or hostile file: bad_pickle, truncated_data, too_big, read_failed.
[[nodiscard]] Result<PickleArray> read_pickle_array(PickleFile& file, const PickleValue& v, const std::string& name);

struct PickleNumber {
  double value = 0;
  bool whole = false;
};
// int, float, bool, and scalars of numpy; nothing for anything else.
[[nodiscard]] std::optional<PickleNumber> pickle_number(const PickleFile& file, const PickleValue& v);

// Reads the torch file that starts at the beginning of `source`: its root, with the storages noted in `file`.
// Errors: those of read_pickle and read_zip_directory, unknown_format.
[[nodiscard]] Result<PickleValue> read_torch_legacy(PickleFile& file, const Source& source);
[[nodiscard]] Result<PickleValue> read_torch_zip(PickleFile& file, const Source& source, const ZipDirectory& directory);

// Opens the torch files that byte strings of the pickle hold, and those within them. At most kNestedFiles.
inline constexpr std::size_t kNestedFiles = 4096;
[[nodiscard]] Result<void> open_nested_files(PickleFile& file);

}  // namespace rollscope
