// Pieces of a tokenizer, one a line.
#include "dump/tokens.h"
#include "open.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> pieces(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n') pieces.emplace_back();
    else pieces.back() += static_cast<char>(data[i]);
  }
  const auto tokens = rollscope::make_tokens(pieces);
  rollscope::fuzz::require(tokens.size() == pieces.size());
  for (const auto& t : tokens) rollscope::fuzz::require(!t.label.empty() && rollscope::utf8_valid(t.label) && rollscope::utf8_valid(t.raw));
  return 0;
}
