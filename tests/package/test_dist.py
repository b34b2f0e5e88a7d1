"""The wheel and the sdist: complete, and usable in an otherwise empty environment.

The same holds for the Python files in the VS Code extension. `GPUASYNC_DIST` names the output folder of
`make dist`; without it wheel and sdist are built here. `tests/editors` installs and tests the extension.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from gpuasync_lsp import __version__
from tests.support.tools import ROOT, missing

pytestmark = pytest.mark.slow

NAME = f"gpuasync_lsp-{__version__}"
BROKEN = ROOT / "examples" / "broken" / "two_dependencies.mlir"


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the wheel and the sdist. The wheel is built from the sdist, to check that it is
    complete."""
    given = os.environ.get("GPUASYNC_DIST")
    if given:
        return Path(given)
    folder = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="module", params=[f"{NAME}-py3-none-any.whl", f"{NAME}.tar.gz"], ids=["wheel", "sdist"])
def installed(request: pytest.FixtureRequest, dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program in a new environment, installed from the wheel or the sdist."""
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
    assert {name.partition("/")[0] for name in held} == {"gpuasync_lsp", f"{NAME}.dist-info", f"{NAME}.data"}
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
    assert [finding["code"] for finding in found["findings"] if finding["severity"] == "error"] == ["GA101"]
    _run(installed, "check", "--fix", "--select", "GA101", "copy.mlir", cwd=tmp_path)
    assert "@mgpuMemcpy" in _run(installed, "lower", "--llvm", "22", "copy.mlir", cwd=tmp_path)


def test_the_server(installed: Path, tmp_path: Path) -> None:
    result = _initialize([installed], tmp_path)
    assert result["serverInfo"] == {"name": "gpuasync-lsp", "version": __version__}
    assert result["capabilities"]["hoverProvider"]


@pytest.fixture(scope="module")
def library(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python interpreter of an environment with the wheel, the dependencies of runs, and pytest."""
    folder = tmp_path_factory.mktemp("library")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    _run(python, "-m", "pip", "install", "--quiet", f"{dist / f'{NAME}-py3-none-any.whl'}[run]", "pytest")
    return python


NEWCOMER = """
import numpy as np
x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
module = '''
func.func @main(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %v = memref.load %x[%tx] : memref<4xf32>
    memref.store %v, %y[INDEX] : memref<4xf32>
    gpu.terminator
  }
  return
}
'''.replace("INDEX", "%tx")
def build_module():
    return module
"""


def test_the_library_page_holds_in_an_environment_of_its_own(library: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "library.md").read_text()
    script, test = (block.split("```")[0] for block in page.split("```python\n")[1:])
    (tmp_path / "script.py").write_text(f"{NEWCOMER}{script}print(y.sum(), ran.arguments[1])\n")
    printed = _run(library, "script.py", cwd=tmp_path)
    assert printed.startswith("line 5: warning[GA108] launch-not-outlined")
    assert "gpu.launch blocks" in printed, "what lower gives"
    assert printed.endswith("0.0 [0. 1. 2. 3.]\n")

    command = (library, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py")
    (tmp_path / "test_it.py").write_text(NEWCOMER + test)
    assert "1 passed" in _run(*command, cwd=tmp_path)
    (tmp_path / "test_it.py").write_text(NEWCOMER.replace('"%tx"', '"%bx"') + test)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "NotClean: the module is not clean:" in done.stdout
    assert "line 8: error[kernel-race]: thread (1, 0, 0)" in done.stdout


def _initialize(command: list[str | Path], folder: Path) -> dict[str, Any]:
    """Start a server and shut it down by the protocol; return its capabilities."""
    messages = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    asked = "".join(f"Content-Length: {len(body)}\r\n\r\n{body}" for body in bodies)
    answers = _messages(_run(*command, "--stdio", cwd=folder, given=asked))
    assert any(answer.get("id") == 2 and answer["result"] is None for answer in answers)
    (result,) = (answer["result"] for answer in answers if answer.get("id") == 1)
    return result


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension, unpacked as in VS Code."""
    packed = Path(os.environ.get("GPUASYNC_DIST", ROOT / "dist")) / "gpuasync-lsp.vsix"
    if not packed.exists():
        missing("gpuasync-lsp.vsix is not built; make dist makes it")
    folder = tmp_path_factory.mktemp("vsix")
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(folder)
    return folder / "extension"


@pytest.fixture(scope="module")
def bundled(extension: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    """The command of the extension's server, with a Python that has no third-party packages."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder)
    return [folder / "bin" / "python", "-I", "-B", extension / "bundled" / "start.py"]


def test_the_extension_holds_a_server_that_needs_only_python(
    bundled: list[str | Path], tmp_path: Path
) -> None:
    shutil.copy(BROKEN, tmp_path)
    (tmp_path / "xdsl.py").write_text("raise SystemExit('taken from the workspace')\n")
    command = [*bundled, "check", "--output-format", "json", "--exit-zero", BROKEN.name]
    found = json.loads(_run(*command, cwd=tmp_path))["findings"]
    assert "GA101" in {finding["code"] for finding in found}
    assert _initialize(bundled, tmp_path)["serverInfo"]["version"] == __version__


def test_the_first_start_of_the_extension_compiles_nothing(
    extension: Path, bundled: list[str | Path], tmp_path: Path
) -> None:
    def modules() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in (extension / "dist" / "libs").rglob("*.pyc")}

    compiled = modules()
    if not any(sys.implementation.cache_tag in path.name for path in compiled):
        pytest.skip(f"make dist did not find {sys.implementation.cache_tag} on PATH")
    _initialize([each for each in bundled if each != "-B"], tmp_path)
    assert modules() == compiled


def test_the_server_of_the_extension_starts_its_workers(bundled: list[str | Path], tmp_path: Path) -> None:
    """A worker finds the package, and reports that llvmlite is missing."""
    program = tmp_path / "f.mlir"
    program.write_text("func.func @main() {\n  return\n}\n")
    command = [*bundled, "run", "--device", "cpu", "--output-format", "json", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False)
    report = json.loads(done.stdout)
    assert (done.returncode, report["outcome"], report["lacks"]) == (2, "refused", "run"), done.stderr
    assert "llvmlite is missing" in report["message"]


def test_the_extension_names_the_licences_of_what_it_holds(extension: Path) -> None:
    notices = (extension / "dist" / "THIRD-PARTY-NOTICES.txt").read_text()
    for path in (extension / "dist" / "libs").glob("*.dist-info"):
        name, version = path.name.removesuffix(".dist-info").rsplit("-", 1)
        assert name == "gpuasync_lsp" or f"{name} {version}\n=" in notices
    # d3's ISC license requires its notice to be included.
    d3 = notices.partition("\nd3-zoom ")[2]
    assert "Mike Bostock" in d3.partition("===\n")[2][:400]
    assert "MERCHANTABILITY" in d3


def test_what_runs_need_is_what_the_package_says(extension: Path) -> None:
    """The extension installs only these with pip, never a name of ours, which others could register."""
    asked: dict[str, list[str]] = json.loads((extension / "dist" / "requirements.json").read_text())
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {Requirement(each) for each in asked["run"]} == {Requirement(each) for each in declared["run"]}
    names = {Requirement(each).name for each in asked["cuda"]}
    assert names == {"cuda-python", "llvmlite", "numpy", "nvidia-nvvm"}


def _messages(stream: str) -> list[dict[str, Any]]:
    """Return the messages in the output of a server; they are ASCII."""
    found: list[dict[str, Any]] = []
    while stream:
        head, _, stream = stream.partition("\n\n")  # Text mode converts \r\n to \n.
        length = int(head.partition("Content-Length: ")[2].split()[0])
        found.append(json.loads(stream[:length]))
        stream = stream[length:]
    return found


def _run(*command: str | Path, cwd: Path = ROOT, given: str = "") -> str:
    """Run a program outside this environment, and return its output; it must succeed."""
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
