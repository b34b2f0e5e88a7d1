"""Calls that become bodies, compared with mlir-opt's."""

import pytest

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.support.releases import releases
from tests.support.tools import FIXTURES, mlir_opt

TEXTS = (FIXTURES / "inlining" / "inline.mlir").read_text("utf-8").split("// -----\n")


# 17 is a build with assertions: it crashes where blocks are put into a loop.
@pytest.mark.parametrize("version", releases(16, 18, 19, 21, 22))
def test_calls_become_what_mlir_opt_makes_of_them(version: int) -> None:
    real = mlir_opt(version)
    for text in TEXTS:
        lowered = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline("inline"), version)
        theirs = real(text, "--inline")
        assert (lowered.error is None) is (theirs.code == 0), theirs.err
        if theirs.code == 0:
            assert print_module(lowered.module).strip() == theirs.out.strip()


def test_a_call_that_only_mlir_opt_inlines_is_refused() -> None:
    text = """llvm.func @f(%x: i32) -> i32 {
  llvm.return %x : i32
}
llvm.func @main(%x: i32) -> i32 {
  %0 = llvm.call @f(%x) : (i32) -> i32
  llvm.return %0 : i32
}
"""
    lowered = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline("inline"), 22)
    assert lowered.error is not None
    assert lowered.error.op_name == "llvm.call"
    assert lowered.first_message == "this tool does not inline calls of llvm functions, as mlir-opt does: @f"
    assert "llvm.call @f" not in mlir_opt(22)(text, "--inline").out
