// Pickles and torch files: instructions, the tables of constructors, the walk. Bytes without a magic are read as a
// pickle all the same.
#include "io/container.h"
#include "open.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rollscope::fuzz::open_and_use({data, data + size});
  const auto source = std::make_shared<rollscope::MemorySource>(std::vector<std::uint8_t>(data, data + size));
  if (auto container = rollscope::read_pickle_container(source))
    for (const auto& a : container->arrays)
      if (a.elements <= 1 << 20 && a.span() <= 1 << 20) (void)rollscope::read_numbers(a);
  return 0;
}
