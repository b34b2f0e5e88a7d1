"""linalg's ops as loops, compared with mlir-opt's, which prints both texts."""

import pytest

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.support.releases import releases
from tests.support.tools import FIXTURES, mlir_opt

TEXTS = (FIXTURES / "linalg" / "loops.mlir").read_text("utf-8").split("// -----\n")

OWN_MAPS = (FIXTURES / "linalg" / "own_maps.mlir").read_text("utf-8")
OWN_MAPS_SINCE = 21


# Those that stand in for 20 and 24 have no linalg passes.
@pytest.mark.parametrize("version", releases(16, 17, 18, 19, 21, 22, 23))
@pytest.mark.parametrize("kind", ["loops", "parallel-loops", "affine-loops"])
def test_loops_are_those_of_mlir_opt(version: int, kind: str) -> None:
    real, name = mlir_opt(version), f"convert-linalg-to-{kind}"
    # 16 crashes at tensors, which the last program has.
    texts = TEXTS[:-1] if version == 16 else TEXTS
    for text in [*texts, OWN_MAPS] if version >= OWN_MAPS_SINCE else texts:
        lowered = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(name), version)
        assert lowered.error is None
        theirs = real(text, f"--{name}")
        assert theirs.code == 0, theirs.err
        assert real(print_module(lowered.module)).out == theirs.out
