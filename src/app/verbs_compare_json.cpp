#include <algorithm>

#include "analysis/recipe_text.h"
#include "app/verbs_compare.h"

namespace rollscope {
namespace {

struct Measure {
  std::string_view name;
  double Comparison::*value;
};
constexpr Measure kMeasures[] = {
    {"spearman", &Comparison::spearman},
    {"spearman_absolute", &Comparison::spearman_absolute},
    {"kendall_tau_b", &Comparison::kendall_tau_b},
    {"pearson", &Comparison::pearson},
    {"cosine", &Comparison::cosine},
    {"js_nats", &Comparison::js_nats},
    {"js_bits", &Comparison::js_bits},
    {"js_distance", &Comparison::js_distance},
    {"kl_nats", &Comparison::kl_nats},
    {"total_variation", &Comparison::total_variation},
    {"top_jaccard", &Comparison::top_jaccard},
    {"top_overlap", &Comparison::top_overlap},
};

void write_side(JsonWriter17& json, std::string_view name, const ComparedSide& side) {
  json.name(name);
  json.StartObject();
  json.field("file", side.file);
  if (!side.control.empty()) json.field("control", side.control);
  if (!side.recipe.empty()) {
    json.name("recipe");
    json.RawValue(side.recipe.data(), side.recipe.size(), rapidjson::kObjectType);
  }
  json.EndObject();
}

void write_compared(JsonWriter17& json, const ComparedRow& row) {
  const Comparison& c = row.numbers;
  json.StartObject();
  json.field("row_a", row.a);
  json.field("row_b", row.b);
  json.field("label", row.label);
  json.field("keys", c.keys);
  json.field("not_finite", c.not_finite);
  json.field("tied_a", c.tied_a);
  json.field("tied_b", c.tied_b);
  for (const auto& measure : kMeasures) json.field(measure.name, c.*measure.value);
  json.field("k", c.k);
  json.name("top_a");
  write_ints(json, c.top_a);
  json.name("top_b");
  write_ints(json, c.top_b);
  json.field("cut_a", c.cut_a);
  json.field("cut_b", c.cut_b);
  json.EndObject();
}

}  // namespace

std::string comparison_json(const ComparedRecipes& compared) {
  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  write_side(json, "a", compared.a);
  write_side(json, "b", compared.b);
  json.name("differs");
  json.StartArray();
  for (const auto& what : compared.differs) json.text(what);
  json.EndArray();
  json.field("merged", compared.merged);
  json.name("keys");
  json.StartArray();
  for (const auto& key : compared.keys) json.text(key);
  json.EndArray();
  json.name("without");
  write_ints(json, compared.without);
  json.name("rows");
  json.StartArray();
  for (const auto& row : compared.rows) write_compared(json, row);
  json.EndArray();
  // Over the rows where a measure is defined; rows of one text are not independent, so no interval stands beside it.
  json.name("mean");
  json.StartObject();
  for (const auto& measure : kMeasures) {
    double sum = 0;
    int count = 0;
    for (const auto& row : compared.rows)
      if (const double x = row.numbers.*measure.value; std::isfinite(x)) {
        sum += x;
        ++count;
      }
    json.name(measure.name);
    json.StartObject();
    json.field("mean", count > 0 ? sum / count : std::nan(""));
    json.field("rows", count);
    json.EndObject();
  }
  json.EndObject();
  json.name("narration");
  write_narration(json, compared.facts);
  json.name("report");
  write_report(json, compared.report);
  json.field("engine", ROLLSCOPE_VERSION);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::vector<std::string> recipe_differences(const Recipe& first, const Recipe& second) {
  const Recipe a = plain_recipe(first), b = plain_recipe(second);
  const bool residual = traits(a.method).residual && traits(b.method).residual;
  std::vector<std::string> out;
  const auto add = [&](std::string_view name, bool differs) {
    if (differs) out.emplace_back(name);
  };
  add("method", a.method != b.method || (a.method == Method::attribution && a.source != b.source));
  add("stream", a.stream != b.stream);
  add("fusion", a.fusion != b.fusion && traits(a.method).heads_fused && traits(b.method).heads_fused);
  add("heads", a.heads != b.heads);
  add("residual", residual && (a.residual_from != b.residual_from || a.residuals != b.residuals || a.residual != b.residual));
  add("layers", traits(a.method).attention && traits(b.method).attention && (a.first_layer != b.first_layer || a.end_layer != b.end_layer));
  add("head", a.head != b.head);
  add("sink", a.sink != b.sink);
  add("merge", a.merge != b.merge || a.merge_queries != b.merge_queries || a.merge_time != b.merge_time);
  add("class", a.class_name != b.class_name);
  add("minus", a.minus != b.minus);
  add("norms", a.method == Method::norm_rollout && b.method == a.method && a.source != b.source);
  add("discard", a.method == b.method && a.discard != b.discard);
  return out;
}

void add_residual_fact(const Recipe& a, const Recipe& b, std::vector<Fact>& facts) {
  const auto differs = recipe_differences(a, b);
  if (std::find(differs.begin(), differs.end(), "residual") == differs.end()) return;
  const auto slot = [](const Recipe& r) {
    return r.residual_from == ResidualFrom::stated && r.residuals.empty() ? Slot::number(r.residual, 2) : Slot::name(residual_text(r));
  };
  facts.push_back({NarrationId::compare_residuals, {{"a", slot(a)}, {"b", slot(b)}}});
}

std::string recipe_json(const Stream& stream, const Recipe& recipe, int row) {
  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  write_recipe(json, stream, recipe, row);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace rollscope
