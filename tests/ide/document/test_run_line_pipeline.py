"""If a RUN line makes ops async, the rules treat its passes as the pipeline that lowers the file."""

from __future__ import annotations

import pytest

from gpuasync_lsp import check

TEXT = """
func.func @copy(%to: memref<4xf32>, %from: memref<4xf32>) {
  gpu.memcpy %to, %from : memref<4xf32>, memref<4xf32>
  return
}
"""


@pytest.mark.parametrize(
    ("run", "codes"),
    [
        ("imex-opt %s --gpu-lower-to-xevm-pipeline='xegpu-op-level=lane zebin-chip=%zebin_chip'", []),
        ("mlir-opt %s -pass-pipeline='builtin.module(func.func(gpu-async-region))'", []),
        ("mlir-opt %s --gpu-to-llvm", ["GA102"]),
        ("not mlir-opt %s --gpu-async-region", ["GA102"]),
    ],
)
def test_run_line(run: str, codes: list[str]) -> None:
    assert [problem.code for problem in check(f"// RUN: {run}\n{TEXT}", llvm=23)] == codes


def test_the_setting_wins() -> None:
    text = f"// RUN: mlir-opt %s --gpu-async-region\n{TEXT}"
    assert [problem.code for problem in check(text, llvm=23, pipeline=("gpu-to-llvm",))] == ["GA102"]
