#include "io/names.h"

#include <algorithm>
#include <array>

namespace rollscope {
namespace {

using Words = std::vector<std::string>;

template <std::size_t N>
bool in(std::string_view word, const std::array<std::string_view, N>& set) {
  return std::find(set.begin(), set.end(), word) != set.end();
}

constexpr std::array<std::string_view, 28> kAttention{
    "attention", "attentions", "attn",    "attns",   "att",       "atts",      "selfattention", "selfattn",
    "crossattention", "crossattn", "xattn", "xattention", "xatt", "mha",       "attnweights",   "attentionweights",
    "pattern",   "patterns",   "attnprobs", "attentionprobs", "softmax", "attentionmap", "attentionmaps", "attnmap",
    "contribution", "contributions", "alti",  "globenc"};
constexpr std::array<std::string_view, 15> kPlain{"arr",   "weights", "probs", "prob", "probabilities", "alpha", "alphas", "alignment",
                                                  "alignments", "map", "maps", "a",    "matrix",        "data",  "array"};
// Any of these beside "attention" makes it something that belongs to attention.
constexpr std::array<std::string_view, 42> kCompanion{
    "grad",      "grads",     "gradient",  "gradients", "norm",      "norms",      "attr",     "attribution", "attributions",
    "saliency",  "relevance", "importance", "shapley",  "mixing",    "ratio",      "ratios",   "rollout",     "flow",
    "entropy",   "mask",      "masks",     "ids",       "id",        "image",      "images",   "pixel",       "pixels",
    "offsets",   "offset",    "grid",      "global",    "labels",    "label",      "positions", "position",   "lengths",
    "length",    "scores",    "word",      "words",     "tokens",    "token"};
constexpr std::array<std::string_view, 36> kOther{
    "hidden", "state",  "states", "pooler", "pooled",  "embedding", "embeddings", "embed", "logits", "logit", "past",  "cache",
    "kv",     "mlp",    "ffn",    "ff",     "resid",   "residual",  "loss",       "key",   "keys",   "query", "queries", "value",
    "values", "proj",   "ln",     "layernorm", "features", "bias",  "rel",        "last",  "dense",  "qkv",   "mlps",  "z"};
constexpr std::array<std::string_view, 10> kLayer{"layer", "layers", "l", "block", "blocks", "lyr", "depth", "h", "layerid", "il"};
constexpr std::array<std::string_view, 3> kHead{"head", "heads", "hd"};

bool is_number(const std::string& word) { return !word.empty() && word[0] >= '0' && word[0] <= '9'; }

int to_int(const std::string& word) {  // -1: not a layer's number
  if (word.size() > 5) return -1;
  int n = 0;
  for (const char c : word) n = n * 10 + (c - '0');
  return n <= 10000 ? n : -1;
}

struct Has {
  const Words& words;
  bool operator()(std::string_view w) const { return std::find(words.begin(), words.end(), w) != words.end(); }
  template <std::size_t N>
  bool any(const std::array<std::string_view, N>& set) const {
    return std::any_of(words.begin(), words.end(), [&](const std::string& w) { return in(w, set); });
  }
};

void read_stream(const Words& words, NameMeaning& out) {
  const Has has{words};
  const bool encoder = has("encoder") || has("enc") || has("source") || has("src") || has("memory");
  const bool decoder = has("decoder") || has("dec") || has("target") || has("tgt");
  const bool cross = has("cross") || has("crossattention") || has("crossattn") || has("xattn") || has("xattention") ||
                     has("xatt") || has("xa") || has("encdec") || (encoder && decoder) || (decoder && has("multihead"));
  const bool contributions = has("contribution") || has("contributions") || has("alti") || has("globenc");
  out.stream = contributions ? "contributions" : cross ? "cross" : encoder ? "encoder" : decoder ? "decoder" : "";
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if ((words[i] == "encoder" || words[i] == "decoder") && in(words[i + 1], kLayer)) out.path_like = !cross;
}

void read_numbers(const Words& words, NameMeaning& out) {
  std::size_t layer_at = words.size(), head_at = words.size(), loose_at = words.size();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_number(words[i])) continue;
    const int n = to_int(words[i]);
    if (n < 0) continue;
    const std::string before = i == 0 ? "" : words[i - 1];
    if (in(before, kHead) || (before == "h" && layer_at < words.size())) {
      if (head_at == words.size()) head_at = i;
    } else if (in(before, kLayer)) {
      if (layer_at == words.size()) layer_at = i;
    } else if (loose_at == words.size()) {
      loose_at = i;
    }
  }
  out.layer_word = layer_at < words.size();
  if (layer_at == words.size() && loose_at < words.size()) {
    layer_at = loose_at;
    const std::string before = loose_at == 0 ? "" : words[loose_at - 1];
    out.loose_layer = !in(before, kAttention);
  }
  if (layer_at < words.size()) out.layer = to_int(words[layer_at]);
  if (head_at < words.size()) out.head = to_int(words[head_at]);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!out.group.empty()) out.group += '.';
    out.group += i == layer_at || i == head_at ? "#" : words[i];
  }
}

NameRole role_of(std::string_view name, const Words& words) {
  const Has has{words};
  if (words.empty()) return NameRole::plain;
  const std::string& last = words.back();
  const std::size_t before_last = name.size() > last.size() ? name.size() - last.size() - 1 : 0;
  const bool own_component = before_last > 0 && (name[before_last] == '.' || name[before_last] == '/');
  if ((last == "weight" || last == "bias") && (own_component || has("proj") || has("norm") || has("embedding")))
    return NameRole::parameter;
  const bool attention = has.any(kAttention);
  if (name.starts_with("attr/") || name.starts_with("scores/") || name.starts_with("norms/")) return NameRole::companion;
  if (attention && (has("scores") || has("score") || has("logits") || has("logit") || has("presoftmax") || has("pre")))
    return NameRole::scores;
  if (has.any(kCompanion)) return NameRole::companion;
  if (has.any(kOther)) return has("norms") ? NameRole::companion : NameRole::other;
  if (words[0] == "hook" && words.size() == 2 && last.size() == 1) return NameRole::other;  // hook_q, hook_k, hook_v
  if (attention) return NameRole::attention;
  const bool all_plain = std::all_of(words.begin(), words.end(), [](const std::string& w) {
    return is_number(w) || in(w, kPlain) || in(w, kLayer) || in(w, kHead) || w == "self";
  });
  return all_plain ? NameRole::plain : NameRole::unknown;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::vector<std::string> name_words(std::string_view name) {
  enum class Kind { none, lower, upper, digit, wide };
  const auto kind = [](char c) {
    if (c >= 'a' && c <= 'z') return Kind::lower;
    if (c >= 'A' && c <= 'Z') return Kind::upper;
    if (c >= '0' && c <= '9') return Kind::digit;
    return static_cast<unsigned char>(c) >= 0x80 ? Kind::wide : Kind::none;
  };
  Words out;
  Kind before = Kind::none;
  for (const char c : name) {
    const Kind k = kind(c);
    const bool starts = before == Kind::none || (k == Kind::digit) != (before == Kind::digit) ||
                        (k == Kind::upper && before == Kind::lower);
    if (k != Kind::none) {
      if (starts) out.emplace_back();
      out.back() += k == Kind::upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    before = k;
  }
  return out;
}

NameMeaning name_meaning(std::string_view name) {
  NameMeaning out;
  const Words words = name_words(name);
  out.role = role_of(lower(name), words);
  read_stream(words, out);
  read_numbers(words, out);
  return out;
}

bool is_attn_dump_key(std::string_view key) {
  constexpr std::array<std::string_view, 36> kKeys{
      "format",   "version",       "tokens",      "source_tokens", "token_ids",    "decoded_text",   "offsets",       "word_ids",
      "axes",     "attention_kind", "layers",     "causal",        "prompt_len",   "key_offset",     "special_mask",  "attention_mask",
      "grid",     "prefix_tokens", "patch_range", "image",         "values",       "sink",           "residual_inside", "target",
      "model",    "title",         "created",     "license",       "note",         "output_tokens",  "predictions",   "gold",
      "label",    "probabilities", "patch",       "image_size"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end() || key == "attr" || key == "time_step";
}

}  // namespace rollscope
