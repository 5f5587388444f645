// The JSON header of a .safetensors, its length made to fit; then 64 bytes of numbers.
#include "open.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size >= 9 && data[8] == '{') {  // a whole file as seed
    rollscope::fuzz::open_and_use({data, data + size});
    return 0;
  }
  std::vector<std::uint8_t> bytes(8);
  bytes.push_back('{');
  bytes.insert(bytes.end(), data, data + size);
  for (int i = 0; i < 8; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>((size + 1) >> (8 * i));
  bytes.resize(bytes.size() + 64, 0x3e);
  rollscope::fuzz::open_and_use(std::move(bytes));
  return 0;
}
