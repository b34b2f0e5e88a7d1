"""Relations between parts of buffers, compared with the sets of bytes that the parts cover."""

from __future__ import annotations

import random
from itertools import product

import pytest
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue

from gpuasync_lsp.analysis.model.memory.linear import ZERO, Linear
from gpuasync_lsp.analysis.model.memory.regions import (
    UNKNOWN_PART,
    Extent,
    Overlap,
    Region,
    Run,
    compare,
)


def value() -> SSAValue:
    return Block(arg_types=[IndexType()]).args[0]


def part(offset: Linear, *dims: tuple[int, int], width: int = 4) -> Region:
    return Region(offset, tuple(Extent(Linear(size), stride) for size, stride in dims), width)


def bytes_of(start: int, dims: list[tuple[int, int]], width: int) -> set[int]:
    found: set[int] = set()
    for index in product(*(range(size) for size, _ in dims)):
        first = start + sum(i * stride for i, (_, stride) in zip(index, dims, strict=True))
        found.update(range(first, first + width))
    return found


def random_dims(rng: random.Random, width: int) -> list[tuple[int, int]]:
    return [(rng.randint(1, 5), width * rng.choice((1, 1, 2, 3, 5, 8, 16))) for _ in range(rng.randint(0, 3))]


@pytest.mark.parametrize("symbolic", [False, True])
def test_random_parts_are_compared_as_their_bytes(symbolic: bool) -> None:
    rng = random.Random(20)
    base = Linear(0, ((value(), 4),)) if symbolic else ZERO
    decided = {Overlap.NONE: 0, Overlap.SURE: 0, Overlap.UNKNOWN: 0}
    for _ in range(4000):
        one, other = random_dims(rng, 4), random_dims(rng, 4)
        a, b = 4 * rng.randint(0, 40), 4 * rng.randint(0, 40)
        width = rng.choice((4, 4, 8))
        said = compare(
            part(base.plus(Linear(a)), *one), part(base.plus(Linear(b)), *other, width=width), {}, {}
        )
        meet = bool(bytes_of(a, one, 4) & bytes_of(b, other, width))
        decided[said] += 1
        assert said is Overlap.UNKNOWN or (said is Overlap.SURE) is meet, (a, one, b, other, width)
    assert decided[Overlap.UNKNOWN] == 0
    assert min(decided[Overlap.NONE], decided[Overlap.SURE]) > 500


def test_a_large_tile_is_compared_by_its_dimensions() -> None:
    row = 4 * 4096
    left = part(ZERO, (1024, row), (2048, 4))
    right = part(Linear(2048 * 4), (1024, row), (2048, 4))
    across = part(Linear(1000 * 4), (1024, row), (2048, 4))
    assert compare(left, right, {}, {}) is Overlap.NONE
    assert compare(left, across, {}, {}) is Overlap.SURE


def test_sizes_that_are_values() -> None:
    half = value()
    size = Linear(0, ((half, 1),))
    lower = Region(ZERO, (Extent(size, 4),), 4)
    upper = Region(size.times(4), (Extent(size, 4),), 4)
    assert compare(lower, upper, {}, {}) is Overlap.NONE
    assert compare(upper, lower, {}, {}) is Overlap.NONE
    assert compare(lower, Region(size.times(2), (Extent(size, 4),), 4), {}, {}) is Overlap.UNKNOWN


def test_what_is_unknown_stays_unknown() -> None:
    i, j = (Linear(0, ((value(), 4),)) for _ in range(2))
    assert compare(part(i), part(j), {}, {}) is Overlap.UNKNOWN
    assert compare(part(i), part(i), {}, {}) is Overlap.SURE
    assert compare(part(ZERO), UNKNOWN_PART, {}, {}) is Overlap.UNKNOWN
    assert compare(Region(ZERO, whole=True), UNKNOWN_PART, {}, {}) is Overlap.SURE


def test_a_loop_counter_takes_all_its_values() -> None:
    i = value()
    at = part(Linear(0, ((i, 4),)))
    runs = {i: Run(first=8, step=2, rounds=4)}
    for element in range(20):
        said = compare(part(Linear(element * 4)), at, {}, runs)
        assert said is (Overlap.SURE if element in (8, 10, 12, 14) else Overlap.NONE)
    assert compare(part(ZERO), at, {}, {}) is Overlap.UNKNOWN
