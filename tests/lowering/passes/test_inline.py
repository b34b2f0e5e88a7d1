"""Inlining of calls, compared with mlir-opt's output."""

import pytest

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.lowering.result import Lowered
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.support.releases import releases
from tests.support.tools import FIXTURES, mlir_opt

TEXTS = [
    text
    for name in ("inline.mlir", "llvm_functions.mlir")
    for text in (FIXTURES / "inlining" / name).read_text("utf-8").split("// -----\n")
]


def inlined(text: str, version: int) -> Lowered:
    return run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline("inline"), version)


# Our 17 is a build with assertions, which crashes when blocks are inlined into a loop.
@pytest.mark.parametrize("version", releases(16, 18, 19, 20, 21, 22, 23))
def test_calls_become_what_mlir_opt_makes_of_them(version: int) -> None:
    real = mlir_opt(version)
    for text in TEXTS:
        lowered = inlined(text, version)
        theirs = real(text, "--inline")
        assert (lowered.error is None) is (theirs.code == 0), (text, theirs.err)
        if theirs.code == 0:
            assert print_module(lowered.module).strip() == theirs.out.strip()


@pytest.mark.parametrize(
    ("name", "version"),
    [
        *(("access_groups", version) for version in (19, 22)),
        pytest.param("alias_scopes", 18, marks=pytest.mark.slow),
        *(("alias_scopes", version) for version in (19, 22)),
        *(("intrinsics", version) for version in (19, 22)),
        ("read_by_value", 22),
        ("stack_alignment", 22),
    ],
)
def test_what_newer_releases_write_becomes_what_they_make_of_it(name: str, version: int) -> None:
    text = (FIXTURES / "inlining" / f"{name}.mlir").read_text("utf-8")
    lowered, real = inlined(text, version), mlir_opt(version)
    assert lowered.error is None
    # mlir-opt prints attribute aliases, this tool the attributes themselves.
    assert real(print_module(lowered.module)).out == real(text, "--inline").out
