// A share link as text, and a file that holds one. The first byte chooses: text as it stands, or bytes behind a checksum
// that fits, so that the fuzzer reaches what is behind it.
#include "io/link.h"
#include "io/link_text.h"
#include "open.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rollscope;
  if (size == 0) return 0;
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  const std::string text = data[0] % 2 ? "#a" + pack_field(rest) : std::string(rest.begin(), rest.end());
  const LinkFields fields = split_link(text);
  LinkData saved;
  const auto link = decode_link_data(fields.data, &saved);
  if (!link) fuzz::require(!error_text(link.error()).empty() && saved.weights.empty());
  else fuzz::require(link->weights.size() == static_cast<std::size_t>(link->matrices()) * static_cast<std::size_t>(link->rows()) * static_cast<std::size_t>(link->columns()));
  (void)decode_link_state(fields.state);
  if (looks_like_link(text)) fuzz::open_and_use({text.begin(), text.end()});
  return 0;
}
