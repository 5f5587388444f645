// The table of heads as JSON: the verb's answer, and that of the command line over several dumps. Private to src/app.
#pragma once

#include <string>

#include "analysis/head_table.h"
#include "base/report.h"

namespace rollscope {

// `report`: of the dumps.
[[nodiscard]] std::string heads_json(const HeadTable& table, double height, const Report& report);

}  // namespace rollscope
