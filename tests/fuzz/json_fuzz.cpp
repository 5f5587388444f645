// JSON as a file.
#include "open.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes(data, data + size);
  if (size > 0 && data[0] != '{' && data[0] != '[') bytes.insert(bytes.begin(), '[');
  rollscope::fuzz::open_and_use(std::move(bytes));
  return 0;
}
