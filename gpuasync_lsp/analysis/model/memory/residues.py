"""Regions that are disjoint for all sizes, such as the even and the odd elements."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

from gpuasync_lsp.analysis.model.memory.linear import Linear


class Rows(NamedTuple):
    """Rows of at least `width` bytes that are multiples of `strides` apart."""

    width: int
    strides: list[int]


def never_meet(one: Rows, other: Rows, apart: Linear) -> bool:
    """Return whether `one` and `other`, which begins `apart` bytes later, share no byte.

    All strides and all terms of the distance have a common divisor, so each set of rows has fixed residues by
    it, for all sizes. Assumes that sums do not overflow.
    """
    stretch = gcd(*one.strides, *other.strides, *(times for _, times in apart.terms))
    begins = apart.constant % stretch if stretch else 0
    return one.width <= begins <= stretch - other.width
