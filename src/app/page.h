// The page's entry points: what JavaScript calls. All are C functions of the page module (page.mjs); text is UTF-8
// in its heap, allocated and freed by the caller. Nothing here blocks: long work happens in the engine.
//
// Order: page_font x n, page_strings, page_theme, page_start, page_resize, then page_dump when a file is open.
#pragma once

#include <cstdint>

extern "C" {

// Creates the window on `#canvas` and the WebGL2 context. 0: done; 1: no WebGL2 (the page falls back to its table).
int page_start();
// Size of the canvas in CSS pixels, and device pixels per CSS pixel.
void page_resize(double width, double height, double pixel_ratio);
// Draws one frame if anything has changed. Returns the number of frames drawn so far.
int page_frame(double now_ms);

// TrueType bytes. slot 0 regular, 1 medium, 2 semibold, 3 mono, 4 and 5 Japanese regular and semibold (merged into 0 to 2).
void page_font(int slot, const std::uint8_t* bytes, int size);
// The interface's words: lines "id\ttext\n", in the language `lang` ("en", "fr", "ja"); \n and \\ are escaped.
void page_strings(const char* lang, const char* lines);
// scheme: 1 dark, 2 more contrast, added; `reduced_motion` turns all easing off; `touch` enlarges targets to 44 px.
void page_theme(int scheme, int reduced_motion, int touch);

// Input, in CSS pixels relative to the canvas. `modifiers`: 1 Shift, 2 Ctrl, 4 Alt, 8 Meta.
//   kind: 0 move, 1 down, 2 up, 3 leave, 4 cancel; button: 0 left, 1 middle, 2 right; pointer: 0 mouse, 1 touch, 2 pen
void page_pointer(int kind, double x, double y, int button, int pointer, int modifiers);
// dx, dy in CSS pixels, normalised from lines and pages. `pinch`: a zoom by exp(-dy / 100) about the pointer.
void page_wheel(double x, double y, double dx, double dy, int pinch, int modifiers);
// Two fingers: zoom by `factor` about (x, y), and pan by (dx, dy).
void page_gesture(double x, double y, double factor, double dx, double dy);
// key: KeyboardEvent.key ("ArrowLeft", "Enter", "a"). down 1, up 0. Returns 1 when the page uses it (preventDefault).
int page_key(const char* key, int down, int modifiers);
// Focus left the canvas or the window: all keys and buttons are released.
void page_blur();

// A dump was opened: DumpInfo archive. State that fits the new dump (theme, view) is kept.
void page_dump(const std::uint8_t* bytes, int size);
// The answer to host::ask(number). On failure bytes is null and `error` a JSON object {code, text, fix, params}.
void page_answer(std::uint32_t number, const std::uint8_t* bytes, int size, const char* error);
// A file is being read: fraction in [0, 1] or -1 for none; the status line shows it.
void page_progress(const char* name, double fraction, double bytes, double total, int layer, int layers);
// The picture that patches are of, decoded: width x height pixels of 3 bytes (answer to the event "picture").
void page_picture(const std::uint8_t* rgb, int width, int height);
// Bytes of all wasm heaps, for the status line and stats().
void page_memory(double heap_bytes);

// Commands (scene/commands.h): runs `id` with a JSON object; returns JSON, or {"error": {code, text, fix}}.
// The pointer is valid until the next call of any page_ function that returns text.
const char* page_command(const char* id, const char* args);
const char* page_commands();  // [{id, title, shortcut}]
const char* page_state();
const char* page_set_state(const char* state);  // {"ok": true, "ignored": [fields that could not be read]}
const char* page_stats();  // frames, gpuBytes, edgesDrawn, edgesHidden, lastFrameMs
// 1 while an answer, an upload or an animation is pending.
int page_busy();
// What is where, for tests: {"tokens": [{x,y,w,h,index}], "graph": {...}, "matrix": {...}, "controls": [{id,x,y,w,h}]}, CSS pixels.
const char* page_layout();

void page_context_lost();
void page_context_restored();

}
