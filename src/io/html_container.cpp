// The page that BertViz writes, as a container.
#include "io/container.h"

namespace rollscope {

Result<Container> read_html_container(const Source&, std::uint64_t) {
  return fail(ErrorCode::unknown_format, {{"detail", "it is an HTML page; a BertViz page is not read yet, save out.attentions instead"}});
}

}  // namespace rollscope
