"""Programs that name their pipeline, lowered as by mlir-opt: passes with options, several passes."""

from __future__ import annotations

import re

import pytest

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.support.releases import releases
from tests.support.tools import FIXTURES, mlir_opt

PARTS = (FIXTURES / "passes" / "by_pipeline.mlir").read_text("utf-8").split("// -----\n")
PIPELINE = re.compile(r"// pipeline(?: since (\d+))?: (.*)\n")


def normalised(text: str) -> str:
    done = mlir_opt(22)(text, "--canonicalize", "--cse")
    assert done.code == 0, done.err
    return done.out


@pytest.mark.parametrize("version", releases(19, 22))
def test_equal_to_mlir_opt(version: int) -> None:
    for text in PARTS:
        found = PIPELINE.match(text)
        assert found is not None, text
        if int(found[1] or 0) > version:
            continue
        theirs = mlir_opt(version)(text, f"--pass-pipeline=builtin.module({found[2]})")
        ours = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(found[2]), version)
        assert (ours.error is None) is (theirs.code == 0), (found[2], theirs.err, ours.error)
        if ours.error is None:
            assert normalised(print_module(ours.module)) == normalised(theirs.out), text
        else:
            assert ours.error.text in theirs.err
