#include "app/verbs_error.h"

#include "app/verbs.h"

namespace rollscope {

std::string error_json(const Error& error) {
  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  json.name("code");
  json.text(error_name(error.code));
  json.name("text");
  json.text(error_text(error));
  json.name("fix");
  json.text(error_fix(error));
  json.name("params");
  json.StartObject();
  for (const auto& [name, value] : error.params) {
    json.name(name);
    json.text(value);
  }
  json.EndObject();
  json.name("exit");
  json.Int(error_exit_status(error.code));
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string progress_json(const JobProgress& p) {
  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  json.name("fraction");
  json.number(p.fraction);
  json.name("bytes");
  json.Uint64(p.bytes);
  json.name("total");
  json.Uint64(p.total);
  json.name("layer");
  json.Int(p.layer);
  json.name("layers");
  json.Int(p.layers);
  json.name("kept");
  json.Uint64(p.kept);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace rollscope
