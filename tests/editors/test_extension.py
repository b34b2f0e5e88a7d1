"""The extension's unit tests, and the files of its package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import zipfile
from collections.abc import Iterator

import pytest

from .conftest import REPO, require
from .workbench import NODE, VSIX

pytestmark = [pytest.mark.editor, pytest.mark.slow]

EXTENSION = REPO / "vscode-extension"


def test_npm() -> None:
    """The unit tests pass. Types, lint and format are checked when the .vsix is built."""
    node = require("Node", NODE)
    require("node_modules of the extension", EXTENSION / "node_modules")
    environment = {**os.environ, "PATH": f"{NODE.parent}:/usr/bin:/bin"}
    command = [node, str(NODE.with_name("npm").resolve()), "run", "--silent", "test"]
    done = subprocess.run(
        command, cwd=EXTENSION, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def paths(value: object) -> Iterator[str]:
    """Yield the strings in a JSON value that are paths of files."""
    match value:
        case str() if re.fullmatch(r"(\./)?[\w./-]+\.(js|json|md|png|svg)", value):
            yield value.removeprefix("./")
        case dict():
            for each in value.values():
                yield from paths(each)
        case list():
            for each in value:
                yield from paths(each)
        case _:
            pass


def test_files_that_the_manifest_names() -> None:
    """The .vsix has each icon, script and page that its package.json names."""
    with zipfile.ZipFile(require("the .vsix (make dist)", VSIX)) as archive:
        held = {name.removeprefix("extension/") for name in archive.namelist()}
        named = set(paths(json.loads(archive.read("extension/package.json"))["contributes"]))
        readme = archive.read("extension/readme.md").decode()
    assert {"media/icon.svg", "language-configuration.json"} <= named
    assert named <= held
    # The extension's page shows neither relative links nor files of the extension.
    assert [text[:5] for text in re.findall(r"!\[[^\]]*\]\(([^)]*)", readme)] == ["data:"] * 3
