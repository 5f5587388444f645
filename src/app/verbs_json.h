// What answers in JSON are written with, and the parts that several of them share: the recipe in full, token labels,
// the report. Private to src/app.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/limits.h"
#include "base/narration.h"
#include "base/report.h"
#include "dump/dump.h"
#include "methods/recipe.h"

namespace rollscope {

// Numbers with 17 significant digits, NaN as null.
class JsonWriter17 : public rapidjson::Writer<rapidjson::StringBuffer> {
 public:
  explicit JsonWriter17(rapidjson::StringBuffer& buffer) : Writer(buffer) {}
  void text(std::string_view s) { String(s.data(), static_cast<rapidjson::SizeType>(s.size())); }
  void name(std::string_view s) { Key(s.data(), static_cast<rapidjson::SizeType>(s.size())); }
  void number(double x) {
    if (!std::isfinite(x)) {
      Null();
      return;
    }
    char digits[32];
    const int length = std::snprintf(digits, sizeof digits, "%.17g", x);
    RawValue(digits, static_cast<std::size_t>(length), rapidjson::kNumberType);
  }
  // A name and its value in one.
  void field(std::string_view key, double x) {
    name(key);
    number(x);
  }
  void field(std::string_view key, int x) {
    name(key);
    Int(x);
  }
  void field(std::string_view key, bool x) {
    name(key);
    Bool(x);
  }
  void field(std::string_view key, std::string_view x) {
    name(key);
    text(x);
  }
  void field(std::string_view key, const char* x) { field(key, std::string_view(x)); }
  // An index; -1, "none", becomes null.
  void index(std::string_view key, int x) {
    name(key);
    if (x < 0) Null();
    else Int(x);
  }
};

// A token's label; its position from 1 where the file names none.
[[nodiscard]] inline std::string token_label(const std::vector<Token>& tokens, std::size_t k) {
  return k < tokens.size() ? tokens[k].label : std::to_string(k + 1);
}
void write_row(JsonWriter17& json, std::span<const double> row);
void write_ints(JsonWriter17& json, std::span<const int> numbers);
void write_matrix(JsonWriter17& json, const std::vector<std::vector<double>>& rows);
void write_labels(JsonWriter17& json, const std::vector<Token>& tokens, const std::vector<int>& indices);
void write_report(JsonWriter17& json, const Report& report);  // an array
// A resolved recipe as explain.schema.json has it. row: the output that was asked for; -1: "all"; below: none is named.
inline constexpr int kNoRow = -2;
void write_recipe(JsonWriter17& json, const Stream& stream, const Recipe& recipe, int row);
// Keys that draw much attention: [{"key", "label", "share", "chance"}].
void write_keys(JsonWriter17& json, const Stream& stream, const StrongKeys& strong, const std::vector<int>& keys);
// {"facts": [{"id", "slots"}], "en": [sentences], "fr": [..], "ja": [..]}.
void write_narration(JsonWriter17& json, std::span<const Fact> facts);

}  // namespace rollscope
