#include "io/inflate.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include <zlib.h>

namespace rollscope {
namespace {
constexpr std::size_t kPiece = 1 << 17;  // 128 KiB: fewer calls into the platform, still small beside one head
}

struct InflatedSource::State {
  z_stream stream{};
  bool live = false;
  bool ended = false;
  std::uint64_t fed = 0;  // packed bytes handed to zlib
  std::vector<std::uint8_t> in;
  ~State() {
    if (live) inflateEnd(&stream);
  }
};

InflatedSource::InflatedSource(Source packed, std::uint64_t size)
    : packed_(std::move(packed)), size_(size), state_(std::make_unique<State>()) {}
InflatedSource::~InflatedSource() = default;

Result<void> InflatedSource::restart() {
  State& s = *state_;
  const int status = s.live ? inflateReset(&s.stream) : inflateInit2(&s.stream, -MAX_WBITS);
  if (status != Z_OK) return fail(ErrorCode::out_of_memory, {{"needed", "50 kB"}});
  s.live = true;
  s.ended = false;
  s.fed = 0;
  s.stream.avail_in = 0;
  position_ = 0;
  return {};
}

Result<void> InflatedSource::produce(std::uint8_t* out, std::size_t count) {
  State& s = *state_;
  s.stream.next_out = out;
  s.stream.avail_out = static_cast<uInt>(count);
  while (s.stream.avail_out > 0) {
    if (s.ended)
      return fail(ErrorCode::truncated_data, {{"what", "a packed member"},
                                              {"expected", std::to_string(size_)},
                                              {"found", std::to_string(position_ + count - s.stream.avail_out)}});
    if (s.stream.avail_in == 0) {
      const std::uint64_t left = packed_->size() - s.fed;
      if (left == 0)
        return fail(ErrorCode::bad_header, {{"detail", "a packed member ends too early"}});
      s.in.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, kPiece)));
      if (auto done = packed_->read(s.fed, s.in); !done) return done;
      s.fed += s.in.size();
      s.stream.next_in = s.in.data();
      s.stream.avail_in = static_cast<uInt>(s.in.size());
    }
    const int status = inflate(&s.stream, Z_NO_FLUSH);
    if (status == Z_STREAM_END) s.ended = true;
    else if (status != Z_OK && status != Z_BUF_ERROR)
      return fail(ErrorCode::bad_header, {{"detail", "the packing of a member is damaged"}});
  }
  position_ += count;
  return {};
}

Result<void> InflatedSource::read(std::uint64_t offset, std::span<std::uint8_t> out) {
  assert(offset <= size_ && out.size() <= size_ - offset);
  if (out.empty()) return {};
  if (!state_->live || offset < position_)
    if (auto done = restart(); !done) return done;
  const auto failed = [&](Result<void> result) {  // what zlib holds after an error is of no use
    release();
    return result;
  };
  std::vector<std::uint8_t> skipped;
  while (position_ < offset) {
    skipped.resize(static_cast<std::size_t>(std::min<std::uint64_t>(offset - position_, kPiece)));
    if (auto done = produce(skipped.data(), skipped.size()); !done) return failed(done);
  }
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t n = std::min<std::size_t>(out.size() - at, std::size_t{1} << 30);  // avail_out is 32 bits wide
    if (auto done = produce(out.data() + at, n); !done) return failed(done);
    at += n;
  }
  if (position_ == size_) release();
  return {};
}

void InflatedSource::release() { state_ = std::make_unique<State>(); }

Result<std::uint32_t> checksum(ByteSource& source) {
  std::vector<std::uint8_t> piece;
  uLong crc = crc32(0, nullptr, 0);
  for (std::uint64_t at = 0; at < source.size();) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(source.size() - at, kPiece)));
    if (auto done = source.read(at, piece); !done) return tl::unexpected(done.error());
    crc = crc32(crc, piece.data(), static_cast<uInt>(piece.size()));
    at += piece.size();
  }
  return static_cast<std::uint32_t>(crc);
}

}  // namespace rollscope
