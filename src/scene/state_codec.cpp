#include "scene/state_codec.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "analysis/head_scores.h"
#include "scene/json.h"

namespace rollscope {
namespace {

constexpr std::string_view kViews[] = {"graph", "matrix", "heads", "image", "depth", "lines", "compare"};
constexpr std::string_view kOrders[] = {"layer", "role", "spread", "distance"};
constexpr std::string_view kMeasures[] = {"entropy", "distance", "top_share", "sink_mass", "effective_rank", "key"};
constexpr std::string_view kKinds[] = {"result", "after_layer", "fused_layer", "head"};
constexpr std::string_view kScales[] = {"linear", "log", "per_row"};
const std::string_view kFusions[] = {fusion_name(Fusion::mean), fusion_name(Fusion::max), fusion_name(Fusion::min)};
const std::string_view kSinks[] = {sink_mode_name(SinkMode::keep), sink_mode_name(SinkMode::renormalise), sink_mode_name(SinkMode::remove), sink_mode_name(SinkMode::lift)};
const std::string_view kMerges[] = {merge_name(Merge::pieces), merge_name(Merge::words), merge_name(Merge::segments)};
constexpr std::string_view kMergeQueries[] = {"mean", "last"};
constexpr std::string_view kMergeTimes[] = {"after", "before"};
constexpr std::size_t kMostLayers = 4096;  // of a list of residual weights

template <class E>
std::string_view name_of(std::span<const std::string_view> names, E e) {
  return names[static_cast<std::size_t>(e)];
}

// Each reader returns false and leaves `out` alone when the value is not what it should be.
template <class E>
bool read_enum(const Json& v, std::span<const std::string_view> names, E& out) {
  const auto it = v.is(Json::Kind::text) ? std::find(names.begin(), names.end(), v.text) : names.end();
  if (it == names.end()) return false;
  out = static_cast<E>(it - names.begin());
  return true;
}
bool read_int(const Json& v, int low, int& out) {
  const auto n = v.integer();
  if (!n || *n < low) return false;
  out = *n;
  return true;
}
bool read_number(const Json& v, double low, double high, double& out) {
  if (!v.is(Json::Kind::number) || !(v.number >= low && v.number <= high)) return false;
  out = v.number;
  return true;
}
bool read_bool(const Json& v, bool& out) {
  if (!v.is(Json::Kind::boolean)) return false;
  out = v.truth;
  return true;
}
bool read_heads(const Json& v, std::vector<int>& out) {
  if (v.is(Json::Kind::text) && v.text == "all") {
    out.clear();
    return true;
  }
  if (!v.is(Json::Kind::array)) return false;
  std::vector<int> heads;
  for (const auto& item : v.items) {
    int h = 0;
    if (!read_int(item, 0, h)) return false;
    heads.push_back(h);
  }
  std::sort(heads.begin(), heads.end());
  heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
  out = std::move(heads);
  return true;
}
bool read_layers(const Json& v, Recipe& out) {
  if (!v.is(Json::Kind::array) || v.items.size() != 2) return false;
  int first = 0, end = 0;
  if (!read_int(v.items[0], 0, first) || !read_int(v.items[1], -1, end)) return false;
  if (end >= 0 && end <= first) return false;
  out.first_layer = first;
  out.end_layer = end;
  return true;
}

// A layer and one of its heads, or nothing; the layer is the top one of the range, whatever `layers` say besides.
bool read_head(const Json& v, Recipe& out) {
  if (v.is(Json::Kind::array) && v.items.empty()) {
    out.head = -1;
    return true;
  }
  if (!v.is(Json::Kind::array) || v.items.size() != 2) return false;
  int layer = 0, head = 0;
  if (!read_int(v.items[0], -1, layer) || !read_int(v.items[1], 0, head)) return false;
  if (layer >= 0) out.end_layer = layer + 1;
  out.head = head;
  return true;
}

// Walks an object; `read` returns false for a field that it cannot take.
template <class F>
void walk(const Json& v, std::string_view prefix, std::vector<std::string>& ignored, F read) {
  if (!v.is(Json::Kind::object)) {
    ignored.push_back(prefix.empty() ? "state" : std::string(prefix.substr(0, prefix.size() - 1)));
    return;
  }
  for (const auto& [name, field] : v.members)
    if (!read(std::string_view(name), field)) ignored.push_back(std::string(prefix) + name);
}

// "flow"; "attribution:shapley" names its scores too.
bool read_method(const Json& v, Recipe& out) {
  if (!v.is(Json::Kind::text)) return false;
  const std::string_view text = v.text, stored = method_name(Method::attribution);
  for (int m = 0; m < kMethods; ++m)
    if (text == method_name(static_cast<Method>(m))) {
      out.method = static_cast<Method>(m);
      return true;
    }
  if (!text.starts_with(stored) || text.size() <= stored.size() + 1 || text[stored.size()] != ':') return false;
  out.method = Method::attribution;
  out.source = std::string(text.substr(stored.size() + 1));
  return true;
}

// A number, one for each layer of the range, or where it is measured.
bool read_residual(const Json& v, Recipe& out) {
  if (v.is(Json::Kind::text)) {
    for (const auto from : {ResidualFrom::norms, ResidualFrom::norms_mean, ResidualFrom::mixing})
      if (v.text == residual_from_name(from)) {
        out.residual_from = from;
        out.residuals.clear();
        return true;
      }
    return false;
  }
  std::vector<double> list;
  if (v.is(Json::Kind::array)) {
    if (v.items.empty() || v.items.size() > kMostLayers) return false;
    for (const auto& item : v.items)
      if (!read_number(item, 0, 1, list.emplace_back())) return false;
  }
  if (list.size() < 2) {
    double one = list.empty() ? 0 : list[0];
    if (list.empty() && !read_number(v, 0, 1, one)) return false;
    out.residual = one;
    list.clear();
  }
  out.residual_from = ResidualFrom::stated;
  out.residuals = std::move(list);
  return true;
}

bool read_text(const Json& v, std::string& out) {
  if (!v.is(Json::Kind::text)) return false;
  out = v.text;
  return true;
}

void read_recipe(const Json& v, Recipe& r, std::vector<std::string>& ignored) {
  walk(v, "recipe.", ignored, [&](std::string_view name, const Json& f) {
    if (name == "method") return read_method(f, r);
    if (name == "stream") return read_text(f, r.stream);
    if (name == "fusion") return read_enum(f, kFusions, r.fusion);
    if (name == "heads") return read_heads(f, r.heads);
    if (name == "residual") return read_residual(f, r);
    if (name == "layers") return read_layers(f, r);
    if (name == "head") return read_head(f, r);
    if (name == "sink") return read_enum(f, kSinks, r.sink);
    if (name == "merge") return read_enum(f, kMerges, r.merge);
    if (name == "merge_queries") return read_enum(f, kMergeQueries, r.merge_queries);
    if (name == "merge_time") return read_enum(f, kMergeTimes, r.merge_time);
    if (name == "class") return read_text(f, r.class_name);
    if (name == "minus") return read_text(f, r.minus);
    if (name == "norms" || name == "source") return read_text(f, r.source);
    if (name == "discard") return read_number(f, 0, 1, r.discard);
    return false;
  });
}

bool read_camera(const Json& v, std::string prefix, Camera& c, std::vector<std::string>& ignored) {
  walk(v, prefix, ignored, [&](std::string_view name, const Json& f) {
    if (name == "x") return read_number(f, 0, 1, c.x);
    if (name == "y") return read_number(f, 0, 1, c.y);
    if (name == "zoom") return read_number(f, 1, 1e6, c.zoom);
    return false;
  });
  return true;
}

void read_matrix(const Json& v, MatrixState& m, std::vector<std::string>& ignored) {
  walk(v, "matrix.", ignored, [&](std::string_view name, const Json& f) {
    if (name == "kind") return read_enum(f, kKinds, m.kind);
    if (name == "layer") return read_int(f, -1, m.layer);
    if (name == "head") return read_int(f, 0, m.head);
    if (name == "scale") return read_enum(f, kScales, m.scale);
    if (name == "values") return read_bool(f, m.values);
    if (name == "low") return read_number(f, -1, 1e9, m.low);
    if (name == "high") return read_number(f, -1, 1e9, m.high);
    if (name == "camera") return read_camera(f, "matrix.camera.", m.camera, ignored);
    return false;
  });
}

// The options of `explain`. For the engine what stands at its default is left out, so that equal questions are equal.
void write_recipe(JsonWriter& w, const Recipe& r, bool for_engine) {
  const Recipe standard;
  const std::string method(method_name(r.method));
  w.object().field("method", r.method == Method::attribution && !r.source.empty() ? method + ":" + r.source : method);
  if (!r.stream.empty()) w.field("stream", r.stream);
  w.field("fusion", name_of(kFusions, r.fusion));
  if (!r.heads.empty() || !for_engine) {
    w.key("heads").array();
    for (int h : r.heads) w.value(h);
    w.end();
  }
  w.key("residual");
  if (r.residual_from != ResidualFrom::stated) w.value(residual_from_name(r.residual_from));
  else if (r.residuals.empty()) w.value(r.residual);
  else {
    w.array();
    for (const double x : r.residuals) w.value(x);
    w.end();
  }
  if (r.first_layer != 0 || r.end_layer >= 0 || !for_engine) w.key("layers").array().value(r.first_layer).value(r.end_layer).end();
  if (r.head < 0 && !for_engine) w.key("head").array().end();
  if (r.head >= 0) w.key("head").array().value(r.end_layer < 0 ? -1 : r.end_layer - 1).value(r.head).end();
  if (r.sink != standard.sink || !for_engine) w.field("sink", name_of(kSinks, r.sink));
  if (r.merge != standard.merge || !for_engine) w.field("merge", name_of(kMerges, r.merge));
  if (r.merge_queries != standard.merge_queries || !for_engine) w.field("merge_queries", name_of(kMergeQueries, r.merge_queries));
  if (r.merge_time != standard.merge_time || !for_engine) w.field("merge_time", name_of(kMergeTimes, r.merge_time));
  if (!r.class_name.empty()) w.field("class", r.class_name);
  if (!r.minus.empty() || !for_engine) w.field("minus", r.minus);
  if (!r.source.empty() && r.method != Method::attribution) w.field("norms", r.source);
  if (r.discard != standard.discard || !for_engine) w.field("discard", r.discard);
  w.end();
}

void read_heads_view(const Json& v, HeadsState& h, std::vector<std::string>& ignored) {
  walk(v, "heads.", ignored, [&](std::string_view name, const Json& f) {
    if (name == "layer") return read_int(f, -1, h.layer);
    if (name == "head") return read_int(f, -1, h.head);
    if (name == "order") return read_enum(f, kOrders, h.order);
    if (name == "role") return read_int(f, -1, h.role) && (h.role = std::min(h.role, kHeadRoles - 1), true);
    return false;
  });
}

// [row0, column0, row1, column1]; []: none.
bool read_region(const Json& v, PatchRegion& out) {
  int at[4];
  if (!v.is(Json::Kind::array) || (v.items.size() != 4 && !v.items.empty())) return false;
  if (v.items.empty()) return out = {}, true;
  for (std::size_t k = 0; k < 4; ++k)
    if (!read_int(v.items[k], 0, at[k])) return false;
  if (at[2] < at[0] || at[3] < at[1]) return false;
  out = {at[0], at[1], at[2], at[3]};
  return true;
}

void read_image(const Json& v, ImageState& i, std::vector<std::string>& ignored) {
  walk(v, "image.", ignored, [&](std::string_view name, const Json& f) {
    if (name == "smooth") return read_bool(f, i.smooth);
    if (name == "opacity") return read_number(f, 0, 1, i.opacity);
    if (name == "outline") return read_bool(f, i.outline);
    if (name == "region") return read_region(f, i.region);
    return false;
  });
}

void read_depth(const Json& v, DepthState& d, std::vector<std::string>& ignored) {
  walk(v, "depth.", ignored, [&](std::string_view name, const Json& f) {
    if (name != "measure" || !f.is(Json::Kind::text)) return false;
    const auto found = std::find(std::begin(kMeasures), std::end(kMeasures), f.text);
    if (found == std::end(kMeasures)) return false;
    d.measure = static_cast<int>(found - std::begin(kMeasures));
    return true;
  });
}

void read_lines(const Json& v, LinesState& l, std::vector<std::string>& ignored) {
  walk(v, "lines.", ignored, [&](std::string_view name, const Json& f) {
    if (name == "layer") return read_int(f, -1, l.layer);
    if (name == "heads") return read_heads(f, l.heads);
    if (name == "top") return read_int(f, 1, l.top) && (l.top = std::min(l.top, kLineKeys), true);
    if (name == "keep") return read_number(f, 0, 1, l.keep);
    if (name == "block") return read_int(f, -1, l.block);
    return false;
  });
}

void write_camera(JsonWriter& w, const Camera& c) {
  w.key("camera").object().field("x", c.x).field("y", c.y).field("zoom", c.zoom).end();
}

}  // namespace

std::string state_to_json(const AppState& s) {
  JsonWriter w;
  w.object().key("recipe");
  write_recipe(w, s.recipe, false);
  w.field("query", s.selection.query).field("key", s.selection.key).field("level", s.selection.level);
  w.field("view", name_of(kViews, s.view)).field("keep", s.graph.keep);
  w.key("graph").object().field("top", s.graph.top);
  if (s.graph.edge_layer >= 0) w.key("edge").array().value(s.graph.edge_layer).value(s.graph.edge_query).value(s.graph.edge_key).end();
  write_camera(w, s.graph.camera);
  w.end();
  const auto& m = s.matrix;
  w.key("matrix").object().field("kind", name_of(kKinds, m.kind)).field("layer", m.layer).field("head", m.head);
  w.field("scale", name_of(kScales, m.scale)).field("values", m.values).field("low", m.low).field("high", m.high);
  write_camera(w, m.camera);
  w.end();
  w.key("heads").object().field("layer", s.heads.layer).field("head", s.heads.head).field("order", name_of(kOrders, s.heads.order)).field("role", s.heads.role).end();
  w.key("image").object().field("smooth", s.image.smooth).field("opacity", s.image.opacity).field("outline", s.image.outline);
  if (const PatchRegion& r = s.image.region; !r.none()) w.key("region").array().value(r.row0).value(r.column0).value(r.row1).value(r.column1).end();
  w.end();
  w.key("depth").object().field("measure", kMeasures[static_cast<std::size_t>(s.depth.measure)]).end();
  w.key("lines").object().field("layer", s.lines.layer).key("heads").array();
  for (const int h : s.lines.heads) w.value(h);
  w.end().field("top", s.lines.top).field("keep", s.lines.keep).field("block", s.lines.block).end();
  if (s.compare.chosen || s.compare.query >= 0) {
    w.key("compare").object().field("query", s.compare.query);
    if (s.compare.chosen) w.key("recipe"), write_recipe(w, s.compare.recipe, false);
    w.end();
  }
  w.field("second", s.second < 0 ? std::string_view("none") : name_of(kViews, s.second)).field("split", s.split);
  return w.field("maximised", s.maximised).field("drawer", s.drawer).end().text();
}

void state_from_json(std::string_view json, AppState& s, std::vector<std::string>& ignored) {
  const auto root = parse_json(json);
  if (!root) {
    ignored.push_back("state");
    return;
  }
  if (root->find("query")) s.image.region = {};  // one output, unless a region is named too
  walk(*root, "", ignored, [&](std::string_view name, const Json& f) {
    if (name == "recipe") return read_recipe(f, s.recipe, ignored), true;
    if (name == "query") return read_int(f, 0, s.selection.query);
    if (name == "key") return read_int(f, -1, s.selection.key);
    if (name == "level") return read_int(f, -1, s.selection.level);
    if (name == "view") return read_enum(f, kViews, s.view);
    if (name == "keep") {
      double keep = 0;
      if (!read_number(f, 0, 1, keep) || keep <= 0) return false;
      s.graph.keep = keep;
      return true;
    }
    if (name == "graph") {
      walk(f, "graph.", ignored, [&](std::string_view inner, const Json& g) {
        if (inner == "top") return read_int(g, 0, s.graph.top) && (s.graph.top = std::min(s.graph.top, kMostTop), true);
        if (inner == "edge") {
          int at[3];
          if (!g.is(Json::Kind::array) || g.items.size() != 3) return false;
          for (std::size_t k = 0; k < 3; ++k)
            if (!read_int(g.items[k], -1, at[k])) return false;
          s.graph.edge_layer = at[0], s.graph.edge_query = at[1], s.graph.edge_key = at[2];
          return true;
        }
        return inner == "camera" && read_camera(g, "graph.camera.", s.graph.camera, ignored);
      });
      return true;
    }
    if (name == "matrix") return read_matrix(f, s.matrix, ignored), true;
    if (name == "heads") return read_heads_view(f, s.heads, ignored), true;
    if (name == "image") return read_image(f, s.image, ignored), true;
    if (name == "depth") return read_depth(f, s.depth, ignored), true;
    if (name == "lines") return read_lines(f, s.lines, ignored), true;
    if (name == "compare") {
      walk(f, "compare.", ignored, [&](std::string_view inner, const Json& g) {
        if (inner == "query") return read_int(g, -1, s.compare.query);
        if (inner != "recipe") return false;
        read_recipe(g, s.compare.recipe, ignored);
        s.compare.chosen = true;
        return true;
      });
      return true;
    }
    if (name == "second") {
      ViewKind second{};
      if (f.is(Json::Kind::text) && f.text == "none") return s.second = -1, true;
      if (!read_enum(f, kViews, second)) return false;
      s.second = static_cast<int>(second);
      return true;
    }
    if (name == "split") return read_number(f, 0, 1, s.split);
    if (name == "maximised") return read_bool(f, s.maximised);
    if (name == "drawer") return read_bool(f, s.drawer);
    return false;
  });
}

std::string_view view_name(ViewKind view) { return name_of(kViews, view); }
std::string_view matrix_kind_name(MatrixKind kind) { return name_of(kKinds, kind); }

std::string recipe_to_json(const Recipe& recipe) {
  JsonWriter w;
  write_recipe(w, plain_recipe(recipe), true);
  return w.text();
}

}  // namespace rollscope
