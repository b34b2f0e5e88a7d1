"""Offsets, sizes and strides of slices, and reassociation groups, shared by several dialects."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr

from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View, elements
from gpuasync_lsp.syntax.kinds import number_of

_PARTS = ("offsets", "sizes", "strides")


def mixed_lists(view: View) -> VerifierError | None:
    """Return the error for the number of offsets, sizes and strides of `view`, or for negative values."""
    for name in _PARTS:
        static, dynamic = view.integers(f"static_{name}"), view.count(name)
        expected = static.count(DYNAMIC_INDEX)
        if expected != dynamic:
            words = (
                f"expected the number of '{name}' to match the number of dynamic entries in 'static_{name}' "
                f"({dynamic} vs {expected})"
            )
            earlier = f"expected {expected} dynamic {name[:-1]} values"
            return VerifierError(words, 20, bare=True, earlier=earlier)
    for name in _PARTS[:2]:
        for number in view.integers(f"static_{name}"):
            if number < 0 and number != DYNAMIC_INDEX:
                return VerifierError(f"expected {name} to be non-negative, but got {number}", 19, bare=True)
    return None


def in_bounds(
    shape: Sequence[int], offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> VerifierError | None:
    """Return the error for a slice that exceeds `shape`, which LLVM 20 and older accept."""
    for index, (whole, offset, size, stride) in enumerate(zip(shape, offsets, sizes, strides, strict=False)):
        if DYNAMIC_INDEX in (whole, offset):
            continue
        if offset >= whole:
            return VerifierError(f"offset {index} is out-of-bounds: {offset} >= {whole}", 21, bare=True)
        if DYNAMIC_INDEX in (size, stride):
            continue
        last = offset + (size - 1) * stride
        if last >= whole:
            words = f"slice along dimension {index} runs out-of-bounds: {last} >= {whole}"
            return VerifierError(words, 21, bare=True)
    return None


def groups_of(view: View) -> list[list[int]]:
    """Return the groups of dimension indices in the attribute `reassociation`."""
    groups: list[list[int]] = []
    for group in elements(view.attribute("reassociation")):
        numbers = elements(group)
        if not all(isinstance(each, IntegerAttr) for each in numbers):
            raise NotKnown
        groups.append([number_of(each) for each in numbers])
    return groups
