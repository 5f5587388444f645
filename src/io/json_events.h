// JSON text as a series of events, read in pieces: no tree, no recursion, so neither a file of 500 MB nor one of a
// million brackets costs more memory than a window. NaN, Infinity and -Infinity are taken, as Python writes them.
#pragma once

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
  virtual bool text(std::string_view value) = 0;  // valid UTF-8
  virtual bool begin_object() = 0;
  virtual bool key(std::string_view name) = 0;
  virtual bool end_object() = 0;
  virtual bool begin_array() = 0;
  virtual bool end_array() = 0;
};

inline constexpr int kJsonDepthLimit = 64;

// True: read to its end. False: the handler stopped it.
// Errors: bad_json (with the byte), read_failed.
[[nodiscard]] Result<bool> parse_json(ByteSource& source, JsonEvents& events);

}  // namespace rollscope
