#include "app/session_state.h"

namespace rollscope {

bool has_all_methods() { return false; }
bool is_further(Method) { return false; }
Result<std::unique_ptr<Making>> make_further_result(MakingInputs) { return fail(ErrorCode::more_needed); }
std::unique_ptr<Work> make_flow_row_work(std::shared_ptr<OpenDump>, int, Recipe, int, std::shared_ptr<const FusedStack>,
                                         std::function<void(std::shared_ptr<const FlowRow>)>) {
  return nullptr;
}
Result<void> StackWork::add_further_head(int, int, bool, bool) { return fail(ErrorCode::more_needed); }
void StackWork::finish_further_layer(int) {}
void StackWork::mix_further_residual(int) {}

}  // namespace rollscope
