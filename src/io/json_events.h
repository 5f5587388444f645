// JSON text as a series of events, read in pieces: no tree, no recursion, so neither a file of 500 MB nor one of a
// million brackets costs more memory than a window. NaN, Infinity and -Infinity are taken, as Python writes them.
//
// Written for dumps, which are numbers in brackets: a row of them is one event, and digits are read in the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/byte_source.h"

namespace rollscope {

// Return false to stop reading; the caller then knows why.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual bool null() = 0;
  virtual bool boolean(bool value) = 0;
  virtual bool integer(std::uint64_t value) { return number(static_cast<double>(value)); }  // no sign, no point
  virtual bool number(double value) = 0;
  // Entries of one list that follow each other, instead of as many number(); asked for by takes_numbers().
  virtual bool numbers(const double*, std::size_t) { return false; }
  [[nodiscard]] virtual bool takes_numbers() const { return false; }
  virtual bool text(std::string_view value) = 0;  // valid UTF-8
  virtual bool begin_object() = 0;
  virtual bool key(std::string_view name) = 0;
  virtual bool end_object() = 0;
  virtual bool begin_array() = 0;
  virtual bool end_array() = 0;
  // Now and then: how many bytes of the value were read, and how many there can be.
  virtual void progress(std::uint64_t /*done*/, std::uint64_t /*size*/) {}
};

inline constexpr int kJsonDepthLimit = 64;

// A source that is one value, with or without a byte order mark.
// True: read to its end. False: the handler stopped it.
// Errors: bad_json (with the byte), read_failed.
[[nodiscard]] Result<bool> parse_json(ByteSource& source, JsonEvents& events);

// One value that starts at `offset`, or behind white space there; what follows it is not looked at.
//   end  the byte behind the value, or where reading stopped
[[nodiscard]] Result<bool> parse_json_value(ByteSource& source, std::uint64_t offset, JsonEvents& events, std::uint64_t& end);

}  // namespace rollscope
