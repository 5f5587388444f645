// The reference vectors of tests/vectors: JSON computed by an independent program, null = NaN.
#pragma once

#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "base/matrix_view.h"
#include "methods/buffer.h"
#include "methods/fusion.h"

#ifndef ROLLSCOPE_TEST_DATA
#define ROLLSCOPE_TEST_DATA "tests"
#endif

namespace rollscope::test {

inline std::string slurp(const std::string& path) {
  std::string text;
  std::FILE* f = std::fopen(path.c_str(), "rb");
  REQUIRE_MESSAGE(f, path);
  char buffer[65536];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, f)) > 0;) text.append(buffer, n);
  std::fclose(f);
  return text;
}

// A nested list of any depth: its shape and its numbers.
struct Numbers {
  std::vector<std::size_t> shape;
  std::vector<double> values;
  [[nodiscard]] std::size_t size(std::size_t axis) const { return shape[axis]; }
};

inline void collect(const rapidjson::Value& value, std::size_t depth, Numbers& out) {
  if (!value.IsArray()) {
    out.values.push_back(value.IsNull() ? std::nan("") : value.GetDouble());
    return;
  }
  if (out.shape.size() <= depth) out.shape.push_back(value.Size());
  for (const auto& element : value.GetArray()) collect(element, depth + 1, out);
}

inline Numbers numbers(const rapidjson::Value& value) {
  Numbers out;
  collect(value, 0, out);
  return out;
}

class Vector {
 public:
  explicit Vector(const std::string& name) {
    const auto text = slurp(std::string(ROLLSCOPE_TEST_DATA) + "/vectors/" + name + ".json");
    document_.Parse<rapidjson::kParseFullPrecisionFlag>(text.c_str());
    REQUIRE_MESSAGE(!document_.HasParseError(), name);
  }
  // Path below the root, "expected/alpha/0.1".
  [[nodiscard]] const rapidjson::Value& at(const std::string& path) const {
    const rapidjson::Value* v = &document_;
    for (std::size_t i = 0; i <= path.size();) {
      const auto end = std::min(path.find('/', i), path.size());
      const auto key = path.substr(i, end - i);
      if (v->IsArray()) {
        v = &(*v)[static_cast<rapidjson::SizeType>(std::stoul(key))];
      } else {
        REQUIRE_MESSAGE(v->HasMember(key.c_str()), path);
        v = &(*v)[key.c_str()];
      }
      i = end + 1;
    }
    return *v;
  }
  [[nodiscard]] Numbers get(const std::string& path) const { return numbers(at(path)); }

 private:
  rapidjson::Document document_;
};

// Fused layers [L][Q][K] in memory of their own.
struct Stack {
  std::vector<std::vector<Real>> data;
  std::vector<ConstMatrixView> views;
  [[nodiscard]] StackView view() const { return {views}; }
  [[nodiscard]] int depth() const { return static_cast<int>(views.size()); }
};

// attn [L][H][Q][K] or, heads fused, [L][Q][K]; the chosen heads only, all when empty.
inline Stack fuse(const Numbers& attn, Fusion fusion = Fusion::mean, std::vector<int> heads = {},
                  StackStats* stats = nullptr) {
  const bool fused = attn.shape.size() == 3;
  const auto layers = attn.size(0), all = fused ? 1 : attn.size(1);
  const auto rows = attn.size(fused ? 1 : 2), columns = attn.size(fused ? 2 : 3);
  if (heads.empty()) for (std::size_t h = 0; h < all; ++h) heads.push_back(static_cast<int>(h));
  Stack out;
  for (std::size_t l = 0; l < layers; ++l) {
    out.data.emplace_back(rows * columns);
    const MatrixView to{out.data.back().data(), static_cast<int>(rows), static_cast<int>(columns)};
    LayerFuser fuser(to, fusion, stats);
    for (const int h : heads) {
      const auto first = attn.values.begin() + static_cast<std::ptrdiff_t>((l * all + static_cast<std::size_t>(h)) * rows * columns);
      std::vector<Real> head(first, first + static_cast<std::ptrdiff_t>(rows * columns));
      fuser.add({head.data(), static_cast<int>(rows), static_cast<int>(columns)});
    }
    fuser.finish();
  }
  for (auto& layer : out.data) out.views.push_back({layer.data(), static_cast<int>(rows), static_cast<int>(columns)});
  return out;
}

template <class Range>
double largest_difference(const Range& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto x = static_cast<double>(found[i]);
    if (std::isnan(x) != std::isnan(expected[i])) return INFINITY;
    if (!std::isnan(x)) worst = std::max(worst, std::abs(x - expected[i]));
  }
  return worst;
}

// 1e-12 in double; the float build is checked to 1e-5.
inline constexpr double kTolerance = sizeof(Real) == 8 ? 1e-12 : 1e-5;

}  // namespace rollscope::test
