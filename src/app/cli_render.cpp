// rollscope render: a view as a figure, in a file.
#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <span>

#include "app/cli_commands.h"
#include "app/cli_dump.h"
#include "app/verbs_args.h"
#include "platform/svg_raster.h"

namespace rollscope {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

constexpr int kMostPixels = 16384;

struct Target {
  std::string svg, png;  // files; "": not wanted
  double scale = 2;      // pixels of the PNG for each CSS pixel
};

tl::unexpected<Error> bad(std::string_view option, std::string value, std::string allowed) {
  return fail(ErrorCode::bad_value, {{"option", std::string(option)}, {"value", std::move(value)}, {"allowed", std::move(allowed)}});
}

Result<Target> read_target(const CommandLine& command) {
  Target out{command.option("svg"), command.option("png")};
  if (const std::string file = command.option("output"); !file.empty()) {
    std::string* const to = file.ends_with(".svg") ? &out.svg : file.ends_with(".png") ? &out.png : nullptr;
    if (!to) return bad("-o", file, "a name that ends in .svg or .png");
    if (!to->empty()) return wrong_usage("-o and " + std::string(to == &out.svg ? "--svg" : "--png") + " name two files for one picture");
    *to = file;
  }
  if (out.svg.empty() && out.png.empty()) return wrong_usage("Where to? rollscope render FILE -o OUT.svg, or OUT.png");
  if (const std::string scale = command.option("scale"); !scale.empty()) {
    char* end = nullptr;
    out.scale = std::strtod(scale.c_str(), &end);
    if (*end || !(out.scale >= 1 && out.scale <= 4)) return bad("--scale", scale, "a number from 1 to 4: pixels of the PNG for each px of its width");
  }
  return out;
}

// The engine's question: the recipe apart from what the figure looks like.
Result<std::string> question(const CommandLine& command) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  const auto options = [&](const Options& all) {
    json.StartObject();
    for (const auto& [name, value] : all) {
      json.Key(name.c_str());
      json.String(value.c_str());
    }
    json.EndObject();
  };
  json.StartObject();
  json.Key("recipe");
  options(recipe_options(command.options));
  json.Key("language");
  json.String(command.language.c_str());
  if (const std::string b = command.option("b"); !b.empty()) {
    auto recipe = recipe_words("--b", b);
    if (!recipe) return tl::unexpected(std::move(recipe.error()));
    json.Key("b");
    options(*recipe);
  }
  if (!command.option("row").empty() && !command.option("query").empty()) return wrong_usage("--row and --query say the same: give one of them");
  for (const auto& [name, from] : {std::pair("query", "row"), {"query", "query"}, {"view", "view"}, {"theme", "theme"}, {"ground", "ground"}, {"width", "width"}, {"caption", "caption"}, {"keep", "keep"}, {"curve", "curve"}, {"kind", "kind"}, {"layer", "matrix_layer"}, {"head", "matrix_head"}}) {
    const std::string value = command.option(from);
    if (value.empty()) continue;
    json.Key(name);
    json.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }
  json.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize());
}

}  // namespace

Result<std::string> answer_render(const CommandLine& command) {
  auto target = read_target(command);
  if (!target) return tl::unexpected(std::move(target.error()));
  auto args = question(command);
  if (!args) return tl::unexpected(std::move(args.error()));
  auto dump = open_dump(command, command.files.front());
  if (!dump) return tl::unexpected(std::move(dump.error()));
  auto result = dump->ask("figure", *args);
  if (!result) return tl::unexpected(std::move(result.error()));
  rapidjson::Document figure;
  figure.Parse<rapidjson::kParseFullPrecisionFlag>(result->json.c_str());
  const std::string svg = text_of(figure["svg"]);
  const double width = figure["width"].GetDouble(), height = figure["height"].GetDouble();

  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  json.Key("view");
  json.String(figure["view"].GetString());
  json.Key("query");
  json.Int(figure["query"].GetInt());
  json.Key("files");
  json.StartArray();
  const auto written = [&](const std::string& path, std::span<const char> bytes, double w, double h) -> Result<void> {
    if (auto done = write_file(path, bytes); !done) return done;
    json.StartObject();
    json.Key("file");
    json.String(path.c_str());
    json.Key("bytes");
    json.Uint64(bytes.size());
    json.Key("width");
    json.Double(w);
    json.Key("height");
    json.Double(h);
    json.EndObject();
    return {};
  };
  if (!target->svg.empty())
    if (auto done = written(target->svg, svg, width, height); !done) return tl::unexpected(std::move(done.error()));
  if (!target->png.empty()) {
    const double w = std::round(width * target->scale), h = std::round(height * target->scale);
    if (std::max(w, h) > kMostPixels) return wrong_usage(fmt::format("The picture would have {} x {} pixels, and the limit is {}: choose a smaller --scale or --width", w, h, kMostPixels));
    auto png = png_of_svg(svg, static_cast<int>(w), static_cast<int>(h));
    if (!png) return tl::unexpected(std::move(png.error()));
    if (auto done = written(target->png, {reinterpret_cast<const char*>(png->data()), png->size()}, w, h); !done) return tl::unexpected(std::move(done.error()));
  }
  json.EndArray();
  json.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize());
}

std::string render_text(const rapidjson::Value& rendered, const CommandLine&) {
  std::string out;
  for (const auto& file : rendered["files"].GetArray())
    out += fmt::format("{}: {}, {:.0f} x {:.0f} px, {} bytes\n", text_of(file["file"]), text_of(rendered["view"]), file["width"].GetDouble(), file["height"].GetDouble(), file["bytes"].GetUint64());
  return out;
}

}  // namespace rollscope
