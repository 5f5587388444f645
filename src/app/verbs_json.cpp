#include "app/verbs_json.h"

#include <array>

#include "analysis/recipe_text.h"

namespace rollscope {

void write_row(JsonWriter17& json, std::span<const double> row) {
  json.StartArray();
  for (const double x : row) json.number(x);
  json.EndArray();
}

void write_ints(JsonWriter17& json, std::span<const int> numbers) {
  json.StartArray();
  for (const int x : numbers) json.Int(x);
  json.EndArray();
}

void write_matrix(JsonWriter17& json, const std::vector<std::vector<double>>& rows) {
  json.StartArray();
  for (const auto& row : rows) write_row(json, row);
  json.EndArray();
}

void write_labels(JsonWriter17& json, const std::vector<Token>& tokens, const std::vector<int>& indices) {
  json.StartArray();
  for (const int i : indices) json.text(token_label(tokens, static_cast<std::size_t>(i)));
  json.EndArray();
}

void write_recipe(JsonWriter17& json, const Stream& stream, const Recipe& recipe, int row) {
  const MethodTraits& t = traits(recipe.method);
  json.StartObject();
  json.name("method");
  json.text(recipe.method == Method::attribution ? "attribution:" + recipe.source : std::string(t.name));
  json.name("stream");
  json.text(stream.name);
  if (t.attention) {
    if (t.heads_fused) {
      json.name("fusion");
      json.text(fusion_name(recipe.fusion));
    }
    json.name("heads");
    json.StartArray();
    if (stream.heads > 0 && (recipe.method != Method::norm_rollout || recipe.source == "value_norms"))
      for (const int head : recipe_heads(stream, recipe)) json.Int(head);
    json.EndArray();
    json.name("first_layer");
    json.Int(recipe.first_layer);
    json.name("end_layer");
    json.Int(recipe.end_layer);
    if (recipe.head >= 0) {
      json.name("head");
      write_ints(json, std::array{recipe.end_layer - 1, recipe.head});
    }
  }
  if (t.residual) {
    json.name("residual");
    if (recipe.residual_from != ResidualFrom::stated) json.text(residual_from_name(recipe.residual_from));
    else if (recipe.residuals.empty()) json.number(recipe.residual);
    else write_row(json, recipe.residuals);
  }
  if (t.gradients) {
    json.name("class");
    json.text(recipe.class_name);
  }
  if (!recipe.minus.empty()) json.field("minus", recipe.minus);
  if (recipe.method == Method::norm_rollout) {
    json.name("norms");
    json.text(recipe.source);
  }
  if (recipe.method == Method::vit_explain || recipe.method == Method::vit_explain_corrected) {
    json.name("discard");
    json.number(recipe.discard);
  }
  json.name("merge");
  json.text(merge_name(recipe.merge));
  if (recipe.merge != Merge::pieces) {
    json.name("merge_queries");
    json.text(recipe.merge_queries == MergeQueries::last ? "last" : "mean");
    json.name("merge_time");
    json.text(recipe.merge_time == MergeTime::before ? "before" : "after");
  }
  json.name("sink");
  json.text(sink_mode_name(recipe.sink));
  if (row != kNoRow) {
    json.name("row");
    if (row >= 0) json.Int(row);
    else json.text("all");
  }
  json.name("precision");
  json.text(sizeof(Real) == sizeof(double) ? "float64" : "float32");
  json.name("sentence");
  json.text(recipe_sentence(stream, recipe));
  json.name("mark");
  json.text(mark_name(t.mark));
  json.name("leaves_out");
  json.StartArray();
  for (const auto& what : recipe_leaves_out(stream, recipe)) json.text(what);
  json.EndArray();
  json.name("unit");
  json.text(recipe_unit(recipe));
  json.EndObject();
}

void write_keys(JsonWriter17& json, const Stream& stream, const StrongKeys& strong, const std::vector<int>& keys) {
  json.StartArray();
  for (const int key : keys) {
    if (key >= real_keys(stream)) continue;
    const auto k = static_cast<std::size_t>(key);
    json.StartObject();
    json.name("key");
    json.Int(key);
    json.name("label");
    json.text(k < stream.key_tokens.size() ? std::string_view(stream.key_tokens[k].label) : std::string_view());
    json.name("share");
    json.number(strong.share[k]);
    json.name("chance");
    json.number(strong.chance[k]);
    json.EndObject();
  }
  json.EndArray();
}

void write_report(JsonWriter17& json, const Report& report) {
  json.StartArray();
  for (const auto& item : report) {
    json.StartObject();
    json.name("code");
    json.text(report_name(item.code));
    json.name("severity");
    json.text(severity_name(item.severity));
    json.name("text");
    json.text(report_text(item));
    const std::pair<std::string_view, std::string> more[] = {{"fix", report_fix(item)}, {"where", item.where}, {"assumption", item.assumption}};
    for (const auto& [name, value] : more) {
      if (value.empty()) continue;
      json.name(name);
      json.text(value);
    }
    if (!item.params.empty()) {
      json.name("params");
      json.StartObject();
      for (const auto& [name, value] : item.params) {
        json.name(name);
        json.text(value);
      }
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndArray();
}

namespace {

void write_slot(JsonWriter17& json, const Slot& slot) {
  switch (slot.kind) {
    case Slot::Kind::count:
    case Slot::Kind::number:
    case Slot::Kind::percent: json.number(slot.value); return;
    case Slot::Kind::token:
    case Slot::Kind::name: json.text(slot.text); return;
    case Slot::Kind::tokens: break;
  }
  json.StartArray();
  for (const auto& token : slot.tokens) {
    json.StartObject();
    json.field("label", token.label);
    json.field("value", token.value);
    if (token.rank > 0) json.field("rank", token.rank);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

void write_narration(JsonWriter17& json, std::span<const Fact> facts) {
  json.StartObject();
  json.name("facts");
  json.StartArray();
  for (const auto& fact : facts) {
    json.StartObject();
    json.field("id", narration_name(fact.id));
    json.name("slots");
    json.StartObject();
    for (const auto& [name, slot] : fact.slots) {
      json.name(name);
      write_slot(json, slot);
    }
    json.EndObject();
    json.EndObject();
  }
  json.EndArray();
  for (const Language language : kLanguages) {
    json.name(language_name(language));
    json.StartArray();
    for (const auto& fact : facts) json.text(sentence(fact, language));
    json.EndArray();
  }
  json.EndObject();
}

}  // namespace rollscope
