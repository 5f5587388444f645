#include "io/readers.h"

namespace rollscope {

Result<Container> read_kind(FileKind kind, const Source& source, const ImportOptions&) {
  if (kind == FileKind::npy) return read_npy_container(source);
  if (kind == FileKind::zip) return read_zip_container(source);
  return fail(ErrorCode::more_needed);
}

Result<Container> read_torch_zip(const Source&, const ZipDirectory&) { return fail(ErrorCode::more_needed); }

}  // namespace rollscope
