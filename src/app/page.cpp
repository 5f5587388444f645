// page.h: set-up, dumps, answers, texts. Input: page_input.cpp. When a frame is drawn: page_loop.h.
#include "app/page.h"

#include "app/page_loop.h"
#include "base/archive.h"
#include "scene/commands.h"
#include "scene/json.h"
#include "scene/state_codec.h"
#include "ui/shell.h"

using rollscope::PageLoop;

namespace {

std::string_view view(const char* text) { return text ? std::string_view(text) : std::string_view(); }

// The readable part of an error object.
std::string error_words(std::string_view json) {
  const auto parsed = rollscope::parse_json(json);
  if (!parsed) return {};
  const rollscope::Json* code = parsed->find("code");
  if (code && code->text == "cancelled") return {};
  const rollscope::Json* text = parsed->find("text");
  return text ? text->text : code ? code->text : std::string();
}

}  // namespace

extern "C" {

int page_start() { return PageLoop::get().start() ? 0 : 1; }
void page_resize(double width, double height, double pixel_ratio) { PageLoop::get().resize(width, height, pixel_ratio); }
int page_frame(double now_ms) { return PageLoop::get().frame(now_ms); }

void page_font(int slot, const std::uint8_t* bytes, int size) {
  if (!bytes || size <= 0) return;
  PageLoop& p = PageLoop::get();
  p.ui->fonts.add(slot, {bytes, static_cast<std::size_t>(size)});
  p.wake();
}

void page_strings(const char* lang, const char* lines) {
  PageLoop& p = PageLoop::get();
  p.ui->words.load(view(lang), view(lines));
  p.wake();
}

void page_theme(int scheme, int reduced_motion, int touch) {
  PageLoop& p = PageLoop::get();
  p.ui->theme = rollscope::ui::make_theme((scheme & 1) != 0, (scheme & 2) != 0);
  p.ui->reduced = reduced_motion != 0;
  p.ui->touch = touch != 0;
  rollscope::ui::apply_style(p.ui->theme, p.ui->touch);
  p.wake();
}

void page_dump(const std::uint8_t* bytes, int size) {
  if (!bytes || size <= 0) return;
  PageLoop& p = PageLoop::get();
  rollscope::DumpInfo dump;
  rollscope::ArchiveReader reader({bytes, static_cast<std::size_t>(size)});
  fields(reader, dump);
  if (reader.failed() || dump.streams.empty()) return;
  p.ui->failed.clear();
  p.ui->strip_query = -1;
  p.ui->strip_scroll = p.ui->inspector_scroll = 0;
  p.new_dump();
  p.app->open(std::move(dump));
  p.wake();
}

void page_answer(std::uint32_t number, const std::uint8_t* bytes, int size, const char* error) {
  PageLoop& p = PageLoop::get();
  if (bytes && size > 0) {
    p.ui->failed.clear();
    p.app->answer(number, {bytes, static_cast<std::size_t>(size)});
  } else {
    const std::string_view json = error ? std::string_view(error) : std::string_view(R"({"code":"read_failed"})");
    p.ui->failed = error_words(json);
    p.app->failure(number, std::string(json));
  }
  p.wake();
}

void page_progress(const char* name, double fraction, double bytes, double total, int layer, int layers) {
  PageLoop& p = PageLoop::get();
  if (fraction < 0) p.ui->reading = {};
  else p.ui->reading = {std::string(view(name)), fraction, bytes, total, layer, layers};
  p.wake(1);
}

void page_picture(const std::uint8_t* rgb, int width, int height) {
  if (!rgb || width <= 0 || height <= 0) return;
  PageLoop& p = PageLoop::get();
  const std::size_t size = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3;
  p.app->set_picture({width, height, {rgb, rgb + size}});
  p.wake();
}

void page_memory(double heap_bytes) {
  PageLoop& p = PageLoop::get();
  // Printed in whole megabytes: a smaller change draws nothing.
  const auto megabytes = [](double b) { return static_cast<long long>(b / 1048576 + 0.5); };
  const bool seen = megabytes(heap_bytes) != megabytes(p.ui->heap_bytes);
  p.ui->heap_bytes = heap_bytes;
  if (seen) p.wake(1);
}

const char* page_command(const char* id, const char* args) {
  PageLoop& p = PageLoop::get();
  std::string answer = p.app->run(view(id), args && *args ? view(args) : std::string_view("{}"));
  p.wake();
  return p.keep(std::move(answer));
}

const char* page_commands() {
  PageLoop& p = PageLoop::get();
  rollscope::JsonWriter j;
  j.array();
  for (const rollscope::Command& c : rollscope::commands()) {
    const std::string_view title = p.ui->words(c.title);
    j.object().field("id", c.id).field("title", title).field("shortcut", c.shortcut).end();
  }
  return p.keep(j.end().text());
}

const char* page_state() { return PageLoop::get().keep(rollscope::state_to_json(PageLoop::get().app->state())); }

const char* page_set_state(const char* state) {
  PageLoop& p = PageLoop::get();
  std::vector<std::string> ignored;
  rollscope::AppState next = p.app->state();
  rollscope::state_from_json(view(state), next, ignored);
  p.app->set(next);
  p.wake();
  rollscope::JsonWriter j;
  j.object().field("ok", true).key("ignored").array();
  for (const std::string& name : ignored) j.value(std::string_view(name));
  return p.keep(j.end().end().text());
}

const char* page_stats() { return PageLoop::get().keep(PageLoop::get().stats()); }
int page_busy() { return PageLoop::get().busy() ? 1 : 0; }
const char* page_layout() { return PageLoop::get().keep(rollscope::ui::layout_json(*PageLoop::get().ui)); }

void page_context_lost() { PageLoop::get().context_lost(); }
void page_context_restored() { PageLoop::get().context_restored(); }
}
