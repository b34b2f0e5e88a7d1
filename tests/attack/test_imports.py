"""Python files in the workspace are never imported, whatever their names and the working directory."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.attack.wire import Wire

NAMES = (
    "argparse",
    "base64",
    "ctypes",
    "dataclasses",
    "importlib",
    "io",
    "json",
    "llvmlite",
    "logging",
    "lsprotocol",
    "numpy",
    "os",
    "pygls",
    "queue",
    "random",
    "re",
    "shlex",
    "signal",
    "site",
    "sitecustomize",
    "socket",
    "struct",
    "subprocess",
    "tempfile",
    "threading",
    "tokenize",
    "tomllib",
    "typing",
    "usercustomize",
    "xdsl",
)
"""Modules that this package, its worker or Python itself imports."""

PROGRAM = """\
func.func @main() {
  %c = arith.constant 1 : index
  gpu.launch blocks(%a, %b, %d) in (%e = %c, %f = %c, %g = %c)
             threads(%h, %i, %j) in (%k = %c, %l = %c, %m = %c) { gpu.terminator }
  return
}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder whose modules write to a file when they are imported, and an entry point that names one."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'a').write('{name} ')\n")
    package = tmp_path / "evil-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[gpuasync_lsp.dialects]\nevil = usercustomize:dialect\n")
    (tmp_path / "a.mlir").write_text(PROGRAM)
    return tmp_path


ENVIRONMENTS = ({}, {"PYTHONPATH": f"{os.sep}nowhere{os.pathsep}"}, {"PYTHONPATH": "."}, {"PYTHONPATH": ""})
"""Environments such as `PYTHONPATH=$PYTHONPATH:/some/modules` produces in a shell."""


RUN = ["run", "--device", "cpu", "a.mlir"]
PTX = ["lower", "--stage", "ptx", "a.mlir"]


@pytest.mark.parametrize(
    ("start", "arguments"),
    [
        ("module", RUN),
        ("program", PTX),
        *(
            pytest.param(start, arguments, marks=pytest.mark.slow)
            for start, arguments in (
                ("module", PTX),
                ("program", RUN),
                *product(("module", "program"), (["check", "a.mlir"], ["streams", "a.mlir"])),
            )
        ),
    ],
)
def test_the_command_line(repository: Path, start: str, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "gpuasync_lsp"]
    (repository / "importlib.py").unlink()  # `-m` itself imports it, which no module can prevent.
    if start == "program":
        # The code of an installed console script, without its own imports.
        code = f"import sys; sys.path[0] = {str(Path(sys.executable).parent)!r}; "
        code += "from gpuasync_lsp.__main__ import main; sys.exit(main())"
        command = [sys.executable, "-c", code]
    done = subprocess.run([*command, *arguments], cwd=repository, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not (repository / "imported").exists(), (repository / "imported").read_text()


@pytest.mark.parametrize(
    ("module", "environment"),
    [
        ("-m", ENVIRONMENTS[2]),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in product(("-m", "-Pm"), ENVIRONMENTS)
            if each != ("-m", ENVIRONMENTS[2])
        ),
    ],
    ids=str,
)
def test_the_server(repository: Path, module: str, environment: dict[str, str]) -> None:
    """Both runs and previews of PTX start a worker."""
    for name in NAMES:
        if (environment and before_us(name)) or (module == "-m" and name == "importlib"):
            (repository / f"{name}.py").unlink()
    command = (sys.executable, module, "gpuasync_lsp", "--stdio")
    with Wire(repository, command=command, environment=environment, start=False) as client:
        client.start(initializationOptions={}, rootUri=repository.as_uri())
        uri = (repository / "a.mlir").as_uri()
        client.diagnosed(PROGRAM, uri)
        assert client.answer(client.run(uri))["result"]["outcome"] == "ok"
        params = {"textDocument": {"uri": uri}, "stage": "ptx"}
        assert ".entry main_kernel" in client.ask("gpuasync/lowering", params)["result"]["text"]
    assert not (repository / "imported").exists(), (repository / "imported").read_text()


def before_us(name: str) -> bool:
    """Return whether Python imports a module from PYTHONPATH before it runs any of our code."""
    return name in ("importlib", "io", "os", "site", "sitecustomize", "usercustomize")


def test_a_worker_through_a_command(repository: Path) -> None:
    """What `--worker` starts is told not to look in its folder, too."""
    command = [
        sys.executable,
        "-P",
        "-m",
        "gpuasync_lsp",
        "run",
        "--device",
        "cpu",
        "--worker",
        "env",
        "a.mlir",
    ]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=repository, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
    )
    assert done.returncode == 0, done.stderr
    assert not (repository / "imported").exists(), (repository / "imported").read_text()
