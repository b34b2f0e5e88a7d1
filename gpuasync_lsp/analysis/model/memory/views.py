"""Positions of a view's elements, in bytes from the first element of an argument."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import cast

from gpuasync_lsp.analysis.model.memory.numbers import Column, total

_FEW = 256
"""The most runs of bytes of one access by one thread."""


def further(at: Column, moves: Iterable[tuple[Column, int | None]], more: int = 0) -> Column:
    """Return `at` plus index times stride for each of `moves`, plus `more` bytes."""
    return total([*moves, (more, 1)], at)


def numbers(said: object, others: Iterable[Column]) -> list[Column]:
    """Return the static numbers of an op, with the next one of `others` for each dynamic one."""
    given = iter(others)
    return [next(given) if number is None else number for number in cast("tuple[int | None, ...]", said)]


def kept_strides(
    sizes: Sequence[Column], strides: Sequence[int | None], shape: Sequence[int]
) -> tuple[int | None, ...] | None:
    """Return the strides of the dimensions that a rank-reducing view keeps; `shape` holds their sizes.

    None where it is not certain which unit dimensions are dropped.
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
            # Of adjacent unit dimensions any may be dropped: their strides are never used.
        elif is_same or (wanted is not None and wanted < 0):
            kept.append(stride)
        else:
            return None
    return tuple(kept) if len(kept) == len(shape) else None


def runs_of(
    shape: tuple[int, ...], strides: tuple[int | None, ...], width: int | None
) -> tuple[list[int], int] | None:
    """Return the starts of the runs of bytes of one access, and their length."""
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
