#include <algorithm>
#include <cmath>

#include "app/session_state.h"
#include "base/text.h"
#include "io/bytes.h"

namespace rollscope {
namespace {

double matrix_bytes(const Stream& s) { return static_cast<double>(s.queries) * s.keys * static_cast<double>(sizeof(Real)); }

}  // namespace

bool keeps_heads(const Stream& s) { return s.heads > 1 && matrix_bytes(s) * s.heads * s.layers() <= static_cast<double>(kHeadsBytes); }

OpenPlan plan_of(const std::vector<Stream>& streams) {
  OpenPlan plan;
  double largest = 0;
  for (const Stream& s : streams) {
    const double heads = std::max(1, s.heads);
    plan.total += static_cast<double>(s.queries) * s.keys * heads * s.layers() * static_cast<double>(dtype_size(s.dtype));
    plan.kept += matrix_bytes(s) * s.layers() * (keeps_heads(s) ? 1 + heads : 1);
    largest = std::max(largest, matrix_bytes(s));
  }
  plan.needed = plan.kept + 2 * largest;
  return plan;
}

Result<void> check_memory(const std::vector<Stream>& streams, std::uint64_t limit) {
  const double needed = plan_of(streams).needed, allowed = static_cast<double>(limit);
  if (needed <= allowed) return {};
  const Stream& s = *std::max_element(streams.begin(), streams.end(),
                                      [](const Stream& a, const Stream& b) { return matrix_bytes(a) * a.layers() < matrix_bytes(b) * b.layers(); });
  std::string detail = formatted("%s has %d layers of %d x %d numbers, which stay in memory once heads are fused", s.name.c_str(), s.layers(), s.queries, s.keys);
  const double others = needed - matrix_bytes(s) * s.layers();
  const int layers = static_cast<int>(std::floor((allowed - others) / matrix_bytes(s)));
  const int tokens = static_cast<int>(std::floor(s.queries * std::sqrt(allowed / needed)));
  if (layers >= 1 && tokens >= 1) detail += formatted("; %d of the layers would fit, or %d of the tokens", layers, tokens);
  else if (tokens >= 1) detail += formatted("; %d of the tokens would fit", tokens);
  return fail(ErrorCode::too_big, {{"needed", human_bytes(needed)}, {"limit", human_bytes(allowed)}, {"detail", std::move(detail)}});
}

}  // namespace rollscope
