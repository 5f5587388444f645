#include "app/verbs_explain_parts.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>

#include "analysis/limits.h"
#include "app/verbs_row.h"

namespace rollscope {

void write_cut(JsonWriter17& json, const Question& q, const FlowPair& pair) {
  constexpr std::size_t kArcs = 64;
  json.field("end", pair.end == FlowEnd::none ? "inside" : pair.end == FlowEnd::output ? "output" : "input");
  json.index("layer", pair.cut_layer < 0 ? -1 : q.recipe.first_layer + pair.cut_layer);
  json.name("arcs");
  json.StartArray();
  for (std::size_t a = 0; a < std::min(kArcs, pair.cut.size()); ++a) {
    const FlowArc& arc = pair.cut[a];
    json.StartObject();
    json.field("layer", q.recipe.first_layer + arc.layer);
    json.field("from", arc.from);
    json.field("to", arc.to);
    json.field("capacity", arc.capacity);
    json.EndObject();
  }
  json.EndArray();
}

namespace {

// What a flow of this row is held up by: the narrowest cut to each of the inputs that come first.
void write_bottleneck(JsonWriter17& json, const Question& q, int row, std::span<const double> weights) {
  constexpr std::size_t kInputs = 3;
  std::vector<int> order(weights.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<int>(j);
  const std::size_t count = std::min(kInputs, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), [&](int a, int b) {
    const double x = weights[static_cast<std::size_t>(a)], y = weights[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  });
  const auto layers = q.chain();
  json.StartArray();
  for (std::size_t k = 0; k < count; ++k) {
    const auto pair = flow_pair({layers}, q.residual(), row, order[k]);
    if (!pair || pair->cut_layer < 0) continue;
    json.StartObject();
    json.name("key");
    json.Int(order[k]);
    json.name("flow");
    json.number(pair->value);
    write_cut(json, q, *pair);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

void write_flow(JsonWriter17& json, const Question& q, const FlowFacts& facts, int row, std::span<const double> weights) {
  json.name("saturation");
  json.number(facts.saturation());
  json.name("saturation_connected");
  json.number(facts.connected_saturation());
  json.name("certificate_error");
  json.number(facts.certificate_error);
  json.name("range_without_largest");
  write_row(json, std::vector<double>{facts.lowest, facts.highest});
  json.name("cut_share");
  write_row(json, facts.cut_share);
  if (row >= 0 && !q.merged_after()) {
    json.name("bottleneck");
    write_bottleneck(json, q, row, weights);
  }
}

void write_attribution(JsonWriter17& json, const Question& q, std::span<const double> row) {
  double sum = 0;
  for (const double x : row)
    if (std::isfinite(x)) sum += x;
  rapidjson::Document said;
  const auto meta = q.open->dump.info.meta.find("attr");
  if (meta != q.open->dump.info.meta.end()) said.Parse(meta->second.c_str());
  const auto find = [&](const char* name) -> const rapidjson::Value* {
    if (said.HasParseError() || !said.IsObject()) return nullptr;
    const rapidjson::Value& all = said;
    const auto own = all.FindMember(q.recipe.source.c_str());
    const rapidjson::Value* places[] = {own != all.MemberEnd() && own->value.IsObject() ? &own->value : nullptr, &all};
    for (const rapidjson::Value* of : places) {
      if (!of) continue;
      if (const auto it = of->FindMember(name); it != of->MemberEnd() && !it->value.IsObject()) return &it->value;
    }
    return nullptr;
  };
  const auto number = [&](std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (const auto* v = find(name); v && v->IsNumber()) return v->GetDouble();
    return static_cast<double>(NAN);
  };
  json.name("attribution");
  json.StartObject();
  for (const char* name : {"method", "target", "baseline"})
    if (const auto* v = find(name); v && v->IsString()) {
      json.name(name);
      json.text({v->GetString(), v->GetStringLength()});
    }
  const double value = number({"value", "value_at_input"}), baseline = number({"value_at_baseline", "baseline_value"});
  const std::pair<std::string_view, double> facts[] = {{"sum", sum}, {"value", value}, {"value_at_baseline", baseline}, {"completeness_gap", value - baseline - sum}};
  for (const auto& [name, x] : facts) {
    json.name(name);
    json.number(x);
  }
  json.EndObject();
}

void write_parts(JsonWriter17& json, const Question& q, const std::vector<std::vector<double>>& rows) {
  const int sources = q.info().keys;
  std::vector<double> share;
  std::vector<std::vector<double>> source, target;
  for (auto row : rows) {
    share.push_back(source_share(row, sources));
    normalise_parts(row, sources);
    source.emplace_back(row.begin(), row.begin() + sources);
    target.emplace_back(row.begin() + sources, row.end());
  }
  json.name("source_share");
  write_row(json, share);
  json.name("source_normalised");
  write_matrix(json, source);
  json.name("target_normalised");
  write_matrix(json, target);
}

void write_difference(JsonWriter17& json, const Question& q, std::span<const int> queries, const std::vector<std::vector<double>>& rows) {
  std::vector<std::vector<double>> a, b;
  double most = 0;
  for (std::size_t r = 0; r < queries.size(); ++r) {
    a.push_back(q.own_row(queries[r]));
    b.push_back(q.minus->own_row(queries[r]));
    for (const auto& values : {rows[r], a.back(), b.back()})
      for (const double x : values)
        if (std::isfinite(x)) most = std::max(most, std::abs(x));
  }
  const bool classes = traits(q.recipe.method).gradients;
  json.name("difference");
  json.StartObject();
  json.field("of", classes ? q.recipe.class_name : q.recipe.source);
  json.field("minus", q.recipe.minus);
  json.field("scale", most);
  json.name("a");
  write_matrix(json, a);
  json.name("b");
  write_matrix(json, b);
  json.EndObject();
}

FlowFacts facts_of(const Question& q, int row) {
  if (q.flow_row) return q.flow_row->facts;
  if (!q.result || q.result->flow.empty()) return {};
  return row >= 0 && !q.merged_after() ? q.result->flow[static_cast<std::size_t>(row)] : flow_facts(q.result->flow);
}

Result<std::optional<std::vector<int>>> asked_region(const Args& args, const Question& q) {
  if (!args.has("region")) return std::optional<std::vector<int>>{};
  auto keys = args.integers("region");
  if (!keys) return fail(ErrorCode::bad_value, {{"option", "region"}, {"value", args.shown("region")}, {"allowed", "tokens counted from 0: 17,18,24"}});
  const int count = real_keys(q.shown);
  for (const int k : *keys)
    if (k < 0 || k >= count) return out_of_range("region", k, count);
  return std::optional(std::move(*keys));
}

void write_chance(JsonWriter17& json, const Question& q, std::span<const int> queries, const std::vector<std::vector<double>>& rows,
                  const std::vector<std::vector<double>>& uniform) {
  json.name("chance");
  json.StartArray();
  for (std::size_t r = 0; r < queries.size(); ++r) {
    const WordsAboveChance found = words_above_chance(q.shown, rows[r], uniform[r]);
    const bool alone = q.visible(queries[r]) < 2 || found.words == 0;  // one key has all, whatever the weights
    json.StartObject();
    json.field("verdict", chance_verdict_name(alone ? ChanceVerdict::undefined : found.above > 0 ? ChanceVerdict::above : ChanceVerdict::no_better_than_chance));
    json.field("above", found.above);
    json.field("of", found.words);
    json.EndObject();
  }
  json.EndArray();
}

void write_region(JsonWriter17& json, const Question& q, std::span<const int> region, std::span<const int> queries, const std::vector<std::vector<double>>& rows) {
  const auto keys = static_cast<std::size_t>(q.shown.keys);
  const PatchGrid& grid = q.open->dump.info.grid;
  const int patches = grid.rows * grid.columns;
  const bool image = patches > 0 && grid.prefix + patches <= real_keys(q.shown) && q.recipe.merge == Merge::pieces;
  std::vector<std::uint8_t> inside(keys, 0);
  for (const int k : region) inside[static_cast<std::size_t>(k)] = 1;
  const RegionOptions options;
  json.name("region");
  json.StartObject();
  json.name("keys");
  write_ints(json, region);
  json.field("places", image ? "patches" : "tokens");
  json.field("shuffles", options.shuffles);
  json.field("level", options.level);
  json.field("seed", static_cast<int>(options.seed));
  json.name("rows");
  json.StartArray();
  for (std::size_t r = 0; r < queries.size(); ++r) {
    std::vector<std::uint8_t> places(keys, 0);
    for (int k = 0; k < std::min(q.seen(queries[r]), real_keys(q.shown)); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const bool special = at < q.shown.key_tokens.size() && q.shown.key_tokens[at].special;
      places[at] = inside[at] || (image ? k >= grid.prefix && k < grid.prefix + patches : !special);
    }
    const RegionChance found = region_chance(rows[r], places, inside, options);
    json.StartObject();
    json.field("verdict", chance_verdict_name(found.verdict));
    json.field("share", found.share);
    json.field("expected", found.expected);
    json.field("low", found.low);
    json.field("high", found.high);
    json.field("places", found.places);
    json.field("inside", found.region);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace rollscope
