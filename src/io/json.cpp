#include "io/json.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/bytes.h"
#include "io/json_events.h"
#include "base/text.h"

namespace rollscope {
namespace {

using Kind = JsonValue::Kind;
constexpr std::size_t kMaxNodes = 400'000, kMaxMembers = 4096;
constexpr std::size_t kPartAxes = 4;

JsonValue number_node(double value) {
  JsonValue v;
  v.kind = Kind::number;
  v.number = value;
  return v;
}

class Builder final : public JsonBuilder {
 public:
  Builder(JsonDocument& out, std::uint64_t memory_limit) : out_(out), pool_(*out.pool), limit_(memory_limit) {}

  bool null() override {
    Frame* f = top_array();
    if (f && (f->state == State::unknown || f->state == State::numbers)) {
      if (f->state == State::unknown) f->only_nulls = true;
      const double nan = std::numeric_limits<double>::quiet_NaN();
      return push(*f, &nan, 1);
    }
    if (f && f->state == State::tensors) {
      if (f->absent == 0)
        for (int i = 0; i < f->index; ++i) f->present.push_back(i);
      ++f->absent;
      ++f->index;
      return true;
    }
    return add({});
  }
  bool boolean(bool value) override {
    Frame* f = top_array();
    if (f && f->state != State::list) return number(value ? 1 : 0);
    JsonValue v = number_node(value ? 1 : 0);
    v.kind = Kind::boolean;
    return add(std::move(v));
  }
  bool number(double value) override {
    if (!top_array()) return add(number_node(value));
    return numbers(&value, 1);
  }
  [[nodiscard]] bool takes_numbers() const override { return true; }
  bool numbers(const double* values, std::size_t count) override {  // the parser's, so inside a list
    Frame& f = frames_[depth_ - 1];
    if (f.state == State::list) {
      for (std::size_t i = 0; i < count; ++i)
        if (!add(number_node(values[i]))) return false;
      return true;
    }
    if (f.state == State::tensors) return ragged(f, "a number stands beside lists");
    f.only_nulls = false;
    return push(f, values, count);
  }
  bool text(std::string_view value) override {
    JsonValue v;
    v.kind = Kind::text;
    v.text = value;
    return add(std::move(v));
  }
  bool begin_object() override { return open(true); }
  bool key(std::string_view name) override {
    frames_[depth_ - 1].key = name;
    return true;
  }
  bool end_object() override {
    JsonValue v = std::move(frames_[--depth_].value);
    v.kind = Kind::object;
    return add(std::move(v));
  }
  bool begin_array() override { return open(false); }
  bool end_array() override {
    Frame& f = frames_[--depth_];
    // A row of a matrix like the rows before it: nearly all lists of a dump.
    if (f.state == State::numbers && depth_ > 0) {
      Frame& parent = frames_[depth_ - 1];
      if (!parent.object && parent.state == State::tensors && parent.child.size() == 1 &&
          parent.child[0] == static_cast<std::uint64_t>(f.index)) {
        count_child(parent, f.only_nulls);
        return true;
      }
    }
    JsonValue v = std::move(f.value);
    switch (f.state) {
      case State::unknown:
        v.kind = Kind::numbers;
        v.first = pool_.size();
        v.shape = {0};
        break;
      case State::numbers:
        v.kind = Kind::numbers;
        v.first = f.first;
        v.shape = {static_cast<std::uint64_t>(f.index)};
        v.all_null = f.only_nulls;
        break;
      case State::tensors:
        v.kind = Kind::numbers;
        v.first = f.first;
        v.shape = std::move(f.child);
        v.shape.insert(v.shape.begin(), static_cast<std::uint64_t>(f.index - f.absent));
        v.present = std::move(f.present);
        v.all_null = f.only_nulls;
        break;
      case State::list: v.kind = Kind::list; break;
      case State::ragged: v.kind = Kind::ragged; break;
    }
    return add(std::move(v));
  }
  void progress(std::uint64_t done, std::uint64_t size) override {
    if (done == 0) return;
    expected_ = 1.03 * static_cast<double>(pool_.size()) * (static_cast<double>(size) / static_cast<double>(done)) + 64;
  }

  [[nodiscard]] const Error& error() const override { return error_; }

 private:
  enum class State : std::uint8_t { unknown, numbers, tensors, list, ragged };
  struct Frame {
    bool object = false;
    State state = State::unknown;
    bool only_nulls = false;
    int index = 0;   // of the next entry
    int absent = 0;  // nulls between tensors
    std::size_t first = 0, child_size = 0;
    std::vector<std::uint64_t> child;  // shape of every entry, while they agree
    std::vector<int> present;
    std::vector<std::uint32_t> hashes;  // of the members' names
    std::string key;
    bool parts = false;  // the items are arrays that differ
    JsonValue value;     // items or members so far
  };

  Frame* top_array() { return depth_ == 0 || frames_[depth_ - 1].object ? nullptr : &frames_[depth_ - 1]; }

  bool stop(ErrorCode code, Params params) {
    error_ = {code, std::move(params)};
    return false;
  }

  bool open(bool object) {
    if (depth_ == frames_.size()) frames_.emplace_back();
    Frame& f = frames_[depth_++];
    if (f.state != State::numbers || f.object) {  // all that a row of numbers leaves behind is set below
      f.child.clear();
      f.present.clear();
      f.hashes.clear();
      f.key.clear();
      f.value = JsonValue{};
    }
    f.object = object;
    f.state = State::unknown;
    f.only_nulls = false;
    f.parts = false;
    f.index = f.absent = 0;
    f.first = f.child_size = 0;
    return true;
  }

  bool push(Frame& f, const double* values, std::size_t count) {
    if (f.state == State::ragged) return true;
    if (f.state == State::unknown) {
      f.state = State::numbers;
      f.first = pool_.size();
    }
    const std::size_t size = pool_.size() + count;
    if (size * sizeof(Real) > limit_)
      return stop(ErrorCode::too_big, {{"needed", "more than " + human_bytes(static_cast<double>(limit_)) + " for its numbers"},
                                       {"limit", human_bytes(static_cast<double>(limit_))},
                                       {"detail", "JSON numbers are kept in memory"}});
    if (size > pool_.capacity()) {
      // As many as the rest of the text will hold if it goes on like this: growing by halves would copy everything
      // and need more than twice its room.
      const double most = static_cast<double>(limit_ / sizeof(Real));
      const double wanted = std::max(expected_, 1.25 * static_cast<double>(size) + 256);
      pool_.reserve(std::max(size, static_cast<std::size_t>(std::min(wanted, most))));
    }
    pool_.insert(pool_.end(), values, values + count);
    f.index += static_cast<int>(count);
    return true;
  }

  // Where the entry `index` of the innermost list is: "attentions[2][0][5]".
  std::string path(int index) const {
    std::string out;
    for (std::size_t i = 0; i < depth_; ++i) {
      const Frame& f = frames_[i];
      if (f.object) out += (out.empty() ? "" : ".") + printable(f.key);
      else out += "[" + std::to_string(i + 1 == depth_ ? index : f.index) + "]";
    }
    return out.empty() ? "its start" : out;
  }

  bool ragged(Frame& f, std::string detail) {
    if (f.state == State::ragged) return true;
    f.state = State::ragged;
    f.value.where = path(f.index);
    f.value.text = std::move(detail);
    return true;
  }

  // An array as the list of its entries, each with at most kPartAxes axes: what torch.save keeps as tuples of tensors.
  bool split(JsonValue& v) {
    if (v.shape.size() <= kPartAxes && v.present.empty()) return true;
    const std::vector<std::uint64_t> inner(v.shape.begin() + 1, v.shape.end());
    const std::size_t size = static_cast<std::size_t>(shape_product(inner).value_or(0));
    JsonValue out;
    out.kind = Kind::list;
    std::size_t at = v.first, index = 0;
    const std::size_t entries = static_cast<std::size_t>(v.shape[0]);
    for (std::size_t i = 0; i < entries; ++i, ++index) {
      for (; !v.present.empty() && static_cast<std::size_t>(v.present[i]) > index; ++index) {
        if (!count()) return false;
        out.items.emplace_back();
      }
      JsonValue item;
      item.kind = Kind::numbers;
      item.shape = inner;
      item.first = at;
      item.all_null = v.all_null;
      at += size;
      if (!count() || !split(item)) return false;
      out.items.push_back(std::move(item));
    }
    v = std::move(out);
    return true;
  }

  // A list that also holds other things: its numbers become nodes of their own, and so do arrays that differ.
  bool to_list(Frame& f, bool parts) {
    if (f.state == State::numbers) {
      for (int i = 0; i < f.index; ++i) {
        const double x = static_cast<double>(pool_[f.first + static_cast<std::size_t>(i)]);
        if (!count()) return false;
        f.value.items.push_back(std::isnan(x) ? JsonValue{} : number_node(x));
      }
      if (f.first + static_cast<std::size_t>(f.index) == pool_.size()) pool_.resize(f.first);
    } else if (f.state == State::tensors) {
      std::size_t next_present = 0, at = f.first;
      for (int i = 0; i < f.index; ++i) {
        if (!count()) return false;
        JsonValue v;
        const bool there = f.absent == 0 || (next_present < f.present.size() && f.present[next_present] == i);
        if (there) {
          ++next_present;
          v.kind = Kind::numbers;
          v.shape = f.child;
          v.first = at;
          at += f.child_size;
          if (parts && !split(v)) return false;
        }
        f.value.items.push_back(std::move(v));
      }
    }
    f.state = State::list;
    return true;
  }

  bool count() {
    if (++nodes_ <= kMaxNodes) return true;
    return stop(ErrorCode::too_big, {{"needed", "more than " + std::to_string(kMaxNodes) + " texts and objects"},
                                     {"limit", std::to_string(kMaxNodes)},
                                     {"detail", "a JSON dump holds mostly numbers"}});
  }

  bool add_member(Frame& f, JsonValue v) {
    // No dump has so large an object, but vocabularies do: what they are is known by then.
    if (f.value.members.size() >= kMaxMembers) {
      if (v.kind == Kind::numbers && pool_.size() - v.first == shape_product(v.shape).value_or(0)) pool_.resize(v.first);
      return true;
    }
    std::uint32_t hash = 2166136261u;
    for (const char c : f.key) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    for (std::size_t i = 0; i < f.hashes.size(); ++i)
      if (f.hashes[i] == hash && f.value.members[i].name == f.key) {
        if (out_.duplicates.size() < 16) out_.duplicates.push_back(f.key);
        return true;
      }
    f.hashes.push_back(hash);
    f.value.members.push_back({f.key, std::move(v)});
    return count();
  }

  bool add(JsonValue v) {
    if (depth_ == 0) {
      out_.root = std::move(v);
      return true;
    }
    Frame& f = frames_[depth_ - 1];
    if (f.object) return add_member(f, std::move(v));
    if (f.state == State::ragged) return true;
    if (f.state != State::list) {
      if (v.kind == Kind::numbers) return add_tensor(f, std::move(v));
      if (v.kind == Kind::ragged) {
        f.state = State::ragged;
        f.value.where = std::move(v.where);
        f.value.text = std::move(v.text);
        return true;
      }
      const bool parts = v.kind == Kind::list && !v.items.empty() && v.items[0].kind != Kind::text;
      if (!to_list(f, parts)) return false;
      f.parts = parts;
    }
    if (f.parts && v.kind == Kind::numbers && !split(v)) return false;
    f.value.items.push_back(std::move(v));
    ++f.index;
    return count();
  }

  void count_child(Frame& f, bool all_null) {
    f.only_nulls = f.only_nulls && all_null;
    if (f.absent > 0) f.present.push_back(f.index);
    ++f.index;
  }

  // Arrays that differ stand side by side from here on, as the steps of a generation or layers of several sizes do;
  // the rows of a matrix and the matrices of a layer must agree.
  bool part(Frame& f, JsonValue v, std::string differ) {
    if (v.shape.size() < 3 || (f.state == State::tensors && f.child.size() < 3)) return ragged(f, std::move(differ));
    if (!to_list(f, true)) return false;
    f.parts = true;
    if (!split(v)) return false;
    f.value.items.push_back(std::move(v));
    ++f.index;
    return count();
  }

  bool add_tensor(Frame& f, JsonValue v) {
    if (!v.present.empty()) return part(f, std::move(v), "a list is null where its neighbours hold numbers");
    if (f.state == State::numbers) {
      if (!f.only_nulls) return ragged(f, "a list stands beside numbers");
      f.absent = f.index;  // nulls that came first: layers without weights
    }
    if (f.state != State::tensors) {
      f.state = State::tensors;
      f.first = v.first;
      f.child_size = static_cast<std::size_t>(shape_product(v.shape).value_or(0));  // counted, so it fits
      f.child = std::move(v.shape);
      f.only_nulls = v.all_null;
      if (f.absent > 0) f.present.push_back(f.index);
      ++f.index;
      return true;
    }
    if (v.shape != f.child) {
      const std::uint64_t got = v.shape[0], want = f.child[0];
      if (v.shape.size() != f.child.size())
        return ragged(f, "lists are nested " + std::to_string(v.shape.size()) + " deep there and " + std::to_string(f.child.size()) + " before");
      if (got == want) return part(f, std::move(v), "shape " + shape_text(v.shape) + " there, " + shape_text(f.child) + " before");
      return part(f, std::move(v), std::to_string(got) + " entries there, " + std::to_string(want) + " before");
    }
    count_child(f, v.all_null);
    return true;
  }

  JsonDocument& out_;
  std::vector<Real>& pool_;
  std::uint64_t limit_;
  double expected_ = 0;  // numbers in the whole text, by what was read so far
  std::size_t nodes_ = 0;
  std::vector<Frame> frames_;  // those past depth_ are kept for the next list
  std::size_t depth_ = 0;
  Error error_{};
};

void append_text(const std::string& text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20) out += formatted("\\u%04x", static_cast<unsigned>(c));
    else out += c;
  }
  out += '"';
}

void append_number(double x, std::string& out) {
  if (!std::isfinite(x)) out += "null";
  else out += formatted("%.*g", std::numeric_limits<Real>::max_digits10, static_cast<double>(static_cast<Real>(x)));
}

void append_numbers(const JsonValue& v, const std::vector<Real>& pool, std::size_t axis, std::size_t& at, std::string& out) {
  out += '[';
  for (std::uint64_t i = 0; i < v.shape[axis]; ++i) {
    if (i) out += ", ";
    if (axis + 1 < v.shape.size()) append_numbers(v, pool, axis + 1, at, out);
    else append_number(static_cast<double>(pool[at++]), out);
  }
  out += ']';
}

void append(const JsonValue& v, const std::vector<Real>& pool, std::string& out) {
  switch (v.kind) {
    case Kind::null:
    case Kind::ragged: out += "null"; break;
    case Kind::boolean: out += v.number != 0 ? "true" : "false"; break;
    case Kind::number: append_number(v.number, out); break;
    case Kind::text: append_text(v.text, out); break;
    case Kind::numbers: {
      std::size_t at = v.first;
      append_numbers(v, pool, 0, at, out);
      break;
    }
    case Kind::list:
      out += '[';
      for (std::size_t i = 0; i < v.items.size(); ++i) {
        if (i) out += ", ";
        append(v.items[i], pool, out);
      }
      out += ']';
      break;
    case Kind::object:
      out += '{';
      for (std::size_t i = 0; i < v.members.size(); ++i) {
        if (i) out += ", ";
        append_text(v.members[i].name, out);
        out += ": ";
        append(v.members[i].value, pool, out);
      }
      out += '}';
      break;
  }
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  for (const auto& [key, value] : members)
    if (key == name) return &value;
  return nullptr;
}

namespace {

Result<JsonDocument> document_of(const Result<bool>& whole, const Builder& builder, JsonDocument out) {
  if (!whole) return tl::unexpected(whole.error());
  if (!*whole) return tl::unexpected(builder.error());
  return out;
}

}  // namespace

Result<JsonDocument> read_json(ByteSource& source, std::uint64_t memory_limit) {
  JsonDocument out;
  out.pool = std::make_shared<std::vector<Real>>();
  Builder builder(out, memory_limit);
  const auto whole = parse_json(source, builder);
  return document_of(whole, builder, std::move(out));
}

Result<JsonDocument> read_json(std::string_view text) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(text.data());
  MemorySource source(std::vector<std::uint8_t>(p, p + text.size()));
  return read_json(source, std::uint64_t{1} << 28);
}

Result<JsonDocument> read_json_value(ByteSource& source, std::uint64_t offset, std::uint64_t memory_limit, std::uint64_t& end) {
  JsonDocument out;
  out.pool = std::make_shared<std::vector<Real>>();
  Builder builder(out, memory_limit);
  const auto whole = parse_json_value(source, offset, builder, end);
  return document_of(whole, builder, std::move(out));
}

std::unique_ptr<JsonBuilder> json_builder(JsonDocument& out, std::uint64_t memory_limit) {
  out.pool = std::make_shared<std::vector<Real>>();
  return std::make_unique<Builder>(out, memory_limit);
}

Result<JsonDocument> read_json_lines(ByteSource& source, std::uint64_t offset, std::uint64_t memory_limit) {
  JsonDocument out;
  out.pool = std::make_shared<std::vector<Real>>();
  Builder builder(out, memory_limit);
  (void)builder.begin_array();
  Result<bool> whole = true;
  for (std::uint64_t at = offset;;) {
    auto next = next_json_value(source, at);
    if (!next) return tl::unexpected(next.error());
    if (*next == source.size()) break;
    whole = parse_json_value(source, *next, builder, at);
    if (!whole || !*whole) return document_of(whole, builder, {});
  }
  (void)builder.end_array();
  return out;
}

Result<std::uint64_t> next_json_value(ByteSource& source, std::uint64_t offset) {
  const std::uint64_t size = source.size();
  for (std::uint64_t count = 64; offset < size; count = 1 << 16) {
    const auto bytes = read_some(source, offset, count);
    if (!bytes) return tl::unexpected(bytes.error());
    for (const std::uint8_t b : *bytes) {
      if (b != ' ' && b != '\n' && b != '\r' && b != '\t') return offset;
      ++offset;
    }
  }
  return size;
}

std::string json_text(const JsonValue& value, const std::vector<Real>& pool) {
  std::string out;
  append(value, pool, out);
  return out;
}

bool json_texts(const JsonValue& value, const std::vector<Real>& pool, std::vector<std::string>& out) {
  out.clear();
  const auto add = [&](double x) {
    out.emplace_back();
    if (!std::isnan(x)) append_number(x, out.back());
  };
  if (value.is(Kind::numbers) && value.shape.size() == 1) {
    for (std::size_t i = 0; i < value.shape[0]; ++i) add(static_cast<double>(pool[value.first + i]));
    return true;
  }
  if (!value.is(Kind::list)) return false;
  for (const JsonValue& item : value.items) {
    if (item.is(Kind::text)) out.push_back(item.text);
    else if (item.is(Kind::number) || item.is(Kind::boolean)) add(item.number);
    else if (item.is(Kind::null)) out.emplace_back();
    else return false;
  }
  return true;
}

}  // namespace rollscope
