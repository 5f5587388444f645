#include "scene/recipe_fit.h"

#include <algorithm>
#include <cmath>

#include "analysis/shown_stream.h"
#include "scene/json.h"

namespace rollscope {
namespace {

bool takes_source(Method method) { return method == Method::norm_rollout || !traits(method).attention; }

// The recipe as a request: what stands at its default asks for nothing.
RecipeRequest request_of(const Recipe& r) {
  RecipeRequest q;
  q.method = r.method;
  q.stream = r.stream;
  q.fusion = r.fusion;
  q.heads = r.heads;
  q.residual = r.residual;
  q.residuals = r.residuals;
  if (r.residual_from != ResidualFrom::stated) q.measured = r.residual_from;
  q.layers = std::pair{r.first_layer, r.end_layer};
  if (r.head >= 0) q.head = std::pair{-1, r.head};
  q.sink = r.sink;
  q.merge = r.merge;
  q.merge_queries = r.merge_queries;
  q.merge_time = r.merge_time;
  if (!r.class_name.empty()) q.class_name = r.class_name;
  q.source = r.source;
  q.minus = r.minus;
  q.discard = r.discard;
  return q;
}

bool holds(const std::vector<std::string>& names, const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); }

// "class_4", "class 4", "4" for the label 4.
bool names_label(const std::string& name, const std::string& label) {
  if (label.empty() || !name.ends_with(label)) return false;
  const std::string_view before = std::string_view(name).substr(0, name.size() - label.size());
  return before.empty() || !(before.back() >= '0' && before.back() <= '9');
}

// What the metadata says the model predicts, the surest first.
std::vector<std::string> predicted_labels(const DumpInfo& dump) {
  std::vector<std::string> out;
  const auto meta = [&](std::string_view name) -> std::string_view {
    const auto it = dump.meta.find(name);
    return it == dump.meta.end() ? std::string_view() : std::string_view(it->second);
  };
  if (const auto p = parse_json(meta("probabilities")); p && p->is(Json::Kind::array) && !p->items.empty()) {
    const auto best = std::max_element(p->items.begin(), p->items.end(), [](const Json& a, const Json& b) { return a.number < b.number; });
    const auto index = static_cast<std::size_t>(best - p->items.begin());
    for (const char* list : {"labels", "classes"})
      if (const auto l = parse_json(meta(list)); l && index < l->items.size() && l->items[index].is(Json::Kind::text)) out.push_back(l->items[index].text);
    out.push_back(std::to_string(index));
  } else if (p && p->is(Json::Kind::object)) {
    const Json::Member* best = nullptr;
    for (const auto& m : p->members)
      if (!best || m.second.number > best->second.number) best = &m;
    if (best) out.push_back(best->first);
  }
  for (const char* name : {"prediction", "label"})
    if (!meta(name).empty()) out.emplace_back(meta(name));
  if (const auto attr = parse_json(meta("attr")); attr)
    if (const Json* label = attr->find("prediction"); label && label->is(Json::Kind::text)) out.push_back(label->text);
  return out;
}

void clamp_indices(const Stream& stream, Recipe& r) {
  const int layers = std::max(1, stream.layers());
  if (r.end_layer < 0 || r.end_layer > layers) r.end_layer = layers;
  r.end_layer = std::max(1, r.end_layer);
  r.first_layer = std::clamp(r.first_layer, 0, r.end_layer - 1);
  const int heads = std::max(1, stream.heads);
  std::sort(r.heads.begin(), r.heads.end());
  r.heads.erase(std::unique(r.heads.begin(), r.heads.end()), r.heads.end());
  std::erase_if(r.heads, [&](int h) { return h < 0 || h >= heads; });
  if (static_cast<int>(r.heads.size()) == heads) r.heads.clear();
  if (r.method != Method::rollout || r.head >= stream.heads) r.head = -1;
  const Recipe standard;
  r.residual = std::isfinite(r.residual) ? std::clamp(r.residual, 0.0, 1.0) : standard.residual;
  r.discard = std::isfinite(r.discard) ? std::clamp(r.discard, 0.0, 1.0) : standard.discard;
}

}  // namespace

Recipe default_recipe(const DumpInfo& dump, const Stream& stream, std::optional<Method> method) {
  const auto can = [&](Method m) { return lacking(dump, stream, m) == Lacking::nothing; };
  Recipe r;
  r.stream = stream.name;
  r.method = method && can(*method) ? *method : can(Method::rollout) ? Method::rollout : Method::raw;
  r.end_layer = stream.layers();
  // A rollout multiplies square maps; a stream without them is looked at layer by layer, the last first (ruling 7).
  if (r.method == Method::raw && !can(Method::rollout)) r.first_layer = std::max(0, stream.layers() - 1);
  return r;
}

const Stream* stream_for(const DumpInfo& dump, const Stream& now, Method method) {
  if (method == Method::joint) {
    const EncoderDecoder sides = encoder_decoder(dump);
    return sides.complete() ? &dump.streams[static_cast<std::size_t>(sides.cross)] : nullptr;
  }
  if (lacking(dump, now, method) == Lacking::nothing) return &now;
  for (const Stream& s : dump.streams)
    if (lacking(dump, s, method) == Lacking::nothing) return &s;
  return nullptr;
}

std::string predicted_class(const DumpInfo& dump, const Stream& stream) {
  const auto names = class_names(dump, stream);
  if (names.empty()) return {};
  for (const std::string& label : predicted_labels(dump))
    for (const std::string& name : names)
      if (names_label(name, label)) return name;
  return names.front();
}

std::optional<Error> misfit(const DumpInfo& dump, const Recipe& recipe) {
  auto resolved = resolve_recipe(dump, request_of(recipe));
  if (resolved) return std::nullopt;
  return std::move(resolved.error());
}

Recipe fitted(const DumpInfo& dump, Recipe wanted) {
  const Stream* found = dump.find(wanted.stream);
  const Stream* stream = found ? found : &dump.streams.front();
  if (wanted.method == Method::joint)
    if (const Stream* cross = stream_for(dump, *stream, Method::joint)) stream = cross;
  wanted.stream = stream->name;
  if (lacking(dump, *stream, wanted.method) != Lacking::nothing) {
    const Recipe plain = default_recipe(dump, *stream);
    wanted.method = plain.method;
    wanted.first_layer = plain.first_layer;
    wanted.end_layer = plain.end_layer;
  }
  clamp_indices(*stream, wanted);
  if (!traits(wanted.method).gradients) wanted.class_name.clear();
  else if (!holds(class_names(dump, *stream), wanted.class_name)) wanted.class_name = predicted_class(dump, *stream);
  if (!takes_source(wanted.method)) wanted.source.clear();
  else if (const auto names = source_names(dump, *stream, wanted.method); !holds(names, wanted.source)) wanted.source = names.front();

  // One choice after the other is put into the plain recipe and stays where it fits.
  if (wanted.minus == (traits(wanted.method).gradients ? wanted.class_name : wanted.source)) wanted.minus.clear();
  const Recipe standard;
  Recipe out = wanted;
  out.residual_from = standard.residual_from;
  out.residuals.clear();
  out.sink = standard.sink;
  out.merge = standard.merge;
  out.merge_queries = standard.merge_queries;
  out.merge_time = standard.merge_time;
  out.minus.clear();
  const auto take = [&](auto change) {
    Recipe next = out;
    change(next);
    if (!(next == out) && !misfit(dump, next)) out = std::move(next);
  };
  take([&](Recipe& r) { r.residual_from = wanted.residual_from; });
  if (out.residual_from == ResidualFrom::stated) take([&](Recipe& r) { r.residuals = wanted.residuals; });
  take([&](Recipe& r) { r.merge = wanted.merge; });
  if (out.merge != Merge::pieces) {
    out.merge_queries = wanted.merge_queries;
    take([&](Recipe& r) { r.merge_time = wanted.merge_time; });
  }
  take([&](Recipe& r) { r.minus = wanted.minus; });
  take([&](Recipe& r) { r.sink = wanted.sink; });
  return out;
}

bool in_percent(const Recipe& recipe) { return has_unit_rows(recipe) && recipe.sink != SinkMode::lift; }

bool one_row_at_a_time(const Stream& stream, const Recipe& recipe) {
  const bool flow = recipe.method == Method::flow || recipe.method == Method::flow_normalised;
  return flow && std::max(stream.queries, stream.keys) > kFlowAtOnce;
}

bool for_one_output(const DumpInfo& dump, const Recipe& recipe) {
  if (traits(recipe.method).attention) return false;
  for (const Extra& e : dump.extras) {
    const bool stored = e.kind == ExtraKind::scores || (e.kind == ExtraKind::attribution && recipe.method == Method::attribution);
    if (!stored || e.stream != recipe.stream || e.name != recipe.source) continue;
    const Stream* s = dump.find(recipe.stream);
    const bool map = e.shape.size() == 2 && e.shape[0] == dump.grid.rows && e.shape[1] == dump.grid.columns && s && e.shape[1] != s->keys;
    return e.shape.size() == 1 || map;
  }
  return false;
}

}  // namespace rollscope
