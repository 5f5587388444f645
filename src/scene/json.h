// The little JSON that the page speaks: states, command arguments, selections. Dumps are read by io/, not here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rollscope {

// A parsed value. Text from outside: look a field up, ask what it is, use it.
struct Json {
  struct Member;  // a pair of a type that is not complete yet is more than clang 14 takes
  enum class Kind : unsigned char { null, boolean, number, text, array, object };
  Kind kind = Kind::null;
  bool truth = false;
  double number = 0;
  std::string text;
  std::vector<Json> items;                            // array
  std::vector<Member> members;                        // object, in order

  [[nodiscard]] bool is(Kind k) const { return kind == k; }
  [[nodiscard]] const Json* find(std::string_view name) const;  // nullptr: absent, or no object
  // A number without a fraction that fits an int.
  [[nodiscard]] std::optional<int> integer() const;
};

struct Json::Member {
  std::string first;
  Json second;
};

// nullopt: not JSON, deeper than 32, or followed by something else. Empty text reads as {}.
[[nodiscard]] std::optional<Json> parse_json(std::string_view text);

// Writes JSON piece by piece; the caller keeps keys and values in order. Numbers that are not finite become null.
class JsonWriter {
 public:
  JsonWriter();
  ~JsonWriter();
  JsonWriter& object();
  JsonWriter& array();
  JsonWriter& end();  // of the innermost object or array
  JsonWriter& key(std::string_view name);
  JsonWriter& value(double number);
  JsonWriter& value(int number);
  JsonWriter& value(bool truth);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& null();
  template <class T>
  JsonWriter& field(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }
  [[nodiscard]] std::string text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollscope
