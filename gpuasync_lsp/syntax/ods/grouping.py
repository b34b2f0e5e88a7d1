"""Operands and results of an op by the names that its definition has for groups of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.syntax.ods.table import TypeConstraint

SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")
"""The attributes that hold how many operands and results each group has, where that is not known else."""
Definitions = tuple[tuple[str, TypeConstraint], ...]
Groups = Mapping[str, Sequence[SSAValue]]


class Layout(NamedTuple):
    """What is known of groups without an op."""

    names: tuple[str, ...]
    """Those without a name are called by their number: `#1`."""
    variadic: tuple[bool, ...]
    several: int
    """How many have no fixed size."""
    slices: tuple[slice, ...] | None
    """Where each is among the values; None if it depends on the op."""

    def fits(self, count: int) -> bool:
        """Return whether an op may have so many values, as far as that is known without its sizes."""
        fixed = len(self.names) - self.several
        return count == fixed if not self.several else count >= fixed


@lru_cache(maxsize=8_192)
def layout(definitions: Definitions) -> Layout:
    """Return that of the operands or results of a definition."""
    names = tuple(name or f"#{number}" for number, (name, _) in enumerate(definitions))
    variadic = tuple(bool(each.variadic) for _, each in definitions)
    several, count = sum(variadic), len(names)
    slices: list[slice] = []
    if several <= 1:
        at = variadic.index(True) if several else count
        for number in range(count):
            behind = count - number - 1  # how many groups follow this one
            if number < at:
                slices.append(slice(number, number + 1))
            elif number == at:
                slices.append(slice(number, -behind or None))
            else:
                slices.append(slice(-behind - 1, -behind or None))
    return Layout(names, variadic, several, tuple(slices) if several <= 1 else None)


def operands_of(op: Operation) -> tuple[SSAValue, ...]:
    """Return the operands of an op; asked for each op that is printed, the view of xDSL takes too long."""
    return tuple(op._operands)  # pyright: ignore[reportPrivateUsage]


def groups(
    op: Operation, definitions: Definitions, values: Sequence[SSAValue], segments: str
) -> Groups | None:
    """Return `values` by the names of their groups; None where their number does not fit."""
    names, variadic, several, slices = known = layout(definitions)
    values = tuple(values)
    if slices is not None:
        if not known.fits(len(values)):
            return None
        return {name: values[place] for name, place in zip(names, slices, strict=True)}
    written = op.properties.get(segments, op.attributes.get(segments))
    if isinstance(written, DenseArrayBase):
        numbers = cast("DenseArrayBase[IntegerType]", written)
        sizes: Sequence[int] = [int(each) for each in numbers.get_values()]
    else:
        rest = len(values) - (len(names) - several)
        if rest % several:
            return None
        sizes = [rest // several if each else 1 for each in variadic]
    if len(sizes) != len(names) or sum(sizes) != len(values) or min(sizes) < 0:
        return None
    found: dict[str, Sequence[SSAValue]] = {}
    at = 0
    for name, size in zip(names, sizes, strict=True):
        found[name] = values[at : at + size]
        at += size
    return found
