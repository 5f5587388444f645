// The switches of an import, from --assume and from the metadata.
#pragma once

#include <string>

#include "io/container.h"
#include "io/importer.h"

namespace rollscope {

struct Assumptions {
  std::string axes, orientation, values, layout, sums, tokens;  // "": not said
};

// Errors: bad_value (unknown name, or a value that the name does not take).
[[nodiscard]] Result<Assumptions> read_assumptions(const ImportOptions& options);

}  // namespace rollscope
