// App::run: every id of the command table, its arguments checked against the open dump before anything changes.
#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/shown_stream.h"
#include "scene/app.h"
#include "scene/commands.h"
#include "scene/json.h"
#include "scene/recipe_fit.h"
#include "scene/state_codec.h"

namespace rollscope {
namespace {

std::string error_json(const Error& error) {
  JsonWriter w;
  w.object().key("error").object().field("code", error_name(error.code));
  w.field("text", error_text(error)).field("fix", error_fix(error)).key("params").object();
  for (const auto& [name, v] : error.params) w.field(name, v);
  return w.end().end().end().text();
}

Error bad_value(std::string_view option, std::string_view value, std::string_view allowed) {
  return {ErrorCode::bad_value, {{"option", std::string(option)}, {"value", std::string(value)}, {"allowed", std::string(allowed)}}};
}

Error out_of_range(std::string_view option, int value, int low, int end) {
  return {ErrorCode::out_of_range,
          {{"option", std::string(option)}, {"value", std::to_string(value)}, {"allowed", std::to_string(low) + ".." + std::to_string(end - 1)}}};
}

// A value for a message: text as it is, numbers as JSON has them.
std::string shown_value(const Json* v) {
  if (!v) return "";
  JsonWriter w;
  switch (v->kind) {
    case Json::Kind::text: return v->text;
    case Json::Kind::number: return w.value(v->number).text();
    case Json::Kind::boolean: return v->truth ? "true" : "false";
    case Json::Kind::array: return "[...]";
    case Json::Kind::object: return "{...}";
    case Json::Kind::null: break;
  }
  return "null";
}

// Is `name` one of the words in "{kind, layer, head}"?
bool names(std::string_view args, std::string_view name) {
  for (auto at = args.find(name); at != args.npos; at = args.find(name, at + 1)) {
    const char before = at > 0 ? args[at - 1] : '{';
    const char after = at + name.size() < args.size() ? args[at + name.size()] : '}';
    const auto border = [](char c) { return !(c >= 'a' && c <= 'z') && c != '_'; };
    if (border(before) && border(after)) return true;
  }
  return false;
}

void write(JsonWriter& w, const Json& v) {
  switch (v.kind) {
    case Json::Kind::null: w.null(); break;
    case Json::Kind::boolean: w.value(v.truth); break;
    case Json::Kind::number: w.value(v.number); break;
    case Json::Kind::text: w.value(std::string_view(v.text)); break;
    case Json::Kind::array:
      w.array();
      for (const auto& item : v.items) write(w, item);
      w.end();
      break;
    case Json::Kind::object:
      w.object();
      for (const auto& [name, member] : v.members) w.key(name), write(w, member);
      w.end();
      break;
  }
}

// Reads arguments as fields of the state, so that commands and setState() take the same values.
bool read_fields(const Json& args, std::string_view parent, AppState& s) {
  JsonWriter w;
  if (!parent.empty()) w.object().key(parent);
  write(w, args);
  if (!parent.empty()) w.end();
  std::vector<std::string> ignored;
  state_from_json(w.text(), s, ignored);
  return ignored.empty();
}

// What a field of the recipe takes, for people.
std::string allowed_values(std::string_view field) {
  if (field == "method") {
    std::string out;
    for (int m = 0; m < kMethods; ++m) out += (out.empty() ? "" : ", ") + std::string(method_name(static_cast<Method>(m)));
    return out + ":NAME";
  }
  constexpr std::pair<std::string_view, std::string_view> kFields[] = {
      {"fusion", "mean, max, min"}, {"residual", "0..1, one for each layer, norms, norms-mean, mixing"}, {"layers", "[first, end]"}, {"heads", "[0, 3]"},
      {"sink", "keep, renormalise, remove, lift"}, {"merge", "pieces, words, segments"}, {"discard", "0..1"}};
  for (const auto& [name, values] : kFields)
    if (name == field) return std::string(values);
  return "a name";
}

std::optional<ViewKind> view_named(std::string_view command) {
  constexpr std::string_view kNames[] = {"view.graph", "view.matrix", "view.heads", "view.image", "view.depth", "view.lines", "view.compare"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), command);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<ViewKind>(found - std::begin(kNames));
}

}  // namespace

// The next key from the chosen one on (before it, where `by` is negative) whose words hold `text`, round the end; -1: none.
int App::find_key(const AppState& s, const std::string& text, int by) const {
  const auto lower = [](std::string_view t) {
    std::string out(t);
    for (char& c : out)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return out;
  };
  const std::string wanted = lower(text);
  const int keys = shown_of(s.recipe).keys, direction = by < 0 ? -1 : 1;
  int at = s.selection.key >= 0 ? s.selection.key : direction > 0 ? -1 : 0;
  if (by == 0 && at >= 0) at -= 1;  // the chosen one itself counts: while a word is being typed
  for (int n = 0; n < keys; ++n) {
    at = (at + direction + keys) % keys;
    if (lower(token_name(at, true, false)).find(wanted) != std::string::npos) return at;
  }
  return -1;
}

// The strongest key outside the sinks, or from the chosen one on the next weaker; -1: no row yet.
int App::strongest_key(const AppState& s, int by) const {
  if (!view_) return -1;
  std::vector<int> order;
  for (int j = 0; j < static_cast<int>(view_->row.size()); ++j)
    if (std::isfinite(view_->row[static_cast<std::size_t>(j)]) && std::find(view_->sinks.begin(), view_->sinks.end(), j) == view_->sinks.end()) order.push_back(j);
  if (order.empty()) return -1;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return std::abs(view_->row[static_cast<std::size_t>(a)]) > std::abs(view_->row[static_cast<std::size_t>(b)]); });
  const auto here = std::find(order.begin(), order.end(), s.selection.key);
  if (here == order.end()) return order.front();
  const auto count = static_cast<int>(order.size());
  return order[static_cast<std::size_t>(((static_cast<int>(here - order.begin()) + by) % count + count) % count)];
}

// Chooses a key and brings it into sight: where a view shows more tokens than it has room for names, it goes nearer.
void App::look_at_key(AppState& s, int key) const {
  s.selection.key = key;
  const Stream& stream = shown_of(s.recipe);
  for (Camera* c : {&s.graph.camera, &s.matrix.camera}) {
    const bool matrix = c == &s.matrix.camera;
    if ((s.view == ViewKind::matrix) != matrix) continue;
    if (c->zoom == 1 && stream.keys > 128) c->zoom = stream.keys / 48.0;
    if (c->zoom == 1) continue;
    c->x = (key + 0.5) / stream.keys;
    if (matrix) c->y = (s.selection.query + 0.5) / std::max(1, stream.queries);
  }
}

std::optional<Error> App::check(const AppState& s) const {
  const Recipe& r = s.recipe;
  if (!dump_->find(r.stream)) {
    std::string known;
    for (const auto& stream : dump_->streams) known += (known.empty() ? "" : ", ") + stream.name;
    return Error{ErrorCode::no_such_stream, {{"value", r.stream}, {"allowed", known}}};
  }
  const Stream& stored = stream_of(r);
  const int heads = std::max(1, stored.heads);
  for (int h : r.heads)
    if (h < 0 || h >= heads) return out_of_range("heads", h, 0, heads);
  if (r.end_layer > stored.layers()) return out_of_range("layers", r.end_layer, 1, stored.layers() + 1);
  if (r.first_layer >= stored.layers()) return out_of_range("layers", r.first_layer, 0, stored.layers());
  if (auto error = misfit(*dump_, r)) return error;
  const Stream& stream = shown_of(r);
  const int end = r.end_layer < 0 ? stream.layers() : r.end_layer;
  if (s.selection.query >= stream.queries) return out_of_range("query", s.selection.query, 0, stream.queries);
  if (s.selection.key >= stream.keys) return out_of_range("key", s.selection.key, -1, stream.keys);
  if (s.selection.level > end - r.first_layer) return out_of_range("level", s.selection.level, -1, end - r.first_layer + 1);
  if (s.matrix.layer >= stream.layers()) return out_of_range("layer", s.matrix.layer, -1, stream.layers());
  if (s.matrix.kind == MatrixKind::head && s.matrix.head >= heads) return out_of_range("head", s.matrix.head, 0, heads);
  return std::nullopt;
}

void App::start_on(AppState& s, const Stream& stream, const Recipe& fresh) const {
  s.recipe.stream = fresh.stream;
  s.recipe.method = fresh.method;
  s.recipe.heads.clear();
  s.recipe.residuals.clear();
  s.recipe.first_layer = fresh.first_layer;
  s.recipe.end_layer = fresh.end_layer;
  s.selection = {.query = default_query(stream)};
  s.matrix.layer = -1;
  s.matrix.head = 0;
  s.matrix.low = s.matrix.high = -1;
  s.matrix.camera = s.graph.camera = {};
}

void App::keep_token(AppState& s, const Recipe& before) const {
  const Stream& stored = stream_of(before);
  const MergeGroups old = merge_groups(stored, before), now = merge_groups(stored, s.recipe);
  const auto moved = [](int index, const std::vector<int>& from, const std::vector<int>& to) {
    if (index < 0) return index;
    if (!from.empty()) index = static_cast<int>(std::find(from.begin(), from.end(), index) - from.begin());
    return to.empty() ? index : to[std::min(static_cast<std::size_t>(index), to.size() - 1)];
  };
  s.selection.query = moved(s.selection.query, old.queries, now.queries);
  s.selection.key = moved(s.selection.key, old.keys, now.keys);
}

std::string App::run(std::string_view id, std::string_view args_json) {
  const auto table = commands();
  const auto command = std::find_if(table.begin(), table.end(), [&](const Command& c) { return c.id == id; });
  if (command == table.end()) return error_json({ErrorCode::unknown_option, {{"option", std::string(id)}, {"verb", "run"}}});
  const auto args = parse_json(args_json);
  if (!args || !args->is(Json::Kind::object)) return error_json(bad_value(id, args_json, command->args));
  if (id == "help" || id == "open" || id == "examples" || id == "report") {
    tell_(id, "{}");
    return "{}";
  }
  if (!dump_) return error_json({ErrorCode::no_dump, {}});
  for (const auto& [name, v] : args->members)
    if (!names(command->args, name)) return error_json(bad_value(id, name, command->args));
  if (const auto error = apply(id, *args)) return error_json(*error);
  if (id.starts_with("layout.")) {  // kept between visits
    JsonWriter w;
    w.object().field("view", view_name(state_.view)).field("second", state_.second < 0 ? std::string_view("none") : view_name(static_cast<ViewKind>(state_.second)));
    tell_("layout", w.field("split", state_.split).end().text());
  }
  return "{}";
}

std::optional<Error> App::apply(std::string_view id, const Json& args) {
  AppState next = state_;
  const auto needs = [&](std::string_view name) { return args.find(name) != nullptr; };
  const auto refused = [&](std::string_view allowed) {
    const Json* v = args.members.empty() ? nullptr : &args.members.front().second;
    return bad_value(args.members.empty() ? id : std::string_view(args.members.front().first), shown_value(v), allowed);
  };

  if (id == "find") return tell_("find", "{}"), std::nullopt;
  if (id == "undo") return undo(), std::nullopt;
  if (id == "redo") return redo(), std::nullopt;
  if (id == "limits") return tell_limits(), std::nullopt;

  if (id == "select.query") {
    // Another output is asked about as an output, unless a level is named.
    next.selection.level = -1;
    if (!needs("query") || !read_fields(args, "", next)) return refused("0..");
  } else if (id == "select.key" || id == "select.level") {
    if (!needs(id.substr(7)) || !read_fields(args, "", next)) return refused("-1..");
  } else if (id == "select.next" || id == "select.previous") {
    next.selection.query += id == "select.next" ? 1 : -1;
    next.image.region = {};
    keep_in_range(next);
  } else if (id == "select.find" || id == "select.strongest") {
    const Json *step = args.find("step"), *text = args.find("text");
    if (step && !step->integer()) return refused("a number");
    const int by = step ? step->integer().value_or(1) : 1;
    if (id == "select.find" && (!text || !text->is(Json::Kind::text) || text->text.empty())) return refused("text");
    const int found = id == "select.find" ? find_key(next, text->text, by) : strongest_key(next, by);
    if (found < 0 && text) return Error{ErrorCode::usage, {{"detail", "No token holds " + text->text}}};
    if (found >= 0) look_at_key(next, found);
  } else if (id.starts_with("recipe.")) {
    const std::string_view field = id.substr(7);
    if (!needs(field) || !read_fields(args, "recipe", next)) return refused(allowed_values(field));
    const Recipe before = state_.recipe;
    Recipe& r = next.recipe;
    const bool joined = before.method == Method::joint;  // it has no stream of its own
    if (field == "stream" && (joined || r.stream != before.stream) && dump_->find(r.stream)) {
      // Rows, layers and heads of another stream are others: start where opening it would, with the method if it can be.
      const bool usual = joined || before.method == default_recipe(*dump_, stream_of(before)).method;
      const Stream& stream = stream_of(r);
      start_on(next, stream, default_recipe(*dump_, stream, usual ? std::nullopt : std::optional(before.method)));
      r = fitted(*dump_, std::move(r));
    } else if (field == "method") {
      const Stream* stream = stream_for(*dump_, stream_of(before), r.method);
      if (stream) {
        const Recipe fresh = default_recipe(*dump_, *stream, r.method), usual = default_recipe(*dump_, stream_of(before), before.method);
        if (stream != &stream_of(before)) start_on(next, *stream, fresh);
        else if (before.first_layer == usual.first_layer && before.end_layer == usual.end_layer) r.first_layer = fresh.first_layer, r.end_layer = fresh.end_layer;
        if (r.method == Method::attribution && before.method != r.method && r.source == before.source) r.source.clear();
        r = fitted(*dump_, std::move(r));
        next.matrix.low = next.matrix.high = -1;  // other units
      }
    } else if (field == "sink" && r.sink == SinkMode::lift) {
      r.merge = Merge::pieces;
    } else if (field == "merge" && r.merge != Merge::pieces && r.sink == SinkMode::lift) {
      r.sink = SinkMode::keep;
    } else if (field == "residual" && (r.residual_from != ResidualFrom::stated || !r.residuals.empty())) {
      if (r.residual_from != ResidualFrom::stated) r.merge_time = MergeTime::after;
      if (r.sink == SinkMode::lift) r.sink = SinkMode::keep;  // chance has one residual weight
    } else if (field == "layers" && static_cast<int>(r.residuals.size()) != (r.end_layer < 0 ? stream_of(r).layers() : r.end_layer) - r.first_layer) {
      r.residuals.clear();
    }
    if (r.merge != before.merge && stream_of(before).name == stream_of(r).name) keep_token(next, before);
    if (r.first_layer != before.first_layer || r.end_layer != before.end_layer) next.selection.level = -1;
  } else if (const auto view = view_named(id)) {
    if (!view_possible(*view)) return Error{ErrorCode::usage, {{"detail", *view == ViewKind::image ? "Image needs a patch grid, and this file has none" : "The heads are fused in this file already"}}};
    if (next.second == static_cast<int>(*view)) next.second = static_cast<int>(next.view);  // the two change places
    next.view = *view;
  } else if (id == "layout.read" || id == "layout.compare" || id == "layout.teach") {
    // Read: the graph and what it says. Compare: two recipes. Teach: how the tokens are joined, beside the numbers.
    next.maximised = false;
    next.second = id == "layout.teach" ? static_cast<int>(ViewKind::matrix) : -1;
    next.view = id == "layout.compare" ? ViewKind::compare : ViewKind::graph;
    if (id == "layout.teach") next.split = 0.5;
  } else if (id == "layout.second") {
    if (args.members.empty() || !read_fields(args, "", next)) return refused("none, graph, matrix, heads, lines, image, depth, compare");
    if (next.second == static_cast<int>(next.view)) return refused("another view than the main one");
    if (next.second >= 0 && !view_possible(static_cast<ViewKind>(next.second))) return Error{ErrorCode::usage, {{"detail", "This view has nothing to show for this file"}}};
    next.maximised = false;
  } else if (id == "view.fit") {
    (next.view == ViewKind::matrix ? next.matrix.camera : next.graph.camera) = {};
  } else if (id == "view.zoom" || id == "view.zoom_in" || id == "view.zoom_out") {
    double factor = id == "view.zoom_out" ? 1 / 1.5 : 1.5;
    if (id == "view.zoom") {
      const Json* v = args.find("factor");
      if (!v || !v->is(Json::Kind::number) || !(v->number > 0) || v->number > 1e6) return refused("> 0");
      factor = v->number;
    }
    const Stream& stream = shown_of(next.recipe);
    Camera& camera = next.view == ViewKind::graph ? next.graph.camera : next.matrix.camera;
    // About four cells across are enough; what the layout cannot show it clamps itself.
    camera.zoom = std::clamp(camera.zoom * factor, 1.0, std::max(4.0, std::max(stream.queries, stream.keys) / 4.0));
  } else if (id == "view.maximise") {
    next.maximised = !next.maximised;
  } else if (id == "graph.keep") {
    if (!needs("keep") || !read_fields(args, "", next)) return refused("0..1");
  } else if (id == "graph.top") {
    if (!needs("top") || !read_fields(args, "graph", next)) return refused("0..32");
  } else if (id == "graph.edge") {
    if (!needs("edge") || !read_fields(args, "graph", next)) return refused("[layer, query, key]");
    const Stream& stream = stream_of(next.recipe);
    const GraphState& g = next.graph;
    if (g.edge_layer >= stream.layers()) return out_of_range("layer", g.edge_layer, -1, stream.layers());
    if (g.edge_query >= stream.queries) return out_of_range("query", g.edge_query, 0, stream.queries);
    if (g.edge_key >= stream.keys) return out_of_range("key", g.edge_key, 0, stream.keys);
  } else if (id == "matrix.show") {
    if (!needs("kind") || !read_fields(args, "matrix", next)) return refused("result, after_layer, fused_layer, head");
    if (next.matrix.kind != state_.matrix.kind) next.matrix.low = next.matrix.high = -1;
  } else if (id == "matrix.scale") {
    if (!needs("scale") || !read_fields(args, "matrix", next)) return refused("linear, log, per_row");
    if (next.matrix.scale != state_.matrix.scale) next.matrix.low = next.matrix.high = -1;
  } else if (id == "matrix.values") {
    next.matrix.values = !next.matrix.values;
  } else if (id == "matrix.range") {
    if (!needs("low") || !needs("high") || !read_fields(args, "matrix", next)) return refused("low < high");
    if (next.matrix.low >= 0 && next.matrix.high >= 0 && next.matrix.low >= next.matrix.high) return refused("low < high");
  } else if (id == "heads.choose") {
    if (!needs("layer") || !needs("head") || !read_fields(args, "heads", next)) return refused("0..");
  } else if (id == "heads.order" || id == "heads.role") {
    if (!needs(id.substr(6)) || !read_fields(args, "heads", next)) return refused("layer, role, spread, distance");
  } else if (id == "heads.open") {
    if (!needs("layer") || !needs("head") || !read_fields(args, "heads", next) || next.heads.layer < 0 || next.heads.head < 0) return refused("0..");
    next.view = ViewKind::matrix;
    next.matrix.kind = MatrixKind::head;
    next.matrix.layer = next.heads.layer;
    next.matrix.head = next.heads.head;
    next.matrix.low = next.matrix.high = -1;
    next.matrix.camera = {};
  } else if (id == "heads.fuse") {
    if (!needs("head") || !read_fields(args, "heads", next) || next.heads.head < 0) return refused("0..");
    next.recipe.heads = {next.heads.head};
  } else if (id == "image.smooth") {
    next.image.smooth = !next.image.smooth;
  } else if (id == "image.outline") {
    next.image.outline = !next.image.outline;
  } else if (id == "image.opacity") {
    if (!needs("opacity") || !read_fields(args, "image", next)) return refused("0..1");
  } else if (id == "image.region") {
    if (!needs("region") || !read_fields(args, "image", next)) return refused("[row, column, row, column], []");
    const PatchGrid grid = patches_of(next.recipe);
    if (grid.rows == 0) return Error{ErrorCode::usage, {{"detail", "A region needs patches that are rows too"}}};
    const PatchRegion& r = next.image.region;
    if (r.row1 >= grid.rows) return out_of_range("region", r.row1, 0, grid.rows);
    if (r.column1 >= grid.columns) return out_of_range("region", r.column1, 0, grid.columns);
    next.selection.level = -1;
  } else if (id == "depth.play") {
    playing = !playing && is_chain(stream_of(next.recipe), next.recipe);
    if (playing) next.recipe.end_layer = next.recipe.first_layer + 1, next.recipe.residuals.clear();
  } else if (id == "depth.measure") {
    if (!needs("measure") || !read_fields(args, "depth", next)) return refused("entropy, distance, top_share, sink_mass, effective_rank, key");
  } else if (id == "lines.show") {
    if (args.members.empty() || !read_fields(args, "lines", next)) return refused("layer, heads, top 1..8, keep 0..1, block");
    for (const int h : next.lines.heads)
      if (h >= std::max(1, stream_of(next.recipe).heads)) return out_of_range("heads", h, 0, std::max(1, stream_of(next.recipe).heads));
    if (next.lines.layer >= stream_of(next.recipe).layers()) return out_of_range("layer", next.lines.layer, -1, stream_of(next.recipe).layers());
  } else if (id == "compare.recipe") {
    AppState other = state_;
    other.recipe = other_recipe(state_);
    if (args.members.empty() || !read_fields(args, "recipe", other)) return refused("a recipe");
    Recipe b = std::move(other.recipe);
    const Stream* stream = dump_->find(b.stream);
    if (!stream) return Error{ErrorCode::no_such_stream, {{"value", b.stream}, {"allowed", state_.recipe.stream}}};
    if (args.find("method") && !args.find("layers")) {
      const Recipe fresh = default_recipe(*dump_, *stream, b.method);
      b.first_layer = fresh.first_layer;
      b.end_layer = fresh.end_layer;
    }
    b = fitted(*dump_, std::move(b));
    if (auto error = misfit(*dump_, b)) return error;
    next.compare.chosen = true;
    next.compare.recipe = std::move(b);
  } else if (id == "compare.pin") {
    next.compare.chosen = true;
    next.compare.recipe = state_.recipe;
  } else if (id == "compare.hold") {
    // Without a number: the output now chosen; -1: B follows A again.
    if (!needs("query")) next.compare.query = next.selection.query;
    else if (!read_fields(args, "compare", next)) return refused("-1..");
    if (next.compare.query >= shown_of(next.recipe).queries) return out_of_range("query", next.compare.query, -1, shown_of(next.recipe).queries);
  } else if (id == "compare.swap") {
    const Recipe b = other_recipe(state_);
    next.compare.chosen = true;
    next.compare.recipe = state_.recipe;
    if (next.compare.query >= 0) std::swap(next.compare.query, next.selection.query);
    next.recipe = b;
    next.selection.level = -1;
    next.matrix.low = next.matrix.high = -1;
  } else if (id == "escape") {
    if (!next.image.region.none()) next.image.region = {};
    else if (next.graph.edge_layer >= 0) next.graph.edge_layer = next.graph.edge_query = next.graph.edge_key = -1;
    else if (next.selection.key >= 0) next.selection.key = -1;
    else if (next.selection.level >= 0) next.selection.level = -1;
    else next.maximised = false;
  }
  if (const auto error = check(next)) return error;
  set(next);
  return std::nullopt;
}

}  // namespace rollscope
