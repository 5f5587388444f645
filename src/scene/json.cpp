#include "scene/json.h"

#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cassert>
#include <cmath>
#include <cstdint>

namespace rollscope {
namespace {

constexpr std::size_t kMaxDepth = 32;

// Receives the reader's events and builds the tree. A stack of pointers would break when a vector grows, so the open
// containers themselves are stacked and moved into their parent when they close.
class Builder {
 public:
  Json root;

  bool Null() { return put({}); }
  bool Bool(bool b) {
    Json v;
    v.kind = Json::Kind::boolean;
    v.truth = b;
    return put(std::move(v));
  }
  bool Int(int n) { return Double(n); }
  bool Uint(unsigned n) { return Double(n); }
  bool Int64(std::int64_t n) { return Double(static_cast<double>(n)); }
  bool Uint64(std::uint64_t n) { return Double(static_cast<double>(n)); }
  bool Double(double n) {
    Json v;
    v.kind = Json::Kind::number;
    v.number = n;
    return put(std::move(v));
  }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }
  bool String(const char* s, rapidjson::SizeType n, bool) {
    Json v;
    v.kind = Json::Kind::text;
    v.text.assign(s, n);
    return put(std::move(v));
  }
  bool Key(const char* s, rapidjson::SizeType n, bool) {
    open_.back().members.push_back({std::string(s, n), Json{}});
    return true;
  }
  bool StartObject() { return start(Json::Kind::object); }
  bool StartArray() { return start(Json::Kind::array); }
  bool EndObject(rapidjson::SizeType) { return finish(); }
  bool EndArray(rapidjson::SizeType) { return finish(); }

 private:
  bool start(Json::Kind kind) {
    if (open_.size() >= kMaxDepth) return false;
    open_.emplace_back().kind = kind;
    return true;
  }
  bool finish() {
    Json done = std::move(open_.back());
    open_.pop_back();
    return put(std::move(done));
  }
  bool put(Json v) {
    if (open_.empty()) root = std::move(v);
    else if (open_.back().is(Json::Kind::object)) open_.back().members.back().second = std::move(v);
    else open_.back().items.push_back(std::move(v));
    return true;
  }
  std::vector<Json> open_;
};

}  // namespace

const Json* Json::find(std::string_view name) const {
  for (const auto& [key, v] : members)
    if (key == name) return &v;
  return nullptr;
}

std::optional<int> Json::integer() const {
  if (kind != Kind::number || std::floor(number) != number || std::abs(number) > 1e9) return std::nullopt;
  return static_cast<int>(number);
}

std::optional<Json> parse_json(std::string_view text) {
  const std::string terminated(text);  // the reader's stream ends at a zero byte
  if (terminated.empty()) {
    Json empty;
    empty.kind = Json::Kind::object;
    return empty;
  }
  if (text.find('\0') != text.npos) return std::nullopt;
  rapidjson::StringStream stream(terminated.c_str());
  rapidjson::Reader reader;
  Builder builder;
  // Iterative: a text of a million brackets must not exhaust the stack.
  constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag | rapidjson::kParseValidateEncodingFlag;
  if (reader.Parse<flags>(stream, builder).IsError()) return std::nullopt;
  return std::move(builder.root);
}

struct JsonWriter::Impl {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
  std::vector<bool> objects;  // open containers: object or array
};

JsonWriter::JsonWriter() : impl_(std::make_unique<Impl>()) {}
JsonWriter::~JsonWriter() = default;
JsonWriter& JsonWriter::object() {
  impl_->writer.StartObject();
  impl_->objects.push_back(true);
  return *this;
}
JsonWriter& JsonWriter::array() {
  impl_->writer.StartArray();
  impl_->objects.push_back(false);
  return *this;
}
JsonWriter& JsonWriter::end() {
  assert(!impl_->objects.empty());
  if (impl_->objects.back()) impl_->writer.EndObject();
  else impl_->writer.EndArray();
  impl_->objects.pop_back();
  return *this;
}
JsonWriter& JsonWriter::key(std::string_view name) {
  impl_->writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  return *this;
}
JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  impl_->writer.Double(number);
  return *this;
}
JsonWriter& JsonWriter::value(int number) {
  impl_->writer.Int(number);
  return *this;
}
JsonWriter& JsonWriter::value(bool truth) {
  impl_->writer.Bool(truth);
  return *this;
}
JsonWriter& JsonWriter::value(std::string_view text) {
  impl_->writer.String(text.data() ? text.data() : "", static_cast<rapidjson::SizeType>(text.size()));
  return *this;
}
JsonWriter& JsonWriter::null() {
  impl_->writer.Null();
  return *this;
}
std::string JsonWriter::text() const {
  assert(impl_->objects.empty());
  return {impl_->buffer.GetString(), impl_->buffer.GetSize()};
}

}  // namespace rollscope
