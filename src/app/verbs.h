// The questions that a session answers (app/session.h), each a Job. Private to src/app.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdio>

#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "app/session.h"
#include "app/session_state.h"
#include "app/verbs_args.h"

namespace rollscope {

// Numbers with 17 significant digits, NaN as null.
class JsonWriter17 : public rapidjson::Writer<rapidjson::StringBuffer> {
 public:
  explicit JsonWriter17(rapidjson::StringBuffer& buffer) : Writer(buffer) {}
  void text(std::string_view s) { String(s.data(), static_cast<rapidjson::SizeType>(s.size())); }
  void name(std::string_view s) { Key(s.data(), static_cast<rapidjson::SizeType>(s.size())); }
  void number(double x) {
    if (!std::isfinite(x)) {
      Null();
      return;
    }
    char digits[32];
    const int length = std::snprintf(digits, sizeof digits, "%.17g", x);
    RawValue(digits, static_cast<std::size_t>(length), rapidjson::kNumberType);
  }
};

// A token's label; its position from 1 where the file names none.
[[nodiscard]] inline std::string token_label(const std::vector<Token>& tokens, std::size_t k) {
  return k < tokens.size() ? tokens[k].label : std::to_string(k + 1);
}
void write_report(JsonWriter17& json, const Report& report);  // an array
[[nodiscard]] std::string info_json(const DumpInfo& info);    // info.schema.json

// A verb in three parts: stages that need time, and an answer at the end.
class VerbJob final : public Job {
 public:
  using Stage = std::function<Result<std::unique_ptr<Work>>()>;  // made when its turn comes; null: nothing to do
  using Answer = std::function<Result<JobResult>()>;
  VerbJob(std::string file, std::vector<Stage> stages, Answer answer)
      : file_(std::move(file)), stages_(std::move(stages)), answer_(std::move(answer)) {}
  Result<bool> step() override;
  JobProgress progress() const override;
  JobResult result() override { return std::move(result_); }

 private:
  Result<bool> advance();
  std::string file_;
  std::vector<Stage> stages_;
  Answer answer_;
  std::unique_ptr<Work> work_;
  std::size_t at_ = 0;
  JobResult result_;
};

// What every question about numbers starts from.
struct Question {
  std::shared_ptr<OpenDump> open;
  int stream = 0;
  Recipe recipe;  // resolved
  std::shared_ptr<const FusedStack> stack, by_max;
  std::shared_ptr<const ResultMatrix> result;
  [[nodiscard]] const Stream& info() const { return open->dump.info.streams[static_cast<std::size_t>(stream)]; }
  [[nodiscard]] StreamData& data() const { return open->streams[static_cast<std::size_t>(stream)]; }
  [[nodiscard]] StackView range() const { return stack->view().slice(recipe.first_layer, recipe.end_layer); }
};
[[nodiscard]] Result<std::shared_ptr<Question>> make_question(std::shared_ptr<OpenDump> open, const Args& recipe);
// Stages that fill `stack`, `by_max` and `result`. `wanted` is asked when its turn comes.
[[nodiscard]] VerbJob::Stage stack_stage(std::shared_ptr<Question> question);
[[nodiscard]] VerbJob::Stage by_max_stage(std::shared_ptr<Question> question);
[[nodiscard]] VerbJob::Stage result_stage(std::shared_ptr<Question> question, Recipe recipe);

[[nodiscard]] Result<std::unique_ptr<Job>> make_verb_job(std::shared_ptr<OpenDump> open, const std::string& verb, const std::string& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_info_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_explain_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_view_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_matrix_job(std::shared_ptr<OpenDump> open, const Args& args);
[[nodiscard]] Result<std::unique_ptr<Job>> make_thumbs_job(std::shared_ptr<OpenDump> open, const Args& args);

}  // namespace rollscope
