#include "io/readers.h"

namespace rollscope {

Result<Container> read_kind(FileKind kind, const Source& source, const ImportOptions& options) {
  switch (kind) {
    case FileKind::npy: return read_npy_container(source);
    case FileKind::zip: return read_zip_container(source);
    case FileKind::safetensors: return read_safetensors_container(source);
    case FileKind::json: return read_json_container(source, options.memory_limit, options.item);
    case FileKind::torch_legacy: return read_torch_legacy_container(source);
    case FileKind::pickle: return read_pickle_container(source);
    case FileKind::html: return read_html_container(source, options.memory_limit);
    case FileKind::table: return read_table_container(source);
    case FileKind::link: return read_link_container(source);
    case FileKind::foreign: break;
  }
  return fail(ErrorCode::unknown_format);
}

Result<Container> read_torch_zip(const Source& source, const ZipDirectory& directory) { return read_torch_container(source, directory); }

}  // namespace rollscope
