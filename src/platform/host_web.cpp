// host.h in the browser: each call goes to web/libs/page_host.js and from there to the page's Module.host.
// Strings travel as pointer and length, so that none is copied to end it with a zero.
#include "platform/host.h"

extern "C" {
void rs_host_request_frame();
void rs_host_request_frame_in(double ms);
double rs_host_now();
void rs_host_ask(std::uint32_t number, const char* verb, int verb_size, const char* args, int args_size);
void rs_host_cancel(std::uint32_t number);
void rs_host_cursor(const char* css, int size);
void rs_host_tell(const char* event, int event_size, const char* detail, int detail_size);
void rs_host_label(const char* text, int size, float px, int bold, int x, int y, int w, int h, std::uint8_t* rgba, int width,
                   int height);
float rs_host_measure(const char* text, int size, float px, int bold);
}

namespace rollscope::host {
namespace {

int length(std::string_view text) { return static_cast<int>(text.size()); }

}  // namespace

void request_frame() { rs_host_request_frame(); }
void request_frame_in(double ms) { rs_host_request_frame_in(ms); }
double now() { return rs_host_now(); }

void ask(std::uint32_t number, std::string_view verb, std::string_view args_json) {
  rs_host_ask(number, verb.data(), length(verb), args_json.data(), length(args_json));
}
void cancel(std::uint32_t number) { rs_host_cancel(number); }

void cursor(std::string_view css) { rs_host_cursor(css.data(), length(css)); }
void tell(std::string_view event, std::string_view detail_json) {
  rs_host_tell(event.data(), length(event), detail_json.data(), length(detail_json));
}

void rasterise(std::span<const LabelSlot> labels, int width, int height, std::span<std::uint8_t> rgba) {
  for (const LabelSlot& slot : labels) {
    // A slot that leaves the image would be written outside it.
    if (slot.w <= 0 || slot.h <= 0 || slot.x < 0 || slot.y < 0 || slot.x + slot.w > width || slot.y + slot.h > height) continue;
    rs_host_label(slot.text.data(), length(slot.text), slot.px, slot.bold, slot.x, slot.y, slot.w, slot.h, rgba.data(), width,
                  height);
  }
}

float measure(std::string_view text, float px, bool bold) { return rs_host_measure(text.data(), length(text), px, bold); }

}  // namespace rollscope::host
