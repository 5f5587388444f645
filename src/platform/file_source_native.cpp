#include "platform/file_source_native.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>

namespace rollscope {
namespace {

tl::unexpected<Error> cannot(const std::string& why) { return fail(ErrorCode::read_failed, {{"detail", why}}); }

}  // namespace

Result<std::shared_ptr<ByteSource>> FileSource::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot(std::strerror(errno));
  struct stat about {};
  if (::fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
    ::close(descriptor);
    return cannot(S_ISDIR(about.st_mode) ? "it is a folder" : "it is not a file on disk");
  }
  return std::shared_ptr<ByteSource>(new FileSource(descriptor, static_cast<std::uint64_t>(about.st_size)));
}

FileSource::~FileSource() { ::close(descriptor_); }

Result<void> FileSource::read(std::uint64_t offset, std::span<std::uint8_t> out) {
  assert(offset <= size_ && out.size() <= size_ - offset);
  while (!out.empty()) {
    const ssize_t got = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot(std::strerror(errno));
    if (got == 0) return cannot("it became shorter while it was read");
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace rollscope
