"""The plugin in editors/neovim, in a real Neovim."""

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
"""The file that each step edits, other than the rejected copy."""


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
    """The editor shows exactly the diagnostics of the file's markers."""
    file = shutil.copy(FIXTURES / "unknown" / "three_errors.mlir", workspace)
    marked = expected(Path(file).read_text())
    assert sum(marker.severity == Severity.ERROR for marker in marked) == 3
    shown = [f"{m.line}:{int(m.severity)}:{m.text.partition(':')[0]}" for m in marked]
    environment = {**home, "GPUASYNC_FILE": str(file), "GPUASYNC_EXPECTED": " ".join(sorted(shown))}
    act(nvim, "expected", server, workspace, environment)


def test_missing_server(nvim: str, workspace: Path, home: dict[str, str]) -> None:
    """Opening a file reports the missing program, and the health check says what to do."""
    plugin = REPO / "editors" / "neovim"
    config = (
        "vim.lsp.config('gpuasync', { cmd = { 'no-such-server', '--stdio' } }) vim.lsp.enable('gpuasync')"
    )
    command = [nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd", f"set runtimepath^={plugin}"]
    command += ["-c", f"source {plugin}/ftdetect/mlir.lua", "-c", f"source {plugin}/plugin/gpuasync.lua"]
    command += ["-c", "filetype plugin on", "-c", f"lua {config}", "-c", "edit refused_copy.mlir"]
    command += ["-c", "checkhealth gpuasync", "-c", "write! health.txt", "-c", "qall!"]
    done = subprocess.run(
        command, cwd=workspace, env=home, capture_output=True, text=True, timeout=200, check=False
    )
    assert "gpuasync: no-such-server is not installed, see :checkhealth gpuasync" in done.stderr
    health = (workspace / "health.txt").read_text()
    assert "no-such-server is not executable" in health
    assert "pip install" in health


def act(nvim: str, step: str, server: str, workspace: Path, environment: dict[str, str]) -> None:
    """Run a step of `neovim.lua`; `environment` names the file to edit."""
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
