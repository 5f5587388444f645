#include "app/cli_commands.h"

#include <algorithm>
#include <iterator>

namespace rollscope {

std::span<const Command> commands() {
  constexpr int kMany = 1 << 20;
  static const std::vector<Command> kCommands{
      {.name = "info", .options = {}, .answer = answer_info, .readable = info_text},
      {.name = "explain", .recipe = true, .options = {"row", "pairs", "region"}, .answer = answer_verb, .readable = explain_text},
      {.name = "render", .recipe = true,
       .options = {"output", "svg", "png", "view", "row", "query", "theme", "ground", "width", "scale", "caption", "keep", "curve", "kind", "matrix_layer", "matrix_head", "b"},
       .answer = answer_render, .readable = render_text},
      {.name = "heads", .most = kMany, .options = {"stream", "heads", "layers", "height"}, .answer = answer_heads, .readable = heads_text},
      {.name = "depth", .recipe = true, .options = {}, .answer = answer_verb, .readable = depth_text},
      {.name = "compare", .most = 2, .recipe = true, .options = {"a", "b", "row", "k", "without", "control"}, .answer = answer_compare, .readable = compare_text},
      {.name = "plan", .recipe = true, .options = {"row", "random", "seed", "keep"}, .answer = answer_verb, .readable = plan_text},
      {.name = "faithfulness", .most = kMany, .dumps = false, .options = {}, .answer = answer_faithfulness, .readable = faithfulness_text},
      {.name = "audit", .recipe = true, .options = {"row", "k"}, .answer = answer_verb, .readable = audit_text},
      {.name = "link", .recipe = true, .options = {"row", "payload", "what", "budget", "base", "src"}, .switches = {"no_text", "decode"}, .answer = answer_link, .readable = link_text},
      {.name = "unlink", .dumps = false, .options = {}, .answer = answer_unlink, .readable = unlink_text},
      {.name = "html", .recipe = true, .options = {"output", "row", "page", "base"}, .answer = answer_html, .readable = html_text},
      {.name = "bias", .fewest = 0, .most = kMany, .recipe = true, .options = {"pairs", "row", "token"}, .answer = answer_bias, .readable = bias_text},
  };
  return kCommands;
}

const Command* find_command(std::string_view name) {
  const auto all = commands();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace rollscope
