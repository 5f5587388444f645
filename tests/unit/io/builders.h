// Files made in memory for tests of the readers: good ones, and ones that lie exactly where a test wants.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

#include "io/importer.h"

namespace rollscope::testing {

using Bytes = std::vector<std::uint8_t>;

inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }
inline void append(Bytes& out, const Bytes& more) { out.insert(out.end(), more.begin(), more.end()); }
inline void put(Bytes& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}
template <class T>
Bytes raw(const std::vector<T>& values) {
  Bytes out(values.size() * sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

// Attention that differs in every row, head and layer; rows sum to 1. `causal`: nothing above the diagonal.
inline std::vector<float> attention(int matrices, int queries, int keys, bool causal = false) {
  std::vector<float> out;
  for (int m = 0; m < matrices; ++m)
    for (int i = 0; i < queries; ++i) {
      std::vector<double> row(static_cast<std::size_t>(keys));
      double sum = 0;
      for (int j = 0; j < keys; ++j) {
        row[static_cast<std::size_t>(j)] = causal && j > i ? 0 : std::exp(2 * std::sin(1.7 * m + 2.3 * i + 1.1 * j * (m + 1) + 0.3));
        sum += row[static_cast<std::size_t>(j)];
      }
      for (const double x : row) out.push_back(static_cast<float>(x / sum));
    }
  return out;
}

inline std::string npy_dict(std::string_view descr, std::string_view shape, std::string_view order = "False") {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(order) + ", 'shape': " + std::string(shape) + ", }\n";
}
inline Bytes npy(std::string_view header, const Bytes& data = {}, int version = 1) {
  Bytes out = bytes_of("\x93NUMPY");
  out.push_back(static_cast<std::uint8_t>(version));
  out.push_back(0);
  put(out, header.size(), version == 1 ? 2 : 4);
  append(out, bytes_of(header));
  append(out, data);
  return out;
}
inline Bytes npy_f4(std::string_view shape, const std::vector<float>& values) { return npy(npy_dict("<f4", shape), raw(values)); }
inline Bytes npy_texts(const std::vector<std::string>& ascii, std::string_view shape = "") {
  std::size_t width = 1;
  for (const auto& t : ascii) width = std::max(width, t.size());
  Bytes data;
  for (const auto& t : ascii)
    for (std::size_t i = 0; i < width; ++i) put(data, i < t.size() ? static_cast<std::uint8_t>(t[i]) : 0, 4);
  const std::string own = shape.empty() ? "(" + std::to_string(ascii.size()) + ",)" : std::string(shape);
  return npy(npy_dict("<U" + std::to_string(width), own), data);
}
inline Bytes npy_meta(const std::string& json) { return npy_texts({json}, "()"); }
inline Bytes npy_i8(std::string_view shape, const std::vector<std::int64_t>& values) { return npy(npy_dict("<i8", shape), raw(values)); }

struct ZipEntry {
  std::string name;
  Bytes data;
  bool deflate = false;
  // How the local header is written: Python 3.11.2 puts the real sizes there, 3.11.7 all ones with version 45, an
  // unseekable writer zeros and a record behind the data.
  enum class Style { plain, real_sizes_with_zip64, all_ones_with_zip64, descriptor } style = Style::plain;
  int method = -1;                 // other than what was done, to lie
  int flags = 0;
  std::int64_t said_size = -1;     // unpacked size in the directory
  std::int64_t said_packed = -1;
  std::int64_t said_offset = -1;
  std::int64_t said_crc = -1;
};

inline Bytes deflated(const Bytes& data) {
  Bytes out(data.size() + data.size() / 100 + 64);
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  z.next_in = const_cast<Bytef*>(data.data());
  z.avail_in = static_cast<uInt>(data.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

inline Bytes zip(const std::vector<ZipEntry>& entries, const std::string& comment = "", bool zip64_end = false, int said_count = -1) {
  using Style = ZipEntry::Style;
  Bytes out, directory;
  for (const auto& e : entries) {
    const Bytes packed = e.deflate ? deflated(e.data) : e.data;
    const std::uint32_t crc = e.said_crc >= 0 ? static_cast<std::uint32_t>(e.said_crc) : static_cast<std::uint32_t>(crc32(0, e.data.data(), static_cast<uInt>(e.data.size())));
    const int method = e.method >= 0 ? e.method : e.deflate ? 8 : 0;
    const bool ones = e.style == Style::all_ones_with_zip64, extra = ones || e.style == Style::real_sizes_with_zip64, behind = e.style == Style::descriptor;
    const std::uint64_t offset = out.size();
    put(out, 0x04034b50, 4);
    put(out, ones ? 45 : 20, 2);
    put(out, static_cast<std::uint64_t>(e.flags | (behind ? 8 : 0)), 2);
    put(out, static_cast<std::uint64_t>(method), 2);
    put(out, 0, 4);
    put(out, behind ? 0 : crc, 4);
    put(out, ones ? 0xffffffff : behind ? 0 : packed.size(), 4);
    put(out, ones ? 0xffffffff : behind ? 0 : e.data.size(), 4);
    put(out, e.name.size(), 2);
    put(out, extra ? 20 : 0, 2);
    append(out, bytes_of(e.name));
    if (extra) {
      put(out, 1, 2);
      put(out, 16, 2);
      put(out, e.data.size(), 8);
      put(out, packed.size(), 8);
    }
    append(out, packed);
    if (behind) {
      put(out, 0x08074b50, 4);
      put(out, crc, 4);
      put(out, packed.size(), 4);
      put(out, e.data.size(), 4);
    }
    put(directory, 0x02014b50, 4);
    put(directory, 20, 2);
    put(directory, ones ? 45 : 20, 2);
    put(directory, static_cast<std::uint64_t>(e.flags | (behind ? 8 : 0)), 2);
    put(directory, static_cast<std::uint64_t>(method), 2);
    put(directory, 0, 4);
    put(directory, crc, 4);
    put(directory, e.said_packed >= 0 ? static_cast<std::uint64_t>(e.said_packed) : packed.size(), 4);
    put(directory, e.said_size >= 0 ? static_cast<std::uint64_t>(e.said_size) : e.data.size(), 4);
    put(directory, e.name.size(), 2);
    put(directory, 0, 2);
    put(directory, 0, 2);
    put(directory, 0, 8);
    put(directory, e.said_offset >= 0 ? static_cast<std::uint64_t>(e.said_offset) : offset, 4);
    append(directory, bytes_of(e.name));
  }
  const std::uint64_t start = out.size();
  const std::uint64_t count = said_count >= 0 ? static_cast<std::uint64_t>(said_count) : entries.size();
  append(out, directory);
  if (zip64_end) {
    const std::uint64_t at = out.size();
    put(out, 0x06064b50, 4);
    put(out, 44, 8);
    put(out, 45, 2);
    put(out, 45, 2);
    put(out, 0, 8);
    put(out, count, 8);
    put(out, count, 8);
    put(out, directory.size(), 8);
    put(out, start, 8);
    put(out, 0x07064b50, 4);
    put(out, 0, 4);
    put(out, at, 8);
    put(out, 1, 4);
  }
  put(out, 0x06054b50, 4);
  put(out, 0, 4);
  put(out, zip64_end ? 0xffff : count, 2);
  put(out, zip64_end ? 0xffff : count, 2);
  put(out, zip64_end ? 0xffffffff : directory.size(), 4);
  put(out, zip64_end ? 0xffffffff : start, 4);
  put(out, comment.size(), 2);
  append(out, bytes_of(comment));
  return out;
}

inline Bytes safetensors(const std::string& header, const Bytes& data = {}, std::int64_t said_length = -1) {
  Bytes out;
  put(out, said_length >= 0 ? static_cast<std::uint64_t>(said_length) : header.size(), 8);
  append(out, bytes_of(header));
  append(out, data);
  return out;
}

// Nested lists as json.dumps writes them.
inline std::string json_array(const std::vector<float>& values, const std::vector<int>& shape, std::size_t axis = 0, std::size_t* at = nullptr) {
  std::size_t zero = 0;
  if (!at) at = &zero;
  std::string out = "[";
  for (int i = 0; i < shape[axis]; ++i) {
    if (i) out += ", ";
    if (axis + 1 < shape.size()) out += json_array(values, shape, axis + 1, at);
    else out += std::to_string(values[(*at)++]);
  }
  return out + "]";
}

inline Result<Dump> open(Bytes bytes, const ImportOptions& options = {}, const std::string& name = "dump") {
  return open_dump(std::make_shared<MemorySource>(std::move(bytes)), name, options);
}
inline Result<Dump> open(std::string_view text, const ImportOptions& options = {}) { return open(bytes_of(text), options); }
inline ImportOptions assume(std::string name, std::string value) {
  ImportOptions out;
  out.assume.emplace(std::move(name), std::move(value));
  return out;
}

inline Bytes file(const std::string& name) {
  std::ifstream in(std::string(ROLLSCOPE_TEST_DATA) + "/dumps/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
inline Result<Dump> open_file(const std::string& name, const ImportOptions& options = {}) { return open(file(name), options, name); }

// The code of the error, or "opens".
inline std::string code(const Result<Dump>& dump) { return dump ? "opens" : std::string(error_name(dump.error().code)); }
inline std::string text(const Result<Dump>& dump) { return dump ? "opens" : error_text(dump.error()); }

inline const ReportItem* reported(const DumpInfo& info, ReportCode code) {
  for (const auto& item : info.report)
    if (item.code == code) return &item;
  return nullptr;
}
inline std::string labels(const std::vector<Token>& tokens) {
  std::string out;
  for (const auto& t : tokens) out += (out.empty() ? "" : " ") + t.label;
  return out;
}

// One head, [Q][K]; empty if it cannot be read.
inline std::vector<Real> head(Dump& dump, int stream, int layer, int head) {
  const Stream& s = dump.info.streams[static_cast<std::size_t>(stream)];
  std::vector<Real> out(static_cast<std::size_t>(s.queries) * static_cast<std::size_t>(s.keys));
  if (!dump.stacks[static_cast<std::size_t>(stream)]->read_head(layer, head, {out.data(), s.queries, s.keys})) out.clear();
  return out;
}
// All heads of all layers, one after another.
inline std::vector<Real> all_heads(Dump& dump, int stream = 0) {
  const Stream& s = dump.info.streams[static_cast<std::size_t>(stream)];
  std::vector<Real> out;
  for (int l = 0; l < s.layers(); ++l)
    for (int h = 0; h < std::max(s.heads, 1); ++h) {
      const auto one = head(dump, stream, l, h);
      out.insert(out.end(), one.begin(), one.end());
    }
  return out;
}
// Opens every prefix of a good file, and the file with each byte changed, each in memory of exactly its size. The first
// of them that does wrong, in words: a prefix that opens, a failure without a word. "" if none does.
inline std::string damaged(const Bytes& good, std::initializer_list<int> changes) {
  if (good.empty()) return "there is no good file";
  for (std::size_t n = 0; n < good.size(); ++n) {
    Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n));
    cut.shrink_to_fit();
    if (open(std::move(cut))) return "the first " + std::to_string(n) + " bytes open";
  }
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const int change : changes) {
      Bytes changed = good;
      changed[i] = static_cast<std::uint8_t>(changed[i] ^ change);
      auto dump = open(std::move(changed));
      if (dump) all_heads(*dump);
      else if (text(dump).empty()) return "byte " + std::to_string(i) + " changed fails without a word";
    }
  return "";
}
inline double largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  if (a.size() != b.size()) return 1e9;
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return worst;
}
inline std::vector<Real> reals(const std::vector<float>& values) { return {values.begin(), values.end()}; }

}  // namespace rollscope::testing
