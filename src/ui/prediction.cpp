#include "ui/prediction.h"

#include <algorithm>
#include <optional>

#include "scene/json.h"

namespace rollscope::ui {
namespace {

std::string text_of(const Json& j) {
  if (j.is(Json::Kind::text)) return j.text;
  if (const auto n = j.integer()) return std::to_string(*n);
  return {};
}

// "positive" / "negative" with probability_positive = 0.0002 means negative with 0.9998.
double named_probability(const Json& object, const std::string& label) {
  if (const Json* p = object.find("probability"); p && p->is(Json::Kind::number)) return p->number;
  const Json* own = object.find("probability_" + label);
  if (own && own->is(Json::Kind::number)) return own->number;
  double other = -1;
  int found = 0;
  for (const auto& [name, value] : object.members)
    if (name.starts_with("probability_") && value.is(Json::Kind::number)) other = value.number, ++found;
  return found == 1 ? 1 - other : -1;  // of two classes
}

bool from_object(const Json& object, Prediction& out) {
  const Json* label = object.find("prediction");
  if (!label) return false;
  out.label = text_of(*label);
  out.probability = named_probability(object, out.label);
  return !out.label.empty();
}

}  // namespace

Prediction find_prediction(const DumpInfo& dump, const Stream& stream, int query) {
  Prediction out;
  const auto value = [&](std::string_view name) {
    const auto it = dump.meta.find(name);
    return parse_json(it == dump.meta.end() ? std::string_view("null") : std::string_view(it->second));
  };
  const auto q = static_cast<std::size_t>(std::max(0, query));
  const bool decodes = stream.kind == StreamKind::cross || stream.kind == StreamKind::decoder || stream.causal;
  if (decodes) {
    if (q < stream.predicts.size()) out.label = stream.predicts[q];
    out.next = !out.label.empty();
    // attn-dump "predictions": one per row, {token, p} or a list of these.
    if (const auto all = parse_json(dump.predictions.empty() ? "[]" : dump.predictions); all && q < all->items.size()) {
      const Json* one = &all->items[q];
      if (one->is(Json::Kind::array) && !one->items.empty()) one = &one->items[0];
      if (one->is(Json::Kind::array) && one->items.size() == 2) {
        if (out.label.empty()) out.label = text_of(one->items[0]), out.next = true;
        if (one->items[1].is(Json::Kind::number)) out.probability = one->items[1].number;
      }
      for (const char* name : {"p", "prob", "probability"})
        if (const Json* p = one->find(name); p && p->is(Json::Kind::number)) out.probability = p->number;
      for (const char* name : {"token", "label", "text"})
        if (const Json* t = one->find(name); t && out.label.empty()) out.label = text_of(*t), out.next = true;
    }
    return out;
  }
  // A class: in the metadata itself, or beside the attributions that explain it.
  if (const auto attr = value("attr"); attr && from_object(*attr, out)) return out;
  for (const char* name : {"prediction", "label"})
    if (const auto it = dump.meta.find(name); it != dump.meta.end() && out.label.empty()) out.label = it->second;
  const auto probabilities = value("probabilities");
  if (probabilities && probabilities->is(Json::Kind::array) && !probabilities->items.empty()) {
    std::size_t best = 0;
    for (std::size_t i = 0; i < probabilities->items.size(); ++i)
      if (probabilities->items[i].number > probabilities->items[best].number) best = i;
    out.label = std::to_string(best);
    if (const auto labels = value("labels"); labels && best < labels->items.size()) out.label = text_of(labels->items[best]);
    out.probability = probabilities->items[best].number;
  } else if (probabilities && probabilities->is(Json::Kind::object)) {
    double best = -1;
    for (const auto& [name, p] : probabilities->members)
      if (p.is(Json::Kind::number) && p.number > best) best = p.number, out.label = name;
    out.probability = best;
  }
  return out;
}

}  // namespace rollscope::ui
