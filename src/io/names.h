// What people call things: which array is attention, of which stream, which layer and head, and what is something
// else. Names are split into words ("encoder.layer.0.attention" -> encoder layer 0 attention), so that separators,
// case and prefixes do not matter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rollscope {

enum class NameRole : std::uint8_t {
  attention,  // says so: attentions, attn_weights, blocks.3.attn.hook_pattern
  scores,     // attention before the softmax: attn_scores, attention_logits
  plain,      // could be anything: arr_0, weights, 3, "" (a file that is one array)
  unknown,    // a name that says nothing known
  companion,  // belongs to a dump and is not attention: attention_grads, value_norms, attr/x, attention_mask, image
  other,      // known to be something else: last_hidden_state, logits, past_key_values
  parameter,  // a model's: *.weight, *.bias
};

struct NameMeaning {
  NameRole role = NameRole::unknown;
  std::string stream;     // "encoder", "decoder", "cross", or ""
  bool path_like = false; // the stream comes from a module path (encoder.layer.0...), which encoder-only models have too
  int layer = -1;         // number in the name, -1: none
  int head = -1;
  bool layer_word = false;   // the number stands behind "layer", "block" ...
  bool loose_layer = false;  // a number that nothing calls a layer: arr_3, foo_3
  std::string group;      // the name with layer and head left out: arrays of one group form a stack
};

[[nodiscard]] std::string lower(std::string_view text);  // ASCII
// "Layer3.selfAttn" -> layer 3 self attn
[[nodiscard]] std::vector<std::string> name_words(std::string_view name);
[[nodiscard]] NameMeaning name_meaning(std::string_view name);

// Keys of attn-dump v1 (contracts/attn-dump-v1.schema.json).
[[nodiscard]] bool is_attn_dump_key(std::string_view key);

}  // namespace rollscope
