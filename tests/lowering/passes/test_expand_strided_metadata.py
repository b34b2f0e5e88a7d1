"""Views as offsets, sizes and strides, compared with mlir-opt's, which prints both texts."""

import re

import pytest

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.support.releases import releases
from tests.support.tools import FIXTURES, mlir_opt

TEXT = (FIXTURES / "passes" / "expand_strided_metadata.mlir").read_text("utf-8")
NAME = "expand-strided-metadata"
_GIVEN_SIZES = re.compile(r" output_shape \[[^\]\n]*\]")


# 16 keeps symbols that a constant makes superfluous; of 24 there are builds before and after what 23 has.
@pytest.mark.parametrize("version", releases(17, 18, 19, 20, 21, 22, 23))
def test_views_are_those_of_mlir_opt(version: int) -> None:
    real = mlir_opt(version)
    for text in (TEXT if version >= 19 else _GIVEN_SIZES.sub("", TEXT)).split("// -----\n"):
        lowered = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(NAME), version)
        assert lowered.error is None
        theirs = real(text, f"--{NAME}")
        assert theirs.code == 0, theirs.err
        assert real(print_module(lowered.module)).out == theirs.out
