// Pickles and torch archives written by hand, instruction by instruction, so that a test can lie where it wants.
#pragma once

#include "io/builders.h"

namespace rollscope::testing {

using Pickle = std::string;

inline Pickle number_bytes(std::uint64_t value, int bytes) {
  Pickle out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}
inline Pickle name(const std::string& module, const std::string& what) { return "c" + module + "\n" + what + "\n"; }
inline Pickle text(const std::string& utf8) { return "X" + number_bytes(utf8.size(), 4) + utf8; }
inline Pickle bytes(const Bytes& data) { return "B" + number_bytes(data.size(), 4) + std::string(data.begin(), data.end()); }
inline Pickle integer(std::int64_t n) { return "\x8a\x08" + number_bytes(static_cast<std::uint64_t>(n), 8); }
inline Pickle list(const std::vector<Pickle>& items) {
  Pickle out = "](";
  for (const auto& i : items) out += i;
  return out + "e";
}
inline Pickle tuple(const std::vector<Pickle>& items) {
  Pickle out = "(";
  for (const auto& i : items) out += i;
  return out + "t";
}
inline Pickle dict(const std::vector<std::pair<std::string, Pickle>>& items) {
  Pickle out = "}(";
  for (const auto& [key, value] : items) out += text(key) + value;
  return out + "u";
}
inline Pickle call(const Pickle& what, const std::vector<Pickle>& args) { return what + tuple(args) + "R"; }
inline Pickle integers(const std::vector<std::int64_t>& all) {
  std::vector<Pickle> items;
  for (const auto n : all) items.push_back(integer(n));
  return tuple(items);
}
inline Bytes pickled(const Pickle& value, int protocol = 2) {
  return bytes_of(protocol < 2 ? value + "." : std::string("\x80") + static_cast<char>(protocol) + value + ".");
}

struct TensorSpec {
  std::string key = "0";
  std::int64_t count = 18;  // numbers of the storage
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape{2, 3, 3}, strides{9, 3, 1};
  std::string storage = "FloatStorage";
};
inline Pickle storage(const TensorSpec& t) { return tuple({text("storage"), name("torch", t.storage), text(t.key), text("cuda:0"), integer(t.count)}) + "Q"; }
inline Pickle tensor(const TensorSpec& t = {}) {
  return call(name("torch._utils", "_rebuild_tensor_v2"),
              {storage(t), integer(t.offset), integers(t.shape), integers(t.strides), "\x89", call(name("collections", "OrderedDict"), {})});
}

// The archive of torch 1.6 and later; `storages`: bytes by key.
inline Bytes torch_zip(const Pickle& value, const std::vector<std::pair<std::string, Bytes>>& storages, const std::vector<ZipEntry>& more = {}) {
  std::vector<ZipEntry> entries{{"archive/data.pkl", pickled(value)}};
  for (const auto& [key, data] : storages) entries.push_back({"archive/data/" + key, data});
  entries.push_back({"archive/version", bytes_of("3\n")});
  entries.insert(entries.end(), more.begin(), more.end());
  return zip(entries);
}

// Five pickles and the storages, as torch wrote before; `sizes`: bytes of a number, by key.
inline Bytes torch_legacy(const Pickle& value, const std::vector<std::pair<std::string, Bytes>>& storages, std::size_t item = 4) {
  Bytes out = pickled(std::string("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 12));
  append(out, pickled(integer(1001)));
  append(out, pickled(dict({{"little_endian", "\x88"}})));
  append(out, pickled(value));
  std::vector<Pickle> keys;
  for (const auto& [key, data] : storages) keys.push_back(text(key));
  append(out, pickled(list(keys)));
  for (const auto& [key, data] : storages) {
    put(out, data.size() / item, 8);
    append(out, data);
  }
  return out;
}

// numpy.ndarray.__reduce__ of protocol 3 and later.
inline Pickle ndarray(const std::string& descr, const std::vector<std::int64_t>& shape, const Pickle& data, bool fortran = false, const std::string& order = "<") {
  const Pickle type = call(name("numpy", "dtype"), {text(descr), "\x89", "\x88"}) + tuple({integer(3), text(order), "N", "N", "N", integer(-1), integer(-1), integer(0)}) + "b";
  return call(name("numpy.core.multiarray", "_reconstruct"), {name("numpy", "ndarray"), tuple({integer(0)}), bytes(bytes_of("b"))}) +
         tuple({integer(1), integers(shape), type, fortran ? "\x88" : "\x89", data}) + "b";
}

inline std::vector<Real> part(const std::vector<float>& all, int from, int to) { return {all.begin() + from, all.begin() + to}; }

inline Bytes seed(const std::string& path) {
  std::ifstream in(std::string(ROLLSCOPE_TEST_DATA) + "/fuzz/seeds/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace rollscope::testing
