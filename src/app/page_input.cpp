// From the page's events to ImGui (page.h). Modifiers travel with every event, so none can stick.
#include <cfloat>
#include <cmath>

#include "app/page.h"
#include "app/page_loop.h"
#include "imgui.h"
#include "imgui_internal.h"
#include "scene/commands.h"

using rollscope::PageLoop;

namespace {

enum { kMove, kDown, kUp, kLeave, kCancel };

void modifiers(int bits) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(ImGuiMod_Shift, (bits & 1) != 0);
  io.AddKeyEvent(ImGuiMod_Ctrl, (bits & 2) != 0);
  io.AddKeyEvent(ImGuiMod_Alt, (bits & 4) != 0);
  io.AddKeyEvent(ImGuiMod_Super, (bits & 8) != 0);
}

ImGuiKey key_of(std::string_view key) {
  struct Row {
    std::string_view name;
    ImGuiKey key;
  };
  static constexpr Row kRows[] = {
      {"Tab", ImGuiKey_Tab},         {"Enter", ImGuiKey_Enter},       {"Escape", ImGuiKey_Escape},     {" ", ImGuiKey_Space},
      {"ArrowLeft", ImGuiKey_LeftArrow}, {"ArrowRight", ImGuiKey_RightArrow}, {"ArrowUp", ImGuiKey_UpArrow}, {"ArrowDown", ImGuiKey_DownArrow},
      {"Home", ImGuiKey_Home},       {"End", ImGuiKey_End},           {"PageUp", ImGuiKey_PageUp},     {"PageDown", ImGuiKey_PageDown},
  };
  for (const Row& r : kRows)
    if (r.name == key) return r.key;
  return ImGuiKey_None;
}

bool popup_open() { return ImGui::GetCurrentContext()->OpenPopupStack.Size > 0; }

int arrow_of(ImGuiKey key) {
  return key == ImGuiKey_RightArrow || key == ImGuiKey_UpArrow ? 1 : key == ImGuiKey_LeftArrow || key == ImGuiKey_DownArrow ? -1 : 0;
}

// True: the key has been used.
bool press(PageLoop& p, std::string_view name, ImGuiKey key, int mods) {
  ImGuiIO& io = ImGui::GetIO();
  ImGuiContext& g = *ImGui::GetCurrentContext();
  const bool chord = (mods & ~1) != 0;
  if (!chord && arrow_of(key) != 0 && p.ui->takes_arrows) {
    p.ui->arrows += arrow_of(key);
    return true;
  }
  if (popup_open()) {
    if (key == ImGuiKey_None || chord) return false;
    io.AddKeyEvent(key, true);
    return true;
  }
  if (key == ImGuiKey_Tab && !chord) {
    // Past the last control the focus goes on to what follows the canvas.
    if ((mods & 1) ? p.ui->at_first_control : p.ui->at_last_control) {
      g.NavCursorVisible = false;
      g.NavId = 0;
      p.ui->at_first_control = p.ui->at_last_control = false;
      return false;
    }
    io.AddKeyEvent(key, true);
    return true;
  }
  if (!chord && (key == ImGuiKey_Enter || key == ImGuiKey_Space)) {
    if (!g.NavCursorVisible || g.NavId == 0) return false;
    io.AddKeyEvent(key, true);
    return true;
  }
  const rollscope::Command* command = rollscope::command_for_key(name, mods);
  if (!command) return false;
  if (key != ImGuiKey_Escape) {
    p.app->run(command->id);
    return true;
  }
  // Where there is nothing to step back from, the key is the page's: it takes the focus off the canvas.
  const rollscope::AppState before = p.app->state();
  const bool by_keyboard = g.NavCursorVisible;
  g.NavCursorVisible = false;
  p.app->run(command->id);
  return by_keyboard || !(p.app->state() == before);
}

}  // namespace

extern "C" {

void page_pointer(int kind, double x, double y, int button, int pointer, int mods) {
  PageLoop& p = PageLoop::get();
  ImGuiIO& io = ImGui::GetIO();
  modifiers(mods);
  io.AddMouseSourceEvent(pointer == 1 ? ImGuiMouseSource_TouchScreen : pointer == 2 ? ImGuiMouseSource_Pen : ImGuiMouseSource_Mouse);
  const int index = button == 1 ? ImGuiMouseButton_Middle : button == 2 ? ImGuiMouseButton_Right : ImGuiMouseButton_Left;
  if (kind == kLeave || kind == kCancel) {
    if (kind == kCancel) {
      p.ui->drag_id.clear();
      p.ui->dragged = true;  // what was pressed is not chosen
      io.AddMouseButtonEvent(index, false);
    }
    io.AddMousePosEvent(-FLT_MAX, -FLT_MAX);
  } else {
    io.AddMousePosEvent(static_cast<float>(x), static_cast<float>(y));
    if (kind == kDown || kind == kUp) io.AddMouseButtonEvent(index, kind == kDown);
  }
  p.wake(kind == kMove ? 2 : 3);
}

void page_wheel(double x, double y, double dx, double dy, int pinch, int mods) {
  PageLoop& p = PageLoop::get();
  modifiers(mods);
  if (popup_open()) {
    ImGui::GetIO().AddMousePosEvent(static_cast<float>(x), static_cast<float>(y));
    ImGui::GetIO().AddMouseWheelEvent(static_cast<float>(-dx / 60), static_cast<float>(-dy / 60));
  } else {
    rollscope::ui::Wheel w;
    w.x = static_cast<float>(x), w.y = static_cast<float>(y);
    if (pinch) w.zoom = true, w.factor = static_cast<float>(std::exp(-dy / 100));
    else w.dx = static_cast<float>(dx), w.dy = static_cast<float>(dy);
    if (!pinch && (mods & 1) && dx == 0) w.dx = w.dy, w.dy = 0;
    p.ui->wheels.push_back(w);
  }
  p.wake(2);
}

void page_gesture(double x, double y, double factor, double dx, double dy) {
  PageLoop& p = PageLoop::get();
  rollscope::ui::Wheel w;
  w.x = static_cast<float>(x), w.y = static_cast<float>(y);
  w.zoom = true;
  w.factor = static_cast<float>(factor > 0 ? factor : 1);
  w.dx = static_cast<float>(dx), w.dy = static_cast<float>(dy);
  p.ui->wheels.push_back(w);
  p.wake(2);
}

int page_key(const char* key, int down, int mods) {
  if (!key) return 0;
  PageLoop& p = PageLoop::get();
  modifiers(mods);
  const ImGuiKey known = key_of(key);
  if (!down) {
    if (known != ImGuiKey_None) ImGui::GetIO().AddKeyEvent(known, false);
    p.wake(2);
    return 0;
  }
  const bool used = press(p, key, known, mods);
  p.wake(3);
  return used ? 1 : 0;
}

void page_blur() {
  PageLoop& p = PageLoop::get();
  ImGuiIO& io = ImGui::GetIO();
  modifiers(0);
  for (ImGuiKey k : {ImGuiKey_Tab, ImGuiKey_Enter, ImGuiKey_Escape, ImGuiKey_Space, ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_Home, ImGuiKey_End, ImGuiKey_PageUp, ImGuiKey_PageDown})
    io.AddKeyEvent(k, false);
  for (int b = 0; b < 3; ++b) io.AddMouseButtonEvent(b, false);
  p.wake(2);
}
}
