// Values to bytes and back, for messages between the engine and the page: two builds of the same revision, never
// stored. Little endian, no versions, no alignment. A Reader that runs past its end sets failed() and yields zeros.
//
// A message type M has one function `template <class A> void fields(A& a, M& m) { a(m.x, m.y); }`, so that writing
// and reading cannot drift apart.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace rollscope {

class ArchiveWriter {
 public:
  static constexpr bool reading = false;
  template <class... T>
  void operator()(T&... values) { (put(values), ...); }
  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  void raw(const void* p, std::size_t n) {
    const auto* b = static_cast<const std::uint8_t*>(p);
    bytes_.insert(bytes_.end(), b, b + n);
  }
  template <class T>
  void put(T& v) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) raw(&v, sizeof v);
    else fields(*this, v);
  }
  void put(std::string& s) {
    auto n = static_cast<std::uint32_t>(s.size());
    raw(&n, sizeof n);
    raw(s.data(), n);
  }
  template <class T>
  void put(std::vector<T>& v) {
    auto n = static_cast<std::uint32_t>(v.size());
    raw(&n, sizeof n);
    if constexpr (std::is_arithmetic_v<T>) raw(v.data(), n * sizeof(T));
    else for (auto& x : v) put(x);
  }
  template <class K, class V, class C>
  void put(std::map<K, V, C>& m) {
    auto n = static_cast<std::uint32_t>(m.size());
    raw(&n, sizeof n);
    for (auto& [k, v] : m) {
      K key = k;
      put(key);
      put(v);
    }
  }
  std::vector<std::uint8_t> bytes_;
};

class ArchiveReader {
 public:
  static constexpr bool reading = true;
  explicit ArchiveReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  template <class... T>
  void operator()(T&... values) { (get(values), ...); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  bool raw(void* p, std::size_t n) {
    if (n > bytes_.size() - at_) {
      failed_ = true;
      at_ = bytes_.size();
      return false;
    }
    if (n) std::memcpy(p, bytes_.data() + at_, n);
    at_ += n;
    return true;
  }
  std::uint32_t count() {
    std::uint32_t n = 0;
    raw(&n, sizeof n);
    if (n > bytes_.size() - at_) {  // every element takes at least one byte
      failed_ = true;
      return 0;
    }
    return n;
  }
  template <class T>
  void get(T& v) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      if (!raw(&v, sizeof v)) v = T{};
    } else {
      fields(*this, v);
    }
  }
  void get(std::string& s) {
    s.resize(count());
    raw(s.data(), s.size());
  }
  template <class T>
  void get(std::vector<T>& v) {
    v.resize(count());
    if constexpr (std::is_arithmetic_v<T>) raw(v.data(), v.size() * sizeof(T));
    else for (auto& x : v) get(x);
  }
  template <class K, class V, class C>
  void get(std::map<K, V, C>& m) {
    m.clear();
    for (auto n = count(); n > 0; --n) {
      K k{};
      get(k);
      get(m[k]);
    }
  }
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace rollscope
