// rollscope compare: two recipes on one dump, or two dumps, models or a control, row by row.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/token_alignment.h"
#include "app/cli_commands.h"
#include "app/cli_dump.h"
#include "app/cli_side.h"
#include "app/verbs_compare.h"
#include "base/text.h"

namespace rollscope {
namespace {

// The options of one side: its own before those given for both.
Result<Options> side_options(const CommandLine& command, std::string_view name) {
  Options out;
  if (const auto text = command.option(name); !text.empty()) {
    auto own = recipe_words(name, text);
    if (!own) return own;
    out = std::move(*own);
  }
  for (const auto& [option, value] : recipe_options(command.options)) out.emplace(option, value);
  return out;
}

// Keys of a row that it can see, from the first on; a virtual sink is no token.
std::size_t visible(const DumpSide& side, int query) {
  const int keys = real_keys(side.shown);
  return static_cast<std::size_t>(side.shown.causal ? std::min(query + 1, keys) : keys);
}

std::vector<std::string> labels(const std::vector<Token>& tokens, int count) {
  std::vector<std::string> out;
  for (int k = 0; k < count; ++k) out.push_back(token_label(tokens, static_cast<std::size_t>(k)));
  return out;
}

bool same_labels(const DumpSide& a, const DumpSide& b) {
  return labels(a.shown.key_tokens, real_keys(a.shown)) == labels(b.shown.key_tokens, real_keys(b.shown)) &&
         labels(a.shown.query_tokens, real_queries(a.shown)) == labels(b.shown.query_tokens, real_queries(b.shown));
}

// The row of `b` with the label of row `row` of `a`, the same of several equal ones. -1: none.
int row_by_label(const DumpSide& a, const DumpSide& b, int row) {
  const auto x = labels(a.shown.query_tokens, real_queries(a.shown)), y = labels(b.shown.query_tokens, real_queries(b.shown));
  const auto& label = x[static_cast<std::size_t>(row)];
  auto nth = std::count(x.begin(), x.begin() + row, label);
  for (std::size_t k = 0; k < y.size(); ++k)
    if (y[k] == label && nth-- == 0) return static_cast<int>(k);
  return -1;
}

// Mean over the rows of a group.
std::vector<double> mean_row(const DumpSide& side, const std::vector<int>& queries) {
  std::vector<double> out(static_cast<std::size_t>(side.shown.keys), 0.0);
  for (const int query : queries) {
    const auto row = side.at(query);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += row[j] / static_cast<double>(queries.size());
  }
  return out;
}

Comparison compared(const std::vector<double>& a, const std::vector<double>& b, std::size_t seen, const std::vector<int>& without, int k) {
  std::vector<int> hidden = without;
  std::erase_if(hidden, [&](int key) { return static_cast<std::size_t>(key) >= seen; });
  return compare(std::span(a).first(std::min(seen, a.size())), std::span(b).first(std::min(seen, b.size())), hidden, k);
}

std::vector<double> as_vector(std::span<const double> row) { return {row.begin(), row.end()}; }

// Rows of the same tokens.
void compare_same(const DumpSide& a, const DumpSide& b, int row, int k, ComparedRecipes& out) {
  out.keys = labels(a.shown.key_tokens, real_keys(a.shown));
  for (int i = 0; i < real_queries(a.shown); ++i)
    if (row < 0 || row == i)
      out.rows.push_back({i, i, token_label(a.shown.query_tokens, static_cast<std::size_t>(i)), compared(as_vector(a.at(i)), as_vector(b.at(i)), std::max(visible(a, i), visible(b, i)), out.without, k)});
}

// Rows of tokens that were cut differently: both sides merged to what they share.
Result<void> compare_merged(const DumpSide& a, const DumpSide& b, int row, int k, ComparedRecipes& out) {
  auto keys = align_tokens(a.shown.key_tokens, b.shown.key_tokens, {true, true});
  if (!keys) return tl::unexpected(std::move(keys.error()));
  auto queries = align_tokens(a.shown.query_tokens, b.shown.query_tokens, {true, true});
  if (!queries) return tl::unexpected(std::move(queries.error()));
  out.merged = true;
  for (const auto& group : *keys) out.keys.push_back(group.text);
  out.facts.push_back({NarrationId::compare_merged, {{"count", Slot::count(static_cast<long long>(keys->size()))}}});
  const auto add = [&](std::vector<int> of_a, std::vector<int> of_b, std::string label, std::size_t seen) {
    const auto x = group_weights(mean_row(a, of_a), *keys, &TokenGroup::a), y = group_weights(mean_row(b, of_b), *keys, &TokenGroup::b);
    out.rows.push_back({of_a.front(), of_b.front(), std::move(label), compared(x, y, seen, out.without, k)});
  };
  if (row >= 0 && b.row >= 0) {  // one row on each side, of a token that both have: a special one
    add({row}, {b.row}, token_label(a.shown.query_tokens, static_cast<std::size_t>(row)), keys->size());
    return {};
  }
  for (std::size_t g = 0; g < queries->size(); ++g) {
    const TokenGroup& group = (*queries)[g];
    if (row >= 0 && std::find(group.a.begin(), group.a.end(), row) == group.a.end()) continue;
    add(group.a, group.b, group.text, a.shown.causal && b.shown.causal ? g + 1 : keys->size());
  }
  return {};
}

Result<std::string> two_dumps(const CommandLine& command, const Options& options_a, const Options& options_b) {
  auto a = open_side(command, command.files[0], options_a);
  if (!a) return tl::unexpected(std::move(a.error()));
  auto b = open_side(command, command.files[1], options_b);
  if (!b) return tl::unexpected(std::move(b.error()));
  auto asked = asked_number(command, "row");
  auto top = asked_number(command, "k");
  if (!asked) return tl::unexpected(std::move(asked.error()));
  if (!top) return tl::unexpected(std::move(top.error()));
  const int row = asked->value_or(-1), k = std::max(1, top->value_or(kTopCompared)), rows = real_queries(a->shown);
  if (*asked && (row < 0 || row >= rows))
    return fail(ErrorCode::out_of_range, {{"option", "row"}, {"value", std::to_string(row)}, {"allowed", formatted("0 to %d", rows - 1)}});

  const bool same = same_labels(*a, *b);
  const bool special = row >= 0 && static_cast<std::size_t>(row) < a->shown.query_tokens.size() && a->shown.query_tokens[static_cast<std::size_t>(row)].special;
  int row_b = row;
  if (!same) row_b = special ? row_by_label(*a, *b, row) : -1;
  if (!same && special && row_b < 0)
    return wrong_usage("There is no row \"" + token_label(a->shown.query_tokens, static_cast<std::size_t>(row)) + "\" in " + b->dump.info.file);
  if (auto read = read_rows(*a, options_a, same || special ? row : -1); !read) return tl::unexpected(std::move(read.error()));
  if (auto read = read_rows(*b, options_b, row_b); !read) return tl::unexpected(std::move(read.error()));

  ComparedRecipes out;
  out.a = {a->dump.info.file, recipe_json(a->stream, a->recipe, row), ""};
  out.b = {b->dump.info.file, recipe_json(b->stream, b->recipe, row_b), command.option("control")};
  out.differs = recipe_differences(a->recipe, b->recipe);
  add_residual_fact(a->recipe, b->recipe, out.facts);
  if (!out.b.control.empty()) out.facts.push_back({NarrationId::compare_control, {{"name", Slot::name(out.b.control)}}});
  for (const auto* side : {&*a, &*b})
    for (auto item : side->dump.info.report) {
      item.where = item.where.empty() ? side->dump.info.file : side->dump.info.file + ", " + item.where;
      out.report.push_back(std::move(item));
    }
  if (same) {
    if (command.option("without") == "specials")
      for (std::size_t key = 0; key < a->shown.key_tokens.size(); ++key)
        if (a->shown.key_tokens[key].special) out.without.push_back(static_cast<int>(key));
    compare_same(*a, *b, row, k, out);
  } else if (auto merged = compare_merged(*a, *b, row, k, out); !merged) {
    return tl::unexpected(std::move(merged.error()));
  }
  return comparison_json(out);
}

}  // namespace

Result<std::string> answer_compare(const CommandLine& command) {
  auto a = side_options(command, "a");
  if (!a) return tl::unexpected(std::move(a.error()));
  const std::string control = command.option("control"), b_text = command.option("b");
  const bool uniform = control == "uniform" || b_text == "uniform";
  if (uniform && command.files.size() == 2) return wrong_usage("Uniform attention is made from the first dump: leave the second file out");
  if (!control.empty() && control != "uniform" && command.files.size() == 1) return wrong_usage("A control \"" + control + "\" is a second dump: rollscope compare FILE CONTROL --control " + control);
  if (control == "uniform" && !b_text.empty()) return wrong_usage("--control uniform stands in the place of --b");
  auto b = uniform ? a : side_options(command, "b");
  if (!b) return tl::unexpected(std::move(b.error()));
  if (command.files.size() == 2) {
    // What only one was told holds for both: two models in one recipe is what is meant.
    if (b_text.empty()) b = a;
    if (command.option("without") == "sinks") return wrong_usage("--without sinks compares within one dump; over two, --without specials");
    return two_dumps(command, *a, *b);
  }
  if (!uniform && b_text.empty()) return wrong_usage("Compare with what? --b \"method=raw\", --control uniform, or a second file");
  auto dump = open_dump(command, command.files.front());
  if (!dump) return tl::unexpected(std::move(dump.error()));
  std::string args = "{\"a\": " + options_json(*a) + ", \"b\": " + (uniform ? "\"uniform\"" : options_json(*b));
  Options rest;
  for (const auto* name : {"row", "k", "without"})
    if (const auto value = command.option(name); !value.empty()) rest[name] = value;
  const auto more = options_json(rest);
  if (!rest.empty()) args += ", " + more.substr(1, more.size() - 2);
  auto result = dump->ask("compare", args + "}");
  if (!result) return tl::unexpected(std::move(result.error()));
  return std::move(result->json);
}

std::string compare_text(const rapidjson::Value& c, const CommandLine& command) {
  std::string out;
  for (const auto* name : {"a", "b"}) {
    const auto& side = c[name];
    out += fmt::format("{}: {}", name, text_of(side["file"]));
    if (side.HasMember("control")) out += ", control " + text_of(side["control"]);
    if (side.HasMember("recipe")) out += ": " + text_of(side["recipe"]["sentence"]);
    out += '\n';
  }
  std::string differs;
  for (const auto& what : c["differs"].GetArray()) differs += (differs.empty() ? "" : ", ") + text_of(what);
  if (!differs.empty()) out += "They differ in: " + differs + "\n";
  for (const auto& row : c["rows"].GetArray())
    out += fmt::format("{}: Spearman {}, Kendall {}, cosine {}, JS {} bit, total variation {}, top {} shared {}\n", text_of(row["label"]), shown_number(row["spearman"]),
                       shown_number(row["kendall_tau_b"]), shown_number(row["cosine"]), shown_number(row["js_bits"], 3), shown_number(row["total_variation"], 3),
                       row["k"].GetInt(), shown_number(row["top_overlap"]));
  return out + narration_lines(c, command) + report_lines(c["report"]);
}

}  // namespace rollscope
