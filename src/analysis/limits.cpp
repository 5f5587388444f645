#include "analysis/limits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "analysis/measures.h"
#include "analysis/recipe_text.h"
#include "base/text.h"
#include "base/utf8.h"
#include "methods/rollout.h"

namespace rollscope {
namespace {

constexpr double kSinkShare = 0.15, kSinkTimesChance = 3;
constexpr double kNearlyUniform = 0.9;
constexpr double kAbsorbing = 1.0 / 3;
constexpr double kSaturated = 0.9, kNarrow = 0.1;
constexpr int kFrom = 25, kTo = 90, kStep = 5;  // residual weights tried, in hundredths

struct Range {
  char32_t first, last;
};
// Punctuation and symbols beyond ASCII, by block: what tokenizers make tokens of their own.
constexpr std::array kPunctuation{
    Range{0x21, 0x2f},     Range{0x3a, 0x40},     Range{0x5b, 0x60},     Range{0x7b, 0x7e},     Range{0xa1, 0xa9},
    Range{0xab, 0xb1},     Range{0xb4, 0xb8},     Range{0xbb, 0xbb},     Range{0xbf, 0xbf},     Range{0x55a, 0x55f},
    Range{0x589, 0x58a},   Range{0x5be, 0x5be},   Range{0x5c0, 0x5c0},   Range{0x5c3, 0x5c3},   Range{0x60c, 0x60d},
    Range{0x61b, 0x61b},   Range{0x61f, 0x61f},   Range{0x6d4, 0x6d4},   Range{0x964, 0x965},   Range{0x1361, 0x1368},
    Range{0x2010, 0x2027}, Range{0x2030, 0x205e}, Range{0x21e5, 0x21e5}, Range{0x23ce, 0x23ce}, Range{0x2423, 0x2423},
    Range{0x3001, 0x3003}, Range{0x3008, 0x3011}, Range{0x3014, 0x301f}, Range{0x30fb, 0x30fb}, Range{0xff01, 0xff0f},
    Range{0xff1a, 0xff20}, Range{0xff3b, 0xff40}, Range{0xff5b, 0xff65}};

bool in_ranges(char32_t c) {
  return std::any_of(kPunctuation.begin(), kPunctuation.end(), [c](Range r) { return c >= r.first && c <= r.last; });
}

std::string percent(double share) { return share < 0.01 ? formatted("%.1f", share * 100) : formatted("%.0f", share * 100); }

const std::string& label(const Stream& stream, int key) {
  static const std::string none;
  const auto k = static_cast<std::size_t>(key);
  return k < stream.key_tokens.size() ? stream.key_tokens[k].label : none;
}

bool special(const Stream& stream, int key) {
  const auto k = static_cast<std::size_t>(key);
  return k < stream.key_tokens.size() && stream.key_tokens[k].special;
}

// A value shorter than half the mean: what the key is read for hardly changes anything.
bool short_value(const Stream& stream, int key) {
  const auto& norms = stream.value_norms;
  if (static_cast<std::size_t>(key) >= norms.size()) return false;
  const double mean = std::accumulate(norms.begin(), norms.end(), 0.0) / static_cast<double>(norms.size());
  return static_cast<double>(norms[static_cast<std::size_t>(key)]) < mean / 2;
}

}  // namespace

bool is_punctuation(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto [c, bytes, valid] = utf8_decode(text, at);
    at += bytes;
    if (!valid || !in_ranges(c)) return false;
  }
  return !text.empty();
}

StrongKeys strong_keys(const Stream& stream, const Recipe& recipe, const StackStats& stats) {
  std::vector<int> seen;
  const int heads = std::max(1, stream.heads);
  for (int l = recipe.first_layer; l < recipe.end_layer; ++l)
    for (const int h : recipe.head >= 0 && l + 1 == recipe.end_layer ? std::vector<int>{recipe.head} : recipe_heads(stream, recipe)) seen.push_back(l * heads + h);
  auto received = received_attention(stats, stream.queries, stream.keys, same_tokens(stream), stream.causal, seen);
  StrongKeys out{{}, {}, std::move(received.share), std::move(received.chance)};
  for (int j = 0; j < real_keys(stream); ++j) {
    const double share = out.share[static_cast<std::size_t>(j)];
    if (share < kSinkShare || share < kSinkTimesChance * out.chance[static_cast<std::size_t>(j)]) continue;
    const bool can_be_sink = j == 0 || special(stream, j) || is_punctuation(label(stream, j)) || short_value(stream, j);
    if (can_be_sink) out.sinks.push_back(j);
    else if (stream.kind != StreamKind::contributions) out.dominant.push_back(j);  // of a result it is what was found
  }
  const auto stronger = [&](int a, int b) { return out.share[static_cast<std::size_t>(a)] > out.share[static_cast<std::size_t>(b)]; };
  std::stable_sort(out.sinks.begin(), out.sinks.end(), stronger);
  std::stable_sort(out.dominant.begin(), out.dominant.end(), stronger);
  if (stream.virtual_sink) out.sinks.push_back(stream.keys - 1);
  return out;
}

std::vector<double> residual_steps() {
  std::vector<double> steps;
  for (int r = kFrom; r <= kTo; r += kStep) steps.push_back(r / 100.0);
  return steps;
}

ResidualRange residual_range(StackView fused, int query, int first) {
  RolloutSweep sweep(fused, query, residual_steps());
  while (!sweep.step()) {}
  return residual_range(fused, query, first, sweep);
}

ResidualRange residual_range(StackView fused, int query, int first, const RolloutSweep& sweep) {
  ResidualRange out;
  const auto n = static_cast<std::size_t>(fused[0].rows);
  out.residuals = sweep.residuals();
  out.rows = sweep.rows();
  const auto first_at = [&](const std::vector<double>& rows, std::size_t k) { return largest(std::span(rows).subspan(k * n, n)); };

  out.low.assign(n, INFINITY);
  out.high.assign(n, 0.0);
  std::size_t from = out.residuals.size();  // the token itself comes first from this one on
  for (std::size_t k = 0; k < out.residuals.size(); ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      out.low[j] = std::min(out.low[j], out.rows[k * n + j]);
      out.high[j] = std::max(out.high[j], out.rows[k * n + j]);
    }
    const int key = first_at(out.rows, k);
    if (key != first) out.first_changes = true;
    if (key != first && key != query) out.first_other = key;
    if (key != query) from = out.residuals.size();
    else if (from == out.residuals.size()) from = k;
  }
  if (from == 0 || from == out.residuals.size()) return out;
  // Between two steps of the sweep: to the hundredth.
  std::vector<double> between;
  const int end = kFrom + static_cast<int>(from) * kStep;
  for (int r = end - kStep + 1; r < end; ++r) between.push_back(r / 100.0);
  RolloutSweep finer(fused, query, between);
  while (!finer.step()) {}
  out.itself_from = end / 100.0;
  for (std::size_t k = between.size(); k-- > 0 && first_at(finer.rows(), k) == query;) out.itself_from = between[k];
  return out;
}

Report recipe_limits(const Stream& stream, const Recipe& recipe, const StrongKeys& keys, double distance) {
  Report report;
  const auto strong = [&](ReportCode code, int key) {
    const auto k = static_cast<std::size_t>(key);
    report.push_back(report_item(code, {{"token", label(stream, key)}, {"key", std::to_string(key)},
                                        {"share", percent(keys.share[k])}, {"chance", percent(keys.chance[k])}}, stream.name));
  };
  for (const int key : keys.sinks)
    if (key < real_keys(stream)) strong(ReportCode::sink, key);
  for (const int key : keys.dominant) strong(ReportCode::dominant_token, key);
  if (distance >= 0 && distance <= kRowsSimilar) {
    const bool collapsed = distance <= kRowsCollapsed && recipe.method == Method::rollout;
    report.push_back(report_item(collapsed ? ReportCode::rollout_collapsed : ReportCode::rows_similar,
                                 {{"distance", distance < 0.01 ? formatted("%.3f", distance) : formatted("%.2f", distance)}}, stream.name));
  }
  if (recipe.method == Method::joint) {
    const double share = 1 - std::pow(recipe.residual, recipe.end_layer - recipe.first_layer);
    report.push_back(report_item(ReportCode::fixed_source_share, {{"share", percent(share)}, {"residual", residual_text(recipe)},
                                                                  {"layers", std::to_string(recipe.end_layer - recipe.first_layer)}}, stream.name));
  }
  return report;
}

Report gradient_limits(const Stream& stream, const GradientStats& gradients) {
  Report report;
  if (gradients.bad_gradients > 0)
    report.push_back(report_item(ReportCode::bad_gradients, {{"count", std::to_string(gradients.bad_gradients)}, {"total", std::to_string(gradients.values)}}, stream.name));
  if (gradients.positive == 0 && gradients.values > 0) report.push_back(report_item(ReportCode::no_positive_gradient, {}, stream.name));
  return report;
}

bool has_residual_range(const Recipe& recipe) {
  return recipe.method == Method::rollout && recipe.residual_from == ResidualFrom::stated && recipe.residuals.empty() &&
         recipe.merge == Merge::pieces && (recipe.sink == SinkMode::keep || recipe.sink == SinkMode::remove);
}

WordsAboveChance words_above_chance(const Stream& stream, std::span<const double> row, std::span<const double> uniform) {
  WordsAboveChance out;
  for (int j = 0; j < real_keys(stream); ++j) {
    const auto k = static_cast<std::size_t>(j);
    if (special(stream, j) || !(uniform[k] > 0)) continue;  // what the row cannot see is no word of it
    ++out.words;
    out.above += row[k] > uniform[k] + 1e-9;
  }
  return out;
}

Report row_limits(const RowFacts& facts) {
  Report report;
  const Stream& stream = *facts.stream;
  const bool rollout = facts.recipe->method == Method::rollout;
  if (facts.visible < 2 || facts.query >= real_queries(stream)) return report;  // one key has all, whatever the weights
  if (facts.flow && facts.flow->connected > 2) {
    const FlowFacts& flow = *facts.flow;
    const bool full = flow.connected_saturation() >= kSaturated, narrow = flow.highest - flow.lowest < kNarrow;
    if (full || narrow)
      report.push_back(report_item(ReportCode::flow_saturated,
                                   {{"kind", full ? "end" : "narrow"}, {"share", percent(flow.connected_saturation())}, {"low", formatted("%.2f", flow.lowest)},
                                    {"high", formatted("%.2f", flow.highest)},
                                    {"detail", full ? formatted("%s %% of its pairs are limited by the first or the last layer alone", percent(flow.connected_saturation()).c_str())
                                                    : formatted("all inputs but one lie between %.2f and %.2f", flow.lowest, flow.highest)}}, stream.name));
  }
  const bool shares = has_unit_rows(*facts.recipe) && facts.recipe->sink != SinkMode::lift && !facts.flow;
  if (!shares) return report;
  if (stream.causal && rollout && !facts.uniform.empty() && facts.uniform[0] > kAbsorbing)
    report.push_back(report_item(ReportCode::absorbing_first_token, {{"share", percent(facts.uniform[0])}}, stream.name));
  if (facts.spread >= kNearlyUniform * facts.visible)
    report.push_back(report_item(ReportCode::nearly_uniform, {{"spread", formatted("%.1f", facts.spread)},
                                                              {"visible", std::to_string(facts.visible)}}, stream.name));
  if (!facts.uniform.empty() && words_above_chance(stream, facts.row, facts.uniform).above == 0) report.push_back(report_item(ReportCode::below_uniform, {}, stream.name));
  if (!facts.range) return report;

  const ResidualRange& range = *facts.range;
  const int first = largest(facts.row);
  if (first < 0) return report;
  const bool halves = range.low[static_cast<std::size_t>(first)] <= 0.5 * facts.row[static_cast<std::size_t>(first)];
  const auto low = formatted("%.1f", 100 * static_cast<double>(range.low[static_cast<std::size_t>(first)]));
  std::string detail, kind;
  if (range.itself_from >= 0 && first != facts.query) {
    kind = "itself";
    detail = formatted("from %.2f on the token itself comes first", range.itself_from);
  } else if (range.first_other >= 0) {
    kind = "other";
    detail = "\"" + label(stream, range.first_other) + "\" comes first at some weights between 0.25 and 0.9";
  } else if (range.first_changes) {
    kind = "first";
    detail = "another token comes first at some weights between 0.25 and 0.9";
  } else if (halves) {
    kind = "halves";
    detail = "the weight of \"" + label(stream, first) + "\" falls to " + low + " % between 0.25 and 0.9";
  }
  if (!kind.empty())
    report.push_back(report_item(ReportCode::residual_sensitive,
                                 {{"detail", detail}, {"kind", kind}, {"key", std::to_string(first)},
                                  {"other", std::to_string(range.first_other)}, {"low", low},
                                  {"token", label(stream, kind == "other" ? range.first_other : first)},
                                  {"residual", range.itself_from < 0 ? "" : formatted("%.2f", range.itself_from)}}, stream.name));
  return report;
}

}  // namespace rollscope
