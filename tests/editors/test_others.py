"""Configurations for editors without a test: they parse, and use the server's current name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from .conftest import CACHE, FIXTURES, REPO, require

EDITORS = REPO / "editors"
COMMAND = ["gpuasync-lsp", "--stdio"]

pytestmark = pytest.mark.editor


def test_helix() -> None:
    settings = tomllib.loads((EDITORS / "helix" / "languages.toml").read_text())
    server = settings["language-server"]["gpuasync"]
    assert [server["command"], *server["args"]] == COMMAND
    assert settings["language"][0]["language-servers"] == ["gpuasync"]


def test_zed() -> None:
    manifest = tomllib.loads((EDITORS / "zed" / "extension.toml").read_text())
    language = tomllib.loads((EDITORS / "zed" / "languages" / "mlir" / "config.toml").read_text())
    package = tomllib.loads((EDITORS / "zed" / "Cargo.toml").read_text())
    assert manifest["language_servers"]["gpuasync"]["languages"] == [language["name"]]
    assert manifest["version"] == package["package"]["version"]


def test_sublime_settings() -> None:
    settings = json.loads((EDITORS / "sublime" / "LSP.sublime-settings").read_text())
    assert settings["clients"]["gpuasync"]["command"] == COMMAND


def test_sublime_syntax() -> None:
    python = require("Python with PyYAML", CACHE / "python" / "bin" / "python")
    syntax = EDITORS / "sublime" / "MLIR.sublime-syntax"
    script = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"
    with syntax.open("rb") as source:
        done = subprocess.run([python, "-c", script], stdin=source, capture_output=True, check=True)
    parsed: dict[str, Any] = json.loads(done.stdout)
    pushed = {rule["push"] for rules in parsed["contexts"].values() for rule in rules if "push" in rule}
    assert parsed["scope"] == "source.mlir"
    assert pushed == set(parsed["contexts"]) - {"main"}


def test_kate_settings() -> None:
    settings = json.loads((EDITORS / "kate" / "lsp.json").read_text())
    assert settings["servers"]["mlir"]["command"] == COMMAND


def test_kate_highlighting(tmp_path: Path) -> None:
    """Kate's own highlighter gives ops, values, symbols, types and numbers different colors."""
    highlighter = require("kate-syntax-highlighter", shutil.which("kate-syntax-highlighter"))
    folder = tmp_path / "org.kde.syntax-highlighting" / "syntax"
    folder.mkdir(parents=True)
    shutil.copy(EDITORS / "kate" / "mlir.xml", folder)
    command = [highlighter, "--output-format", "html", str(FIXTURES / "refused_copy.mlir")]
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "MLIR" not in done.stderr, done.stderr  # Kate names definitions that it cannot load.
    for part in ("gpu.memcpy", "%t3", "@main", "memref", "2"):
        assert f">{part}</span>" in done.stdout, done.stdout
