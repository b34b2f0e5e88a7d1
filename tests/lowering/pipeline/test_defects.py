"""A pass that trips is told as an error of the op that it worked on, by every way in."""

from __future__ import annotations

from pathlib import Path

import pytest

import gpuasync_lsp
from gpuasync_lsp.cli import main
from gpuasync_lsp.lowering import parse_pipeline, run_pipeline
from gpuasync_lsp.lowering.conversion.defects import InternalError, telling_defects
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.gpu_to_llvm.gpu.wait import Wait
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.text.effort import Cancelled

PROGRAM = """func.func @first() {
  return
}
func.func @main() {
  %t = gpu.wait async
  gpu.wait [%t]
  return
}
"""
TOLD = (
    "internal error of gpuasync-lsp in {} at 'gpu.wait': KeyError: 'a stream' "
    "(a defect of this tool, not of the program: please report it with the program)"
)


@pytest.fixture
def tripping(monkeypatch: pytest.MonkeyPatch) -> None:
    def trip(self: Wait, op: gpu.WaitOp, rewriter: ConversionRewriter) -> None:
        raise KeyError("a stream")

    monkeypatch.setattr(Wait, "match_and_rewrite", trip)


@pytest.mark.usefixtures("tripping")
@pytest.mark.parametrize(
    ("words", "told", "status"),
    [
        (["lower"], TOLD.format("gpu-to-llvm"), 1),
        (["lower", "--pipeline", "gpu-to-llvm,canonicalize"], TOLD.format("gpu-to-llvm"), 1),
        (["lower", "--stage", "llvm-ir"], TOLD.format("gpu-to-llvm"), 1),
        (["run", "--device", "cpu"], TOLD.format("gpu-to-llvm"), 2),
    ],
    ids=["lower", "pipeline", "llvm-ir", "run"],
)
def test_a_command_names_op_and_line(
    words: list[str], told: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(PROGRAM)
    assert main([words[0], str(path), "--llvm", "24", *words[1:]]) == status
    said = capsys.readouterr().err
    assert said.startswith(f"{path}:5")
    assert f"error: {told}\n" in said
    assert "Traceback" not in said


@pytest.mark.usefixtures("tripping")
def test_the_library_raises_it() -> None:
    with pytest.raises(gpuasync_lsp.NotUsable) as raised:
        gpuasync_lsp.lower(PROGRAM, llvm=24)
    assert str(raised.value) == f"line 5: {TOLD.format('gpu-to-llvm')}"


@pytest.mark.usefixtures("tripping")
def test_a_pipeline_ends_with_it() -> None:
    module = module_of(parse_source(PROGRAM).chunks[0])
    done = run_pipeline(module, parse_pipeline("cse,gpu-to-llvm"), 24)
    assert done.error is not None
    assert (done.failed_pass, done.error.text) == ("gpu-to-llvm", TOLD.format("gpu-to-llvm"))


def test_work_that_nobody_wants_ends_as_such() -> None:
    module = module_of(parse_source(PROGRAM).chunks[0])
    with pytest.raises(Cancelled), telling_defects(module, "x"):
        raise Cancelled
    with pytest.raises(ValueError, match="mine"), telling_defects(module, "x", ValueError):
        raise ValueError("mine")
    with (
        pytest.raises(InternalError, match=r"'builtin\.module': ValueError: mine \(a defect"),
        telling_defects(module, "x"),
    ):
        raise ValueError("mine\nand more")
