"""Positions of a view's elements, in bytes from the first element of an argument."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import cast

from gpuasync_lsp.analysis.model.memory.numbers import Column, total

_FEW = 256
"""The maximum number of runs of bytes in one access by one thread."""


def further(at: Column, moves: Iterable[tuple[Column, int | None]], more: int = 0) -> Column:
    """Return `at` plus the product of each pair of (index, stride) in `moves`, plus `more` bytes."""
    return total([*moves, (more, 1)], at)


def numbers(static: object, others: Iterable[Column]) -> list[Column]:
    """Return the numbers of an op: the static ones, and a value from `others` for each dynamic one."""
    given = iter(others)
    return [next(given) if number is None else number for number in cast("tuple[int | None, ...]", static)]


def kept_strides(
    sizes: Sequence[Column], strides: Sequence[int | None], shape: Sequence[int]
) -> tuple[int | None, ...] | None:
    """Return the strides of the dimensions that a rank-reducing view keeps; `shape` contains their sizes.

    Returns None if it is uncertain which unit dimensions are dropped.
    """
    kept: list[int | None] = []
    leaving = len(sizes) - len(shape)
    for size, stride in zip(sizes, strides, strict=True):
        wanted = shape[len(kept)] if len(kept) < len(shape) else None
        is_same = wanted is not None and (size == wanted or (wanted < 0 and not isinstance(size, int)))
        if is_same and (size != 1 or not leaving):
            kept.append(stride)
        elif size == 1 and leaving:
            leaving -= 1
            # No address depends on which of several adjacent unit dimensions is dropped.
        elif is_same or (wanted is not None and wanted < 0):
            kept.append(stride)
        else:
            return None
    return tuple(kept) if len(kept) == len(shape) else None


def runs_of(
    shape: tuple[int, ...], strides: tuple[int | None, ...], width: int | None
) -> tuple[list[int], int] | None:
    """Return the starts of the contiguous runs of one access, and their length, in bytes."""
    if width is None:
        return None
    inner = strides[len(strides) - len(shape) :] if shape else ()
    if None in inner or len(inner) < len(shape):
        return None
    length = width
    sizes = list(zip(shape, cast("tuple[int, ...]", inner), strict=True))
    while sizes and sizes[-1][1] == length:
        length *= sizes.pop()[0]
    if prod(size for size, _ in sizes) > _FEW:
        return None
    starts = [sum(place) for place in product(*(range(0, n * by, by) if by else [0] for n, by in sizes))]
    return starts, length
