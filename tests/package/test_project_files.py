"""Files at the root for people and services: workflows, the action, generated pages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gpuasync_lsp import __version__
from gpuasync_lsp.exec import report_to_json
from gpuasync_lsp.exec.report import Operation, Place, RunFinding, RunRelated, RunReport, Value
from tests.support.tools import ROOT, missing
from tools import release_check, semantics_page


def test_the_semantics_page_is_up_to_date() -> None:
    stale = [path.name for path, text in semantics_page.files() if path.read_text() != text]
    assert stale == [], "run `make docs`"


def _checked(*arguments: str) -> None:
    program = Path(sys.executable).with_name("check-jsonschema")
    if not program.exists():
        missing("check-jsonschema is not installed (make .venv/developed)")
    done = subprocess.run([program, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_workflows_and_action_follow_their_schemas() -> None:
    workflows = sorted(map(str, (ROOT / ".github" / "workflows").glob("*.yml")))
    _checked("--builtin-schema", "vendor.github-workflows", *workflows)
    _checked("--builtin-schema", "vendor.github-actions", "action.yml")


@pytest.mark.slow
def test_workflows_and_action_are_safe() -> None:
    program = Path(sys.executable).with_name("zizmor")
    if not program.exists():
        missing("zizmor is not installed (make .venv/developed)")
    done = subprocess.run(
        [program, "--offline", "--no-progress", ".github", "action.yml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def _action() -> Any:
    yaml = pytest.importorskip("ruamel.yaml")
    return yaml.YAML(typ="safe").load(ROOT / "action.yml")


def _run_check_step(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the action's last step in `folder`, like a GitHub runner."""
    action = _action()
    given = {name: str(what["default"]) for name, what in action["inputs"].items()} | inputs
    step = action["runs"]["steps"][-1]
    environment = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: given[match[1]], value)
        for name, value in step["env"].items()
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**os.environ, **environment, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


BROKEN = ROOT / "examples" / "broken" / "two_dependencies.mlir"
SOUND = ROOT / "examples" / "sound" / "two_dependencies.mlir"


def test_the_action_annotates_and_fails(tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text(BROKEN.read_text())
    done = _run_check_step(tmp_path, llvm="22", sarif="out.sarif")
    assert done.returncode == 1
    assert "::error file=f.mlir,line=12" in done.stdout
    assert '"GA101"' in (tmp_path / "out.sarif").read_text()


def test_the_action_passes_on_sound_files(tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text(SOUND.read_text())
    assert _run_check_step(tmp_path, args="--ignore GA5").returncode == 0


def test_inputs_of_the_action_run_nothing(tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text(SOUND.read_text())
    _run_check_step(tmp_path, args="$(touch made); `touch made`", paths="f.mlir;touch made")
    assert not (tmp_path / "made").exists()


def test_all_files_have_the_version_of_the_package() -> None:
    found = {
        path: (match := re.search(pattern, (ROOT / path).read_text(), re.M)) and match[1]
        for path, pattern in release_check.VERSIONS.items()
    }
    assert found == dict.fromkeys(release_check.VERSIONS, __version__)


def test_the_page_of_json_outputs_names_every_field_of_a_run() -> None:
    page = (ROOT / "docs" / "json.md").read_text()
    place = Place(0, 1, 1)
    finding = RunFinding("data-race", "error", place, "", (RunRelated(place, ""),))
    value = Value("", "", "", shape=(1,), elements=(1.0,))
    operation = Operation("", "host", 0.0, 1.0, place)
    report = report_to_json(RunReport("ok", findings=(finding,), values=(value,), operations=(operation,)))
    nested = (report, report["findings"][0], report["values"][0], report["operations"][0], report["place"])
    assert [key for each in nested for key in each if f"`{key}`" not in page] == []
