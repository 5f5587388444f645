// What a dump is, as JSON (info.schema.json).
#include "app/verbs.h"

namespace rollscope {
namespace {

void write_tokens(JsonWriter17& json, const std::vector<Token>& tokens) {
  json.StartArray();
  for (const auto& token : tokens) {
    json.StartObject();
    json.name("raw");
    json.text(token.raw);
    json.name("label");
    json.text(token.label);
    json.name("special");
    json.Bool(token.special);
    json.name("word");
    if (token.word >= 0) json.Int(token.word);
    else json.Null();
    json.EndObject();
  }
  json.EndArray();
}

void write_stream(JsonWriter17& json, const Stream& s) {
  json.StartObject();
  json.name("name");
  json.text(s.name);
  json.name("kind");
  json.text(stream_kind_name(s.kind));
  json.name("layers");
  json.Int(s.layers());
  json.name("layer_numbers");
  json.StartArray();
  for (const int number : s.layer_numbers) json.Int(number);
  json.EndArray();
  const std::pair<std::string_view, int> numbers[] = {{"heads", s.heads}, {"queries", real_queries(s)}, {"keys", s.keys},
                                                      {"batch", s.batch}, {"item", s.item}};
  for (const auto& [name, value] : numbers) {
    json.name(name);
    json.Int(value);
  }
  json.name("dtype");
  json.text(dtype_name(s.dtype));
  json.name("causal");
  json.Bool(s.causal);
  if (s.virtual_sink) {
    json.name("virtual_sink");
    json.Bool(true);
  }
  if (!s.predicts.empty()) {
    json.name("predicts");
    json.StartArray();
    for (const auto& token : s.predicts) json.text(token);
    json.EndArray();
  }
  json.EndObject();
}

}  // namespace

std::string info_json(const DumpInfo& info) {
  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  json.name("file");
  json.text(info.file);
  json.name("format");
  json.text(info.format);
  json.name("bytes");
  json.Uint64(info.bytes);
  json.name("streams");
  json.StartArray();
  for (const auto& stream : info.streams) write_stream(json, stream);
  json.EndArray();
  json.name("tokens");
  json.StartObject();
  for (const auto& stream : info.streams) {
    json.name(stream.name);
    json.StartObject();
    json.name("queries");
    write_tokens(json, stream.query_tokens);
    json.name("keys");
    write_tokens(json, stream.key_tokens);
    json.EndObject();
  }
  json.EndObject();
  json.name("companions");
  json.StartArray();
  for (const auto& name : info.companions) json.text(name);
  json.EndArray();
  if (info.grid.rows > 0) {
    json.name("grid");
    json.StartObject();
    const std::pair<std::string_view, int> numbers[] = {{"prefix", info.grid.prefix}, {"rows", info.grid.rows}, {"columns", info.grid.columns}};
    for (const auto& [name, value] : numbers) {
      json.name(name);
      json.Int(value);
    }
    json.EndObject();
  }
  if (!info.predictions.empty() && info.predictions.front() == '[') {
    json.name("predictions");
    json.RawValue(info.predictions.data(), info.predictions.size(), rapidjson::kArrayType);
  }
  json.name("assumed");
  json.StartObject();
  for (const auto& [name, value] : info.assumed) {
    json.name(name);
    json.text(value);
  }
  json.EndObject();
  json.name("report");
  write_report(json, info.report);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

Result<std::unique_ptr<Job>> make_info_job(std::shared_ptr<OpenDump> open, const Args& args) {
  if (auto known = args.only("info", {}); !known) return tl::unexpected(std::move(known.error()));
  const auto file = open->dump.info.file;
  return std::unique_ptr<Job>(std::make_unique<VerbJob>(file, std::vector<VerbJob::Stage>{}, [open]() -> Result<JobResult> {
    return JobResult{info_json(open->dump.info), {}};
  }));
}

}  // namespace rollscope
