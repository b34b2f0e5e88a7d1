"""The hooks in `.pre-commit-hooks.yaml`, installed and run by pre-commit."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.tools import ROOT

pytestmark = pytest.mark.slow

BROKEN = ROOT / "examples" / "broken" / "two_dependencies.mlir"
INFORMATION = ROOT / "examples" / "sound" / "leaking_join.mlir"
PARTS = (
    ".pre-commit-hooks.yaml",
    "LICENSE",
    "README.md",
    "docs/rules",
    "gpuasync_lsp",
    "hatch_build.py",
    "pyproject.toml",
)
"""The files that the hooks are installed from."""


def _git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=test", "-c", "user.email=test@example.com")
    done = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    """A git repository whose HEAD contains this package."""
    folder = tmp_path / "hooks"
    for name in PARTS:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    _git(folder, "init", "--quiet")
    _git(folder, "add", ".")
    _git(folder, "commit", "--quiet", "--message", "The hooks")
    return folder


def test_the_hooks(hooks: Path, tmp_path: Path) -> None:
    """`gpuasync-check` rejects the program, and `gpuasync-fix` repairs it, after which both pass.

    Findings of level information are ignored, and excluded files are neither checked nor repaired."""
    project = tmp_path / "project"
    project.mkdir()
    program = Path(shutil.copy(BROKEN, project))
    shutil.copy(INFORMATION, project)
    (project / "gpuasync.toml").write_text('extend-exclude = ["third_party/"]\n')
    (project / "third_party").mkdir()
    excluded = Path(shutil.copy(BROKEN, project / "third_party"))
    names = ("gpuasync-check", "gpuasync-fix")
    repository = {
        "repo": str(hooks),
        "rev": _git(hooks, "rev-parse", "HEAD"),
        "hooks": [{"id": n} for n in names],
    }
    (project / ".pre-commit-config.yaml").write_text(json.dumps({"repos": [repository]}))  # JSON is YAML
    _git(project, "init", "--quiet")
    _git(project, "add", ".")
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home")}

    def hook(*names: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "pre_commit", "run", *names, "--all-files"]
        done = subprocess.run(
            command, cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        return done.returncode, done.stdout + done.stderr

    status, said = hook("gpuasync-check")
    assert status == 1, said
    assert "error[GA101]" in said
    assert program.read_text() == BROKEN.read_text()
    status, said = hook("gpuasync-fix")
    assert status == 1, said  # A hook that changes files fails, so that users review the change.
    assert "files were modified by this hook" in said
    _git(project, "add", ".")
    status, said = hook()
    assert status == 0, said
    assert excluded.read_text() == BROKEN.read_text()
