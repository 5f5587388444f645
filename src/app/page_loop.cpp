#include "app/page_loop.h"

#include <algorithm>

#include "imgui.h"
#include "imgui_impl_opengl3.h"
#include "imgui_internal.h"
#include "platform/host.h"
#include "platform/window.h"
#include "scene/json.h"
#include "ui/shell.h"

namespace rollscope {
namespace {

constexpr int kLabelPasses = 3;  // a frame is laid out again when labels were new in it

}  // namespace

PageLoop& PageLoop::get() {
  static PageLoop* loop = new PageLoop;  // lives as long as the page
  return *loop;
}

PageLoop::PageLoop() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigNavEscapeClearFocusItem = false;
  io.BackendPlatformName = "rollscope";
  io.MouseDrawCursor = false;
  io.MouseDoubleClickTime = 0.5f;  // counted from frame to frame, and a frame may be slow
  io.MouseSingleClickDelay = 0.6f;  // Dear ImGui wants it longer than that
  io.DisplaySize = {1, 1};

  gpu = gpu::make_gl_gpu();
  atlas = std::make_unique<gpu::LabelAtlas>(*gpu);
  app = std::make_unique<App>(
      [this](std::string_view verb, const std::string& args) {
        host::ask(++asked_, verb, args);
        return asked_;
      },
      [](std::uint32_t number) { host::cancel(number); },
      [](std::string_view event, const std::string& detail) { host::tell(event, detail); });
  ui::Services services;
  services.frame_in = [this](double ms) {
    if (ms <= 0) wake(1);
    else host::request_frame_in(ms);
  };
  services.cursor = [this](std::string_view css) {
    if (cursor_ == css) return;
    cursor_ = std::string(css);
    host::cursor(css);
  };
  services.tell = [](std::string_view event, const std::string& detail) { host::tell(event, detail); };
  ui = std::make_unique<ui::Ui>(*app, *gpu, *atlas, std::move(services));
  ui::apply_style(ui->theme, false);
}

bool PageLoop::start() {
  if (started_) return true;
  if (!open_window() || !gpu->start()) return false;
  ImGui_ImplOpenGL3_Init("#version 300 es");
  started_ = true;
  force();
  return true;
}

void PageLoop::resize(double width, double height, double ratio) {
  if (!(width > 0) || !(height > 0) || !(ratio > 0)) return;
  resize_window(width, height, ratio);
  window_pixels(width_, height_);
  const auto r = static_cast<float>(ratio);
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(width_) / r, static_cast<float>(height_) / r};
  io.DisplayFramebufferScale = {r, r};
  ui->ratio = r;
  ui->screen = {0, 0, io.DisplaySize.x, io.DisplaySize.y};
  force();
}

void PageLoop::wake(int frames) {
  wake_ = std::max(wake_, frames);
  host::request_frame();
}

void PageLoop::force() {
  force_ = true;
  wake(2);
}

void PageLoop::run_interface() {
  gpu->begin_frame({static_cast<float>(width_), static_cast<float>(height_), ui->ratio});
  atlas->begin_frame(ui->ratio);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  ui::draw_shell(*ui);
  ImGui::Render();
}

void PageLoop::present() {
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  ++frames_;
}

int PageLoop::frame(double now) {
  if (!started_ || lost_ || !ui->fonts.ready()) return frames_;
  const bool unsettled = app->has_dump() && !app->settled();
  if (!unsettled) unsettled_since_ = -1;
  else if (unsettled_since_ < 0) unsettled_since_ = now;
  const double left = unsettled ? kPatienceMs - (now - unsettled_since_) : 0;
  bool hold = left > 0 && !force_;
  if (hold) host::request_frame_in(left);
  if (!unsettled && wake_ == 0 && ui->waiting) wake_ = 1;
  if (unsettled && !hold && !ui->waiting) wake_ = std::max(wake_, 1);
  // Timers that were asked for (a tooltip's delay) come without a wish of their own.
  if (wake_ == 0 && !force_ && hold) return frames_;
  wake_ = std::max(0, wake_ - 1);
  force_ = false;

  const double begun = host::now();
  ui->now = now;
  ui->waiting = unsettled && !hold;
  ImGuiIO& io = ImGui::GetIO();
  io.DeltaTime = static_cast<float>(std::clamp((now - last_) / 1000, 1e-4, 10.0));
  last_ = now;
  run_interface();
  if (!unsettled && app->has_dump() && !app->settled()) {  // this very frame put a question
    unsettled_since_ = now;
    hold = true;
    host::request_frame_in(kPatienceMs);
  }
  if (!hold) {
    // Labels that were new in this frame are rasterised and the frame is laid out again, so that none is missing.
    for (int pass = 0; pass < kLabelPasses && atlas->end_frame(); ++pass) {
      io.DeltaTime = 1e-4f;
      run_interface();
    }
    present();
    if (ui->showed_picture && !told_first_) {
      told_first_ = true;
      host::tell("first-picture", "{}");
    }
  } else {
    atlas->end_frame();
  }
  // A press and its release that came together are told in two frames.
  if (ImGui::GetCurrentContext()->InputEventsQueue.Size > 0) wake_ = std::max(wake_, 1);
  last_frame_ms_ = host::now() - begun;
  if (wake_ > 0) host::request_frame();
  return frames_;
}

void PageLoop::context_lost() {
  if (!started_ || lost_) return;
  lost_ = true;
  ui::forget_gpu(*ui, true);
  gpu->lost();
  atlas->lost();
  ImGui_ImplOpenGL3_DestroyDeviceObjects();
}

void PageLoop::context_restored() {
  if (!started_ || !lost_) return;
  if (!gpu->start()) return;
  ImGui_ImplOpenGL3_CreateDeviceObjects();
  lost_ = false;
  force();
}

bool PageLoop::busy() const { return app->busy() || wake_ > 0 || ui->animating || (started_ && atlas->pending()); }

std::string PageLoop::stats() const {
  JsonWriter j;
  j.object().field("frames", frames_).field("gpuBytes", gpu->bytes());
  j.field("edgesDrawn", ui->record.edges_drawn).field("edgesHidden", ui->record.edges_hidden).field("lastFrameMs", last_frame_ms_);
  return j.end().text();
}

const char* PageLoop::keep(std::string text) {
  text_ = std::move(text);
  return text_.c_str();
}

}  // namespace rollscope
