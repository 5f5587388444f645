// A zip archive: directory, members, packing. Bytes that are no archive get a local header's magic.
#include "open.h"

#include <algorithm>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes(data, data + size);
  if (size >= 4) std::copy_n("PK\x03\x04", 4, bytes.begin());
  rollscope::fuzz::open_and_use(std::move(bytes));
  return 0;
}
