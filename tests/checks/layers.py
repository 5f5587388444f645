"""Which room may know which: reads the #includes of src/ and names every arrow that points the wrong way.

  layers.py [ROOT]     prints one line per violation; exit status 1 when there is one

The order is that of the design: base <- dump <- {io, methods} <- analysis <- scene <- {figure, gpu} <- ui <- app, and
platform, which knows base alone and is known by app and gpu alone. Some libraries belong to one room each, and no
.cpp chooses its platform by #ifdef: CMake chooses the file.
"""
import re
import sys
from pathlib import Path

BELOW_ANALYSIS = {"base", "dump", "io", "methods"}
BELOW_SCENE = BELOW_ANALYSIS | {"analysis"}
BELOW_FIGURE = BELOW_SCENE | {"scene"}
KNOWS = {
    "base": set(),
    "dump": {"base"},
    "io": {"base", "dump"},
    "methods": {"base", "dump"},
    "analysis": BELOW_ANALYSIS,
    "scene": BELOW_SCENE,
    "figure": BELOW_FIGURE,
    "gpu": BELOW_FIGURE | {"platform"},
    "ui": BELOW_FIGURE | {"figure", "gpu"},
    "platform": {"base"},
    "app": BELOW_FIGURE | {"figure", "gpu", "ui", "platform"},
}

# Header pattern -> the files (path below src/) that may include it, and what is said otherwise.
LIBRARIES = [
    (r"Eigen/", r"(methods|analysis)/", "Eigen belongs to methods/ and analysis/"),
    (r"imgui|implot", r"ui/|app/page_", "Dear ImGui belongs to ui/ and to app/page_*, which hand it input and draw its lists"),
    (r"(GL|GLES2|GLES3|EGL)/|SDL_opengl", r"gpu/", "GL belongs to gpu/"),
    (r"SDL", r"platform/|app/", "SDL belongs to platform/ and app/"),
    (r"librsvg/|cairo", r"platform/svg_raster_rsvg", "librsvg belongs to platform/svg_raster_rsvg_native.cpp"),
    (r"emscripten", r"platform/.*_web|app/(page|engine)|gpu/.*gl", "Emscripten belongs to the files that only the browser compiles"),
    (r"zlib\.h", r"io/|figure/", "zlib belongs to io/ and figure/"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
PLATFORM_IFDEF = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b.*__EMSCRIPTEN__")


def room_of(target, source, src):
    """The room that an include in quotes points into, or None for a generated or foreign header."""
    for candidate in (src / target, source.parent / target):
        if candidate.exists():
            return candidate.resolve().relative_to(src).parts[0]
    first = target.split("/")[0]
    return first if "/" in target and first in KNOWS else None


def violations(root):
    src = (Path(root) / "src").resolve()
    for source in sorted(p for p in src.rglob("*") if p.suffix in {".h", ".hpp", ".cpp", ".inc"}):
        name = source.relative_to(src).as_posix()
        room = name.split("/")[0]
        if room not in KNOWS:
            yield f"src/{name}: {room}/ is no room of the design"
            continue
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
            where = f"src/{name}:{number}"
            if PLATFORM_IFDEF.match(line):
                yield f"{where}: no #ifdef __EMSCRIPTEN__; a *_web.cpp and a *_native.cpp say it, and CMake chooses"
            found = INCLUDE.match(line)
            if not found:
                continue
            quoted, target = found[1] == '"', found[2]
            other = room_of(target, source, src) if quoted else None
            if other is not None and other != room and other not in KNOWS[room]:
                yield f"{where}: {room}/ must not know {other}/ ({target})"
            if other is None:
                for pattern, allowed, text in LIBRARIES:
                    if re.match(pattern, target) and not re.match(allowed, name):
                        yield f"{where}: {text} ({target})"


if __name__ == "__main__":
    found = list(violations(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
