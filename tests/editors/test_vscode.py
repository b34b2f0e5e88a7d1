"""The extension in the real VS Code workbench, in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.tools import mlir_opt

from .conftest import FIXTURES, REPO
from .workbench import Workbench, shim, workbench

pytestmark = [pytest.mark.editor, pytest.mark.slow]

STEPS = (
    "diagnostics",
    "quick-fix",
    "fix-all",
    "hover",
    "inlay-hints",
    "colours",
    "completion",
    "rename",
    "preview",
    "preview-explained",
    "preview-compare",
    "preview-pickers",
    "preview-scroll",
    "diff",
    "streams",
    "passes",
    "run",
    "run-arguments",
    "run-cancelled",
    "run-findings",
    "status",
    "crash",
    "walkthrough",
)


@pytest.fixture(scope="module")
def vscode(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with workbench(tmp_path_factory.mktemp("vscode"), server) as running:
        yield running


@pytest.mark.parametrize("step", STEPS)
def test_vscode(vscode: Workbench, step: str, workspace: Path) -> None:
    vscode.act(step, workspace)


def test_three_errors_and_an_unknown_dialect(vscode: Workbench, tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "unknown" / "three_errors.mlir", tmp_path)
    vscode.act("three-errors", tmp_path)


def test_untrusted_workspace(server: str, workspace: Path, tmp_path: Path) -> None:
    with workbench(tmp_path / "vscode", server, trust=False) as vscode:
        vscode.act("untrusted", workspace)


def test_missing_server(workspace: Path, tmp_path: Path) -> None:
    """Highlighting works, and the offer to install the server is taken."""
    with workbench(tmp_path / "vscode", None, settings={"gpuasync.installFrom": str(REPO)}) as vscode:
        vscode.act("missing-server", workspace)


def test_selected_python_environment(server: str, workspace: Path, tmp_path: Path) -> None:
    """The server of the environment that is selected in the Python extension, with none on PATH."""
    programs = workspace / ".venv" / "bin"
    programs.mkdir(parents=True)
    shim(programs, server, tmp_path / "selected.pid")
    with workbench(tmp_path / "vscode", None, beside="ms-python.python-2026.1.0") as vscode:
        vscode.act("found", workspace)
    assert (tmp_path / "selected.pid").exists()


def test_python_environment_of_an_untrusted_workspace(server: str, workspace: Path, tmp_path: Path) -> None:
    """A program that comes with an untrusted workspace is not started."""
    programs = workspace / ".venv" / "bin"
    programs.mkdir(parents=True)
    shim(programs, server, tmp_path / "selected.pid")
    beside = "ms-python.python-2026.1.0"
    with workbench(tmp_path / "vscode", None, trust=False, beside=beside) as vscode:
        vscode.act("untrusted-without-server", workspace)
    assert not (tmp_path / "selected.pid").exists()


def test_beside_llvm_extension(server: str, workspace: Path, tmp_path: Path) -> None:
    """LLVM's grammar and server stay; ours adds diagnostics and leaves definitions alone."""
    beside = "llvm-vs-code-extensions.vscode-mlir-1.0.0"
    with workbench(tmp_path / "vscode", server, beside=beside) as vscode:
        vscode.act("beside-llvm", workspace)


def test_own_mlir_opt(server: str, workspace: Path, tmp_path: Path) -> None:
    """The preview by the user's own mlir-opt, and that ours prints the same."""
    settings = {"gpuasync.mlirOpt": mlir_opt(22).command[0]}
    with workbench(tmp_path / "vscode", server, settings=settings) as vscode:
        vscode.act("engine", workspace)


def test_another_mlir_opt(server: str, workspace: Path, tmp_path: Path) -> None:
    """An mlir-opt that prints something else: both side by side, and a report to copy."""
    other = tmp_path / "mlir-opt"
    other.write_text(f"#!/bin/sh\n{mlir_opt(22).command[0]} \"$@\" | sed 's/mgpuMemcpy/mgpuMemcpyToo/g'\n")
    other.chmod(0o755)
    with workbench(tmp_path / "vscode", server, settings={"gpuasync.mlirOpt": str(other)}) as vscode:
        vscode.act("engine-differs", workspace)
