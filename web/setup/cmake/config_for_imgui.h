// Dear ImGui's compile-time options (IMGUI_USER_CONFIG): the library and everything that includes it must agree.
#pragma once

// Big matrices and graphs draw more than 65,536 vertices in one list, and WebGL2 knows no base vertex.
#define ImDrawIdx unsigned int

// Names that Dear ImGui is about to drop.
#define IMGUI_DISABLE_OBSOLETE_FUNCTIONS

// Not shown to anyone, and downloaded by everyone. Fonts are our own (build/deps/fonts).
#define IMGUI_DISABLE_DEMO_WINDOWS
#define IMGUI_DISABLE_DEBUG_TOOLS
#define IMGUI_DISABLE_DEFAULT_FONT

// The page has no files and the browser owns the clipboard; input and output go through src/platform.
#define IMGUI_DISABLE_FILE_FUNCTIONS
#define IMGUI_DISABLE_DEFAULT_SHELL_FUNCTIONS

// Settings are kept by the page, not in ImGui's text form, and numbers are typed into the DOM: all that is ever scanned is
// the backend's "#version %d". The C library's sscanf brings long double arithmetic, 10 kB for every visitor.
#include <stdarg.h>
#include <stdio.h>
inline int imgui_scan_integers(const char* text, const char* format, ...) {
  va_list out;
  va_start(out, format);
  int found = 0;
  while (*format) {
    if (format[0] != '%' || format[1] != 'd') {
      if (*format++ != *text++) break;
      continue;
    }
    format += 2;
    if (*text < '0' || *text > '9') break;
    int value = 0;
    while (*text >= '0' && *text <= '9') value = 10 * value + (*text++ - '0');
    *va_arg(out, int*) = value;
    ++found;
  }
  va_end(out);
  return found;
}
#define sscanf imgui_scan_integers
