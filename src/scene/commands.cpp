#include "scene/commands.h"

namespace rollscope {
namespace {

constexpr Command kCommands[] = {
    {"select.query", "command.select.query", "", "{query, level}"},
    {"select.key", "command.select.key", "", "{key}"},
    {"select.level", "command.select.level", "", "{level}"},
    {"select.next", "command.select.next", "ArrowRight", "{}"},
    {"select.previous", "command.select.previous", "ArrowLeft", "{}"},
    {"find", "command.find", "/", "{}"},
    {"select.find", "command.select.find", "", "{text, step}"},
    {"select.strongest", "command.select.strongest", "s", "{step}"},
    {"recipe.method", "command.recipe.method", "", "{method}"},
    {"recipe.stream", "command.recipe.stream", "", "{stream}"},
    {"recipe.fusion", "command.recipe.fusion", "", "{fusion}"},
    {"recipe.heads", "command.recipe.heads", "", "{heads}"},
    {"recipe.residual", "command.recipe.residual", "", "{residual}"},
    {"recipe.layers", "command.recipe.layers", "", "{layers: [first, end]}"},
    {"recipe.sink", "command.recipe.sink", "", "{sink}"},
    {"recipe.merge", "command.recipe.merge", "", "{merge, merge_queries, merge_time}"},
    {"recipe.class", "command.recipe.class", "", "{class}"},
    {"recipe.source", "command.recipe.source", "", "{source}"},
    {"recipe.discard", "command.recipe.discard", "", "{discard}"},
    {"view.graph", "command.view.graph", "g", "{}"},
    {"view.matrix", "command.view.matrix", "m", "{}"},
    {"view.heads", "command.view.heads", "h", "{}"},
    {"view.image", "command.view.image", "p", "{}"},
    {"view.depth", "command.view.depth", "d", "{}"},
    {"view.lines", "command.view.lines", "b", "{}"},
    {"view.compare", "command.view.compare", "c", "{}"},
    {"layout.read", "command.layout.read", "1", "{}"},
    {"layout.compare", "command.layout.compare", "2", "{}"},
    {"layout.teach", "command.layout.teach", "3", "{}"},
    {"layout.second", "command.layout.second", "", "{second, split}"},
    {"view.fit", "command.view.fit", "0", "{}"},
    {"view.zoom", "command.view.zoom", "", "{factor}"},
    {"view.zoom_in", "command.view.zoom_in", "+", "{}"},
    {"view.zoom_out", "command.view.zoom_out", "-", "{}"},
    {"view.maximise", "command.view.maximise", "f", "{}"},
    {"graph.keep", "command.graph.keep", "", "{keep}"},
    {"graph.top", "command.graph.top", "", "{top}"},
    {"graph.edge", "command.graph.edge", "", "{edge: [layer, query, key]}"},
    {"matrix.show", "command.matrix.show", "", "{kind, layer, head}"},
    {"matrix.scale", "command.matrix.scale", "", "{scale}"},
    {"matrix.values", "command.matrix.values", "v", "{}"},
    {"matrix.range", "command.matrix.range", "", "{low, high}"},
    {"heads.choose", "command.heads.choose", "", "{layer, head}"},
    {"heads.order", "command.heads.order", "", "{order}"},
    {"heads.role", "command.heads.role", "", "{role}"},
    {"heads.open", "command.heads.open", "", "{layer, head}"},
    {"heads.fuse", "command.heads.fuse", "", "{head}"},
    {"image.smooth", "command.image.smooth", "", "{}"},
    {"image.outline", "command.image.outline", "", "{}"},
    {"image.opacity", "command.image.opacity", "", "{opacity}"},
    {"image.region", "command.image.region", "", "{region: [row, column, row, column]}"},
    {"depth.play", "command.depth.play", "", "{}"},
    {"depth.measure", "command.depth.measure", "", "{measure}"},
    {"lines.show", "command.lines.show", "", "{layer, heads, top, keep, block}"},
    {"compare.recipe", "command.compare.recipe", "", "{method, stream, fusion, heads, residual, layers, sink, merge, class, source, discard}"},
    {"compare.pin", "command.compare.pin", "", "{}"},
    {"compare.hold", "command.compare.hold", "", "{query}"},
    {"compare.swap", "command.compare.swap", "x", "{}"},
    {"undo", "command.undo", "Mod+z", "{}"},
    {"redo", "command.redo", "Mod+Shift+z", "{}"},
    {"help", "command.help", "?", "{}"},
    {"open", "command.open", "o", "{}"},
    {"examples", "command.examples", "e", "{}"},
    {"report", "command.report", "i", "{}"},
    {"limits", "command.limits", "l", "{}"},
    {"escape", "command.escape", "Escape", "{}"},
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command* command_for_key(std::string_view key, int modifiers) {
  constexpr int kShift = 1, kCtrl = 2, kAlt = 4, kMeta = 8;
  if (key == "=") key = "+";  // the unshifted face of the same key on many keyboards
  for (const auto& c : kCommands) {
    std::string_view want = c.shortcut;
    if (want.empty()) continue;
    bool mod = false, shift = false;
    if (want.starts_with("Mod+")) mod = true, want.remove_prefix(4);
    if (want.starts_with("Shift+")) shift = true, want.remove_prefix(6);
    const bool letter = want.size() == 1 && is_letter(want[0]);
    const bool same = letter ? key.size() == 1 && lower(key[0]) == want[0] : key == want;
    // A sign may need Shift or not, as the keyboard has it: the sign itself is what counts.
    const bool sign = want.size() == 1 && !letter;
    const bool shift_fits = sign || ((modifiers & kShift) != 0) == shift;
    const bool mod_fits = ((modifiers & (kCtrl | kMeta)) != 0) == mod;
    if (same && shift_fits && mod_fits && !(modifiers & kAlt)) return &c;
  }
  return nullptr;
}

}  // namespace rollscope
