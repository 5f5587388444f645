// Nested Python lists of numbers or texts, as the arrays that they spell.
#pragma once

#include <string>
#include <vector>

#include "io/pickle_arrays.h"

namespace rollscope {

struct PickleNumbers {
  enum class Kind : std::uint8_t {
    other,   // no list of numbers
    dense,   // every list of one depth has one length: `shape`
    ragged,  // rows of one matrix differ in length, or numbers stand beside lists
    blocks,  // matrices are dense, and differ among themselves
  };
  Kind kind = Kind::other;
  std::vector<std::uint64_t> shape;
  std::vector<int> present;   // dense: the lists of the first axis that are not None; empty: all
  bool whole = true;          // no fractions
  std::string where, detail;  // ragged: "attentions[2][0][5]", "lengths 3 and 4"
};

// What kind of list it is. `budget` falls by the values looked at, shared ones each time; where it reaches 0 the
// answer is `other`.
[[nodiscard]] PickleNumbers measure_numbers(PickleFile& file, const PickleValue& list, const std::string& name, std::uint64_t& budget);

// The numbers of a dense list, as i64 or f64; None is NaN.
[[nodiscard]] StoredArray number_array(PickleFile& file, const PickleValue& list, const PickleNumbers& measured, const std::string& name);

// A list of texts (numbers and None may stand among them), or of such lists, padded to the longest.
[[nodiscard]] bool read_texts(PickleFile& file, const PickleValue& list, const std::string& name, StoredText& out, std::uint64_t& budget);

// One text, or a number or None in a list of texts; false: something else.
[[nodiscard]] bool text_of(const PickleFile& file, const PickleValue& v, std::string& out);

}  // namespace rollscope
