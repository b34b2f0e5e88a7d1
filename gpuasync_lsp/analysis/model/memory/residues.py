"""Parts that never meet, however long they are: the elements of even numbers, and of odd ones."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

from gpuasync_lsp.analysis.model.memory.linear import Linear


class Rows(NamedTuple):
    """Elements that lie in rows of `width` bytes at least, `strides` bytes apart in each dimension."""

    width: int
    strides: list[int]


def never_meet(one: Rows, other: Rows, apart: Linear) -> bool:
    """Return whether no element of `one` is one of `other`, which begins so far after it, in bytes.

    Each step in either, and each number that the distance has besides, is a multiple of some bytes: then both
    lie in the same places of each stretch of so many, for all sizes. Sums are taken not to be too large for
    their type.
    """
    stretch = gcd(*one.strides, *other.strides, *(times for _, times in apart.terms))
    begins = apart.constant % stretch if stretch else 0
    return one.width <= begins <= stretch - other.width
