# The steps that fill build/deps. Sourced by setup, after packages.sh.

# step NAME INPUT... -- COMMAND...: runs the command unless it succeeded before with the same inputs.
step() {
  local name=$1 inputs=() stamp=$deps/stamps/$1 now file; shift
  while [ "$1" != -- ]; do inputs+=("$1"); shift; done; shift
  now=$(for file in "${inputs[@]}"; do if [ -e "$file" ]; then sha256sum < "$file"; else echo absent; fi; done; echo "$*")
  [ "$(cat "$stamp" 2>/dev/null)" = "$now" ] && return 0
  rm -f "$stamp"
  echo "Setting up $name"
  "$@"
  echo "$now" > "$stamp"
}

# quietly NAME COMMAND...: the output goes to a log, of which the end is shown when the command fails.
quietly() {
  local log=$deps/$1.log; shift
  "$@" >"$log" 2>&1 || { tail -n 25 "$log" >&2; return 1; }
}

# emcc does not search /usr/include and must not; these libraries are headers alone.
link_headers() {
  local name
  for name in tl fmt rapidjson fast_float eigen3; do
    [ -e "$deps/include/$name" ] || ln -sfn "/usr/include/$name" "$deps/include/$name"
  done
}

python_venv() {
  [ -x "$deps/venv/bin/pip" ] || quietly venv python3 -m venv "$deps/venv" ||
    fail "Could not make a Python environment in build/deps/venv. Is python3-venv installed?"
}

# Dear ImGui with docking and dynamic fonts is in no Debian package; the source package of imgui-bundle on PyPI
# carries it. Only Dear ImGui itself is kept.
fetch_imgui() {
  local name version sum archive
  read -r name version sum < <(sed -n 's/^\(imgui-bundle\)==\([^ ]*\) .*sha256:\([0-9a-f]*\).*/\1 \2 \3/p' "$here/requirements.txt")
  archive=$deps/downloads/imgui_bundle-$version.tar.gz
  if ! echo "$sum  $archive" | sha256sum --status -c 2>/dev/null; then
    rm -f "$archive"
    python_venv
    grep '^imgui-bundle' "$here/requirements.txt" > "$deps/imgui-requirement.txt"
    quietly imgui-download "$deps/venv/bin/pip" download --no-deps --no-binary imgui-bundle --require-hashes \
        -r "$deps/imgui-requirement.txt" -d "$deps/downloads" ||
      fail "Could not fetch imgui-bundle $version (Dear ImGui's sources) from PyPI." \
           "Run this again when PyPI can be reached, or put imgui_bundle-$version.tar.gz into build/deps/downloads."
  fi
  rm -rf "$deps/imgui"; mkdir -p "$deps/imgui"
  tar -xzf "$archive" -C "$deps/imgui" --strip-components=4 "imgui_bundle-$version/external/imgui/imgui"
}

# npm_install NAME FOLDER: the packages of FOLDER/package-lock.json, checked by its hashes, into build/deps/npm/NAME.
npm_install() {
  local to=$deps/npm/$1
  rm -rf "$to"; mkdir -p "$to"
  cp "$2/package.json" "$2/package-lock.json" "$top/.npmrc" "$to/"
  quietly "npm-$1" npm ci --prefix "$to" --ignore-scripts ||
    fail "Could not fetch the packages of ${2#"$top"/}/package.json from npm." "Run this again when the npm registry can be reached."
}

fetch_font_tools() {
  python_venv
  npm_install web "$here"
  grep '^fonttools' "$here/requirements.txt" > "$deps/fonttools-requirement.txt"
  quietly fonttools "$deps/venv/bin/pip" install --no-deps --require-hashes -r "$deps/fonttools-requirement.txt" ||
    fail "Could not fetch fonttools from PyPI." "Run this again when PyPI can be reached."
}

make_fonts() {
  quietly fonts "$deps/venv/bin/python" "$here/fonts.py" "$deps/npm/web/node_modules" "$deps/fonts" "$top/web/locales/ja.json" ||
    fail "The typefaces could not be cut; see build/deps/fonts.log."
}

# build_third_party native|web: Dear ImGui, and for the browser SDL2 and zlib, into build/deps/<which>/lib.
build_third_party() {
  local which=$1 project=$here/third_party arguments=() inputs=()
  inputs=("$project/CMakeLists.txt" "$top/web/setup/cmake/config_for_imgui.h" "$deps/stamps/imgui")
  if [ "$which" = web ]; then
    arguments=(-DCMAKE_TOOLCHAIN_FILE="$top/web/setup/cmake/emscripten.cmake")
    # Another emcc may lay out structures or symbols otherwise.
    inputs+=("$project/sdl2_config.h" "$project/no_gl_lookup.c" "$deps/stamps/sources" "$(dirname "$(readlink -f "$(command -v emcc)")")/emscripten-version.txt")
  fi
  step "third-party-$which" "${inputs[@]}" \
    -- compile_third_party "$which" "${arguments[@]}"
}

compile_third_party() {
  local which=$1; shift
  export NODE_PATH=/usr/share/nodejs  # emcc of Debian 12 finds acorn there and nowhere else
  rm -rf "$deps/$which"
  { quietly "third-party-$which" cmake -S "$here/third_party" -B "$deps/$which" -G Ninja -DROLLSCOPE_DEPS="$deps" "$@" &&
    quietly "third-party-$which" cmake --build "$deps/$which"; } ||
    fail "Third-party libraries did not compile for $which; see build/deps/third-party-$which.log."
}
