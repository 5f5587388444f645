// figure: one view of one explanation as an SVG file (figure/figure.h). It asks what the page would ask for that view,
// so its numbers are those on screen.
#include <algorithm>

#include "analysis/recipe_text.h"
#include "app/verbs.h"
#include "base/text.h"
#include "figure/figure.h"
#include "scene/recipe_fit.h"
#include "scene/shown_row.h"
#include "scene/state_codec.h"

namespace rollscope {
namespace {

constexpr std::string_view kNoCaption = "none";

// Another verb's job as a stage; its archive is handed on.
class PartWork final : public Work {
 public:
  using Take = std::function<void(std::span<const std::uint8_t>)>;
  PartWork(std::unique_ptr<Job> job, Take take) : job_(std::move(job)), take_(std::move(take)) {}
  Result<bool> step() override {
    auto done = job_->step();
    if (done && *done) {
      const auto result = job_->result();
      take_(result.blob);
    }
    return done;
  }
  JobProgress progress() const override { return job_->progress(); }

 private:
  std::unique_ptr<Job> job_;
  Take take_;
};

struct Answers {
  ViewData view;
  MatrixData matrix;
  WallData wall;
  DepthData layers;
  BesideData beside;
};

using MakeJob = Result<std::unique_ptr<Job>> (*)(std::shared_ptr<OpenDump>, const Args&);

template <class Message>
VerbJob::Stage part(const std::shared_ptr<OpenDump>& open, MakeJob make, std::string args, std::shared_ptr<Answers> keep, Message Answers::*to) {
  return [open, make, args = std::move(args), keep = std::move(keep), to]() -> Result<std::unique_ptr<Work>> {
    auto parsed = Args::parse(args);
    if (!parsed) return tl::unexpected(std::move(parsed.error()));
    auto job = make(open, *parsed);
    if (!job) return tl::unexpected(std::move(job.error()));
    return std::make_unique<PartWork>(std::move(*job), [keep, to](std::span<const std::uint8_t> blob) {
      ArchiveReader archive(blob);
      archive((*keep).*to);
    });
  };
}

// The place of a name in a list. Errors: bad_value, which lists them.
template <std::size_t N>
Result<std::size_t> named(const Args& args, std::string_view option, const std::string_view (&names)[N], std::size_t otherwise) {
  auto name = args.text(option, names[otherwise]);
  if (!name) return tl::unexpected(std::move(name.error()));
  const auto at = static_cast<std::size_t>(std::find(std::begin(names), std::end(names), *name) - std::begin(names));
  if (at < N) return at;
  std::string all;
  for (std::size_t i = 0; i < N; ++i) all += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(names[i]);
  return fail(ErrorCode::bad_value, {{"option", std::string(option)}, {"value", *name}, {"allowed", all}});
}

Result<figure::Style> read_style(const Args& args) {
  figure::Style style;
  constexpr std::string_view kThemes[] = {"light", "dark"}, kGrounds[] = {"theme", "transparent"}, kCurves[] = {"linear", "log", "per_row"}, kLanguageNames[] = {"en", "fr", "ja"};
  auto theme = named(args, "theme", kThemes, 0);
  if (!theme) return tl::unexpected(std::move(theme.error()));
  style.dark = *theme == 1;
  auto ground = named(args, "ground", kGrounds, 0);
  if (!ground) return tl::unexpected(std::move(ground.error()));
  style.ground = *ground == 0;
  auto curve = named(args, "curve", kCurves, 0);
  if (!curve) return tl::unexpected(std::move(curve.error()));
  style.matrix.scale = static_cast<ScaleCurve>(*curve);
  auto language = named(args, "language", kLanguageNames, 0);
  if (!language) return tl::unexpected(std::move(language.error()));
  style.language = kLanguages[*language];
  if (args.has("width")) {
    const auto width = figure::read_width(args.shown("width"));
    if (!width) return fail(ErrorCode::bad_value, {{"option", "width"}, {"value", args.shown("width")}, {"allowed", "85mm (a column), 170mm (a page) or a number of px, from 200 to 4000 px"}});
    style.width = *width;
  }
  auto keep = args.number("keep", 0.05, 1, style.keep);
  if (!keep) return tl::unexpected(std::move(keep.error()));
  style.keep = *keep;
  if (args.has("caption")) {
    auto caption = args.text("caption", "");
    if (!caption) return tl::unexpected(std::move(caption.error()));
    style.caption = *caption == kNoCaption ? std::string() : std::move(*caption);
  }
  return style;
}

// What the report says of a picture, English.
std::vector<std::string> spoken(const Report& limits) {
  std::vector<std::string> out;
  for (const ReportItem& item : limits)
    if (item.severity != Severity::note || item.code == ReportCode::fixed_source_share) out.push_back(report_text(item));
  return out;
}

// The page's own sentences instead, one a line; nothing: there are none.
Result<std::optional<std::vector<std::string>>> read_limits(const Args& args) {
  if (!args.has("limits")) return std::nullopt;
  auto text = args.text("limits", "");
  if (!text) return tl::unexpected(std::move(text.error()));
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text->size();) {
    const auto end = std::min(text->find('\n', at), text->size());
    if (end > at) out.push_back(text->substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string metadata(const Question& q, const Recipe& recipe, const Recipe* other, std::string_view view, int query, const Report& limits) {
  const DumpInfo& info = q.open->dump.info;
  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  json.field("format", "rollscope-figure");
  json.field("version", 1);
  json.field("engine", ROLLSCOPE_VERSION);
  json.field("file", info.file);
  json.field("view", view);
  json.name("recipe");
  write_recipe(json, q.info(), recipe, query);
  if (other) {
    json.name("b");
    write_recipe(json, q.info(), *other, query);
  }
  json.name("limits");
  json.StartArray();
  for (const ReportItem& item : limits) json.text(report_name(item.code));
  json.EndArray();
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

// The contracts' names of views; "text" is the row, and so is "image" where it has patches. Errors: bad_value, usage.
Result<figure::View> read_view(const Args& args, const Question& q) {
  auto name = args.text("view", figure::kViewNames[0]);
  if (name && *name == "text") return figure::View::row;
  if (name && *name == "image") {
    if (shown_grid(q.open->dump.info, q.info(), q.shown, q.recipe).rows > 0) return figure::View::row;
    return fail(ErrorCode::usage, {{"detail", "The view image needs a grid of patches, and this dump has none"}});
  }
  auto at = named(args, "view", figure::kViewNames, 0);
  if (!at) return tl::unexpected(std::move(at.error()));
  return static_cast<figure::View>(*at);
}

// What the wall and, where there is no chain, the curves show: attention itself.
Recipe attention_of(const Recipe& recipe) {
  Recipe plain;
  plain.stream = recipe.stream;
  plain.method = Method::raw;
  return plain;
}

// The options of a matrix: the result after a layer, a layer or a head are recipes of their own, so that caption and
// numbers agree. Errors: bad_value, out_of_range.
Result<Recipe> matrix_recipe(const Args& args, const Question& q) {
  constexpr std::string_view kKinds[] = {"result", "after_layer", "fused_layer", "head"};
  auto kind = named(args, "kind", kKinds, 0);
  auto layer = args.integer("layer", q.recipe.end_layer - 1);
  auto head = args.integer("head", 0);
  if (!kind) return tl::unexpected(std::move(kind.error()));
  if (!layer) return tl::unexpected(std::move(layer.error()));
  if (!head) return tl::unexpected(std::move(head.error()));
  Recipe recipe = q.recipe;
  if (*kind == 0) return recipe;
  const int first = *kind == 1 ? recipe.first_layer : 0, end = *kind == 1 ? recipe.end_layer : q.info().layers(), heads = std::max(1, q.info().heads);
  if (*layer < first || *layer >= end) return fail(ErrorCode::out_of_range, {{"option", "layer"}, {"value", std::to_string(*layer)}, {"allowed", formatted("%d to %d", first, end - 1)}});
  if (*kind == 3 && (*head < 0 || *head >= heads)) return out_of_range("head", *head, heads);
  if (*kind > 1) {
    recipe = attention_of(recipe);
    recipe.first_layer = *layer;
    if (*kind == 3 && heads > 1) recipe.heads = {*head};
  }
  recipe.end_layer = *layer + 1;
  return recipe;
}

// Adds the questions of a view beside the row's own. Errors: usage, bad_value, those of a recipe.
Result<void> add_parts(std::vector<VerbJob::Stage>& stages, const Question& q, const Args& args, figure::View view, int query, const std::shared_ptr<Answers>& answers) {
  const std::string of_query = R"(,"query":)" + std::to_string(query);
  const auto about = [](const Recipe& recipe) { return R"({"recipe":)" + recipe_to_json(recipe); };
  switch (view) {
    case figure::View::row:
    case figure::View::graph: break;
    case figure::View::matrix: {
      stages.push_back(part(q.open, make_matrix_job, about(q.recipe) + "}", answers, &Answers::matrix));
      break;
    }
    case figure::View::heads:
      if (q.info().heads == 0) return fail(ErrorCode::usage, {{"detail", "The heads of this file are fused already: there is no wall of them"}});
      stages.push_back(part(q.open, make_wall_job, about(attention_of(q.recipe)) + (q.open->dump.info.grid.rows > 0 && q.recipe.merge == Merge::pieces ? of_query : R"(,"query":-1)") + "}", answers, &Answers::wall));
      break;
    case figure::View::depth: {
      Recipe recipe = q.recipe;
      if (!is_chain(q.info(), recipe)) {  // one layer alone would be one point
        recipe = attention_of(q.recipe);
        if (q.depth > 1) recipe.first_layer = q.recipe.first_layer, recipe.end_layer = q.recipe.end_layer;
      }
      stages.push_back(part(q.open, make_layers_job, about(recipe) + of_query + "}", answers, &Answers::layers));
      break;
    }
    case figure::View::compare: {
      Recipe other = default_recipe(q.open->dump.info, q.info(), q.recipe.method == Method::rollout ? Method::raw : Method::rollout);
      if (other.method == Method::raw) other.first_layer = std::max(0, other.end_layer - 1);
      if (args.has("b")) {
        auto b = args.object("b");
        if (!b) return tl::unexpected(std::move(b.error()));
        if (auto known = b->only("b", kRecipeOptions); !known) return known;
        auto request = recipe_request(*b);
        if (!request) return tl::unexpected(std::move(request.error()));
        auto resolved = resolve_recipe(q.open->dump.info, *request);
        if (!resolved) return tl::unexpected(std::move(resolved.error()));
        other = *resolved;
      } else {
        other.merge = q.recipe.merge;
        other = fitted(q.open->dump.info, std::move(other));
      }
      stages.push_back(part(q.open, make_beside_job, R"({"a":)" + recipe_to_json(q.recipe) + R"(,"b":)" + recipe_to_json(other) + of_query + "}", answers, &Answers::beside));
      break;
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Job>> make_figure_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("figure", {"recipe", "query", "view", "theme", "ground", "width", "language", "caption", "limits", "keep", "curve", "kind", "layer", "head", "b"}); !known)
    return tl::unexpected(std::move(known.error()));
  auto question = question_of(open, args);
  if (!question) return tl::unexpected(std::move(question.error()));
  auto wanted = read_view(args, **question);
  if (!wanted) return tl::unexpected(std::move(wanted.error()));
  const figure::View view = *wanted;
  if (view == figure::View::matrix) {
    auto recipe = matrix_recipe(args, **question);
    if (!recipe) return tl::unexpected(std::move(recipe.error()));
    auto own = Args::parse(recipe_to_json(*recipe));
    if (!own) return tl::unexpected(std::move(own.error()));
    question = make_question(std::move(open), *own);
    if (!question) return tl::unexpected(std::move(question.error()));
  }
  const auto q = *question;
  auto query = args.integer("query", first_row(*q));
  if (!query) return tl::unexpected(std::move(query.error()));
  const int rows = real_queries(q->shown);
  if (*query < 0 || *query >= rows) return out_of_range("query", *query, rows);
  if (auto fits = check_flow(*q, *query); !fits) return tl::unexpected(std::move(fits.error()));
  auto style = read_style(args);
  if (!style) return tl::unexpected(std::move(style.error()));
  const auto answers = std::make_shared<Answers>();
  std::vector<VerbJob::Stage> stages;
  stages.push_back(part(q->open, make_view_job, R"({"recipe":)" + recipe_to_json(q->recipe) + R"(,"query":)" + std::to_string(*query) + "}", answers, &Answers::view));
  if (auto added = add_parts(stages, *q, args, view, *query, answers); !added) return tl::unexpected(std::move(added.error()));
  auto limits = read_limits(args);
  if (!limits) return tl::unexpected(std::move(limits.error()));
  return verb_job(*q->open, std::move(stages), [q, view, query = *query, style = std::move(*style), limits = std::move(*limits), answers]() mutable -> Result<JobResult> {
    const std::string_view name = figure::kViewNames[static_cast<std::size_t>(view)];
    style.limits = limits ? std::move(*limits) : spoken(answers->view.limits);
    Recipe recipe = q->recipe;
    if (view == figure::View::heads) {
      recipe = attention_of(recipe);
      recipe.end_layer = q->info().layers();
    }
    style.metadata = metadata(*q, recipe, view == figure::View::compare ? &answers->beside.b : nullptr, name, query, answers->view.limits);
    figure::Inputs in;
    in.dump = &q->open->dump.info;
    in.stored = &q->info();
    in.shown = &q->shown;
    in.view = &answers->view;
    in.matrix = &answers->matrix;
    in.wall = &answers->wall;
    in.layers = &answers->layers;
    in.beside = &answers->beside;
    in.one_output = for_one_output(*in.dump, q->recipe);
    const figure::Figure drawn = figure::draw(view, in, style);
    rapidjson::StringBuffer buffer;
    JsonWriter17 json(buffer);
    json.StartObject();
    json.field("view", name);
    json.field("query", query);
    json.field("width", drawn.width);
    json.field("height", drawn.height);
    json.field("svg", drawn.svg);
    json.EndObject();
    return written(buffer);
  });
}

}  // namespace rollscope
