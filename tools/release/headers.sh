#!/bin/sh
# headers.sh DIR VERSION...: puts the .td files and the llvm-tblgen of Debian's packages into DIR, for
# `python -m tools.release VERSION --include DIR/usr/lib/llvm-VERSION/include,DIR/usr/include/llvm-VERSION`.
# Nothing is installed. A release that the system's sources lack comes from Debian sid, by the lists and the
# loader of the folder LLVM_SID (shared tools/debian-sid/install.sh makes it).
set -eu
mkdir -p "$1"
home=$(cd "$1" && pwd)
shift
sid=${LLVM_SID:-$(dirname "$(mktemp -u)")/sid}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

for version in "$@"; do
  tblgen="$home/usr/lib/llvm-$version/bin/llvm-tblgen"
  [ ! -x "$tblgen" ] || continue
  from="-oAPT::Sandbox::User=root"
  if [ -z "$(apt-cache search --names-only "^libmlir-$version-dev\$")" ]; then
    from="$from -oDir::Etc::sourcelist=$sid/sources.list -oDir::Etc::sourceparts=/dev/null"
    from="$from -oDir::State::Lists=$sid/lists -oDir::Cache=$sid/cache"
  fi
  # The options have no spaces. shellcheck disable=SC2086
  (cd "$place" && apt-get $from download -qq "libmlir-$version-dev" "llvm-$version-dev" "llvm-$version")
  for package in "$place"/*.deb; do
    dpkg-deb --fsys-tarfile "$package" \
      | tar -x -C "$home" --wildcards --exclude='*/share/*' '*.td' '*/bin/llvm-tblgen' 2>/dev/null || true
    rm "$package"
  done
  # The files of llvm-VERSION-dev are in /usr/include, which its other folder links to.
  if ! "$tblgen" --version >/dev/null 2>&1; then
    root="$sid/root-$version"
    loader=$(find "$root" -name ld-linux-x86-64.so.2 | head -1)
    mv "$tblgen" "$tblgen.real"
    libraries="$root/usr/lib/x86_64-linux-gnu:$root/usr/lib/llvm-$version/lib:$root/lib/x86_64-linux-gnu"
    printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s.real" "$@"\n' "$loader" "$libraries" "$tblgen" >"$tblgen"
    chmod +x "$tblgen"
  fi
  "$tblgen" --version | grep version
done
