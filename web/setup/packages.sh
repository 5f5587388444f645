# The system packages, by their Debian names (12 and 13). Sourced by setup.

fail() { printf '\n%s\n' "$@" >&2; exit 1; }

packages_of() {
  case $1 in
    native)  echo g++ cmake ninja-build python3 python3-venv libsdl2-dev libeigen3-dev doctest-dev rapidjson-dev \
                  libfast-float-dev libfmt-dev libexpected-dev zlib1g-dev librsvg2-dev nodejs npm ;;
    web)     echo emscripten bzip2 xz-utils esbuild ;;
    # Fonts: the pages under test show Japanese, Arabic and emoji, which a bare machine draws as boxes.
    browser) echo chromium fonts-dejavu-core fonts-droid-fallback fonts-noto-color-emoji ;;
    # The exporter runs on numpy; LEMON is the oracle of attention flow; xmllint and rsvg-convert read figures.
    tests)   echo python3-numpy liblemon-dev libxml2-utils librsvg2-bin ;;
    fuzz)    echo clang ;;
  esac
}

# What may come from elsewhere than apt (an emsdk, a newer node) counts as installed when its command is there.
command_of() {
  case $1 in
    nodejs) echo node ;; npm) echo npm ;; emscripten) echo emcc ;; chromium) echo chromium ;; clang) echo clang++ ;;
    cmake) echo cmake ;; ninja-build) echo ninja ;; g++) echo g++ ;; *) echo - ;;
  esac
}

installed() {
  command -v "$(command_of "$1")" >/dev/null ||
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# What only makes the site smaller: tried once, and done without where a release does not have it.
install_optional() {
  [ ! -e "$deps/terser.tried" ] && [ ! -e /usr/share/nodejs/terser ] && command -v apt-get >/dev/null || return 0
  touch "$deps/terser.tried"
  local root=(); [ "$(id -u)" = 0 ] || root=(sudo)
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends terser >>"$deps/apt.log" 2>&1 || true
}

# install_packages SET...: installs what is missing; does not touch the network when nothing is.
install_packages() {
  local missing=() set name
  for set in "$@"; do for name in $(packages_of "$set"); do installed "$name" || missing+=("$name"); done; done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || fail "Rollscope installs its tools by apt (Debian 12 or 13). Here, install these yourself: ${missing[*]}"
  local root=(); [ "$(id -u)" = 0 ] || root=(sudo)
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || fail "As root, run: apt-get install --no-install-recommends ${missing[*]}"
  echo "Installing ${missing[*]}"
  local log=$deps/apt.log
  { "${root[@]}" apt-get -q update &&
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 ||
    { tail -n 15 "$log" >&2
      fail "apt-get could not install: ${missing[*]}" "See $log. When the network is there, run this again; or install them by hand."; }
}
