"""The passes that convert one dialect to llvm, compared with the real ones."""

from __future__ import annotations

import re

import pytest

from gpuasync_lsp.lowering.passes.dialects_to_llvm import DIALECTS
from gpuasync_lsp.releases import PROFILES
from gpuasync_lsp.releases.passes import has_pass
from tests.differential.passes import compare, lowered, programs, report
from tests.support.releases import releases
from tests.support.tools import mlir_opt

FIXTURE = "passes/dialects_to_llvm#"
LACKS = {20: {"convert-ub-to-llvm"}, 24: {"convert-complex-to-llvm"}}
"""Passes that our build of a release lacks although the release has them."""


@pytest.mark.slow
@pytest.mark.parametrize("version", releases(*PROFILES))
def test_equal_to_the_real_passes(version: int) -> None:
    # Not at module level: without the shared cases this call skips the test.
    names = [name for name in programs(22) if name.startswith(FIXTURE)]
    for name in DIALECTS:
        if not has_pass(name, version) or name in LACKS.get(version, ()):
            continue
        comparison = compare(version, name, names)
        print("\n".join(report(comparison, whole=True)))
        assert comparison.compared
        assert not comparison.different


def test_a_pass_that_the_release_lacks_ends_the_run() -> None:
    text = "module {}\n"
    said = "'finalize-memref-to-llvm' does not refer to a registered pass or pass pipeline"
    assert lowered(text, 16, "finalize-memref-to-llvm") == f"error: {said}"
    assert said in mlir_opt(16)(text, "--pass-pipeline=builtin.module(finalize-memref-to-llvm)").err


@pytest.mark.parametrize("version", releases(19, 22))
def test_an_index_wider_than_its_integer_loses_its_high_bits(version: int) -> None:
    body = "%0 = index.constant -3000000000\n%1 = index.constant 3000000000\nreturn %0, %1 : index, index\n"
    text = f"func.func @f() -> (index, index) {{\n{body}}}\n"
    option = "convert-index-to-llvm=index-bitwidth=32"
    theirs = mlir_opt(version)(text, f"--{option}")
    assert re.findall(r"llvm.mlir.constant.*", lowered(text, version, option)) == re.findall(
        r"llvm.mlir.constant.*", theirs.out
    )
