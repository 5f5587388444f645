#include "io/json.h"

#include <cmath>
#include <limits>
#include <set>

#include "io/bytes.h"
#include "io/json_events.h"
#include "base/text.h"

namespace rollscope {
namespace {

using Kind = JsonValue::Kind;
constexpr std::size_t kMaxNodes = 400'000;

JsonValue number_node(double value) {
  JsonValue v;
  v.kind = Kind::number;
  v.number = value;
  return v;
}

class Builder final : public JsonEvents {
 public:
  Builder(JsonDocument& out, std::uint64_t memory_limit) : out_(out), pool_(*out.pool), limit_(memory_limit) {}

  bool null() override {
    Frame* f = top_array();
    if (f && (f->state == State::unknown || f->state == State::numbers)) {
      if (f->state == State::unknown) f->only_nulls = true;
      return push(*f, std::numeric_limits<double>::quiet_NaN());
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
    Frame* f = top_array();
    if (!f || f->state == State::list) return add(number_node(value));
    if (f->state == State::tensors) return ragged(*f, "a number stands beside lists");
    f->only_nulls = false;
    return push(*f, value);
  }
  bool text(std::string_view value) override {
    JsonValue v;
    v.kind = Kind::text;
    v.text = value;
    return add(std::move(v));
  }
  bool begin_object() override { return open(true); }
  bool key(std::string_view name) override {
    frames_.back().key = name;
    return true;
  }
  bool end_object() override {
    JsonValue v = std::move(frames_.back().value);
    v.kind = Kind::object;
    frames_.pop_back();
    return add(std::move(v));
  }
  bool begin_array() override { return open(false); }
  bool end_array() override {
    Frame f = std::move(frames_.back());
    frames_.pop_back();
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

  [[nodiscard]] const Error& error() const { return error_; }

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
    std::string key;
    JsonValue value;  // items or members so far
  };

  Frame* top_array() { return frames_.empty() || frames_.back().object ? nullptr : &frames_.back(); }

  bool stop(ErrorCode code, Params params) {
    error_ = {code, std::move(params)};
    return false;
  }

  bool open(bool object) {
    Frame f;
    f.object = object;
    frames_.push_back(std::move(f));
    return true;
  }

  bool push(Frame& f, double value) {
    if (f.state == State::ragged) return true;
    if (f.state == State::unknown) {
      f.state = State::numbers;
      f.first = pool_.size();
    }
    if ((pool_.size() + 1) * sizeof(Real) > limit_)
      return stop(ErrorCode::too_big, {{"needed", "more than " + human_bytes(static_cast<double>(limit_)) + " for its numbers"},
                                       {"limit", human_bytes(static_cast<double>(limit_))},
                                       {"detail", "JSON numbers are kept in memory"}});
    pool_.push_back(static_cast<Real>(value));
    ++f.index;
    return true;
  }

  // Where the entry `index` of the innermost list is: "attentions[2][0][5]".
  std::string path(int index) const {
    std::string out;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const Frame& f = frames_[i];
      if (f.object) out += (out.empty() ? "" : ".") + printable(f.key);
      else out += "[" + std::to_string(i + 1 == frames_.size() ? index : f.index) + "]";
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

  // A list that also holds other things: its numbers become nodes of their own.
  bool to_list(Frame& f) {
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

  bool add(JsonValue v) {
    if (!count()) return false;
    if (frames_.empty()) {
      out_.root = std::move(v);
      return true;
    }
    Frame& f = frames_.back();
    if (f.object) {
      for (const auto& [name, _] : f.value.members)
        if (name == f.key) {
          if (out_.duplicates.size() < 16) out_.duplicates.push_back(f.key);
          return true;
        }
      // Looking through all names makes a large object slow, and no dump has one.
      if (f.value.members.size() >= 4096)
        return stop(ErrorCode::too_big, {{"needed", "objects of more than 4096 members"}, {"limit", "4096"}, {"detail", path(0)}});
      f.value.members.push_back({f.key, std::move(v)});
      return true;
    }
    if (f.state == State::ragged) return true;
    if (f.state == State::list) {
      f.value.items.push_back(std::move(v));
      ++f.index;
      return true;
    }
    if (v.kind == Kind::numbers) return add_tensor(f, std::move(v));
    if (v.kind == Kind::ragged) {
      f.state = State::ragged;
      f.value.where = std::move(v.where);
      f.value.text = std::move(v.text);
      return true;
    }
    if (!to_list(f)) return false;
    f.value.items.push_back(std::move(v));
    ++f.index;
    return true;
  }

  bool add_tensor(Frame& f, JsonValue v) {
    const std::size_t size = static_cast<std::size_t>(shape_product(v.shape).value_or(0));  // counted, so it fits
    if (!v.present.empty()) return ragged(f, "a list is null where its neighbours hold numbers");
    if (f.state == State::numbers) {
      if (!f.only_nulls) return ragged(f, "a list stands beside numbers");
      f.absent = f.index;  // nulls that came first: layers without weights
    }
    if (f.state != State::tensors) {
      f.state = State::tensors;
      f.first = v.first;
      f.child = std::move(v.shape);
      f.child_size = size;
      f.only_nulls = v.all_null;
    } else if (v.shape != f.child) {
      const std::uint64_t got = v.shape[0], want = f.child[0];
      if (v.shape.size() != f.child.size()) return ragged(f, "lists are nested " + std::to_string(v.shape.size()) + " deep there and " + std::to_string(f.child.size()) + " before");
      if (got == want) return ragged(f, "shape " + shape_text(v.shape) + " there, " + shape_text(f.child) + " before");
      return ragged(f, std::to_string(got) + " entries there, " + std::to_string(want) + " before");
    } else {
      f.only_nulls = f.only_nulls && v.all_null;
    }
    if (f.absent > 0) f.present.push_back(f.index);
    ++f.index;
    return true;
  }

  JsonDocument& out_;
  std::vector<Real>& pool_;
  std::uint64_t limit_;
  std::size_t nodes_ = 0;
  std::vector<Frame> frames_;
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

Result<JsonDocument> read_json(ByteSource& source, std::uint64_t memory_limit) {
  JsonDocument out;
  out.pool = std::make_shared<std::vector<Real>>();
  Builder builder(out, memory_limit);
  const auto whole = parse_json(source, builder);
  if (!whole) return tl::unexpected(whole.error());
  if (!*whole) return tl::unexpected(builder.error());
  return out;
}

Result<JsonDocument> read_json(std::string_view text) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(text.data());
  MemorySource source(std::vector<std::uint8_t>(p, p + text.size()));
  return read_json(source, std::uint64_t{1} << 28);
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
