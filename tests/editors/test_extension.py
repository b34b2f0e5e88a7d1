"""The extension's own checks: types, lint, format, grammar, and tests of the code that needs no editor."""

from __future__ import annotations

import os
import subprocess

import pytest

from .conftest import REPO, require
from .workbench import NODE

pytestmark = [pytest.mark.editor, pytest.mark.slow]

EXTENSION = REPO / "vscode-extension"


@pytest.mark.parametrize("script", ["check", "test"])
def test_npm(script: str) -> None:
    node = require("Node", NODE)
    require("node_modules of the extension", EXTENSION / "node_modules")
    environment = {**os.environ, "PATH": f"{NODE.parent}:/usr/bin:/bin"}
    command = [node, str(NODE.with_name("npm").resolve()), "run", "--silent", script]
    done = subprocess.run(
        command, cwd=EXTENSION, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
