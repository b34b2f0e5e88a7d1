"""The package in editors/emacs, in a real Emacs with eglot."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import HERE, REPO, require

pytestmark = [pytest.mark.editor, pytest.mark.slow]

STEPS = ("diagnostics", "hover", "fix", "preview", "narrowed", "killed", "streams", "run", "test")
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


def batch(emacs: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [emacs, "--batch", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)


def test_package_compiles_without_warnings(emacs: str, tmp_path: Path) -> None:
    source = shutil.copy(REPO / "editors" / "emacs" / "gpuasync.el", tmp_path)
    strict = ("--eval", "(setq byte-compile-error-on-warn t)")
    compiled = batch(emacs, *strict, "-f", "batch-byte-compile", str(source))
    assert compiled.returncode == 0, compiled.stdout + compiled.stderr
    # checkdoc prints a line for each complaint.
    checked = batch(emacs, "--eval", f'(checkdoc-file "{source}")')
    assert (checked.returncode, "Warning" in checked.stderr) == (0, False), checked.stderr


def test_commands_without_loading_the_package(emacs: str, tmp_path: Path) -> None:
    """A package manager reads the autoloads; the text names no release, which would become outdated."""
    source = Path(shutil.copy(REPO / "editors" / "emacs" / "gpuasync.el", tmp_path))
    commands = ("preview", "streams", "passes", "run", "test", "update-checks")
    asked = " ".join(f"(autoloadp (symbol-function 'gpuasync-{name}))" for name in commands)
    generate = f"(progn (require 'package) (package-generate-autoloads 'gpuasync \"{tmp_path}\"))"
    load = f'(load "{tmp_path}/gpuasync-autoloads.el")'
    done = batch(emacs, "-Q", "--eval", generate, "--eval", load, "--eval", f"(princ (list {asked}))")
    assert done.stdout.endswith(f"({' '.join(['t'] * len(commands))})"), done.stdout + done.stderr
    assert not re.search(r"LLVM \d", source.read_text())
