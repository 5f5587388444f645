#include "scene/app.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/recipe_text.h"
#include "analysis/shown_stream.h"
#include "base/archive.h"
#include "scene/json.h"
#include "scene/recipe_fit.h"
#include "scene/shown_row.h"
#include "scene/state_codec.h"

namespace rollscope {
namespace {

constexpr std::size_t kHistory = 100;

std::string thumbs_question(const AppState& s) { return R"({"recipe":)" + recipe_to_json(s.recipe) + "}"; }

void take_matrix_question(MatrixState& to, const MatrixState& from) {
  to.kind = from.kind;
  to.layer = from.layer;
  to.head = from.head;
}

// Which fields a step changed; each slider and each camera has a bit of its own.
enum : unsigned { kOther = 1, kResidual = 2, kKeep = 4, kRange = 8, kMatrixCamera = 16, kGraphCamera = 32, kDiscard = 64 };
unsigned difference(const AppState& a, const AppState& b) {
  unsigned bits = 0;
  if (a.recipe.residual != b.recipe.residual) bits |= kResidual;
  if (a.recipe.discard != b.recipe.discard) bits |= kDiscard;
  if (a.graph.keep != b.graph.keep) bits |= kKeep;
  if (a.matrix.low != b.matrix.low || a.matrix.high != b.matrix.high) bits |= kRange;
  if (!(a.matrix.camera == b.matrix.camera)) bits |= kMatrixCamera;
  if (!(a.graph.camera == b.graph.camera)) bits |= kGraphCamera;
  AppState rest = b;
  rest.recipe.residual = a.recipe.residual;
  rest.recipe.discard = a.recipe.discard;
  rest.graph = a.graph;
  rest.matrix.low = a.matrix.low;
  rest.matrix.high = a.matrix.high;
  rest.matrix.camera = a.matrix.camera;
  rest.maximised = a.maximised;  // how the page is arranged is no step of the explanation
  rest.second = a.second;
  rest.split = a.split;
  rest.drawer = a.drawer;
  if (!(rest == a)) bits |= kOther;
  return bits;
}

bool one_bit(unsigned bits) { return bits != 0 && (bits & (bits - 1)) == 0; }

template <class M>
bool read_archive(std::span<const std::uint8_t> bytes, M& m) {
  ArchiveReader reader(bytes);
  fields(reader, m);
  return !reader.failed();
}

}  // namespace

App::App(Ask ask, Cancel cancel, Tell tell) : ask_(std::move(ask)), cancel_(std::move(cancel)), tell_(std::move(tell)) {}

// --- what is there to draw

const Stream& App::stream_of(const Recipe& recipe) const {
  const Stream* found = dump_->find(recipe.stream);
  return found ? *found : dump_->streams.front();
}
const Stream& App::shown_of(const Recipe& recipe) const {
  if (recipe.merge == Merge::pieces && recipe.method != Method::joint) return stream_of(recipe);
  Recipe of;
  of.stream = stream_of(recipe).name;
  of.method = recipe.method == Method::joint ? Method::joint : Method::rollout;
  of.merge = recipe.merge;
  for (const auto& known : shown_streams_)
    if (known->of == of) return known->stream;
  shown_streams_.push_back(std::make_unique<ShownStream>(ShownStream{of, shown_stream(*dump_, of)}));
  return shown_streams_.back()->stream;
}
const Stream& App::stream() const { return shown_of(shown_.recipe); }
const Stream& App::stored_stream() const { return stream_of(shown_.recipe); }

PatchGrid App::grid() const { return shown_grid(*dump_, stored_stream(), stream(), shown_.recipe); }

bool App::settled() const {
  return dump_ && !pending_view_.number && !(shows(state_, ViewKind::matrix) && pending_matrix_.number);
}
bool App::busy() const {
  return pending_view_.number || pending_matrix_.number || pending_thumbs_.number || wall_.pending.number || layers_.pending.number || picture_.pending.number || lines_.pending.number || beside_.pending.number || edge_.pending.number || cut_.pending.number;
}

int App::depth() const {
  const int end = shown_.recipe.end_layer < 0 ? stream().layers() : shown_.recipe.end_layer;
  return end - shown_.recipe.first_layer;
}

bool App::chain() const { return is_chain(stored_stream(), shown_.recipe); }
bool App::row_alone() const { return !whole_matrix(shown_); }
bool App::for_one_output() const { return rollscope::for_one_output(*dump_, shown_.recipe); }
int App::border() const { return joint_border(stored_stream(), shown_.recipe); }

bool App::whole_matrix(const AppState& s) const {
  const bool whole = s.matrix.kind == MatrixKind::result || s.matrix.kind == MatrixKind::after_layer;
  return !whole || !one_row_at_a_time(stream_of(s.recipe), s.recipe);
}

PatchGrid App::patches_of(const Recipe& recipe) const {
  const Stream& stream = shown_of(recipe);
  const PatchGrid grid = shown_grid(*dump_, stream_of(recipe), stream, recipe);
  return two_sided(stream) || rollscope::for_one_output(*dump_, recipe) || stream.queries < grid.prefix + grid.rows * grid.columns ? PatchGrid{} : grid;
}

std::string App::view_question(const AppState& s) const {
  JsonWriter w;
  const PatchRegion& r = s.image.region;
  if (r.none()) {
    w.value(s.selection.query);
  } else {
    const PatchGrid grid = patches_of(s.recipe);
    w.array();
    for (int i = r.row0; i <= r.row1; ++i)
      for (int j = r.column0; j <= r.column1; ++j) w.value(grid.prefix + i * grid.columns + j);
    w.end();
  }
  return R"({"recipe":)" + recipe_to_json(s.recipe) + (r.none() ? R"(,"query":)" : R"(,"rows":)") + w.text() + R"(,"level":)" + std::to_string(s.selection.level) + "}";
}

std::string App::mean_name() const {
  if (!view_ || view_->rows.empty()) return {};
  return fill(words_ ? words_("token.region") : "mean of {n} patches", {{"n", std::to_string(view_->rows.size())}});
}

std::string App::token_name(int index, bool key, bool short_form) const {
  const std::string words = words_ ? words_(short_form ? "token.patch_short" : "token.patch") : std::string();
  return rollscope::token_name(stream(), grid(), index, key, words.empty() ? "{row}, {column}" : words);
}

// --- answers that only some views want

template <class T>
void App::ask_side(Side<T>& side, std::string_view verb, bool wanted, std::string args) {
  if (!wanted || (side.data && args == side.args) || args == side.failed) {
    drop(side.pending);
    return;
  }
  side.failed.clear();
  put(side.pending, verb, std::move(args));
}

template <class T>
bool App::take_side(Side<T>& side, std::uint32_t number, std::span<const std::uint8_t> archive) {
  if (number != side.pending.number) return false;
  T data;
  if (!read_archive(archive, data)) {
    failure(number, R"({"code":"read_failed"})");
    return true;
  }
  side.data = std::move(data);
  side.args = std::move(side.pending.args);
  side.pending = {};
  ++side.version;
  return true;
}

template <class T>
bool App::fail_side(Side<T>& side, std::uint32_t number) {
  if (number != side.pending.number) return false;
  side.failed = std::move(side.pending.args);
  side.pending = {};
  side.data.reset();
  ++side.version;
  return true;
}

template <class T>
void App::forget_side(Side<T>& side) {
  drop(side.pending);
  side.data.reset();
  side.args.clear();
  side.failed.clear();
  ++side.version;
}

// --- input from outside

int App::default_query(const Stream& stream) const { return std::max(0, first_query(*dump_, stream)); }

void App::open(DumpInfo dump) {
  for (Pending* p : {&pending_view_, &pending_matrix_, &pending_thumbs_}) drop(*p);
  forget_side(wall_);
  forget_side(layers_);
  forget_side(picture_);
  forget_side(lines_);
  forget_side(beside_);
  forget_side(edge_);
  forget_side(cut_);
  dump_ = std::move(dump);
  shown_streams_.clear();
  view_.reset();
  matrix_.reset();
  next_matrix_.reset();
  thumbs_.reset();
  for (auto* args : {&view_args_, &matrix_args_, &next_matrix_args_, &thumbs_args_, &failed_matrix_, &failed_thumbs_}) args->clear();
  undo_.clear();
  redo_.clear();
  drag_from_.reset();
  last_step_ = 0;
  hover = {};
  ++view_version_;
  ++matrix_version_;

  AppState next;
  next.view = state_.view;
  next.maximised = state_.maximised;
  next.second = state_.second;
  next.split = state_.split;
  next.drawer = state_.drawer;
  next.graph.keep = state_.graph.keep;
  next.matrix.values = state_.matrix.values;
  if (!dump_->streams.empty()) {
    const Stream& first = dump_->streams.front();
    next.recipe = default_recipe(*dump_, first);
    next.selection.query = default_query(first);
    keep_in_range(next);
  }
  state_ = shown_ = next;
  if (dump_->streams.empty()) dump_.reset();
  else state_changed();
}

void App::answer(std::uint32_t number, std::span<const std::uint8_t> archive) {
  if (number == 0) return;
  const auto damaged = [&] { failure(number, R"({"code":"read_failed"})"); };
  if (number == pending_view_.number) {
    ViewData view;
    const Stream& s = shown_of(state_.recipe);
    if (!read_archive(archive, view) || view.row.size() != static_cast<std::size_t>(s.keys)) return damaged();
    view_ = std::move(view);
    view_args_ = std::move(pending_view_.args);
    pending_view_ = {};
    adopt_view();
  } else if (number == pending_matrix_.number) {
    MatrixData matrix;
    if (!read_archive(archive, matrix) || matrix.values.size() != static_cast<std::size_t>(matrix.rows) * matrix.columns) return damaged();
    // A merged layer is the answer to another question than the layer itself.
    matrix.kind = state_.matrix.kind;
    matrix.layer = state_.matrix.layer;
    matrix.head = state_.matrix.head;
    next_matrix_ = std::move(matrix);
    next_matrix_args_ = std::move(pending_matrix_.args);
    pending_matrix_ = {};
    adopt_matrix();
  } else if (number == pending_thumbs_.number) {
    ThumbData thumbs;
    if (!read_archive(archive, thumbs)) return damaged();
    thumbs_ = std::move(thumbs);
    thumbs_args_ = std::move(pending_thumbs_.args);
    pending_thumbs_ = {};
  } else {
    const bool picture = number == picture_.pending.number;
    (void)(take_side(wall_, number, archive) || take_side(layers_, number, archive) || take_side(picture_, number, archive) || take_side(lines_, number, archive) ||
           take_side(beside_, number, archive) || take_side(edge_, number, archive) || take_side(cut_, number, archive));
    if (picture) tell_picture();
  }
}

void App::failure(std::uint32_t number, const std::string& error_json) {
  if (number == 0) return;
  if (number == pending_view_.number) {
    pending_view_ = {};
    if (view_) {  // back to the question that has an answer
      state_.recipe = shown_.recipe;
      state_.selection.query = shown_.selection.query;
      state_.selection.level = shown_.selection.level;
      state_.image.region = shown_.image.region;
      if (!undo_.empty() && undo_.back() == state_) undo_.pop_back();
      drag_from_.reset();
      state_changed();
    }
  } else if (number == pending_matrix_.number) {
    failed_matrix_ = std::move(pending_matrix_.args);
    pending_matrix_ = {};
    if (matrix_) take_matrix_question(state_.matrix, shown_.matrix);
  } else if (number == pending_thumbs_.number) {
    failed_thumbs_ = std::move(pending_thumbs_.args);
    pending_thumbs_ = {};
  } else if (!fail_side(wall_, number) && !fail_side(layers_, number) && !fail_side(picture_, number) && !fail_side(lines_, number) && !fail_side(beside_, number) && !fail_side(edge_, number) && !fail_side(cut_, number)) {
    return;
  }
  tell_("error", error_json);
}

// --- state and history

void App::keep_in_range(AppState& s) const {
  s.recipe = fitted(*dump_, std::move(s.recipe));
  const Recipe& r = s.recipe;
  const Stream& stream = shown_of(r);
  const int layers = std::max(1, stream.layers());
  const bool chain = is_chain(stream_of(r), r);

  const int depth = r.end_layer - r.first_layer;
  s.selection.query = std::clamp(s.selection.query, 0, std::max(0, stream.queries - 1));
  if (s.selection.key < 0 || s.selection.key >= stream.keys) s.selection.key = -1;
  if (PatchRegion& p = s.image.region; !p.none()) {
    const PatchGrid grid = patches_of(r);
    if (p.row1 < grid.rows && p.column1 < grid.columns) s.selection.query = grid.prefix + p.row0 * grid.columns + p.column0;
    else p = {};
    if (p.row0 == p.row1 && p.column0 == p.column1) p = {};  // one patch is a token
  }
  // The top level is the output; what is no chain has no states in between.
  if (s.selection.level < 0 || s.selection.level >= depth || !chain) s.selection.level = -1;

  MatrixState& m = s.matrix;
  const bool in_range = m.kind == MatrixKind::after_layer;
  const int low = in_range ? r.first_layer : 0, end = in_range ? r.end_layer : layers;
  m.layer = m.layer < 0 || m.layer >= end ? end - 1 : std::max(m.layer, low);
  m.head = std::clamp(m.head, 0, std::max(0, stream.heads - 1));
  if (m.kind == MatrixKind::after_layer && !chain) m.kind = MatrixKind::result;
  if (m.kind == MatrixKind::head && stream.heads == 0) m.kind = MatrixKind::fused_layer;
  if (s.view == ViewKind::image && dump_->grid.rows == 0) s.view = ViewKind::graph;
  if (s.view == ViewKind::heads && stream_of(r).heads == 0) s.view = ViewKind::graph;
  const auto second = static_cast<ViewKind>(s.second);
  if (s.second < 0 || s.second >= kViewKinds || second == s.view || (second == ViewKind::image && dump_->grid.rows == 0) ||
      (second == ViewKind::heads && stream_of(r).heads == 0))
    s.second = -1;
  s.split = std::isfinite(s.split) ? std::clamp(s.split, 0.25, 0.75) : 0.5;
  const int heads = std::max(1, stream_of(r).heads);
  GraphState& g = s.graph;
  g.top = std::clamp(g.top, 0, kMostTop);
  if (g.edge_layer < 0 || g.edge_query < 0 || g.edge_key < 0 || g.edge_layer >= layers || g.edge_query >= stream_of(r).queries || g.edge_key >= stream_of(r).keys)
    g.edge_layer = g.edge_query = g.edge_key = -1;
  s.lines.layer = s.lines.layer < 0 || s.lines.layer >= layers ? -1 : s.lines.layer;
  std::erase_if(s.lines.heads, [&](int h) { return h >= heads; });
  if (static_cast<int>(s.lines.heads.size()) == heads) s.lines.heads.clear();
  s.lines.top = std::clamp(s.lines.top, 1, kLineKeys);
  s.lines.keep = std::clamp(s.lines.keep, 0.0, 1.0);
  if (s.compare.query >= shown_of(r).queries) s.compare.query = -1;
  if (s.compare.chosen) {
    if (!dump_->find(s.compare.recipe.stream)) s.compare = {};
    else s.compare.recipe = fitted(*dump_, std::move(s.compare.recipe));
  }
  if (s.heads.layer >= layers || s.heads.head >= stream_of(r).heads || s.heads.layer < 0 || s.heads.head < 0) s.heads.layer = s.heads.head = -1;
  if (!(m.low >= 0)) m.low = -1;
  if (!(m.high > std::max(0.0, m.low))) m.high = -1;
  for (Camera* c : {&m.camera, &s.graph.camera}) {
    c->x = std::clamp(std::isfinite(c->x) ? c->x : 0.5, 0.0, 1.0);
    c->y = std::clamp(std::isfinite(c->y) ? c->y : 0.5, 0.0, 1.0);
    c->zoom = std::clamp(std::isfinite(c->zoom) ? c->zoom : 1.0, 1.0, 1e6);
    if (c->zoom == 1) c->x = c->y = 0.5;
  }
  s.graph.keep = s.graph.keep > 0 && s.graph.keep <= 1 ? s.graph.keep : 0.75;
}

void App::set(const AppState& wanted, bool step) {
  if (!dump_) {  // how the page is arranged waits for the first dump
    state_.view = wanted.view;
    state_.second = wanted.second;
    state_.split = wanted.split;
    return;
  }
  AppState next = wanted;
  if (next.selection.query != state_.selection.query && next.image.region == state_.image.region) next.image.region = {};  // another output is chosen
  keep_in_range(next);
  if (!step && !drag_from_) drag_from_ = state_;
  const AppState before = step && drag_from_ ? *std::exchange(drag_from_, std::nullopt) : state_;
  const bool moved = !(next == state_);
  state_ = next;
  if (step) remember(before);
  if (moved) state_changed();
}

void App::remember(const AppState& before) {
  const unsigned changed = difference(before, state_);
  if (!changed) return;
  redo_.clear();
  const bool same_slider = one_bit(changed) && changed != kOther && changed == last_step_ && !undo_.empty();
  if (!same_slider) {
    undo_.push_back(before);
    if (undo_.size() > kHistory) undo_.erase(undo_.begin());
  }
  last_step_ = changed;
  tell_("state", "{}");
}

void App::undo() {
  if (drag_from_) set(state_, true);
  if (undo_.empty()) return;
  redo_.push_back(state_);
  state_ = std::move(undo_.back());
  undo_.pop_back();
  last_step_ = 0;
  state_changed();
  tell_("state", "{}");
}

void App::redo() {
  if (redo_.empty()) return;
  undo_.push_back(state_);
  state_ = std::move(redo_.back());
  redo_.pop_back();
  last_step_ = 0;
  state_changed();
  tell_("state", "{}");
}

// --- questions

void App::put(Pending& pending, std::string_view verb, std::string args) {
  if (pending.number && pending.args == args) return;
  drop(pending);
  pending.number = ask_(verb, args);
  pending.args = std::move(args);
}

void App::drop(Pending& pending) {
  if (pending.number) cancel_(pending.number);
  pending = {};
}

void App::ask_view() {
  std::string args = view_question(state_);
  if (view_ && args == view_args_) drop(pending_view_);
  else put(pending_view_, "view", std::move(args));
}

// Parts of the recipe that this matrix does not depend on are left at their defaults, so that a change of the residual
// weight does not ask for the same head again.
std::string App::matrix_question(const AppState& s) const {
  MatrixKind kind = s.matrix.kind;
  Recipe recipe = s.recipe;
  int layer = kind == MatrixKind::result ? 0 : s.matrix.layer, head = kind == MatrixKind::head ? s.matrix.head : 0;
  if (kind == MatrixKind::fused_layer || kind == MatrixKind::head) {
    Recipe lean;
    lean.stream = recipe.stream;
    lean.method = Method::raw;
    if (kind == MatrixKind::fused_layer) lean.fusion = recipe.fusion, lean.heads = recipe.heads;
    if (recipe.merge != Merge::pieces) {  // words read words: the raw attention of this layer alone
      lean.merge = recipe.merge;
      lean.merge_queries = recipe.merge_queries;
      lean.first_layer = layer;
      lean.end_layer = layer + 1;
      if (kind == MatrixKind::head && stream_of(recipe).heads > 1) lean.heads = {head};
      kind = MatrixKind::result;
      layer = head = 0;
    }
    recipe = lean;
  }
  return R"({"recipe":)" + recipe_to_json(recipe) + R"(,"kind":")" + std::string(matrix_kind_name(kind)) + R"(","layer":)" +
         std::to_string(layer) + R"(,"head":)" + std::to_string(head) + "}";
}

void App::ask_matrix() {
  std::string args = matrix_question(state_);
  const bool here = (matrix_ && args == matrix_args_) || (next_matrix_ && args == next_matrix_args_);
  if (!shows(state_, ViewKind::matrix) || here || args == failed_matrix_ || !whole_matrix(state_)) {
    drop(pending_matrix_);
    return;
  }
  failed_matrix_.clear();
  put(pending_matrix_, "matrix", std::move(args));
}

void App::ask_thumbs() {
  std::string args = thumbs_question(state_);
  const bool wanted = shows(state_, ViewKind::matrix) && is_chain(stream_of(state_.recipe), state_.recipe);
  if (!wanted || (thumbs_ && args == thumbs_args_) || args == failed_thumbs_) {
    drop(pending_thumbs_);
    return;
  }
  failed_thumbs_.clear();
  put(pending_thumbs_, "thumbs", std::move(args));
}

// The wall does not depend on the recipe; with a grid its pictures are rows over the patches.
void App::ask_sides() {
  const bool grid = dump_->grid.rows > 0;
  Recipe plain;
  plain.stream = state_.recipe.stream;
  plain.method = Method::raw;
  const std::string query = std::to_string(state_.selection.query);
  ask_side(wall_, "wall", shows(state_, ViewKind::heads) && view_possible(ViewKind::heads),
           R"({"recipe":)" + recipe_to_json(plain) + R"(,"query":)" + (grid && state_.recipe.merge == Merge::pieces ? query : "-1") + "}");
  const bool deep = is_chain(stream_of(state_.recipe), state_.recipe);
  Recipe layers = state_.recipe;
  if (layers.residuals.empty() && layers.head < 0) layers.end_layer = stream_of(state_.recipe).layers();  // beyond the range too: it is set there
  if (!deep) {
    layers = plain;
    layers.first_layer = state_.recipe.first_layer;
    layers.end_layer = stream_of(state_.recipe).layers();
  }
  ask_side(layers_, "layers", shows(state_, ViewKind::depth), R"({"recipe":)" + recipe_to_json(layers) + R"(,"query":)" + query + "}");
  const int layer = state_.lines.layer < 0 ? stream_of(state_.recipe).layers() - 1 : state_.lines.layer;
  ask_side(lines_, "lines", shows(state_, ViewKind::lines), R"({"recipe":)" + recipe_to_json(plain) + R"(,"layer":)" + std::to_string(layer) + "}");
  const GraphState& g = state_.graph;
  ask_side(edge_, "edge", g.edge_layer >= 0 && shows(state_, ViewKind::graph),
           R"({"recipe":)" + recipe_to_json(plain) + R"(,"layer":)" + std::to_string(g.edge_layer) + R"(,"query":)" + std::to_string(g.edge_query) + R"(,"key":)" + std::to_string(g.edge_key) + "}");
  ask_side(beside_, "beside", shows(state_, ViewKind::compare),
           R"({"a":)" + recipe_to_json(state_.recipe) + R"(,"b":)" + recipe_to_json(other_recipe(state_)) + R"(,"query":)" + query +
               (state_.compare.query >= 0 ? R"(,"query_b":)" + std::to_string(state_.compare.query) : std::string()) + "}");
  const bool flow = state_.recipe.method == Method::flow || state_.recipe.method == Method::flow_normalised;
  ask_side(cut_, "cut", flow && state_.recipe.merge == Merge::pieces && shows(state_, ViewKind::graph) && state_.selection.key >= 0,
           R"({"recipe":)" + recipe_to_json(state_.recipe) + R"(,"query":)" + query + R"(,"key":)" + std::to_string(state_.selection.key) + "}");
  ask_side(picture_, "picture", grid && (shows(state_, ViewKind::image) || shows(state_, ViewKind::heads)), "{}");
}

// Beside rollout stands the last layer's raw attention, beside everything else rollout: where they differ is what
// rollout adds.
Recipe App::other_recipe(const AppState& s) const {
  if (s.compare.chosen) return s.compare.recipe;
  Recipe usual = default_recipe(*dump_, stream_of(s.recipe), s.recipe.method == Method::rollout ? Method::raw : Method::rollout);
  if (usual.method == Method::raw) usual.first_layer = std::max(0, usual.end_layer - 1);
  if (usual.method == s.recipe.method) usual = default_recipe(*dump_, stream_of(s.recipe), Method::raw);
  usual.merge = s.recipe.merge;
  return fitted(*dump_, std::move(usual));
}

// A picture that only a browser can decode: the page does, and set_picture() follows.
void App::tell_picture() {
  if (!picture_.data || picture_.data->width > 0) return;
  const auto found = dump_->meta.find("image");
  if (found == dump_->meta.end() || !found->second.starts_with("data:image/")) return;
  JsonWriter w;
  tell_("picture", w.object().field("url", found->second).end().text());
}

void App::set_picture(Picture picture) {
  forget_side(picture_);
  picture_.data = std::move(picture);
  picture_.args = "{}";
}

bool App::view_possible(ViewKind view) const {
  if (view == ViewKind::image) return dump_ && dump_->grid.rows > 0;
  if (view == ViewKind::heads) return dump_ && stored_stream().heads > 0;
  return true;
}

void App::state_changed() {
  ask_view();
  ask_matrix();
  ask_thumbs();
  ask_sides();
  if (!pending_view_.number) {
    const AppState old = shown_;
    shown_ = state_;
    take_matrix_question(shown_.matrix, old.matrix);
  } else {
    // What needs no answer follows at once; recipe, query and level wait for their numbers.
    const AppState old = shown_;
    shown_ = state_;
    shown_.recipe = old.recipe;
    shown_.image.region = old.image.region;
    shown_.selection = old.selection;
    if (&shown_of(state_.recipe) == &shown_of(old.recipe)) shown_.selection.key = state_.selection.key;
    take_matrix_question(shown_.matrix, old.matrix);
  }
  adopt_matrix();
}

void App::adopt_view() {
  ++view_version_;
  const MatrixState old = shown_.matrix;
  shown_ = state_;
  take_matrix_question(shown_.matrix, old);
  if (thumbs_ && thumbs_args_ != thumbs_question(shown_)) thumbs_.reset();
  adopt_matrix();
  tell_selection();
}

void App::adopt_matrix() {
  AppState wanted = shown_;
  take_matrix_question(wanted.matrix, state_.matrix);
  const std::string question = matrix_question(wanted);
  if (!whole_matrix(wanted)) {  // nothing will come
    matrix_.reset();
    ++matrix_version_;
  }
  if (next_matrix_ && next_matrix_args_ == question) {
    matrix_ = std::move(next_matrix_);
    next_matrix_.reset();
    matrix_args_ = std::move(next_matrix_args_);
    ++matrix_version_;
  } else if (matrix_ && matrix_args_ != matrix_question(shown_) && matrix_args_ != question) {
    matrix_.reset();  // of another recipe
    ++matrix_version_;
  }
  if (!matrix_ || matrix_args_ == question) take_matrix_question(shown_.matrix, state_.matrix);
}

// --- what the DOM is told

void App::tell_selection() {
  const Stream& s = stream();
  std::vector<int> order(view_->row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const float x = view_->row[static_cast<std::size_t>(a)], y = view_->row[static_cast<std::size_t>(b)];
    if (std::isnan(x) || std::isnan(y)) return std::isnan(y) && !std::isnan(x);
    return view_->is_signed ? std::abs(x) > std::abs(y) : x > y;
  });
  JsonWriter w;
  w.object().field("stream", s.name).field("query", shown_.selection.query);
  w.field("token", view_->rows.empty() ? token_name(shown_.selection.query, false, false) : mean_name()).field("level", view_->level);
  w.field("sentence", recipe_sentence(stored_stream(), view_->recipe));
  w.key("rows").array();
  for (int j : order) {
    const auto k = static_cast<std::size_t>(j);
    w.object().field("key", j).field("token", token_name(j, true, false)).field("weight", static_cast<double>(view_->row[k]));
    w.key("chance");
    if (k < view_->uniform.size()) w.value(static_cast<double>(view_->uniform[k]));
    else w.null();
    w.field("sink", std::find(view_->sinks.begin(), view_->sinks.end(), j) != view_->sinks.end()).end();
  }
  w.end().field("sum", view_->sum).field("method", method_name(view_->recipe.method)).field("unit", recipe_unit(view_->recipe));
  w.field("percent", in_percent(view_->recipe)).field("signed", view_->is_signed).end();
  tell_("selection", w.text());
}

void App::tell_limits() {
  JsonWriter w;
  w.object().key("items").array();
  if (view_)
    for (const auto& item : view_->limits) {
      w.object().field("code", report_name(item.code)).field("severity", severity_name(item.severity));
      w.key("params").object();
      for (const auto& [name, v] : item.params) w.field(name, v);
      w.end().field("text", report_text(item)).field("fix", report_fix(item)).end();
    }
  tell_("limits", w.end().end().text());
}

}  // namespace rollscope
