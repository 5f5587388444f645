#include "app/session.h"

#include <utility>

#include "app/session_state.h"
#include "app/verbs.h"

namespace rollscope {

Session::Session(std::uint64_t memory_limit) : state_(std::make_shared<State>()) { state_->memory_limit = memory_limit; }
Session::~Session() = default;

Result<std::unique_ptr<Job>> Session::open(std::shared_ptr<ByteSource> source, const std::string& args) {
  return make_open_job(state_, std::move(source), args);
}

Result<std::unique_ptr<Job>> Session::ask(const std::string& verb, const std::string& args) {
  if (!state_->open && verb != "unlink") return fail(ErrorCode::no_dump);  // a link is read before anything is open
  return make_verb_job(state_->open, verb, args);
}

bool Session::has_dump() const { return state_->open != nullptr; }

Result<JobResult> finish(Job& job) {
  for (;;) {
    auto done = job.step();
    if (!done) return tl::unexpected(std::move(done.error()));
    if (*done) return job.result();
  }
}

}  // namespace rollscope
