"""The extension in the real VS Code workbench, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import REPO
from .workbench import Workbench, workbench

pytestmark = [pytest.mark.editor, pytest.mark.slow]

STEPS = (
    "diagnostics",
    "quick-fix",
    "fix-all",
    "hover",
    "inlay-hints",
    "completion",
    "rename",
    "preview",
    "preview-version",
    "diff",
    "streams",
    "run",
    "run-arguments",
    "status",
    "crash",
)


@pytest.fixture(scope="module")
def vscode(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with workbench(tmp_path_factory.mktemp("vscode"), server) as running:
        yield running


@pytest.mark.parametrize("step", STEPS)
def test_vscode(vscode: Workbench, step: str, workspace: Path) -> None:
    vscode.act(step, workspace)


def test_untrusted_workspace(server: str, workspace: Path, tmp_path: Path) -> None:
    with workbench(tmp_path / "vscode", server, trust=False) as vscode:
        vscode.act("untrusted", workspace)


def test_missing_server(workspace: Path, tmp_path: Path) -> None:
    """Highlighting works, and the offer to install the server is taken."""
    with workbench(tmp_path / "vscode", None, settings={"gpuasync.installFrom": str(REPO)}) as vscode:
        vscode.act("missing-server", workspace)
