#include "app/verbs_args.h"
#include "base/text.h"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace rollscope {

struct Args::Value {
  rapidjson::Document document;
  [[nodiscard]] const rapidjson::Value* find(std::string_view name) const {
    const auto it = document.FindMember(rapidjson::StringRef(name.data(), static_cast<rapidjson::SizeType>(name.size())));
    return it == document.MemberEnd() || it->value.IsNull() ? nullptr : &it->value;
  }
};

namespace {

using Json = rapidjson::Value;

std::string_view text_of(const Json& v) { return {v.GetString(), v.GetStringLength()}; }

std::optional<int> to_int(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int> to_int(const Json& v) {
  if (v.IsInt()) return v.GetInt();
  if (v.IsDouble() && v.GetDouble() == std::floor(v.GetDouble()) && std::abs(v.GetDouble()) < 1e9) return static_cast<int>(v.GetDouble());
  if (v.IsString()) return to_int(text_of(v));
  return std::nullopt;
}

std::optional<double> to_double(const Json& v) {
  if (v.IsNumber()) return v.GetDouble();
  if (!v.IsString() || v.GetStringLength() == 0) return std::nullopt;
  const auto text = text_of(v);  // decimal only: strtod alone would take "nan", "0x1" and leading blanks
  if (text.find_first_not_of("0123456789.eE+-") != text.npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(v.GetString(), &end);
  if (end != v.GetString() + v.GetStringLength()) return std::nullopt;
  return value;
}

std::string to_text(const Json& v) {
  if (v.IsString()) return std::string(text_of(v));
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  v.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

tl::unexpected<Error> bad(std::string_view name, const Json& value, std::string allowed) {
  return fail(ErrorCode::bad_value, {{"option", std::string(name)}, {"value", to_text(value)}, {"allowed", std::move(allowed)}});
}

}  // namespace

Args::Args(std::unique_ptr<Value> value) : value_(std::move(value)) {}
Args::Args(Args&&) noexcept = default;
Args& Args::operator=(Args&&) noexcept = default;
Args::~Args() = default;

Result<Args> Args::parse(const std::string& json) {
  auto value = std::make_unique<Value>();
  value->document.Parse<rapidjson::kParseFullPrecisionFlag | rapidjson::kParseIterativeFlag>(json.empty() ? "{}" : json.c_str());
  if (value->document.HasParseError() || !value->document.IsObject())
    return fail(ErrorCode::usage, {{"detail", "The arguments are not a JSON object"}});
  return Args(std::move(value));
}

bool Args::has(std::string_view name) const { return value_->find(name) != nullptr; }

bool Args::flag(std::string_view name) const {
  const Json* v = value_->find(name);
  return v && v->IsTrue();
}

std::string Args::shown(std::string_view name) const {
  const Json* v = value_->find(name);
  return v ? to_text(*v) : std::string();
}

Result<void> Args::only(std::string_view verb, std::span<const std::string_view> names) const {
  for (const auto& member : std::as_const(value_->document).GetObject()) {
    const auto name = text_of(member.name);
    if (std::find(names.begin(), names.end(), name) == names.end())
      return fail(ErrorCode::unknown_option, {{"option", std::string(name)}, {"verb", std::string(verb)}});
  }
  return {};
}

Result<std::string> Args::text(std::string_view name, std::string_view otherwise) const {
  const Json* v = value_->find(name);
  if (!v) return std::string(otherwise);
  if (!v->IsString()) return bad(name, *v, "text");
  return std::string(text_of(*v));
}

Result<int> Args::integer(std::string_view name, int otherwise) const {
  const Json* v = value_->find(name);
  if (!v) return otherwise;
  const auto value = to_int(*v);
  if (!value) return bad(name, *v, "a whole number, counted from 0");
  return *value;
}

Result<double> Args::number(std::string_view name, double low, double high, double otherwise) const {
  const Json* v = value_->find(name);
  if (!v) return otherwise;
  const auto value = to_double(*v);
  if (!value || !(*value >= low && *value <= high)) return bad(name, *v, formatted("a number from %g to %g", low, high));
  return *value;
}

Result<std::vector<double>> Args::numbers(std::string_view name, double low, double high) const {
  std::vector<double> out;
  const Json* v = value_->find(name);
  if (!v) return out;
  const auto add = [&](std::optional<double> value) {
    if (!value || !(*value >= low && *value <= high)) return false;
    out.push_back(*value);
    return true;
  };
  const auto refuse = [&] { return bad(name, *v, formatted("numbers from %g to %g with commas between them", low, high)); };
  if (v->IsArray()) {
    for (const auto& element : v->GetArray())
      if (!add(to_double(element))) return refuse();
    return out;
  }
  if (!v->IsString()) return add(to_double(*v)) ? Result<std::vector<double>>(out) : refuse();
  for (auto rest = text_of(*v);;) {
    const auto comma = std::min(rest.find(','), rest.size());
    const std::string copy(rest.substr(0, comma));  // to_double wants an end to its text
    const Json part(rapidjson::StringRef(copy.data(), static_cast<rapidjson::SizeType>(copy.size())));
    if (!add(to_double(part))) return refuse();
    if (comma == rest.size()) return out;
    rest.remove_prefix(comma + 1);
  }
}

Result<std::vector<int>> Args::integers(std::string_view name) const {
  std::vector<int> out;
  const Json* v = value_->find(name);
  if (!v) return out;
  const auto refuse = [&] { return bad(name, *v, "whole numbers with commas between them, counted from 0: 0,3"); };
  if (v->IsArray()) {
    for (const auto& element : v->GetArray()) {
      const auto value = to_int(element);
      if (!value) return refuse();
      out.push_back(*value);
    }
    return out;
  }
  if (const auto one = to_int(*v)) return std::vector<int>{*one};
  if (!v->IsString()) return refuse();
  if (text_of(*v) == "all") return out;
  for (auto rest = text_of(*v);;) {
    const auto comma = std::min(rest.find(','), rest.size());
    const auto value = to_int(rest.substr(0, comma));
    if (!value) return refuse();
    out.push_back(*value);
    if (comma == rest.size()) return out;
    rest.remove_prefix(comma + 1);
  }
}

Result<std::optional<std::pair<int, int>>> Args::range(std::string_view name) const {
  if (has(name) && shown(name) == "all") return std::optional<std::pair<int, int>>{};
  return pair(name, "a range of layers, counted from 0, its end excluded: 2:6");
}

Result<std::optional<std::pair<int, int>>> Args::pair(std::string_view name, std::string_view allowed) const {
  const Json* v = value_->find(name);
  if (!v) return std::optional<std::pair<int, int>>{};
  std::optional<int> first, end;
  if (v->IsArray() && v->Empty()) return std::optional<std::pair<int, int>>{};  // none, as a state of the page has it
  if (v->IsArray() && v->Size() == 2) {
    first = to_int((*v)[0]);
    end = to_int((*v)[1]);
  } else if (v->IsString()) {
    const auto text = text_of(*v);
    const auto colon = text.find(':');
    if (colon != text.npos) {
      first = to_int(text.substr(0, colon));
      end = to_int(text.substr(colon + 1));
    }
  }
  if (!first || !end) return bad(name, *v, std::string(allowed));
  return std::optional(std::pair(*first, *end));
}

Result<std::vector<std::pair<int, int>>> Args::pairs(std::string_view name, std::string_view allowed) const {
  std::vector<std::pair<int, int>> out;
  const Json* v = value_->find(name);
  if (!v) return out;
  const auto add = [&](std::optional<int> first, std::optional<int> second) {
    if (first && second) out.emplace_back(*first, *second);
    return first && second;
  };
  bool good = v->IsArray() || v->IsString();
  if (v->IsArray()) {
    for (const auto& pair : v->GetArray()) good = good && pair.IsArray() && pair.Size() == 2 && add(to_int(pair[0]), to_int(pair[1]));
  } else if (good) {
    for (auto rest = text_of(*v); good;) {
      const auto comma = std::min(rest.find(','), rest.size());
      const auto part = rest.substr(0, comma);
      const auto colon = part.find(':');
      good = colon != part.npos && add(to_int(part.substr(0, colon)), to_int(part.substr(colon + 1)));
      if (comma == rest.size()) break;
      rest.remove_prefix(comma + 1);
    }
  }
  if (!good || out.empty()) return bad(name, *v, std::string(allowed));
  return out;
}

Result<std::map<std::string, std::string, std::less<>>> Args::texts(std::string_view name) const {
  std::map<std::string, std::string, std::less<>> out;
  const Json* v = value_->find(name);
  if (!v) return out;
  if (!v->IsObject()) return bad(name, *v, "names and values: {\"layout\": \"heads\"}");
  for (const auto& member : v->GetObject()) {
    if (!member.value.IsString()) return bad(text_of(member.name), member.value, "text");
    out[std::string(text_of(member.name))] = std::string(text_of(member.value));
  }
  return out;
}

Result<Args> Args::object(std::string_view name) const {
  auto value = std::make_unique<Value>();
  value->document.SetObject();
  if (const Json* v = value_->find(name)) {
    if (!v->IsObject()) return bad(name, *v, "an object");
    value->document.CopyFrom(*v, value->document.GetAllocator());
  }
  return Args(std::move(value));
}

Result<std::vector<Args>> Args::objects(std::string_view name) const {
  std::vector<Args> out;
  const Json* v = value_->find(name);
  if (!v) return out;
  const auto refuse = [&] { return bad(name, *v, "a list of objects"); };
  if (!v->IsArray()) return refuse();
  for (const auto& element : v->GetArray()) {
    if (!element.IsObject()) return refuse();
    auto value = std::make_unique<Value>();
    value->document.CopyFrom(element, value->document.GetAllocator());
    out.push_back(Args(std::move(value)));
  }
  return out;
}

namespace {

// The value of `names` that was asked for; `first` where nothing was. Errors: bad_value.
template <class E>
Result<E> choice(const Args& args, std::string_view option, E first, std::initializer_list<std::pair<std::string_view, E>> names) {
  if (!args.has(option)) return first;
  const std::string asked = args.shown(option);
  std::string allowed;
  for (const auto& [name, value] : names) {
    if (asked == name) return value;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  return fail(ErrorCode::bad_value, {{"option", std::string(option)}, {"value", asked}, {"allowed", "one of " + allowed}});
}

Result<void> read_method(const Args& args, RecipeRequest& request) {
  if (!args.has("method")) return {};
  const std::string asked = args.shown("method");
  std::string allowed;
  for (int m = 0; m < kMethods; ++m) {
    const auto method = static_cast<Method>(m);
    const std::string name(method_name(method));
    const bool named = method == Method::attribution && asked.starts_with(name + ":");
    if (asked == name || named) {
      request.method = method;
      if (named) request.source = asked.substr(name.size() + 1);
      return {};
    }
    allowed += (allowed.empty() ? "" : ", ") + name + (method == Method::attribution ? ":NAME" : "");
  }
  return fail(ErrorCode::bad_value, {{"option", "method"}, {"value", asked}, {"allowed", allowed}});
}

// A number, one number for each layer, or where it is measured.
Result<void> read_residual(const Args& args, RecipeRequest& request) {
  if (!args.has("residual")) return {};
  const std::string asked = args.shown("residual");
  for (const auto& [name, from] : {std::pair{"measured", ResidualFrom::stated}, {"norms", ResidualFrom::norms}, {"norms-mean", ResidualFrom::norms_mean}, {"mixing", ResidualFrom::mixing}})
    if (asked == name) {
      request.measured = from;
      return {};
    }
  if (auto list = args.numbers("residual", 0, 1); list && list->size() != 1) {
    request.residuals = std::move(*list);
    return {};
  }
  auto residual = args.number("residual", 0, 1, 0.5);
  if (!residual) return tl::unexpected(std::move(residual.error()));
  request.residual = *residual;
  return {};
}

template <class T>
Result<void> put(Result<T> from, T& to) {
  if (!from) return tl::unexpected(std::move(from.error()));
  to = std::move(*from);
  return {};
}

}  // namespace

Result<RecipeRequest> recipe_request(const Args& args) {
  RecipeRequest request;
  const auto read = [&]() -> Result<void> {
    if (auto done = read_method(args, request); !done) return done;
    if (auto done = read_residual(args, request); !done) return done;
    if (auto done = put(choice(args, "fusion", request.fusion, {{"mean", Fusion::mean}, {"max", Fusion::max}, {"min", Fusion::min}}), request.fusion); !done) return done;
    if (auto done = put(args.text("stream", ""), request.stream); !done) return done;
    if (auto done = put(args.integers("heads"), request.heads); !done) return done;
    if (auto done = put(args.range("layers"), request.layers); !done) return done;
    if (auto done = put(choice(args, "sink", request.sink, {{"keep", SinkMode::keep}, {"renormalise", SinkMode::renormalise}, {"remove", SinkMode::remove}, {"lift", SinkMode::lift}}), request.sink); !done) return done;
    if (auto done = put(choice(args, "merge", request.merge, {{"pieces", Merge::pieces}, {"words", Merge::words}, {"segments", Merge::segments}}), request.merge); !done) return done;
    if (auto done = put(choice(args, "merge_queries", request.merge_queries, {{"mean", MergeQueries::mean}, {"last", MergeQueries::last}}), request.merge_queries); !done) return done;
    if (auto done = put(choice(args, "merge_time", request.merge_time, {{"after", MergeTime::after}, {"before", MergeTime::before}}), request.merge_time); !done) return done;
    if (auto done = put(args.number("discard", 0, 1, request.discard), request.discard); !done) return done;
    if (auto done = put(args.pair("head", "a layer and one of its heads, counted from 0: 3:2"), request.head); !done) return done;
    if (args.has("class")) request.class_name = args.shown("class");
    if (args.has("minus")) request.minus = args.shown("minus");  // "": none
    if (args.has("norms")) request.source = args.shown("norms");
    return {};
  };
  if (auto done = read(); !done) return tl::unexpected(std::move(done.error()));
  return request;
}

}  // namespace rollscope
