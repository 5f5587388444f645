#include <algorithm>
#include <cmath>

#include "io/extras.h"
#include "io/lookup.h"
#include "io/names.h"

namespace rollscope {
namespace {

constexpr std::uint64_t kMostNumbers = 12'000'000;  // 2000 x 2000 in colour

bool is_picture_name(const std::string& name) {
  const std::string n = normal_name(name);
  return n == "image" || n == "images" || n == "picture" || n == "pixels" || n == "pixel_values";
}

}  // namespace

Result<Picture> find_picture(const Container& container, int item) {
  for (const StoredArray& a : container.arrays) {
    if (!is_picture_name(a.name) || a.elements == 0 || a.elements > kMostNumbers) continue;
    std::vector<std::uint64_t> shape = a.shape;
    std::uint64_t skip = 0;
    while (shape.size() > 3 || (shape.size() == 3 && shape[0] == 1)) {
      const std::uint64_t rest = a.elements / shape[0];
      if (shape.size() > 3 && shape[0] > 1) {
        if (static_cast<std::uint64_t>(item) >= shape[0] || shape.size() > 4) break;
        skip = static_cast<std::uint64_t>(item) * rest;
      }
      shape.erase(shape.begin());
    }
    const bool grey = shape.size() == 2;
    const bool last = shape.size() == 3 && (shape[2] == 1 || shape[2] == 3 || shape[2] == 4);
    const bool first = shape.size() == 3 && !last && shape[0] == 3;
    if (!grey && !last && !first) continue;
    auto numbers = read_numbers(a);
    if (!numbers) return tl::unexpected(numbers.error());
    const std::uint64_t height = first ? shape[1] : shape[0], width = first ? shape[2] : shape[1], channels = grey ? 1 : first ? 3 : shape[2];
    const std::uint64_t count = height * width * channels;
    if (height < 2 || width < 2 || height > 8192 || width > 8192 || skip + count > numbers->size()) continue;
    const Real* from = numbers->data() + skip;
    double low = 0, high = 255;
    if (a.dtype != DType::u8) {
      const auto [least, most] = std::minmax_element(from, from + count);
      low = static_cast<double>(*least);
      high = static_cast<double>(*most);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      if (low >= 0 && high <= 1) low = 0, high = 1;
      else if (low >= 0 && high <= 255 && high > 1) low = 0, high = 255;
    }
    Picture out{static_cast<int>(width), static_cast<int>(height), {}};
    out.rgb.reserve(static_cast<std::size_t>(width * height * 3));
    for (std::uint64_t y = 0; y < height; ++y)
      for (std::uint64_t x = 0; x < width; ++x)
        for (std::uint64_t c = 0; c < 3; ++c) {
          const std::uint64_t channel = channels == 1 ? 0 : c;
          const std::uint64_t at = first ? (channel * height + y) * width + x : (y * width + x) * channels + channel;
          const double t = high > low ? (static_cast<double>(from[at]) - low) / (high - low) : 0;
          out.rgb.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(t, 0.0, 1.0))));
        }
    return out;
  }
  return Picture{};
}

}  // namespace rollscope
