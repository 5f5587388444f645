#include "io/padding.h"

#include <algorithm>
#include <cmath>

#include "io/names.h"

namespace rollscope {
namespace {

std::vector<int> indices(int begin, int end) {
  std::vector<int> out;
  for (int i = begin; i < end; ++i) out.push_back(i);
  return out;
}

}  // namespace

Result<std::vector<int>> kept_by_mask(const Container& container, Names mask_names, int total, int item, bool grown) {
  auto list = find_numbers(container, mask_names);
  if (!list) return tl::unexpected(list.error());
  std::vector<int> kept;
  if (!*list) return kept;
  const auto values = numbers_of_item(**list, item);
  if (!values || values->empty() || values->size() > static_cast<std::size_t>(total)) return kept;
  // A mask of the prompt alone, its padding at the left: what generate() added is no padding.
  const bool prompt = values->size() < static_cast<std::size_t>(total);
  if (prompt && !grown) return kept;
  const bool inverted = normal_name((*list)->name).find("pad") != std::string::npos;
  bool additive = false;  // 0 keeps, a large negative number hides
  for (const double x : *values) additive = additive || x < 0;
  for (int i = 0; i < total; ++i) {
    if (static_cast<std::size_t>(i) >= values->size()) {
      kept.push_back(i);
      continue;
    }
    const double x = (*values)[static_cast<std::size_t>(i)];
    if (additive ? x == 0 : (x != 0) != inverted) kept.push_back(i);
  }
  if (kept.size() == static_cast<std::size_t>(total)) kept.clear();
  return kept;
}

Result<std::vector<int>> kept_by_sample(const TokenContext& context, TokenSide side, int total, const Sample& sample) {
  std::vector<int> none;
  if (sample.column_used.size() != static_cast<std::size_t>(total)) return none;
  auto lists = token_lists(context, side);
  if (!lists) return tl::unexpected(lists.error());
  for (const auto& list : *lists) {
    if (list.loose || list.texts.empty()) continue;
    int begin = 0, end = static_cast<int>(std::min<std::size_t>(list.texts.size(), static_cast<std::size_t>(total)));
    if (list.texts.size() == static_cast<std::size_t>(total)) {
      while (begin < end && is_padding_piece(list.texts[static_cast<std::size_t>(begin)])) ++begin;
      while (end > begin && is_padding_piece(list.texts[static_cast<std::size_t>(end - 1)])) --end;
    }
    if (begin == 0 && end == total) return none;
    if (begin == end || list.texts.size() > static_cast<std::size_t>(total)) continue;
    bool unread = true;
    for (int j = 0; j < total; ++j)
      if (j < begin || j >= end) {
        const auto column = static_cast<std::size_t>(j);
        // Some frameworks let padding read padding (uniform rows); no token does. Below a mask that proves nothing.
        const bool by_padding = !sample.causal && sample.whole &&
                                (j < begin ? sample.last_reader[column] < begin : sample.first_reader[column] >= end);
        if (sample.column_used[column] && !by_padding) unread = false;
      }
    if (unread) return indices(begin, end);
  }
  return none;
}

std::vector<int> kept_by_numbers(const StackPlan& plan, const Sample& sample) {
  const auto& used = sample.column_used;
  if (!sample.whole) return {};
  if (sample.heads < 4 || sample.rows < 8 || used.size() != static_cast<std::size_t>(plan.keys)) return {};
  int begin = 0, end = plan.keys;
  const bool dense = sample.zero_share <= 0.05;
  while (dense && begin < end && !used[static_cast<std::size_t>(begin)]) ++begin;
  while (dense && end > begin && !used[static_cast<std::size_t>(end - 1)]) --end;
  // Rows of padding under a causal mask are even over all keys, also those after them, and only such rows read padding.
  if (plan.queries == plan.keys && !sample.causal) {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    int left = begin, right = end;
    while (left < end && sample.row_even[at(left)]) ++left;
    while (right > left && sample.row_even[at(right - 1)]) --right;
    const auto alone = [&](int from, int to, auto within) {
      for (int j = from; j < to; ++j)
        if (sample.first_reader[at(j)] >= 0 && !within(j)) return false;
      return true;
    };
    if (alone(begin, left, [&](int j) { return sample.last_reader[at(j)] < left; })) begin = left;
    if (alone(right, end, [&](int j) { return sample.first_reader[at(j)] >= right; })) end = right;
  }
  if (end - begin < 2 || (begin == 0 && end == plan.keys)) return {};
  return indices(begin, end);
}

Result<PatchGrid> find_grid(const Container& container, int positions, bool may_guess, Report& report) {
  PatchGrid out;
  auto list = find_numbers(container, {"grid", "patch_grid", "grid_size"});
  if (!list) return tl::unexpected(list.error());
  if (*list && ((*list)->values.size() == 2 || (*list)->values.size() == 3)) {
    const auto& v = (*list)->values;
    double rows = v[0], columns = v.back();
    if (v.size() == 3) rows *= v[1];  // frames below one another
    const bool whole = rows == std::floor(rows) && columns == std::floor(columns) && rows >= 1 && columns >= 1 && rows * columns <= positions;
    if (whole) {
      const int cells = static_cast<int>(rows * columns);
      long long prefix = positions - cells;
      auto range = find_numbers(container, {"patch_range"});
      if (!range) return tl::unexpected(range.error());
      if (const auto stated = meta_integer(container, "prefix_tokens")) prefix = *stated;
      else if (*range && !(*range)->values.empty() && (*range)->values[0] >= 0 && (*range)->values[0] <= positions)
        prefix = static_cast<long long>((*range)->values[0]);
      if (prefix >= 0 && prefix + cells <= positions) return PatchGrid{static_cast<int>(prefix), static_cast<int>(rows), static_cast<int>(columns)};
    }
    report.push_back(report_item(ReportCode::unknown_assumption, {{"key", "grid"}, {"value", std::to_string(static_cast<long long>(std::fmin(rows, 1e9))) + " x " + std::to_string(static_cast<long long>(std::fmin(columns, 1e9)))}}));
    return out;
  }
  if (!may_guess) return out;
  // A class token, nothing, a class and a distillation token (DeiT), a class token and four registers (DINOv2).
  for (const int prefix : {1, 0, 2, 5}) {
    const int cells = positions - prefix;
    const int side = static_cast<int>(std::lround(std::sqrt(std::max(cells, 0))));
    // Smaller squares, and powers of two without a prefix, are as likely a text of that length.
    if (side < 6 || side * side != cells || (prefix == 0 && (cells & (cells - 1)) == 0)) continue;
    out = {prefix, side, side};
    report.push_back(report_item(ReportCode::grid_guess, {{"positions", std::to_string(positions)}, {"prefix", std::to_string(prefix)},
                                                          {"rows", std::to_string(side)}, {"columns", std::to_string(side)}}));
    return out;
  }
  return out;
}

}  // namespace rollscope
