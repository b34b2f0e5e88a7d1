"""The generated programs, the same on every run, and what the real tools make of them."""

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
"""Programs per version in the slow run: where the real tool is asked much, and where it is not."""
CAMPAIGN = int(os.environ.get("GPUASYNC_PROGRAMS", "1000"))
"""Programs per version before a release."""
SEED = int(os.environ.get("GPUASYNC_SEED", "0"))
"""Another number gives other programs."""


def structured(version: int, program: Program) -> bool:
    """Return whether --convert-scf-to-cf of this version takes all of `program`: 16
    leaves scf.index_switch."""
    return version != 16 or "scf.index_switch" not in program.text(version)


@cache
def sample(count: int) -> tuple[Program, ...]:
    """Return `count` programs."""
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
    """Return what the real gpu-to-llvm of a version makes of them."""
    return tuple(lower_all(version, sample(count)))
