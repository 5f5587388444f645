// A page of BertViz, a notebook, or any other page. Input that does not look like one gets the start of a script.
#include "open.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes;
  constexpr std::string_view kStart = "<script>const params = {\"attention\": ";
  if (size > 0 && data[0] != '<' && data[0] != '{') bytes.assign(kStart.begin(), kStart.end());
  bytes.insert(bytes.end(), data, data + size);
  rollscope::fuzz::open_and_use(std::move(bytes));
  return 0;
}
