#include "app/verbs_link.h"

namespace rollscope {

Result<std::unique_ptr<Job>> make_further_verb_job(std::shared_ptr<OpenDump> open, const std::string& verb, const Args& args) {
  if (verb == "unlink") return make_unlink_job(args);
  if (!open) return fail(ErrorCode::no_dump);
  if (verb == "explain") return make_explain_job(std::move(open), args);
  if (verb == "wall") return make_wall_job(std::move(open), args);
  if (verb == "layers") return make_layers_job(std::move(open), args);
  if (verb == "lines") return make_lines_job(std::move(open), args);
  if (verb == "edge") return make_edge_job(std::move(open), args);
  if (verb == "cut") return make_cut_job(std::move(open), args);
  if (verb == "beside") return make_beside_job(std::move(open), args);
  if (verb == "heads") return make_heads_job(std::move(open), args);
  if (verb == "depth") return make_depth_job(std::move(open), args);
  if (verb == "compare") return make_compare_job(std::move(open), args);
  if (verb == "plan") return make_plan_job(std::move(open), args);
  if (verb == "link") return make_link_job(std::move(open), args);
  if (verb == "state") return make_state_job(std::move(open), args);
  if (verb == "figure") return make_figure_job(std::move(open), args);
  if (verb == "audit") return make_audit_job(std::move(open), args);
  return fail(ErrorCode::usage, {{"detail", "There is no verb " + verb}});
}

}  // namespace rollscope
