"""An exception in a pattern or pass is reported as an error at its op, by every command and request."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest
from xdsl.ir import Operation

import gpuasync_lsp
from gpuasync_lsp.cli import main
from gpuasync_lsp.lowering import parse_pipeline, run_pipeline
from gpuasync_lsp.lowering.conversion.defects import InternalError, reporting_defects
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.gpu_to_llvm.gpu.wait import Wait
from gpuasync_lsp.lowering.pipeline.registry import PASSES, Invocation
from gpuasync_lsp.lowering.pipeline.text import Step
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.text.effort import Cancelled
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

PROGRAM = TEXTS["PROGRAM"]
TOLD = (
    "internal error of gpuasync-lsp in {}: KeyError: 'a stream' "
    "(a defect of this tool, not of the program: please report it with the program)"
)
OF_PATTERN = TOLD.format("the lowering of 'gpu.wait'")
OF_PASS = TOLD.format("cse at 'gpu.wait'")
STAYS = f"gpu.wait is left unlowered: {OF_PATTERN}"


@pytest.fixture
def tripping(monkeypatch: pytest.MonkeyPatch) -> None:
    def trip(self: Wait, op: gpu.WaitOp, rewriter: ConversionRewriter) -> None:
        raise KeyError("a stream")

    monkeypatch.setattr(Wait, "match_and_rewrite", trip)


@pytest.fixture
def tripping_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def trip(op: Operation, step: Step, invocation: Invocation) -> None:
        (wait, *_) = [each for each in op.walk() if isinstance(each, gpu.WaitOp)]
        raise_at(wait)

    def raise_at(op: Operation) -> None:
        raise KeyError("a stream")

    monkeypatch.setitem(PASSES, "cse", replace(PASSES["cse"], run=trip))


@pytest.mark.usefixtures("tripping")
@pytest.mark.parametrize(
    ("words", "told", "status"),
    [
        (["lower"], STAYS, 1),
        (["lower", "--pipeline", "gpu-to-llvm,canonicalize"], STAYS, 1),
        (["lower", "--stage", "llvm-ir"], "gpu.wait has not been converted to the llvm dialect", 1),
        (["run", "--device", "cpu"], OF_PATTERN, 2),
    ],
    ids=["lower", "pipeline", "llvm-ir", "run"],
)
def test_a_command_names_op_and_line(
    words: list[str], told: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(PROGRAM)
    assert main([words[0], str(path), "--llvm", "24", *words[1:]]) == status
    printed = capsys.readouterr()
    assert printed.err.startswith(f"{path}:5")
    assert f"error: {told}\n" in printed.err
    assert OF_PATTERN in printed.err
    assert "Traceback" not in printed.err
    assert ("llvm.func @first()" in printed.out) == (told == STAYS), "all else is lowered"


@pytest.mark.usefixtures("tripping")
def test_the_library_raises_it() -> None:
    with pytest.raises(gpuasync_lsp.NotUsable) as raised:
        gpuasync_lsp.lower(PROGRAM, llvm=24)
    assert str(raised.value) == f"line 5: {STAYS}"


@pytest.mark.usefixtures("tripping")
def test_a_pipeline_leaves_the_op() -> None:
    module = module_of(parse_source(PROGRAM).chunks[0])
    done = run_pipeline(module, parse_pipeline("cse,gpu-to-llvm"), 24)
    assert done.error is None
    assert [(note.op_name, note.text) for note in done.notes] == [("gpu.wait", OF_PATTERN)] * 2


@pytest.mark.usefixtures("tripping_pass")
def test_a_pipeline_ends_with_a_pass_that_trips() -> None:
    module = module_of(parse_source(PROGRAM).chunks[0])
    done = run_pipeline(module, parse_pipeline("cse,gpu-to-llvm"), 24)
    assert done.error is not None
    assert (done.failed_pass, done.error.text) == ("cse", OF_PASS)


@pytest.mark.usefixtures("tripping_pass")
def test_a_command_names_the_op_of_a_pass_that_trips(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(PROGRAM)
    assert main(["lower", str(path), "--llvm", "24", "--pipeline", "cse,gpu-to-llvm"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"{path}:5")
    assert f"error: {OF_PASS}\n" in said


def test_work_that_nobody_wants_ends_as_such() -> None:
    module = module_of(parse_source(PROGRAM).chunks[0])

    def fail(error: Exception) -> NoReturn:
        raise error

    with pytest.raises(Cancelled):
        reporting_defects(module, "x", lambda: fail(Cancelled()))
    with pytest.raises(ValueError, match="mine"):
        reporting_defects(module, "x", lambda: fail(ValueError("mine")), ValueError)
    with pytest.raises(InternalError, match=r"'builtin\.module': ValueError: mine \(a defect"):
        reporting_defects(module, "x", lambda: fail(ValueError("mine\nand more")))
