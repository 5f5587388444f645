// The plan's JSON, out and back in (removal_plan.h).
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/removal_plan.h"
#include "io/json.h"

namespace rollscope {
namespace {

constexpr std::string_view kFormat = "rollscope-removal-plan";
constexpr int kVersion = 1;

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void write(Writer& json, const std::string& text) { json.String(text.data(), static_cast<rapidjson::SizeType>(text.size())); }
void write(Writer& json, int number) { json.Int(number); }
void write(Writer& json, std::uint8_t bit) { json.Int(bit); }
void write(Writer& json, double number) {
  if (std::isfinite(number)) json.Double(number);
  else json.Null();
}
template <class T>
void write(Writer& json, const std::vector<T>& list) {
  json.StartArray();
  for (const auto& item : list) write(json, item);
  json.EndArray();
}
template <class T>
void field(Writer& json, const char* name, const T& value) {
  json.Key(name);
  write(json, value);
}

tl::unexpected<Error> wrong(const std::string& detail) {
  return fail(ErrorCode::bad_plan, {{"detail", detail}});
}

// Looks up the fields of one plan; the first thing that is wrong stays.
class PlanReader {
 public:
  explicit PlanReader(const JsonDocument& document) : root_(document.root), pool_(*document.pool) {}

  Result<RemovalPlan> read() {
    if (!root_.is(JsonValue::Kind::object)) return wrong("it is no JSON object");
    if (text(root_, "format") != kFormat) return wrong("\"format\" is not \"" + std::string(kFormat) + "\"");
    if (const auto version = integer(root_, "version", 1, 1 << 30); version != kVersion)
      return wrong("\"version\" is not 1: it was made for another version of the program");
    RemovalPlan plan;
    plan.dump = text(root_, "dump");
    plan.method = text(root_, "method");
    if (root_.find("recipe")) plan.recipe = text(root_, "recipe");
    plan.query = integer(root_, "query", 0, 1 << 30);
    plan.seed = static_cast<std::uint64_t>(integer_or(root_, "seed", 0, 1LL << 53));
    const JsonValue* tokens = root_.find("tokens");
    if (!tokens || !json_texts(*tokens, pool_, plan.tokens) || plan.tokens.empty()) return wrong("\"tokens\" is no list of texts");
    const auto n = plan.tokens.size();
    plan.weights = numbers(root_, "weights", "");
    if (plan.weights.size() != n) problem("\"weights\" holds " + std::to_string(plan.weights.size()) + " numbers for " + std::to_string(n) + " tokens");
    plan.order = positions(numbers(root_, "order", ""), "order", n);
    random_orders(plan);
    plan.fractions = numbers(root_, "fractions", "");
    for (double& f : plan.fractions) {
      f = std::round(f * 1e6) / 1e6;  // lists of numbers come as Real: of .2 as float, 2.0000000298 tokens of 10 would be 3
      if (!(f > 0 && f <= 1)) problem("\"fractions\" holds a number outside 0 to 1");
    }
    curve(plan);
    steps(plan);
    if (!problem_.empty()) return wrong(problem_);
    return plan;
  }

 private:
  void problem(std::string text) {
    if (problem_.empty()) problem_ = std::move(text);
  }
  std::string text(const JsonValue& object, std::string_view name) {
    const JsonValue* v = object.find(name);
    if (v && v->is(JsonValue::Kind::text)) return v->text;
    problem("\"" + std::string(name) + "\" is no text");
    return {};
  }
  long long integer_or(const JsonValue& object, std::string_view name, long long low, long long high) {
    const JsonValue* v = object.find(name);
    if (v && v->is(JsonValue::Kind::number) && v->number == std::floor(v->number) && v->number >= static_cast<double>(low) &&
        v->number <= static_cast<double>(high))
      return static_cast<long long>(v->number);
    problem("\"" + std::string(name) + "\" is no whole number from " + std::to_string(low) + " on");
    return low;
  }
  // `high` fits an int.
  int integer(const JsonValue& object, std::string_view name, long long low, long long high) {
    return static_cast<int>(integer_or(object, name, low, high));
  }
  // A flat list of numbers; nulls are NaN.
  std::vector<double> numbers(const JsonValue& object, std::string_view name, const std::string& where) {
    const JsonValue* v = object.find(name);
    if (v && v->is(JsonValue::Kind::numbers) && v->shape.size() == 1) return flat(*v, 0, v->shape[0]);
    problem(where + "\"" + std::string(name) + "\" is no list of numbers");
    return {};
  }
  std::vector<double> flat(const JsonValue& v, std::uint64_t first, std::uint64_t count) const {
    const auto from = pool_.begin() + static_cast<std::ptrdiff_t>(v.first + first);
    return {from, from + static_cast<std::ptrdiff_t>(count)};
  }
  // Different positions below n.
  std::vector<int> positions(const std::vector<double>& values, const std::string& name, std::size_t n) {
    std::vector<int> out;
    std::vector<bool> seen(n);
    for (const double x : values) {
      if (!(x >= 0 && x < static_cast<double>(n) && x == std::floor(x)) || seen[static_cast<std::size_t>(x)]) {
        problem("\"" + name + "\" does not name different tokens");
        return out;
      }
      seen[static_cast<std::size_t>(x)] = true;
      out.push_back(static_cast<int>(x));
    }
    return out;
  }
  void random_orders(RemovalPlan& plan) {
    const JsonValue* v = root_.find("random_orders");
    const auto m = plan.order.size();
    if (v && v->is(JsonValue::Kind::numbers) && v->shape == std::vector<std::uint64_t>{0}) return;
    if (m == 0 && v) return;  // lists of nothing
    if (!v || !v->is(JsonValue::Kind::numbers) || v->shape.size() != 2 || v->shape[1] != m) {
      problem("\"random_orders\" are not lists as long as \"order\"");
      return;
    }
    auto sorted = plan.order;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint64_t o = 0; o < v->shape[0]; ++o) {
      plan.random_orders.push_back(positions(flat(*v, o * m, m), "random_orders", plan.tokens.size()));
      auto same = plan.random_orders.back();
      std::sort(same.begin(), same.end());
      if (same != sorted) problem("\"random_orders\" name other tokens than \"order\"");
    }
  }
  void curve(RemovalPlan& plan) {
    const auto m = static_cast<double>(plan.order.size());
    double before = -1;
    for (const double k : numbers(root_, "curve", "")) {
      if (!(k > before && k <= m && k == std::floor(k))) {
        problem("\"curve\" does not ascend from 0 to the length of \"order\"");
        return;
      }
      plan.curve.push_back(static_cast<int>(k));
      before = k;
    }
    if (plan.curve.empty() || plan.curve.front() != 0 || before != m) problem("\"curve\" does not ascend from 0 to the length of \"order\"");
  }
  void steps(RemovalPlan& plan) {
    const JsonValue* v = root_.find("steps");
    if (!v || !v->is(JsonValue::Kind::list)) {
      problem("\"steps\" is no list of steps");
      return;
    }
    for (std::size_t s = 0; s < v->items.size() && problem_.empty(); ++s) {
      const JsonValue& item = v->items[s];
      const std::string where = "step " + std::to_string(s) + ": ";
      if (!item.is(JsonValue::Kind::object)) {
        problem(where + "no object");
        return;
      }
      RemovalStep step;
      step.id = text(item, "id");
      step.kind = text(item, "kind");
      step.k = integer(item, "k", 0, 1 << 30);
      for (const double bit : numbers(item, "keep", where)) {
        if (bit != 0 && bit != 1) problem(where + "\"keep\" holds something else than 0 and 1");
        step.keep.push_back(bit == 1);
      }
      if (step.keep.size() != plan.tokens.size()) problem(where + "\"keep\" does not hold one number for each token");
      if (const JsonValue* p = item.find("p"); p && p->is(JsonValue::Kind::number)) step.p = p->number;
      else if (p && !p->is(JsonValue::Kind::null)) problem(where + "\"p\" is no number");
      plan.steps.push_back(std::move(step));
    }
  }

  const JsonValue& root_;
  const std::vector<Real>& pool_;
  std::string problem_;
};

}  // namespace

std::string removal_plan_json(const RemovalPlan& plan) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  field(json, "format", std::string(kFormat));
  field(json, "version", kVersion);
  field(json, "dump", plan.dump);
  field(json, "query", plan.query);
  field(json, "method", plan.method);
  if (!plan.recipe.empty()) field(json, "recipe", plan.recipe);
  field(json, "tokens", plan.tokens);
  field(json, "weights", plan.weights);
  field(json, "order", plan.order);
  field(json, "random_orders", plan.random_orders);
  json.Key("seed");
  json.Uint64(plan.seed);
  field(json, "fractions", plan.fractions);
  field(json, "curve", plan.curve);
  json.Key("steps");
  json.StartArray();
  for (const auto& step : plan.steps) {
    buffer.Put('\n');
    json.StartObject();
    field(json, "id", step.id);
    field(json, "kind", step.kind);
    field(json, "k", step.k);
    field(json, "keep", step.keep);
    field(json, "p", step.p.value_or(std::nan("")));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

Result<RemovalPlan> read_removal_plan(std::string_view json) {
  const auto document = read_json(json);
  if (!document) return tl::unexpected(document.error());
  return PlanReader(*document).read();
}

}  // namespace rollscope
