// rollscope bias: pairs of dumps of one sentence with one word swapped. What is compared is the weight on that word, or on
// a token that both hold, in the same row; the pair is the unit (analysis/resampling.h).
#include <fmt/format.h>

#include <algorithm>

#include "analysis/narration.h"
#include "analysis/resampling.h"
#include "analysis/token_alignment.h"
#include "app/cli_commands.h"
#include "app/cli_dump.h"
#include "app/cli_files.h"
#include "app/cli_side.h"
#include "app/verbs_compare.h"

namespace rollscope {
namespace {

const std::vector<std::string_view> kDumpEndings{".npz", ".npy", ".safetensors", ".pt", ".pth", ".bin", ".pkl", ".json", ".html", ".csv"};

struct PairOfFiles {
  std::string name, a, b;
};

// "nurse_a.npz": its stem without the side, and the side; 0: the name ends in neither.
std::pair<std::string, char> stem_and_side(const std::string& file) {
  const auto folder = file.size() - without_folders(file).size();
  const auto dot = file.find('.', folder);
  const std::string stem = file.substr(0, dot);
  if (stem.size() < folder + 2 || stem[stem.size() - 2] != '_' || (stem.back() != 'a' && stem.back() != 'b')) return {stem, 0};
  return {stem.substr(0, stem.size() - 2), stem.back()};
}

// By their names where all of them say their side, else in turns.
Result<std::vector<PairOfFiles>> pairs_of(const std::vector<std::string>& files) {
  std::vector<PairOfFiles> out;
  const bool named = std::all_of(files.begin(), files.end(), [](const auto& file) { return stem_and_side(file).second != 0; });
  if (named) {
    for (const auto& file : files) {
      const auto [stem, side] = stem_and_side(file);
      auto found = std::find_if(out.begin(), out.end(), [&, &stem = stem](const auto& pair) { return pair.name == stem; });
      if (found == out.end()) found = out.insert(out.end(), {stem, "", ""});
      auto& place = side == 'a' ? found->a : found->b;
      if (!place.empty()) return wrong_usage("\"" + place + "\" and \"" + file + "\" are both the same side of a pair");
      place = file;
    }
    for (const auto& pair : out)
      if (pair.a.empty() || pair.b.empty()) return wrong_usage("\"" + (pair.a.empty() ? pair.b : pair.a) + "\" has no fellow: pairs are NAME_a and NAME_b");
  } else {
    if (files.size() % 2 != 0) return wrong_usage(fmt::format("Pairs need two files each, and {} were given", files.size()));
    for (std::size_t k = 0; k < files.size(); k += 2) out.push_back({without_folders(files[k]), files[k], files[k + 1]});
  }
  for (auto& pair : out) pair.name = without_folders(pair.name);
  return out;
}

struct Measured {
  std::string name;
  std::string file_a, file_b, word_a, word_b, query_a, query_b;
  int row_a = 0, row_b = 0;
  double a = 0, b = 0;
};

std::string span_text(const std::vector<Token>& tokens, int first, int end) {
  std::string out;
  for (int k = first; k < end; ++k) {
    const Token& token = tokens[static_cast<std::size_t>(k)];
    out += (k > first && token.starts_word ? " " : "") + token.label;
  }
  return out;
}

double sum_of(std::span<const double> row, int first, int end) {
  double sum = 0;
  for (int k = first; k < end; ++k) sum += row[static_cast<std::size_t>(k)];
  return sum;
}

// Weight on all tokens of this label. NaN: there is none.
double weight_on(const DumpSide& side, const std::string& label, int query) {
  double sum = 0;
  bool found = false;
  for (int k = 0; k < real_keys(side.shown); ++k)
    if (token_label(side.shown.key_tokens, static_cast<std::size_t>(k)) == label) {
      sum += side.at(query)[static_cast<std::size_t>(k)];
      found = true;
    }
  return found ? sum : std::nan("");
}

std::span<const Token> real_tokens(const std::vector<Token>& tokens, int count) { return std::span(tokens).first(std::min(tokens.size(), static_cast<std::size_t>(count))); }

Result<Measured> measure(const CommandLine& command, const PairOfFiles& pair, std::vector<DumpSide>& sides) {
  Options options = recipe_options(command.options);
  auto a = open_side(command, pair.a, options);
  if (!a) return tl::unexpected(std::move(a.error()));
  auto b = open_side(command, pair.b, options);
  if (!b) return tl::unexpected(std::move(b.error()));
  const std::string names = a->dump.info.file + " and " + b->dump.info.file;
  const auto keys_a = real_tokens(a->shown.key_tokens, real_keys(a->shown)), keys_b = real_tokens(b->shown.key_tokens, real_keys(b->shown));
  const SwappedSpan swapped = swapped_span(keys_a, keys_b);
  const std::string token = command.option("token");
  if (swapped.prefix == swapped.a_end && swapped.prefix == swapped.b_end) return wrong_usage("The texts of " + names + " do not differ: a pair has one word swapped");
  if (token.empty() && (swapped.prefix == swapped.a_end || swapped.prefix == swapped.b_end))
    return wrong_usage("Of " + names + " one text holds a word more, and nothing stands in its place: --token WORD measures a word that both hold");

  auto asked = asked_number(command, "row");
  if (!asked) return tl::unexpected(std::move(asked.error()));
  const int rows = real_queries(a->shown);
  Measured out;
  out.row_a = asked->value_or(std::max(0, first_query(a->dump.info, a->stream)));
  if (out.row_a < 0 || out.row_a >= rows)
    return fail(ErrorCode::out_of_range, {{"option", "row"}, {"value", std::to_string(out.row_a)}, {"allowed", fmt::format("0 to {}", rows - 1)}});
  // The same output on the other side: counted from the end where it stands behind the swapped word.
  const SwappedSpan query = swapped_span(real_tokens(a->shown.query_tokens, rows), real_tokens(b->shown.query_tokens, real_queries(b->shown)));
  out.row_b = out.row_a < query.prefix ? out.row_a : out.row_a >= query.a_end ? out.row_a - query.a_end + query.b_end : query.prefix;
  out.row_b = std::min(out.row_b, real_queries(b->shown) - 1);
  if (auto read = read_rows(*a, options, out.row_a); !read) return tl::unexpected(std::move(read.error()));
  if (auto read = read_rows(*b, options, out.row_b); !read) return tl::unexpected(std::move(read.error()));

  out.name = pair.name;
  out.file_a = a->dump.info.file;
  out.file_b = b->dump.info.file;
  out.query_a = token_label(a->shown.query_tokens, static_cast<std::size_t>(out.row_a));
  out.query_b = token_label(b->shown.query_tokens, static_cast<std::size_t>(out.row_b));
  out.word_a = span_text(a->shown.key_tokens, swapped.prefix, swapped.a_end);
  out.word_b = span_text(b->shown.key_tokens, swapped.prefix, swapped.b_end);
  if (token.empty()) {
    out.a = sum_of(a->at(out.row_a), swapped.prefix, swapped.a_end);
    out.b = sum_of(b->at(out.row_b), swapped.prefix, swapped.b_end);
  } else {
    out.a = weight_on(*a, token, out.row_a);
    out.b = weight_on(*b, token, out.row_b);
    if (std::isnan(out.a) || std::isnan(out.b)) return wrong_usage("There is no token \"" + token + "\" in " + (std::isnan(out.a) ? out.file_a : out.file_b));
  }
  if (sides.empty()) sides.push_back(std::move(*a));  // whose recipe is told
  return out;
}

void write_pair(JsonWriter17& json, const Measured& m) {
  json.StartObject();
  json.field("pair", m.name);
  json.field("file_a", m.file_a);
  json.field("file_b", m.file_b);
  json.field("row_a", m.row_a);
  json.field("row_b", m.row_b);
  json.field("query_a", m.query_a);
  json.field("query_b", m.query_b);
  json.field("word_a", m.word_a);
  json.field("word_b", m.word_b);
  json.field("weight_a", m.a);
  json.field("weight_b", m.b);
  json.field("difference", m.a - m.b);
  json.EndObject();
}

void write_mean(JsonWriter17& json, const MeanInterval& mean) {
  json.field("mean", mean.mean);
  json.field("low", mean.low);
  json.field("high", mean.high);
  json.field("count", mean.count);
}

}  // namespace

Result<std::string> answer_bias(const CommandLine& command) {
  std::vector<std::string> given = command.files;
  if (const auto folder = command.option("pairs"); !folder.empty()) given.push_back(folder);
  if (given.empty()) return wrong_usage("Which pairs? rollscope bias A B, or rollscope bias --pairs FOLDER");
  auto files = files_with(given, kDumpEndings);
  if (!files) return tl::unexpected(std::move(files.error()));
  auto pairs = pairs_of(*files);
  if (!pairs) return tl::unexpected(std::move(pairs.error()));
  std::vector<Measured> measured;
  std::vector<DumpSide> first;
  for (const auto& pair : *pairs) {
    auto one = measure(command, pair, first);
    if (!one) return tl::unexpected(std::move(one.error()));
    measured.push_back(std::move(*one));
  }
  const ResamplingOptions options;
  std::vector<double> a, b, values;
  std::vector<std::string> words;
  for (const auto& m : measured) {
    a.push_back(m.a);
    b.push_back(m.b);
    values.insert(values.end(), {m.a, m.b});
    words.insert(words.end(), {m.word_a, m.word_b});
  }
  const auto difference = paired_difference(a, b, options);
  const MeanInterval& mean = difference.difference;
  std::vector<Fact> facts{{NarrationId::bias_pairs, {{"count", Slot::count(static_cast<long long>(measured.size()))}}}};
  if (std::isfinite(mean.low))
    facts.push_back({NarrationId::bias_interval, {{"mean", Slot::number(mean.mean, 4)}, {"level", Slot::percent(options.level)},
                                                  {"low", Slot::number(mean.low, 4)}, {"high", Slot::number(mean.high, 4)}}});
  else facts.push_back({NarrationId::bias_no_interval, {{"mean", Slot::number(mean.mean, 4)}}});
  facts.push_back(method_caveat(first[0].recipe));

  rapidjson::StringBuffer buffer;
  JsonWriter17 json(buffer);
  json.StartObject();
  json.name("recipe");
  write_recipe(json, first[0].stream, first[0].recipe, kNoRow);
  json.field("measured", command.option("token").empty() ? "the swapped word" : "the token " + command.option("token"));
  json.name("pairs");
  json.StartArray();
  for (const auto& m : measured) write_pair(json, m);
  json.EndArray();
  json.name("difference");
  json.StartObject();
  write_mean(json, mean);
  json.field("level", options.level);
  json.field("resamples", options.resamples);
  json.field("seed", static_cast<int>(options.seed));
  json.field("p_value", difference.test.p_value);
  json.field("exact", difference.test.exact);
  json.EndObject();
  json.name("groups");
  json.StartArray();
  for (const auto& group : group_means(values, words, options)) {
    json.StartObject();
    json.field("word", group.group);
    write_mean(json, group.mean);
    json.EndObject();
  }
  json.EndArray();
  json.name("narration");
  write_narration(json, facts);
  json.field("engine", ROLLSCOPE_VERSION);
  json.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize());
}

std::string bias_text(const rapidjson::Value& bias, const CommandLine& command) {
  auto out = text_of(bias["recipe"]["sentence"]) + "\n";
  for (const auto& pair : bias["pairs"].GetArray())
    out += fmt::format("{}: {} {}, {} {}, difference {}\n", text_of(pair["pair"]), text_of(pair["word_a"]), shown_number(pair["weight_a"], 4), text_of(pair["word_b"]),
                       shown_number(pair["weight_b"], 4), shown_number(pair["difference"], 4));
  for (const auto& group : bias["groups"].GetArray())
    out += fmt::format("{}: mean {} over {}\n", text_of(group["word"]), shown_number(group["mean"], 4), group["count"].GetInt());
  out += fmt::format("sign-flip test: p {}\n", shown_number(bias["difference"]["p_value"], 3));
  return out + narration_lines(bias, command);
}

}  // namespace rollscope
