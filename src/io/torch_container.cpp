// What torch.save writes, as a container.
#include "io/container.h"
#include "io/zip.h"

namespace rollscope {

Result<Container> read_torch_container(const Source&, const ZipDirectory&) {
  return fail(ErrorCode::unknown_format, {{"detail", "it is a PyTorch file (torch.save), which is not read yet"}});
}

Result<Container> read_torch_legacy_container(const Source&) {
  return fail(ErrorCode::unknown_format, {{"detail", "it is a PyTorch file (torch.save), which is not read yet"}});
}

Result<Container> read_pickle_container(const Source&) {
  return fail(ErrorCode::unknown_format, {{"detail", "it is a Python pickle, which is not read yet"}});
}

}  // namespace rollscope
