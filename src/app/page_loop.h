// The page behind page.h: app, interface and GPU in one object, and when a frame is drawn.
//
// Frames are drawn on demand: every input asks for a few (ImGui spreads a press and its release over two), easing
// asks for the next, then nothing. After a change that needs an answer the last picture stays until the answer is here
// or kPatienceMs have passed; until then input is taken in frames that are thrown away undrawn.
#pragma once

#include <memory>
#include <string>

#include "gpu/gpu.h"
#include "gpu/label_atlas.h"
#include "scene/app.h"
#include "ui/ui.h"

namespace rollscope {

class PageLoop {
 public:
  static PageLoop& get();

  [[nodiscard]] bool start();
  void resize(double width, double height, double ratio);
  int frame(double now);
  void wake(int frames = 3);   // something has changed
  void force();                // the canvas is empty: draw, whatever is pending
  void context_lost();
  void context_restored();
  [[nodiscard]] bool busy() const;
  [[nodiscard]] std::string stats() const;
  // Text that a page_ function returns, alive until the next.
  const char* keep(std::string text);
  void new_dump() { told_first_ = false; }

  std::unique_ptr<gpu::Gpu> gpu;
  std::unique_ptr<gpu::LabelAtlas> atlas;
  std::unique_ptr<App> app;
  std::unique_ptr<ui::Ui> ui;

 private:
  PageLoop();
  void run_interface();  // one ImGui frame, up to its draw data
  void present();

  bool started_ = false, lost_ = false, force_ = false, told_first_ = false;
  int width_ = 1, height_ = 1;  // device pixels
  int wake_ = 0, frames_ = 0;
  double last_ = 0, last_frame_ms_ = 0;
  double unsettled_since_ = -1;
  std::uint32_t asked_ = 0;
  std::string cursor_, text_;
};

}  // namespace rollscope
