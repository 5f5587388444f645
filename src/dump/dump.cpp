#include "dump/dump.h"

#include <array>

namespace rollscope {

std::string_view stream_kind_name(StreamKind kind) {
  constexpr std::array<std::string_view, 5> names{"self", "encoder", "decoder", "cross", "contributions"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view dtype_name(DType type) {
  constexpr std::array<std::string_view, 15> names{"f16", "bf16", "f32", "f64", "f8_e4m3", "f8_e5m2", "u8", "i8",
                                                   "u16", "i16",  "u32", "i32", "u64",     "i64",     "bool"};
  return names[static_cast<std::size_t>(type)];
}

std::size_t dtype_size(DType type) {
  constexpr std::array<std::size_t, 15> sizes{2, 2, 4, 8, 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 1};
  return sizes[static_cast<std::size_t>(type)];
}

const Stream* DumpInfo::find(std::string_view name) const {
  const int i = index_of(name);
  return i < 0 ? nullptr : &streams[static_cast<std::size_t>(i)];
}

int DumpInfo::index_of(std::string_view name) const {
  for (std::size_t i = 0; i < streams.size(); ++i)
    if (streams[i].name == name) return static_cast<int>(i);
  return -1;
}

int DumpInfo::find_extra(ExtraKind kind, std::string_view stream, const std::string* name) const {
  for (std::size_t i = 0; i < extras.size(); ++i)
    if (extras[i].kind == kind && extras[i].stream == stream && (!name || extras[i].name == *name)) return static_cast<int>(i);
  return -1;
}

}  // namespace rollscope
