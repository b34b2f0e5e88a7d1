#!/bin/sh
# What `make demo` shows: a diagnosis, its repair, and the lowered code. BIN is the folder of gpuasync-lsp.
set -eu
tool="${BIN:-.venv/bin}/gpuasync-lsp"
file=examples/broken/two_dependencies.mlir
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

bold= plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); fi

show() {
  printf '\n%s$ %s%s\n' "$bold" "$*" "$plain" | sed "s|$scratch/||g; s|$tool|gpuasync-lsp|g"
  status=0
  "$@" || status=$?
}

expect() {
  [ "$status" -eq "$1" ] || { echo "demo: expected exit status $1, got $status" >&2; exit 1; }
}

echo 'A copy that no LLVM lowers, most of them silently:'
show "$tool" check "$file"
expect 1
echo
echo 'The repair, first as a diff, then applied to a copy of the file:'
show "$tool" check --diff "$file"
expect 1
cp "$file" "$scratch/two_dependencies.mlir"
show "$tool" check --fix "$scratch/two_dependencies.mlir"
expect 0
echo
echo 'What mlir-opt 22 makes of the repaired file:'
show "$tool" lower --llvm 22 "$scratch/two_dependencies.mlir"
expect 0
echo
echo 'Faults that every release lowers without a word:'
show "$tool" check --select GA2,GA4 examples/broken
expect 1
echo
echo 'Nothing at warning or above in the sound half of the examples:'
show "$tool" check --ignore GA5 examples/sound
expect 0
