#include "platform/window.h"

#include <SDL.h>
#include <emscripten/html5.h>

#include <algorithm>
#include <cmath>

namespace rollscope {
namespace {

constexpr char kCanvas[] = "#canvas";

struct {
  SDL_Window* window = nullptr;
  int width = 1, height = 1;  // device pixels
} g;

// SDL listens to the whole window: it takes keys from the browser, wheels from the page around an iframe, and clears
// the canvas on every resize of the window by setting its size again. The page feeds input and sizes itself
// (design.md, decision 16), so SDL hears nothing.
void deafen() {
  emscripten_set_keydown_callback(kCanvas, nullptr, 0, nullptr);
  emscripten_set_keyup_callback(kCanvas, nullptr, 0, nullptr);
  emscripten_set_keypress_callback(kCanvas, nullptr, 0, nullptr);
  emscripten_set_mousemove_callback(kCanvas, nullptr, 0, nullptr);
  emscripten_set_mousedown_callback(kCanvas, nullptr, 0, nullptr);
  emscripten_set_mouseup_callback(EMSCRIPTEN_EVENT_TARGET_DOCUMENT, nullptr, 0, nullptr);
  emscripten_set_mouseenter_callback(kCanvas, nullptr, 0, nullptr);
  emscripten_set_mouseleave_callback(kCanvas, nullptr, 0, nullptr);
  emscripten_set_wheel_callback(kCanvas, nullptr, 0, nullptr);
  emscripten_set_focus_callback(EMSCRIPTEN_EVENT_TARGET_WINDOW, nullptr, 0, nullptr);
  emscripten_set_blur_callback(EMSCRIPTEN_EVENT_TARGET_WINDOW, nullptr, 0, nullptr);
  emscripten_set_touchstart_callback(kCanvas, nullptr, 0, nullptr);
  emscripten_set_touchend_callback(kCanvas, nullptr, 0, nullptr);
  emscripten_set_touchmove_callback(kCanvas, nullptr, 0, nullptr);
  emscripten_set_touchcancel_callback(kCanvas, nullptr, 0, nullptr);
  emscripten_set_pointerlockchange_callback(EMSCRIPTEN_EVENT_TARGET_DOCUMENT, nullptr, 0, nullptr);
  emscripten_set_fullscreenchange_callback(EMSCRIPTEN_EVENT_TARGET_DOCUMENT, nullptr, 0, nullptr);
  emscripten_set_resize_callback(EMSCRIPTEN_EVENT_TARGET_WINDOW, nullptr, 0, nullptr);
  emscripten_set_visibilitychange_callback(nullptr, 0, nullptr);
  emscripten_set_beforeunload_callback(nullptr, nullptr);
}

}  // namespace

bool open_window() {
  // Not the window, if only until deafen(); an element that does not exist would throw.
  SDL_SetHint(SDL_HINT_EMSCRIPTEN_KEYBOARD_ELEMENT, kCanvas);
  SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
  if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0) return false;
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_ES);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 0);
  SDL_GL_SetAttribute(SDL_GL_ALPHA_SIZE, 0);
  SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 0);
  SDL_GL_SetAttribute(SDL_GL_STENCIL_SIZE, 0);
  g.window = SDL_CreateWindow("Rollscope", 0, 0, 1, 1, SDL_WINDOW_OPENGL | SDL_WINDOW_ALLOW_HIGHDPI | SDL_WINDOW_RESIZABLE);
  if (!g.window) return false;
  deafen();
  if (!SDL_GL_CreateContext(g.window)) return false;
  emscripten_get_canvas_element_size(kCanvas, &g.width, &g.height);
  return true;
}

void resize_window(double width, double height, double pixel_ratio) {
  const int w = std::max(1, static_cast<int>(std::lround(width * pixel_ratio)));
  const int h = std::max(1, static_cast<int>(std::lround(height * pixel_ratio)));
  if (w == g.width && h == g.height) return;  // setting a canvas's size clears it, even to the same
  g.width = w;
  g.height = h;
  if (g.window) SDL_SetWindowSize(g.window, std::max(1, static_cast<int>(width)), std::max(1, static_cast<int>(height)));
  // SDL knows whole CSS pixels alone; at a ratio of 1.5 the canvas needs the very number, or it is drawn blurred.
  emscripten_set_canvas_element_size(kCanvas, w, h);
}

void window_pixels(int& width, int& height) {
  width = g.width;
  height = g.height;
}

}  // namespace rollscope
