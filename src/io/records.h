// Files of several dumps in a row, [{"tokens": .., "attentions": ..}, ..], and things given beside a dump.
#pragma once

#include "io/container.h"
#include "io/importer.h"

namespace rollscope {

// Where names say that the file holds records ("sentences.3.tokens" beside "sentences.3.attentions"; "2.attentions.0",
// all layers in each; "2.0", one square stack of its own size for each text), keeps record `item`, its names without
// what tells it from the others. Returns how many there are, 0: the file is one dump. Errors: out_of_range.
[[nodiscard]] Result<int> select_record(Container& container, int item);

// Lets what was given beside the dump take the place of what the dump says: a JSON object is metadata, a JSON list or
// lines of text are tokens. Errors: bad_value, for a text that is neither.
[[nodiscard]] Result<void> add_beside(Container& container, const std::vector<ImportOptions::Beside>& beside);

}  // namespace rollscope
