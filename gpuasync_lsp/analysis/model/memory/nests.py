"""Bounds and steps of loops with several induction variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
)
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from gpuasync_lsp.analysis.model.memory.places import DYNAMIC
from gpuasync_lsp.syntax.effects import segments
from gpuasync_lsp.syntax.kinds import is_array

Bound = SSAValue | int


def counters_of(loop: Operation) -> list[tuple[Bound, Bound, Bound]] | None:
    """Return (lower bound, upper bound, step) per induction variable of an scf.parallel or scf.forall.

    Returns None for any other op, or if the bounds or steps cannot be determined."""
    groups, operands = segments(loop), list(loop.operands)
    if len(groups) != 4:
        return None
    given = iter(operands)
    sides: list[list[Bound]] = []
    for count, name in zip(groups, ("staticLowerBound", "staticUpperBound", "staticStep"), strict=False):
        dynamic = iter(list(islice(given, count)))
        if loop.name == "scf.parallel":
            sides.append(list(dynamic))
        elif loop.name == "scf.forall" and isinstance(kept := loop.properties.get(name), DenseArrayBase):
            numbers = [int(number) for number in kept.get_values()]
            if numbers.count(DYNAMIC) != count:
                return None
            sides.append([next(dynamic) if number == DYNAMIC else number for number in numbers])
        else:
            return None
    if not len(sides[0]) == len(sides[1]) == len(sides[2]):
        return None
    return list(zip(*sides, strict=True))


Side = tuple[str, Sequence[SSAValue], list[AffineMap]]
"""The lower or the upper bounds of an affine.parallel.

A tuple of the op that computes the bounds, its operands, and one map per induction variable."""


def affine_sides(loop: Operation) -> tuple[Side, Side, list[int]] | None:
    """Return the lower bounds, the upper bounds and the steps of an affine.parallel; None if malformed."""
    low, high = loop.properties.get("lowerBoundsMap"), loop.properties.get("upperBoundsMap")
    steps = loop.properties.get("steps")
    if not isinstance(low, AffineMapAttr) or not isinstance(high, AffineMapAttr):
        return None
    at = low.data.num_dims + low.data.num_symbols
    lows = list(_parts(low.data, loop.properties.get("lowerBoundsGroups")))
    highs = list(_parts(high.data, loop.properties.get("upperBoundsGroups")))
    given = steps.data if is_array(steps) else ()
    numbers = [step.value.data for step in given if isinstance(step, IntegerAttr)]
    if not len(lows) == len(highs) == len(numbers):
        return None
    operands = list(loop.operands)
    return ("affine.max", operands[:at], lows), ("affine.min", operands[at:], highs), numbers


def _parts(kept: AffineMap, groups: object) -> Iterator[AffineMap]:
    results = iter(kept.results)
    counts = groups.get_values() if isinstance(groups, DenseIntOrFPElementsAttr) else ()
    for count in counts:
        yield AffineMap(kept.num_dims, kept.num_symbols, tuple(islice(results, int(count))))
