"""Writes the two headers that the build makes.

  generate.py shaders es|core OUT.h SHADER...   rollscope::shaders::heatmap_frag for shaders/heatmap.frag, and so on
  generate.py theme OUT.h tokens.json           rollscope::theme: kLight, kDark, both with more contrast, and the colormaps, as 0xRRGGBB

A file is rewritten only when its text changes, so that nothing is compiled again for nothing.
"""
import json
import sys
from pathlib import Path

HEAD = {
    "es": "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n",
    "core": "#version 330 core\n",
}


def write(path, text):
    path = Path(path)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    path.touch()  # else the build takes it for stale, again and again


def shaders(dialect, out, *sources):
    lines = ["// Made from shaders/ by web/setup/cmake/generate.py.", "#pragma once", "", "namespace rollscope::shaders {", ""]
    for source in sorted(map(Path, sources)):
        text = source.read_text(encoding="utf-8")
        if "#version" in text:
            sys.exit(f"{source}: the build puts #version before every shader; take that line out")
        # "#line 1" keeps the driver's messages on the file's own line numbers.
        name = source.name.replace(".", "_").replace("-", "_")
        lines += [f'inline constexpr char {name}[] = R"glsl({HEAD[dialect]}#line 1', f'{text})glsl";', ""]
    write(out, "\n".join(lines + ["}  // namespace rollscope::shaders", ""]))


def colour(text):
    return "0x" + text.lstrip("#").upper()


def theme(out, tokens_path):
    tokens = json.loads(Path(tokens_path).read_text(encoding="utf-8"))
    names = list(tokens["light"])
    schemes = ("light", "dark", "light-contrast", "dark-contrast")
    if any(list(tokens[scheme]) != names for scheme in schemes):
        sys.exit("tokens.json: all four themes must name the same colours in the same order")
    lines = ["// Made from web/tokens.json by web/setup/cmake/generate.py: colours as 0xRRGGBB.", "#pragma once", "",
             "#include <cstdint>", "", "namespace rollscope::theme {", "",
             "struct Palette {", "  std::uint32_t " + ", ".join(names) + ";", "};", ""]
    for scheme in schemes:
        lines += [f"inline constexpr Palette k{scheme.title().replace('-', '')}{{"]
        lines += [f"    .{name} = {colour(tokens[scheme][name])}," for name in names] + ["};"]
    lines += ["", "// Equal steps from low to high; heads: one colour each."]
    for group in ("weight", "difference", "heads"):
        for scheme in ("light", "dark"):
            values = [colour(c) for c in tokens[group][scheme]]
            lines += [f"inline constexpr std::uint32_t k{group.title()}{scheme.title()}[{len(values)}] = {{{', '.join(values)}}};"]
    write(out, "\n".join(lines + ["", "}  // namespace rollscope::theme", ""]))


if __name__ == "__main__":
    {"shaders": shaders, "theme": theme}[sys.argv[1]](*sys.argv[2:])
