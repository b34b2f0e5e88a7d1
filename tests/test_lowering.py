"""Our gpu-to-llvm beside the real one, and what holds for every lowering."""

from __future__ import annotations

import pytest

from tests import lowering_diff
from tests.lowering_diff import Comparison

EQUAL_CASES = {16: 278, 19: 326, 22: 327, 24: 313}
"""How many of the measured cases are equal; never lower it."""

EXCEPTIONS: dict[int, dict[str, str]] = {
    16: {},
    19: {"E_asyncfirst_yield_memset": "async.runtime.load of a value is not parsed"},
    22: {},
    24: {},
}
"""The cases that differ, with the reason."""


@pytest.mark.parametrize(
    "version", [22, *(pytest.param(version, marks=pytest.mark.slow) for version in (16, 19, 24))]
)
def test_equal_to_the_real_gpu_to_llvm_on_the_measured_cases(version: int) -> None:
    comparison = lowering_diff.compare(lowering_diff.load(version))
    report(comparison)
    assert comparison.equal >= EQUAL_CASES[version]
    assert set(comparison.different) <= set(EXCEPTIONS[version])


@pytest.mark.parametrize("version", [19, 22])
def test_equal_to_the_real_gpu_to_llvm_on_fixtures(version: int) -> None:
    comparison = lowering_diff.compare(lowering_diff.fixtures(version))
    report(comparison)
    assert comparison.compared
    assert not comparison.different


def report(comparison: Comparison) -> None:
    print(comparison)
    for name, (theirs, ours) in comparison.different.items():
        print(f"--- {name}\n{theirs}\n+++ ours\n{ours}")
