"""The form of an op: all of it except its place, the definitions of its operands, and the ops inside.

Most ops of a text have the form of another one, so that facts that only depend on the form are memoized.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter

from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.syntax.ods.operation import OdsOperation
from gpuasync_lsp.syntax.ods.table import Variant
from gpuasync_lsp.syntax.xdsl_speed import operands_of

MOST_KNOWN = 4_096
"""The maximum number of memoized forms."""


class Form:
    """A class with types of operands and results, properties and attributes."""

    __slots__ = ("_types", "faults", "is_settled")

    def __init__(self, types: Sequence[Attribute | None]) -> None:
        self._types = types
        """Keeps these objects alive, as forms are found by their identity."""
        self.faults: Mapping[Variant, str] | None = None
        """The errors of such ops by their definitions, once they have been computed."""
        self.is_settled = False
        """Whether the verifier is known to accept such ops in any place."""


_KNOWN: dict[object, Form] = {}
"""Keyed by the identity of types: comparing them would take longer than the rest."""

_OF_THESE: dict[object, tuple[Form, tuple[Attribute, ...]]] = {}
"""Forms by the identity of shared attributes, and the objects that this keeps alive."""


def form_of(op: Operation) -> Form | None:
    """Return the form of `op`; None if ops with equal forms may differ."""
    if isinstance(op, OdsOperation):  # these know in whose words they are written
        return None
    properties, attributes = op.properties, op.attributes
    types = (
        type(op),
        *map(id, map(_type_of, operands_of(op))),
        None,
        *map(id, map(_type_of, op.results)),
    )
    these = (
        types,
        *properties,
        *map(id, properties.values()),
        None,
        *attributes,
        *map(id, attributes.values()),
    )
    met = _OF_THESE.get(these)
    if met is not None:
        return met[0]
    # Equal attributes may differ: 0.0 and -0.0 do, and a NaN is not equal to itself.
    if any(isinstance(value, FloatAttr) for value in properties.values()):
        return None
    key = (types, *properties.items(), None, *attributes.items())
    known = _KNOWN.get(key)
    if known is None:
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[key] = Form([value.type for value in (*op.operands, *op.results)])
    if len(_OF_THESE) >= MOST_KNOWN:
        _OF_THESE.clear()
    _OF_THESE[these] = known, (*properties.values(), *attributes.values())
    return known


_type_of: Callable[[SSAValue], Attribute] = attrgetter("_type")
