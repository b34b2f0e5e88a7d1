"""The wheel and the sdist: whole, and each of use in an environment that holds nothing else.

`GPUASYNC_DIST` names a folder where `make dist` has put them; without it they are built here. The extension
for VS Code is installed and used by `tests/editors`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from gpuasync_lsp import __version__
from tests.support.tools import ROOT

pytestmark = pytest.mark.slow

NAME = f"gpuasync_lsp-{__version__}"
BROKEN = ROOT / "examples" / "broken" / "two_dependencies.mlir"


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the wheel and the sdist. The wheel is built from the sdist, which shows it sufficient."""
    given = os.environ.get("GPUASYNC_DIST")
    if given:
        return Path(given)
    folder = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="module", params=[f"{NAME}-py3-none-any.whl", f"{NAME}.tar.gz"], ids=["wheel", "sdist"])
def installed(request: pytest.FixtureRequest, dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program in an environment of its own, installed from the wheel or the sdist."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    _run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", dist / request.param)
    return folder / "bin" / "gpuasync-lsp"


def test_both_are_fit_for_the_package_index(dist: Path) -> None:
    files = [dist / f"{NAME}.tar.gz", dist / f"{NAME}-py3-none-any.whl"]
    _run(sys.executable, "-m", "twine", "check", "--strict", *files)


def test_the_sdist_holds_the_repository(dist: Path) -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("no git checkout to compare with")
    with tarfile.open(dist / f"{NAME}.tar.gz") as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    assert tracked - held == set()
    assert {name for name in held if "node_modules/" in name or name.endswith((".vsix", ".pyc"))} == set()


def test_the_wheel_holds_the_package_only(dist: Path) -> None:
    with zipfile.ZipFile(dist / f"{NAME}-py3-none-any.whl") as archive:
        held = set(archive.namelist())
    assert {name.partition("/")[0] for name in held} == {"gpuasync_lsp", f"{NAME}.dist-info"}
    sources = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "gpuasync_lsp").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    pages = {f"gpuasync_lsp/rule_pages/{path.name}" for path in (ROOT / "docs" / "rules").iterdir()}
    assert {name for name in held if name.startswith("gpuasync_lsp/")} == sources | pages


def test_the_commands(installed: Path, tmp_path: Path) -> None:
    assert _run(installed, "--version", cwd=tmp_path).split() == ["gpuasync-lsp", __version__]
    assert "too-many-dependencies" in _run(installed, "explain", "GA101", cwd=tmp_path)
    (tmp_path / "copy.mlir").write_text(BROKEN.read_text())
    found = json.loads(_run(installed, "check", "--output-format", "json", "--exit-zero", ".", cwd=tmp_path))
    assert [finding["code"] for finding in found if finding["severity"] == "error"] == ["GA101"]
    _run(installed, "check", "--fix", "--select", "GA101", "copy.mlir", cwd=tmp_path)
    assert "@mgpuMemcpy" in _run(installed, "lower", "--llvm", "22", "copy.mlir", cwd=tmp_path)


def test_the_server(installed: Path, tmp_path: Path) -> None:
    messages = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    asked = "".join(f"Content-Length: {len(body)}\r\n\r\n{body}" for body in bodies)
    answers = _messages(_run(installed, "--stdio", cwd=tmp_path, given=asked))
    (result,) = (answer["result"] for answer in answers if answer.get("id") == 1)
    assert result["serverInfo"] == {"name": "gpuasync-lsp", "version": __version__}
    assert result["capabilities"]["hoverProvider"]
    assert any(answer.get("id") == 2 and answer["result"] is None for answer in answers)


def _messages(stream: str) -> list[dict[str, object]]:
    """Return the messages of what a server wrote; they are ASCII."""
    found: list[dict[str, object]] = []
    while stream:
        head, _, stream = stream.partition("\n\n")  # text mode has read \r\n as \n
        length = int(head.partition("Content-Length: ")[2].split()[0])
        found.append(json.loads(stream[:length]))
        stream = stream[length:]
    return found


def _run(*command: str | Path, cwd: Path = ROOT, given: str = "") -> str:
    """Run a program away from this environment, and return what it printed; it must succeed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
    return done.stdout
