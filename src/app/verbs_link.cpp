#include "app/verbs_link.h"

#include <algorithm>

#include "app/hash_work.h"
#include "base/byte_source.h"
#include "base/text.h"

namespace rollscope {
namespace {

constexpr std::size_t kMostLayerCells = 400'000;  // more never fits the longest budget, and takes seconds to pack
constexpr std::uint64_t kHashedBytes = std::uint64_t{64} << 20;  // larger files are not read through for a link
constexpr std::size_t kShaDigits = 16;
constexpr int kSteps[] = {63, 127, 255};

struct LinkArgs {
  int query = 0, budget = 0;
  std::string state, base, payload, src;
  bool text = true;
};

// Between the stages of the job.
struct Ladder {
  std::shared_ptr<Question> question;
  LinkArgs args;
  std::string sha;
  std::shared_ptr<const FusedStack> plain;      // all layers, heads fused as the recipe says; null: they would not give its picture
  std::vector<std::vector<double>> exact;       // all rows of the answer; empty: they would take too long
  std::vector<LinkRung> rungs;
};

// Whether a reader can compute the answer again from fused layers.
bool made_of_layers(const Question& q) {
  const Method m = q.recipe.method;
  const bool known = m == Method::raw || m == Method::rollout || m == Method::rollout_reversed || q.is_flow();
  return known && q.recipe.residual_from == ResidualFrom::stated;
}

// Rows that travel as they are: parts of a whole.
bool travels_as_rows(const Question& q) { return traits(q.recipe.method).unit_rows && q.recipe.sink != SinkMode::lift; }

bool same_sides(const Question& q) {
  return q.recipe.method != Method::joint && q.info().kind != StreamKind::cross && real_queries(q.shown) == real_keys(q.shown);
}

LinkData frame(const Ladder& ladder, const Stream& stream) {
  const Question& q = *ladder.question;
  LinkData out;
  out.stream = q.info().kind;
  out.square = same_sides(q);
  out.sink = stream.virtual_sink;
  out.heads = static_cast<int>(q.info().heads > 0 ? recipe_heads(q.info(), q.recipe).size() : 0);
  out.queries = real_queries(stream);
  out.keys = real_keys(stream);
  out.recipe = link_recipe_json(q.recipe, q.info());
  if (q.recipe.merge == Merge::pieces && q.recipe.method != Method::joint) out.grid = q.open->dump.info.grid;
  if (ladder.args.text && !(stream.key_tokens.empty() || stream.key_tokens.front().raw.empty())) {
    out.key_tokens.assign(stream.key_tokens.begin(), stream.key_tokens.begin() + out.keys);
    if (!out.square) out.query_tokens.assign(stream.query_tokens.begin(), stream.query_tokens.begin() + out.queries);
  }
  return out;
}

// Nothing above the diagonal: then the upper half need not travel.
bool lower(const LinkData& d) {
  if (!d.square || d.kind == LinkKind::row) return false;
  const auto columns = static_cast<std::size_t>(d.columns());
  for (std::size_t at = 0, i = 0; at < d.weights.size(); at += columns, i = (i + 1) % static_cast<std::size_t>(d.queries))
    for (std::size_t j = i + 1; j < static_cast<std::size_t>(d.keys); ++j)
      if (d.weights[at + j] != 0) return false;
  return true;
}

std::vector<std::string> left_out(const Ladder& ladder, std::string_view payload) {
  const Question& q = *ladder.question;
  const DumpInfo& info = q.open->dump.info;
  std::vector<std::string> out;
  if (payload == "view") return {"weights", "text"};
  if (payload == "row") out.emplace_back("other_rows");
  if (payload != "layers") out.emplace_back("layers");
  else if (q.info().heads > 1) out.emplace_back("heads");
  if (!ladder.args.text) out.emplace_back("text");
  const auto has = [&](ExtraKind kind) { return std::any_of(info.extras.begin(), info.extras.end(), [&](const Extra& e) { return e.kind == kind; }); };
  if (has(ExtraKind::gradients)) out.emplace_back("gradients");
  if (has(ExtraKind::norms) || has(ExtraKind::value_norms) || has(ExtraKind::mixing_ratios) || has(ExtraKind::residual_norms)) out.emplace_back("norms");
  if (has(ExtraKind::attribution) || has(ExtraKind::scores)) out.emplace_back("attributions");
  if (!info.predictions.empty()) out.emplace_back("prediction");
  if (info.grid.rows > 0) out.emplace_back("image");
  if (info.streams.size() > 1) out.emplace_back("other_streams");
  if (q.info().batch > 1) out.emplace_back("other_items");
  return out;
}

std::string fields_behind(const Ladder& ladder, bool view) {
  std::string out;
  if (!ladder.args.state.empty()) out += "&v=" + encode_link_state(ladder.args.state);
  if (view && !ladder.args.src.empty()) out += "&src=" + ladder.args.src;
  else if (view && !ladder.sha.empty()) out += "&sha=" + ladder.sha.substr(0, kShaDigits);
  return out;
}

void add_view(Ladder& ladder) {
  if (ladder.args.src.empty() && ladder.sha.empty()) return;
  LinkRung rung{"view", "none", "#" + fields_behind(ladder, true).substr(1), false, {}, left_out(ladder, "view")};
  if (!ladder.args.src.empty()) rung.left_out = {"address"};
  ladder.rungs.push_back(std::move(rung));
}

// Packs, decodes again and compares; then packs with what the comparison found.
Result<void> add_data(Ladder& ladder, LinkData data) {
  const Question& q = *ladder.question;
  const auto sinks = q.sinks();
  const std::string fragment = "#" + encode_link_data(data);
  LinkRung rung{std::string(link_kind_name(data.kind)), data.steps > 0 ? formatted("sum%d", data.steps) : "sqrt8", "", true, {}, {}};
  rung.left_out = left_out(ladder, rung.payload);
  if (data.kind == LinkKind::layers) {
    auto rows = rows_from_link(fragment, q.recipe);
    if (!rows) return tl::unexpected(std::move(rows.error()));
    for (std::size_t i = 0; i < ladder.exact.size() && i < rows->size(); ++i) compare_row(ladder.exact[i], (*rows)[i], sinks, rung.error);
  } else {
    const auto again = decode_link_data(fragment.substr(1));
    if (!again) return tl::unexpected(again.error());
    const auto columns = static_cast<std::size_t>(again->columns());
    for (int i = 0; i < again->rows(); ++i) {
      const auto row = std::span(again->weights).subspan(static_cast<std::size_t>(i) * columns, columns);
      compare_row(ladder.exact[static_cast<std::size_t>(data.kind == LinkKind::row ? data.row : i)], row, sinks, rung.error);
    }
  }
  rung.measured = rung.error.rows > 0;
  if (rung.measured) data.error = rung.error.largest;
  rung.fragment = "#" + encode_link_data(data) + fields_behind(ladder, false);
  ladder.rungs.push_back(std::move(rung));
  return {};
}

LinkData rows_link(const Ladder& ladder, LinkKind kind) {
  const Question& q = *ladder.question;
  LinkData out = frame(ladder, q.shown);
  out.kind = kind;
  out.row = ladder.args.query;
  for (int l = q.recipe.first_layer; l < q.recipe.end_layer; ++l) out.layer_numbers.push_back(q.info().layer_numbers[static_cast<std::size_t>(l)]);
  if (kind == LinkKind::row) out.weights = ladder.exact[static_cast<std::size_t>(out.row)];
  else for (const auto& row : ladder.exact) out.weights.insert(out.weights.end(), row.begin(), row.end());
  out.causal = lower(out);
  return out;
}

LinkData layers_link(const Ladder& ladder, int steps) {
  const Question& q = *ladder.question;
  LinkData out = frame(ladder, q.info());
  out.kind = LinkKind::layers;
  out.steps = steps;
  out.row = std::min(ladder.args.query, out.queries - 1);
  out.layer_numbers = q.info().layer_numbers;
  for (const auto& layer : ladder.plain->layers)
    for (int i = 0; i < out.queries; ++i) out.weights.insert(out.weights.end(), layer.row(i).begin(), layer.row(i).end());
  out.causal = lower(out);
  return out;
}

// A rung a step.
class LadderWork final : public Work {
 public:
  explicit LadderWork(std::shared_ptr<Ladder> ladder) : ladder_(std::move(ladder)) {}
  Result<bool> step() override {
    const Question& q = *ladder_->question;
    const bool small = std::max(q.shown.queries, q.shown.keys) <= kLinkTokens && q.info().layers() <= kLinkLayers;
    const bool rows = small && travels_as_rows(q) && !ladder_->exact.empty();
    const bool layers = ladder_->plain && static_cast<std::size_t>(q.info().queries) * static_cast<std::size_t>(q.info().keys) * static_cast<std::size_t>(q.info().layers()) <= kMostLayerCells;
    switch (at_++) {
      case 0: add_view(*ladder_); return false;
      case 1: return rows ? done(add_data(*ladder_, rows_link(*ladder_, LinkKind::row))) : false;
      case 2: return rows ? done(add_data(*ladder_, rows_link(*ladder_, LinkKind::rollout))) : false;
      default: {
        const auto step = static_cast<std::size_t>(at_ - 4);
        if (!small || !layers || step >= std::size(kSteps)) return true;
        return done(add_data(*ladder_, layers_link(*ladder_, kSteps[step])));
      }
    }
  }
  JobProgress progress() const override {
    JobProgress p;
    p.fraction = std::min(1.0, at_ / 7.0);
    return p;
  }

 private:
  static Result<bool> done(Result<void> result) {
    if (!result) return tl::unexpected(std::move(result.error()));
    return false;
  }
  std::shared_ptr<Ladder> ladder_;
  int at_ = 0;
};

std::size_t length_of(const Ladder& ladder, const LinkRung& rung) { return ladder.args.base.size() + rung.fragment.size(); }

// The richest that fits: the ladder is in that order. -1: none.
int richest(const Ladder& ladder, std::size_t budget, std::string_view payload) {
  int out = -1;
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i)
    if (length_of(ladder, ladder.rungs[i]) <= budget && (payload.empty() || ladder.rungs[i].payload == payload)) out = static_cast<int>(i);
  return out;
}

void write_rung(JsonWriter17& json, const Ladder& ladder, const LinkRung& rung) {
  json.field("fragment", rung.fragment);
  json.field("characters", static_cast<int>(length_of(ladder, rung)));
  json.field("payload", rung.payload);
  json.field("quantisation", rung.quantisation);
  json.name("left_out");
  json.StartArray();
  for (const auto& what : rung.left_out) json.text(what);
  json.EndArray();
  if (!rung.measured) return;
  json.field("max_error", rung.error.largest);
  json.field("max_error_without_sink", rung.error.largest_without_sink);
  json.field("total_variation", rung.error.total_variation);
  json.field("argmax_kept", rung.error.first_kept);
  json.field("top3_kept", formatted("%d of %d", rung.error.top3_kept, rung.error.rows));
  json.field("new_ties", rung.error.new_ties);
}

Result<JobResult> ladder_json(const Ladder& ladder) {
  const auto budget = static_cast<std::size_t>(ladder.args.budget);
  const int chosen = richest(ladder, budget, ladder.args.payload);
  if (chosen < 0) {
    std::size_t least = 0;
    for (const auto& rung : ladder.rungs)
      if (ladder.args.payload.empty() || rung.payload == ladder.args.payload) least = least == 0 ? length_of(ladder, rung) : std::min(least, length_of(ladder, rung));
    if (least == 0)
      return fail(ErrorCode::usage, {{"detail", ladder.args.payload.empty() ? "No link can carry this explanation: it is too long, or of numbers that are no parts of a whole"
                                                                             : "No link can carry " + ladder.args.payload + " of this explanation"}});
    return fail(ErrorCode::too_big, {{"needed", formatted("%zu characters", least)}, {"limit", formatted("%zu", budget)}, {"detail", "the shortest link that is asked for"}});
  }
  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  write_rung(json, ladder, ladder.rungs[static_cast<std::size_t>(chosen)]);
  json.field("budget", ladder.args.budget);
  json.field("link", ladder.args.base + ladder.rungs[static_cast<std::size_t>(chosen)].fragment);
  json.name("ladder");
  json.StartArray();
  for (const auto& rung : ladder.rungs) {
    json.StartObject();
    write_rung(json, ladder, rung);
    json.EndObject();
  }
  json.EndArray();
  json.name("budgets");
  json.StartArray();
  for (const auto& one : kLinkBudgets) {
    json.StartObject();
    json.field("name", one.name);
    json.field("characters", one.characters);
    json.index("richest", richest(ladder, static_cast<std::size_t>(one.characters), {}));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return written(buffer);
}

Result<LinkArgs> read_args(const Args& args, const Question& q) {
  LinkArgs out;
  const int rows = real_queries(q.shown);
  auto query = args.integer("query", first_row(q));
  if (!query) return tl::unexpected(std::move(query.error()));
  if (*query < 0 || *query >= rows) return out_of_range("query", *query, rows);
  out.query = *query;
  auto budget = args.integer("budget", 8000);
  if (!budget) return tl::unexpected(std::move(budget.error()));
  if (*budget < 1) return fail(ErrorCode::bad_value, {{"option", "budget"}, {"value", std::to_string(*budget)}, {"allowed", "a number of characters from 1 on"}});
  out.budget = *budget;
  for (const auto& [name, field] : {std::pair{"state", &out.state}, {"base", &out.base}, {"payload", &out.payload}, {"src", &out.src}}) {
    auto value = args.text(name, "");
    if (!value) return tl::unexpected(std::move(value.error()));
    *field = std::move(*value);
  }
  if (!out.payload.empty() && out.payload != "view" && out.payload != "row" && out.payload != "rollout" && out.payload != "layers")
    return fail(ErrorCode::bad_value, {{"option", "payload"}, {"value", out.payload}, {"allowed", "view, row, rollout or layers"}});
  if (out.src.find_first_of("#& ") != out.src.npos) return fail(ErrorCode::bad_value, {{"option", "src"}, {"value", out.src}, {"allowed", "an address with #, & and spaces as %23, %26 and %20"}});
  out.text = !args.has("text") || args.flag("text");
  return out;
}

std::string state_json(const Question& q, int query) { return formatted("{\"recipe\":%s,\"query\":%d}", link_recipe_json(q.recipe, q.info()).c_str(), query); }

}  // namespace

std::string link_recipe_json(const Recipe& recipe, const Stream& stream) {
  const Recipe r = plain_recipe(recipe), standard;
  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  const bool stored = r.method == Method::attribution && !r.source.empty();
  if (r.method != Method::rollout) json.field("method", std::string(method_name(r.method)) + (stored ? ":" + r.source : ""));
  if (r.fusion != standard.fusion) json.field("fusion", fusion_name(r.fusion));
  if (!r.heads.empty()) {
    json.name("heads");
    write_ints(json, r.heads);
  }
  if (r.residual_from != ResidualFrom::stated) json.field("residual", residual_from_name(r.residual_from));
  else if (!r.residuals.empty()) {
    json.name("residual");
    write_row(json, r.residuals);
  } else if (r.residual != standard.residual) {
    char digits[32];  // as few as read back the same: 0.7, not seventeen digits
    const int length = std::snprintf(digits, sizeof digits, "%.6g", r.residual);
    json.name("residual");
    json.RawValue(digits, static_cast<std::size_t>(length), rapidjson::kNumberType);
  }
  if (r.first_layer != 0 || (r.end_layer >= 0 && r.end_layer != stream.layers())) {
    const int range[] = {r.first_layer, r.end_layer};
    json.name("layers");
    write_ints(json, range);
  }
  if (r.sink != standard.sink) json.field("sink", sink_mode_name(r.sink));
  if (r.merge != standard.merge) json.field("merge", merge_name(r.merge));
  if (r.merge_queries != standard.merge_queries) json.field("merge_queries", "last");
  if (r.merge_time != standard.merge_time) json.field("merge_time", "before");
  if (!r.class_name.empty()) json.field("class", r.class_name);
  if (!r.source.empty() && !stored) json.field("norms", r.source);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

Result<std::vector<std::vector<double>>> rows_from_link(const std::string& fragment, const Recipe& recipe) {
  auto state = std::make_shared<Session::State>();
  auto opening = make_open_job(state, std::make_shared<MemorySource>(std::vector<std::uint8_t>(fragment.begin(), fragment.end())), "{}");
  if (!opening) return tl::unexpected(std::move(opening.error()));
  if (auto opened = finish(**opening); !opened) return tl::unexpected(std::move(opened.error()));
  RecipeRequest request;
  request.method = recipe.method;
  request.residual = recipe.residual;
  request.residuals = recipe.residuals;
  request.layers = std::pair{recipe.first_layer, recipe.end_layer};
  request.sink = recipe.sink;
  request.merge = recipe.merge;
  request.merge_queries = recipe.merge_queries;
  request.merge_time = recipe.merge_time;
  auto question = make_question(state->open, request);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  auto stages = stack_stages(q);
  stages.push_back(result_stage(q, q->recipe));
  auto rows = std::make_shared<std::vector<std::vector<double>>>();
  const auto job = verb_job(*state->open, std::move(stages), [q, rows]() -> Result<JobResult> {
    for (int i = 0; i < real_queries(q->shown); ++i) rows->push_back(q->row(i));
    return JobResult{};
  });
  if (auto done = finish(*job); !done) return tl::unexpected(std::move(done.error()));
  return std::move(*rows);
}

Result<std::unique_ptr<Job>> make_link_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("link", {"recipe", "query", "state", "text", "base", "budget", "payload", "src"}); !known) return tl::unexpected(std::move(known.error()));
  auto question = question_of(std::move(open), args);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  auto wanted = read_args(args, *q);
  if (!wanted) return tl::unexpected(std::move(wanted.error()));
  const auto ladder = std::make_shared<Ladder>();
  ladder->question = q;
  ladder->args = std::move(*wanted);
  if (ladder->args.state.empty()) ladder->args.state = state_json(*q, ladder->args.query);

  const bool small = std::max(q->shown.queries, q->shown.keys) <= kLinkTokens && std::max(q->info().queries, q->info().keys) <= kLinkTokens;
  const bool in_time = small && check_flow(*q, -1).has_value();
  std::vector<VerbJob::Stage> stages;
  if (in_time) {
    stages = stack_stages(q);
    stages.push_back(result_stage(q, q->recipe));
  }
  std::shared_ptr<Question> plain;
  if (small && made_of_layers(*q)) {
    plain = std::make_shared<Question>(*q);
    plain->recipe = Recipe{};
    plain->recipe.method = Method::raw;
    plain->recipe.stream = q->recipe.stream;
    plain->recipe.fusion = q->recipe.fusion;
    plain->recipe.heads = q->recipe.heads;
    for (auto& stage : stack_stages(plain)) stages.push_back(std::move(stage));
  }
  if (ladder->args.src.empty() && (q->open->source->size() <= kHashedBytes || ladder->args.payload == "view"))
    stages.push_back([q, ladder]() -> Result<std::unique_ptr<Work>> { return std::make_unique<HashWork>(q->open->source, std::shared_ptr<std::string>(ladder, &ladder->sha)); });
  stages.push_back([q, ladder, plain, in_time]() -> Result<std::unique_ptr<Work>> {
    if (plain) ladder->plain = plain->stack;
    for (int i = 0; in_time && i < real_queries(q->shown); ++i) ladder->exact.push_back(q->row(i));
    return std::make_unique<LadderWork>(ladder);
  });
  return verb_job(*q->open, std::move(stages), [ladder] { return ladder_json(*ladder); });
}

Result<std::unique_ptr<Job>> make_state_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("state", {"recipe", "query"}); !known) return tl::unexpected(std::move(known.error()));
  auto question = question_of(std::move(open), args);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  auto wanted = read_args(args, *q);
  if (!wanted) return tl::unexpected(std::move(wanted.error()));
  return verb_job(*q->open, {}, [q, query = wanted->query]() -> Result<JobResult> { return JobResult{state_json(*q, query), {}}; });
}

}  // namespace rollscope
