#include "io/value_norms.h"

#include <cmath>

namespace rollscope {
namespace {

constexpr std::size_t kMostAxes = 4;  // layers, an item's axis of one, heads, keys

}  // namespace

Result<std::vector<float>> value_norms(const Container& container, StreamKind kind, bool only_stream, int keys,
                                       const std::vector<int>& kept) {
  Result<std::optional<NumberList>> found = std::optional<NumberList>{};
  if (kind == StreamKind::encoder) found = find_numbers(container, {"encoder_value_norms"}, kMostAxes);
  else if (kind == StreamKind::decoder) found = find_numbers(container, {"decoder_value_norms"}, kMostAxes);
  else if (kind == StreamKind::cross) found = find_numbers(container, {"cross_value_norms"}, kMostAxes);
  else found = find_numbers(container, {"self_value_norms"}, kMostAxes);
  if (found && !*found && only_stream) found = find_numbers(container, {"value_norms"}, kMostAxes);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return std::vector<float>{};
  const NumberList& list = **found;
  if (list.shape.empty() || list.shape.back() != static_cast<std::uint64_t>(keys)) return std::vector<float>{};

  const auto k = static_cast<std::size_t>(keys);
  std::vector<double> sum(k, 0.0);
  for (std::size_t i = 0; i < list.values.size(); ++i) sum[i % k] += list.values[i];
  std::vector<float> out;
  const double count = static_cast<double>(list.values.size() / k);
  const auto take = [&](std::size_t j) { out.push_back(static_cast<float>(sum[j] / count)); };
  if (kept.empty()) for (std::size_t j = 0; j < k; ++j) take(j);
  else for (const int j : kept) take(static_cast<std::size_t>(j));
  for (const float norm : out)
    if (!std::isfinite(norm) || norm < 0) return std::vector<float>{};  // not norms
  return out;
}

}  // namespace rollscope
