"""Parts that never meet, however long they are: the elements of even numbers, and of odd ones."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from gpuasync_lsp.analysis.model.memory.linear import Linear

if TYPE_CHECKING:
    from gpuasync_lsp.analysis.model.memory.regions import Region


def never_meet(one: Region, other: Region, apart: Linear) -> bool:
    """Tell whether no element of `one` is one of `other`, which begins so far behind it, in bytes.

    Each step in either, and each number that the distance has besides, is a multiple of some bytes: then both
    lie in the same places of each stretch of so many, for all sizes. Sums are taken not to be too large for
    their type.
    """
    ours, theirs = _runs(one), _runs(other)
    if ours is None or theirs is None:
        return False
    (width, strides), (other_width, other_strides) = ours, theirs
    stretch = gcd(*strides, *other_strides, *(times for _, times in apart.terms))
    begins = apart.constant % stretch if stretch else 0
    return width <= begins <= stretch - other_width


def _runs(region: Region) -> tuple[int, list[int]] | None:
    """Return how many bytes lie in a row at least, and how far apart such rows are; None where not known."""
    width, strides = region.width, list[int]()
    if width is None:
        return None
    for size, stride, *_ in reversed(region.extents):
        if stride is None:
            return None
        if stride == width and not strides and size is not None and not size.terms:
            width *= size.constant
        else:
            strides.append(stride)
    return width, strides
