#include "io/link_text.h"

#include <zlib.h>

#include <algorithm>
#include <cassert>

#include "io/link.h"

namespace rollscope {
namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kCrockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t kSum = 4;  // characters of a checksum

// What the state of an unchanged page looks like, and pieces of tokenizers that stand in most dumps. Part of format 1:
// a changed letter would make every link that is out there unreadable.
constexpr std::string_view kDictionary =
    R"( </s> <s> <pad> <|endoftext|> <|begin_of_text|> <bos> <|im_start|> ##ing ##ed ##ly ##s . , ; : ? ! ' " - ( ) n't 's I it is was are that this of and to in for with on as )"
    R"(he she they you we not be have had but at by from an a The "norm-rollout"cross"decoder"encoder"stream":"norms":""class":""flow-normalised"max"min"words"segments"renormalise"remove"lift)"
    R"("per_row"log"compare":{"query":"recipe":"heads"image"matrix"lines"depth"compare"after_layer"fused_layer"head"sink_mass"top_share"effective_rank"edge":["role"spread"distance"true)"
    R"({"recipe":{"method":"rollout","fusion":"mean","heads":[],"residual":0.5,"layers":[0,-1],"sink":"keep","merge":"pieces","merge_queries":"mean","merge_time":"after","discard":0.9},"query":0,"key":-1,"level":-1,"view":"graph","keep":0.75,)"
    R"("graph":{"top":0,"camera":{"x":0.5,"y":0.5,"zoom":1.0}},"matrix":{"kind":"result","layer":-1,"head":0,"scale":"linear","values":true,"low":-1.0,"high":-1.0,"camera":{"x":0.5,"y":0.5,"zoom":1.0}},)"
    R"("heads":{"layer":-1,"head":-1,"order":"layer","role":-1},"image":{"smooth":false,"opacity":0.7,"outline":true},"depth":{"measure":"entropy"},"lines":{"layer":-1,"heads":[],"top":3,"keep":1.0,"block":-1},)"
    R"("second":"none","split":0.5,"maximised":false,"drawer":false} [SEP] [CLS] the )";

const Bytef* dictionary() { return reinterpret_cast<const Bytef*>(kDictionary.data()); }

tl::unexpected<Error> problem(ErrorCode code, std::size_t found) { return fail(code, {{"found", std::to_string(found)}}); }

// The version and the codec in front of a field.
Result<void> read_prefix(std::string_view field) {
  const auto digits = std::min(field.find_first_not_of("0123456789"), field.size());
  if (digits == 0) return problem(field.empty() ? ErrorCode::link_cut : ErrorCode::link_damaged, field.size());
  const std::string_view version = field.substr(0, digits);
  if (version != "1") return fail(ErrorCode::newer_version, {{"version", std::string(version.substr(0, 6))}, {"known", "1"}});
  if (digits == field.size()) return problem(ErrorCode::link_cut, field.size());
  if (field[digits] != 'd') return fail(ErrorCode::newer_version, {{"version", std::string(field.substr(0, 2))}, {"known", "1d"}});
  return {};
}

}  // namespace

std::string to_base64url(std::span<const std::uint8_t> bytes) {
  std::string out;
  out.reserve(bytes.size() * 4 / 3 + 3);
  std::uint32_t held = 0;
  int bits = 0;
  for (const std::uint8_t b : bytes) {
    held = (held << 8) | b;
    for (bits += 8; bits >= 6; bits -= 6) out += kBase64[(held >> (bits - 6)) & 63];
  }
  if (bits > 0) out += kBase64[(held << (6 - bits)) & 63];
  return out;
}

LinkBytes from_base64url(std::string_view text, bool& whole) {
  LinkBytes out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t held = 0;
  int bits = 0;
  whole = true;
  for (const char c : text) {
    const auto digit = kBase64.find(c);
    if (digit == kBase64.npos) {
      whole = false;
      break;
    }
    held = (held << 6) | static_cast<std::uint32_t>(digit);
    if ((bits += 6) >= 8) out.push_back(static_cast<std::uint8_t>(held >> (bits -= 8)));
  }
  return out;
}

std::string link_checksum(std::string_view text) {
  std::uint32_t crc = 0xfffff;
  for (const char c : text) {
    crc ^= static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << 12;
    for (int k = 0; k < 8; ++k) crc = (crc & 0x80000 ? (crc << 1) ^ 0xb5827 : crc << 1) & 0xfffff;
  }
  std::string out;
  for (int shift = 15; shift >= 0; shift -= 5) out += kCrockford[(crc >> shift) & 31];
  return out;
}

LinkBytes link_deflate(std::span<const std::uint8_t> bytes) {
  z_stream z{};
  [[maybe_unused]] const int made = deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
  assert(made == Z_OK);
  deflateSetDictionary(&z, dictionary(), static_cast<uInt>(kDictionary.size()));
  LinkBytes out(deflateBound(&z, static_cast<uLong>(bytes.size())) + 16);
  z.next_in = const_cast<Bytef*>(bytes.data());
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  [[maybe_unused]] const int done = deflate(&z, Z_FINISH);
  assert(done == Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

LinkBytes link_inflate(std::span<const std::uint8_t> packed, std::size_t most, bool& whole) {
  constexpr std::size_t kPiece = 1 << 14;
  LinkBytes out;
  whole = false;
  z_stream z{};
  if (inflateInit2(&z, -15) != Z_OK) return out;
  inflateSetDictionary(&z, dictionary(), static_cast<uInt>(kDictionary.size()));
  z.next_in = const_cast<Bytef*>(packed.data());
  z.avail_in = static_cast<uInt>(packed.size());
  int state = Z_OK;
  while (state == Z_OK && out.size() <= most) {
    const std::size_t before = out.size();
    out.resize(before + kPiece);
    z.next_out = out.data() + before;
    z.avail_out = kPiece;
    state = inflate(&z, Z_NO_FLUSH);
    out.resize(out.size() - z.avail_out);
  }
  whole = state == Z_STREAM_END && z.avail_in == 0 && out.size() <= most;
  if (out.size() > most) out.resize(most);
  inflateEnd(&z);
  return out;
}

std::string pack_field(std::span<const std::uint8_t> bytes) {
  const std::string text = "1d" + to_base64url(link_deflate(bytes));
  return text + "." + link_checksum(text);
}

UnpackedField unpack_field(std::string_view field, std::size_t most) {
  UnpackedField out;
  if (field.find('%') != field.npos) {  // split_link() has undone what can be undone
    out.error = Error{ErrorCode::link_encoded, {}};
    field = field.substr(0, field.find('%'));
  }
  if (field.size() > kLinkCharacters) {
    out.error = Error{ErrorCode::too_big, {{"needed", std::to_string(field.size()) + " characters"}, {"limit", std::to_string(kLinkCharacters)}, {"detail", "a link"}}};
    return out;
  }
  if (auto prefix = read_prefix(field); !prefix) {
    if (!out.error || prefix.error().code == ErrorCode::newer_version) out.error = std::move(prefix.error());
    return out;
  }
  const auto dot = field.find('.');
  const std::string_view text = field.substr(0, dot), sum = dot == field.npos ? std::string_view() : field.substr(dot + 1);
  if (!out.error) {
    if (sum.size() < kSum) out.error = Error{ErrorCode::link_cut, {{"found", std::to_string(field.size())}}};
    else if (sum != link_checksum(text)) out.error = Error{ErrorCode::link_damaged, {{"found", std::to_string(field.size())}}};
  }
  bool all_read = false, all_inflated = false;
  const LinkBytes packed = from_base64url(text.substr(2), all_read);
  out.bytes = link_inflate(packed, most, all_inflated);
  if (!out.error && !(all_read && all_inflated)) out.error = Error{ErrorCode::link_damaged, {{"found", std::to_string(field.size())}}};
  return out;
}

}  // namespace rollscope
