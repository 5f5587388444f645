// audit: one sheet about one row that can be checked later. Which bytes, which program, which recipe, which numbers, which
// limits, which sentences. Nothing in it depends on the time or the place.
#include "analysis/narration.h"
#include "app/hash_work.h"
#include "app/verbs.h"
#include "app/verbs_row.h"
#include "base/text.h"

namespace rollscope {
namespace {

constexpr int kListed = 10;

std::string sheet(const Question& q, int row, const std::string& sha256, int listed) {
  const DumpInfo& info = q.open->dump.info;
  const auto strong = traits(q.recipe.method).attention ? strong_keys(q.info(), q.recipe, q.data().stats) : StrongKeys{};
  const RowAnswer answer = row_answer(q, row, true);
  Report limits = recipe_report(q, strong);
  limits.insert(limits.end(), answer.limits.begin(), answer.limits.end());

  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  json.field("format", "rollscope-audit");
  json.field("version", 1);
  json.name("dump");
  json.StartObject();
  json.field("file", info.file);
  json.field("kind", info.format);
  json.name("bytes");
  json.Uint64(q.open->source->size());
  json.field("sha256", sha256);
  json.field("item", q.info().item);
  json.name("assumed");
  json.StartObject();
  for (const auto& [name, value] : info.assumed) json.field(name, std::string_view(value));
  json.EndObject();
  json.EndObject();
  json.field("engine", ROLLSCOPE_VERSION);
  json.name("recipe");
  write_recipe(json, q.info(), q.recipe, row);
  json.field("query", query_label(q, row));
  json.name("numbers");
  json.StartObject();
  json.name("key_tokens");
  write_key_tokens(json, q, answer.weights, listed);
  json.field("keys", static_cast<int>(answer.weights.size()));
  json.field("visible", q.visible(row));
  json.field("sum", answer.sum);
  json.field("spread", answer.spread);
  json.field("rows_distance", q.result && q.result->distance >= 0 ? q.result->distance : NAN);
  json.name("row");
  write_row(json, answer.weights);
  if (!answer.uniform.empty()) {
    json.name("uniform");
    write_row(json, answer.uniform);
  }
  json.name("sinks");
  write_keys(json, q.info(), strong, strong.sinks);
  if (answer.range) {
    json.name("residual_range");
    write_residual_range(json, *answer.range);
  }
  json.EndObject();
  json.name("limits");
  write_report(json, limits);
  json.name("narration");
  write_narration(json, row_facts(q, row, answer));
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

Result<std::unique_ptr<Job>> make_audit_job(std::shared_ptr<OpenDump> open, const Args& args) {
  auto question = make_question(std::move(open), "audit", args, {"row", "k"});
  if (!question) return tl::unexpected(std::move(question.error()));
  const auto q = *question;
  auto row = asked_row(args, *q, first_row(*q));
  if (!row) return tl::unexpected(std::move(row.error()));
  if (*row < 0) return fail(ErrorCode::bad_value, {{"option", "row"}, {"value", "all"}, {"allowed", "one row: a sheet is about one output"}});
  if (auto fits = check_flow(*q, *row); !fits) return tl::unexpected(std::move(fits.error()));
  auto listed = args.integer("k", kListed);
  if (!listed) return tl::unexpected(std::move(listed.error()));
  if (*listed < 1) return fail(ErrorCode::bad_value, {{"option", "k"}, {"value", std::to_string(*listed)}, {"allowed", "a number from 1 on"}});
  const auto sha256 = std::make_shared<std::string>();
  auto stages = stack_stages(q);
  stages.push_back(rows_stage(q, q->recipe, *row));
  stages.push_back([q, sha256]() -> Result<std::unique_ptr<Work>> { return std::make_unique<HashWork>(q->open->source, sha256); });
  return verb_job(*q->open, std::move(stages), [q, sha256, row = *row, listed = *listed]() -> Result<JobResult> {
    return JobResult{sheet(*q, row, *sha256, listed), {}};
  });
}

}  // namespace rollscope
