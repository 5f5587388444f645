// Share links: an explanation inside the part of an address after "#", which no server is sent.
//
//   #a1d<data>.<sum>&v=1d<state>.<sum>&sha=<hex>&src=<address>
//
// a: weights and tokens; v: what the writer saw, as JSON of scene/state_codec.h; sha: the start of the SHA-256 of the
// dump, for a link that carries a view only; src: where the dump lies. Each field is read on its own, so that a broken
// view still opens the data. "1" is the format, "d" raw deflate in base64url, and the sum is a CRC-20 of all characters
// before the dot: four of Crockford's digits, so that no link ends in a sign that a linkifier leaves outside.
//
// Weights travel in whole steps, sum-preserving: a row's units are shared out by largest remainder. Plain rounding loses
// what is below half a step, and the sink then gets that mass in every layer: .024 off at 64 tokens, where sharing out is
// .004 off. A final matrix goes as bytes of its square roots: no product follows in which an error could add up.
// One byte per weight, key by key, lower triangle alone where the stream is causal: each of these made links shorter
// than the other way round did. No entropy coder of our own yet; it would save a sixth.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "dump/dump.h"

namespace rollscope {

enum class LinkKind : std::uint8_t { row, rollout, layers };
[[nodiscard]] std::string_view link_kind_name(LinkKind kind);  // "row"

// Limits of the reader. A link asks for no more memory than about 16 bytes for each weight.
inline constexpr std::size_t kLinkCharacters = 350'000;  // of one field
inline constexpr int kLinkTokens = 1024, kLinkLayers = 256;
inline constexpr std::size_t kLinkWeights = 4'000'000;

struct LinkData {
  LinkKind kind = LinkKind::row;
  StreamKind stream = StreamKind::self;
  int steps = 0;         // units of a row; 0: bytes of square roots, as every row and rollout goes
  bool causal = false;   // nothing above the diagonal; Q = K
  bool square = true;    // rows and columns are the same tokens; Q = K
  bool sink = false;     // the last column, past the K keys, is the virtual sink of ruling 2
  int heads = 0;         // that the layers are the fusion of; 0: not known
  int queries = 0, keys = 0;
  int row = 0;           // the output that was looked at; of LinkKind::row the only one that travels
  std::vector<int> layer_numbers;      // of the stored layers, ascending; a row and a rollout: those they passed through
  std::string recipe;                  // JSON, the options of `explain` that differ from their defaults
  PatchGrid grid;                      // of an image among the keys; rows 0: none
  double error = -1;                   // largest error of a weight, as the writer measured it; -1: not measured
  std::vector<Token> query_tokens, key_tokens;  // empty: the text was left out; query_tokens is empty where `square`
  // [layers][Q][columns()], rows sum to 1 or are empty. Of a rollout one matrix, of a row [columns()].
  std::vector<double> weights;

  [[nodiscard]] int columns() const { return keys + (sink ? 1 : 0); }
  [[nodiscard]] int matrices() const { return kind == LinkKind::layers ? static_cast<int>(layer_numbers.size()) : 1; }
  [[nodiscard]] int rows() const { return kind == LinkKind::row ? 1 : queries; }
};

// "a1d....": the field of the data. Precondition: sizes within the limits above, weights as said.
[[nodiscard]] std::string encode_link_data(const LinkData& data);
// `saved`: where the data cannot be had, what can be told of it: everything but the weights, and those empty. It is
// filled only if its own checksum holds.
// Errors: link_cut, link_damaged, link_encoded, newer_version, too_big, bad_link_field.
// Cost: at most kLinkWeights weights, whatever the link says.
[[nodiscard]] Result<LinkData> decode_link_data(std::string_view field, LinkData* saved = nullptr);

// "1d....": the field of the state; any text goes, JSON of a state becomes short.
[[nodiscard]] std::string encode_link_state(std::string_view json);
[[nodiscard]] Result<std::string> decode_link_state(std::string_view field);

// What stands behind "#", field by field.
struct LinkFields {
  std::string data, state, sha, src;
  bool repaired = false;  // a chat program had changed signs, which could be undone
  [[nodiscard]] bool empty() const { return data.empty() && state.empty() && sha.empty() && src.empty(); }
};
// Takes an address, or the part behind "#". Undoes what chat programs do to links: percent-encoding, once or several
// times, as part of another address too; white space and invisible characters; brackets and full stops at the end. The
// first of a repeated field wins.
[[nodiscard]] LinkFields split_link(std::string_view text);

// Whether a text may be a link: for files that hold one.
[[nodiscard]] bool looks_like_link(std::string_view text);

}  // namespace rollscope
