"""The plugin of editors/neovim in a real Neovim."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gpuasync_lsp.text import Severity
from tests.support.markers import expected

from .conftest import CACHE, FIXTURES, HERE, REPO, require

pytestmark = [pytest.mark.editor, pytest.mark.slow]

STEPS = (
    "diagnostics",
    "hover",
    "fix",
    "code-action",
    "preview",
    "parts",
    "version",
    "explained",
    "diff",
    "streams",
    "passes",
    "run",
    "race",
    "test",
    "help",
    "health",
    "wiped",
)
FILES = {"run": "doubling.mlir", "race": "racing_kernels.mlir", "test": "lit_test.mlir"}
"""What a step edits, where it is not the rejected copy."""


@pytest.fixture
def nvim() -> str:
    return require("Neovim 0.11", CACHE / "python" / "bin" / "nvim")


@pytest.mark.parametrize("step", STEPS)
def test_neovim(nvim: str, step: str, server: str, workspace: Path, home: dict[str, str]) -> None:
    name = FILES.get(step, "refused_copy.mlir")
    act(nvim, step, server, workspace, {**home, "GPUASYNC_FILE": str(workspace / name)})


def test_three_errors_and_an_unknown_dialect(
    nvim: str, server: str, workspace: Path, home: dict[str, str]
) -> None:
    """The editor shows what the file's markers say, and nothing else."""
    file = shutil.copy(FIXTURES / "unknown" / "three_errors.mlir", workspace)
    marked = expected(Path(file).read_text())
    assert sum(marker.severity == Severity.ERROR for marker in marked) == 3
    shown = [f"{m.line}:{int(m.severity)}:{m.text.partition(':')[0]}" for m in marked]
    environment = {**home, "GPUASYNC_FILE": str(file), "GPUASYNC_EXPECTED": " ".join(sorted(shown))}
    act(nvim, "expected", server, workspace, environment)


def act(nvim: str, step: str, server: str, workspace: Path, environment: dict[str, str]) -> None:
    """Do a step of `neovim.lua`; the file to edit is in `environment`."""
    plugin = shutil.copytree(REPO / "editors" / "neovim", workspace.parent / "plugin")
    environment = {
        **environment,
        "GPUASYNC_PLUGIN": str(plugin),
        "GPUASYNC_SERVER": server,
        "GPUASYNC_STEP": step,
        "GPUASYNC_DUMP": str(REPO / "examples" / "dumps" / "two_streams.txt"),
    }
    command = [nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", f"+luafile {HERE / 'neovim.lua'}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert f"PASS {step}" in said
