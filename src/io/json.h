// A JSON document as a tree in which nested lists of numbers are flat arrays with a shape: a million numbers take a
// million Reals and one node. Arrays of three axes and more that differ in shape stay side by side in a list, each with
// at most four axes: the steps of generate() give [[(B, H, P, P), one a layer], [(B, H, 1, P + 1), ...], ...]. Rows of a
// matrix or matrices that differ are noticed with their place, and fail only who needs them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "base/real.h"
#include "io/json_events.h"

namespace rollscope {

struct JsonMember;

struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, number, text, numbers, list, object, ragged };
  Kind kind = Kind::null;
  bool all_null = false;  // numbers: every entry is null
  double number = 0;      // number; boolean: 0 or 1
  std::string text;       // text; ragged: what differs
  std::string where;      // ragged: its place, "attentions[2][0][5]"
  // numbers: entry [i][j].. lies in the pool from `first`, row-major; null entries are NaN. [] has shape {0}.
  std::size_t first = 0;
  std::vector<std::uint64_t> shape;
  std::vector<int> present;  // numbers: where some of the first axis are null, the true indices of the others
  std::vector<JsonValue> items;                            // list: anything but nested numbers
  std::vector<JsonMember> members;                         // object, in the order of the text

  [[nodiscard]] const JsonValue* find(std::string_view name) const;  // of an object; null: not there
  [[nodiscard]] bool is(Kind k) const { return kind == k; }
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

struct JsonDocument {
  JsonValue root;
  std::shared_ptr<std::vector<Real>> pool;
  std::vector<std::string> duplicates;  // keys that an object holds twice; the first is kept
};

// Errors: bad_json, too_big (numbers past `memory_limit` bytes, or over 400000 other values), read_failed.
// Memory: sizeof(Real) for a number, by the density of numbers at the start of the text; about 200 bytes for any other
// value. An object keeps its first 4096 members.
[[nodiscard]] Result<JsonDocument> read_json(ByteSource& source, std::uint64_t memory_limit);
[[nodiscard]] Result<JsonDocument> read_json(std::string_view text);

// One value in the midst of other text.
//   offset  where it starts, or white space before it
//   end     the byte behind it, or where reading stopped
[[nodiscard]] Result<JsonDocument> read_json_value(ByteSource& source, std::uint64_t offset, std::uint64_t memory_limit, std::uint64_t& end);

// Values behind each other from `offset` on, such as an object a line, as one list.
[[nodiscard]] Result<JsonDocument> read_json_lines(ByteSource& source, std::uint64_t offset, std::uint64_t memory_limit);
// The first byte from `offset` on that is not white space; the source's size: there is none.
[[nodiscard]] Result<std::uint64_t> next_json_value(ByteSource& source, std::uint64_t offset);

// Makes a document out of events, whatever text they come from. `out` must outlive it.
class JsonBuilder : public JsonEvents {
 public:
  [[nodiscard]] virtual const Error& error() const = 0;  // why it stopped
};
[[nodiscard]] std::unique_ptr<JsonBuilder> json_builder(JsonDocument& out, std::uint64_t memory_limit);

// The value as JSON text on one line; numbers as short as they read back equal, NaN and infinities as null.
[[nodiscard]] std::string json_text(const JsonValue& value, const std::vector<Real>& pool);

// A list of texts, numbers (as text) or nulls (as ""); false: something else.
[[nodiscard]] bool json_texts(const JsonValue& value, const std::vector<Real>& pool, std::vector<std::string>& out);

}  // namespace rollscope
