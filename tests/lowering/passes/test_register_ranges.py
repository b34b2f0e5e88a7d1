"""Upper bounds near the 32-bit maximum, and known sizes, become the same ranges as in mlir-opt."""

from __future__ import annotations

import re

import pytest

from gpuasync_lsp.lowering import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.differential.one_pass import BREAK
from tests.differential.passes import compare_texts
from tests.support.releases import releases
from tests.support.tools import FIXTURES, mlir_opt

BOUNDS = (1, 2**31 - 2, 2**31 - 1, 3 * 10**9, 2**32 - 1)
_RANGE = re.compile(r"range (?:<.*>|= array<.*>)")


@pytest.mark.parametrize(
    ("llvm", "name"),
    [
        *((llvm, "convert-gpu-to-nvvm") for llvm in (20, 22, 23, 24)),
        *((llvm, "convert-gpu-to-rocdl") for llvm in (19, 20, 22)),
    ],
)
def test_ranges_of_large_bounds(llvm: int, name: str) -> None:
    lines = [
        f"    %{op}{bound} = gpu.{op} x upper_bound {bound}"
        for op in ("block_dim", "grid_dim", "thread_id", "block_id")
        for bound in BOUNDS
    ]
    used = [f"    llvm.call @use(%{line.split()[0][1:]}) : (index) -> ()" for line in lines]
    used = [line.replace("llvm.call", "func.call") for line in used]
    body = "\n".join([*lines, *used])
    text = (
        "gpu.module @m {\n  func.func private @use(index)\n  func.func @f() {\n"
        + body
        + "\n    return\n  }\n}\n"
    )
    pipeline = f"builtin.module(gpu.module({name}))"
    theirs = mlir_opt(llvm)(text, f"--pass-pipeline={pipeline}")
    assert theirs.code == 0, theirs.err
    ours = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(pipeline), llvm)
    assert ours.error is None
    assert _RANGE.findall(print_module(ours.module)) == _RANGE.findall(theirs.out)
    assert len(_RANGE.findall(theirs.out)) == len(lines)


def test_a_range_as_19_writes_it_stays_among_the_attributes() -> None:
    # LLVM 19's definition has no range, so the printed text must be valid for it.
    register = "nvvm.read.ptx.sreg.tid.x {range = array<i32: 0, 32>} : i32"
    text = f"llvm.func @f() -> i32 {{\n  %0 = {register}\n  llvm.return %0 : i32\n}}\n"
    ours = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline("cse"), 19)
    assert ours.error is None
    assert register in print_module(ours.module)


SIZES = (FIXTURES / "passes" / "rocdl_sizes.mlir").read_text().split(BREAK)


@pytest.mark.parametrize("version", releases(17, 19, 22, 23, 24))
def test_sizes_that_a_kernel_for_amd_knows(version: int) -> None:
    texts = {str(number): text for number, text in enumerate(SIZES)}
    compared = compare_texts(version, "convert-gpu-to-rocdl", texts)
    assert compared.equal == len(texts), compared.different
