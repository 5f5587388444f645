// Helpers of the session's tests: open and ask in one line, answers as JSON or as messages.
#pragma once

#include <doctest/doctest.h>
#include <rapidjson/document.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <string>

#include "app/session.h"
#include "app/verbs_error.h"
#include "base/archive.h"
#include "platform/file_source_native.h"
#include "support/memory_stack.h"
#include "support/vectors.h"

namespace rollscope::test {

inline Result<JobResult> run(Result<std::unique_ptr<Job>> job) {
  if (!job) return tl::unexpected(std::move(job.error()));
  return finish(**job);
}

inline JobResult must(Result<JobResult> result) {
  if (!result) FAIL(error_json(result.error()));
  return std::move(*result);
}

inline rapidjson::Document parsed(const std::string& json) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseFullPrecisionFlag>(json.c_str());
  REQUIRE_MESSAGE(!document.HasParseError(), json.substr(0, 200));
  return document;
}

inline std::string dump_path(const std::string& name) { return std::string(ROLLSCOPE_TEST_DATA) + "/dumps/" + name; }

inline JobResult open_file(Session& session, const std::string& name) {
  auto source = FileSource::open(dump_path(name));
  REQUIRE_MESSAGE(source, name);
  return must(run(session.open(*source, R"({"name": ")" + name + "\"}")));
}

inline rapidjson::Document explain(Session& session, const std::string& args = "{}") {
  return parsed(must(run(session.ask("explain", args))).json);
}

template <class Message>
Message answer(Session& session, const std::string& verb, const std::string& args) {
  const auto result = must(run(session.ask(verb, args)));
  Message message;
  ArchiveReader archive(result.blob);
  archive(message);
  REQUIRE_FALSE(archive.failed());
  return message;
}

inline Error refused(Result<JobResult> result) {
  REQUIRE_FALSE(result);
  return result.error();
}

// "" where the document fits the schema of the contracts, else what is wrong.
inline std::string schema_problem(const rapidjson::Document& document, const std::string& schema) {
  const auto text = parsed(slurp(std::string(ROLLSCOPE_TEST_DATA) + "/contracts/" + schema + ".schema.json"));
  const rapidjson::SchemaDocument rules(text);
  rapidjson::SchemaValidator validator(rules);
  if (document.Accept(validator)) return "";
  rapidjson::StringBuffer where;
  validator.GetInvalidDocumentPointer().StringifyUriFragment(where);
  return std::string(where.GetString()) + " breaks " + validator.GetInvalidSchemaKeyword();
}

inline bool reports(const rapidjson::Value& report, const std::string& code) {
  for (const auto& item : report.GetArray())
    if (item["code"].GetString() == code) return true;
  return false;
}

inline bool reports(const Report& report, ReportCode code) {
  for (const auto& item : report)
    if (item.code == code) return true;
  return false;
}

}  // namespace rollscope::test
