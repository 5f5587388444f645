// What every panel gets: the app to read and to send commands to, words, fonts, colours, the frame's geometry, and
// what passes while the pointer moves (hover, drag, easing colours). Nothing here is state that a user would miss:
// that lives in App.
//
// A panel is a free function `void draw_x(Ui&, Box)`; its caches live in its own struct, held here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/gpu.h"
#include "gpu/label_atlas.h"
#include "imgui.h"
#include "scene/app.h"
#include "scene/colormap.h"
#include "scene/heatmap.h"
#include "ui/box.h"
#include "ui/fonts.h"
#include "ui/theme.h"
#include "ui/words.h"

namespace rollscope::ui {

// What the interface asks of its surroundings; the page gives host:: functions, tests give their own.
struct Services {
  std::function<void(double ms)> frame_in;                                  // a frame after `ms`; 0: the next
  std::function<void(std::string_view css)> cursor;                         // pointer shape
  std::function<void(std::string_view event, const std::string& json)> tell;  // the DOM: limits, edit, help, open ...
};

// A file that is being read.
struct Reading {
  std::string name;  // "": none
  double fraction = -1, bytes = 0, total = 0;
  int layer = 0, layers = 0;
};

// What lies where in this frame, for browser tests (page_layout).
struct Record {
  struct Item {
    Box box;
    int index = 0, level = 0;
  };
  struct Control {
    std::string id;
    Box box;
  };
  std::vector<Item> tokens, inputs, outputs, nodes;
  std::vector<Control> controls;
  Box graph, matrix, inspector, strip;
  float cell = 0;
  double left = 0, top = 0;
  int edges_drawn = 0, edges_hidden = 0;
};

// Wheel and pinch, waiting for the panel under the pointer.
struct Wheel {
  float x = 0, y = 0;
  float dx = 0, dy = 0;
  float factor = 1;  // zoom about (x, y)
  bool zoom = false;
  bool used = false;
};

struct ComparePanel;
struct GraphPanel;
struct HeadsPanel;
struct ImagePanel;
struct MatrixPanel;
struct StripLayout;

struct Ui {
  Ui(App& app, gpu::Gpu& gpu, gpu::LabelAtlas& atlas, Services services);
  ~Ui();
  Ui(const Ui&) = delete;

  App& app;
  gpu::Gpu& gpu;
  gpu::LabelAtlas& atlas;
  Services services;
  Words words;
  Fonts fonts;
  Theme theme;

  // --- the surroundings
  Box screen;
  float ratio = 1;     // device pixels per CSS pixel
  double now = 0;      // ms
  bool touch = false;
  bool reduced = false;  // no easing
  bool waiting = false;  // the wanted state's answer is late: the picture is the old one, marked
  std::string failed;    // text of the question that failed, "" when none
  double heap_bytes = 0;
  Reading reading;

  // --- the frame
  ImDrawList* dl = nullptr;
  bool phone = false;
  bool animating = false;  // some colour is still easing
  ColourScale scale;       // of the strip, the inputs and the bars
  std::vector<float> shade;  // [K] position on the colormap, eased
  Record record;
  std::vector<Wheel> wheels;
  int arrows = 0;             // arrow presses meant for the focused slider: right and up count +1
  bool takes_arrows = false;  // a slider has the focus
  bool at_last_control = false, at_first_control = false;  // Tab may leave the canvas
  bool stop_seen = false;     // a control of this frame has been reached by Tab
  bool popup_open = false;
  std::string want_cursor;
  App::Hover hover_next;      // collected while drawing; becomes app.hover at the end of the frame
  bool said_mark = false, said_leaves_out = false;  // by the recipe bar; else the inspector's foot says them
  bool showed_picture = false;  // strip and graph of a dump were drawn in this frame

  // Tooltip of this frame, drawn last: see tooltip.h.
  struct Tip;
  std::unique_ptr<Tip> tip;
  std::string tip_control;      // control under the pointer or with the keyboard, and since when
  double tip_since = 0;
  bool tip_wanted = false;      // a control has asked in this frame

  // --- what panels keep between frames
  std::unique_ptr<GraphPanel> graph;
  std::unique_ptr<MatrixPanel> matrix;
  std::unique_ptr<HeadsPanel> heads;
  std::unique_ptr<ImagePanel> image;
  std::unique_ptr<ComparePanel> compare;
  std::shared_ptr<StripLayout> strip;
  float strip_scroll = 0, inspector_scroll = 0, inspector_height = 0;
  bool compare_more = false;    // measures beyond the first three
  double play_next = 0;         // ms, of the next layer while they are played
  float lines_scroll = 0;
  int lines_query = -1;         // as strip_query, of the Lines view
  int strip_key = -1;           // likewise the chosen input
  int strip_query = -1;         // the chosen output was scrolled to already
  float pan_x = 0, pan_y = 0;   // drag of a view or a scrolling panel
  bool dragged = false;
  std::string drag_id;
  double drag_value = 0;
  float drawer = -1;            // phone: height of the drawer while it is dragged, -1: by state
  int range_first = -1, range_last = -1;  // layer range while it is dragged

  MatrixExtremes measured;  // of the matrix of this version, without these sinks
  std::uint64_t measured_of = 0;
  std::vector<int> measured_without;

  // Positions that are easing: from, to, begun.
  std::vector<float> shade_from, shade_to;
  double shade_start = 0;

  // --- helpers
  [[nodiscard]] const ViewData* view() const { return app.view(); }
  [[nodiscard]] const Stream& stream() const;
  // The state that is on the screen. Past the patience the recipe shows what was asked for.
  [[nodiscard]] const AppState& state() const { return app.shown(); }
  [[nodiscard]] bool is_sink(int key) const;
  // Relevance begins as the identity: the token itself holds 1 and more, and would leave the scale to nobody else. -1: none.
  [[nodiscard]] int own_past_scale() const;
  [[nodiscard]] bool two_sided() const;  // queries and keys are different tokens (cross-attention)
  [[nodiscard]] bool itself(int key) const;  // the chosen output, as an input
  [[nodiscard]] bool percents() const;   // the row's numbers are parts of 100 %
  // A number of the row as it is written: "9.2 %", "9.2", "9.23 %"; where it is no share "0.0123".
  [[nodiscard]] std::string amount(double weight) const { return percents() ? words.percent_sign(weight) : words.plain(weight); }
  [[nodiscard]] std::string amount_bare(double weight) const { return percents() ? words.percent(weight) : words.plain(weight); }
  [[nodiscard]] std::string amount_fine(double weight) const { return percents() ? words.percent_fine(weight) : words.plain(weight); }
  [[nodiscard]] bool is_patch(int index, bool key) const;
  [[nodiscard]] bool patches() const;    // the stream's tokens are mostly patches of a grid
  [[nodiscard]] std::string token(int index, bool key) const;        // its words on screen
  [[nodiscard]] std::string token_short(int index, bool key) const;  // for axes
  [[nodiscard]] std::string raw_token(int index, bool key) const;
  // The position, where another token of the same words exists; 0 otherwise.
  [[nodiscard]] int repeated(int index, bool key) const;
  [[nodiscard]] int layer_number(int stored) const;  // as printed, from 1
  [[nodiscard]] bool visible(int key) const;         // the chosen row can see it (no causal mask between)
  [[nodiscard]] Rgb heat(int key) const;             // eased colour of an input
  [[nodiscard]] Rgb heat_of(double weight) const;    // colour of a weight on the scale in force
  [[nodiscard]] const MatrixExtremes& extremes();    // of app.matrix(), measured once
  void refresh();                                    // scale and easing, once per frame
  void wake(double ms = 0) { services.frame_in(ms); }
  void cursor(std::string_view css) { want_cursor = css; }
  Wheel* wheel_in(const Box& box);                   // an unused wheel over `box`, or nullptr
  [[nodiscard]] bool mouse_in(const Box& box) const; // and no popup above it
};

}  // namespace rollscope::ui
