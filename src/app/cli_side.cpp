#include "app/cli_side.h"

#include <utility>

#include "analysis/comparison.h"
#include "analysis/shown_stream.h"
#include "app/verbs_args.h"

namespace rollscope {

Result<DumpSide> open_side(const CommandLine& command, const std::string& file, const Options& options) {
  auto dump = open_dump(command, file);
  if (!dump) return tl::unexpected(std::move(dump.error()));
  auto args = Args::parse(options_json(options));
  if (!args) return tl::unexpected(std::move(args.error()));
  auto request = recipe_request(*args);
  if (!request) return tl::unexpected(std::move(request.error()));
  auto recipe = resolve_recipe(dump->info, *request);
  if (!recipe) return tl::unexpected(std::move(recipe.error()));
  DumpSide out{std::move(*dump), std::move(*recipe), {}, {}, -1, {}};
  out.stream = out.dump.info.streams[static_cast<std::size_t>(out.dump.info.index_of(out.recipe.stream))];
  out.shown = shown_stream(out.dump.info, out.recipe);
  return out;
}

Result<void> read_rows(DumpSide& side, Options options, int row) {
  side.row = row;
  options["row"] = row < 0 ? "all" : std::to_string(row);
  auto answer = side.dump.ask("explain", options_json(options));
  if (!answer) return tl::unexpected(std::move(answer.error()));
  rapidjson::Document e;
  e.Parse<rapidjson::kParseFullPrecisionFlag>(answer->json.c_str());
  for (const auto& from : e["matrix"].GetArray()) {
    auto& to = side.rows.emplace_back();
    for (const auto& x : from.GetArray()) to.push_back(number_of(x));
    if (side.recipe.method == Method::flow || side.recipe.method == Method::flow_normalised) tie_equal(to);
  }
  return {};
}

Result<std::optional<int>> asked_number(const CommandLine& command, std::string_view name) {
  if (command.option(name).empty() || command.option(name) == "all") return std::optional<int>{};
  auto args = Args::parse(options_json(command.options));
  if (!args) return tl::unexpected(std::move(args.error()));
  auto number = args->integer(name, 0);
  if (!number) return tl::unexpected(std::move(number.error()));
  return std::optional<int>(*number);
}

}  // namespace rollscope
