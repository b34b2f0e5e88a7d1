"""Kernels with a bug, and their repaired twins: the static rules report nothing for a twin."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import Config, check_source
from tests.exec.kernel_bugs import Bug, bugs
from tests.exec.kernel_manners import kernels
from tests.support.thinning import thinned

CASES = [*bugs("kernel_bugs"), *bugs("kernel_bugs_held"), *kernels()]
CODES = ("GA602", "GA603")


def found(text: str) -> set[str]:
    return {each.code for each in check_source(text, Config(22, CODES))}


@pytest.mark.parametrize("bug", thinned(CASES, 4), ids=str)
def test_nothing_is_said_of_a_repaired_kernel(bug: Bug) -> None:
    assert found(bug.sound) & set(CODES) == set()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("barrier in a branch", "GA602"),
        ("threads that leave before the barrier", "GA602"),
        ("a loop of unequal length", "GA602"),
        ("stencil in place", "GA603"),
    ],
)
def test_a_bug_that_needs_no_run_is_found(name: str, code: str) -> None:
    (bug,) = [each for each in CASES if each.name == name]
    assert code in found(bug.broken)
