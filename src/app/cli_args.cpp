#include "app/cli_args.h"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>

namespace rollscope {
namespace {

constexpr std::string_view kExplainOptions[] = {"method", "stream", "fusion", "heads", "residual", "layers", "row", "merge", "merge-queries",
                                                "merge-time", "sink", "class", "norms", "discard"};

using Fields = std::map<std::string, std::string, std::less<>>;

std::string object(const Fields& fields, const Fields* assume, int item, bool describe) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> json(buffer);
  json.StartObject();
  for (const auto& [name, value] : fields) {
    json.Key(name.c_str());
    json.String(value.c_str());
  }
  if (assume) {
    json.Key("assume");
    json.StartObject();
    for (const auto& [name, value] : *assume) {
      json.Key(name.c_str());
      json.String(value.c_str());
    }
    json.EndObject();
    json.Key("item");
    json.Int(item);
    json.Key("describe");
    json.Bool(describe);
  }
  json.EndObject();
  return buffer.GetString();
}

tl::unexpected<Error> usage(std::string detail) { return fail(ErrorCode::usage, {{"detail", std::move(detail)}}); }

}  // namespace

Result<CommandLine> parse_command_line(const std::vector<std::string>& words) {
  CommandLine out;
  if (words.empty()) return usage("Say what to do: rollscope info FILE, or rollscope explain FILE");
  for (const auto& word : words) {
    if (word == "--help" || word == "-h") return out;
    if (word == "--version") {
      out.verb = CommandLine::Verb::version;
      return out;
    }
  }
  const std::string& verb = words[0];
  if (verb == "info") out.verb = CommandLine::Verb::info;
  else if (verb == "explain") out.verb = CommandLine::Verb::explain;
  else if (verb.rfind('-', 0) == 0) return fail(ErrorCode::unknown_option, {{"option", verb}, {"verb", "rollscope"}});
  else return usage("There is no command \"" + verb + "\"; there are info and explain");

  Fields options, assume;
  int item = 0;
  bool only_files = false;  // after a lone --
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" && !only_files) {
      only_files = true;
      continue;
    }
    if (only_files || word.rfind('-', 0) != 0 || word == "-") {
      if (!out.file.empty()) return usage("One file at a time: \"" + out.file + "\" and \"" + word + "\" were given");
      if (word.empty()) return usage("The file's name is empty");
      out.file = word;
      continue;
    }
    if (word == "--json") {
      out.json = true;
      continue;
    }
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const bool known = name == "--assume" || name == "--item" || name == "--tokens" ||
                       (out.verb == CommandLine::Verb::explain && name.size() > 2 && name.rfind("--", 0) == 0 &&
                        std::find(std::begin(kExplainOptions), std::end(kExplainOptions), name.substr(2)) != std::end(kExplainOptions));
    if (!known) return fail(ErrorCode::unknown_option, {{"option", name}, {"verb", verb}});
    std::string value;
    if (equals != word.npos) {
      value = word.substr(equals + 1);
    } else {
      if (++i == words.size()) return usage(name + " needs a value");
      value = words[i];
      if (value.rfind("--", 0) == 0) return usage(name + " needs a value, and " + value + " is an option");
    }
    if (value.empty()) return usage(name + " needs a value");
    if (name == "--assume") {
      const auto split = value.find('=');
      if (split == value.npos || split == 0 || split + 1 == value.size())
        return fail(ErrorCode::bad_value, {{"option", "--assume"}, {"value", value}, {"allowed", "NAME=VALUE, for instance layout=heads"}});
      assume[value.substr(0, split)] = value.substr(split + 1);
    } else if (name == "--tokens") {
      out.tokens = value;
    } else if (name == "--item") {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), item);
      if (error != std::errc() || end != value.data() + value.size())
        return fail(ErrorCode::bad_value, {{"option", "--item"}, {"value", value}, {"allowed", "a whole number, counted from 0"}});
      if (item < 0) return fail(ErrorCode::bad_value, {{"option", "--item"}, {"value", value}, {"allowed", "a number from 0 on"}});
    } else {
      std::string key = name.substr(2);
      std::replace(key.begin(), key.end(), '-', '_');
      options[key] = value;
    }
  }
  if (out.file.empty()) return usage("Which file? rollscope " + verb + " FILE");
  out.open_args = object({{"name", without_folders(out.file)}}, &assume, item,
                         out.verb == CommandLine::Verb::info);
  out.ask_args = object(options, nullptr, 0, false);
  return out;
}

std::string without_folders(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

std::string with_beside(const std::string& open_args, const std::string& name, const std::string& text) {
  rapidjson::Document args;
  args.Parse(open_args.c_str());
  auto& memory = args.GetAllocator();
  if (!args.HasMember("beside")) args.AddMember("beside", rapidjson::Value(rapidjson::kArrayType), memory);
  rapidjson::Value one(rapidjson::kObjectType);
  one.AddMember("name", rapidjson::Value(name.data(), static_cast<rapidjson::SizeType>(name.size()), memory), memory);
  one.AddMember("text", rapidjson::Value(text.data(), static_cast<rapidjson::SizeType>(text.size()), memory), memory);
  args["beside"].PushBack(one, memory);
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> json(buffer);
  args.Accept(json);
  return {buffer.GetString(), buffer.GetSize()};
}

Error with_dashes(Error error) {
  const auto option = error.params.find("option");
  if (option != error.params.end() && option->second.rfind('-', 0) != 0) option->second = "--" + option->second;
  return error;
}

const char* help_text() {
  return R"(Rollscope: which input tokens does an output read, and through which layers?

  rollscope info FILE [--json] [--item N] [--tokens FILE] [--assume NAME=VALUE]...
      what the dump holds, and what was assumed about it
  rollscope explain FILE [--json] [options]
      the weights of one output token, or of all

Options of explain:
  --method NAME                 rollout (Abnar & Zuidema 2020), raw, rollout-reversed, vit-explain,
                                vit-explain-corrected, flow, flow-normalised, norm-rollout, joint
                                with gradients in the file: gradient-rollout,
                                gradient-rollout-mean-first, relevance, relevance-causal, grad-sam,
                                attention-gradient
                                stored: cdam, attribution:NAME                                 rollout
  --stream NAME                 self, encoder, decoder, cross, or the name in the file         the first of these
  --fusion mean|max|min         how the heads of a layer become one                            mean
  --heads 0,3                   heads that are fused                                           all
  --residual R                  weight of the residual connection, 0 to 1; one for each layer
                                (0.2,0.4); or measured in the file: norms, norms-mean, mixing  0.5
  --layers 2:6                  range of layers, its end excluded                              all
  --class NAME                  gradient, behind attention_grads/                              the only one
  --norms NAME                  of norm-rollout: behind norms/, value_weighted_norms,
                                value_norms                                                    the first of these
  --discard D                   of vit-explain: share of the smallest entries set to 0         0.9
  --sink keep|renormalise|remove|lift
                                attention sinks: as they are, out of each row, out of the
                                product, or every weight over uniform attention                keep
  --merge pieces|words|segments tokens, or their sums                                          pieces
  --merge-queries mean|last     which query stands for a word                                  mean
  --merge-time after|before     the product                                                    after
  --row N|all                   the output token                                               all
  --item N                      item of a batch                                                0
  --tokens FILE                 the tokens, one a line or as JSON, where the dump has none
                                or others are wanted                                           those of the dump
  --assume NAME=VALUE           axes=lhqk, orientation=rows|columns, values=probs|logits,
                                layout=layers|heads, sums=renormalise|sink, tokens=add_specials|ignore

Layers, heads, rows and items count from 0. FILE is .npz, .npy, .safetensors, .pt, .pkl, .json, a page of BertViz, or .csv.
Exit status 0: done; 1: the file cannot be used; 2: wrong usage.
)";
}

}  // namespace rollscope
