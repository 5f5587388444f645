// Reads Python pickles, protocols 0 to 5, without Python: a machine that carries out the instructions symbolically.
// Where a pickle names a class or a function and asks for it to be called, an inert record of the request is made;
// nothing is ever imported or called. What the records mean is decided elsewhere (pickle_arrays.h, pickle_walk.h).
//
// Source: CPython's Modules/_pickle.c and Lib/pickletools.py.
//
// The bytes pass through a window of 64 kB. Long texts and byte strings, such as the numbers of arrays, stay in the
// file: a pickle of 600 MB takes what its small parts take. Loops run over indices, never over the C stack, so
// depth costs nothing; records refer to each other by index, so cycles cost nothing either.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.h"
#include "io/pickle_names.h"

namespace rollscope {

// Limits of one file, all pickles in it together; past one of them: too_big.
inline constexpr std::uint64_t kPickleOps = 10'000'000;      // instructions; a Python float takes one
inline constexpr std::size_t kPickleStack = 1'000'000;        // values that wait to be put somewhere; lists take theirs by the thousand
inline constexpr std::size_t kPickleValues = 4'000'000;      // lists, tuples, dicts, objects, texts: 24 to 150 bytes each
inline constexpr std::uint64_t kPickleMemo = 4'000'000;      // memo entries of one pickle
inline constexpr std::uint64_t kPickleText = 64ULL << 20;    // bytes of text lines (protocol 0) and short texts
inline constexpr std::uint64_t kPickleHeld = 64ULL << 10;    // a longer text or byte string stays in the file
inline constexpr std::uint64_t kPickleName = 4096;           // bytes of a module's or a class's name

enum class PickleKind : std::uint8_t {
  none, boolean, integer, real,   // the value itself
  text, bytes,                    // at: PickleData::strings
  list, tuple, dict, set,         // at: PickleData::records; a dict's items are key, value, key, value ...
  name,                           // at: PickleData::names
  object,                         // at: PickleData::records, whose `object` is set
  persistent,                     // at: PickleData::records: items[0] is the identifier (torch: a storage)
};

struct PickleValue {
  PickleKind kind = PickleKind::none;
  std::uint32_t at = 0;
  union {
    std::int64_t integer = 0;  // integer; boolean: 0 or 1
    double real;               // real, also a whole number of more than 64 bits
  };
  [[nodiscard]] bool is(PickleKind k) const { return kind == k; }
};

struct PickleString {
  std::uint64_t offset = 0, length = 0;  // in PickleData::held, or in sources[source]
  std::uint32_t source = 0;
  bool held = true;
  bool latin1 = false;  // in the file as UTF-8 of one character a byte (protocol 2 in Python 3); never when held
};

struct PickleObject {
  PickleValue callable, args;  // the class or function, and a tuple
  PickleValue state;           // of BUILD, or none
  std::vector<PickleValue> pairs;  // of SETITEM: key, value ...
};

struct PickleRecord {
  std::vector<PickleValue> items;  // object: of APPEND
  std::uint32_t object = 0;        // object: index in PickleData::objects
  std::uint32_t source = 0;        // which pickle made it
};

struct PickleData {
  std::vector<PickleString> strings;
  std::string held;
  std::vector<PickleRecord> records;
  std::vector<PickleObject> objects;
  std::vector<std::uint32_t> object_records;  // of each object, its record
  std::vector<PickleValue> persistents;       // all of that kind
  std::vector<PickleName> names;
  std::vector<Source> sources;  // the bytes of each pickle
  std::uint64_t ops = 0;

  [[nodiscard]] const PickleObject* object(const PickleValue& v) const {
    return v.is(PickleKind::object) ? &objects[records[v.at].object] : nullptr;
  }
  // The name that an object calls, or null.
  [[nodiscard]] const PickleName* callable(const PickleValue& v) const;
  // Argument `i` of an object's call; none where it is missing.
  [[nodiscard]] PickleValue argument(const PickleValue& v, std::size_t i) const;
  // Items of a list, tuple or set; nothing of anything else.
  [[nodiscard]] const std::vector<PickleValue>& items(const PickleValue& v) const;
  [[nodiscard]] bool is_sequence(const PickleValue& v) const {
    return v.is(PickleKind::list) || v.is(PickleKind::tuple) || v.is(PickleKind::set);
  }
  [[nodiscard]] bool is_string(const PickleValue& v) const { return v.is(PickleKind::text) || v.is(PickleKind::bytes); }
  // A short text or byte string; "" for anything else. Valid until the next pickle is read.
  [[nodiscard]] std::string_view short_text(const PickleValue& v) const;
  // The same of any length up to `limit`, read from the file if need be. Errors: read_failed, too_big.
  [[nodiscard]] Result<std::string> long_text(const PickleValue& v, std::uint64_t limit) const;
  // A byte string (or a text that stands for one) as a file of its own. Errors: read_failed, bad_pickle.
  [[nodiscard]] Result<Source> bytes_of(const PickleValue& v) const;

  PickleValue make(PickleKind kind, std::vector<PickleValue> items = {}, std::uint32_t source = 0);
  PickleValue make_object(const PickleValue& callable, const PickleValue& args, std::uint32_t source = 0);
};

struct PickleEnd {
  PickleValue root;
  std::uint64_t end = 0;  // offset behind the STOP
};

// Carries out one pickle that starts at `offset`.
//   what  names it in a message: "the pickle", "data.pkl of the PyTorch archive"
// Errors: dangerous_pickle (it names something that runs code), bad_pickle, truncated_data, too_big, read_failed.
// Cost: one pass over the instructions; memory as the limits above say.
[[nodiscard]] Result<PickleEnd> read_pickle(PickleData& data, const Source& source, std::uint64_t offset, std::string_view what);

}  // namespace rollscope
