"""Cuts the interface's typefaces down to what the interface writes.

  fonts.py NODE_MODULES OUT ja.json

Writes OUT/plex-sans-{400,500,600}.ttf and plex-mono-400.ttf (Latin and signs), and plex-sans-jp-{400,600}.ttf with
exactly the characters of the Japanese locale, when it exists. Plain TrueType, because one file then serves both
readers, Dear ImGui and the page's CSS, and a visitor downloads it once; the server compresses it as WOFF2 would.
Token text in any script is drawn by the browser with the system's fonts and needs none of these.
"""
import json
import sys
from pathlib import Path

from fontTools import subset

LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x180), 0x192, 0x218, 0x219, 0x21A, 0x21B, 0x2C6, 0x2C7, 0x2DC]
PUNCTUATION = "‐‑‒–—―‘’‚“”„†‡•…‰′″‹›⁄€™ℓ"
# White space and arrows of token labels; signs of the mathematics. The "complete" files have them, the split ones do not.
SIGNS = "←↑→↓↔↕↖↗↘↙⇤⇥⏎␣−×÷±≤≥≠≈∞∑∏√∆∂∫⁻⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉■□▲△▶▼▽◀●○◆◇✓✗"
GREEK = "αβγδλμπρσΔΣ"
LATIN_SET = {*LATIN, *map(ord, PUNCTUATION + SIGNS + GREEK)}

FACES = {
    "plex-sans-400": "plex-sans/fonts/complete/woff/IBMPlexSans-Regular.woff",
    "plex-sans-500": "plex-sans/fonts/complete/woff/IBMPlexSans-Medium.woff",
    "plex-sans-600": "plex-sans/fonts/complete/woff/IBMPlexSans-SemiBold.woff",
    "plex-mono-400": "plex-mono/fonts/complete/woff/IBMPlexMono-Regular.woff",
}
JAPANESE_FACES = {
    "plex-sans-jp-400": "plex-sans-jp/fonts/complete/woff/hinted/IBMPlexSansJP-Regular.woff",
    "plex-sans-jp-600": "plex-sans-jp/fonts/complete/woff/hinted/IBMPlexSansJP-SemiBold.woff",
}


def strings(value):
    """Every string inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def cut(source, target, codepoints):
    # No kerning: its table would be a third of the file, and Dear ImGui does not read it, so both halves of the
    # screen set text alike.
    options = subset.Options(hinting=False, layout_features=[], name_IDs=[0, 1, 2, 13, 14], notdef_outline=True)
    font = subset.load_font(source, options)
    font.flavor = None
    missing = sorted(codepoints - set(font.getBestCmap()))
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=codepoints)
    subsetter.subset(font)
    font.save(target)
    print(f"{target.name}: {target.stat().st_size} bytes; not in the typeface: {''.join(map(chr, missing)) or 'nothing'}")


def main(node_modules, out, japanese):
    packages, out = Path(node_modules) / "@ibm", Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.ttf"):
        old.unlink()
    for name, file in FACES.items():
        cut(packages / file, out / f"{name}.ttf", LATIN_SET)
    if Path(japanese).exists():
        text = "".join(strings(json.loads(Path(japanese).read_text(encoding="utf-8"))))
        # Latin comes from the Latin files; only what those cannot draw is taken.
        wanted = {ord(c) for c in text if c.isprintable()} - LATIN_SET
        for name, file in JAPANESE_FACES.items():
            cut(packages / file, out / f"{name}.ttf", wanted)
    for package in packages.glob("plex-*"):
        (out / f"{package.name}-LICENSE.txt").write_bytes((package / "LICENSE.txt").read_bytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
