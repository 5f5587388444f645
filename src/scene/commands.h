// One command table feeds menus, keyboard, help sheet, tests and embedding. Ids are public and stay.
#pragma once

#include <span>
#include <string_view>

namespace rollscope {

struct Command {
  std::string_view id;        // "select.query"
  std::string_view title;     // key into the locales: "command.select.query"
  std::string_view shortcut;  // "ArrowRight", "Shift+ArrowRight", "?"; "" for none. Mod = Ctrl or Cmd
  std::string_view args;      // what run() takes, for people: "{query}"
};

// select.query {query}, select.key {key} (-1: none), select.level {level}, select.next, select.previous (ArrowRight,
// ArrowLeft: the neighbouring output), recipe.method {method}, recipe.stream {stream}, recipe.fusion {fusion},
// recipe.heads {heads}, recipe.residual {residual: a number, one for each layer, "norms", "norms-mean" or "mixing"},
// recipe.layers {layers: [first, end]}, recipe.sink {sink}, recipe.merge {merge, merge_queries, merge_time},
// recipe.class {class}, recipe.source {source: norms, scores or attributions by name}, recipe.discard {discard},
// view.graph (g), view.matrix (m),
// view.fit (0), view.zoom {factor} (+ and -), view.maximise (f), graph.keep {keep}, matrix.show {kind, layer, head},
// matrix.scale {scale}, matrix.values (v), matrix.range {low, high}, undo (Mod+z), redo (Mod+Shift+z), help (?),
// open (o), examples (e), report (i), limits (l), escape (Escape: key, level, maximise, in this order).
[[nodiscard]] std::span<const Command> commands();

// The command that a key press stands for, or nullptr. key: KeyboardEvent.key; modifiers as page_key.
[[nodiscard]] const Command* command_for_key(std::string_view key, int modifiers);

}  // namespace rollscope
