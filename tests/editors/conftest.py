"""Shared by the editor tests: the server as a user installs it, and separate folders for each test.

The editors are installed by `editors/setup.sh`. A missing one skips its tests visibly, or fails them with
`GPUASYNC_REQUIRE_TOOLS=1`, which CI sets.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.tools import missing

HERE = Path(__file__).parent
REPO = HERE.parent.parent
FIXTURES = HERE / "fixtures"
CACHE = Path(os.environ.get("GPUASYNC_EDITORS", REPO / ".cache" / "editors"))


def require(what: str, found: str | Path | None) -> str:
    """Return `found` as text; if it is missing, skip the test, or fail it in CI."""
    if found is None or not Path(found).exists():
        missing(f"{what} is missing; tests/editors/setup.sh installs it")
    return str(found)


@pytest.fixture(scope="session")
def server() -> str:
    """The installed `gpuasync-lsp`, or the program that GPUASYNC_TEST_SERVER names."""
    given = os.environ.get("GPUASYNC_TEST_SERVER")
    beside = Path(sys.executable).with_name("gpuasync-lsp")
    return require("gpuasync-lsp", given or (beside if beside.exists() else shutil.which("gpuasync-lsp")))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with the fixture that LLVM rejects, `refused_copy.mlir`."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    for fixture in FIXTURES.glob("*.mlir"):
        shutil.copy(fixture, folder)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment with an empty home folder, so that the user's configuration has no effect."""
    folder = tmp_path / "home"
    folder.mkdir()
    places = {
        name: str(folder)
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    }
    return {**os.environ, **places}
