// Module engine.wasm: Session behind C functions (app/engine.h). One session, many jobs.
#include <emscripten/emscripten.h>
#include <emscripten/heap.h>
#include <malloc.h>

#include <map>
#include <memory>
#include <string>

#include "app/engine.h"
#include "app/session.h"
#include "app/verbs_error.h"
#include "platform/engine_source.h"

namespace {

using namespace rollscope;

struct Running {
  std::unique_ptr<Job> job;
  JobResult result;
  std::string progress, partial;
  bool planned = false;
};

// What the caches of a session (session_state.h) and everything small may take beside the dump.
constexpr std::uint64_t kReserve = std::uint64_t{128} << 20;

Session& session() {
  static Session instance(emscripten_get_heap_max() - kReserve);
  return instance;
}
std::map<int, Running>& jobs() {
  static std::map<int, Running> instance;
  return instance;
}
std::string& last_error() {
  static std::string instance = "{}";
  return instance;
}

int begin(Result<std::unique_ptr<Job>> job) {
  static int next = 1;
  if (!job) {
    last_error() = error_json(job.error());
    return -1;
  }
  jobs()[next].job = std::move(*job);
  return next++;
}

Running* find(int job) {
  const auto it = jobs().find(job);
  return it == jobs().end() ? nullptr : &it->second;
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE int rs_open(int source, double size, const char* args) {
  return begin(session().open(engine_source(source, static_cast<std::uint64_t>(size)), args));
}

EMSCRIPTEN_KEEPALIVE int rs_ask(const char* verb, const char* args) { return begin(session().ask(verb, args)); }

EMSCRIPTEN_KEEPALIVE int rs_step(int job, double budget_ms) {
  Running* running = find(job);
  if (!running || !running->job) {
    last_error() = error_json({ErrorCode::usage, {{"detail", "There is no such job"}}});
    return -1;
  }
  const double until = emscripten_get_now() + budget_ms;
  do {
    auto done = running->job->step();
    if (!done) {
      last_error() = error_json(done.error());
      return -1;
    }
    if (*done) {
      running->result = running->job->result();
      running->job.reset();
      return 1;
    }
    if (!running->planned && running->job->progress().total > 0) {
      running->planned = true;
      return 0;
    }
  } while (emscripten_get_now() < until);
  return 0;
}

EMSCRIPTEN_KEEPALIVE const char* rs_progress(int job) {
  Running* running = find(job);
  if (!running || !running->job) return "{\"fraction\":1,\"bytes\":0,\"total\":0,\"layer\":0,\"layers\":0,\"kept\":0}";
  running->progress = progress_json(running->job->progress());
  return running->progress.c_str();
}

EMSCRIPTEN_KEEPALIVE const char* rs_partial(int job) {
  Running* running = find(job);
  if (!running || !running->job) return "";
  running->partial = running->job->partial();
  return running->partial.c_str();
}

EMSCRIPTEN_KEEPALIVE const char* rs_result_json(int job) {
  const Running* running = find(job);
  return running ? running->result.json.c_str() : "";
}

EMSCRIPTEN_KEEPALIVE const std::uint8_t* rs_result_blob(int job) {
  const Running* running = find(job);
  return running ? running->result.blob.data() : nullptr;
}

EMSCRIPTEN_KEEPALIVE double rs_result_blob_size(int job) {
  const Running* running = find(job);
  return running ? static_cast<double>(running->result.blob.size()) : 0;
}

EMSCRIPTEN_KEEPALIVE void rs_drop(int job) { jobs().erase(job); }
EMSCRIPTEN_KEEPALIVE const char* rs_error() { return last_error().c_str(); }
EMSCRIPTEN_KEEPALIVE double rs_heap() { return static_cast<double>(__builtin_wasm_memory_size(0)) * 65536.0; }
EMSCRIPTEN_KEEPALIVE double rs_used() { return static_cast<double>(mallinfo().uordblks); }

}  // extern "C"
