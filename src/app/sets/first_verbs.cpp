#include "app/verbs.h"

namespace rollscope {

Result<std::unique_ptr<Job>> make_further_verb_job(std::shared_ptr<OpenDump>, const std::string&, const Args&) { return fail(ErrorCode::more_needed); }

}  // namespace rollscope
