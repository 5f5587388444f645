// The whole interface without a screen: a real session over a small dump answers, the null GPU checks what is drawn,
// and a hand moves the pointer. One frame is one ImGui frame, callbacks included.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <deque>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "app/session.h"
#include "base/archive.h"
#include "gpu/gpu.h"
#include "gpu/label_atlas.h"
#include "imgui.h"
#include "platform/file_source_native.h"
#include "platform/host_native.h"
#include "scene/app.h"
#include "scene/json.h"
#include "ui/shell.h"

namespace rollscope::test {

inline std::vector<std::uint8_t> bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The locale as the page hands it over: lines "id\ttext".
inline std::string locale_lines(const std::string& lang) {
  const auto bytes = bytes_of(std::string(ROLLSCOPE_TEST_DATA) + "/../web/locales/" + lang + ".json");
  const auto json = parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  REQUIRE(json.has_value());
  std::string out;
  for (const auto& [key, value] : json->members) {
    out += key + "\t";
    for (char c : value.text) out += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
    out += "\n";
  }
  return out;
}

struct Desk {
  explicit Desk(float width = 1280, float height = 756, const std::string& lang = "en")
      : gpu(gpu::make_null_gpu()), atlas(*gpu), app(
            [this](std::string_view verb, const std::string& args) {
              asked.push_back({++number, std::string(verb), args});
              return number;
            },
            [this](std::uint32_t n) { std::erase_if(asked, [&](const Asked& a) { return a.number == n; }); },
            [this](std::string_view event, const std::string& detail) { told.emplace_back(event, detail); }) {
    host::native_host() = {};
    IMGUI_CHECKVERSION();
    context = ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures | ImGuiBackendFlags_RendererHasVtxOffset;
    REQUIRE(gpu->start());
    ui::Services services;
    services.frame_in = [this](double ms) { (ms <= 0 ? wanted : timers) += 1; };
    services.cursor = [this](std::string_view css) { cursor = std::string(css); };
    services.tell = [this](std::string_view event, const std::string& detail) { told.emplace_back(event, detail); };
    ui = std::make_unique<ui::Ui>(app, *gpu, atlas, std::move(services));
    ui->words.load(lang, locale_lines(lang));
    const std::string fonts = std::string(ROLLSCOPE_DEPS) + "/fonts/";
    const char* faces[] = {"plex-sans-400.ttf", "plex-sans-500.ttf", "plex-sans-600.ttf", "plex-mono-400.ttf", "plex-sans-jp-400.ttf", "plex-sans-jp-600.ttf"};
    for (int slot = 0; slot < 6; ++slot)
      if (const auto b = bytes_of(fonts + faces[slot]); !b.empty()) ui->fonts.add(slot, b);
    REQUIRE(ui->fonts.ready());
    ui::apply_style(ui->theme, false);
    resize(width, height);
  }
  ~Desk() {
    ui::forget_gpu(*ui, false);
    ui.reset();
    ImGui::DestroyContext(context);
  }

  void resize(float w, float h, float ratio = 1) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {w, h};
    io.DisplayFramebufferScale = {ratio, ratio};
    ui->screen = {0, 0, w, h};
    ui->ratio = ratio;
  }

  void open(const std::string& name) {
    auto source = FileSource::open(std::string(ROLLSCOPE_TEST_DATA) + "/dumps/" + name);
    REQUIRE(source.has_value());
    open(*source, name);
  }
  void open(std::shared_ptr<ByteSource> source, const std::string& name) {
    auto job = session.open(std::move(source), R"({"name":")" + name + R"("})");
    REQUIRE(job.has_value());
    auto result = finish(**job);
    REQUIRE(result.has_value());
    DumpInfo dump;
    ArchiveReader reader(result->blob);
    fields(reader, dump);
    REQUIRE_FALSE(reader.failed());
    app.open(std::move(dump));
    settle();
  }

  // Answers every open question.
  void answer() {
    while (!asked.empty()) {
      const Asked a = asked.front();
      asked.pop_front();
      auto job = session.ask(a.verb, a.args);
      REQUIRE_MESSAGE(job.has_value(), a.args);
      auto result = finish(**job);
      REQUIRE(result.has_value());
      app.answer(a.number, result->blob);
    }
  }

  void frame(double ms = 16) {
    ImGui::GetIO().DeltaTime = static_cast<float>(ms / 1000);
    ui->now += ms;
    gpu->begin_frame({ui->screen.w * ui->ratio, ui->screen.h * ui->ratio, ui->ratio});
    atlas.begin_frame(ui->ratio);
    ImGui::NewFrame();
    ui::draw_shell(*ui);
    ImGui::Render();
    atlas.end_frame();
    vertices = 0;
    for (ImTextureData* t : ImGui::GetPlatformIO().Textures) {
      if (t->Status == ImTextureStatus_WantDestroy) t->SetTexID(ImTextureID_Invalid), t->SetStatus(ImTextureStatus_Destroyed);
      else if (t->Status != ImTextureStatus_Destroyed) t->SetTexID(1), t->SetStatus(ImTextureStatus_OK);
    }
    bool finite = true;
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
      vertices += list->VtxBuffer.Size;
      for (const ImDrawCmd& c : list->CmdBuffer)
        if (c.UserCallback) c.UserCallback(list, &c);
      for (const ImDrawVert& v : list->VtxBuffer) finite &= std::isfinite(v.pos.x + v.pos.y);
    }
    REQUIRE(finite);
  }
  void settle() {
    for (int i = 0; i < 4; ++i) {
      answer();
      frame(60);
    }
  }

  void move(float x, float y) {
    ImGui::GetIO().AddMousePosEvent(x, y);
    frame();
    frame();
  }
  void click(float x, float y) {
    move(x, y);
    ImGui::GetIO().AddMouseButtonEvent(0, true);
    frame();
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    frame();
    settle();
  }
  void click(const ui::Box& b) { click(b.middle_x(), b.middle_y()); }
  void drag(float x0, float y0, float x1, float y1) {
    move(x0, y0);
    ImGui::GetIO().AddMouseButtonEvent(0, true);
    frame();
    for (int i = 1; i <= 4; ++i) {
      ImGui::GetIO().AddMousePosEvent(x0 + (x1 - x0) * static_cast<float>(i) / 4, y0 + (y1 - y0) * static_cast<float>(i) / 4);
      frame();
      answer();
    }
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    frame();
    settle();
  }
  void key(ImGuiKey k) {
    ImGui::GetIO().AddKeyEvent(k, true);
    frame();
    ImGui::GetIO().AddKeyEvent(k, false);
    frame();
    settle();
  }

  [[nodiscard]] ui::Box control(std::string_view id) const {
    for (const auto& c : ui->record.controls)
      if (c.id == id) return c.box;
    return {};
  }
  [[nodiscard]] ui::Box token(int index) const {
    for (const auto& t : ui->record.tokens)
      if (t.index == index && t.level == 0) return t.box;
    return {};
  }
  [[nodiscard]] bool was_told(std::string_view event) const {
    for (const auto& [name, detail] : told)
      if (name == event) return true;
    return false;
  }

  struct Asked {
    std::uint32_t number;
    std::string verb, args;
  };
  std::uint32_t number = 0;
  std::deque<Asked> asked;
  std::vector<std::pair<std::string, std::string>> told;
  std::string cursor;
  int wanted = 0, timers = 0, vertices = 0;
  Session session;
  ImGuiContext* context = nullptr;
  std::unique_ptr<gpu::Gpu> gpu;
  gpu::LabelAtlas atlas;
  App app;
  std::unique_ptr<ui::Ui> ui;
};

}  // namespace rollscope::test
