# Sources of Debian packages. Sourced by setup, after packages.sh and steps.sh.

# SDL2 and zlib for the browser: the sources of this machine's own Debian release (newer SDL does not compile with
# Debian 12's emcc), by a package list of our own, so that the system's list of sources stays as it is. Only the
# upstream archives, which apt checks as it does packages: Debian's patches are not for the browser, and mirrors
# have been seen to lack them.
fetch_sources() {
  local suite mirror keyring own=$deps/apt
  suite=$(. /etc/os-release; echo "${VERSION_CODENAME:-}")
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "Codename: $suite" | sort -u | head -n 1)
  keyring=$(ls /usr/share/keyrings/debian-archive-keyring.* 2>/dev/null | head -n 1)
  [ -n "$mirror" ] || fail "apt lists no Debian archive for '$suite'. Run apt-get update, or build on Debian 12 or 13."
  rm -rf "$own" "$deps/sdl2" "$deps/zlib"
  mkdir -p "$own/lists/partial" "$own/cache/archives/partial" "$own/src"
  printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$mirror" "$suite" "$keyring" > "$own/own.sources"
  local options=(-q -o "Dir::Etc::SourceList=$own/own.sources" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$own/lists" -o "Dir::Cache=$own/cache" -o "APT::Sandbox::User=$(id -un)")
  { quietly apt-source apt-get "${options[@]}" update &&
    (cd "$own/src" && quietly apt-source apt-get "${options[@]}" source --tar-only libsdl2 zlib); } ||
    fail "apt could not fetch the source packages libsdl2 and zlib of Debian $suite." "See build/deps/apt-source.log; run this again when the archive can be reached."
  local pair
  for pair in libsdl2:sdl2 zlib:zlib; do
    mkdir "$deps/${pair#*:}"
    tar -xf "$own/src/${pair%:*}"_*.orig.tar.* -C "$deps/${pair#*:}" --strip-components=1
  done
  rm -rf "$own"
}
