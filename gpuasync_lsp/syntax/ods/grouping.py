"""Access to the operands and results of an op by the group names in its definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.syntax.ods.table import TypeConstraint

SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")
"""The attributes with the sizes of the operand and result groups, for ops that require them."""
Definitions = tuple[tuple[str, TypeConstraint], ...]
Groups = Mapping[str, Sequence[SSAValue]]


class Layout(NamedTuple):
    """The operand or result groups of a definition, independent of any op."""

    names: tuple[str, ...]
    """The names of the groups; the name of an unnamed one is its index: `#1`."""
    variadic: tuple[bool, ...]
    several: int
    """The number of groups of variable size."""
    slices: tuple[slice, ...] | None
    """The slice of each group in the list of values; None if it depends on the op."""

    def fits(self, count: int) -> bool:
        """Return whether an op may have `count` values, ignoring a segment-size attribute."""
        fixed = len(self.names) - self.several
        return count == fixed if not self.several else count >= fixed


@lru_cache(maxsize=8_192)
def layout(definitions: Definitions) -> Layout:
    """Return the group layout of a definition's operands or results."""
    names = tuple(name or f"#{number}" for number, (name, _) in enumerate(definitions))
    variadic = tuple(bool(each.variadic) for _, each in definitions)
    several, count = sum(variadic), len(names)
    slices: list[slice] = []
    if several <= 1:
        at = variadic.index(True) if several else count
        for number in range(count):
            behind = count - number - 1  # The number of groups that follow.
            if number < at:
                slices.append(slice(number, number + 1))
            elif number == at:
                slices.append(slice(number, -behind or None))
            else:
                slices.append(slice(-behind - 1, -behind or None))
    return Layout(names, variadic, several, tuple(slices) if several <= 1 else None)


def operands_of(op: Operation) -> tuple[SSAValue, ...]:
    """Return the operands of an op; faster than xDSL's `operands`, which creates a view."""
    return tuple(op._operands)  # pyright: ignore[reportPrivateUsage]


def groups(
    op: Operation, definitions: Definitions, values: Sequence[SSAValue], segments: str
) -> Groups | None:
    """Return `values` by group name; None if their number does not match `definitions`."""
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
