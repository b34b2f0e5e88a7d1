"""What releases do differently, to the letter: programs that name their pipeline and the releases to ask."""

from __future__ import annotations

import re

import pytest

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.support.releases import releases
from tests.support.tools import FIXTURES, mlir_opt

PARTS = (FIXTURES / "passes" / "by_release.mlir").read_text("utf-8").split("// -----\n")
PIPELINE = re.compile(r"// pipeline in ([\d ]+): (.*)\n")


@pytest.mark.parametrize("version", releases(*range(16, 24)))
def test_equal_to_mlir_opt(version: int) -> None:
    for text in PARTS:
        found = PIPELINE.match(text)
        assert found is not None, text
        if str(version) not in found[1].split():
            continue
        theirs = mlir_opt(version)(text, f"--pass-pipeline=builtin.module({found[2]})")
        ours = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(found[2]), version)
        if ours.error is None:
            assert theirs.code == 0, theirs.err
            assert _anew(print_module(ours.module)) == _anew(theirs.out), text
        else:
            assert theirs.code == 1
            assert ours.error.text in theirs.err


def _anew(text: str) -> str:
    """Return `text` as this tool prints it: without aliases of attributes and hints for names of values."""
    source = parse_source(text)
    assert not source.problems()
    return print_module(module_of(source.chunks[0]))
