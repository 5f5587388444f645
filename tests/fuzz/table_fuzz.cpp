// A table in text, or an array as Python prints it: read as such, whatever it starts with.
#include "io/container.h"
#include "open.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> bytes(data, data + size);
  auto table = rollscope::read_table_container(std::make_shared<rollscope::MemorySource>(bytes));
  if (!table) rollscope::fuzz::require(rollscope::utf8_valid(error_text(table.error())));
  else
    for (const auto& array : table->arrays) (void)rollscope::read_numbers(array);
  rollscope::fuzz::open_and_use(bytes);
  return 0;
}
