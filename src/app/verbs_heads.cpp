// heads: what each head does, by numbers (analysis/head_scores.h), and which heads do the same.
#include "app/verbs_heads.h"

#include <algorithm>

#include "analysis/limits.h"
#include "app/verbs.h"
#include "base/archive.h"
#include "base/narration.h"

namespace rollscope {
namespace {

// Equal numbers for equal tokens; empty where the file names none.
std::vector<int> token_ids(const std::vector<Token>& tokens) {
  std::map<std::string_view, int> seen;
  std::vector<int> out;
  for (const auto& token : tokens) {
    if (token.raw.empty() && !token.label.empty() && out.empty()) return {};  // positions, not tokens
    out.push_back(seen.emplace(token.raw, static_cast<int>(seen.size())).first->second);
  }
  return out;
}

// One head a step: read, scored, kept for the comparison; then the comparison, one head a step.
class HeadsWork final : public Work {
 public:
  HeadsWork(std::shared_ptr<OpenDump> open, int stream, std::shared_ptr<HeadTable> out) : open_(std::move(open)), stream_(stream), out_(std::move(out)) {}

  Result<bool> step() override {
    if (memory_.size() == 0)
      if (auto begun = begin(); !begun) return tl::unexpected(std::move(begun.error()));
    const std::size_t all = out_->layers.size() * out_->heads.size();
    if (at_ < all) {
      const Stream& s = stream();
      const MatrixView head = memory_.matrix(0, s.queries, s.keys);
      const int layer = out_->layers[at_ / out_->heads.size()], number = out_->heads[at_ % out_->heads.size()];
      if (auto read = read_normalised_head(*open_, stream_, layer, number, head); !read) return tl::unexpected(std::move(read.error()));
      out_->scores.push_back(head_scores(head, ids_, options_));
      out_->scores.back().entropy_rows.clear();
      if (similar_) similar_->add(static_cast<int>(at_), head);
      ++at_;
      return at_ == all && !similar_;
    }
    if (!similar_->step()) return false;
    out_->js = similar_->take();
    return true;
  }

  JobProgress progress() const override {
    const double all = static_cast<double>(std::max<std::size_t>(1, out_->layers.size() * out_->heads.size()));
    JobProgress p;
    p.fraction = 0.5 * static_cast<double>(at_) / all + 0.5 * (similar_ ? similar_->fraction() : 0);
    p.layers = static_cast<int>(out_->layers.size());
    p.layer = std::min(p.layers, static_cast<int>(at_ / std::max<std::size_t>(1, out_->heads.size())) + 1);
    return p;
  }

 private:
  [[nodiscard]] const Stream& stream() const { return open_->dump.info.streams[static_cast<std::size_t>(stream_)]; }
  Result<void> begin() {
    const Stream& s = stream();
    auto memory = RealBuffer::make(static_cast<std::size_t>(s.queries) * static_cast<std::size_t>(s.keys));
    if (!memory) return tl::unexpected(std::move(memory.error()));
    memory_ = std::move(*memory);
    options_.causal = s.causal;
    options_.same_tokens = same_tokens(s);
    options_.virtual_sink = s.virtual_sink;
    if (options_.same_tokens) options_.grid = open_->dump.info.grid;
    for (const auto& token : s.key_tokens) delimiters_.push_back(token.special || is_punctuation(token.label));
    delimiters_.resize(static_cast<std::size_t>(s.keys), 0);
    options_.delimiters = delimiters_;
    ids_ = token_ids(s.key_tokens);
    if (ids_.size() < static_cast<std::size_t>(real_keys(s))) ids_.clear();
    out_->ids = !ids_.empty() && options_.same_tokens;
    const auto heads = static_cast<int>(out_->layers.size() * out_->heads.size());
    out_->rows = heads > 1 ? similarity_rows(heads, real_queries(s), s.keys) : 0;
    if (out_->rows == 0) return {};
    auto similar = HeadJs::start(heads, s.keys, sampled_rows(real_queries(s), out_->rows));
    if (!similar) return tl::unexpected(std::move(similar.error()));
    similar_.emplace(std::move(*similar));
    return {};
  }

  std::shared_ptr<OpenDump> open_;
  int stream_;
  std::shared_ptr<HeadTable> out_;
  RealBuffer memory_;
  std::vector<std::uint8_t> delimiters_;
  std::vector<int> ids_;
  HeadScoresOptions options_;
  std::optional<HeadJs> similar_;
  std::size_t at_ = 0;
};

void write_head(JsonWriter17& json, const HeadTable& table, std::size_t m) {
  const HeadScores& s = table.scores[m];
  const HeadRole role = suggested_role(s);
  json.StartObject();
  json.field("layer", table.layers[m / table.heads.size()]);
  json.field("head", table.heads[m % table.heads.size()]);
  json.field("role", head_role_name(role));
  const RoleScore score = role_score(s, role);
  json.field("role_score", score.score.value());
  json.field("role_chance", score.chance.value());
  for (const auto& field : head_score_fields()) json.field(field.name, (s.*field.mean).value());
  json.name("chance");
  json.StartObject();
  for (int r = 1; r < kHeadRoles; ++r) json.field(head_role_name(static_cast<HeadRole>(r)), s.chance[static_cast<std::size_t>(r)].value());
  json.EndObject();
  json.EndObject();
}

void write_similar(JsonWriter17& json, const HeadTable& table, double height) {
  json.name("similar");
  if (table.js.empty()) {
    json.Null();
    return;
  }
  const auto similar = similar_heads(table, height);
  json.StartObject();
  json.field("rows", table.rows);
  json.field("height", height);
  json.name("clusters");
  json.StartArray();
  for (const auto& heads : similar.clusters) {
    json.StartArray();
    for (const int m : heads) {
      const auto k = static_cast<std::size_t>(m);
      write_ints(json, std::vector<int>{table.layers[k / table.heads.size()], table.heads[k % table.heads.size()]});
    }
    json.EndArray();
  }
  json.EndArray();
  json.name("order");
  write_ints(json, similar.order);
  json.name("merges");
  json.StartArray();
  for (const auto& merge : similar.merges) {
    json.StartObject();
    json.field("a", merge.a);
    json.field("b", merge.b);
    json.field("height", merge.height);
    json.field("size", merge.size);
    json.EndObject();
  }
  json.EndArray();
  json.name("map");
  if (similar.map.x.empty()) {
    json.Null();
  } else {
    json.StartObject();
    json.name("x");
    write_row(json, similar.map.x);
    json.name("y");
    write_row(json, similar.map.y);
    json.field("share", similar.map.share);
    json.EndObject();
  }
  json.EndObject();
}

}  // namespace

std::string heads_json(const HeadTable& table, double height, const Report& report) {
  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  json.name("files");
  json.StartArray();
  for (const auto& file : table.files) json.text(file);
  json.EndArray();
  json.field("stream", table.stream);
  json.name("layers");
  write_ints(json, table.layers);
  json.name("layer_numbers");
  write_ints(json, table.numbers);
  json.name("heads");
  write_ints(json, table.heads);
  json.field("repeats_known", table.ids);
  json.name("role_rule");
  json.StartObject();
  json.field("score", kRoleScore);
  json.field("times_chance", kRoleTimesChance);
  json.field("rows", kRoleRows);
  json.EndObject();
  json.name("scores");
  json.StartArray();
  int named = 0;
  for (std::size_t m = 0; m < table.scores.size(); ++m) {
    write_head(json, table, m);
    named += suggested_role(table.scores[m]) != HeadRole::mixed;
  }
  json.EndArray();
  json.field("similar_memory", kSimilarBytes);  // above it `similar` is null
  write_similar(json, table, height);
  std::vector<Fact> facts{{NarrationId::heads_named,
                           {{"count", Slot::count(named)}, {"all", Slot::count(static_cast<long long>(table.scores.size()))},
                            {"score", Slot::number(kRoleScore, 1)}, {"times", Slot::number(kRoleTimesChance, 0)}}}};
  if (table.files.size() == 1) facts.push_back({NarrationId::heads_one_text, {}});
  else facts.push_back({NarrationId::heads_texts, {{"count", Slot::count(static_cast<long long>(table.files.size()))}}});
  json.name("narration");
  write_narration(json, facts);
  json.name("report");
  write_report(json, report);
  json.field("engine", ROLLSCOPE_VERSION);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

Result<std::unique_ptr<Job>> make_heads_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("heads", {"stream", "heads", "layers", "height", "item"}); !known) return tl::unexpected(std::move(known.error()));
  auto height = args.number("height", 0, 1, kSimilarHeight);
  if (!height) return tl::unexpected(std::move(height.error()));
  auto request = recipe_request(args);
  if (!request) return tl::unexpected(std::move(request.error()));
  request->method = Method::raw;  // takes any stream: heads are looked at one by one
  auto question = make_question(std::move(open), *request);
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  if (auto item = check_item(args, q->info()); !item) return tl::unexpected(std::move(item.error()));
  const auto table = std::make_shared<HeadTable>();
  table->files = {q->open->dump.info.file};
  table->stream = q->info().name;
  for (int l = q->recipe.first_layer; l < q->recipe.end_layer; ++l) {
    table->layers.push_back(l);
    table->numbers.push_back(q->info().layer_numbers[static_cast<std::size_t>(l)]);
  }
  table->heads = recipe_heads(q->info(), q->recipe);
  const auto work = [q, table]() -> Result<std::unique_ptr<Work>> { return std::make_unique<HeadsWork>(q->open, q->stream, table); };
  return verb_job(*q->open, {work}, [q, table, height = *height]() -> Result<JobResult> {
    JobResult result{heads_json(*table, height, q->open->dump.info.report), {}};
    ArchiveWriter archive;
    archive(*table);
    result.blob = archive.take();
    return result;
  });
}

}  // namespace rollscope
