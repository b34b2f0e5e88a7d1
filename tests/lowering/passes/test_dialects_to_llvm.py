"""The passes that convert one dialect to llvm, compared with the real ones."""

from __future__ import annotations

import pytest

from gpuasync_lsp.lowering.passes.dialects_to_llvm import DIALECTS
from gpuasync_lsp.releases import PROFILES
from gpuasync_lsp.releases.passes import has_pass
from tests.differential.passes import compare, programs, report
from tests.support.releases import releases

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
