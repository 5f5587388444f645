// Dumps without files: numbers in memory as a StackSource, and as the bytes of an attn-dump in JSON.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "dump/dump.h"
#include "support/vectors.h"

namespace rollscope::test {

class MemoryStack final : public StackSource {
 public:
  // attn [L][H][Q][K]
  explicit MemoryStack(Numbers attn) : attn_(std::move(attn)) {}
  Result<void> read_head(int layer, int head, MatrixView out) override {
    const auto at = (static_cast<std::size_t>(layer) * attn_.size(1) + static_cast<std::size_t>(head)) * out.size();
    for (std::size_t i = 0; i < out.size(); ++i) out.data[i] = static_cast<Real>(attn_.values[at + i]);
    return {};
  }

 private:
  Numbers attn_;
};

inline std::string nested(const Numbers& numbers, std::size_t axis, std::size_t& at) {
  if (axis == numbers.shape.size()) {
    const double x = numbers.values[at++];
    return std::isnan(x) ? "NaN" : fmt::format("{:.17g}", x);
  }
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.shape[axis]; ++i) text += (i ? "," : "") + nested(numbers, axis + 1, at);
  return text + "]";
}

// An attn-dump v1 file in JSON; `more` holds further members, each with a comma before it.
inline std::shared_ptr<ByteSource> json_dump(const Numbers& attn, const std::vector<std::string>& tokens = {}, const std::string& more = {}) {
  std::size_t at = 0;
  std::string text = R"({"format": "attn-dump", "version": 1, "axes": "lhqk", "attentions": )" + nested(attn, 0, at);
  if (!tokens.empty()) {
    text += ", \"tokens\": [";
    for (std::size_t i = 0; i < tokens.size(); ++i) text += (i ? ", \"" : "\"") + tokens[i] + "\"";
    text += "]";
  }
  text += more + "}";
  return std::make_shared<MemorySource>(std::vector<std::uint8_t>(text.begin(), text.end()));
}

}  // namespace rollscope::test
