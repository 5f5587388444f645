#include "base/report.h"

#include <array>

namespace rollscope {
namespace {

struct Row {
  std::string_view name;
  Severity severity;
  std::string_view text, fix;
};

constexpr std::array kRows = {
#define ROLLSCOPE_REPORT(code, severity, text, fix) Row{#code, Severity::severity, text, fix},
#include "base/report_codes.inc"
#undef ROLLSCOPE_REPORT
};

const Row& row(ReportCode code) { return kRows[static_cast<std::size_t>(code)]; }

}  // namespace

ReportItem report_item(ReportCode code, Params params, std::string where, std::string assumption) {
  return {code, row(code).severity, std::move(params), std::move(where), std::move(assumption)};
}

std::string_view report_name(ReportCode code) { return row(code).name; }

std::string_view severity_name(Severity severity) {
  constexpr std::array<std::string_view, 3> names{"note", "warning", "error"};
  return names[static_cast<std::size_t>(severity)];
}

std::string report_text(const ReportItem& item) { return fill(row(item.code).text, item.params); }
std::string report_fix(const ReportItem& item) { return fill(row(item.code).fix, item.params); }

}  // namespace rollscope
