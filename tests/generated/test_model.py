"""The rules, compared with an execution of the lowered generated programs, op by op, in four LLVM
versions.

`checker.py` executes the lowered calls on all paths, independently of the rules. A program on which
both disagree is reduced: add it to `tests/fixtures/regressions`.
"""

from __future__ import annotations

import pytest

from tests.generated.agreement import Compared, compare
from tests.generated.sample import CAMPAIGN, QUICK, SLOW, lowered, sample
from tests.generated.shrink import same_difference, shrink
from tests.support.releases import releases


@pytest.mark.slow
@pytest.mark.parametrize("version", releases(16, 19, 22, 24))
@pytest.mark.parametrize(
    "count",
    [
        QUICK,
        pytest.param(SLOW, marks=pytest.mark.slow),
        pytest.param(CAMPAIGN, marks=pytest.mark.campaign),
    ],
)
def test_rules_agree_with_the_lowered_code(version: int, count: int) -> None:
    real = lowered(version, count)
    results = [
        compare(program.text(version), version, low) for program, low in zip(sample(count), real, strict=True)
    ]
    print(f"\nLLVM {version}: {summary(results)}")
    enough = [r for r in results if r.complete and not r.merged]
    assert len(enough) > 0.8 * count, "too few programs could be compared"
    assert sum(r.faults > 0 for r in enough) > 0.3 * count, "too few programs have faults"
    wrong = [(p, r) for p, r in zip(sample(count), results, strict=True) if r.differences]
    if wrong:
        program, result = min(wrong, key=lambda pair: pair[0].size)
        difference = result.differences[0]
        small = shrink(program, same_difference(version, difference)).text(version)
        pytest.fail(f"{len(wrong)} programs disagree; the first one, made small: {difference}\n{small}")


def summary(results: list[Compared]) -> str:
    """Return how many programs were compared, and their results."""
    return (
        f"{len(results)} programs, {sum(r.faults > 0 for r in results)} with faults, "
        f"{sum(r.refused for r in results)} with ops that do not lower; "
        f"{sum(r.merged for r in results)} left out for merged blocks, "
        f"{sum(not r.complete for r in results)} for too many paths; "
        f"{sum(bool(r.differences) for r in results)} disagree"
    )
