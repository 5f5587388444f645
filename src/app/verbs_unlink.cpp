// unlink: what stands in a link, field by field. One that cannot be read costs itself and a line in "problems"; of data
// that was cut the text is told, where it has arrived.
#include "app/verbs_error.h"
#include "app/verbs_link.h"

namespace rollscope {
namespace {

void write_list(JsonWriter17& json, std::string_view name, const std::vector<Token>& tokens, int count) {
  json.name(name);
  json.StartArray();
  for (int k = 0; k < count; ++k) json.text(token_label(tokens, static_cast<std::size_t>(k)));
  json.EndArray();
}

// Text that was checked to be a JSON object, or {}.
void write_object(JsonWriter17& json, std::string_view name, const std::string& text) {
  json.name(name);
  const std::string_view object = !text.empty() && Args::parse(text) ? std::string_view(text) : "{}";
  json.RawValue(object.data(), object.size(), rapidjson::kObjectType);
}

void write_data(JsonWriter17& json, const LinkData& d, bool weights) {
  json.StartObject();
  json.field("payload", link_kind_name(d.kind));
  json.field("stream", stream_kind_name(d.stream));
  json.field("quantisation", d.steps > 0 ? "sum" + std::to_string(d.steps) : std::string("sqrt8"));
  json.field("causal", d.causal);
  json.field("heads", d.heads);
  json.name("layers");
  write_ints(json, d.layer_numbers);
  write_object(json, "recipe", d.recipe);
  json.field("row", d.row);
  json.field("max_error", d.error >= 0 ? d.error : NAN);
  json.field("text", !d.key_tokens.empty());
  const auto& rows = d.square ? d.key_tokens : d.query_tokens;
  if (d.kind == LinkKind::row) {
    const auto at = static_cast<std::size_t>(d.row);
    write_list(json, "queries", at < rows.size() ? std::vector<Token>{rows[at]} : std::vector<Token>{}, rows.empty() ? 0 : 1);
  } else {
    write_list(json, "queries", rows, d.queries);
  }
  write_list(json, "keys", d.key_tokens, d.keys);
  if (weights) {
    json.name(d.kind == LinkKind::layers ? "stack" : "matrix");  // [layers][queries][keys], or [queries][keys]
    const auto columns = static_cast<std::size_t>(d.columns());
    std::size_t at = 0;
    if (d.kind == LinkKind::layers) json.StartArray();
    for (int m = 0; m < d.matrices(); ++m) {
      json.StartArray();
      for (int i = 0; i < d.rows(); ++i, at += columns) write_row(json, std::span(d.weights).subspan(at, static_cast<std::size_t>(d.keys)));
      json.EndArray();
    }
    if (d.kind == LinkKind::layers) json.EndArray();
  }
  json.EndObject();
}

void write_problem(JsonWriter17& json, std::string_view field, Error error) {
  error.params.emplace("field", field);
  json.StartObject();
  json.field("field", field);
  json.name("error");
  const std::string text = error_json(error);
  json.RawValue(text.data(), text.size(), rapidjson::kObjectType);
  json.EndObject();
}

std::string unlinked(const LinkFields& fields, bool weights) {
  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  std::vector<std::pair<std::string_view, Error>> problems;
  json.StartObject();
  if (!fields.data.empty()) {
    LinkData saved;
    const auto data = decode_link_data(fields.data, &saved);
    if (data) {
      json.name("data");
      write_data(json, *data, weights);
    } else {
      problems.emplace_back("a", data.error());
      if (saved.keys > 0) {
        json.name("saved");
        write_data(json, saved, false);
      }
    }
  }
  if (!fields.state.empty()) {
    const auto state = decode_link_state(fields.state);
    if (state && Args::parse(*state)) write_object(json, "state", *state);
    else problems.emplace_back("v", !state && state.error().code == ErrorCode::newer_version ? state.error() : Error{ErrorCode::bad_link_field, {}});
  }
  if (!fields.sha.empty()) {
    const bool good = fields.sha.size() >= 8 && fields.sha.size() <= 64 && fields.sha.find_first_not_of("0123456789abcdef") == fields.sha.npos;
    if (good) json.field("sha", fields.sha);
    else problems.emplace_back("sha", Error{ErrorCode::bad_link_field, {}});
  }
  if (!fields.src.empty()) json.field("src", fields.src);
  json.field("repaired", fields.repaired);
  json.name("problems");
  json.StartArray();
  for (auto& [field, error] : problems) write_problem(json, field, error);
  json.EndArray();
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

Result<std::unique_ptr<Job>> make_unlink_job(const Args& args) {
  if (auto known = args.only("unlink", {"link", "weights"}); !known) return tl::unexpected(std::move(known.error()));
  auto text = args.text("link", "");
  if (!text) return tl::unexpected(std::move(text.error()));
  const bool weights = !args.has("weights") || args.flag("weights");
  return std::unique_ptr<Job>(std::make_unique<VerbJob>("the link", std::vector<VerbJob::Stage>{}, [text = std::move(*text), weights]() -> Result<JobResult> {
    const LinkFields fields = split_link(text);
    if (fields.empty()) return fail(ErrorCode::no_link);
    return JobResult{unlinked(fields, weights), {}};
  }));
}

}  // namespace rollscope
