"""The package in editors/emacs, in a real Emacs with eglot."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import HERE, REPO, require

pytestmark = [pytest.mark.editor, pytest.mark.slow]

STEPS = ("diagnostics", "hover", "fix", "preview", "streams", "run", "test")
FILES = {"run": "doubling.mlir", "test": "lit_test.mlir"}


@pytest.fixture(scope="module")
def emacs() -> str:
    return require("Emacs", shutil.which("emacs"))


@pytest.mark.parametrize("step", STEPS)
def test_eglot(emacs: str, step: str, server: str, workspace: Path, home: dict[str, str]) -> None:
    environment = {
        **home,
        "GPUASYNC_PLUGIN": str(REPO / "editors" / "emacs"),
        "GPUASYNC_SERVER": server,
        "GPUASYNC_FILE": str(workspace / FILES.get(step, "refused_copy.mlir")),
        "GPUASYNC_STEP": step,
    }
    command = [emacs, "--batch", "-l", str(HERE / "eglot.el")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"PASS {step}" in done.stdout


def test_without_a_server_a_command_says_what_to_start(emacs: str, workspace: Path) -> None:
    call = "(condition-case said (gpuasync-streams) (user-error (princ (error-message-string said))))"
    package = ("-L", str(REPO / "editors" / "emacs"), "-l", "gpuasync.el")
    command = [emacs, "-Q", "--batch", *package, str(workspace / "refused_copy.mlir"), "--eval", call]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "start one with M-x eglot" in done.stdout


def test_lsp_mode(emacs: str, server: str, workspace: Path, home: dict[str, str]) -> None:
    environment = {
        **home,
        "GPUASYNC_PLUGIN": str(REPO / "editors" / "emacs"),
        "GPUASYNC_SERVER": server,
        "GPUASYNC_FILE": str(workspace / "refused_copy.mlir"),
    }
    command = [emacs, "--batch", "-l", str(HERE / "lsp_mode.el")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS lsp-mode" in done.stdout


def test_package_compiles_without_warnings(emacs: str, tmp_path: Path) -> None:
    source = shutil.copy(REPO / "editors" / "emacs" / "gpuasync.el", tmp_path)
    command = [
        emacs,
        "--batch",
        "--eval",
        "(setq byte-compile-error-on-warn t)",
        "-f",
        "batch-byte-compile",
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
