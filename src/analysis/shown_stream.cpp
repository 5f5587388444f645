#include "analysis/shown_stream.h"

#include <algorithm>

#include "analysis/recipe_text.h"
#include "methods/words.h"

namespace rollscope {
namespace {

std::vector<int> groups_of(const std::vector<Token>& tokens, int count, Merge merge) {
  std::vector<int> numbers(static_cast<std::size_t>(count), -1);
  for (std::size_t i = 0; i < std::min(numbers.size(), tokens.size()); ++i) numbers[i] = merge == Merge::words ? tokens[i].word : tokens[i].segment;
  return group_tokens(numbers).of;
}

std::vector<Token> merged_tokens(const std::vector<Token>& tokens, const std::vector<int>& groups, Merge merge) {
  std::vector<Token> out;
  std::vector<int> members;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto g = static_cast<std::size_t>(groups[i]);
    Token own;
    if (i < tokens.size()) own = tokens[i];
    else own.label = std::to_string(i + 1);
    if (g == out.size()) {
      out.push_back(own);
      members.push_back(1);
      out.back().starts_word = true;
      continue;
    }
    Token& token = out[g];
    ++members[g];
    token.special = token.special && own.special;
    token.label += (merge == Merge::segments && own.starts_word ? " " : "") + own.label;
    if (!own.raw.empty()) token.raw += (token.raw.empty() ? "" : " ") + own.raw;
  }
  constexpr std::size_t kLongest = 32;  // bytes of a segment's label
  for (Token& token : out) {
    if (merge != Merge::segments || token.label.size() <= kLongest) continue;
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(token.label[end]) & 0xc0) == 0x80) --end;
    token.label = token.label.substr(0, end) + "\u2026";
  }
  return out;
}

}  // namespace

bool has_segments(const Stream& stream) {
  int most = -1;
  for (const Token& t : stream.key_tokens) most = std::max(most, t.segment);
  return most > 0;
}

MergeGroups merge_groups(const Stream& stream, const Recipe& recipe) {
  if (recipe.merge == Merge::pieces) return {};
  return {groups_of(stream.query_tokens, stream.queries, recipe.merge), groups_of(stream.key_tokens, stream.keys, recipe.merge)};
}

Stream shown_stream(const DumpInfo& dump, const Recipe& recipe) {
  Stream out = *dump.find(recipe.stream);
  if (recipe.method == Method::joint) {
    const EncoderDecoder sides = encoder_decoder(dump);
    if (!sides.complete()) return out;
    const Stream& decoder = dump.streams[static_cast<std::size_t>(sides.decoder)];
    for (int j = 0; j < decoder.keys; ++j) {
      const auto k = static_cast<std::size_t>(j);
      Token token;
      if (k < decoder.key_tokens.size()) token = decoder.key_tokens[k];
      else token.label = std::to_string(j + 1);
      out.key_tokens.push_back(std::move(token));
    }
    out.keys += decoder.keys;
    out.value_norms.clear();
    return out;
  }
  const MergeGroups groups = merge_groups(out, recipe);
  if (groups.keys.empty()) return out;
  out.query_tokens = merged_tokens(out.query_tokens, groups.queries, recipe.merge);
  out.key_tokens = merged_tokens(out.key_tokens, groups.keys, recipe.merge);
  std::vector<std::string> predicts(out.query_tokens.size());  // of a word: what its last piece predicts
  for (std::size_t i = 0; i < out.predicts.size(); ++i) predicts[static_cast<std::size_t>(groups.queries[i])] = out.predicts[i];
  if (!out.predicts.empty()) out.predicts = std::move(predicts);
  out.queries = static_cast<int>(out.query_tokens.size());
  out.keys = static_cast<int>(out.key_tokens.size());
  out.value_norms.clear();
  return out;
}

}  // namespace rollscope
