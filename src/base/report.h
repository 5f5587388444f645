// A remark about a dump or a result, one row each in report_codes.inc: code, severity, text, what to do.
//
// An import always ends in a list of these: what was found, what was assumed and which switch changes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rollscope {

enum class Severity { note, warning, error };

enum class ReportCode {
#define ROLLSCOPE_REPORT(code, severity, text, fix) code,
#include "base/report_codes.inc"
#undef ROLLSCOPE_REPORT
};

struct ReportItem {
  ReportCode code;
  Severity severity;
  Params params;           // values for the {placeholders} of the row
  std::string where;       // stream, layer or member concerned; may be empty
  std::string assumption;  // the --assume switch that changes it, "layout=heads"; may be empty
};

using Report = std::vector<ReportItem>;

// An item with the row's own severity.
[[nodiscard]] ReportItem report_item(ReportCode code, Params params = {}, std::string where = {}, std::string assumption = {});
[[nodiscard]] std::string_view report_name(ReportCode code);
[[nodiscard]] std::string_view severity_name(Severity severity);
[[nodiscard]] std::string report_text(const ReportItem& item);
[[nodiscard]] std::string report_fix(const ReportItem& item);  // may be empty

}  // namespace rollscope
