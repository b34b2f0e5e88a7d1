"""The extension in the real VS Code workbench, in a real browser."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.generate import module
from tests.support.tools import found, mlir_opt

from .conftest import FIXTURES, REPO, require
from .workbench import Workbench, shim, workbench

pytestmark = [pytest.mark.editor, pytest.mark.slow]

PYTHON = "ms-python.python-2026.1.0"
BESIDE = "llvm-vs-code-extensions.vscode-mlir-1.0.0"
"""Stand-ins for the Python extension, and for LLVM's."""

STEPS = (
    *("diagnostics", "rule-keys", "quick-fix", "fix-all", "check-folder", "hover", "inlay-hints", "colors"),
    *("completion", "on-type", "rename", "close-all", "status", "walkthrough", "keyboard"),
    *("preview", "preview-folded", "preview-current", "preview-explained", "preview-compare"),
    *("preview-header", "preview-keys", "preview-kernels", "preview-scroll", "preview-in-parts"),
    *("preview-recolored", "streams", "streams-compact", "streams-zoom", "streams-keys", "streams-agree"),
    *("passes", "run", "run-lines", "run-arguments", "run-cancelled", "run-waiting", "run-findings"),
    "run-kernel-race",
)

KILLING = ("crash", "reload-rename")
"""Steps that end servers, which is in the log."""


@pytest.fixture(scope="module")
def vscode(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with workbench(tmp_path_factory.mktemp("vscode"), server) as running:
        yield running


def complaints(vscode: Workbench) -> list[str]:
    """The errors and warnings in the extension's logs of all windows."""
    logs = vscode.folder.glob("data/logs/*/exthost*/gpuasync.gpuasync-lsp/GPU Async.log")
    lines = [line for log in logs for line in log.read_text().splitlines()]
    return [line for line in lines if re.search(r" \[(error|warning)\] ", line)]


def large_dump(lines: int) -> str:
    """Return `examples/dumps/two_streams.txt` enlarged to many functions and many passes.

    Passes without changes are inserted between the original ones."""
    story = (REPO / "examples" / "dumps" / "two_streams.txt").read_text()
    functions = module(1_000).split("{\n", 1)[1].rsplit("}", 1)[0]
    sections: list[str] = []
    for section in re.split(r"(?m)^(?=// -----// )", story):
        if "\nmodule" not in section:
            sections.append(section)
            continue
        whole = section.replace("module {\n", "module attributes {gpu.container_module} {\n" + functions, 1)
        same = re.sub(r"IR Dump [^\n]*", "IR Dump After SymbolDCE (symbol-dce) //----- //", whole, count=1)
        sections += [whole, *[same] * (lines // 6_000)]
    return "".join(sections)


# Tests with a workbench of their own come first: at the end, workers share short tests better than long ones.


def test_untrusted_workspace(server: str, workspace: Path, tmp_path: Path) -> None:
    """With only a Python without packages, the server of the extension diagnoses; nothing else is started.

    Neither a program, a module nor a Python from the workspace is."""
    (workspace / "xdsl.py").write_text("raise SystemExit('taken from the workspace')\n")
    programs = workspace / ".venv" / "bin"
    programs.mkdir(parents=True)
    shim(programs, server, tmp_path / "selected.pid")
    shutil.copy(programs / "gpuasync-lsp", programs / "python")
    with workbench(tmp_path / "vscode", None, trust=False, beside=PYTHON, whole=True) as vscode:
        vscode.act("untrusted", workspace)
        asked = (vscode.folder / "python.log").read_text().splitlines()
        (log,) = vscode.folder.glob("data/logs/*/exthost*/gpuasync.gpuasync-lsp/GPU Async.log")
        (started,) = re.findall(r"\[info\] starting (.*)", log.read_text())
    known = r"-I (-c import sys; print\(|\S+/bundled/start\.py --stdio$)"
    assert all(re.match(known, each) for each in asked)
    # The Python executable itself, not a pyenv shim.
    assert re.match(r"/usr/\S*python3[\d.]* -I \S+/bundled/start\.py --stdio ", started)
    assert not (tmp_path / "selected.pid").exists()


WITHOUT_VENV = """#!/bin/sh
case "$*" in
  *version_info*) echo "3 11 $0"; exit ;;
  *"-m venv"*) [ ! -e {lacks} ] || {{ echo "    apt install python3.11-venv"; exit 1; }} ;;
esac
exec {python} "$@"
"""
"""A Python whose venv fails as Debian's does, as long as the file `lacks` exists."""


def test_runs_with_the_server_of_the_extension(workspace: Path, tmp_path: Path) -> None:
    """A test runs with any Python, since FileCheck is bundled. The packages that a run needs are installed
    when the user agrees: a failure says what to do, and afterwards the run succeeds."""
    lacks, python = tmp_path / "lacks", tmp_path / "python"
    lacks.touch()
    python.write_text(WITHOUT_VENV.format(lacks=lacks, python="/usr/bin/python3"))
    python.chmod(0o755)
    with workbench(tmp_path / "vscode", None, python=str(python)) as vscode:
        vscode.act("run-lines bundled-run", workspace, lacks=str(lacks))


def test_settings_and_interpreters(server: str, workspace: Path, tmp_path: Path) -> None:
    """A missing server, no Python and a server of another version each cause one message; highlighting works
    meanwhile. With a correct setting the server runs. Without a setting the server of the environment that
    is selected in the Python extension runs."""
    old = tmp_path / "gpuasync-lsp"
    old.write_text(
        f"#!{sys.executable}\nimport sys, gpuasync_lsp\ngpuasync_lsp.__version__ = '0.0.1'\n"
        "from gpuasync_lsp.__main__ import main\nsys.exit(main())\n"
    )
    old.chmod(0o755)
    settings = {"gpuasync.serverPath": str(tmp_path / "nothing")}
    with workbench(tmp_path / "vscode", None, beside=PYTHON, python=None, settings=settings) as vscode:
        vscode.act("wrong-settings", workspace, settings=vscode.machine, old=old, server=server)
        for name, log in ((".venv", "selected.pid"), (".other", "second.pid")):
            programs = workspace / name / "bin"
            programs.mkdir(parents=True)
            shim(programs, server, tmp_path / log)
        selected, second = tmp_path / "selected.pid", tmp_path / "second.pid"
        vscode.act("interpreter", workspace, settings=vscode.machine, selected=selected, second=second)


def test_beside_llvm_extension(server: str, workspace: Path, tmp_path: Path) -> None:
    """Without LLVM's server, ours provides everything. With it, LLVM's provides definitions, ours completion,
    fixes and findings; no error is listed twice."""
    newest = (found(f"mlir-lsp-server-{llvm}") for llvm in (23, 22))
    theirs = require("mlir-lsp-server", next((each for each in newest if each), None))
    (workspace / "unknown_name.mlir").write_text(
        "func.func @f(%a: memref<8xf32>, %c: f32) {\n"
        "  %t0 = gpu.wait async\n"
        "  %t1 = gpu.memset async [%t0] %b, %c : memref<8xf32>, f32\n"
        "  gpu.wait [%t1]\n"
        "  return\n"
        "}\n"
    )
    with workbench(tmp_path / "vscode", server, beside=BESIDE) as vscode:
        vscode.act("beside-llvm", workspace)
        with vscode.changed({"mlir.server_path": theirs}):
            vscode.act("beside-llvm-server", workspace)


@pytest.mark.parametrize("step", STEPS)
def test_vscode(vscode: Workbench, step: str, workspace: Path) -> None:
    before = complaints(vscode)
    vscode.act(step, workspace)
    assert set(complaints(vscode)) <= set(before)


@pytest.mark.parametrize("step", KILLING)
def test_servers_that_end(vscode: Workbench, step: str, workspace: Path) -> None:
    vscode.act(step, workspace)


def test_large_dump(vscode: Workbench, workspace: Path) -> None:
    """With a compiler engineer's dump: find the pass that split a stream in two, and open its diff."""
    text = large_dump(20_000)
    assert text.count("\n") > 20_000
    (workspace / "large_dump.mlir").write_text(text)
    vscode.act("passes-large", workspace)


TYPED = """module attributes {gpu.container_module} {
  func.func @f(%a: memref<8xf32>, %n: index) {
    %t0 = gpu.wait async
    %b, %t1 = gpu.alloc async [%t0] () : memref<8xf32>
    %t2 = gpu.launch_func async [%t1] @k::@k
        blocks in (%n, %n, %n) threads in (%n, %n, %n)
        args(%b : memref<8xf32>)
    %d, %e = async.execute -> !async.value<!gpu.async.token> {
      %s = gpu.wait async
""".splitlines()


def test_typing(vscode: Workbench, workspace: Path) -> None:
    """Typing a program key by key gives exactly its text, and the braces that the editor closes."""
    vscode.act("typing", workspace, typed=TYPED)


def test_dialects(vscode: Workbench, tmp_path: Path) -> None:
    """Ops of unknown dialects, and of the user's own, whose dumps the settings name."""
    folder = tmp_path / "accelerator"  # Visible in screenshots.
    folder.mkdir()
    shutil.copy(FIXTURES / "unknown" / "three_errors.mlir", folder)
    for each in ("systolic.json", "systolic.td", "systolic_wrong.mlir", "mine.json", "mine_wrong.mlir"):
        shutil.copy(REPO / "tests" / "fixtures" / "dialects" / each, folder)
    (folder / "gpuasync.toml").write_text('dialects = ["systolic.json", "mine.json"]\n')
    vscode.act("three-errors own-dialect", folder)


def test_two_windows(vscode: Workbench, workspace: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(FIXTURES / "refused_copy.mlir", other / "theirs.mlir")
    vscode.act("two-windows", workspace, other=str(other))


def test_several_folders(vscode: Workbench, tmp_path: Path) -> None:
    """Each folder of a workspace has its own configuration file."""
    both = tmp_path / "both"
    for folder, name, llvm in (("first", "old.mlir", 19), ("second", "new.mlir", 22)):
        (both / folder).mkdir(parents=True)
        shutil.copy(FIXTURES / "refused_copy.mlir", both / folder / name)
        (both / folder / "gpuasync.toml").write_text(f"llvm = {llvm}\n")
    folders = {"folders": [{"path": "first"}, {"path": "second"}]}
    (both / "both.code-workspace").write_text(json.dumps(folders))
    vscode.act("folders", both)


def test_own_mlir_opt(vscode: Workbench, workspace: Path, tmp_path: Path) -> None:
    """The preview uses the user's own mlir-opt, and reports that our output is equal.

    With one that has different output, both are shown side by side, with a report to copy."""
    real = mlir_opt(22).command[0]
    other = tmp_path / "mlir-opt"
    other.write_text(f"#!/bin/sh\n{real} \"$@\" | sed 's/mgpuMemcpy/mgpuMemcpyToo/g'\n")
    other.chmod(0o755)
    with vscode.changed({"gpuasync.mlirOpt": real}):
        vscode.act("engine", workspace)
    with vscode.changed({"gpuasync.mlirOpt": str(other)}):
        vscode.act("engine-differs", workspace)
