"""Preconditions have one source: the gpu-to-llvm patterns check the same ones as the analysis."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gpuasync_lsp.lowering.passes import gpu_to_llvm
from gpuasync_lsp.preconditions import PRECONDITIONS
from gpuasync_lsp.syntax.dialects import gpu, operations

ASYNC = {op for op in operations("gpu") if issubclass(op, gpu.AsyncOpInterface)}

PROGRAM = """
func.func @f(%m: memref<4xf32>) {
  %0 = gpu.wait async
  %1 = gpu.prefetch async [%0] %m : memref<4xf32>
  gpu.wait [%1]
  return
}
"""

WITH_PREFETCH = """
import sys
from gpuasync_lsp import cli
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.dialects.gpu import asynchronous
from gpuasync_lsp.syntax.dialects.gpu.assembly import parse_async, print_async
from xdsl.irdl import irdl_op_definition, operand_def, opt_result_def, var_operand_def

@irdl_op_definition
class PrefetchOp(gpu.AsyncOpInterface):
    name = "gpu.prefetch"
    async_dependencies = var_operand_def(gpu.AsyncTokenType)
    memref = operand_def()
    async_token = opt_result_def(gpu.AsyncTokenType)

    @classmethod
    def parse(cls, parser):
        dependencies, token = parse_async(parser)
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        memref = parser.resolve_operand(name, parser.parse_type())
        return cls.create(operands=[*dependencies, memref], result_types=token)

    def print(self, printer):
        print_async(printer, self.async_dependencies, self.async_token)
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)

PrefetchOp.__module__ = asynchronous.__name__
asynchronous.PrefetchOp = gpu.PrefetchOp = PrefetchOp
sys.exit(cli.main(sys.argv[1:]))
"""
"""Runs the command line with an additional gpu op that has no pattern."""


def with_prefetch(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", WITH_PREFETCH, *words], capture_output=True, text=True)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("prefetch") / "prefetch.mlir"
    path.write_text(PROGRAM)
    return path


def test_check_reports_an_op_without_a_pattern(program: Path) -> None:
    done = with_prefetch("check", "--llvm", "22", str(program))
    assert "error[GA114] no-pattern" in done.stdout, done.stderr
    assert done.returncode == 1


def test_streams_draws_an_op_without_a_pattern_as_unlowered(program: Path) -> None:
    done = with_prefetch("streams", "--llvm", "22", str(program))
    assert "does not lower: no pattern converts it" in done.stdout, done.stderr


@pytest.mark.parametrize("version", ["16", "22"])
def test_lower_leaves_an_op_without_a_pattern(program: Path, version: str) -> None:
    done = with_prefetch("lower", "--llvm", version, str(program))
    if version == "16":
        assert "failed to legalize operation 'gpu.prefetch'" in done.stderr
    else:
        assert "gpu.prefetch async [" in done.stdout


@pytest.mark.parametrize("expands_launches", [True, False])
def test_each_async_op_with_preconditions_has_a_pattern(expands_launches: bool) -> None:
    patterns = gpu_to_llvm.patterns(expands_launches, True)
    converted = {op.name for op in ASYNC if patterns.of(op)}
    assert converted | {"gpu.launch"} == PRECONDITIONS.keys()
