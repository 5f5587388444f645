#include "ui/names.h"

#include <algorithm>

#include "analysis/recipe_text.h"

namespace rollscope::ui {

std::string source_words(const Ui& ui, std::string_view source) {
  const std::string id = "ui.source." + std::string(source);
  if (ui.words.has(id)) return std::string(ui.words(id));
  std::string out(source);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

std::string method_words(const Ui& ui, const Recipe& r) {
  if (r.method == Method::attribution) return source_words(ui, r.source);
  return std::string(ui.words("ui.method." + std::string(method_name(r.method))));
}

std::string unit_words(const Ui& ui, std::string_view unit, bool percent) {
  const std::string words(ui.words("ui.unit." + std::string(unit)));
  return percent ? ui.words.fill("ui.unit.percent", {{"unit", words}}) : words;
}

std::string mark_words(const Ui& ui, Method m) { return std::string(ui.words("ui.mark." + std::string(mark_name(traits(m).mark)))); }

std::string lacking_words(const Ui& ui, Lacking what) { return std::string(ui.words("ui.lacking." + std::string(lacking_name(what)))); }

std::string residual_words(const Ui& ui, const Recipe& r) {
  if (r.residual_from != ResidualFrom::stated) return std::string(ui.words("ui.residual." + std::string(residual_from_name(r.residual_from))));
  if (r.residuals.empty()) return ui.words.number(r.residual, 2);
  if (r.residuals.size() > 4) return ui.words.fill("ui.residual.layers", {{"low", ui.words.number(*std::min_element(r.residuals.begin(), r.residuals.end()), 2)},
                                                                        {"high", ui.words.number(*std::max_element(r.residuals.begin(), r.residuals.end()), 2)}});
  std::string out;
  for (const double x : r.residuals) out += (out.empty() ? "" : "\u00A0/ ") + ui.words.number(x, 2);
  return out;
}

std::string merge_words(const Ui& ui, const Recipe& r) {
  std::string id = "ui.merged." + std::string(merge_name(r.merge));
  if (r.merge_time == MergeTime::before) id += ".before";
  if (r.merge_queries == MergeQueries::last) id += ".last";
  return std::string(ui.words(id));
}

std::string stream_words(const Ui& ui, const Stream& s) {
  const std::string id = "ui.stream." + std::string(stream_kind_name(s.kind));
  // Two streams of one kind go by the names of the file.
  int alike = 0;
  for (const Stream& other : ui.app.dump().streams) alike += other.kind == s.kind;
  if (alike > 1 || !ui.words.has(id)) return s.name;
  return std::string(ui.words(id));
}

std::string fusion_words(const Ui& ui, const Recipe& r) {
  if (ui.stream().heads == 0) return std::string(ui.words("ui.fusion.stored"));
  const std::string id = "ui.fusion." + std::string(fusion_name(r.fusion));
  const int all = ui.stream().heads;
  if (!traits(r.method).heads_fused) {  // each head by itself, then together
    if (r.heads.empty()) return ui.words.plural("ui.heads_count", all);
    if (r.heads.size() > 1) return ui.words.fill("ui.heads_some", {{"n", ui.words.count(static_cast<long long>(r.heads.size()))}, {"all", ui.words.count(all)}});
  }
  if (r.heads.size() == 1) return ui.words.fill("ui.fusion.one", {{"head", ui.words.count(r.heads[0] + 1)}});
  if (r.heads.empty()) return ui.words.fill(id, {{"n", ui.words.count(all)}});
  return ui.words.fill(id + ".some", {{"n", ui.words.count(static_cast<long long>(r.heads.size()))}, {"all", ui.words.count(all)}});
}

std::string layers_words(const Ui& ui, const Recipe& r) {
  const int end = r.end_layer < 0 ? ui.stream().layers() : r.end_layer;
  const std::string first = std::to_string(ui.layer_number(r.first_layer)), last = std::to_string(ui.layer_number(end - 1));
  const bool one = end - r.first_layer == 1 && (r.method == Method::raw || !is_chain(ui.app.stored_stream(), r));
  if (one && r.method == Method::raw && end == ui.stream().layers() && ui.stream().layers() > 1)
    return ui.words.fill("ui.layers.last", {{"layer", last}});
  return one ? last : first + "–" + last;
}

std::string row_layers_words(const Ui& ui) {
  const Recipe& r = ui.view()->recipe;
  if (r.end_layer - r.first_layer == 1) return ui.words.fill("ui.graph.layer", {{"layer", std::to_string(ui.layer_number(r.first_layer))}});
  return ui.words.fill("ui.graph.layers", {{"layers", layers_words(ui, r)}});
}

std::string leaves_out_words(const Ui& ui) {
  const Recipe& r = ui.state().recipe;
  if (!traits(r.method).attention) return {};
  if (r.method == Method::norm_rollout) return std::string(ui.words(r.source == "value_norms" ? "ui.leaves_out.value_norms" : "ui.leaves_out.norms"));
  return std::string(ui.words(ui.stream().kind == StreamKind::cross && r.method == Method::raw ? "ui.leaves_out.cross" : "ui.leaves_out"));
}

std::string weight_words(const Ui& ui) { return std::string(ui.words("ui.weight." + std::string(unit_name(ui.state().recipe)))); }

std::string other_recipe_words(const Ui& ui, const Recipe& o) {
  const Recipe& base = ui.view() ? ui.view()->recipe : ui.state().recipe;
  if (o.method != base.method) {
    if (o.method == Method::raw) return ui.words.fill("ui.other.raw", {{"layer", std::to_string(ui.layer_number((o.end_layer < 0 ? ui.stream().layers() : o.end_layer) - 1))}});
    return method_words(ui, o);
  }
  if (o.residual != base.residual) return ui.words.fill("ui.other.residual", {{"r", ui.words.number(o.residual, 2)}});
  if (o.fusion != base.fusion) return std::string(ui.words("ui.other.fusion." + std::string(fusion_name(o.fusion))));
  if (o.first_layer != base.first_layer || o.end_layer != base.end_layer)
    return ui.words.fill("ui.other.layers", {{"layers", layers_words(ui, o)}});
  return method_words(ui, o);
}

std::string sinks_words(const Ui& ui) {
  std::string out;
  if (const ViewData* v = ui.view()) {
    std::size_t shown = 0;
    for (int s : v->sinks) {
      if (shown++ == 3) return out + " …";
      out += (out.empty() ? "" : ", ") + ui.token(s, true);
    }
  }
  return out;
}

bool predicts_known(const Ui& ui, int query) {
  const auto& predicts = ui.stream().predicts;
  return ui.stream().kind == StreamKind::cross && query >= 0 && query < static_cast<int>(predicts.size()) && !predicts[static_cast<std::size_t>(query)].empty();
}

std::string query_name(const Ui& ui, int query) {
  if (ui.app.for_one_output()) return std::string(ui.words("ui.row.output"));
  if (predicts_known(ui, query)) return ui.stream().predicts[static_cast<std::size_t>(query)];
  if (ui.stream().kind == StreamKind::cross) return ui.words.fill("ui.row.after", {{"token", ui.token(query, false)}});
  return ui.token(query, false);
}

std::string asked_name(const Ui& ui) {
  std::string mean = ui.app.mean_name();
  return mean.empty() ? query_name(ui, ui.view()->query) : mean;
}

std::string place_words(const Ui& ui) {
  const ViewData* v = ui.view();
  if (!v) return {};
  const int end = v->recipe.end_layer < 0 ? ui.stream().layers() : v->recipe.end_layer;
  if (ui.app.for_one_output()) {
    const auto target = ui.app.dump().meta.find("target");
    return target == ui.app.dump().meta.end() ? std::string(ui.words("ui.place.stored")) : target->second;
  }
  const bool raw = v->recipe.method == Method::raw;
  const std::string top = std::to_string(ui.layer_number(end - 1));
  Slots slots{{"token", ui.words.count(v->query + 1)}, {"layer", top}, {"stream", stream_words(ui, ui.stream())}};
  if (!v->rows.empty()) return row_layers_words(ui);
  if (!traits(v->recipe.method).attention) return ui.words.fill("ui.place.token", slots);
  if (v->recipe.method == Method::joint || (ui.stream().kind == StreamKind::cross && !raw)) {
    slots.emplace_back("after", ui.token(v->query, false));
    slots.emplace_back("layers", layers_words(ui, v->recipe));
    return ui.words.fill(predicts_known(ui, v->query) ? "ui.place.joint" : "ui.place.joint_plain", slots);
  }
  if (ui.stream().kind == StreamKind::cross) {
    slots.emplace_back("after", ui.token(v->query, false));
    slots.emplace_back("layers", end - v->recipe.first_layer == 1 ? top : layers_words(ui, v->recipe));
    return ui.words.fill(predicts_known(ui, v->query) ? "ui.place.cross" : "ui.place.cross_plain", slots);
  }
  if (!ui.app.chain()) {
    slots.emplace_back("layers", end - v->recipe.first_layer == 1 ? top : layers_words(ui, v->recipe));
    return ui.words.fill(end - v->recipe.first_layer == 1 ? "ui.place.raw" : "ui.place.raw_range", slots);
  }
  const int level = v->level <= 0 ? end - v->recipe.first_layer : v->level;
  slots[1].second = std::to_string(ui.layer_number(v->recipe.first_layer + level - 1));
  return ui.words.fill("ui.place", slots);
}

std::string limit_words(const Ui& ui, const ReportItem& item) {
  const std::string row = "report." + std::string(report_name(item.code)) + ".";
  const auto kind = item.params.find("kind");
  std::string id = row + (kind == item.params.end() ? "" : kind->second + ".") + "text";
  if (!ui.words.has(id)) id = row + "text";
  if (!ui.words.has(id)) return report_text(item);
  Params params = item.params;
  for (auto& [name, value] : params)  // numbers as the language writes them
    if (!value.empty() && value.find_first_not_of("0123456789.-") == value.npos) std::replace(value.begin(), value.end(), '.', ui.words.decimal());
  return fill(ui.words(id), params);
}

const ReportItem* find_limit(const ViewData& v, ReportCode code) {
  const auto it = std::find_if(v.limits.begin(), v.limits.end(), [&](const ReportItem& i) { return i.code == code; });
  return it == v.limits.end() ? nullptr : &*it;
}
bool has_limit(const ViewData& v, ReportCode code) { return find_limit(v, code) != nullptr; }

}  // namespace rollscope::ui
