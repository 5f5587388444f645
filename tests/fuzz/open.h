// What every fuzz target does with bytes: open them as a dump and use what comes out. Without a fuzzer
// (-DROLLSCOPE_FUZZ_REPLAY) the same program runs the files that it is given.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "io/importer.h"

#ifdef ROLLSCOPE_FUZZ_REPLAY
#include <cstdio>
#include <fstream>
#include <iterator>
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
int main(int count, char** names) {
  for (int i = 1; i < count; ++i) {
    std::ifstream in(names[i], std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    std::printf("%s: passed\n", names[i]);
  }
}
#endif

namespace rollscope::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

inline void open_and_use(std::vector<std::uint8_t> bytes, const ImportOptions& wanted = {}) {
  ImportOptions options = wanted;
  options.memory_limit = 1 << 22;
  auto dump = open_dump(std::make_shared<MemorySource>(std::move(bytes)), "fuzz", options);
  if (!dump) {
    require(!error_text(dump.error()).empty() && utf8_valid(error_text(dump.error())));
    return;
  }
  require(!dump->info.streams.empty() && dump->stacks.size() == dump->info.streams.size());
  for (std::size_t i = 0; i < dump->stacks.size(); ++i) {
    const Stream& s = dump->info.streams[i];
    require(s.queries > 0 && s.keys > 0 && s.layers() > 0);
    require(s.query_tokens.size() == static_cast<std::size_t>(s.queries) && s.key_tokens.size() == static_cast<std::size_t>(s.keys));
    require(s.predicts.empty() || s.predicts.size() == s.query_tokens.size());
    if (static_cast<double>(s.queries) * s.keys * s.layers() > 1e6) continue;  // the session refuses what does not fit
    for (const Token& t : s.key_tokens) require(!t.label.empty() && utf8_valid(t.label) && utf8_valid(t.raw));
    std::vector<Real> numbers(static_cast<std::size_t>(s.queries) * static_cast<std::size_t>(s.keys));
    const MatrixView view{numbers.data(), s.queries, s.keys};
    for (const int layer : {0, s.layers() - 1, 0})
      for (const int head : {0, std::max(s.heads, 1) - 1}) (void)dump->stacks[i]->read_head(layer, head, view);
  }
  for (const ReportItem& item : dump->info.report) require(!report_text(item).empty());
  (void)refusal(dump->info);
}

}  // namespace rollscope::fuzz
