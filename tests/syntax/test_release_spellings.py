"""Ops are printed in the release's syntax, and its real mlir-opt accepts the output."""

from __future__ import annotations

import pytest

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.differential.read_back import read_back
from tests.support.texts import texts_beside
from tests.support.tools import mlir_opt

TEXTS = texts_beside(__file__)

PRINTF = TEXTS["PRINTF"]


@pytest.mark.parametrize(
    ("version", "spelling"), [(16, '"x %d" %arg0'), (19, '"x %d" %arg0'), (20, '"x %d", %arg0')]
)
def test_printf_that_stays_is_spelled_as_the_release_reads_it(version: int, spelling: str) -> None:
    source = PRINTF if version >= 20 else PRINTF.replace('",', '"')
    done = run_pipeline(module_of(parse_source(source).chunks[0]), parse_pipeline("--canonicalize"), version)
    assert f"gpu.printf {spelling} : i32" in print_module(done.module)


OPS = TEXTS["OPS"]


@pytest.mark.parametrize(
    ("version", "spellings"),
    [
        (16, ('"gpu.yield"(', "    memref.assume_alignment", "scf.yield")),
        (18, ('"gpu.yield"(', "    memref.assume_alignment", "scf.yield")),
        (19, ("gpu.yield %", "    memref.assume_alignment", "scf.reduce")),
        (20, ("gpu.yield %", "    memref.assume_alignment", "scf.reduce")),
    ],
)
def test_ops_are_spelled_as_the_release_reads_them(version: int, spellings: tuple[str, ...]) -> None:
    done = run_pipeline(module_of(parse_source(OPS).chunks[0]), parse_pipeline("--cse"), version)
    printed = print_module(done.module)
    assert not [each for each in spellings if each not in printed]


@pytest.mark.slow
@pytest.mark.parametrize("version", [16, 17, 18, 19, 20, 22])
def test_what_is_printed_is_read_back(version: int) -> None:
    mlir_opt(version)
    printf = PRINTF if version >= 20 else PRINTF.replace('",', '"')
    assert not read_back(version, {"ops": OPS, "printf": printf}).unread
