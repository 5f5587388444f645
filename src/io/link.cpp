#include "io/link.h"

#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/utf8.h"
#include "dump/tokens.h"
#include "io/bytes.h"
#include "io/link_steps.h"
#include "io/link_text.h"

// The data, inflated: a head (below), three bytes of its CRC-32, then the steps of each layer, key by key.
// Numbers are varints, seven bits a byte, the lowest first; texts are their length and their bytes.
namespace rollscope {
namespace {

constexpr std::size_t kHeadCheck = 3;
constexpr std::size_t kTextLimit = 1 << 20;  // bytes of all tokens
constexpr std::size_t kStateLimit = 1 << 18;
enum Flag : unsigned { kCausal = 1, kSquare = 2, kSink = 4, kText = 8 };
// What a reader cannot guess of the tokens, and so travels beside their pieces.
enum Beside : unsigned { kSpecials = 1, kSegments = 2, kWords = 4 };

class Writer {
 public:
  void number(std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) bytes.push_back(static_cast<std::uint8_t>(n | 0x80));
    bytes.push_back(static_cast<std::uint8_t>(n));
  }
  void text(std::string_view s) {
    number(s.size());
    bytes.insert(bytes.end(), s.begin(), s.end());
  }
  LinkBytes bytes;
};

// Past its end, or past a limit, it fails and gives zeros.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint64_t number(std::uint64_t most) {
    std::uint64_t n = 0;
    for (int shift = 0; shift < 56; shift += 7) {
      if (at_ == bytes_.size()) break;
      const std::uint8_t b = bytes_[at_++];
      n |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) {
        if (n <= most) return n;
        break;
      }
    }
    failed_ = true;
    return 0;
  }
  int integer(int most) { return static_cast<int>(number(static_cast<std::uint64_t>(most))); }
  std::string text(std::size_t most) {
    const std::size_t n = number(most);
    const auto piece = take(n);
    return {piece.begin(), piece.end()};
  }
  std::span<const std::uint8_t> take(std::size_t n) {
    if (n > bytes_.size() - at_) {
      failed_ = true;
      return {};
    }
    at_ += n;
    return bytes_.subspan(at_ - n, n);
  }
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

// Pieces with a space between them; a space or a backslash inside one has a backslash before it.
std::string joined(const std::vector<Token>& tokens) {
  std::string out;
  for (const Token& t : tokens) {
    if (&t != &tokens.front()) out += ' ';
    for (const char c : t.raw) {
      if (c == ' ' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') {
      out.emplace_back();
      continue;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out.back() += text[i];
  }
  return out;
}

void write_tokens(Writer& w, const std::vector<Token>& tokens) {
  w.text(joined(tokens));
  std::vector<std::string> pieces;
  for (const Token& t : tokens) pieces.push_back(t.raw);
  const auto guessed = make_tokens(pieces);
  unsigned beside = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].special != guessed[i].special) beside |= kSpecials;
    if (tokens[i].segment != guessed[i].segment) beside |= kSegments;
    if (tokens[i].word != guessed[i].word) beside |= kWords;
  }
  w.number(beside);
  for (const Token& t : tokens) {
    if (beside & kSpecials) w.number(t.special);
    if (beside & kSegments) w.number(static_cast<std::uint64_t>(std::max(t.segment, -1) + 1));
    if (beside & kWords) w.number(static_cast<std::uint64_t>(std::max(t.word, -1) + 1));
  }
}

std::vector<Token> read_tokens(Reader& r, int count) {
  const auto pieces = pieces_of(r.text(kTextLimit));
  const unsigned beside = static_cast<unsigned>(r.number(7));
  TokenHints hints;
  for (int i = 0; i < count && !r.failed(); ++i) {
    if (beside & kSpecials) hints.special.push_back(r.number(1) != 0);
    if (beside & kSegments) hints.segments.push_back(r.integer(kLinkTokens) - 1);
    if (beside & kWords) hints.word_ids.push_back(r.integer(kLinkTokens) - 1);
  }
  if (r.failed() || pieces.size() != static_cast<std::size_t>(count)) return {};
  return make_tokens(pieces, hints);
}

void write_head(Writer& w, const LinkData& d) {
  const bool text = !d.key_tokens.empty();
  w.number(static_cast<std::uint64_t>(d.kind));
  w.number((d.causal ? kCausal : 0u) | (d.square ? kSquare : 0u) | (d.sink ? kSink : 0u) | (text ? kText : 0u));
  w.number(static_cast<std::uint64_t>(d.stream));
  w.number(static_cast<std::uint64_t>(d.steps));
  w.number(static_cast<std::uint64_t>(d.heads));
  w.number(static_cast<std::uint64_t>(d.keys));
  if (!d.square) w.number(static_cast<std::uint64_t>(d.queries));
  w.number(static_cast<std::uint64_t>(d.row));
  w.number(d.error >= 0 ? static_cast<std::uint64_t>(std::ceil(d.error * 1e5 - 1e-9)) + 1 : 0);
  w.number(static_cast<std::uint64_t>(d.grid.rows));
  if (d.grid.rows > 0) {
    w.number(static_cast<std::uint64_t>(d.grid.columns));
    w.number(static_cast<std::uint64_t>(d.grid.prefix));
  }
  w.number(d.layer_numbers.size());
  int next = 0;
  for (const int layer : d.layer_numbers) {
    w.number(static_cast<std::uint64_t>(layer - next));
    next = layer + 1;
  }
  w.text(d.recipe);
  if (!text) return;
  write_tokens(w, d.key_tokens);
  if (!d.square) write_tokens(w, d.query_tokens);
}

bool read_head(Reader& r, LinkData& d) {
  d.kind = static_cast<LinkKind>(r.number(2));
  const auto flags = static_cast<unsigned>(r.number(15));
  d.causal = flags & kCausal;
  d.square = flags & kSquare;
  d.sink = flags & kSink;
  d.stream = static_cast<StreamKind>(r.number(static_cast<std::uint64_t>(StreamKind::contributions)));
  d.steps = r.integer(255);
  d.heads = r.integer(1 << 20);
  d.keys = r.integer(kLinkTokens);
  d.queries = d.square ? d.keys : r.integer(kLinkTokens);
  d.row = r.integer(kLinkTokens);
  const int error = r.integer(200'000);
  d.error = error > 0 ? (error - 1) / 1e5 : -1;
  d.grid.rows = r.integer(kLinkTokens);
  if (d.grid.rows > 0) {
    d.grid.columns = r.integer(kLinkTokens);
    d.grid.prefix = r.integer(kLinkTokens);
  }
  const int layers = r.integer(kLinkLayers);
  for (int l = 0, next = 0; l < layers && !r.failed(); ++l) {
    d.layer_numbers.push_back(next + r.integer(1 << 20));
    next = d.layer_numbers.back() + 1;
  }
  d.recipe = r.text(kTextLimit);
  if (flags & kText) {
    d.key_tokens = read_tokens(r, d.keys);
    if (!d.square) d.query_tokens = read_tokens(r, d.queries);
    if (d.key_tokens.empty() || (!d.square && d.query_tokens.empty())) return false;
  }
  return !r.failed() && d.keys > 0 && d.queries > 0 && d.row < d.queries && (!d.causal || d.square) &&
         (d.kind != LinkKind::layers || (layers > 0 && d.steps > 0)) && (d.kind == LinkKind::layers || d.steps == 0) && utf8_valid(d.recipe);
}

std::uint32_t head_check(std::span<const std::uint8_t> head) {
  return static_cast<std::uint32_t>(crc32(0, head.data(), static_cast<uInt>(head.size()))) & 0xffffff;
}

// Whether a cell travels. `i`: of the queries, whatever the kind.
bool travels(const LinkData& d, int i, int j) { return !d.causal || j >= d.keys || j <= i; }

// Calls visit(place in a matrix) for each cell that travels, key by key.
template <class Visit>
void each_cell(const LinkData& d, Visit visit) {
  const int columns = d.columns(), rows = d.rows();
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i)
      if (travels(d, d.kind == LinkKind::row ? d.row : i, j)) visit(static_cast<std::size_t>(i) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(j));
}

std::size_t matrix_size(const LinkData& d) { return static_cast<std::size_t>(d.rows()) * static_cast<std::size_t>(d.columns()); }

}  // namespace

std::string_view link_kind_name(LinkKind kind) {
  constexpr std::string_view names[] = {"row", "rollout", "layers"};
  return names[static_cast<std::size_t>(kind)];
}

std::string encode_link_data(const LinkData& d) {
  const std::size_t cells = matrix_size(d), columns = static_cast<std::size_t>(d.columns());
  assert(d.weights.size() == cells * static_cast<std::size_t>(d.matrices()));
  Writer w;
  write_head(w, d);
  const std::uint32_t check = head_check(w.bytes);
  for (std::size_t k = 0; k < kHeadCheck; ++k) w.bytes.push_back(static_cast<std::uint8_t>(check >> (8 * k)));
  LinkBytes steps(cells);
  for (int m = 0; m < d.matrices(); ++m) {
    const std::span<const double> matrix(d.weights.data() + static_cast<std::size_t>(m) * cells, cells);
    for (std::size_t at = 0; at < cells; at += columns) {
      const auto row = matrix.subspan(at, columns);
      const auto out = std::span(steps).subspan(at, columns);
      if (d.steps > 0) share_out(row, d.steps, out);
      else square_roots(row, out);
    }
    each_cell(d, [&](std::size_t at) { w.bytes.push_back(steps[at]); });
  }
  return "a" + pack_field(w.bytes);
}

Result<LinkData> decode_link_data(std::string_view field, LinkData* saved) {
  const std::size_t size = field.size();
  if (field.starts_with('a')) field.remove_prefix(1);
  const auto unpacked = unpack_field(field, kLinkWeights + 2 * kTextLimit + (1 << 16));
  const std::span<const std::uint8_t> bytes = unpacked.bytes;
  const auto damaged = [&] { return fail(ErrorCode::link_damaged, {{"found", std::to_string(size)}}); };
  Reader reader(bytes);
  LinkData d;
  const bool head = !bytes.empty() && read_head(reader, d);
  const std::size_t head_size = reader.at();
  const auto check = reader.take(kHeadCheck);
  const bool head_holds = head && check.size() == kHeadCheck && (le16(check.data()) | static_cast<std::uint32_t>(check[2]) << 16) == head_check(bytes.first(head_size));
  if (head_holds && saved) *saved = d;
  if (unpacked.error) {
    Error error = *unpacked.error;
    if (error.params.contains("found")) error.params["found"] = std::to_string(size);
    return tl::unexpected(std::move(error));
  }
  if (!head_holds) return damaged();

  const std::size_t cells = matrix_size(d), all = cells * static_cast<std::size_t>(d.matrices());
  if (all > kLinkWeights) return fail(ErrorCode::too_big, {{"needed", std::to_string(all) + " weights"}, {"limit", std::to_string(kLinkWeights)}, {"detail", "a link"}});
  std::size_t sent = 0;
  each_cell(d, [&](std::size_t) { ++sent; });
  const auto body = reader.take(sent * static_cast<std::size_t>(d.matrices()));
  if (reader.failed() || reader.at() != bytes.size()) return damaged();
  d.weights.resize(all);
  LinkBytes steps(cells);
  const std::size_t columns = static_cast<std::size_t>(d.columns());
  std::size_t next = 0;
  for (int m = 0; m < d.matrices(); ++m) {
    each_cell(d, [&](std::size_t at) { steps[at] = body[next++]; });
    const std::span<double> matrix(d.weights.data() + static_cast<std::size_t>(m) * cells, cells);
    for (std::size_t at = 0; at < cells; at += columns) weights_of_steps(std::span(steps).subspan(at, columns), d.steps, matrix.subspan(at, columns));
  }
  return d;
}

std::string encode_link_state(std::string_view json) {
  return pack_field({reinterpret_cast<const std::uint8_t*>(json.data()), json.size()});
}

Result<std::string> decode_link_state(std::string_view field) {
  auto unpacked = unpack_field(field, kStateLimit);
  if (unpacked.error) return tl::unexpected(std::move(*unpacked.error));
  std::string out(unpacked.bytes.begin(), unpacked.bytes.end());
  if (!utf8_valid(out)) return fail(ErrorCode::link_damaged, {{"found", std::to_string(field.size())}});
  return out;
}

}  // namespace rollscope
