#include "platform/host_native.h"

#include <algorithm>
#include <cassert>

#include "platform/host.h"

namespace rollscope::host {
namespace {

int code_points(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}
// Code points from U+1F000 on take four bytes with this head; enough to tell emoji here.
bool has_emoji(std::string_view text) { return text.find("\xF0\x9F") != text.npos; }

}  // namespace

NativeHost& native_host() {
  static NativeHost host;
  return host;
}

void request_frame() { ++native_host().frames_wanted; }
void request_frame_in(double ms) {
  double& in = native_host().frame_in;
  in = in < 0 ? ms : std::min(in, ms);
}
double now() { return native_host().clock; }

void ask(std::uint32_t number, std::string_view verb, std::string_view args_json) {
  auto& host = native_host();
  const NativeHost::Asked asked{number, std::string(verb), std::string(args_json)};
  host.asked.push_back(asked);
  if (host.on_ask) host.on_ask(asked);
}
void cancel(std::uint32_t number) { native_host().cancelled.push_back(number); }
void cursor(std::string_view css) { native_host().cursor = css; }
void tell(std::string_view event, std::string_view detail_json) { native_host().told.emplace_back(event, detail_json); }

void rasterise(std::span<const LabelSlot> labels, int width, int height, std::span<std::uint8_t> rgba) {
  auto& host = native_host();
  ++host.raster_calls;
  assert(rgba.size() == static_cast<std::size_t>(width) * height * 4);
  for (const auto& label : labels) {
    ++host.rasterised;
    assert(label.x >= 0 && label.y >= 0 && label.x + label.w <= width && label.y + label.h <= height);
    const bool coloured = has_emoji(label.text);
    for (int y = label.y; y < label.y + label.h; ++y)
      for (int x = label.x; x < label.x + label.w; ++x) {
        const bool edge = x == label.x || y == label.y || x + 1 == label.x + label.w || y + 1 == label.y + label.h;
        auto* p = &rgba[(static_cast<std::size_t>(y) * width + x) * 4];
        const std::uint8_t on = edge ? 0 : 255;
        p[0] = p[3] = on;
        p[1] = p[2] = coloured ? static_cast<std::uint8_t>(on / 2) : on;
      }
  }
}

float measure(std::string_view text, float px, bool bold) { return (bold ? 0.63f : 0.6f) * px * static_cast<float>(code_points(text)); }

}  // namespace rollscope::host
