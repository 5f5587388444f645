#include "base/sha256.h"

#include <algorithm>

namespace rollscope {
namespace {

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t turned(std::uint32_t x, int n) { return x >> n | x << (32 - n); }

}  // namespace

void Sha256::block(const std::uint8_t* bytes) {
  std::uint32_t w[64];
  for (int t = 0; t < 16; ++t)
    w[t] = static_cast<std::uint32_t>(bytes[4 * t]) << 24 | static_cast<std::uint32_t>(bytes[4 * t + 1]) << 16 |
           static_cast<std::uint32_t>(bytes[4 * t + 2]) << 8 | bytes[4 * t + 3];
  for (int t = 16; t < 64; ++t) {
    const std::uint32_t low = turned(w[t - 15], 7) ^ turned(w[t - 15], 18) ^ w[t - 15] >> 3;
    const std::uint32_t high = turned(w[t - 2], 17) ^ turned(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + low + w[t - 7] + high;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int t = 0; t < 64; ++t) {
    const std::uint32_t first = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
    const std::uint32_t second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  const std::uint32_t more[8] = {a, b, c, d, e, f, g, h};
  for (std::size_t k = 0; k < 8; ++k) state_[k] += more[k];
}

void Sha256::add(std::span<const std::uint8_t> bytes) {
  const std::size_t waiting = length_ % 64;
  length_ += bytes.size();
  if (waiting > 0) {
    const std::size_t part = std::min(64 - waiting, bytes.size());
    std::copy_n(bytes.begin(), part, rest_.begin() + static_cast<std::ptrdiff_t>(waiting));
    bytes = bytes.subspan(part);
    if (waiting + part < 64) return;
    block(rest_.data());
  }
  for (; bytes.size() >= 64; bytes = bytes.subspan(64)) block(bytes.data());
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
}

std::string Sha256::hex() {
  const std::uint64_t bits = 8 * length_;
  const std::uint8_t end = 0x80;
  add({&end, 1});
  const std::array<std::uint8_t, 64> zeros{};
  add(std::span(zeros).first((64 + 56 - length_ % 64) % 64));
  std::array<std::uint8_t, 8> size;
  for (std::size_t k = 0; k < 8; ++k) size[k] = static_cast<std::uint8_t>(bits >> (56 - 8 * k));
  add(size);
  std::string out;
  for (const std::uint32_t word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[word >> shift & 15];
  return out;
}

}  // namespace rollscope
