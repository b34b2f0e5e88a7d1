"""The generated programs, equal in every run, and their lowering by the real tools."""

from __future__ import annotations

import os
from functools import cache

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.generated.programs import Program, programs
from tests.generated.real import Lowered, lower_all

QUICK = 30
"""Programs per version in the fast run."""
MORE = 100
SLOW = 300
"""Programs per version in the slow run."""
CAMPAIGN = int(os.environ.get("GPUASYNC_PROGRAMS", "1000"))
"""Programs per version in a campaign before a release."""
SEED = int(os.environ.get("GPUASYNC_SEED", "0"))
"""The seed: another number generates other programs."""


def structured(version: int, program: Program) -> bool:
    """Return whether --convert-scf-to-cf of this version converts all of `program`: 16 omits
    scf.index_switch."""
    return version != 16 or "scf.index_switch" not in program.text(version)


@cache
def sample(count: int) -> tuple[Program, ...]:
    """Return `count` generated programs."""
    drawn: list[Program] = []

    @seed(SEED)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def draw(program: Program) -> None:
        drawn.append(program)

    draw()
    return tuple(drawn)


@cache
def lowered(version: int, count: int) -> tuple[Lowered, ...]:
    """Return the results of the real gpu-to-llvm of a version for `sample(count)`."""
    return tuple(lower_all(version, sample(count)))
