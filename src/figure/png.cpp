#include "figure/png.h"

#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <string_view>
#include <unordered_map>

namespace rollscope::figure {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put32(Bytes& out, std::uint32_t x) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(x >> shift));
}

void chunk(Bytes& out, std::string_view type, std::span<const std::uint8_t> data) {
  put32(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t from = out.size();
  out.insert(out.end(), type.begin(), type.end());
  out.insert(out.end(), data.begin(), data.end());
  put32(out, static_cast<std::uint32_t>(crc32(0, out.data() + from, static_cast<uInt>(out.size() - from))));
}

// zlib's stream; of no bytes where there is no memory for it. Its three calls, not compress(): the browser's library holds
// no more (web/setup/third_party).
Bytes deflated(Bytes& raw) {
  z_stream stream{};
  if (deflateInit(&stream, Z_BEST_COMPRESSION) != Z_OK) return {};
  Bytes out(deflateBound(&stream, static_cast<uLong>(raw.size())));
  stream.next_in = raw.data();
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(whole ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

constexpr std::uint8_t kTruecolour = 2, kPalette = 3, kWithAlpha = 6;

}  // namespace

Bytes png_file(std::span<const std::uint8_t> rgba, int width, int height) {
  assert(width > 0 && height > 0 && rgba.size() == static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
  const std::size_t pixels = rgba.size() / 4;
  bool opaque = true;
  std::unordered_map<std::uint32_t, std::uint8_t> index;
  Bytes colours, alphas;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint8_t* p = &rgba[4 * i];
    opaque &= p[3] == 255;
    if (index.size() > 256) continue;
    const std::uint32_t key = static_cast<std::uint32_t>(p[0]) << 24 | static_cast<std::uint32_t>(p[1]) << 16 | static_cast<std::uint32_t>(p[2]) << 8 | p[3];
    const auto [at, fresh] = index.try_emplace(key, static_cast<std::uint8_t>(index.size()));
    if (!fresh) continue;
    colours.insert(colours.end(), p, p + 3);
    alphas.push_back(p[3]);
  }
  const bool palette = index.size() <= 256;
  const std::uint8_t type = palette ? kPalette : opaque ? kTruecolour : kWithAlpha;

  Bytes raw;
  raw.reserve(pixels * 4 + static_cast<std::size_t>(height));
  for (std::size_t i = 0; i < pixels; ++i) {
    if (i % static_cast<std::size_t>(width) == 0) raw.push_back(0);
    const std::uint8_t* p = &rgba[4 * i];
    if (palette) raw.push_back(index[static_cast<std::uint32_t>(p[0]) << 24 | static_cast<std::uint32_t>(p[1]) << 16 | static_cast<std::uint32_t>(p[2]) << 8 | p[3]]);
    else raw.insert(raw.end(), p, p + (opaque ? 3 : 4));
  }

  Bytes out{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  Bytes head;
  put32(head, static_cast<std::uint32_t>(width));
  put32(head, static_cast<std::uint32_t>(height));
  head.insert(head.end(), {8, type, 0, 0, 0});
  chunk(out, "IHDR", head);
  if (palette) {
    chunk(out, "PLTE", colours);
    if (!opaque) chunk(out, "tRNS", alphas);
  }
  chunk(out, "IDAT", deflated(raw));
  chunk(out, "IEND", {});
  return out;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t x = static_cast<std::uint32_t>(bytes[i]) << 16;
    if (n > 1) x |= static_cast<std::uint32_t>(bytes[i + 1]) << 8;
    if (n > 2) x |= bytes[i + 2];
    for (std::size_t k = 0; k < 4; ++k) out += k <= n ? kDigits[x >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace rollscope::figure
