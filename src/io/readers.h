// The readers of containers, by kind. There are two sets of them, and a program links one: all of them
// (sets/all_readers.cpp), or those of the gallery's files (sets/first_readers.cpp), for the small engine that a first
// visit loads. What the small set lacks fails with more_needed, and the page takes the whole engine.
#pragma once

#include "io/container.h"
#include "io/importer.h"
#include "io/sniff.h"

namespace rollscope {

// Errors: those of the reader; more_needed. Precondition: kind is not foreign.
[[nodiscard]] Result<Container> read_kind(FileKind kind, const Source& source, const ImportOptions& options);
// An archive that torch.save wrote.
[[nodiscard]] Result<Container> read_torch_zip(const Source& source, const struct ZipDirectory& directory);

}  // namespace rollscope
