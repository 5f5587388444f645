// What the page asks of its surroundings: the one header through which C++ calls JavaScript. In the page it is
// src/platform/host_web.cpp with web/libs/page_host.js; in native tests src/platform/host_native.cpp.
// Strings are UTF-8; structured values travel as JSON text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rollscope::host {

// Asks for one animation frame (page_frame in app/page.h). Asking twice before it comes asks once.
void request_frame();
// Asks for a frame after `ms`, for timed things (a tooltip's delay). The earliest wish wins.
void request_frame_in(double ms);
// Milliseconds of a monotonic clock.
[[nodiscard]] double now();

// Puts a question to the engine (verbs of app/session.h). The answer comes back through page_answer() with the same
// number, never before this function has returned.
void ask(std::uint32_t number, std::string_view verb, std::string_view args_json);
// The answer to `number` is no longer wanted.
void cancel(std::uint32_t number);

// Mouse pointer over the canvas, as a CSS cursor: "default", "pointer", "grab", "ew-resize", "text".
void cursor(std::string_view css);
// Tells the DOM what happened: event name and detail. Events:
//   "selection"  {stream, query, token, rows: [{token, weight, chance}...], sentence, caption}  feeds the mirror table and live region
//   "limits"     {items: [{code, severity, params, text}]}         a click on the badge: a DOM dialog explains them
//   "help", "open", "examples", "report"                          a command that lives in the DOM
//   "edit"       {x, y, w, h, value, min, max}                    a number to be typed over the canvas (residual)
//   "state"      {}                                               something worth a history entry has changed
void tell(std::string_view event, std::string_view detail_json);

// Rasterises whole labels with the browser's own text engine, so that every script and emoji is right.
// Each label is drawn in white (colour emoji in their colours) into its own slot of one RGBA image.
struct LabelSlot {
  std::string_view text;
  float px = 12;      // font size in device pixels
  bool bold = false;
  int x = 0, y = 0, w = 0, h = 0;  // slot in the image, device pixels
};
// rgba [height][width][4], premultiplied, overwritten inside the slots.
void rasterise(std::span<const LabelSlot> labels, int width, int height, std::span<std::uint8_t> rgba);
// Advance width of a label in the same font, in the unit of `px`.
[[nodiscard]] float measure(std::string_view text, float px, bool bold);

}  // namespace rollscope::host
