"""The form of an op: what it is but for its place, its operands' definitions, and what is inside of it.

Most ops of a text are like another one, so that what follows from the form alone is found out once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.syntax.ods.operation import OdsOperation
from gpuasync_lsp.syntax.ods.table import Variant

MOST_KNOWN = 4_096
"""Forms that are remembered."""


class Form:
    """One class, with the same types of operands and results, properties and attributes."""

    __slots__ = ("_types", "faults", "is_settled")

    def __init__(self, types: Sequence[Attribute | None]) -> None:
        self._types = types
        """These must stay as long as their identity says which form it is."""
        self.faults: Mapping[Variant, str] | None = None
        """What is wrong with such ops by their definitions, once that was asked."""
        self.is_settled = False
        """Whether it is known that the verifier has nothing to say of such ops, wherever they stand."""


_KNOWN: dict[object, Form] = {}
"""Types are known by their identity: to compare them takes longer than all else."""


def form_of(op: Operation) -> Form | None:
    """Return the form of `op`; None where ops that look the same may differ."""
    if isinstance(op, OdsOperation):  # these know in whose words they are written
        return None
    properties = op.properties
    key = (
        type(op),
        *[id(value.type) for value in op._operands],  # pyright: ignore[reportPrivateUsage]
        None,
        *[id(value.type) for value in op.results],
        *properties.items(),
        None,
        *op.attributes.items(),
    )
    known = _KNOWN.get(key)
    if known is None:
        # Equal attributes may differ: 0.0 and -0.0 do, and a NaN is not equal to itself.
        if any(isinstance(value, FloatAttr) for value in properties.values()):
            return None
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[key] = Form([value.type for value in (*op.operands, *op.results)])
    return known
