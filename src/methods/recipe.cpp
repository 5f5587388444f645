#include "methods/recipe.h"

#include <array>

namespace rollscope {

std::string_view method_name(Method method) {
  constexpr std::array<std::string_view, 2> names{"raw", "rollout"};
  return names[static_cast<std::size_t>(method)];
}

std::string_view fusion_name(Fusion fusion) {
  constexpr std::array<std::string_view, 3> names{"mean", "max", "min"};
  return names[static_cast<std::size_t>(fusion)];
}

}  // namespace rollscope
