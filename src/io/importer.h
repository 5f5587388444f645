// From bytes to a dump: finds the container, the arrays in it, what each axis means, the tokens, and says in a
// report what was found and what was assumed. Shapes and names: attn-dump v1 (contracts), and what people really
// have (src/io/shapes.h). Reads headers and a bounded sample of the numbers, never the whole file; what only all
// numbers can tell (rows off 1, NaN rows, causal) is found while loading (app/session.h).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "dump/dump.h"

namespace rollscope {

struct ImportOptions {
  // --assume switches: axes=lhqk, orientation=rows|columns, values=probs|logits, layout=layers|heads,
  // sums=renormalise|sink, tokens=add_specials|ignore. Unknown names or values: ErrorCode::bad_value.
  std::map<std::string, std::string, std::less<>> assume;
  int item = 0;  // of a batch
  // What was given beside the dump: a list of tokens (one a line, or JSON), metadata (JSON). It goes before what the
  // dump itself says.
  struct Beside {
    std::string name;  // "tokens.txt"
    std::string text;
  };
  std::vector<Beside> beside;
  std::uint64_t memory_limit = std::uint64_t{1} << 31;  // bytes that the numbers of a JSON dump may take; past it: too_big
};

// Opens a dump. `name` is for messages; the content decides the format.
// The dump keeps `source` for reading heads later.
// A transposed or logit dump that was not assumed opens with an item of severity error in its report:
// `info` may describe it, everything else refuses it with refusal().
// Errors: every input error of error_codes.inc but cancelled.
// Cost: headers, JSON text once (JSON numbers are kept, as Real), and at most 16 MB of numbers.
[[nodiscard]] Result<Dump> open_dump(std::shared_ptr<ByteSource> source, std::string name, const ImportOptions& options);

// The error that a dump with a report item of severity error stands for; nothing for a good dump.
[[nodiscard]] Result<void> refusal(const DumpInfo& info);

}  // namespace rollscope
