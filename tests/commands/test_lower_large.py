"""`lower` of a large file: parallel processes give the same result and have the same limits."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from benchmarks.generate import module
from gpuasync_lsp import processes
from gpuasync_lsp.lowering.pipeline import item_by_item
from gpuasync_lsp.text import effort
from tests.commands.test_cli import gpuasync
from tests.commands.test_many_files import forks

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="one process where there is no fork")

MORE = "".join(f"  func.func @more{n}() {{\n    gpu.wait\n    return\n  }}\n" for n in range(40))
REFUSED = "  func.func @refused(%a: i32) -> f32 {\n    return %a : i32\n  }\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file large enough for two processes, on two cores."""
    monkeypatch.setattr(processes, "_WORTH_A_PROCESS", 10_000)
    monkeypatch.setattr(processes, "cores", lambda: 2)
    path = tmp_path / "large.mlir"
    path.write_text(module(400))
    return path


@pytest.mark.parametrize("options", [[], ["--explain"], ["--stage", "llvm-ir"], ["--llvm", "19"]])
@pytest.mark.parametrize("broken", [False, True])
def test_says_the_same_as_one_process(
    file: Path, options: list[str], broken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = file.read_text()
    file.write_text(text.replace("  func.func @f3(", f"{REFUSED}  func.func @f3(") if broken else text)
    made = forks(monkeypatch)
    shared = gpuasync("lower", *options, file.name, cwd=file.parent)
    assert len(made) == (0 if "llvm-ir" in options else 2)
    monkeypatch.setattr(processes, "cores", lambda: 1)
    alone = gpuasync("lower", *options, file.name, cwd=file.parent)
    assert shared == alone
    assert ("@refused" in alone.stderr, alone.returncode) == (broken, int(broken))
    assert broken or alone.stdout.count("mgpuStreamCreate") > 7


@pytest.mark.parametrize(
    ("extra", "copies"),
    [
        # A copy reads what its functions name.
        (
            "  func.func @calls(%h: memref<1024xf32>, %v: f32, %i: i32) {\n"
            "    func.call @f2(%h, %v, %i) : (memref<1024xf32>, f32, i32) -> ()\n    return\n  }\n",
            2,
        ),
        # One of another type, none of that name, one of it too many: what that concerns is read here.
        ("  func.func @calls() {\n    func.call @f2() : () -> ()\n    return\n  }\n", 4),
        ("  func.func @calls() {\n    func.call @nowhere() : () -> ()\n    return\n  }\n", 2),
        ("  func.func @f2() {\n    return\n  }\n", 4),
        # A runtime function is already declared, with another type.
        ("  llvm.func @mgpuStreamCreate() -> i32\n", 2),
        # If NVVM is loaded, all functions are lowered differently.
        ("  func.func @loads() attributes {x = #nvvm.target} {\n    return\n  }\n", 2),
        # Two texts for each of which there are copies.
        ("}\n// -----\nmodule {\n" + MORE, 4),
        # Ops that gpu-to-llvm does not lower are reported.
        (
            "  func.func @left(%a: memref<8xf32>, %c: f32) {\n"
            "    gpu.memset %a, %c : memref<8xf32>, f32\n    return\n  }\n",
            2,
        ),
    ],
)
def test_functions_that_others_see(
    file: Path, extra: str, copies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(file.read_text().rstrip().removesuffix("}") + extra + "}\n")
    made = forks(monkeypatch)
    shared = gpuasync("lower", file.name, cwd=file.parent)
    assert len(made) == copies
    monkeypatch.setattr(processes, "cores", lambda: 1)
    assert gpuasync("lower", file.name, cwd=file.parent) == shared


def test_the_limit_of_the_whole_holds(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "STEPS", 0)
    monkeypatch.setattr(effort, "PORTION", 1)
    monkeypatch.setattr(effort, "STEPS_PER_CHARACTER", 0.05)
    shared = gpuasync("lower", file.name, cwd=file.parent)
    monkeypatch.setattr(processes, "cores", lambda: 1)
    assert gpuasync("lower", file.name, cwd=file.parent) == shared
    assert "took too long" in shared.stderr


def test_what_a_process_leaves_is_done_here(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = gpuasync("lower", file.name, cwd=file.parent)
    parent, lowered = os.getpid(), item_by_item.gpu_to_llvm

    def ends(*arguments: object) -> object:
        if os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return lowered(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(item_by_item, "gpu_to_llvm", ends)
    assert gpuasync("lower", file.name, cwd=file.parent) == alone
    assert alone.returncode == 0
