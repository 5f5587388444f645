// A table in text, as a container.
#include "io/container.h"

namespace rollscope {

Result<Container> read_table_container(const Source&) {
  return fail(ErrorCode::unknown_format, {{"detail", "it is a table in text (CSV), which is not read yet"}});
}

}  // namespace rollscope
