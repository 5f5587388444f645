// The window with its GL context: the page's canvas (window_web.cpp). Input does not come from here: the page feeds
// DOM events (app/page.h).
#pragma once

namespace rollscope {

// Opens the window on `#canvas` with a WebGL2 context, made current. False: there is none to be had.
[[nodiscard]] bool open_window();
// Size in CSS pixels; `pixel_ratio` device pixels per CSS pixel. The backing store follows, rounded to whole pixels.
void resize_window(double width, double height, double pixel_ratio);
// Size of the backing store, device pixels: what glViewport takes.
void window_pixels(int& width, int& height);

}  // namespace rollscope
