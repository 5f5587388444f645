// Any bytes as a file. The first two choose switches, the rest is the file.
#include "open.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rollscope::ImportOptions options;
  if (size > 2 && data[0] == '?') {  // files start with something else, so seeds are plain files
    const int bits = data[1];
    if (bits & 1) options.assume["orientation"] = "columns";
    if (bits & 2) options.assume["values"] = "logits";
    if (bits & 4) options.assume["layout"] = "heads";
    if (bits & 8) options.assume["sums"] = "sink";
    if (bits & 16) options.assume["tokens"] = "add_specials";
    if (bits & 32) options.assume["axes"] = "hlkq";
    options.item = bits >> 6;
    data += 2;
    size -= 2;
  }
  rollscope::fuzz::open_and_use({data, data + size}, options);
  return 0;
}
