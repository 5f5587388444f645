// What is computed: every number and picture names its recipe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rollscope {

enum class Method : std::uint8_t { raw, rollout };
enum class Fusion : std::uint8_t { mean, max, min };
[[nodiscard]] std::string_view method_name(Method method);
[[nodiscard]] std::string_view fusion_name(Fusion fusion);

struct Recipe {
  Method method = Method::rollout;
  std::string stream;       // name of the stream; "": the first
  Fusion fusion = Fusion::mean;
  std::vector<int> heads;   // ascending, from 0; empty: all
  double residual = 0.5;    // r of A~ = r I + (1 - r) F, in [0, 1]; raw attention ignores it
  int first_layer = 0;      // stored layers, from 0 at the input, included
  int end_layer = -1;       // excluded; -1: all

  bool operator==(const Recipe&) const = default;
};

template <class A> void fields(A& a, Recipe& r) {
  a(r.method, r.stream, r.fusion, r.heads, r.residual, r.first_layer, r.end_layer);
}

}  // namespace rollscope
