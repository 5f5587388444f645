#include "app/verbs.h"

#include <algorithm>

#include "analysis/explain_view.h"
#include "base/text.h"
#include "methods/raw.h"

namespace rollscope {

Result<bool> VerbJob::step() {
  auto done = advance();
  if (!done) done.error().params.emplace("file", file_);
  return done;
}

Result<bool> VerbJob::advance() {
  if (work_) {
    auto done = work_->step();
    if (!done) return done;
    if (!*done) return false;
    work_.reset();
    ++at_;
  }
  // Stages that have nothing to do cost no step.
  while (at_ < stages_.size()) {
    auto work = stages_[at_]();
    if (!work) return tl::unexpected(std::move(work.error()));
    work_ = std::move(*work);
    if (work_) return false;
    ++at_;
  }
  auto result = answer_();
  if (!result) return tl::unexpected(std::move(result.error()));
  result_ = std::move(*result);
  return true;
}

JobProgress VerbJob::progress() const {
  JobProgress p;
  if (work_) p = work_->progress();
  p.fraction = (static_cast<double>(at_) + p.fraction) / static_cast<double>(stages_.size() + 1);
  return p;
}

Result<std::shared_ptr<Question>> make_question(std::shared_ptr<OpenDump> open, const Args& args) {
  auto request = recipe_request(args);
  if (!request) return tl::unexpected(std::move(request.error()));
  return make_question(std::move(open), *request);
}

Result<std::shared_ptr<Question>> make_question(std::shared_ptr<OpenDump> open, const RecipeRequest& request) {
  auto recipe = resolve_recipe(open->dump.info, request);
  if (!recipe) return tl::unexpected(std::move(recipe.error()));
  const bool plain = (recipe->method == Method::raw || recipe->method == Method::rollout) && recipe->residual_from == ResidualFrom::stated && recipe->residuals.empty();
  if (!plain && !has_all_methods()) return fail(ErrorCode::more_needed);
  auto question = std::make_shared<Question>();
  question->stream = open->dump.info.index_of(recipe->stream);
  question->recipe = std::move(*recipe);
  question->depth = question->recipe.end_layer - question->recipe.first_layer;
  question->shown = shown_stream(open->dump.info, question->recipe);
  question->groups = merge_groups(open->dump.info.streams[static_cast<std::size_t>(question->stream)], question->recipe);
  question->open = std::move(open);
  if (!question->recipe.minus.empty()) {
    RecipeRequest other = request;
    other.minus.clear();
    if (question->recipe.method == Method::attribution) other.source = question->recipe.minus;
    else other.class_name = question->recipe.minus;
    auto second = make_question(question->open, other);
    if (!second) return second;
    question->minus = std::move(*second);
  }
  return question;
}

Result<std::shared_ptr<Question>> make_question(std::shared_ptr<OpenDump> open, std::string_view verb, const Args& args,
                                                std::initializer_list<std::string_view> own) {
  std::vector<std::string_view> options(kRecipeOptions.begin(), kRecipeOptions.end());
  options.insert(options.end(), own);
  options.push_back("item");
  if (auto known = args.only(verb, options); !known) return tl::unexpected(std::move(known.error()));
  auto question = make_question(std::move(open), args);
  if (!question) return question;
  if (auto item = check_item(args, (*question)->info()); !item) return tl::unexpected(std::move(item.error()));
  return question;
}

// Which item of a batch: it was chosen when the file was opened.
Result<std::shared_ptr<Question>> question_of(std::shared_ptr<OpenDump> open, const Args& args) {
  auto recipe = args.object("recipe");
  if (!recipe) return tl::unexpected(std::move(recipe.error()));
  if (auto known = recipe->only("recipe", kRecipeOptions); !known) return tl::unexpected(std::move(known.error()));
  return make_question(std::move(open), *recipe);
}

Result<void> check_item(const Args& args, const Stream& stream) {
  auto item = args.integer("item", stream.item);
  if (!item) return tl::unexpected(std::move(item.error()));
  if (*item != stream.item)
    return fail(ErrorCode::usage, {{"detail", formatted("Item %d is asked for and item %d of the batch is open: open the file again with that item", *item, stream.item)}});
  return {};
}

Result<int> asked_row(const Args& args, const Question& q, int otherwise) {
  if (!args.has("row")) return otherwise;
  if (args.shown("row") == "all") return -1;
  const auto row = args.integer("row", 0);
  if (!row) return fail(ErrorCode::bad_value, {{"option", "row"}, {"value", args.shown("row")}, {"allowed", "a number counted from 0, or all"}});
  const int rows = real_queries(q.shown);
  if (*row < 0 || *row >= rows) return out_of_range("row", *row, rows);
  return *row;
}

int first_row(const Question& q) {
  const int first = first_query(q.open->dump.info, q.info());
  return q.groups.queries.empty() || first < 0 ? std::max(0, first) : q.groups.queries[static_cast<std::size_t>(first)];
}

Result<void> check_flow(const Question& q, int row) {
  const int pieces = std::max(q.info().queries, q.info().keys);
  if (q.is_flow() && pieces > kFlowAtOnce && (row < 0 || q.merged_after()))
    return fail(ErrorCode::usage, {{"detail", formatted("The flow of all pairs is computed for at most %d tokens, and there are %d: ask for one output with --row", kFlowAtOnce, pieces)}});
  return {};
}

tl::unexpected<Error> out_of_range(std::string_view option, int value, int end) {
  return fail(ErrorCode::out_of_range, {{"option", std::string(option)}, {"value", std::to_string(value)},
                                        {"allowed", end > 1 ? formatted("0 to %d", end - 1) : std::string("0 alone")}});
}

std::unique_ptr<Job> verb_job(const OpenDump& open, std::vector<VerbJob::Stage> stages, VerbJob::Answer answer) {
  return std::make_unique<VerbJob>(open.dump.info.file, std::move(stages), std::move(answer));
}

std::vector<double> Question::start(int query) const {
  const std::size_t rows = stack ? static_cast<std::size_t>(stack->layers[0].rows) : static_cast<std::size_t>(info().queries);
  std::vector<double> out(rows, 0.0);
  if (!merged_after()) {
    out[static_cast<std::size_t>(query)] = 1;
    return out;
  }
  std::size_t last = 0, count = 0;
  for (std::size_t i = 0; i < groups.queries.size(); ++i)
    if (groups.queries[i] == query) {
      last = i;
      ++count;
      out[i] = 1;
    }
  if (recipe.merge_queries == MergeQueries::last) {
    std::fill(out.begin(), out.end(), 0.0);
    out[last] = 1;
  } else {
    for (double& x : out) x /= static_cast<double>(std::max<std::size_t>(1, count));
  }
  return out;
}

std::vector<double> Question::row(int query) const {
  std::vector<double> out = own_row(query);
  if (!minus) return out;
  const std::vector<double> other = minus->own_row(query);
  for (std::size_t j = 0; j < out.size(); ++j) out[j] -= other[j];
  return out;
}

std::vector<double> Question::own_row(int query) const {
  return row_from(start(query), query);
}

std::vector<double> Question::start(std::span<const int> queries) const {
  std::vector<double> out;
  for (const int query : queries) {
    const std::vector<double> one = start(query);
    out.resize(one.size(), 0.0);
    for (std::size_t i = 0; i < one.size(); ++i) out[i] += one[i] / static_cast<double>(queries.size());
  }
  return out;
}

std::vector<double> Question::row(std::span<const int> queries) const {
  // A walk that begins at all of them gives the mean at once, unless a row is divided by something of its own.
  if (!minus && !is_flow() && recipe.sink != SinkMode::renormalise && recipe.sink != SinkMode::lift) return row_from(start(queries), queries.front());
  std::vector<double> out(static_cast<std::size_t>(shown.keys), 0.0);
  for (const int query : queries) {
    const std::vector<double> one = row(query);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += one[j] / static_cast<double>(queries.size());
  }
  return out;
}

std::vector<double> Question::row_from(const std::vector<double>& above, int query) const {
  std::vector<double> out;
  if (result) {
    out.assign(static_cast<std::size_t>(result->view.columns), 0.0);
    if (result->view.rows == 1) {
      const auto from = result->view.row(0);
      return finished({from.begin(), from.end()}, query);
    }
    for (std::size_t i = 0; i < above.size(); ++i) {
      if (above[i] == 0) continue;
      const auto from = result->view.row(static_cast<int>(i));
      for (std::size_t j = 0; j < out.size(); ++j) out[j] += above[i] * static_cast<double>(from[j]);
    }
  } else if (flow_row) {
    out = flow_row->row;
  } else {
    const auto layers = chain();
    const auto keys = static_cast<std::size_t>(layers.empty() ? static_cast<int>(above.size()) : layers[0].columns);
    if (multiplies(info(), recipe)) {
      out = above;
      std::vector<double> next(keys);
      for (std::size_t l = layers.size(); l-- > 0;) {
        rollout_step(out, layers[l], residual(), next);
        out.swap(next);
      }
    } else {
      out.assign(keys, 0.0);
      std::vector<double> one(keys);
      for (std::size_t i = 0; i < above.size(); ++i) {
        if (above[i] == 0) continue;
        raw_row({layers}, static_cast<int>(i), one);
        for (std::size_t j = 0; j < keys; ++j) out[j] += above[i] * one[j];
      }
    }
  }
  return finished(std::move(out), query);
}

std::vector<double> Question::chance(int query) const {
  if (!has_chance(recipe) || recipe.sink == SinkMode::lift || (recipe.merge != Merge::pieces && !merged_after())) return {};
  std::vector<double> out(static_cast<std::size_t>(shown.keys), 0.0), one(static_cast<std::size_t>(info().keys));
  const std::vector<double> above = start(query);
  for (std::size_t i = 0; i < above.size(); ++i) {
    if (above[i] == 0) continue;
    chance_row(info(), recipe, depth, static_cast<int>(i), one);
    for (std::size_t j = 0; j < one.size(); ++j) out[merged_after() ? static_cast<std::size_t>(groups.keys[j]) : j] += above[i] * one[j];
  }
  return out;
}

int Question::visible(int query) const {
  if (recipe.method != Method::joint) return visible_keys(shown, query);
  const EncoderDecoder sides = encoder_decoder(open->dump.info);
  const Stream& decoder = open->dump.info.streams[static_cast<std::size_t>(sides.decoder)];
  return info().keys + (decoder.causal ? query + 1 : decoder.keys);
}

std::vector<int> Question::sinks() const {
  if (!traits(recipe.method).attention || recipe.method == Method::joint) return {};
  auto out = strong_keys(info(), recipe, data().stats).sinks;
  for (int& key : out)
    if (!groups.keys.empty()) key = groups.keys[static_cast<std::size_t>(key)];
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<double> Question::finished(std::vector<double> row, int query) const {
  if (recipe.method == Method::flow_normalised) flow_normalise(row);
  if (recipe.sink == SinkMode::renormalise) {
    auto keys = keys_set_aside(info(), recipe, data().stats);
    if (recipe.merge != Merge::pieces && !merged_after())
      for (int& key : keys) key = groups.keys[static_cast<std::size_t>(key)];
    renormalise_without(row, keys);
  }
  if (recipe.sink == SinkMode::lift) {
    std::vector<double> uniform(row.size());
    chance_row(info(), recipe, depth, query, uniform);
    lift(row, uniform);
  }
  if (!merged_after()) return row;
  std::vector<double> out(static_cast<std::size_t>(shown.keys), 0.0);
  for (std::size_t j = 0; j < row.size(); ++j) out[static_cast<std::size_t>(groups.keys[j])] += row[j];
  return out;
}

Result<std::unique_ptr<Job>> make_verb_job(std::shared_ptr<OpenDump> open, const std::string& verb, const std::string& text) {
  auto args = Args::parse(text);
  if (!args) return tl::unexpected(std::move(args.error()));
  if (verb == "info") return make_info_job(std::move(open), *args);
  if (verb == "view") return make_view_job(std::move(open), *args);
  if (verb == "matrix") return make_matrix_job(std::move(open), *args);
  if (verb == "thumbs") return make_thumbs_job(std::move(open), *args);
  if (verb == "picture") return make_picture_job(std::move(open), *args);
  return make_further_verb_job(std::move(open), verb, *args);
}

}  // namespace rollscope
