// The native stand-in for the page's surroundings: remembers what was asked and told, so that tests can look and
// answer. Labels are measured as 0.6 px per code point and drawn as filled boxes: pictures that do not depend on fonts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace rollscope::host {

struct NativeHost {
  struct Asked {
    std::uint32_t number;
    std::string verb, args;
  };
  std::vector<Asked> asked;
  std::vector<std::uint32_t> cancelled;
  std::vector<std::pair<std::string, std::string>> told;  // event, detail
  std::string cursor = "default";
  int frames_wanted = 0;
  double frame_in = -1;  // the earliest wish, ms; -1: none
  double clock = 0;      // what now() says
  int rasterised = 0;    // labels drawn
  int raster_calls = 0;
  std::function<void(const Asked&)> on_ask;  // may queue an answer; must not answer before it returns
};

// The one instance; tests reset it with native_host() = {}.
[[nodiscard]] NativeHost& native_host();

}  // namespace rollscope::host
