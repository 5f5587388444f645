// The engine's entry points: what the worker's JavaScript (web/engine-worker.js), or the page itself where no worker
// starts, calls. A thin C skin over Session (app/session.h). Returned text and bytes are valid until the job is
// dropped; rs_error() until the next call.
#pragma once

#include <cstdint>

extern "C" {

// Opens source number `source` of `size` bytes; its bytes are asked for through the JavaScript function
// Module.readSource(source, offset, pointer, length), which returns 1, or 0 when the read failed.
// args: JSON as Session::open. Returns a job number, or -1: see rs_error().
int rs_open(int source, double size, const char* args);
int rs_ask(const char* verb, const char* args);
// Works for about `budget_ms`. 0: more to do; 1: finished; -1: failed, see rs_error().
// Returns at once when the plan is known (progress "total" is no longer 0), so that it can be told before the work.
int rs_step(int job, double budget_ms);
const char* rs_progress(int job);     // {"fraction", "bytes", "total", "layer", "layers", "kept"}
const char* rs_partial(int job);      // Job::partial(), "" while there is nothing new
const char* rs_result_json(int job);  // "" where the verb has none
const std::uint8_t* rs_result_blob(int job);
double rs_result_blob_size(int job);
void rs_drop(int job);  // frees it; before it finished: cancels it
const char* rs_error(); // {"code", "text", "fix", "params", "exit"}
double rs_heap();       // bytes of this module's memory, which never shrinks,
double rs_used();       // and how many of them are in use

}
